//! The records in their order, found by id, by stream and by message.

use super::record::{Record, RecordKind};

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordList {
    records: Vec<Record>,
    /// How many neighbours are not in ascending order of their ids. With none, an id is found by halving.
    descents: usize,
    /// Where the stream stands that was looked for last, if nothing has moved or come in before it since.
    last_stream: Option<usize>,
}

impl RecordList {
    pub fn as_slice(&self) -> &[Record] {
        &self.records
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn get(&self, index: usize) -> Option<&Record> {
        self.records.get(index)
    }

    /// A record to be edited. Its id, kind and keys stay.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Record> {
        self.records.get_mut(index)
    }

    /// The position of an id, of several the last; 0 is nowhere.
    pub fn position(&self, id: u64) -> Option<usize> {
        if id == 0 {
            None
        } else if self.descents == 0 {
            self.records.binary_search_by_key(&id, Record::id).ok()
        } else {
            self.records.iter().rposition(|record| record.id() == id)
        }
    }

    /// The first stream with this id.
    pub fn first_stream(&mut self, key: &[u8]) -> Option<usize> {
        let is_it = |record: &Record| record.is(RecordKind::Stream, key);
        let known = self
            .last_stream
            .filter(|&at| self.records.get(at).is_some_and(is_it));
        self.last_stream = known.or_else(|| self.records.iter().position(is_it));
        self.last_stream
    }

    /// The last message with this stream id.
    pub fn last_message(&self, key: &[u8]) -> Option<usize> {
        let is_it = |record: &Record| record.is(RecordKind::Message, key);
        self.records.iter().rposition(is_it)
    }

    /// Inserts a record at `index`, which is no more than the length.
    pub fn insert(&mut self, index: usize, record: Record) {
        if index < self.records.len() {
            self.last_stream = None;
        }
        self.descents -= self.descents_at(index);
        self.records.insert(index, record);
        self.descents += self.descents_at(index) + self.descents_at(index + 1);
    }

    pub fn remove(&mut self, index: usize) -> Option<Record> {
        if index >= self.records.len() {
            return None;
        }
        self.last_stream = None;
        self.descents -= self.descents_at(index) + self.descents_at(index + 1);
        let record = self.records.remove(index);
        self.descents += self.descents_at(index);
        Some(record)
    }

    /// Puts a record with the same id in the place of the one at `index`.
    pub fn replace(&mut self, index: usize, record: Record) -> Option<Record> {
        self.last_stream = None;
        let place = self.records.get_mut(index)?;
        Some(core::mem::replace(place, record))
    }

    /// Takes out all records from `index` on.
    pub fn split_off(&mut self, index: usize) -> Vec<Record> {
        let mut removed = Vec::new();
        while self.records.len() > index {
            removed.extend(self.remove(self.records.len() - 1));
        }
        removed.reverse();
        removed
    }

    /// 1 if the record before `index` does not have a lower id than the one there, else 0.
    fn descents_at(&self, index: usize) -> usize {
        match self.records.get(index.wrapping_sub(1)..=index) {
            Some([before, record]) => usize::from(before.id() >= record.id()),
            _ => 0,
        }
    }
}

impl Record {
    fn is(&self, kind: RecordKind, key: &[u8]) -> bool {
        self.kind == kind && self.keys.first().is_some_and(|own| **own == *key)
    }
}
