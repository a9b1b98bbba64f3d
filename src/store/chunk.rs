//! The stored form of a run of records: `[count][length][check]` and the records, each with its id.
//!
//! ```text
//! bytes  0..4   "TLC" and the format version, 2
//!        4..8   number of records, u32 little-endian, as all numbers here
//!        8..16  length of what follows the header, u64
//!       16..24  sequence number of the last record, u64
//!       24..32  xxh64 of what follows the header, seeded with the sum of the three numbers above and the owner
//!       32..    per record: id length u32, text length u32, id (UTF-8), text (JSON, UTF-8)
//! ```
//!
//! The sequence number makes a chunk tell its own place: readers check that chunks join. The owner makes it no other
//! session's; version 1 had none, and is read. A chunk over
//! [`MAX_PART`] bytes (one large record) is stored in parts, concatenated again when read.

use super::log::Record;
use crate::protocol::SessionId;
use xxhash_rust::xxh64::xxh64;

/// The largest value put into the database, in bytes. Over 64 KiB Chromium compresses or makes a
/// file, which is 2.8 times slower, and Firefox steps there too (measured).
pub const MAX_PART: usize = 60_000;

const MAGIC: &[u8; 3] = b"TLC";
const VERSION: u8 = 2;
/// The version whose check values did not know their session.
const UNOWNED: u8 = 1;
/// The bytes of a chunk before its first record.
pub const HEADER: usize = 32;

/// The session that stored bytes belong to, as their check values know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    /// The owner of what is stored of a session.
    pub fn of(session: &SessionId) -> Self {
        Self(xxh64(session.as_str().as_bytes(), 0))
    }

    /// The owner of the events of a session whose id is this JSON text. It is no other one than a history's by chance only.
    pub fn of_log(id: &[u8]) -> Self {
        Self(xxh64(id, 1))
    }

    /// The number that stands for it.
    #[cfg(feature = "sessions")]
    pub(super) const fn number(self) -> u64 {
        self.0
    }

    /// What check values are seeded with in bytes of this format version; `None` for a version there is not.
    pub(super) fn seed(self, version: u8) -> Option<u64> {
        match version {
            VERSION => Some(self.0),
            UNOWNED => Some(0),
            _ => None,
        }
    }
}

/// Why stored bytes are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// They are not what was written.
    Damaged,
    /// A newer version of this package wrote them.
    TooNew,
}

/// Id and text ranges of one record, in bytes from the chunk's start.
pub type Frame = ([u32; 2], [u32; 2]);

/// How many bytes a record takes in a chunk.
pub fn framed_len(record: Record<'_>) -> usize {
    8 + record.id.len() + record.text.len()
}

/// Writes a chunk whose last record has the sequence number `last_seq`.
pub fn encode<'a>(
    records: impl IntoIterator<Item = Record<'a>>,
    last_seq: u64,
    owner: Owner,
) -> Vec<u8> {
    let mut out = vec![0; HEADER];
    let mut count = 0u32;
    for record in records {
        out.extend_from_slice(&(record.id.len() as u32).to_le_bytes());
        out.extend_from_slice(&(record.text.len() as u32).to_le_bytes());
        out.extend_from_slice(record.id);
        out.extend_from_slice(record.text);
        count += 1;
    }
    let length = (out.len() - HEADER) as u64;
    let check = check_value(&out[HEADER..], count, last_seq, owner.0);
    out[..3].copy_from_slice(MAGIC);
    out[3] = VERSION;
    out[4..8].copy_from_slice(&count.to_le_bytes());
    out[8..16].copy_from_slice(&length.to_le_bytes());
    out[16..24].copy_from_slice(&last_seq.to_le_bytes());
    out[24..32].copy_from_slice(&check.to_le_bytes());
    out
}

/// Checks a whole chunk and gives the sequence number of its last record and the records' ranges.
///
/// # Errors
/// [`Unreadable`], for bytes that are not exactly what [`encode`] wrote.
pub fn decode(bytes: &[u8], owner: Owner) -> Result<(u64, Vec<Frame>), Unreadable> {
    let header = bytes.get(..HEADER).ok_or(Unreadable::Damaged)?;
    if &header[..3] != MAGIC {
        return Err(Unreadable::Damaged);
    }
    if header[3] > VERSION {
        return Err(Unreadable::TooNew);
    }
    let seed = owner.seed(header[3]).ok_or(Unreadable::Damaged)?;
    let body = &bytes[HEADER..];
    let (count, last_seq) = (read_u32(header, 4), read_u64(header, 16));
    if read_u64(header, 8) != body.len() as u64
        || read_u64(header, 24) != check_value(body, count, last_seq, seed)
    {
        return Err(Unreadable::Damaged);
    }
    let mut frames = Vec::with_capacity((count as usize).min(body.len() / 8));
    let mut at = HEADER;
    for _ in 0..count {
        let lengths = bytes.get(at..at + 8).ok_or(Unreadable::Damaged)?;
        let id_start = at + 8;
        let text_start = id_start + read_u32(lengths, 0) as usize;
        let end = text_start
            .checked_add(read_u32(lengths, 4) as usize)
            .ok_or(Unreadable::Damaged)?;
        if end > bytes.len() {
            return Err(Unreadable::Damaged);
        }
        frames.push((
            [id_start as u32, text_start as u32],
            [text_start as u32, end as u32],
        ));
        at = end;
    }
    if at == bytes.len() && u64::from(count) <= last_seq.saturating_add(1) {
        Ok((last_seq, frames))
    } else {
        Err(Unreadable::Damaged)
    }
}

/// Where a chunk says its first and its last record stand, unchecked; `None` for what is too short to be one, or holds
/// no record.
pub fn span(bytes: &[u8]) -> Option<(u64, u64)> {
    let header = bytes.get(..HEADER)?;
    let (count, last) = (u64::from(read_u32(header, 4)), read_u64(header, 16));
    let from = last.checked_add(1)?.checked_sub(count)?;
    (count > 0).then_some((from, last))
}

/// The parts a chunk is stored in, in order.
pub fn parts(chunk: &[u8]) -> impl Iterator<Item = &[u8]> {
    chunk.chunks(MAX_PART)
}

/// How many parts a chunk has, told by its first part; 1 for bytes that are no chunk.
pub fn part_count(first_part: &[u8]) -> usize {
    match first_part.get(..HEADER) {
        Some(header) if &header[..3] == MAGIC => {
            (read_u64(header, 8).saturating_add(HEADER as u64))
                .div_ceil(MAX_PART as u64)
                .min(1 << 20) as usize
        }
        _ => 1,
    }
}

fn check_value(body: &[u8], count: u32, last_seq: u64, seed: u64) -> u64 {
    xxh64(
        body,
        last_seq
            .wrapping_add(u64::from(count))
            .wrapping_add(body.len() as u64)
            .wrapping_add(seed),
    )
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from(read_u32(bytes, at)) | u64::from(read_u32(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Owner = Owner(3);

    fn records() -> [Record<'static>; 2] {
        [
            Record {
                id: b"a",
                text: b"{}",
            },
            Record {
                id: "\u{fc}ber".as_bytes(),
                text: b"{\"x\":1}",
            },
        ]
    }

    #[test]
    fn a_chunk_reads_back_as_it_was_written() {
        let bytes = encode(records(), 7, OWNER);
        assert_eq!(
            bytes.len(),
            HEADER + records().map(framed_len).iter().sum::<usize>()
        );
        let (last_seq, frames) = decode(&bytes, OWNER).unwrap();
        assert_eq!(last_seq, 7);
        let slice = |range: [u32; 2]| &bytes[range[0] as usize..range[1] as usize];
        for (frame, record) in frames.iter().zip(records()) {
            assert_eq!((slice(frame.0), slice(frame.1)), (record.id, record.text));
        }
        assert_eq!(decode(&encode([], 0, OWNER), OWNER), Ok((0, vec![])));
    }

    #[test]
    fn any_flipped_bit_and_any_missing_byte_are_noticed() {
        let bytes = encode(records(), 7, OWNER);
        for at in 0..bytes.len() {
            assert!(decode(&bytes[..at], OWNER).is_err());
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                assert!(decode(&flipped, OWNER).is_err(), "bit {bit} of byte {at}");
            }
        }
        assert!(decode(&[bytes, vec![0]].concat(), OWNER).is_err());
    }

    #[test]
    fn a_chunk_of_another_session_is_damage() {
        let bytes = encode(records(), 7, OWNER);
        assert_eq!(decode(&bytes, Owner(4)), Err(Unreadable::Damaged));
    }

    #[test]
    fn version_1_is_read_whatever_session_it_is_in() {
        let mut bytes = encode(records(), 7, Owner(0));
        bytes[3] = 1;
        assert_eq!(decode(&bytes, OWNER).unwrap().0, 7);
    }

    #[test]
    fn a_newer_format_is_told_from_damage() {
        let mut bytes = encode(records(), 7, OWNER);
        bytes[3] = 3;
        assert_eq!(decode(&bytes, OWNER), Err(Unreadable::TooNew));
        bytes[3] = 0;
        assert_eq!(decode(&bytes, OWNER), Err(Unreadable::Damaged));
    }

    #[test]
    fn a_large_chunk_comes_in_parts_that_know_their_number() {
        let text = vec![b'1'; 150_000];
        let bytes = encode(
            [Record {
                id: b"a",
                text: &text,
            }],
            1,
            OWNER,
        );
        let parts: Vec<_> = parts(&bytes).collect();
        assert!(parts.iter().all(|part| part.len() <= MAX_PART));
        assert_eq!((parts.len(), part_count(parts[0])), (3, 3));
        assert_eq!(parts.concat(), bytes);
        assert_eq!(
            (part_count(b"junk"), part_count(&encode([], 0, OWNER))),
            (1, 1)
        );
    }
}
