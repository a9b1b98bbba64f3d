//! Rules by example; random texts of every type are in `properties`.

mod unknown;
mod values;

use super::*;
use crate::json::same_value;
use crate::transcript::HistoryState;
use crate::transcript::error::TranscriptCode as Code;

fn to_document(native: &str) -> String {
    let document = native_record_to_document(native.as_bytes());
    String::from_utf8(document.unwrap_or_else(|error| panic!("{native}: {error}"))).unwrap()
}

fn to_native(document: &str) -> String {
    let native = document_record_to_native(document.as_bytes());
    String::from_utf8(native.unwrap_or_else(|error| panic!("{document}: {error}"))).unwrap()
}

/// Native text in one spelling becomes this document, and comes back as it was.
fn assert_pair(native: &str, document: &str) {
    let converted = to_document(native);
    assert!(
        same_value(converted.as_bytes(), document.as_bytes()),
        "{converted}"
    );
    assert_eq!(to_native(document), native);
    assert_eq!(to_native(&converted), native);
}

fn native_error(text: &str) -> (Code, String) {
    let error = native_record_to_document(text.as_bytes()).expect_err(text);
    (error.code, error.path)
}

fn document_error(text: &str) -> (Code, String) {
    let error = document_record_to_native(text.as_bytes()).expect_err(text);
    (error.code, error.path)
}

const EMPHASIS: &str =
    r#"{"bold":false,"italic":false,"dim":false,"strike":false,"underline":false}"#;

fn notice(lines: &str) -> String {
    format!(r#"{{"Notice":{{"id":1,"title":null,"body":[{lines}]}}}}"#)
}

fn notice_document(lines: &str) -> String {
    format!(r#"{{"id":1,"type":"notice","payload":{{"title":null,"body":[{lines}]}}}}"#)
}

fn tool(rest: &str) -> String {
    format!(
        r#"{{"id":1,"type":"tool_call","payload":{{"status":"success","title":"","arguments":[]{rest}}}}}"#
    )
}

fn message(created_at: &str) -> String {
    format!(
        r#"{{"id":1,"type":"assistant_message","payload":{{"markdown":"","citations":[],"created_at":{created_at}}}}}"#
    )
}

fn patch(changes: &str) -> String {
    format!(
        r#"{{"Patch":{{"id":1,"patch_type":"ApplyFailure","changes":{{{changes}}},"failure":null}}}}"#
    )
}
