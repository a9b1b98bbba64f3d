//! From call ids and stream ids to records (spec 3-transcript.md, 3.1 and 1.5).
//!
//! What a lookup holds need not agree with the records: restored ones are taken as they are, and of two records with one
//! key the one registered last has it. Sorted vectors hold them: the standard maps are many times their code, and call ids
//! mostly come in order.

use std::collections::BinaryHeap;

use super::error::TranscriptError;
use super::record::{Record, RecordKind};
use super::shape::{invalid, key_segment, natural};
use crate::json::{RawStr, Reader};

/// A string in the one spelling that `JSON.stringify` gives it, with its quotes: equal strings have equal keys.
pub(super) type Key = Box<[u8]>;

/// The key of a JSON string; `None` for other values.
pub(super) fn key(value: &[u8]) -> Option<Key> {
    Reader::new(value).string().map(key_of)
}

fn key_of(string: RawStr<'_>) -> Key {
    let mut key = Vec::with_capacity(string.escaped().len() + 2);
    string.write_respelled(&mut key);
    key.into_boxed_slice()
}

/// One lookup.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookup {
    /// By key, each once.
    entries: Vec<(Key, u64)>,
}

impl Lookup {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn get(&self, key: &[u8]) -> Option<u64> {
        let at = self.find(key).ok()?;
        self.entries.get(at).map(|entry| entry.1)
    }

    fn find(&self, key: &[u8]) -> Result<usize, usize> {
        // The next call id is nearly always behind all others.
        match self.entries.last() {
            Some(last) if *last.0 < *key => Err(self.entries.len()),
            _ => self.entries.binary_search_by(|entry| (*entry.0).cmp(key)),
        }
    }

    fn register(&mut self, key: &Key, id: u64) {
        match self.find(key) {
            Ok(at) => self.entries[at].1 = id,
            Err(at) => self.entries.insert(at, (key.clone(), id)),
        }
    }

    fn unregister(&mut self, key: &Key, id: u64) {
        if let Ok(at) = self.find(key)
            && self.entries[at].1 == id
        {
            self.entries.remove(at);
        }
    }

    /// Of equal keys the last counts.
    fn from_pairs(pairs: impl Iterator<Item = (Key, u64)>) -> Self {
        let numbered = (0..).zip(pairs);
        let pairs = numbered.map(|(at, (key, id))| (key, at, id));
        let mut entries: Vec<(Key, u64)> = Vec::new();
        for (key, _, id) in sorted(pairs.collect()) {
            match entries.last_mut() {
                Some(last) if last.0 == key => last.1 = id,
                _ => entries.push((key, id)),
            }
        }
        Self { entries }
    }

    /// Reads an object of ids.
    ///
    /// # Errors
    /// `invalid` for what is no object and for what is no id.
    pub fn read(text: &[u8]) -> Result<Self, TranscriptError> {
        let mut reader = Reader::new(text);
        if !reader.begin_object() {
            return Err(invalid("must be an object"));
        }
        let mut pairs = Vec::new();
        while let Some(name) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            let id = natural(text.get(value).unwrap_or_default());
            let Some(id) = id else {
                let error = invalid("must be an integer from 0 to 2^64 - 1");
                return Err(error.in_member(&key_segment(name)));
            };
            pairs.push((key_of(name), id));
        }
        Ok(Self::from_pairs(pairs.into_iter()))
    }

    /// Appends it as an object of ids, by key.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (index, (key, id)) in self.entries.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key);
            out.push(b':');
            out.extend_from_slice(id.to_string().as_bytes());
        }
        out.push(b'}');
    }
}

/// Sorted by key, then by the number behind it. A heap sorts in a tenth of the code of `sort`.
pub(super) fn sorted(pairs: Vec<(Key, u64, u64)>) -> Vec<(Key, u64, u64)> {
    BinaryHeap::from(pairs).into_sorted_vec()
}

/// The three lookups of a transcript.
#[derive(Clone, Debug, Default)]
pub(super) struct Lookups {
    pub exec: Lookup,
    pub tool: Lookup,
    pub stream: Lookup,
}

impl Lookups {
    /// Points the keys of a record at it.
    pub fn register(&mut self, record: &Record) {
        if let Some(lookup) = self.of(record.kind) {
            for key in &record.keys {
                lookup.register(key, record.id());
            }
        }
    }

    /// Takes out those keys that still point at the record.
    pub fn unregister(&mut self, record: &Record) {
        if let Some(lookup) = self.of(record.kind) {
            for key in &record.keys {
                lookup.unregister(key, record.id());
            }
        }
    }

    /// The lookups of these records, of which later ones win.
    pub fn of_records<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> Self {
        let lookup = |kinds: [RecordKind; 2]| {
            let records = records.clone();
            let fitting = records.filter(|record| kinds.contains(&record.kind));
            Lookup::from_pairs(fitting.flat_map(|record| {
                let keys = record.keys.iter();
                keys.map(|key| (key.clone(), record.id()))
            }))
        };
        Self {
            exec: lookup([RecordKind::Exec, RecordKind::MergedExec]),
            tool: lookup([RecordKind::Tool; 2]),
            stream: lookup([RecordKind::Stream; 2]),
        }
    }

    fn of(&mut self, kind: RecordKind) -> Option<&mut Lookup> {
        match kind {
            RecordKind::Exec | RecordKind::MergedExec => Some(&mut self.exec),
            RecordKind::Tool => Some(&mut self.tool),
            RecordKind::Stream => Some(&mut self.stream),
            RecordKind::Message | RecordKind::Other => None,
        }
    }
}
