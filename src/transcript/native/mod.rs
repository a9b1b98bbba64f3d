//! The native form of a transcript, which the program "Every Code" persists, and the document form: one into the other
//! (spec 3-transcript.md, section 2).
//!
//! Text to text, by tables: [`tables`] says what every record type has in both forms, [`convert`] walks a text along them.
//! Nothing recurses deeper than the tables do; whatever they do not name is copied as it stands, at any depth.
//!
//! - What the native reader of the program refuses is refused, with a path, but for what is unknown, which is kept and comes
//!   back: fields under their own names; variants and record types by their native names, which begin with a capital
//!   and which no document may use for anything that the tables know.
//!   Fields whose names mean something else in the document are in its member `native_ext`, those of a struct that has
//!   no object there in `kind_ext`, `snapshot_ext` or `event_ext`. Nothing is kept inside a secret.
//! - What the document has and the native form has not is lost on the way to it (2.3); a value without a native counterpart is left
//!   out of lists and maps, null where the field is optional, and otherwise refused as `unsupported`.
//! - Numbers and strings are copied as they are written. Lone halves of surrogate pairs are refused in both directions, because
//!   the program refuses a text with one.
//!
//! Both forms may be read in any key order, and both are written in that of the native structs. Time is linear.

mod choices;
mod convert;
mod fault;
mod members;
mod numbers;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
mod record;
mod shape;
mod special;
mod tables;
#[cfg(test)]
mod tests;

use convert::{Converter, inexpressible};
use shape::{Form, Value};
use tables::{DOMAIN_EVENT, EVENT, MUTATION, SNAPSHOT};

use super::error::TranscriptError;
use crate::json::check_grammar;

/// A snapshot of the native form in the document form.
///
/// # Errors
/// `not_json`; `document_form` for a snapshot that has that form already; `invalid`, `time`, `not_finite` and
/// `lone_surrogate`, with the path in the native text: `records[0].Exec.started_at`.
pub fn native_to_document(text: &[u8]) -> Result<Vec<u8>, TranscriptError> {
    convert(Form::Native, &SNAPSHOT, text)
}

/// A snapshot of the document form in the native form. Records of types that it does not have are left out, together with
/// what `order` and `order_debug` say about them.
///
/// # Errors
/// `not_json`; `native_form` for a snapshot that has that form already; `invalid`, `time` (before 1970 as well),
/// `not_finite`, `lone_surrogate` and `unsupported`, with the path in the document: `records[0].payload.started_at`.
pub fn document_to_native(text: &[u8]) -> Result<Vec<u8>, TranscriptError> {
    convert(Form::Document, &SNAPSHOT, text)
}

/// One record of the native form in the document form.
///
/// # Errors
/// As [`native_to_document`].
pub fn native_record_to_document(text: &[u8]) -> Result<Vec<u8>, TranscriptError> {
    convert(Form::Native, &Value::Record, text)
}

/// One record of the document form in the native form.
///
/// # Errors
/// As [`document_to_native`]; `unsupported` for a type that the native form does not have.
pub fn document_record_to_native(text: &[u8]) -> Result<Vec<u8>, TranscriptError> {
    convert(Form::Document, &Value::Record, text)
}

/// What the program calls an operation or the result of one (section 3), for test vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeEvent {
    /// `Insert`, `Replace` or `Remove` of a record.
    Basic,
    /// Those and the operations on commands and messages: `StartExec`, `UpsertAssistantStream`…
    Domain,
    /// A result: `Inserted`, `Replaced`, `Removed`, `Noop`.
    Mutation,
}

/// An operation or a result in the document form: `{type: "start_exec", …}`, with values as in records.
///
/// # Errors
/// As [`native_to_document`].
pub fn native_event_to_document(
    kind: NativeEvent,
    text: &[u8],
) -> Result<Vec<u8>, TranscriptError> {
    let value = match kind {
        NativeEvent::Basic => &EVENT,
        NativeEvent::Domain => &DOMAIN_EVENT,
        NativeEvent::Mutation => &MUTATION,
    };
    convert(Form::Native, value, text)
}

fn convert(from: Form, value: &'static Value, text: &[u8]) -> Result<Vec<u8>, TranscriptError> {
    check_grammar(text)?;
    let mut out = Vec::with_capacity(text.len());
    match Converter::new(from).value(value, text.trim_ascii(), &mut out) {
        Ok(true) => Ok(out),
        Ok(false) => Err(inexpressible().into_error()),
        Err(fault) => Err(fault.into_error()),
    }
}
