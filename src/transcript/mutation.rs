//! What an event did to the transcript.

use super::record::Record;
use super::state::HistoryState;

/// The change that an event made. The record it concerns is looked up when somebody wants it, and not copied before.
#[derive(Debug)]
pub enum Mutation {
    /// A record came in.
    Inserted {
        /// Its position.
        index: usize,
        /// Its id.
        id: u64,
    },
    /// A record is another than before, under the same id.
    Replaced {
        /// Its position.
        index: usize,
        /// Its id.
        id: u64,
    },
    /// A record was taken out.
    Removed {
        /// The position it had.
        index: usize,
        /// The record.
        record: Record,
    },
    /// Nothing changed.
    Noop,
}

impl Mutation {
    /// Its JSON text, `{type, index, id, record}` or `{type: "noop"}`, with the record as it now is: to be called before the
    /// next change of the state that gave it.
    pub fn text(&self, state: &HistoryState) -> Vec<u8> {
        let (name, index, id, record) = match self {
            Self::Inserted { index, id } => ("inserted", *index, *id, state.get(*index)),
            Self::Replaced { index, id } => ("replaced", *index, *id, state.get(*index)),
            Self::Removed { index, record } => ("removed", *index, record.id(), Some(record)),
            Self::Noop => return br#"{"type":"noop"}"#.to_vec(),
        };
        let head = format!("{{\"type\":\"{name}\",\"index\":{index},\"id\":{id},\"record\":");
        let mut out = head.into_bytes();
        match record {
            Some(record) => record.write(&mut out),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
        out
    }
}
