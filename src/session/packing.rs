//! Packed rows: how a run of stream chunks is stored (spec 2-session.md, 12.6; the form is ours).
//!
//! Most events of a session are chunks of a few characters in an envelope of a hundred. Three or more of them in a row
//! that differ in nothing but `seq`, `time` and their text become one array:
//!
//! ```text
//! ["text-delta",seq,time,turn,step,index,[gaps between the times],["He","llo",…]]
//! ["tool-call-delta",seq,time,turn,step,index,id,name or null,[gaps],["{\"a\"",…]]
//! ```
//!
//! Every other event is its own row, an object, so the two cannot be confused.
//!
//! - Unpacking gives back the very bytes that were packed. Only events written in the one spelling that unpacking
//!   writes are packed, and each packed row is unpacked and compared before it is used.
//! - Unpacking takes any bytes, and gives at most [`MOST_GROWTH`] times as many: what a row says only once is limited
//!   in length, so a short row cannot stand for a flood.

use std::borrow::Cow;

use super::delta_event::{Delta, DeltaEvent, ENVELOPE, Head, MOST_REPEATED};
use super::error::{SessionCode, SessionError};
use super::event::{items, kind_of, safe_integer};
use crate::json::{Kind, Reader, check};

/// Fewer chunks are not worth a row.
const LEAST_RUN: usize = 3;
/// The largest sequence number and time.
const MOST: u64 = 9_007_199_254_740_991;

/// How many times as long as its row what [`unpack`] gives can be: a member of a run takes at least five bytes besides
/// its characters.
pub const MOST_GROWTH: usize = (ENVELOPE + MOST_REPEATED) / 5;

/// A row of the stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// JSON text: an event, or a packed run.
    pub text: Cow<'a, [u8]>,
    /// How many events it stands for.
    pub count: usize,
}

/// The rows of consecutive events of checked JSON text, in order.
///
/// Linear.
pub fn pack<'a>(events: &[&'a [u8]]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut rest = events;
    while let Some(&first) = rest.first() {
        let row = packed_run(rest).unwrap_or(Row {
            text: Cow::Borrowed(first),
            count: 1,
        });
        rest = rest.get(row.count..).unwrap_or_default();
        rows.push(row);
    }
    rows
}

/// The run that the events begin with, if it is long enough.
fn packed_run<'a>(events: &[&'a [u8]]) -> Option<Row<'a>> {
    let mut run = vec![DeltaEvent::read(events.first()?)?];
    for event in &events[1..] {
        match DeltaEvent::read(event) {
            Some(chunk) if run.last().is_some_and(|last| chunk.follows(last)) => run.push(chunk),
            _ => break,
        }
    }
    if run.len() < LEAST_RUN {
        return None;
    }
    let text = write_row(&run);
    // What is stored must be what was appended: this is not left to reasoning.
    let mut same = 0;
    unpack_checked(&text, &mut |event, _| {
        same += usize::from(events.get(same) == Some(&event));
    })?;
    (same == run.len()).then_some(Row {
        text: Cow::Owned(text),
        count: run.len(),
    })
}

/// The events that a row stands for.
///
/// # Errors
/// [`SessionCode::CorruptLog`] for what [`pack`] cannot have written. A row that is an object is not looked into.
pub fn unpack(row: &[u8]) -> Result<Vec<Vec<u8>>, SessionError> {
    let mut events = Vec::new();
    let damaged = || SessionError::new(SessionCode::CorruptLog, "a stored row is damaged");
    check(row).map_err(|_| damaged())?;
    unpack_checked(row, &mut |event, _| events.push(event.to_vec())).ok_or_else(damaged)?;
    Ok(events)
}

/// Hands the events that a row of checked JSON text stands for to `take`, each with its number where the row says it. `None`
/// where the row is damaged; what was taken does not count then.
pub fn unpack_checked(row: &[u8], take: &mut dyn FnMut(&[u8], Option<u64>)) -> Option<()> {
    match kind_of(row)? {
        Kind::Object => take(row, None),
        Kind::Array => return unpack_run(row, take),
        _ => return None,
    }
    Some(())
}

fn unpack_run(row: &[u8], take: &mut dyn FnMut(&[u8], Option<u64>)) -> Option<()> {
    let mut fields = items(row);
    let kind = Delta::named(fields.next()?)?;
    let seq = safe_integer(fields.next()?)?;
    let mut time = safe_integer(fields.next()?)?;
    let head = Head {
        kind,
        turn: fields.next()?,
        step: fields.next()?,
        index: fields.next()?,
        call: match kind {
            Delta::ToolCall => Some((fields.next()?, fields.next().filter(|it| *it != b"null"))),
            Delta::Text | Delta::Reasoning => None,
        },
    };
    let (gaps, texts) = (fields.next()?, fields.next()?);
    let lists = [gaps, texts].map(kind_of) == [Some(Kind::Array); 2];
    if !head.is_sound() || !lists || fields.next().is_some() {
        return None;
    }
    let mut count = 0;
    let mut gaps = items(gaps);
    for (seq, text) in (seq..).zip(items(texts)) {
        if count > 0 {
            time = moved(time, gaps.next()?)?;
        }
        if seq > MOST || kind_of(text) != Some(Kind::String) {
            return None;
        }
        count += 1;
        let event = DeltaEvent {
            head,
            seq,
            time,
            text,
        };
        take(&event.write(), Some(seq));
    }
    (count >= LEAST_RUN && gaps.next().is_none()).then_some(())
}

/// A time, moved by a gap that is written as an integer.
fn moved(time: u64, gap: &[u8]) -> Option<u64> {
    let gap = Reader::new(gap).number()?;
    let is_gap = gap.fract() == 0.0 && gap.abs() <= MOST as f64;
    let time = time.checked_add_signed(is_gap.then_some(gap as i64)?)?;
    (time <= MOST).then_some(time)
}

fn write_row(run: &[DeltaEvent<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    let Some(first) = run.first() else {
        return out;
    };
    let head = &first.head;
    out.push(b'[');
    out.extend_from_slice(head.kind.name());
    out.extend_from_slice(format!(",{},{}", first.seq, first.time).as_bytes());
    let (id, name) = head.call.map_or((None, None), |(id, name)| {
        (Some(id), Some(name.unwrap_or(b"null")))
    });
    let values = [Some(head.turn), Some(head.step), Some(head.index), id, name];
    for value in values.into_iter().flatten() {
        out.push(b',');
        out.extend_from_slice(value);
    }
    out.extend_from_slice(b",[");
    for (place, pair) in run.windows(2).enumerate() {
        // Times are safe integers, so their difference is one too.
        let gap = pair[1].time as i64 - pair[0].time as i64;
        let comma = if place > 0 { "," } else { "" };
        out.extend_from_slice(format!("{comma}{gap}").as_bytes());
    }
    out.extend_from_slice(b"],[");
    for (place, chunk) in run.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(chunk.text);
    }
    out.extend_from_slice(b"]]");
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_chunk(seq: u64, time: u64, text: &str) -> String {
        format!(
            r#"{{"type":"assistant/chunk","seq":{seq},"time":{time},"data":{{"turn":1,"step":2,"chunk":{{"type":"text-delta","index":0,"text":"{text}"}}}}}}"#
        )
    }

    fn call_chunk(seq: u64, name: &str) -> String {
        format!(
            r#"{{"type":"assistant/chunk","seq":{seq},"time":5,"data":{{"turn":1,"step":2,"chunk":{{"type":"tool-call-delta","index":0,"id":"c"{name},"argumentsDelta":"{{\"a"}}}}}}"#
        )
    }

    fn slices(events: &[String]) -> Vec<&[u8]> {
        events.iter().map(|event| event.as_bytes()).collect()
    }

    fn packed(events: &[String]) -> Vec<(String, usize)> {
        let rows = pack(&slices(events)).into_iter();
        rows.map(|row| (String::from_utf8(row.text.into_owned()).unwrap(), row.count))
            .collect()
    }

    fn unpacked(rows: &[Row<'_>]) -> Vec<Vec<u8>> {
        rows.iter()
            .flat_map(|row| {
                let events = unpack(&row.text).unwrap();
                assert_eq!(events.len(), row.count);
                events
            })
            .collect()
    }

    #[test]
    fn runs_of_three_are_packed() {
        let events = [
            text_chunk(4, 1000, "He"),
            text_chunk(5, 1003, r"\u006c\ud83d"),
            text_chunk(6, 999, ""),
            r#"{"type":"step/end","seq":7}"#.to_owned(),
            call_chunk(8, ""),
            call_chunk(9, ""),
            call_chunk(10, ""),
            call_chunk(11, r#","name":"n""#),
            call_chunk(12, r#","name":"n""#),
            call_chunk(13, r#","name":"n""#),
        ];
        assert_eq!(
            packed(&events),
            [
                (
                    r#"["text-delta",4,1000,1,2,0,[3,-4],["He","\u006c\ud83d",""]]"#.to_owned(),
                    3
                ),
                (events[3].clone(), 1),
                (
                    r#"["tool-call-delta",8,5,1,2,0,"c",null,[0,0],["{\"a","{\"a","{\"a"]]"#
                        .to_owned(),
                    3
                ),
                (
                    r#"["tool-call-delta",11,5,1,2,0,"c","n",[0,0],["{\"a","{\"a","{\"a"]]"#
                        .to_owned(),
                    3
                ),
            ]
        );
        assert_eq!(unpacked(&pack(&slices(&events))), slices(&events));
    }

    #[test]
    fn what_differs_in_anything_else_is_left_alone() {
        let run: Vec<String> = (0..3).map(|seq| text_chunk(seq, 9, "x")).collect();
        assert_eq!(packed(&run).len(), 1);
        let long = format!(
            "\"index\":{}1",
            "0.".to_owned() + &"0".repeat(MOST_REPEATED)
        );
        for (plain, other) in [
            ("\"seq\":1", "\"seq\":7"),
            ("\"seq\":1", "\"seq\":1.0"),
            ("\"seq\":1", "\"seq\": 1"),
            ("\"time\":9", "\"time\":9e0"),
            ("\"time\":9", "\"time\":-9"),
            ("\"turn\":1", "\"turn\":2"),
            ("\"turn\":1", "\"turn\":null"),
            ("\"index\":0", "\"index\":0.0"),
            ("\"index\":0", &long),
            ("\"text\":\"x\"", "\"text\":5"),
            ("\"text\":\"x\"", "\"text\":\"x\",\"more\":1"),
            ("text-delta", "text-\\u0064elta"),
            ("text-delta", "reasoning-delta"),
            ("}}}", "}},\"surfaceOp\":\"append\"}"),
        ] {
            let mut run = run.clone();
            run[1] = run[1].replace(plain, other);
            assert_eq!(packed(&run).len(), 3, "{other}");
            assert_eq!(unpacked(&pack(&slices(&run))), slices(&run));
        }
    }

    #[test]
    fn a_typical_stream_takes_an_eighth() {
        let words = ["the ", "cat sat on", " a mat, and", "then ", "it slept"];
        let time = 1_700_000_000_000;
        let events: Vec<String> = (0..20)
            .map(|n| text_chunk(300 + n, time + 17 * n, words[n as usize % words.len()]))
            .collect();
        let rows = pack(&slices(&events));
        let plain: usize = events.iter().map(String::len).sum();
        assert_eq!(rows.len(), 1);
        assert!(
            rows[0].text.len() * 8 < plain,
            "{} of {plain}",
            rows[0].text.len()
        );
    }

    #[test]
    fn malformed_rows_are_refused() {
        let good = r#"["text-delta",4,1000,1,2,0,[3,-4],["a","b","c"]]"#;
        assert!(unpack(good.as_bytes()).is_ok());
        let most = MOST.to_string();
        for (part, damage) in [
            ("text-delta", "block-end"),
            ("text-delta", "tool-call-delta"),
            ("\"text-delta\",", ""),
            ("4", &most),
            ("4", "-4"),
            ("4", "4.5"),
            ("1000", "1e300"),
            ("1000", "0"),
            ("1,2", "\"1\",2"),
            ("[3,-4]", "[3]"),
            ("[3,-4]", "[3,-4,5]"),
            ("[3,-4]", "[3,0.5]"),
            ("[3,-4]", "[3,\"4\"]"),
            ("[3,-4]", "7"),
            ("[3,-4],", ""),
            ("-4", "9007199254740991"),
            ("\"c\"", "5"),
            (",\"c\"", ""),
            ("]]", "],1]"),
            ("]]", "]"),
        ] {
            let row = good.replacen(part, damage, 1);
            let error = unpack(row.as_bytes()).unwrap_err();
            assert_eq!(error.code, SessionCode::CorruptLog, "{row}");
        }
        for row in ["", "5", "[]", "[[]]", "{", "{\"a\":-0}", "\"text-delta\""] {
            assert!(unpack(row.as_bytes()).is_err(), "{row}");
        }
        let last = good.replace('4', &(MOST - 2).to_string());
        assert!(unpack(last.replace(&format!("-{}", MOST - 2), "0").as_bytes()).is_ok());
    }

    #[test]
    fn a_row_stands_for_no_more_than_its_size_allows() {
        let id = "i".repeat(MOST_REPEATED - 3 - 2 - 2);
        let row = |id: &str| {
            format!(
                r#"["tool-call-delta",1000000000000000,1000000000000000,1,2,0,"{id}","",[0{}],[""{}]]"#,
                ",0".repeat(9998),
                ",\"\"".repeat(9999)
            )
        };
        let row_text = row(&id);
        let events = unpack(row_text.as_bytes()).unwrap();
        let bytes: usize = events.iter().map(Vec::len).sum();
        assert!(bytes <= row_text.len() * MOST_GROWTH);
        assert!(
            bytes * 11 > row_text.len() * MOST_GROWTH * 10,
            "the bound is tight"
        );
        assert!(unpack(row(&(id + "i")).as_bytes()).is_err());
    }

    fn any_event() -> impl Strategy<Value = (u8, u64, String, bool)> {
        (
            prop_oneof![8 => Just(0_u8), 1 => 1..8_u8],
            0..3_u64,
            r#"[a-z é😀]{0,5}|\\\\u00[0-9a-f]{2}|\\\\n"#,
            proptest::bool::weighted(0.05),
        )
    }

    /// Mostly runs, with other types, other heads, other spellings and gaps between them.
    fn written(events: &[(u8, u64, String, bool)]) -> Vec<String> {
        let (mut seq, mut time) = (7, 1000);
        let mut out = Vec::new();
        for (odd, moved, text, skips) in events {
            seq += 1 + u64::from(*skips);
            time = time + 1 - moved;
            let plain = text_chunk(seq, time, text);
            out.push(match odd {
                1 => plain.replace(":", ": "),
                2 => plain.replace("\"turn\":1", "\"turn\":1.0"),
                3 => plain.replace("text-delta", "reasoning-delta"),
                4 => call_chunk(seq, ",\"name\":\"n\""),
                5 => format!(r#"{{"type":"step/end","seq":{seq}}}"#),
                6 => plain.replace("assistant", "\\u0061ssistant"),
                7 => "[1,2]".to_owned(),
                _ => plain,
            });
        }
        out
    }

    proptest! {
        #[test]
        fn unpacking_gives_back_what_was_packed(events in proptest::collection::vec(any_event(), 0..60)) {
            // An event is an object; anything else is no row of its own.
            let mut events = written(&events);
            events.retain(|event| event.starts_with('{'));
            prop_assert_eq!(unpacked(&pack(&slices(&events))), slices(&events));
        }

        #[test]
        fn damaged_rows_never_panic(
            events in proptest::collection::vec(any_event(), 3..20),
            damage in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4),
            cut: usize,
        ) {
            let events = written(&events);
            for row in pack(&slices(&events)) {
                let mut text = row.text.into_owned();
                for (at, byte) in &damage {
                    let at = at % text.len();
                    text[at] = *byte;
                }
                for text in [&text[..], &text[..cut % text.len()]] {
                    if let Ok(events) = unpack(text) {
                        let bytes: usize = events.iter().map(Vec::len).sum();
                        prop_assert!(bytes <= text.len() * MOST_GROWTH);
                        prop_assert!(events.iter().all(|event| check(event).is_ok()));
                    }
                }
            }
        }
    }
}
