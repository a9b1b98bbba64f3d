//! The state of a transcript and its basic operations (spec 3-transcript.md, 3.1, 3.2 and 3.5).

use super::error::{TranscriptCode, TranscriptError};
use super::list::RecordList;
use super::lookup::{Lookup, Lookups, key};
use super::record::{Draft, Record};
use crate::json::check_grammar;

/// An ordered list of records with ids, and the lookups from call ids and stream ids to them.
///
/// Records are document-form JSON texts. An operation that is refused has changed nothing. Texts that come in need not be
/// checked before, and may hold numbers that no JavaScript number can (see [`has_unsafe_integer`](super::has_unsafe_integer)).
#[derive(Clone, Debug)]
pub struct HistoryState {
    pub(super) records: RecordList,
    pub(super) next_id: u64,
    pub(super) lookups: Lookups,
    /// Unknown fields of the snapshot restored last, as `,"name":value`.
    pub(super) extensions: Vec<u8>,
    /// No less than the bytes of text in all streams of execs.
    pub(super) exec_bytes: u64,
}

impl Default for HistoryState {
    fn default() -> Self {
        Self {
            records: RecordList::default(),
            next_id: 1,
            lookups: Lookups::default(),
            extensions: Vec::new(),
            exec_bytes: 0,
        }
    }
}

impl HistoryState {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id that the next new record gets.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// The record at a position.
    pub fn get(&self, index: usize) -> Option<&Record> {
        self.records.get(index)
    }

    /// The record with an id, of several the last.
    pub fn record(&self, id: u64) -> Option<&Record> {
        self.get(self.index_of(id)?)
    }

    /// The position of an id, of several the last. 0 is no id and nowhere.
    pub fn index_of(&self, id: u64) -> Option<usize> {
        self.records.position(id)
    }

    /// What the exec lookup has for a call id, given as a JSON string.
    pub fn exec_call(&self, call_id: &[u8]) -> Option<u64> {
        look_up(&self.lookups.exec, call_id)
    }

    /// What the tool lookup has for a call id, given as a JSON string.
    pub fn tool_call(&self, call_id: &[u8]) -> Option<u64> {
        look_up(&self.lookups.tool, call_id)
    }

    /// What the stream lookup has for a stream id, given as a JSON string.
    pub fn stream(&self, stream_id: &[u8]) -> Option<u64> {
        look_up(&self.lookups.stream, stream_id)
    }

    /// Adds a record at the end and gives its id; one in the text is ignored.
    ///
    /// # Errors
    /// `not_json`, or `invalid` with the path in the record.
    pub fn push(&mut self, record: &[u8]) -> Result<u64, TranscriptError> {
        self.insert(self.len(), record)
    }

    /// Inserts a record before the one at `index` and gives its id; one in the text is ignored.
    ///
    /// # Errors
    /// `index` where that is beyond the end, and no id is used up (the reference panics, and has used one); else as
    /// [`push`](Self::push).
    pub fn insert(&mut self, index: usize, record: &[u8]) -> Result<u64, TranscriptError> {
        if index > self.len() {
            let message = format!("{index} is beyond the end, which is {}", self.len());
            return Err(TranscriptError::new(TranscriptCode::Index, message));
        }
        check_grammar(record)?;
        let draft = Draft::read(record)?;
        Ok(self.insert_draft(index, draft))
    }

    /// Takes out the record at a position.
    pub fn remove(&mut self, index: usize) -> Option<Record> {
        let record = self.records.remove(index)?;
        self.lookups.unregister(&record);
        Some(record)
    }

    /// Puts a record in the place of another, which keeps its id, without telling the lookups: they go on with the keys that the
    /// old one had. False where there is no such position. (The direct access of 3.2.)
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn overwrite(&mut self, index: usize, record: &[u8]) -> Result<bool, TranscriptError> {
        check_grammar(record)?;
        let draft = Draft::read(record)?;
        Ok(self.replace_draft(index, draft).is_some())
    }

    /// Takes out all records behind the one with this id, and gives them; all there are for id 0. Nothing for an id that
    /// is not there.
    ///
    /// The next id is then one more than the highest that is left: ids are given again.
    pub fn truncate_after(&mut self, id: u64) -> Vec<Record> {
        let from = if id == 0 {
            0
        } else {
            match self.index_of(id) {
                Some(index) if index + 1 < self.len() => index + 1,
                _ => return Vec::new(),
            }
        };
        let removed = self.records.split_off(from);
        for record in &removed {
            self.lookups.unregister(record);
        }
        if id == 0 {
            self.lookups = Lookups::default();
        }
        let highest = self.records.as_slice().iter().map(Record::id).max();
        self.next_id = highest.unwrap_or_default().saturating_add(1);
        removed
    }

    /// Gives a checked record the next id and its place, which is no more than the length.
    pub(super) fn insert_draft(&mut self, index: usize, draft: Draft) -> u64 {
        let id = self.next_id;
        // The counter stays at its end, and then ids repeat.
        self.next_id = id.saturating_add(1);
        let record = draft.with_id(id);
        self.count_exec(&record);
        self.lookups.register(&record);
        self.records.insert(index, record);
        id
    }

    /// Puts a checked record in the place of another under the same id, and gives the old one.
    pub(super) fn replace_draft(&mut self, index: usize, draft: Draft) -> Option<Record> {
        let record = draft.with_id(self.get(index)?.id());
        self.count_exec(&record);
        self.records.replace(index, record)
    }
}

fn look_up(lookup: &Lookup, string: &[u8]) -> Option<u64> {
    lookup.get(&key(string)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loading(message: &str) -> Vec<u8> {
        format!(r#"{{"type":"loading","payload":{{"message":"{message}"}}}}"#).into_bytes()
    }

    fn tool(call_id: &str) -> Vec<u8> {
        format!(
            r#"{{"type":"tool_call","payload":{{"call_id":"{call_id}","status":"success","title":"","arguments":[]}}}}"#
        )
        .into_bytes()
    }

    fn ids(state: &HistoryState) -> Vec<u64> {
        state.records.as_slice().iter().map(Record::id).collect()
    }

    #[test]
    fn an_insertion_beyond_the_end_uses_no_id() {
        let mut state = HistoryState::default();
        let error = state.insert(1, &loading("")).unwrap_err();
        assert_eq!(error.code, TranscriptCode::Index);
        assert_eq!(state.next_id(), 1);
        assert_eq!(state.push(&loading("")), Ok(1));
        assert_eq!(state.insert(0, &loading("")), Ok(2));
        assert_eq!((state.index_of(1), state.index_of(2)), (Some(1), Some(0)));
        assert_eq!((state.index_of(0), state.index_of(3)), (None, None));
    }

    #[test]
    fn ids_are_found_in_any_order() {
        let mut state = HistoryState::default();
        for (step, index) in [0, 0, 1, 3, 2, 0, 5, 7, 4].into_iter().enumerate() {
            let index = index.min(state.len());
            state.insert(index, &loading("")).unwrap();
            if step % 3 == 2 {
                state.remove(step % 2);
            }
            for (index, id) in ids(&state).into_iter().enumerate() {
                assert_eq!(state.index_of(id), Some(index));
            }
        }
        while state.remove(0).is_some() {}
        state.push(&loading("")).unwrap();
        assert_eq!(state.index_of(10), Some(0));
    }

    #[test]
    fn the_counter_stops_at_its_end_and_the_last_of_equal_ids_is_found() {
        let mut state = HistoryState {
            next_id: u64::MAX - 1,
            ..HistoryState::default()
        };
        for _ in 0..3 {
            state.push(&loading("")).unwrap();
        }
        assert_eq!(ids(&state), [u64::MAX - 1, u64::MAX, u64::MAX]);
        assert_eq!(state.index_of(u64::MAX), Some(2));
        state.truncate_after(u64::MAX - 1);
        assert_eq!(state.next_id(), u64::MAX);
    }

    #[test]
    fn a_key_goes_with_the_record_it_points_at() {
        // The example of 3.1.
        for (removed, expected) in [(0, Some(2)), (1, None)] {
            let mut state = HistoryState::default();
            state.push(&tool("x")).unwrap();
            state.push(&tool(r"\u0078")).unwrap();
            assert_eq!(state.tool_call(br#""x""#), Some(2));
            state.remove(removed);
            assert_eq!(state.tool_call(br#""x""#), expected);
        }
    }

    #[test]
    fn truncation_goes_by_position() {
        // The example of 3.5.
        let mut state = HistoryState::default();
        for index in [0, 1, 2, 3, 4, 1] {
            state.insert(index, &loading("")).unwrap();
        }
        assert_eq!(ids(&state), [1, 6, 2, 3, 4, 5]);
        assert!(state.truncate_after(5).is_empty() && state.truncate_after(9).is_empty());
        assert_eq!(state.next_id(), 7);
        let removed = state.truncate_after(2);
        let removed: Vec<u64> = removed.iter().map(Record::id).collect();
        assert_eq!((removed, state.next_id()), (vec![3, 4, 5], 7));
        assert_eq!(state.truncate_after(6).len(), 1);
        assert_eq!(state.truncate_after(1).len(), 1);
        assert_eq!(state.next_id(), 2);
        assert_eq!(state.truncate_after(0).len(), 1);
        assert_eq!(
            (state.len(), state.next_id(), state.index_of(1)),
            (0, 1, None)
        );
    }
}
