//! The output of an exec: where a chunk goes, and how much is kept (spec 3-transcript.md, 3.3 and 3.7).

use super::pieces::Pieces;

/// The most that one stream of an exec spans, in bytes.
pub const STREAM_LIMIT: u64 = 33_554_432;
/// The most text in all streams of all execs together.
pub const ALL_STREAMS_LIMIT: u64 = 268_435_456;
/// What each stream of an exec is cut to when all together are too much.
pub const STREAM_FLOOR: u64 = 524_288;

/// Whether a chunk at `offset` would not cut through a character.
pub(super) fn is_writable_at(stream: &Pieces, offset: u64) -> bool {
    let mut overlapping = stream.backwards().take_while(|piece| piece.end() > offset);
    let cut = overlapping.find(|piece| piece.start() < offset);
    cut.is_none_or(|piece| stream.is_border(piece, (offset - piece.start()) as usize))
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

#[cfg(test)]
mod tests {
    use super::super::pieces::CHUNK_NAMES;
    use super::*;

    fn stream(text: &str) -> Pieces {
        Pieces::read(text.as_bytes(), &CHUNK_NAMES)
    }

    fn written(stream: &Pieces) -> String {
        let mut out = Vec::new();
        stream.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn chunk(offset: u64, content: &str) -> String {
        format!(r#"{{"offset":{offset},"content":"{content}"}}"#)
    }

    #[test]
    fn a_chunk_rewrites_everything_from_its_offset_on() {
        // The table of 3.3.
        let mut output = stream("[]");
        for (offset, content, expected) in [
            (0, "run", vec![(0, "run")]),
            (3, "ning", vec![(0, "running")]),
            (0, "hello world", vec![(0, "hello world")]),
            (0, "hello world", vec![(0, "hello world")]),
            (6, "there", vec![(0, "hello there")]),
            (6, "X", vec![(0, "hello X")]),
            (20, "far", vec![(0, "hello X"), (20, "far")]),
            (
                40,
                "farther",
                vec![(0, "hello X"), (20, "far"), (40, "farther")],
            ),
            (7, "fill", vec![(0, "hello Xfill")]),
            (19, "", vec![(0, "hello Xfill"), (19, "")]),
            (0, "", vec![(0, "")]),
            (100, "late", vec![(0, ""), (100, "late")]),
            (50, "early", vec![(0, ""), (50, "early")]),
        ] {
            assert!(is_writable_at(&output, offset));
            let text = chunk(offset, content);
            write_at(&mut output, text.as_bytes(), offset, content.as_bytes());
            let chunks: Vec<String> = expected.iter().map(|(at, text)| chunk(*at, text)).collect();
            assert_eq!(written(&output), format!("[{}]", chunks.join(",")));
        }
    }

    #[test]
    fn an_offset_inside_a_character_is_found_whatever_lies_behind_it() {
        let output = stream(r#"[{"offset":0,"content":"é🚀"},{"offset":8,"content":"é"}]"#);
        let borders: Vec<u64> = (0..12)
            .filter(|offset| is_writable_at(&output, *offset))
            .collect();
        assert_eq!(borders, [0, 2, 6, 7, 8, 10, 11]);
    }

    #[test]
    fn the_newest_bytes_stay_and_offsets_say_what_is_gone() {
        let list = [chunk(0, "abc"), chunk(3, "aéé"), chunk(90, "z")].join(",");
        for (limit, expected) in [
            (91, vec![(0, "abc"), (3, "aéé"), (90, "z")]),
            (88, vec![(3, "aéé"), (90, "z")]),
            (86, vec![(6, "é"), (90, "z")]),
            (50, vec![(90, "z")]),
            (0, vec![]),
        ] {
            let mut output = stream(&format!("[{list}]"));
            keep_newest(&mut output, limit);
            let chunks: Vec<String> = expected.iter().map(|(at, text)| chunk(*at, text)).collect();
            assert_eq!(
                written(&output),
                format!("[{}]", chunks.join(",")),
                "{limit}"
            );
        }
    }

    #[test]
    fn restored_chunks_in_any_order_are_taken_as_they_are() {
        let mut output = stream(r#"[{"offset":9,"content":"cc"},{"offset":0,"content":"abcd"}]"#);
        assert_eq!(output.end(), 11);
        write_at(&mut output, chunk(2, "x").as_bytes(), 2, b"x");
        let expected = r#"[{"offset":9,"content":"cc"},{"offset":0,"content":"abx"}]"#;
        assert_eq!(written(&output), expected);
    }

    #[test]
    fn offsets_at_the_end_of_64_bits_do_not_overflow() {
        let mut output = stream("[]");
        for offset in [u64::MAX, u64::MAX - 1, u64::MAX] {
            assert!(is_writable_at(&output, offset));
            let text = chunk(offset, "abc");
            write_at(&mut output, text.as_bytes(), offset, b"abc");
            keep_newest(&mut output, STREAM_LIMIT);
        }
        assert_eq!(output.end(), u64::MAX);
    }
}
