//! Errors of the core as JavaScript errors, and back.

use super::glue::make_error;
use crate::protocol::{Error, ErrorCode, ErrorKind};
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
