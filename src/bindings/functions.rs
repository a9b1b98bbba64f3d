//! Functions without state: ids, checks, projections.

use super::document::{JsDocument, message_id, session_id};
use super::errors::to_js;
use super::glue;
use crate::history::{Document, check_entry, from_wire, intent_text, write_messages, write_wire};
use crate::json;
use crate::protocol::{Error, check_message, check_wire_entry, uuid_v7};
use wasm_bindgen::prelude::*;

/// The version of this package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Checks a session id and gives it back.
#[wasm_bindgen(js_name = checkSessionId)]
pub fn check_session_id(value: &JsValue) -> Result<JsValue, JsValue> {
    session_id(value)
        .map(|_| value.clone())
        .map_err(|error| to_js(&error))
}

/// Checks a message id and gives it back.
#[wasm_bindgen(js_name = checkMessageId)]
pub fn check_message_id(value: &JsValue) -> Result<JsValue, JsValue> {
    message_id(value)
        .map(|_| value.clone())
        .map_err(|error| to_js(&error))
}

/// A fresh UUIDv7; `now` in epoch milliseconds.
#[wasm_bindgen(js_name = freshMessageId)]
pub fn fresh_message_id(now: f64) -> String {
    let mut random = [0; 10];
    glue::random_bytes(10).copy_to(&mut random);
    uuid_v7(now, random)
}

/// Checks the shape of a frozen message and gives it back.
#[wasm_bindgen(js_name = checkedMessage)]
pub fn checked_message(frozen: JsValue) -> Result<JsValue, JsValue> {
    let message = JsDocument::of_frozen(frozen);
    check_message(&message.text()).map_err(|error| to_js(&error))?;
    Ok(message.live().clone())
}

/// Checks the shape of an entry that is frozen already.
#[wasm_bindgen(js_name = checkEntry)]
pub fn check_frozen_entry(entry: JsValue) -> Result<(), JsValue> {
    let text = JsDocument::of_frozen(entry).text();
    check_entry(&text).map(drop).map_err(|error| to_js(&error))
}

/// All `user_intent` texts of a request, joined by one space.
#[wasm_bindgen(js_name = deriveUserIntent)]
pub fn derive_user_intent(message: &JsValue) -> Result<JsValue, JsValue> {
    let message = JsDocument::of_value(message).map_err(|error| to_js(&error))?;
    let output = JsDocument::from_text(br#"{"userMessage":""}"#.to_vec());
    let entry = JsDocument::turn(&message, &output).text();
    let entry = check_entry(&entry).map_err(|error| to_js(&unprefixed(error)))?;
    Ok(JsDocument::from_text(intent_text(&entry)).to_value())
}

/// The default projection of an entry: a list of messages.
#[wasm_bindgen(js_name = defaultLLMContext)]
pub fn default_llm_context(entry: &JsValue) -> Result<JsValue, JsValue> {
    let entry = JsDocument::of_value(entry).map_err(|error| to_js(&error))?;
    check_entry(&entry.text()).map_err(|error| to_js(&error))?;
    Ok(default_messages(&entry).to_value())
}

/// The wire form of an entry (seed 000).
#[wasm_bindgen(js_name = toSessionHistoryEntry)]
pub fn to_session_history_entry(entry: &JsValue) -> Result<JsValue, JsValue> {
    let entry = JsDocument::of_value(entry).map_err(|error| to_js(&error))?;
    let text = entry.text();
    let entry = check_entry(&text).map_err(|error| to_js(&error))?;
    let mut out = Vec::new();
    write_wire(&entry, &mut out);
    Ok(JsDocument::from_text(out).to_value())
}

/// The entry a wire entry stands for, frozen.
#[wasm_bindgen(js_name = fromSessionHistoryEntry)]
pub fn from_session_history_entry(wire: &JsValue) -> Result<JsValue, JsValue> {
    let wire = JsDocument::of_value(wire).map_err(|error| to_js(&error))?;
    let text = wire.text();
    let wire = check_wire_entry(&text).map_err(|error| to_js(&error))?;
    Ok(JsDocument::from_text(from_wire(&wire)).live().clone())
}

/// The code of the first thing that keeps bytes from being lossless JSON text; none when they are.
#[wasm_bindgen(js_name = checkJson)]
pub fn check_json(text: &[u8]) -> Option<String> {
    json::check(text).err().map(|error| error.code().to_owned())
}

/// Whether two JSON texts are the same value.
#[wasm_bindgen(js_name = sameJson)]
pub fn same_json(a: &[u8], b: &[u8]) -> bool {
    json::check(a).is_ok() && json::check(b).is_ok() && json::same_value(a, b)
}

/// An entry's default messages; none for one that cannot be read, which the caller has checked.
pub(super) fn default_messages(entry: &JsDocument) -> JsDocument {
    let mut messages = vec![b'['];
    if let Some(spoken) = crate::history::read_spoken(&entry.text()) {
        write_messages(&spoken, &mut messages);
    }
    messages.push(b']');
    JsDocument::from_text(messages)
}

/// The path of a message's own field, when it was checked as an entry's input.
fn unprefixed(error: Error) -> Error {
    let path = error
        .path
        .as_deref()
        .map(|path| path.strip_prefix("input").unwrap_or(path));
    let path = path
        .map(|path| path.trim_start_matches('.').to_owned())
        .filter(|path| !path.is_empty());
    Error { path, ..error }
}
