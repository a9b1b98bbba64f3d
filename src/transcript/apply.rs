//! The domain events in the document's spelling (spec 3-transcript.md, 3.2 to 3.4).

use super::error::TranscriptError;
use super::mutation::Mutation;
use super::record::Draft;
use super::shape::Shape::{Any, Natural, Text};
use super::shape::{Field, invalid, natural, required, values};
use super::state::HistoryState;
use super::time::UnixTime;
use crate::json::{Reader, check_grammar};

static EVENT: [Field; 1] = [required("type", Text)];
static PLACE: [Field; 1] = [required("index", Natural)];
static PLACED: [Field; 2] = [required("index", Natural), required("record", Any)];

impl HistoryState {
    /// Applies a domain event, `{type, …}` with the type `insert`, `replace`, `remove`, `start_exec`, `update_exec_stream`,
    /// `update_exec_wait`, `finish_exec` or `upsert_assistant_stream`.
    ///
    /// `now` is what the clock says; only `upsert_assistant_stream` uses it. Unknown fields of an event are ignored, those of
    /// what it brings are kept.
    ///
    /// # Errors
    /// `not_json`; `invalid` with the path in the event, also for an unknown type; `offset` for a chunk of output that would cut
    /// through a character (the reference panics). The state is then as it was.
    pub fn apply(&mut self, event: &[u8], now: UnixTime) -> Result<Mutation, TranscriptError> {
        check_grammar(event)?;
        let [kind] = values(event, &EVENT)?;
        let kind = kind.and_then(|kind| Reader::new(kind).string());
        match &*kind.map(|kind| kind.to_wtf8()).unwrap_or_default() {
            b"insert" => self.apply_insert(event),
            b"replace" => self.apply_replace(event),
            b"remove" => self.apply_remove(event),
            b"start_exec" => self.start_exec(event),
            b"update_exec_stream" => self.update_exec_stream(event),
            b"update_exec_wait" => self.update_exec_wait(event),
            b"finish_exec" => self.finish_exec(event),
            b"upsert_assistant_stream" => self.upsert(event, now),
            _ => Err(invalid("is no event of a transcript").in_member("type")),
        }
    }

    fn apply_insert(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [index, record] = values(event, &PLACED)?;
        let draft = read_record(record)?;
        Ok(self.insert_clamped(position(index), draft))
    }

    fn apply_replace(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [index, record] = values(event, &PLACED)?;
        let draft = read_record(record)?;
        let index = position(index);
        let Some(old) = self.replace_draft(index, draft) else {
            return Ok(Mutation::Noop);
        };
        self.lookups.unregister(&old);
        Ok(self.replaced(index))
    }

    fn apply_remove(&mut self, event: &[u8]) -> Result<Mutation, TranscriptError> {
        let [index] = values(event, &PLACE)?;
        let index = position(index);
        let removed = self.remove(index);
        Ok(removed.map_or(Mutation::Noop, |record| Mutation::Removed { index, record }))
    }

    /// Inserts a checked record; an index beyond the end means the end.
    pub(super) fn insert_clamped(&mut self, index: usize, draft: Draft) -> Mutation {
        let index = index.min(self.len());
        let id = self.insert_draft(index, draft);
        Mutation::Inserted { index, id }
    }

    /// Registers a record that was changed: it takes its keys back from rivals, as any replacement does.
    pub(super) fn replaced(&mut self, index: usize) -> Mutation {
        let Some(record) = self.records.get(index) else {
            return Mutation::Noop;
        };
        self.lookups.register(record);
        let id = record.id();
        Mutation::Replaced { index, id }
    }
}

fn read_record(record: Option<&[u8]>) -> Result<Draft, TranscriptError> {
    Draft::read(record.unwrap_or_default()).map_err(|error| error.in_member("record"))
}

/// An index that was checked to be an integer. One that no memory can hold is as good as the highest.
pub(super) fn position(index: Option<&[u8]>) -> usize {
    let index = index.and_then(natural).unwrap_or(u64::MAX);
    usize::try_from(index).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixTime = UnixTime { secs: 0, nanos: 0 };

    #[test]
    fn events_that_are_none_are_refused() {
        let mut state = HistoryState::default();
        for (event, path) in [
            (r#"{"type":"start"}"#, "type"),
            (r#"{"index":0}"#, "type"),
            (r#"{"type":"remove","index":-1}"#, "index"),
            (
                r#"{"type":"insert","index":0,"record":{"type":"exec","payload":{}}}"#,
                "record.payload.command",
            ),
            (
                r#"{"type":"update_exec_wait","index":0,"wait_active":true}"#,
                "notes",
            ),
        ] {
            assert_eq!(state.apply(event.as_bytes(), NOW).unwrap_err().path, path);
        }
    }
}
