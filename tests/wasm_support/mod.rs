//! The cases of `wasm_window.rs` and `wasm_worker.rs`: each runs in both.

mod engine;
mod functions;
mod scanning;
mod storing;

use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;

/// The value of JSON text, made by the browser.
fn value(text: &str) -> JsValue {
    JSON::parse(text).unwrap()
}

/// What `JSON.stringify` says of a value.
fn text(value: &JsValue) -> String {
    JSON::stringify(value).unwrap().into()
}

/// A property of a value.
fn field(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

/// `code` and `path` of an error that was thrown.
fn refusal<T>(result: Result<T, JsValue>) -> (String, Option<String>) {
    let Err(error) = result else {
        panic!("was not refused")
    };
    let code = field(&error, "code").as_string().unwrap();
    (code, field(&error, "path").as_string())
}

/// A turn as JSON text.
fn turn(session: &str, id: &str, reply: &str) -> String {
    format!(
        r#"{{"kind":"turn","input":{},"output":{{"userMessage":"{reply}"}}}}"#,
        request(session, id)
    )
}

/// A request as JSON text.
fn request(session: &str, id: &str) -> String {
    format!(
        r#"{{"type":"chart_request","id":"{id}","sessionId":"{session}","timestamp":5,"reasons":[{{"kind":"user_intent","text":"asked in {id}"}}]}}"#
    )
}
