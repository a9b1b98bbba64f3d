//! Errors of the parts that `turnlog/history` leaves out, as JavaScript errors.

use super::glue::make_context_error;
use super::glue::make_session_error;
use super::glue::make_transcript_error;
use crate::context::ContextError;
use crate::session::SessionError;
use crate::transcript::TranscriptError;
use js_sys::Array;
use wasm_bindgen::JsValue;

/// The JavaScript error for what a rule of the session refuses.
pub fn session_error(error: &SessionError) -> JsValue {
    let (names, values) = named(&error.details);
    let missing: Vec<f64> = error.missing.iter().map(|&seq| seq as f64).collect();
    make_session_error(
        error.code.as_str(),
        &error.message,
        &names,
        &values,
        &missing,
    )
    .into()
}

/// The JavaScript error for what the transcript refuses.
pub fn transcript_error(error: &TranscriptError) -> JsValue {
    let (names, values) = named(&error.details);
    let path = (!error.path.is_empty()).then_some(error.path.as_str());
    make_transcript_error(error.code.as_str(), &error.message, path, &names, &values).into()
}

/// The JavaScript error for why there is no context or no request.
pub fn context_error(error: &ContextError) -> JsValue {
    let path = error.path.as_deref().filter(|path| !path.is_empty());
    make_context_error(error.code.as_str(), &error.message, path).into()
}

/// Names and values of details.
fn named(details: &[(&'static str, f64)]) -> (Array, Vec<f64>) {
    let names = details.iter().map(|&(name, _)| JsValue::from(name));
    let values = details.iter().map(|&(_, value)| value);
    (names.collect(), values.collect())
}
