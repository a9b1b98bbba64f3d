//! The reader of snapshots in the native form.

use serde_json::{Map, Value};
use turnlog::json::{check_grammar, same_value};
use turnlog::transcript::{HistoryState, TranscriptCode, document_to_native, native_to_document};

use super::memory::within;
use super::shown;

/// The document form has names where the native one may have the place alone: `[0,0]` is a progress.
const FACTOR: usize = 16;

pub fn body(text: &[u8]) {
    let document = match within(FACTOR, text, || native_to_document(text)) {
        Ok(document) => document,
        Err(error) => {
            let is_json = check_grammar(text).is_ok();
            assert_eq!(error.code == TranscriptCode::NotJson, !is_json, "{error}");
            assert!(!matches!(
                error.code,
                TranscriptCode::NativeForm | TranscriptCode::Index | TranscriptCode::Offset
            ));
            return;
        }
    };
    check_grammar(&document).expect("a document is JSON");
    let mut state = HistoryState::default();
    state.restore(&document).expect("a transcript takes it");
    let native = within(FACTOR, &document, || document_to_native(&document));
    let native = native.expect("it has a native form");
    let again = native_to_document(&native).expect("which is read");
    let native_again = document_to_native(&again).expect("and written");
    assert_eq!(shown(&native_again), shown(&native));
    if is_of_protocol(&document, &again) {
        return;
    }
    // A double without a point gets one natively.
    if !same_value(&again, &document) {
        assert_eq!(shown(&again), shown(&document));
    }
    // `serde_json` reads neither every depth nor every number; the rest is read as the program does.
    if let (Ok(given), Ok(native)) = (
        serde_json::from_slice::<Value>(text),
        serde_json::from_slice::<Value>(&native),
    ) {
        assert!(covers(&native, &given), "{given} became {native}");
    }
}

/// Whether a changed file is as the protocol spells it, whose fields are not those that the program keeps (spec 3-transcript.md,
/// 2.4): what is deleted has contents there, and what is updated has none.
fn is_of_protocol(document: &[u8], again: &[u8]) -> bool {
    let count =
        |text: &[u8], name: &[u8]| text.windows(name.len()).filter(|it| *it == name).count();
    let differs = |name: &[u8]| count(document, name) != count(again, name);
    count(document, br#"{"type":"delete","#) > 0
        || differs(br#""original_content":"#)
        || differs(br#""new_content":"#)
}

/// Whether everything that was given is there natively again, if not at once in the form in which the program writes it.
fn covers(native: &Value, given: &Value) -> bool {
    match (native, given) {
        (Value::Object(native), Value::Object(given)) => covers_object(native, given),
        (Value::Array(native), Value::Array(given)) => {
            native.len() == given.len()
                && native
                    .iter()
                    .zip(given)
                    .all(|(native, given)| covers(native, given))
        }
        // A struct as the list of its fields, of which those at the end may be missing.
        (Value::Object(native), Value::Array(given)) => given
            .iter()
            .all(|given| is_nothing(given) || native.values().any(|native| covers(native, given))),
        // A variant without data may be an object, and an unknown marker becomes one.
        (Value::String(name), Value::Object(variant))
        | (Value::Object(variant), Value::String(name)) => {
            variant.len() == 1 && variant.get(name) == Some(&Value::Null)
        }
        (Value::Number(native), Value::Number(given)) if native.is_f64() => {
            native.as_f64() == given.as_f64()
        }
        _ => native == given,
    }
}

fn covers_object(native: &Map<String, Value>, given: &Map<String, Value>) -> bool {
    // Nanoseconds beyond a second are carried.
    let is_carried = |(name, value): (&String, &Value)| {
        name.starts_with("nanos") && value.as_u64() >= Some(1_000_000_000)
    };
    let is_there = |(name, given): (&String, &Value)| {
        native
            .get(name)
            .map_or_else(|| is_nothing(given), |native| covers(native, given))
    };
    given.iter().any(is_carried) || given.iter().all(is_there) || has_other_spelling(native, given)
}

/// Whether this is a variant with its name in snake_case, or with a `type` for its name (spec 3-transcript.md, 2.4).
fn has_other_spelling(native: &Map<String, Value>, given: &Map<String, Value>) -> bool {
    let Some((name, native)) = native.iter().next().filter(|_| native.len() == 1) else {
        return false;
    };
    let is_it = |other: &str| {
        other
            .replace('_', "")
            .eq_ignore_ascii_case(&name.replace('_', ""))
    };
    match given.get("type").and_then(Value::as_str) {
        Some(tag) if is_it(tag) => {
            let mut fields = given.clone();
            fields.remove("type");
            covers(native, &Value::Object(fields))
        }
        _ => given
            .iter()
            .next()
            .is_some_and(|(other, given)| is_it(other) && covers(native, given)),
    }
}

/// What the program leaves out.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
