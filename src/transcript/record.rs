//! One record of the transcript: its JSON text, and beside it what the operations look at.
//!
//! A record that no operation has changed is the text it came in, byte for byte, but for the id in its envelope. One whose
//! streams grow is kept [open](super::open) and is written anew when somebody asks for it.

use core::ops::Range;
use std::borrow::Cow;

use super::error::{TranscriptCode, TranscriptError};
use super::lookup::{Key, key};
use super::open::Open;
use super::schema::{ENVELOPE, RECORDS};
use super::shape::{Checker, Found, invalid, is_capitalised, natural};
use crate::json::Reader;

/// The types that the operations tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Exec,
    MergedExec,
    /// `running_tool` or `tool_call`.
    Tool,
    Stream,
    Message,
    /// Any other, unknown ones included.
    Other,
}

/// A record of the transcript.
#[derive(Clone, Debug)]
pub struct Record {
    id: u64,
    pub(super) kind: RecordKind,
    /// The call ids it registers, or its stream id.
    pub(super) keys: Box<[Key]>,
    pub(super) body: Body,
    /// Bytes of text in the streams of an exec that is text, once they were counted.
    pub(super) counted: Option<u64>,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Text(Box<[u8]>),
    Open(Box<Open>),
}

impl Record {
    /// Its id. 0 stands for "no id" and is found by nothing.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its JSON text. One that an operation has changed is written for each call, in time linear in the record.
    pub fn text(&self) -> Cow<'_, [u8]> {
        match &self.body {
            Body::Text(text) => Cow::Borrowed(text),
            Body::Open(open) => {
                let mut out = Vec::new();
                open.write(&mut out);
                Cow::Owned(out)
            }
        }
    }

    /// Appends its JSON text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match &self.body {
            Body::Text(text) => out.extend_from_slice(text),
            Body::Open(open) => open.write(out),
        }
    }

    /// The record in the form that can be edited. Its text may be written with other white space after that.
    pub(super) fn open(&mut self) -> &mut Open {
        if let Body::Text(text) = &self.body {
            self.body = Body::Open(Box::new(Open::read(text, self.kind)));
        }
        match &mut self.body {
            Body::Open(open) => open,
            // Not reached: the body was opened just now.
            Body::Text(_) => unreachable!(),
        }
    }
}

impl Record {
    /// Gives up the form that can be edited, for one that will hardly be edited again.
    pub(super) fn close(&mut self) {
        self.body = Body::Text(self.text().into_owned().into_boxed_slice());
    }
}

/// A record that was checked and has no id yet.
pub(super) struct Draft {
    kind: RecordKind,
    keys: Box<[Key]>,
    text: Vec<u8>,
    id: Option<(Range<usize>, u64)>,
}

impl Draft {
    /// Checks a value that was checked to be JSON (spec 1.1 to 1.4).
    ///
    /// Secret arguments lose everything but their `type`: what else stands there might be the secret.
    ///
    /// # Errors
    /// `invalid`, with the path inside the record; `native_form` for a record of the program's own form.
    pub fn read(text: &[u8]) -> Result<Self, TranscriptError> {
        let text = trimmed(text);
        let mut checker = Checker::new(text);
        let envelope = checker.object(&(0..text.len()), &ENVELOPE);
        let [id, kind, payload, ..] =
            envelope.map_err(|fault| say_if_native(text, checker.error(fault)))?;
        let (Some(kind), Some(payload)) = (kind, payload) else {
            return Err(invalid("must have a type and a payload"));
        };
        let name = Reader::new(checker.slice(&kind)).string();
        let known = RECORDS
            .iter()
            .find(|(known, _)| name.is_some_and(|name| name.eq_str(known)));
        let (kind, keys) = match known {
            Some((name, fields)) => {
                let found = checker.member("payload", &payload, fields);
                let found = found.map_err(|fault| checker.error(fault))?;
                kind_and_keys(name, &checker, &found)
            }
            None => (RecordKind::Other, Box::default()),
        };
        if let Some(bare) = without_leaks(text, &checker.leaks) {
            return Self::read(&bare);
        }
        let id = id.and_then(|at| Some((at.clone(), natural(checker.slice(&at))?)));
        Ok(Self {
            kind,
            keys,
            text: text.to_vec(),
            id,
        })
    }

    /// The same for a record of a snapshot, which has its id.
    ///
    /// # Errors
    /// As [`read`](Self::read), and for a record without an id.
    pub fn read_with_id(text: &[u8]) -> Result<Record, TranscriptError> {
        let draft = Self::read(text)?;
        let Some((_, id)) = draft.id else {
            return Err(invalid("is missing").in_member("id"));
        };
        Ok(draft.with_id(id))
    }

    /// The record with this id. Where the text has it already, it stays as it is.
    pub fn with_id(mut self, id: u64) -> Record {
        match self.id {
            Some((_, given)) if given == id => {}
            Some((at, _)) => drop(self.text.splice(at, id.to_string().into_bytes())),
            None => self.add_id(id),
        }
        Record {
            id,
            kind: self.kind,
            keys: self.keys,
            body: Body::Text(self.text.into_boxed_slice()),
            counted: None,
        }
    }

    /// Puts the id in the place of its null, or else first: the envelope has other fields in any case.
    fn add_id(&mut self, id: u64) {
        let mut reader = Reader::new(&self.text);
        reader.begin_object();
        let mut null = None;
        while let Some(key) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            null = if key.eq_str("id") { Some(value) } else { null };
        }
        let (at, text) = match null {
            Some(at) => (at, id.to_string()),
            None => (1..1, format!("\"id\":{id},")),
        };
        self.text.splice(at, text.into_bytes());
    }
}

/// What is told of a value that is no record: whether it is one of the other form, `{"Exec": {…}}` (spec 2.2).
fn say_if_native(text: &[u8], error: TranscriptError) -> TranscriptError {
    let mut reader = Reader::new(text);
    reader.begin_object();
    let is_variant = reader.next_key().is_some_and(is_capitalised);
    if is_variant && reader.begin_object() {
        let message = "is a record of the native form, which nativeToDocument converts";
        return TranscriptError::new(TranscriptCode::NativeForm, message);
    }
    error
}

/// The text without the white space around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let range = Reader::new(text).skip();
    range.and_then(|range| text.get(range)).unwrap_or_default()
}

fn kind_and_keys(name: &str, checker: &Checker<'_>, found: &Found) -> (RecordKind, Box<[Key]>) {
    // In the tables of all of these but the merged exec, the key is the first field.
    let first = || {
        let value = found[0].as_ref().map(|at| checker.slice(at));
        value.and_then(key).into_iter().collect()
    };
    match name {
        "exec" => (RecordKind::Exec, first()),
        "running_tool" | "tool_call" => (RecordKind::Tool, first()),
        "assistant_stream" => (RecordKind::Stream, first()),
        "assistant_message" => (RecordKind::Message, first()),
        "merged_exec" => {
            let segments = found[1].as_ref().map(|at| checker.slice(at));
            let keys = segment_keys(segments.unwrap_or_default());
            (RecordKind::MergedExec, keys)
        }
        _ => (RecordKind::Other, Box::default()),
    }
}

/// The call ids of the segments of a merged exec.
fn segment_keys(segments: &[u8]) -> Box<[Key]> {
    let mut keys = Vec::new();
    let mut reader = Reader::new(segments);
    reader.begin_array();
    while reader.next_item() {
        let mut call_id = None;
        reader.begin_object();
        while let Some(name) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            if name.eq_str("call_id") {
                call_id = key(segments.get(value).unwrap_or_default());
            }
        }
        keys.extend(call_id);
    }
    keys.into_boxed_slice()
}

/// The text with these secret arguments emptied; `None` if there are none.
fn without_leaks(text: &[u8], leaks: &[Range<usize>]) -> Option<Vec<u8>> {
    let mut bare = Vec::with_capacity(text.len());
    let mut from = 0;
    for leak in leaks {
        bare.extend_from_slice(text.get(from..leak.start)?);
        bare.extend_from_slice(br#"{"type":"secret"}"#);
        from = leak.end;
    }
    bare.extend_from_slice(text.get(from..)?);
    (!leaks.is_empty()).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_id(text: &str, id: u64) -> String {
        let record = Draft::read(text.as_bytes()).unwrap().with_id(id);
        String::from_utf8(record.text().into_owned()).unwrap()
    }

    fn fault(text: &str) -> String {
        let Err(error) = Draft::read(text.as_bytes()) else {
            panic!("{text} is taken");
        };
        assert_eq!(error.code.as_str(), "invalid");
        error.to_string()
    }

    #[test]
    fn only_the_id_of_a_text_changes() {
        for (text, expected) in [
            (
                r#" { "x" : 1.0, "id" : 7 ,"type":"loading","payload":{"message":"\u0061"} } "#,
                r#"{ "x" : 1.0, "id" : 7 ,"type":"loading","payload":{"message":"\u0061"} }"#,
            ),
            (
                r#"{"type":"loading","id":18446744073709551615,"payload":{ "message":"" }}"#,
                r#"{"type":"loading","id":7,"payload":{ "message":"" }}"#,
            ),
            (
                r#"{"type":"loading","payload":{"message":""},"id":null}"#,
                r#"{"type":"loading","payload":{"message":""},"id":7}"#,
            ),
            (
                r#"{ "type":"later","payload":[1e400,-0,"\ud83d"]}"#,
                r#"{"id":7, "type":"later","payload":[1e400,-0,"\ud83d"]}"#,
            ),
        ] {
            assert_eq!(with_id(text, 7), expected);
        }
    }

    #[test]
    fn a_secret_argument_keeps_nothing_but_its_type() {
        let tool = |values: [&str; 3]| {
            let arguments = values.map(|value| format!(r#"{{"name":"n","value":{value},"x":1}}"#));
            let arguments = arguments.join(", ");
            format!(
                r#"{{"id":1,"type":"tool_call","payload":{{"status":"s","title":"","arguments":[{arguments}]}}}}"#
            )
        };
        let bare = r#"{"type":"secret"}"#;
        let other = r#"{"type":"text","text":"t","y":2}"#;
        let leaking = tool([
            r#"{"type":"secret","text":"hunter2"}"#,
            other,
            r#"{"type":"text","text":"hunter2","type":"secret"}"#,
        ]);
        assert_eq!(with_id(&leaking, 1), tool([bare, other, bare]));
        let spaced = tool([r#"{ "type" : "secret" }"#, other, bare]);
        assert_eq!(with_id(&spaced, 1), spaced);
    }

    #[test]
    fn a_fault_names_its_place() {
        let span = r#"{"text":"","tone":"new","emphasis":{"bold":true,"italic":true,"dim":1,"strike":true,"underline":true}}"#;
        for (text, expected) in [
            ("[]", "must be an object"),
            (r#"{"payload":{}}"#, "type: is missing"),
            (r#"{"type":"later"}"#, "payload: is missing"),
            (r#"{"type":7,"payload":{}}"#, "type: must be a string"),
            (
                r#"{"type":"loading","payload":[]}"#,
                "payload: must be an object",
            ),
            (
                r#"{"type":"loading","payload":{"message":null}}"#,
                "payload.message: must be a string",
            ),
            (
                r#"{"id":1.0,"type":"loading","payload":{"message":""}}"#,
                "id: must be an integer from 0 to 2^64 - 1",
            ),
            (
                r#"{"type":"notice","payload":{"body":[{"kind":"a","spans":[]},{"spans":[]}]}}"#,
                "payload.body[1].kind: is missing",
            ),
            (
                &format!(
                    r#"{{"type":"notice","payload":{{"body":[{{"kind":"a","spans":[{span}]}}]}}}}"#
                ),
                "payload.body[0].spans[0].emphasis.dim: must be a boolean",
            ),
            (
                r#"{"type":"patch","payload":{"event":"new","changes":{"a/b":{"type":"add"}}}}"#,
                r#"payload.changes["a/b"].content: is missing"#,
            ),
            (
                r#"{"type":"merged_exec","payload":{"action":"read","segments":[{"id":-1}]}}"#,
                "payload.segments[0].id: must be an integer from 0 to 2^64 - 1",
            ),
            (
                r#"{"type":"assistant_message","payload":{"markdown":"","citations":[],"created_at":"today"}}"#,
                "payload.created_at: must be an RFC 3339 timestamp",
            ),
        ] {
            assert_eq!(fault(text), expected, "{text}");
        }
    }

    #[test]
    fn a_record_of_the_native_form_is_told_from_a_broken_one() {
        for (text, code) in [
            (r#"{"Loading":{"id":1,"message":""}}"#, "native_form"),
            (r#"{"Loading":1}"#, "invalid"),
            (r#"{"loading":{}}"#, "invalid"),
            ("{}", "invalid"),
        ] {
            let error = Draft::read(text.as_bytes()).err().unwrap();
            assert_eq!(error.code.as_str(), code, "{text}");
        }
    }

    #[test]
    fn what_no_table_names_is_kept() {
        for payload in [
            r#"{"type":"patch","payload":{"event":"new","changes":{"a":"delete","b":{"Update":{}},"c":{"type":"chmod"}}}}"#,
            r#"{"type":"plan_update","payload":{"name":"","icon":{"emoji":1},"progress":{"completed":18446744073709551615,"total":0},"steps":[{"description":"","status":"blocked"}]}}"#,
            r#"{"type":"explore","payload":{"entries":[{"command":[],"status":{"error":{}}},{"command":[],"cwd":null,"status":"new","summary":3}],"trailing":true}}"#,
            r#"{"type":"assistant_message","payload":{"markdown":"","citations":[],"created_at":{"unix_secs":999999999999,"nanos":1}}}"#,
            r#"{"type":"reasoning","payload":{"in_progress":true,"sections":[{"summary":[],"blocks":[{"type":"table","rows":3}]}],"hide_when_collapsed":false,"effort":"huge"}}"#,
        ] {
            assert_eq!(with_id(payload, 1), payload.replacen('{', r#"{"id":1,"#, 1));
        }
    }
}
