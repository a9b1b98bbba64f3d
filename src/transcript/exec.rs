//! Execs: start, output, waits, finish (spec 3-transcript.md, 3.3).

use std::borrow::Cow;

use super::apply::position;
use super::chunks;
use super::error::{TranscriptCode, TranscriptError};
use super::lookup::key;
use super::millis;
use super::mutation::Mutation;
use super::object::{self, Object};
use super::open::{Open, STDERR, STDOUT};
use super::pieces::{CHUNK_NAMES, Pieces, fields};
use super::record::{Body, Draft, RecordKind};
use super::schema::{CHUNK, COMMAND, ENVIRONMENT, PARSED, TEXTS, WAIT_NOTES};
use super::shape::Shape::{Bool, Duration, Integer, Millis, Natural, Text, Time, Word};
use super::shape::{Field, invalid, natural, optional, required, values};
use super::state::HistoryState;
use crate::json::Reader;

static START: [Field; 9] = [
    required("index", Natural),
    optional("call_id", Text),
    required("command", COMMAND),
    required("parsed", PARSED),
    required("action", Word),
    required("started_at", Time),
    optional("working_dir", Text),
    optional("env", ENVIRONMENT),
    optional("tags", TEXTS),
];

static UPDATE_STREAM: [Field; 3] = [
    required("index", Natural),
    optional("stdout_chunk", CHUNK),
    optional("stderr_chunk", CHUNK),
];

/// A duration is `…_ms`, a number, as in a record; or ISO 8601 text (or such a number) under the name without `_ms`. The
/// record's own names are taken too.
static UPDATE_WAIT: [Field; 8] = [
    required("index", Natural),
    required("wait_active", Bool),
    optional("total_wait", Duration),
    optional("wait_total", Duration),
    optional("total_wait_ms", Millis),
    optional("wait_total_ms", Millis),
    optional("notes", WAIT_NOTES),
    optional("wait_notes", WAIT_NOTES),
];

static FINISH: [Field; 11] = [
    optional("id", Natural),
    optional("call_id", Text),
    required("status", Word),
    optional("exit_code", Integer),
    optional("completed_at", Time),
    optional("stdout_tail", Text),
    optional("stderr_tail", Text),
    optional("wait_total", Duration),
    optional("wait_total_ms", Millis),
    required("wait_active", Bool),
    required("wait_notes", WAIT_NOTES),
];

/// A chunk of an event: its JSON text, its offset and its text in WTF-8.
struct Chunk<'a> {
    json: Cow<'a, [u8]>,
    offset: u64,
    content: Cow<'a, [u8]>,
}

impl<'a> Chunk<'a> {
    fn read(json: &'a [u8]) -> Self {
        let (offset, content) = fields(json, &CHUNK_NAMES);
        Self {
            json: Cow::Borrowed(json),
            offset: offset.unwrap_or_default(),
            content: content.map(|content| content.to_wtf8()).unwrap_or_default(),
        }
    }

    /// A string behind the end of a stream; nothing for an empty one.
    fn tail(string: Option<&'a [u8]>, stream: &Pieces) -> Option<Self> {
        let content = Reader::new(string?).string()?;
        let offset = stream.end();
        let number = offset.to_string();
        let members = [("offset", Some(number.as_bytes())), ("content", string)];
        (!content.is_empty()).then(|| Self {
            json: Cow::Owned(object::written(&members)),
            offset,
            content: content.to_wtf8(),
        })
    }
}

impl HistoryState {
    pub(super) fn start_exec(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [
            index,
            call_id,
            command,
            parsed,
            action,
            started_at,
            working_dir,
            env,
            tags,
        ] = values(event, &START)?;
        let empty = Some(&b"[]"[..]);
        let mut payload = vec![
            ("call_id", call_id),
            ("command", command),
            ("parsed", parsed),
            ("action", action),
            ("status", Some(br#""running""#)),
            ("stdout_chunks", empty),
            ("stderr_chunks", empty),
            ("exit_code", None),
            ("wait_total_ms", None),
            ("wait_active", Some(b"false")),
            ("wait_notes", empty),
            ("started_at", started_at),
            ("completed_at", None),
        ];
        // Extensions of the document's form stand only where there is something to say.
        let extensions = [("working_dir", working_dir), ("env", env), ("tags", tags)];
        payload.extend(
            extensions
                .into_iter()
                .filter(|(_, value)| value.is_some_and(|value| !is_empty_list(value))),
        );
        let draft = Draft::read(&object::record("exec", &payload))?;
        Ok(self.insert_clamped(position(index), draft))
    }

    pub(super) fn update_exec_stream(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [index, stdout, stderr] = values(event, &UPDATE_STREAM)?;
        let index = position(index);
        let Some(record) = self.records.get(index) else {
            return Ok(Mutation::Noop);
        };
        // An exec that is text is taken apart for a look: if a chunk is refused, it stays the text it was.
        let fresh;
        let open = match &record.body {
            _ if record.kind != RecordKind::Exec => return Ok(Mutation::Noop),
            Body::Open(open) => open,
            Body::Text(text) => {
                fresh = Box::new(Open::read(text, record.kind));
                &fresh
            }
        };
        let chunks = [stdout, stderr].map(|chunk| chunk.map(Chunk::read));
        let names = ["stdout_chunk", "stderr_chunk"];
        for ((stream, chunk), name) in open.streams.iter().zip(&chunks).zip(names) {
            if let Some(chunk) = chunk
                && !chunks::is_writable_at(stream, chunk.offset)
            {
                let message = "lies inside a character of the output that is there";
                let error = TranscriptError::new(TranscriptCode::Offset, message);
                return Err(error.in_member("offset").in_member(name));
            }
        }
        self.write_chunks(index, chunks);
        Ok(self.replaced(index))
    }

    pub(super) fn update_exec_wait(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [
            index,
            wait_active,
            total_wait,
            wait_total,
            total_wait_ms,
            wait_total_ms,
            notes,
            wait_notes,
        ] = values(event, &UPDATE_WAIT)?;
        let Some(notes) = notes.or(wait_notes) else {
            return Err(invalid("is missing").in_member("notes"));
        };
        let total = total_wait
            .or(wait_total)
            .or(total_wait_ms)
            .or(wait_total_ms);
        let index = position(index);
        let Some(open) = self.exec_at(index) else {
            return Ok(Mutation::Noop);
        };
        set_wait(&mut open.payload, total, wait_active, notes);
        Ok(self.replaced(index))
    }

    pub(super) fn finish_exec(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [
            id,
            call_id,
            status,
            exit_code,
            completed_at,
            stdout_tail,
            stderr_tail,
            wait_total,
            wait_total_ms,
            wait_active,
            wait_notes,
        ] = values(event, &FINISH)?;
        let by_id = id.and_then(natural).and_then(|id| self.index_of(id));
        let index = by_id.or_else(|| {
            let id = self.lookups.exec.get(&key(call_id?)?)?;
            self.index_of(id)
        });
        let Some((index, open)) = index.and_then(|index| Some((index, self.exec_at(index)?)))
        else {
            return Ok(Mutation::Noop);
        };
        let payload = &mut open.payload;
        for (name, value) in [
            ("status", status),
            ("exit_code", exit_code),
            ("completed_at", completed_at),
        ] {
            payload.set(name, value.unwrap_or(b"null"));
        }
        let notes = wait_notes.unwrap_or(b"[]");
        set_wait(payload, wait_total.or(wait_total_ms), wait_active, notes);
        let tails = [
            Chunk::tail(stdout_tail, &open.streams[STDOUT]),
            Chunk::tail(stderr_tail, &open.streams[STDERR]),
        ];
        self.write_chunks(index, tails);
        Ok(self.replaced(index))
    }

    /// Writes chunks that cut through no character to stdout and stderr, and applies the memory limits.
    fn write_chunks(&mut self, index: usize, chunks: [Option<Chunk<'_>>; 2]) {
        let Some(open) = self.exec_at(index) else {
            return;
        };
        let mut added = 0;
        for (stream, chunk) in open.streams.iter_mut().zip(&chunks) {
            if let Some(chunk) = chunk {
                chunks::write_at(stream, &chunk.json, chunk.offset, &chunk.content);
                chunks::keep_newest(stream, chunks::STREAM_LIMIT);
                added += chunk.content.len() as u64;
            }
        }
        self.exec_bytes += added;
        self.limit_execs(chunks::ALL_STREAMS_LIMIT, chunks::STREAM_FLOOR);
    }

    /// The exec at a position, to be edited; a merged one is none.
    pub(super) fn exec_at(&mut self, index: usize) -> Option<&mut Open> {
        let record = self.records.get_mut(index)?;
        (record.kind == RecordKind::Exec).then(|| record.open())
    }
}

/// Sets all that a record says of waiting. A total that whole milliseconds cannot hold stands beside them as it was given.
fn set_wait(payload: &mut Object, total: Option<&[u8]>, active: Option<&[u8]>, notes: &[u8]) {
    let mut whole = Vec::new();
    let is_finer = match total.and_then(millis::read_or_iso) {
        Some(span) => millis::write(&mut whole, span),
        None => {
            whole.extend_from_slice(b"null");
            false
        }
    };
    payload.set("wait_total_ms", &whole);
    match total.filter(|_| is_finer) {
        Some(total) => payload.set("wait_total", total),
        None => payload.remove("wait_total"),
    }
    payload.set("wait_active", active.unwrap_or(b"false"));
    payload.set("wait_notes", notes);
}

fn is_empty_list(value: &[u8]) -> bool {
    let mut reader = Reader::new(value);
    reader.begin_array() && !reader.next_item()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::time::UnixTime;

    const NOW: UnixTime = UnixTime { secs: 0, nanos: 0 };

    fn apply(state: &mut HistoryState, event: &str) -> String {
        let mutation = state.apply(event.as_bytes(), NOW).unwrap();
        String::from_utf8(mutation.text(state)).unwrap()
    }

    fn with_exec() -> HistoryState {
        let mut state = HistoryState::default();
        let start = r#"{"type":"start_exec","index":9,"call_id":"c","command":["ls"],"parsed":[],"action":"list","started_at":"2026-01-02T03:04:05Z","env":[],"tags":["t"]}"#;
        let expected = r#"{"type":"inserted","index":0,"id":1,"record":{"id":1,"type":"exec","payload":{"call_id":"c","command":["ls"],"parsed":[],"action":"list","status":"running","stdout_chunks":[],"stderr_chunks":[],"exit_code":null,"wait_total_ms":null,"wait_active":false,"wait_notes":[],"started_at":"2026-01-02T03:04:05Z","completed_at":null,"tags":["t"]}}}"#;
        assert_eq!(apply(&mut state, start), expected);
        state
    }

    fn chunks(stdout: &str, stderr: &str) -> String {
        format!(
            r#"{{"type":"update_exec_stream","index":0,"stdout_chunk":{stdout},"stderr_chunk":{stderr}}}"#
        )
    }

    #[test]
    fn a_chunk_that_is_refused_leaves_the_other_stream_as_it_was() {
        let mut state = with_exec();
        let first = chunks(
            r#"{"offset":0,"content":"a"}"#,
            r#"{"offset":0,"content":"é"}"#,
        );
        apply(&mut state, &first);
        let before = state.snapshot();
        let second = chunks(
            r#"{"offset":1,"content":"b"}"#,
            r#"{"offset":1,"content":"x"}"#,
        );
        let error = state.apply(second.as_bytes(), NOW).unwrap_err();
        assert_eq!(error.code.as_str(), "offset");
        assert_eq!(error.path, "stderr_chunk.offset");
        assert_eq!(state.snapshot(), before);
    }

    #[test]
    fn what_was_refused_has_not_even_respelled_the_record() {
        let mut state = HistoryState::default();
        let exec = r#"{"id":1,"type":"exec","payload":{ "command":[],"parsed":[],"action":"run","status":"running","stdout_chunks":[ { "offset":0,"content":"\u00e9" } ],"stderr_chunks":[],"wait_active":false,"wait_notes":[],"started_at":"2026-01-02T03:04:05Z" }}"#;
        state.push(exec.as_bytes()).unwrap();
        let inside = chunks(r#"{"offset":1,"content":""}"#, "null");
        assert!(state.apply(inside.as_bytes(), NOW).is_err());
        assert_eq!(&*state.get(0).unwrap().text(), exec.as_bytes());
    }

    #[test]
    fn a_wait_is_whole_milliseconds_and_finer_ones_keep_their_text() {
        let mut state = with_exec();
        for (given, expected) in [
            (r#""total_wait_ms":1500"#, r#""wait_total_ms":1500,"#),
            (r#""wait_total":"PT1.5S""#, r#""wait_total_ms":1500,"#),
            (r#""total_wait":"PT0.00075S""#, r#""wait_total_ms":0,"#),
            (
                r#""total_wait_ms":18446744073709551615999"#,
                r#""wait_total_ms":18446744073709551615999,"#,
            ),
            (r#""total_wait":null"#, r#""wait_total_ms":null,"#),
        ] {
            let event = format!(
                r#"{{"type":"update_exec_wait","index":0,{given},"wait_active":true,"notes":[]}}"#
            );
            let mutation = apply(&mut state, &event);
            assert!(mutation.contains(expected), "{mutation}");
            let has_text = mutation.contains(r#""wait_total":"PT0.00075S""#);
            assert_eq!(has_text, given.contains("00075"), "{mutation}");
        }
    }

    #[test]
    fn unknown_fields_live_through_every_change() {
        let mut state = HistoryState::default();
        let exec = r#"{"later":{ },"id":1,"type":"exec","payload":{"x":1.10,"call_id":"c","command":[],"parsed":[],"action":"new","status":"new","stdout_chunks":[ {"offset":0,"y":[ ],"content":"a"} ],"stderr_chunks":[],"wait_active":false,"wait_notes":[],"started_at":"2026-01-02T03:04:05Z","z":null},"last":0}"#;
        state.push(exec.as_bytes()).unwrap();
        apply(
            &mut state,
            &chunks(r#"{"offset":1,"content":"b\n"}"#, "null"),
        );
        let finish = r#"{"type":"finish_exec","call_id":"c","status":"success","exit_code":-1,"stderr_tail":"e","wait_active":false,"wait_notes":[ {"message":"","tone":"","timestamp":"2026-01-02T03:04:05Z","n":0} ]}"#;
        let expected = r#"{"type":"replaced","index":0,"id":1,"record":{"later":{ },"id":1,"type":"exec","payload":{"x":1.10,"call_id":"c","command":[],"parsed":[],"action":"new","status":"success","stdout_chunks":[{"offset":0,"y":[ ],"content":"ab\n"}],"stderr_chunks":[{"offset":0,"content":"e"}],"wait_active":false,"wait_notes":[ {"message":"","tone":"","timestamp":"2026-01-02T03:04:05Z","n":0} ],"started_at":"2026-01-02T03:04:05Z","z":null,"exit_code":-1,"completed_at":null,"wait_total_ms":null},"last":0}}"#;
        assert_eq!(apply(&mut state, finish), expected);
    }

    #[test]
    fn an_id_that_is_no_exec_does_not_fall_back_to_the_call_id() {
        let mut state = with_exec();
        state.push(br#"{"type":"later","payload":0}"#).unwrap();
        for (id, expected) in [("2", r#"{"type":"noop"}"#), ("7", r#"{"type":"replaced""#)] {
            let event = format!(
                r#"{{"type":"finish_exec","id":{id},"call_id":"c","status":"error","wait_active":false,"wait_notes":[]}}"#
            );
            assert!(apply(&mut state, &event).starts_with(expected), "{id}");
        }
    }
}
