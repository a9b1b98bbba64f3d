//! The output of an exec: where a chunk goes, and how much is kept (spec 3-transcript.md, 3.3 and 3.7).

use super::pieces::Pieces;

/// The most that one stream of an exec spans, in bytes.
pub const STREAM_LIMIT: u64 = 33_554_432;
/// The most text in all streams of all execs together.
pub const ALL_STREAMS_LIMIT: u64 = 268_435_456;
/// What each stream of an exec is cut to when all together are too much.
pub const STREAM_FLOOR: u64 = 524_288;

/// Whether a chunk at `offset` would not cut through a character.
pub(super) fn is_writable_at(stream: &mut Pieces, offset: u64) -> bool {
    let mut overlapping = stream
        .backwards()
        .take_while(|(_, piece)| piece.end() > offset);
    let cut = overlapping.find(|(_, piece)| piece.start() < offset);
    let cut = cut.map(|(index, piece)| (index, offset - piece.start()));
    drop(overlapping);
    cut.is_none_or(|(index, at)| stream.is_border(index, at as usize))
}

/// Writes a chunk, given as its JSON text and what stands in it, over everything from its offset on.
pub(super) fn write_at(stream: &mut Pieces, chunk: &[u8], offset: u64, content: &[u8]) {
    while let Some(last) = stream.last() {
        if last.end() <= offset {
            break;
        }
        if last.start() < offset {
            let keep = (offset - last.start()) as usize;
            stream.cut_last(keep);
            break;
        }
        stream.pop_last();
    }
    if stream.last().is_some_and(|last| last.end() == offset) {
        stream.append(content);
    } else {
        stream.push(chunk, Some(offset), content.len());
    }
}

/// Drops what lies more than `limit` bytes before the end of a stream.
///
/// The reference counts the gaps between chunks as held and makes up for them with text behind them, to the last byte. Here a
/// gap goes with the chunk before it. A cut inside a character moves on to its end; the reference panics there.
pub(super) fn keep_newest(stream: &mut Pieces, limit: u64) {
    let from = stream.end().saturating_sub(limit);
    while let Some(first) = stream.first() {
        if first.start() >= from {
            break;
        }
        if first.end() > from {
            let cut = stream.cut_first((from - first.start()) as usize);
            stream.raise_first(cut as u64);
            break;
        }
        stream.pop_first();
    }
}
