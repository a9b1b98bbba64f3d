//! Errors of the core as JavaScript errors, and back.

use super::glue::{make_context_error, make_error, make_session_error, make_transcript_error};
use crate::context::ContextError;
use crate::protocol::{Error, ErrorCode, ErrorKind};
use crate::session::SessionError;
use crate::transcript::TranscriptError;
use js_sys::Array;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};

/// An error that passes through the core as it was thrown: a snapshot's refusal, a getter's throw.
struct AsThrown(JsValue);

/// The JavaScript error for an error of the core.
pub fn to_js(error: &Error) -> JsValue {
    if let Some(thrown) = error
        .cause
        .as_ref()
        .and_then(|cause| cause.downcast_ref::<AsThrown>())
    {
        return thrown.0.clone();
    }
    let cause = error
        .cause
        .as_ref()
        .and_then(|cause| cause.downcast_ref::<JsValue>());
    let kind = match error.kind {
        ErrorKind::Validation => 0,
        ErrorKind::Store => 1,
        ErrorKind::Planner => 2,
    };
    make_error(
        kind,
        error.code.as_str(),
        &error.message,
        error.path.as_deref(),
        &cause.cloned().unwrap_or_default(),
    )
    .into()
}

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

/// An error that JavaScript is to see as it was thrown.
pub fn as_thrown(thrown: JsValue) -> Error {
    Error::invalid("", "thrown by JavaScript").caused_by(Rc::new(AsThrown(thrown)))
}

/// What a planner threw.
pub fn of_planner(thrown: JsValue, aborted: bool) -> Error {
    let code = if aborted {
        ErrorCode::Aborted
    } else {
        ErrorCode::PlannerFailed
    };
    let text = format!("the planner failed: {}", text_of(&thrown));
    Error::planner(code, text).caused_by(Rc::new(thrown))
}

/// What a caller's store threw. A store error of ours keeps its code.
pub fn of_store(thrown: JsValue) -> Error {
    if thrown
        .dyn_ref::<js_sys::Error>()
        .is_some_and(|error| error.name() == "StoreError")
    {
        return as_thrown(thrown);
    }
    Error::store(
        ErrorCode::Failed,
        format!("the store failed: {}", text_of(&thrown)),
    )
    .caused_by(Rc::new(thrown))
}

/// What a hook threw.
pub fn of_hook(hook: &str, thrown: JsValue) -> Error {
    Error::invalid(hook, format!("the hook failed: {}", text_of(&thrown)))
        .caused_by(Rc::new(thrown))
}

fn text_of(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => thrown
            .as_string()
            .unwrap_or_else(|| "it threw something that is no error".to_owned()),
    }
}
