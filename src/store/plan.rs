//! What a write does to the stored chunks, decided here and carried out by a database.
//!
//! The newest few records stand in the heads' own values, each in that of the write that added it, so most appends put one
//! small value. When they are more than [`INLINE_RECORDS`] they move into a small chunk; when the small ones reach [`PACK_RECORDS`] records or a chunk's
//! size they are packed into large ones in the same transaction, by concatenation. Truncation moves the
//! head's `first`; chunks that lie wholly before it are deleted now and then. So loading reads a few
//! large chunks and a short tail, and an append writes little.

use super::chunk::{HEADER, MAX_PART, Owner, encode, framed_len, parts};
use super::head::Head;
use super::log::Log;

/// How many records the tail of small chunks may hold before it is packed.
pub const PACK_RECORDS: u64 = 64;

/// How many records may stand in the heads' values. Moving them away deletes those heads in one transaction, which must
/// stay small: browsers can lose a database when they are killed in the middle of a large one.
pub const INLINE_RECORDS: u64 = 8;

/// How many bytes of them, likewise.
const INLINE_BYTES: usize = 12_000;

/// How many dropped records may wait before the chunks that held them are deleted.
const SWEEP_RECORDS: u64 = 64;

/// One value to put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put {
    /// The sequence number of the chunk's last record.
    pub last_seq: u64,
    /// Which part of the chunk this is, from 0.
    pub part: u32,
    /// At most [`MAX_PART`] bytes.
    pub bytes: Vec<u8>,
}

/// What one transaction does, in order: deletes, puts, the new head.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Inclusive ranges of last sequence numbers whose chunks go.
    pub deletes: Vec<(u64, u64)>,
    /// What is put.
    pub puts: Vec<Put>,
    /// The head after it.
    pub head: Head,
    /// The chunk that stands in the head's value: what the write added; empty for none.
    pub inline: Vec<u8>,
    /// Whether no record stands in the values of the heads before it any more, so that they are deleted.
    pub sweeps: bool,
}

impl Plan {
    /// The value to put as the head.
    pub fn head_value(&self, owner: Owner) -> Vec<u8> {
        self.head.encode(owner, &self.inline)
    }
}

/// The smallest and the largest timestamp of some entries, in epoch milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activity {
    /// The smallest.
    pub first: f64,
    /// The largest.
    pub last: f64,
}

impl Activity {
    /// Of no entry at all.
    pub const NONE: Self = Self {
        first: f64::INFINITY,
        last: f64::NEG_INFINITY,
    };

    /// With one more entry.
    pub fn with(self, timestamp: f64) -> Self {
        self.joined(Self {
            first: timestamp,
            last: timestamp,
        })
    }

    /// Of both sets of entries.
    pub fn joined(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}

/// Plans an append. `log` holds the records of `head` and, behind them, `added` new ones; the newest
/// `keep` of them all stay.
pub fn append(
    log: &Log,
    head: &Head,
    added: usize,
    keep: usize,
    activity: Activity,
    owner: Owner,
) -> Plan {
    let (len, next) = (log.len(), head.next + added as u64);
    let first = next - keep.min(len) as u64;
    let index_of = |seq: u64| seq.saturating_sub(head.first) as usize;
    let text_of =
        |from: usize, to: usize| (from..to).map(|i| log.text(i).len() as u64).sum::<u64>();
    let added_bytes: u64 = (len - added..len)
        .map(|i| framed_len(log.record(i)) as u64)
        .sum();

    let mut plan = Plan {
        deletes: Vec::new(),
        puts: Vec::new(),
        head: *head,
        inline: Vec::new(),
        sweeps: false,
    };
    let new = &mut plan.head;
    new.rev += 1;
    new.next = next;
    new.first = first;
    new.text_bytes = (head.text_bytes + text_of(len - added, len))
        .saturating_sub(text_of(0, index_of(first).min(len)));
    new.first_activity = head.first_activity.min(activity.first);
    new.last_activity = head.last_activity.max(activity.last);
    new.tail_bytes += added_bytes;

    let pack = next - head.tail >= PACK_RECORDS || new.tail_bytes as usize + HEADER > MAX_PART;
    let from = if pack { head.tail } else { head.inline }.max(first);
    let inline = index_of(from)..len;
    let inline_bytes: usize = inline.clone().map(|i| framed_len(log.record(i))).sum();
    let stays = !pack && next - from <= INLINE_RECORDS && inline_bytes <= INLINE_BYTES;
    new.inline = if stays { from } else { next };
    if pack {
        if head.tail < head.next {
            plan.deletes.push((head.tail, head.next - 1));
        }
        (new.tail, new.tail_bytes) = (next, 0);
    }
    if first > head.swept && (pack || first - head.swept >= SWEEP_RECORDS) {
        plan.deletes.push((head.swept, first - 1));
        new.swept = first;
    }
    if stays {
        let own = index_of(head.next.max(first))..len;
        plan.inline = encode(own.map(|i| log.record(i)), next - 1, owner);
    } else {
        put_chunks(log, inline, from, owner, &mut plan.puts);
    }
    plan.sweeps = !plan.puts.is_empty();
    plan
}

/// Plans a replacement of everything by the records of `log`, under a new epoch.
pub fn replace(log: &Log, epoch: u64, activity: Activity, owner: Owner) -> Plan {
    let next = log.len() as u64;
    let mut plan = Plan {
        deletes: vec![(0, u64::MAX)],
        puts: Vec::new(),
        head: Head {
            next,
            tail: next,
            inline: next,
            text_bytes: log.text_bytes() as u64,
            first_activity: activity.first,
            last_activity: activity.last,
            ..Head::empty(epoch)
        },
        inline: Vec::new(),
        sweeps: true,
    };
    put_chunks(log, 0..log.len(), 0, owner, &mut plan.puts);
    plan
}

/// Puts records in as few chunks as their sizes allow; `seq` is the first one's sequence number.
fn put_chunks(
    log: &Log,
    records: std::ops::Range<usize>,
    mut seq: u64,
    owner: Owner,
    puts: &mut Vec<Put>,
) {
    let mut from = records.start;
    while from < records.end {
        let mut size = HEADER + framed_len(log.record(from));
        let mut to = from + 1;
        while to < records.end && size + framed_len(log.record(to)) <= MAX_PART {
            size += framed_len(log.record(to));
            to += 1;
        }
        let last_seq = seq + (to - from) as u64 - 1;
        let chunk = encode((from..to).map(|index| log.record(index)), last_seq, owner);
        puts.extend((0..).zip(parts(&chunk)).map(|(part, bytes)| Put {
            last_seq,
            part,
            bytes: bytes.to_vec(),
        }));
        seq = last_seq + 1;
        from = to;
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::chunk::{decode, part_count, span};
    use super::super::head::Stored;
    use super::super::log::Record;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A database as a map, with the checks a real one cannot make.
    #[derive(Default)]
    struct Table(BTreeMap<(u64, u32), Vec<u8>>, Vec<Vec<u8>>);

    impl Table {
        fn apply(&mut self, plan: &Plan) {
            if plan.sweeps {
                self.1.clear();
            }
            self.1
                .extend((!plan.inline.is_empty()).then(|| plan.inline.clone()));
            for &(from, to) in &plan.deletes {
                self.0.retain(|&(last, _), _| last < from || last > to);
            }
            for put in &plan.puts {
                assert!(put.bytes.len() <= MAX_PART);
                assert!(
                    self.0
                        .insert((put.last_seq, put.part), put.bytes.clone())
                        .is_none(),
                    "overwrites a chunk"
                );
            }
        }

        /// All records as a reader finds them: ids by sequence number.
        fn read(&self, plan: &Plan) -> Vec<String> {
            let head = &plan.head;
            let mut chunks: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
            for ((last, _), bytes) in &self.0 {
                chunks.entry(*last).or_default().extend_from_slice(bytes);
            }
            assert!(self.1.len() as u64 <= PACK_RECORDS);
            for chunk in &self.1 {
                let (_, last) = span(chunk).unwrap();
                if last < head.inline {
                    continue;
                }
                assert!(chunks.insert(last, chunk.clone()).is_none());
            }
            let mut out = Vec::new();
            let mut expected = None;
            for (last, bytes) in chunks {
                assert!(last >= head.swept && last < head.next);
                let (told, frames) = decode(&bytes, Owner::default()).unwrap();
                assert_eq!(told, last);
                let from = last + 1 - frames.len() as u64;
                if last >= head.first {
                    assert!(
                        expected.map_or(from <= head.first, |seq| seq == from),
                        "chunks leave a gap or overlap"
                    );
                    expected = Some(last + 1);
                }
                for (seq, (id, _)) in (from..).zip(frames) {
                    if seq >= head.first {
                        out.push(
                            String::from_utf8(bytes[id[0] as usize..id[1] as usize].to_vec())
                                .unwrap(),
                        );
                    }
                }
                assert_eq!(
                    part_count(&bytes[..bytes.len().min(MAX_PART)]),
                    bytes.len().div_ceil(MAX_PART)
                );
            }
            out
        }
    }

    fn ids(log: &Log) -> Vec<String> {
        (0..log.len())
            .map(|i| String::from_utf8(log.id(i).to_vec()).unwrap())
            .collect()
    }

    proptest! {
        // Each step reads the whole table back, so few cases are many checks.
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn a_reader_finds_exactly_the_log_after_any_appends_and_cuts(
            steps in prop::collection::vec((prop::collection::vec(0usize..3, 1..9), prop::option::of(1usize..90)), 1..60)
        ) {
            let (mut table, mut log, mut head) = (Table::default(), Log::default(), Head::empty(1));
            let mut number = 0;
            for (sizes, keep) in steps {
                for size in &sizes {
                    let id = number.to_string();
                    number += 1;
                    let text = vec![b'1'; [10, 2_000, 70_000][*size]];
                    log.push(Record { id: id.as_bytes(), text: &text });
                }
                let keep = keep.unwrap_or(log.len()).min(log.len());
                let plan = append(&log, &head, sizes.len(), keep, Activity::NONE.with(1.0), Owner::default());
                table.apply(&plan);
                log.keep_newest(keep);
                prop_assert_eq!(plan.head.rev, head.rev + 1);
                head = plan.head;
                prop_assert_eq!(table.read(&plan), ids(&log));
                prop_assert!(plan.inline.len() <= INLINE_BYTES + HEADER);
                prop_assert_eq!(head.text_bytes, log.text_bytes() as u64);
                prop_assert!(head.next - head.tail < PACK_RECORDS);
                let value = plan.head_value(Owner::default());
                let inline = plan.inline.as_slice();
                prop_assert_eq!(Head::decode(&value, Owner::default()), Ok(Stored { head, inline }));
            }
            // Few rows: packed chunks are at least half full on average, the tail is short.
            let rows = table.0.len() as u64;
            let bytes: usize = table.0.values().map(Vec::len).sum();
            prop_assert!(rows <= PACK_RECORDS + 4 + 2 * (bytes / MAX_PART) as u64 + head.next / PACK_RECORDS);
        }
    }

    #[test]
    fn a_replacement_starts_a_new_epoch_and_leaves_nothing_old() {
        let mut log = Log::default();
        for number in 0..200 {
            log.push(Record {
                id: number.to_string().as_bytes(),
                text: b"{}",
            });
        }
        let mut table = Table::default();
        table.apply(&append(
            &log,
            &Head::empty(1),
            200,
            200,
            Activity::NONE,
            Owner::default(),
        ));
        log.keep_newest(5);
        let plan = replace(
            &log,
            2,
            Activity {
                first: 1.0,
                last: 2.0,
            },
            Owner::default(),
        );
        table.apply(&plan);
        assert_eq!(table.read(&plan), ids(&log));
        assert_eq!(
            (
                plan.head.epoch,
                plan.head.rev,
                plan.head.entries(),
                table.0.len()
            ),
            (2, 0, 5, 1)
        );
        let none = replace(&Log::default(), 3, Activity::NONE, Owner::default());
        table.apply(&none);
        assert!(table.0.is_empty() && none.head.entries() == 0);
    }
}
