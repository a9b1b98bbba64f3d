//! Snapshots: the whole state as one JSON text (spec 3-transcript.md, 1.5 and 3.6).

use super::error::TranscriptError;
use super::lookup::{Lookup, Lookups, sorted};
use super::record::{Draft, Record, RecordKind};
use super::shape::Shape::{Any, Natural};
use super::shape::{Field, invalid, natural, optional, required, values};
use super::state::HistoryState;
use crate::json::{Reader, check_grammar};

/// The fields of a snapshot. The last two are the application's: no snapshot of ours has them.
static SNAPSHOT: [Field; 7] = [
    required("records", Any),
    required("next_id", Natural),
    optional("exec_call_lookup", Any),
    optional("tool_call_lookup", Any),
    optional("stream_lookup", Any),
    optional("order", Any),
    optional("order_debug", Any),
];

impl HistoryState {
    /// The state as a snapshot. Fields of the restored one that no rule names come last; `order` and `order_debug` belong
    /// to the application and are not kept.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = br#"{"records":["#.to_vec();
        for (index, record) in self.records.as_slice().iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            record.write(&mut out);
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
