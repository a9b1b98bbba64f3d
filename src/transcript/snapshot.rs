//! Snapshots: the whole state as one JSON text (spec 3-transcript.md, 1.5 and 3.6).

use super::error::TranscriptError;
use super::lookup::{Lookup, Lookups, sorted};
use super::record::{Draft, Record, RecordKind};
use super::shape::Shape::{Any, Natural};
use super::shape::{Field, invalid, natural, optional, required, values};
use super::state::HistoryState;
use crate::json::{Reader, check_grammar};
use core::ops::Range;

/// The fields of a snapshot. `order` and `order_debug` are the application's: no snapshot of ours has them. The last one is
/// read and written by whoever draws a session ([`of_session`](super::of_session)).
static SNAPSHOT: [Field; 8] = [
    required("records", Any),
    required("next_id", Natural),
    optional("exec_call_lookup", Any),
    optional("tool_call_lookup", Any),
    optional("stream_lookup", Any),
    optional("order", Any),
    optional("order_debug", Any),
    optional("session_view", Any),
];

impl HistoryState {
    /// The state as a snapshot. Fields of the restored one that no rule names come last; `order` and `order_debug` belong
    /// to the application and are not kept.
    pub fn snapshot(&self) -> Vec<u8> {
        self.snapshot_of(0..self.len())
    }

    /// The snapshot with these records alone; positions beyond the end are none.
    pub fn snapshot_of(&self, records: Range<usize>) -> Vec<u8> {
        let mut out = br#"{"records":["#.to_vec();
        let from = records.start;
        for index in records.start..records.end.min(self.len()) {
            if index > from {
                out.push(b',');
            }
            if let Some(record) = self.get(index) {
                record.write(&mut out);
            }
        }
        out.extend_from_slice(b"],\"next_id\":");
        out.extend_from_slice(self.next_id.to_string().as_bytes());
        for (name, lookup) in [
            (&b",\"exec_call_lookup\":"[..], &self.lookups.exec),
            (b",\"tool_call_lookup\":", &self.lookups.tool),
            (b",\"stream_lookup\":", &self.lookups.stream),
        ] {
            out.extend_from_slice(name);
            lookup.write(&mut out);
        }
        out.extend_from_slice(&self.extensions);
        out.push(b'}');
        out
    }

    /// Replaces the whole state by that of a snapshot.
    ///
    /// Of messages with the same stream id only the first comes back. Ids, the next id and the lookups are taken as they are;
    /// only if all three lookups are empty (or missing) they are made anew from the records. No memory limit is applied.
    ///
    /// # Errors
    /// `not_json`, or `invalid` with the path in the snapshot. The state is then as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), TranscriptError> {
        check_grammar(snapshot)?;
        let [records, next_id, exec, tool, stream, ..] = values(snapshot, &SNAPSHOT)?;
        let records = read_records(records.unwrap_or_default())?;
        let mut lookups = Lookups {
            exec: read_lookup("exec_call_lookup", exec)?,
            tool: read_lookup("tool_call_lookup", tool)?,
            stream: read_lookup("stream_lookup", stream)?,
        };
        let keep = first_messages(&records);
        let mut state = Self {
            next_id: next_id.and_then(natural).unwrap_or(1),
            extensions: unknown_fields(snapshot),
            ..Self::default()
        };
        for (record, _) in records.into_iter().zip(keep).filter(|(_, keep)| *keep) {
            state.count_exec(&record);
            state.records.insert(state.records.len(), record);
        }
        if lookups.exec.is_empty() && lookups.tool.is_empty() && lookups.stream.is_empty() {
            lookups = Lookups::of_records(state.records.as_slice().iter());
        }
        state.lookups = lookups;
        *self = state;
        Ok(())
    }
}

fn read_records(list: &[u8]) -> Result<Vec<Record>, TranscriptError> {
    let mut reader = Reader::new(list);
    if !reader.begin_array() {
        return Err(invalid("must be an array").in_member("records"));
    }
    let mut records = Vec::new();
    while reader.next_item()
        && let Some(value) = reader.skip()
    {
        let record = Draft::read_with_id(list.get(value).unwrap_or_default());
        records.push(record.map_err(|error| error.in_item(records.len()).in_member("records"))?);
    }
    Ok(records)
}

fn read_lookup(name: &str, text: Option<&[u8]>) -> Result<Lookup, TranscriptError> {
    text.map_or(Ok(Lookup::default()), Lookup::read)
        .map_err(|error| error.in_member(name))
}

/// For each record whether it stays: all but messages whose stream id an earlier message has.
fn first_messages(records: &[Record]) -> Vec<bool> {
    let mut keep = vec![true; records.len()];
    let messages = (0..).zip(records);
    let messages = messages.filter(|(_, record)| record.kind == RecordKind::Message);
    let keyed = messages.flat_map(|(at, record)| {
        let keys = record.keys.iter();
        keys.map(move |key| (key.clone(), at, 0))
    });
    let keyed = sorted(keyed.collect());
    for pair in keyed.windows(2) {
        if let [(first, ..), (second, at, _)] = pair
            && first == second
            && let Some(keep) = keep.get_mut(*at as usize)
        {
            *keep = false;
        }
    }
    keep
}

/// The fields of a snapshot that no rule names, each with a comma before it.
fn unknown_fields(snapshot: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut reader = Reader::new(snapshot);
    reader.begin_object();
    while let Some(name) = reader.next_key()
        && let Some(value) = reader.skip()
    {
        if !SNAPSHOT.iter().any(|field| name.eq_str(field.name())) {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(name.escaped());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(snapshot.get(value).unwrap_or_default());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64, stream_id: &str) -> String {
        format!(
            r#"{{"id":{id},"type":"assistant_message","payload":{{"stream_id":{stream_id},"markdown":"","citations":[],"created_at":"2026-01-02T03:04:05Z"}}}}"#
        )
    }

    fn tool(id: u64) -> String {
        format!(
            r#"{{"id":{id},"type":"running_tool","payload":{{"call_id":"b","title":"","started_at":"2026-01-02T03:04:05Z","arguments":[],"wait_has_target":false,"wait_has_call_id":false}}}}"#
        )
    }

    fn restored(snapshot: &str) -> String {
        let mut state = HistoryState::default();
        state.restore(snapshot.as_bytes()).unwrap();
        String::from_utf8(state.snapshot()).unwrap()
    }

    #[test]
    fn an_empty_state_is_the_five_fields_of_the_document() {
        let empty = r#"{"records":[],"next_id":1,"exec_call_lookup":{},"tool_call_lookup":{},"stream_lookup":{}}"#;
        assert_eq!(HistoryState::default().snapshot(), empty.as_bytes());
        assert_eq!(restored(r#" {"next_id":1,"records":[ ]} "#), empty);
    }

    #[test]
    fn records_and_unknown_fields_come_back_byte_for_byte() {
        let unknown =
            r#"{ "id": 18446744073709551615, "x":[ 1.10 ],"type":"later","payload":null }"#;
        let lookups = r#""exec_call_lookup":{"10":1,"9":18446744073709551615},"tool_call_lookup":{},"stream_lookup":{}"#;
        let expected =
            format!(r#"{{"records":[{unknown}],"next_id":3,{lookups},"later":{{ "a":1e400}}}}"#);
        let given = format!(
            r#"{{"later":{{ "a":1e400}},"order":[],"records":[ {unknown} ],"order_debug":[null],"next_id":3,"exec_call_lookup":{{"9":18446744073709551615,"10":7,"10":1}}}}"#
        );
        assert_eq!(restored(&given), expected);
        assert_eq!(restored(&expected), expected);
    }

    #[test]
    fn later_messages_of_a_stream_are_dropped() {
        let messages = [
            message(1, r#""s""#),
            message(2, "null"),
            message(3, r#""\u0073""#),
            message(4, "null"),
            message(5, r#""""#),
            message(6, r#""s""#),
        ];
        let snapshot = format!(r#"{{"records":[{}],"next_id":7}}"#, messages.join(","));
        let kept = [0, 1, 3, 4].map(|at| messages[at].as_str());
        assert!(restored(&snapshot).starts_with(&format!(r#"{{"records":[{}]"#, kept.join(","))));
    }

    #[test]
    fn lookups_are_made_anew_only_if_all_are_empty() {
        let records = [tool(1), tool(2)].join(",");
        let snapshot = |lookup: &str| format!(r#"{{"records":[{records}],"next_id":3,{lookup}}}"#);
        let made = restored(&snapshot(r#""stream_lookup":null"#));
        assert!(made.contains(r#""tool_call_lookup":{"b":2}"#), "{made}");
        let given = restored(&snapshot(r#""stream_lookup":{"gone":9}"#));
        assert!(
            given.contains(r#""tool_call_lookup":{},"stream_lookup":{"gone":9}"#),
            "{given}"
        );
    }

    #[test]
    fn a_refused_snapshot_changes_nothing_and_its_fault_has_a_path() {
        let mut state = HistoryState::default();
        state.push(br#"{"type":"later","payload":0}"#).unwrap();
        let before = state.snapshot();
        for (snapshot, expected) in [
            (r#"{"records":[]}"#, "next_id: is missing"),
            (r#"{"records":{},"next_id":1}"#, "records: must be an array"),
            (
                r#"{"records":[{"id":1,"type":"x","payload":0},{"id":null,"type":"x","payload":0}],"next_id":1}"#,
                "records[1].id: is missing",
            ),
            (
                r#"{"records":[],"next_id":1,"stream_lookup":{"a":null}}"#,
                r#"stream_lookup["a"]: must be an integer from 0 to 2^64 - 1"#,
            ),
        ] {
            let error = state.restore(snapshot.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert_eq!(state.snapshot(), before);
        }
        assert_eq!(state.restore(b"[").unwrap_err().code.as_str(), "not_json");
    }
}
