//! The deltas of an assistant's stream (spec 3-transcript.md, 3.4 and 3.7).

use super::pieces::Pieces;

/// The most text in the deltas of one stream, in bytes.
pub const DELTAS_LIMIT: u64 = 6_291_456;

/// Adds a delta, given as its JSON text and what stands in it: to the last one if that has the same sequence (or neither
/// has one), which keeps its own time; else behind it.
pub(super) fn add(deltas: &mut Pieces, delta: &[u8], sequence: Option<u64>, text: &[u8]) {
    match deltas.last() {
        Some(last) if last.number == sequence => deltas.append(text),
        _ => deltas.push(delta, sequence, text.len()),
    }
}

/// Drops the oldest text beyond the limit, and gives how many bytes that were.
pub(super) fn prune(deltas: &mut Pieces) -> u64 {
    let held = deltas.bytes();
    while deltas.bytes() > DELTAS_LIMIT
        && let Some(first) = deltas.first()
    {
        if deltas.bytes() - first.len() as u64 >= DELTAS_LIMIT {
            deltas.pop_first();
        } else {
            deltas.cut_first((deltas.bytes() - DELTAS_LIMIT) as usize);
        }
    }
    held - deltas.bytes()
}
