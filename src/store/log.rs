//! One session's records in memory: their bytes back to back, and an index beside them.
//!
//! Invariants: records are in insertion order; ids are unique; a record's text never changes. A
//! record may be *pending*: its id is taken, its text still stands in the host's live object and is
//! handed over in a batch when something needs it ([`Log::settle`]). Pending records are the newest.

use super::ids::Ids;
use super::sums::Sums;
use crate::history::{Bounds, Cut, message_units, read_spoken};
use xxhash_rust::xxh64::xxh64;

/// A record to append: its id and its JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// `input.id`, in UTF-8.
    pub id: &'a [u8],
    /// The entry as JSON text.
    pub text: &'a [u8],
}

/// Byte ranges of one record in [`Log::bytes`].
#[derive(Clone, Copy, Debug)]
struct Slot {
    id_start: u32,
    id_end: u32,
    text_start: u32,
    /// Equal to `text_start` while the text is pending: no JSON text is empty.
    text_end: u32,
}

/// See the module's head.
#[derive(Debug, Default)]
pub struct Log {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    /// Slots before this one were dropped from the old end and wait to be swept.
    first: usize,
    /// The newest slots without text.
    pending: usize,
    /// Slots by id; built up to `indexed` when a look-up needs it.
    ids: Ids,
    indexed: usize,
    sums: Sums,
}

impl Log {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.first
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes the records' texts take; pending ones not counted.
    pub fn text_bytes(&self) -> usize {
        self.slots[self.first..]
            .iter()
            .map(|slot| (slot.text_end - slot.text_start) as usize)
            .sum()
    }

    /// How many bytes of memory the log holds.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.slots.capacity() * size_of::<Slot>() + self.ids.memory_bytes()
    }

    /// How many of the newest records have no text yet.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// The text of a record, empty while it is pending.
    #[inline]
    pub fn text(&self, index: usize) -> &[u8] {
        let slot = self.slots[self.first + index];
        &self.bytes[slot.text_start as usize..slot.text_end as usize]
    }

    /// The id of a record.
    pub fn id(&self, index: usize) -> &[u8] {
        self.id_of(self.slots[self.first + index])
    }

    /// A record, for writing it elsewhere.
    pub fn record(&self, index: usize) -> Record<'_> {
        Record {
            id: self.id(index),
            text: self.text(index),
        }
    }

    /// The position of the record with this id. Constant time, once the ids are indexed.
    pub fn find(&mut self, id: &[u8]) -> Option<usize> {
        self.index_ids();
        let slot = self
            .ids
            .find(hash(id), |slot| self.id_of(self.slots[slot as usize]) == id)?;
        (slot as usize).checked_sub(self.first)
    }

    /// Appends a record whose id is not there.
    pub fn push(&mut self, record: Record<'_>) {
        self.push_pending(record.id);
        if self.pending == 1 {
            self.settle_one(record.text);
        }
    }

    /// Appends a record whose text is handed over later.
    pub fn push_pending(&mut self, id: &[u8]) {
        let id_start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(id);
        let end = self.bytes.len() as u32;
        self.slots.push(Slot {
            id_start,
            id_end: end,
            text_start: end,
            text_end: end,
        });
        self.pending += 1;
    }

    /// Makes room for about so many more bytes of records at once.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// Hands over the texts of pending records, oldest first.
    pub fn settle<'a>(&mut self, texts: impl IntoIterator<Item = &'a [u8]>) {
        for text in texts {
            self.settle_one(text);
        }
    }

    /// Appends records out of bytes that hold them already: `ranges` gives `(id, text)` ranges in
    /// `bytes`. One copy, no look at the records.
    pub fn push_framed(
        &mut self,
        bytes: &[u8],
        ranges: impl Iterator<Item = ([u32; 2], [u32; 2])>,
    ) {
        let base = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.slots.extend(ranges.map(|(id, text)| Slot {
            id_start: base + id[0],
            id_end: base + id[1],
            text_start: base + text[0],
            text_end: base + text[1],
        }));
        // The new records are not counted, so nothing older may be either: counts run from the new end.
        self.sums = Sums::default();
    }

    /// Takes back the newest records until `len` are left.
    pub fn truncate_to(&mut self, len: usize) {
        while self.len() > len {
            let slot = self.slots.len() - 1;
            if self.indexed > slot {
                self.unindex(slot);
                self.indexed = slot;
            }
            if self.sums.counted() > 0 && self.pending == 0 {
                self.sums.pop();
            }
            self.pending = self.pending.saturating_sub(1);
            let newest = self.slots.pop();
            // Texts that were settled later stand behind younger ids, and stay.
            let behind = self.bytes.len() as u32;
            if let Some(slot) =
                newest.filter(|slot| slot.id_end == slot.text_start && slot.text_end == behind)
            {
                self.bytes.truncate(slot.id_start as usize);
            }
        }
    }

    /// Drops the oldest records so that `keep` are left.
    pub fn keep_newest(&mut self, keep: usize) {
        let first = self.slots.len() - keep.min(self.len());
        for slot in self.first..first.min(self.indexed) {
            self.unindex(slot);
        }
        self.indexed = self.indexed.max(first);
        self.first = first;
        self.pending = self.pending.min(keep);
        self.sums.keep_newest(keep);
        self.sweep();
    }

    /// What these bounds leave, by counts kept from earlier calls. Each record is counted once.
    /// Pending records must have been settled.
    pub fn cut(&mut self, bounds: Bounds) -> Cut {
        let len = self.len();
        let most = bounds.most_entries(len);
        let Some(max_chars) = bounds.max_chars else {
            return Cut {
                keep: most,
                over_budget: false,
            };
        };
        while self.sums.counted() < most && self.sums.of_newest(self.sums.counted()) <= max_chars {
            let units = self.units(len - 1 - self.sums.counted());
            self.sums.extend_old(units);
        }
        let fitting = self.sums.fitting(max_chars).min(most);
        if fitting == 0 && most > 0 {
            return Cut {
                keep: 1,
                over_budget: true,
            };
        }
        Cut {
            keep: fitting,
            over_budget: false,
        }
    }

    /// Characters of one record's default messages; none for a record that cannot be read.
    fn units(&self, index: usize) -> u64 {
        read_spoken(self.text(index)).map_or(0, |spoken| message_units(&spoken))
    }

    fn settle_one(&mut self, text: &[u8]) {
        let at = self.slots.len() - self.pending;
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        let slot = &mut self.slots[at];
        (slot.text_start, slot.text_end) = (start, start + text.len() as u32);
        self.pending -= 1;
        if self.sums.counted() > 0 {
            let units = self.units(at - self.first);
            self.sums.push(units);
        }
    }

    fn index_ids(&mut self) {
        self.indexed = self.indexed.max(self.first);
        for slot in self.indexed..self.slots.len() {
            self.ids
                .insert(hash(self.id_of(self.slots[slot])), slot as u32);
        }
        self.indexed = self.slots.len();
    }

    fn unindex(&mut self, slot: usize) {
        self.ids
            .remove(hash(self.id_of(self.slots[slot])), slot as u32);
    }

    /// Gives back the memory of dropped records once they are half of it: constant cost a record.
    fn sweep(&mut self) {
        let dead = self
            .slots
            .get(self.first)
            .map_or(self.bytes.len(), |slot| slot.id_start as usize);
        if self.first <= self.len() || dead * 2 < self.bytes.len() || self.pending > 0 {
            return;
        }
        self.bytes.drain(..dead);
        self.slots.drain(..self.first);
        for slot in &mut self.slots {
            for edge in [
                &mut slot.id_start,
                &mut slot.id_end,
                &mut slot.text_start,
                &mut slot.text_end,
            ] {
                *edge -= dead as u32;
            }
        }
        self.ids.shift(self.first as u32);
        self.indexed -= self.first;
        self.first = 0;
    }

    fn id_of(&self, slot: Slot) -> &[u8] {
        &self.bytes[slot.id_start as usize..slot.id_end as usize]
    }
}

fn hash(id: &[u8]) -> u32 {
    xxh64(id, 0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::read_entry;

    fn entry(id: &str, text: &str) -> String {
        format!(
            r#"{{"kind":"injection","input":{{"type":"assistant_message","id":"{id}","sessionId":"s","timestamp":1,"content":"{text}"}}}}"#
        )
    }

    fn log_of(texts: &[&str]) -> Log {
        let mut log = Log::default();
        for (index, text) in texts.iter().enumerate() {
            let id = format!("m{index}");
            log.push(Record {
                id: id.as_bytes(),
                text: entry(&id, text).as_bytes(),
            });
        }
        log
    }

    fn texts(log: &Log) -> Vec<String> {
        (0..log.len())
            .map(|i| {
                read_entry(log.text(i))
                    .unwrap()
                    .assistant
                    .decode()
                    .unwrap()
                    .into_owned()
            })
            .collect()
    }

    #[test]
    fn records_are_found_by_id_and_read_in_order() {
        let mut log = log_of(&["a", "b", "c"]);
        assert_eq!(
            (log.find(b"m1"), log.find(b"m9"), log.len()),
            (Some(1), None, 3)
        );
        assert_eq!(texts(&log), ["a", "b", "c"]);
        assert_eq!(log.id(2), b"m2");
    }

    #[test]
    fn what_is_taken_back_is_unknown_again() {
        let mut log = log_of(&["a", "b", "c"]);
        log.find(b"m0");
        log.truncate_to(1);
        assert_eq!((log.find(b"m0"), log.find(b"m1")), (Some(0), None));
        log.push(Record {
            id: b"m1",
            text: entry("m1", "B").as_bytes(),
        });
        assert_eq!(texts(&log), ["a", "B"]);
        assert_eq!(log.find(b"m1"), Some(1));
    }

    #[test]
    fn dropping_the_old_end_keeps_positions_and_gives_memory_back() {
        let mut log = Log::default();
        for index in 0..1_000 {
            let id = format!("m{index}");
            log.push(Record {
                id: id.as_bytes(),
                text: entry(&id, &index.to_string()).as_bytes(),
            });
            assert_eq!(log.find(id.as_bytes()), Some(log.len() - 1));
            log.keep_newest(3);
        }
        assert_eq!(texts(&log), ["997", "998", "999"]);
        assert_eq!((log.find(b"m998"), log.find(b"m996")), (Some(1), None));
        assert!(log.bytes.len() < 4_000, "{}", log.bytes.len());
    }

    #[test]
    fn pending_records_are_settled_in_order() {
        let mut log = log_of(&["a"]);
        log.push_pending(b"x");
        log.push_pending(b"y");
        assert_eq!((log.len(), log.pending(), log.find(b"y")), (3, 2, Some(2)));
        assert!(log.text(1).is_empty());
        let (x, y) = (entry("x", "b"), entry("y", "c"));
        log.settle([x.as_bytes(), y.as_bytes()]);
        assert_eq!(texts(&log), ["a", "b", "c"]);
        log.truncate_to(2);
        assert_eq!(texts(&log), ["a", "b"]);
        log.keep_newest(1);
        assert_eq!(texts(&log), ["b"]);
    }

    #[test]
    fn cuts_agree_with_the_rule_after_every_kind_of_change() {
        let mut log = log_of(&["12345", "", "1234", "123"]);
        let bounds = |chars| Bounds {
            max_entries: None,
            max_chars: Some(chars),
        };
        let keep = |log: &mut Log, chars| log.cut(bounds(chars)).keep;
        assert_eq!(
            (keep(&mut log, 7), keep(&mut log, 6), keep(&mut log, 12)),
            (3, 1, 4)
        );
        assert_eq!(
            log.cut(bounds(2)),
            Cut {
                keep: 1,
                over_budget: true
            }
        );
        log.push(Record {
            id: b"n",
            text: entry("n", "1").as_bytes(),
        });
        assert_eq!((keep(&mut log, 8), keep(&mut log, 13)), (4, 5));
        log.truncate_to(3);
        assert_eq!(keep(&mut log, 4), 2);
        log.keep_newest(2);
        assert_eq!(
            (
                keep(&mut log, 100),
                log.cut(Bounds {
                    max_entries: Some(1),
                    max_chars: Some(100)
                })
                .keep
            ),
            (2, 1)
        );
    }
}
