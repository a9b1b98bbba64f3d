//! The stored head of a session: what its chunks are, and the revision that every writer compares.
//!
//! The newest few records stand in the heads' own values, as a chunk behind the words ([`Stored`]): an append then puts
//! one value, which is what it costs (measured: each further put a sixth of the whole). Each head has those of its own write,
//! and the heads before it are kept until their records are in chunks ([`chain`]).
//!
//! A write names the head it was planned on and is dropped as a whole when another head is stored.

use super::chunk::{Owner, Unreadable, span};
use xxhash_rust::xxh64::xxh64;

/// See the module's head. Sequence numbers count records from the session's first and are never
/// used again within an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Drawn at random when the session's records are set anew (first write, replace): two heads of
    /// different epochs share no record.
    pub epoch: u64,
    /// Grows by one with each write in the epoch.
    pub rev: u64,
    /// The oldest retained record.
    pub first: u64,
    /// The next record to be appended.
    pub next: u64,
    /// Chunks that end before this record are gone.
    pub swept: u64,
    /// The first record that is not in a packed chunk yet.
    pub tail: u64,
    /// Bytes the tail's records take in chunks.
    pub tail_bytes: u64,
    /// The first record that stands in a head's value, this one's or one's before it.
    pub inline: u64,
    /// UTF-8 bytes of the retained records' JSON text.
    pub text_bytes: u64,
    /// The smallest `timestamp` of the session's entries so far, in epoch milliseconds.
    pub first_activity: f64,
    /// The largest, likewise.
    pub last_activity: f64,
}

const MAGIC: &[u8; 3] = b"TLH";
const VERSION: u8 = 2;
const WORDS: usize = 11;
/// Version 1 had no `inline`, and no check value that knew its session.
const WORDS_1: usize = 10;

/// How many bytes a head takes, with its check value and without its records.
const fn len(words: usize) -> usize {
    4 + words * 8 + 8
}

/// The stored value of a head, read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored<'a> {
    /// The head.
    pub head: Head,
    /// The chunk behind it, not looked at; empty where there is none.
    pub inline: &'a [u8],
}

impl Head {
    /// The head of a session without records.
    pub fn empty(epoch: u64) -> Self {
        Self {
            epoch,
            rev: 0,
            first: 0,
            next: 0,
            swept: 0,
            tail: 0,
            tail_bytes: 0,
            inline: 0,
            text_bytes: 0,
            first_activity: f64::INFINITY,
            last_activity: f64::NEG_INFINITY,
        }
    }

    /// How many records are retained.
    pub fn entries(&self) -> u64 {
        self.next - self.first
    }

    /// The stored bytes: magic, version, eleven little-endian words, the xxh64 of all that, seeded with the owner,
    /// and the chunk of the newest records, which has a check value of its own.
    pub fn encode(&self, owner: Owner, inline: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(len(WORDS) + inline.len());
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        for word in self.words() {
            out.extend_from_slice(&word.to_le_bytes());
        }
        let check = xxh64(&out, owner.seed(VERSION).unwrap_or_default());
        out.extend_from_slice(&check.to_le_bytes());
        out.extend_from_slice(inline);
        out
    }

    /// Reads stored bytes, of version 1 too. The chunk behind the head is not checked.
    ///
    /// # Errors
    /// [`Unreadable`], for bytes that do not begin with what [`Self::encode`] wrote.
    pub fn decode(bytes: &[u8], owner: Owner) -> Result<Stored<'_>, Unreadable> {
        if bytes.len() < 4 || &bytes[..3] != MAGIC {
            return Err(Unreadable::Damaged);
        }
        if bytes[3] > VERSION {
            return Err(Unreadable::TooNew);
        }
        let seed = owner.seed(bytes[3]).ok_or(Unreadable::Damaged)?;
        let words = if bytes[3] == VERSION { WORDS } else { WORDS_1 };
        let (bytes, inline) = bytes
            .split_at_checked(len(words))
            .ok_or(Unreadable::Damaged)?;
        let word = |index: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[4 + index * 8..12 + index * 8]);
            u64::from_le_bytes(word)
        };
        let head = Self {
            epoch: word(0),
            rev: word(1),
            first: word(2),
            next: word(3),
            swept: word(4),
            tail: word(5),
            tail_bytes: word(6),
            text_bytes: word(7),
            first_activity: f64::from_bits(word(8)),
            last_activity: f64::from_bits(word(9)),
            inline: if words == WORDS { word(10) } else { word(3) },
        };
        let sound = head.swept <= head.first
            && head.first <= head.next
            && head.tail <= head.next
            && head.inline <= head.next
            && (head.inline == head.next) == inline.is_empty();
        if word(words) == xxh64(&bytes[..bytes.len() - 8], seed) && sound {
            Ok(Stored { head, inline })
        } else {
            Err(Unreadable::Damaged)
        }
    }

    /// What stands behind a head of this version, looking at nothing else.
    pub fn inline_of(bytes: &[u8]) -> Option<&[u8]> {
        bytes.get(len(WORDS)..)
    }

    fn words(&self) -> [u64; WORDS] {
        [
            self.epoch,
            self.rev,
            self.first,
            self.next,
            self.swept,
            self.tail,
            self.tail_bytes,
            self.text_bytes,
            self.first_activity.to_bits(),
            self.last_activity.to_bits(),
            self.inline,
        ]
    }
}

/// The chunks in the values of a session's heads that hold its newest records, in their order: from the newest value, the
/// last one, back to record `inline`. A value before those is what is left of a write that did not count.
///
/// # Errors
/// [`Unreadable::Damaged`] when one is missing.
pub fn chain<'a>(values: &'a [Vec<u8>], head: &Head) -> Result<Vec<&'a [u8]>, Unreadable> {
    let mut chunks = Vec::new();
    let mut reached = head.next;
    for value in values.iter().rev() {
        if reached <= head.inline {
            break;
        }
        let chunk = Head::inline_of(value).unwrap_or_default();
        let (from, last) = span(chunk).ok_or(Unreadable::Damaged)?;
        if last + 1 != reached {
            return Err(Unreadable::Damaged);
        }
        chunks.push(chunk);
        reached = from;
    }
    chunks.reverse();
    (reached <= head.inline)
        .then_some(chunks)
        .ok_or(Unreadable::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::SessionId;

    fn owner() -> Owner {
        Owner::of(&SessionId::new("s").unwrap())
    }

    fn head() -> Head {
        Head {
            rev: 3,
            first: 2,
            next: 9,
            swept: 1,
            tail: 4,
            tail_bytes: 5,
            inline: 8,
            text_bytes: 6,
            last_activity: -0.5,
            ..Head::empty(u64::MAX)
        }
    }

    #[test]
    fn a_head_reads_back_as_it_was_written() {
        let read = Stored {
            head: head(),
            inline: b"chunk",
        };
        assert_eq!(
            Head::decode(&head().encode(owner(), b"chunk"), owner()),
            Ok(read)
        );
        assert_eq!(head().entries(), 7);
    }

    #[test]
    fn any_flipped_bit_and_any_missing_byte_are_noticed() {
        let bytes = head().encode(owner(), b"");
        for at in 0..bytes.len() {
            assert!(Head::decode(&bytes[..at], owner()).is_err());
            for bit in 0..8 {
                let mut flipped = [&bytes[..], b"chunk"].concat();
                flipped[at] ^= 1 << bit;
                assert!(Head::decode(&flipped, owner()).is_err());
            }
        }
        assert!(
            Head::decode(&bytes, owner()).is_err(),
            "its records are missing"
        );
        let settled = Head {
            inline: 9,
            ..head()
        };
        assert!(Head::decode(&settled.encode(owner(), b""), owner()).is_ok());
        assert!(Head::decode(&settled.encode(owner(), b"more"), owner()).is_err());
    }

    #[test]
    fn a_head_of_another_session_is_damage() {
        assert_eq!(
            Head::decode(&head().encode(owner(), b"chunk"), Owner::default()),
            Err(Unreadable::Damaged)
        );
    }

    #[test]
    fn version_1_is_read_whatever_session_it_is_in() {
        let mut bytes = head().encode(Owner::default(), b"");
        bytes[3] = 1;
        bytes.truncate(len(WORDS_1));
        let check = xxh64(&bytes[..len(WORDS_1) - 8], 0);
        bytes[len(WORDS_1) - 8..].copy_from_slice(&check.to_le_bytes());
        let head = Head {
            inline: 9,
            ..head()
        };
        assert_eq!(
            Head::decode(&bytes, owner()),
            Ok(Stored { head, inline: b"" })
        );
    }

    #[test]
    fn a_newer_head_is_told_from_damage() {
        let mut bytes = head().encode(owner(), b"chunk");
        bytes[3] = 9;
        assert_eq!(Head::decode(&bytes, owner()), Err(Unreadable::TooNew));
    }
}
