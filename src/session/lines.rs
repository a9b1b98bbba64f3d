//! A session as JSON lines (spec 2-session.md, 12.3 and 12.4).
//!
//! ```text
//! {"type":"session","version":0,"id":"s","createdAt":5}
//! {"type":"turn/start","seq":0,"time":1000,"data":{…}}
//! ```
//!
//! A newline ends every line, so what stands behind the last one was cut off while it was written. A line that cannot be
//! read is damage if a turn ended at or after it; behind the last `turn/end`, nobody was promised anything, and the
//! log ends before that line.
//!
//! Scanning does not judge the version or legacy events: [`check_version`] and [`check_legacy`] do, so that a caller can
//! say which log it refuses.

use std::borrow::Cow;

use super::error::{SessionCode, SessionError};
use super::event::{Event, kind_of, member, safe_integer, string};
use super::object::object;
use crate::json::{Kind, Reader, check, find_byte};

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedLog<'a> {
    /// The session header, `{version, id, createdAt, cwd?, parentSession?, seedLength?}`.
    pub header: Vec<u8>,
    /// The events' checked JSON texts, as they stand in their lines; each has its index as its `seq`.
    pub events: Vec<&'a [u8]>,
    /// How many bytes the header and these events take. What is behind them is torn.
    pub committed_bytes: usize,
}

/// Reads a file. Linear.
///
/// # Errors
/// [`SessionCode::CorruptLog`]: for a missing or malformed header line, and for an event line that is not JSON or not at
/// the index its `seq` says, unless it is torn; the event line's number, from 1, is the detail `line`.
pub fn scan_log(text: &[u8]) -> Result<ScannedLog<'_>, SessionError> {
    scan_log_with(text, &mut |_, _| ())
}

/// The same; hands each event to `take` with its number, in order, while it is read anyway.
///
/// # Errors
/// As [`scan_log`]; what was taken does not count then.
pub fn scan_log_with<'a>(
    text: &'a [u8],
    take: &mut dyn FnMut(u64, &Event<'a>),
) -> Result<ScannedLog<'a>, SessionError> {
    let Some((header_line, lines)) = split_line(text) else {
        return Err(corrupt("empty or header-less session log".to_owned()));
    };
    let header = read_header(header_line)
        .ok_or_else(|| corrupt("the first line is no session header".to_owned()))?;
    let mut events = Vec::new();
    let mut committed_bytes = text.len() - lines.len();
    let mut unreadable = None;
    let mut rest = lines;
    for index in 0.. {
        let Some((line, behind)) = split_line(rest) else {
            break;
        };
        rest = behind;
        let event = read_event(line);
        if unreadable.is_none()
            && let Some(event) = event
            && has_seq(&event, index)
        {
            take(index, &event);
            events.push(line);
            committed_bytes = text.len() - rest.len();
            continue;
        }
        let line = *unreadable.get_or_insert(index + 1);
        if event.is_some_and(|event| event.is("turn/end")) {
            return Err(
                corrupt(format!("event line {line} cannot be read")).with("line", line as f64)
            );
        }
    }
    Ok(ScannedLog {
        header,
        events,
        committed_bytes,
    })
}

/// The first line without its newline, and what is behind it.
fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let newline = find_byte(text, 0, b'\n');
    Some((text.get(..newline)?, text.get(newline + 1..)?))
}

fn read_event(line: &[u8]) -> Option<Event<'_>> {
    check(line).ok()?;
    Event::read(line)
}

fn has_seq(event: &Event<'_>, index: u64) -> bool {
    event.seq.and_then(safe_integer) == Some(index)
}

/// The header in its fixed key order; `None` for a line that is none.
fn read_header(line: &[u8]) -> Option<Vec<u8>> {
    check(line).ok()?;
    let has =
        |name: &str, kind: Kind| member(line, name).is_some_and(|it| kind_of(it) == Some(kind));
    let may_have = |name: &str, kind: Kind| member(line, name).is_none() || has(name, kind);
    let is_header = member(line, "type")
        .and_then(string)
        .is_some_and(|kind| kind.eq_str("session"))
        && has("version", Kind::Number)
        && has("id", Kind::String)
        && has("createdAt", Kind::Number)
        && may_have("cwd", Kind::String)
        && may_have("parentSession", Kind::String)
        && member(line, "seedLength").is_none_or(|length| safe_integer(length).is_some());
    is_header.then(|| object(&header_members(line)))
}

fn header_members(header: &[u8]) -> [(&'static str, Option<&[u8]>); 6] {
    [
        "version",
        "id",
        "createdAt",
        "cwd",
        "parentSession",
        "seedLength",
    ]
    .map(|name| (name, member(header, name)))
}

/// The first line of a file, without its newline, from a session header. Keys of the header that the format does not
/// know are left out.
pub fn header_line(header: &[u8]) -> Vec<u8> {
    let tag = [("type", Some(&b"\"session\""[..]))];
    let members: Vec<_> = tag.into_iter().chain(header_members(header)).collect();
    on_one_line(&object(&members)).into_owned()
}

/// The whole file of a session header and events of checked JSON text.
///
/// Read again, it gives these very texts, but for newlines in the white space between their tokens.
pub fn write_log(header: &[u8], events: &[&[u8]]) -> Vec<u8> {
    let mut out = header_line(header);
    out.push(b'\n');
    for event in events {
        out.extend_from_slice(&on_one_line(event));
        out.push(b'\n');
    }
    out
}

/// JSON text without newlines. They can only stand between tokens, so spaces do as well.
fn on_one_line(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\n') {
        return Cow::Borrowed(text);
    }
    let mut line = text.to_vec();
    for byte in line.iter_mut().filter(|byte| **byte == b'\n') {
        *byte = b' ';
    }
    Cow::Owned(line)
}

/// Refuses the header of a log of another version than 0.
///
/// # Errors
/// [`SessionCode::UnsupportedVersion`].
pub fn check_version(header: &[u8]) -> Result<(), SessionError> {
    let version = member(header, "version").unwrap_or(b"undefined");
    if Reader::new(version).number() == Some(0.0) {
        return Ok(());
    }
    let id = member(header, "id").and_then(string);
    Err(SessionError::new(
        SessionCode::UnsupportedVersion,
        format!(
            "unsupported session format version {} for \"{}\" (only v0 is supported)",
            String::from_utf8_lossy(version),
            String::from_utf8_lossy(id.map_or(b"", |id| id.escaped())),
        ),
    ))
}

/// Refuses a log with events of a legacy format.
///
/// # Errors
/// [`SessionCode::Delta`] and [`SessionCode::Fallback`], with the first such event's index as the detail `seq`.
pub fn check_legacy(events: &[&[u8]]) -> Result<(), SessionError> {
    for (seq, text) in events.iter().enumerate() {
        let event = Event::read(text).unwrap_or_default();
        let (code, what) = if event.is("request/header-delta") {
            (SessionCode::Delta, "request/header-delta format")
        } else if event.is("request/header") && is_fallback(event.data) {
            (SessionCode::Fallback, "request/header reason \"fallback\"")
        } else {
            continue;
        };
        let message = format!("event {seq} uses the unsupported legacy {what}");
        return Err(SessionError::new(code, message).with("seq", seq as f64));
    }
    Ok(())
}

fn is_fallback(data: Option<&[u8]>) -> bool {
    data.and_then(|data| member(data, "reason"))
        .and_then(string)
        .is_some_and(|reason| reason.eq_str("fallback"))
}

fn corrupt(message: String) -> SessionError {
    SessionError::new(SessionCode::CorruptLog, message)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str = r#"{"version":0,"id":"s","createdAt":5}"#;
    const HEADER_LINE: &str = r#"{"type":"session","version":0,"id":"s","createdAt":5}"#;
    const END: &str = r#"{"type":"turn/end","seq":1,"data":{}}"#;

    fn event(seq: u64) -> String {
        format!(r#"{{"type":"x","seq":{seq},"data":"é\ud83d"}}"#)
    }

    fn file(events: &[&str], torn: &str) -> String {
        let lines = [&[HEADER_LINE], events].concat().join("\n");
        format!("{lines}\n{torn}")
    }

    /// How many events a file has, whose committed part is as long as the file without `torn`.
    fn kept(events: &[&str], torn: &str) -> usize {
        let file = file(events, torn);
        let log = scan_log(file.as_bytes()).unwrap();
        assert_eq!(log.committed_bytes, file.len() - torn.len());
        assert_eq!(log.header, HEADER.as_bytes());
        log.events.len()
    }

    fn corrupt_line(events: &[&str]) -> f64 {
        let error = scan_log(file(events, "").as_bytes()).unwrap_err();
        assert_eq!(error.code, SessionCode::CorruptLog);
        error.details[0].1
    }

    #[test]
    fn what_comes_behind_the_last_turn_may_be_torn() {
        let (a, c) = (event(0), event(2));
        assert_eq!(kept(&[], ""), 0);
        assert_eq!(kept(&[&a, END, &c], ""), 3);
        for torn in [
            "{",
            &a,
            "\n",
            "{bad\n",
            "5\n",
            "{\"seq\":9}\n",
            "{}\n{\"seq\":4}\n",
        ] {
            assert_eq!(kept(&[&a, END, &c], torn), 3, "{torn}");
            assert_eq!(kept(&[&a], torn), 1, "{torn}");
        }
    }

    #[test]
    fn what_comes_before_it_must_be_readable() {
        let a = event(0);
        assert_eq!(corrupt_line(&["{bad", END]), 1.0);
        assert_eq!(corrupt_line(&["", END]), 1.0);
        assert_eq!(corrupt_line(&["{\"seq\":-0}", END]), 1.0);
        assert_eq!(corrupt_line(&[&a, "5", "{", END, &a]), 2.0);
        assert_eq!(corrupt_line(&[END]), 1.0, "a turn's end in the wrong place");
        assert_eq!(corrupt_line(&[&a, END, END]), 3.0);
    }

    #[test]
    fn there_must_be_a_header() {
        for text in [
            "",
            HEADER_LINE,
            "\n",
            "{x\n",
            "5\n",
            "{\"type\":\"x\",\"version\":0,\"id\":\"s\",\"createdAt\":5}\n",
            "{\"type\":\"session\",\"version\":\"0\",\"id\":\"s\",\"createdAt\":5}\n",
            "{\"type\":\"session\",\"version\":0,\"createdAt\":5}\n",
            "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":5,\"cwd\":null}\n",
            "{\"type\":\"session\",\"version\":0,\"id\":\"s\",\"createdAt\":5,\"seedLength\":-1}\n",
        ] {
            let error = scan_log(text.as_bytes()).unwrap_err();
            assert_eq!(error.code, SessionCode::CorruptLog, "{text}");
            assert!(error.details.is_empty());
        }
    }

    #[test]
    fn the_header_line_has_its_own_order() {
        let header = r#"{"seedLength":0,"x":1,"parentSession":"p","cwd":"/w","createdAt":1,"id":"s","version":0}"#;
        assert_eq!(
            String::from_utf8(header_line(header.as_bytes())).unwrap(),
            r#"{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/w","parentSession":"p","seedLength":0}"#
        );
        assert_eq!(header_line(HEADER.as_bytes()), HEADER_LINE.as_bytes());
    }

    #[test]
    fn other_versions_are_read_and_then_refused() {
        let text = file(&[], "").replace("\"version\":0", "\"version\":7");
        let log = scan_log(text.as_bytes()).unwrap();
        let error = check_version(&log.header).unwrap_err();
        assert_eq!(error.code, SessionCode::UnsupportedVersion);
        assert_eq!(
            error.message,
            "unsupported session format version 7 for \"s\" (only v0 is supported)"
        );
        assert_eq!(check_version(HEADER.as_bytes()), Ok(()));
        assert!(check_version(b"{}").is_err());
    }

    #[test]
    fn legacy_events_are_refused_by_name() {
        let plain: &[u8] = br#"{"type":"request/header","data":{"reason":"initial"}}"#;
        let odd: &[u8] = br#"{"type":"request/header","data":null}"#;
        assert_eq!(check_legacy(&[plain, odd, b"5"]), Ok(()));
        for (legacy, code) in [
            (
                r#"{"type":"request/header-delta","data":{}}"#,
                SessionCode::Delta,
            ),
            (
                r#"{"type":"request/header","data":{"reason":"fallback"}}"#,
                SessionCode::Fallback,
            ),
        ] {
            let error = check_legacy(&[plain, odd, legacy.as_bytes()]).unwrap_err();
            assert_eq!((error.code, error.details), (code, vec![("seq", 2.0)]));
        }
    }

    #[test]
    fn newlines_between_tokens_become_spaces() {
        let event = b"{\"seq\":\n0}";
        let text = write_log(HEADER.as_bytes(), &[event]);
        assert_eq!(scan_log(&text).unwrap().events, [b"{\"seq\": 0}"]);
    }

    proptest! {
        #[test]
        fn a_file_reads_back_as_it_was_written(
            kinds in proptest::collection::vec("turn/end|x|[a-z]/\\PC{0,4}", 0..12),
            cut in any::<proptest::sample::Index>(),
        ) {
            let events: Vec<Vec<u8>> = kinds.iter().enumerate().map(|(seq, kind)| {
                let mut text = b"{\"type\":".to_vec();
                crate::json::write_string(&mut text, kind);
                text.extend_from_slice(format!(r#", "seq":{seq}.0,"data":[1e2,"\u00e9"]}}"#).as_bytes());
                text
            }).collect();
            let texts: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
            let file = write_log(HEADER.as_bytes(), &texts);
            let log = scan_log(&file).unwrap();
            prop_assert_eq!(&log.events, &texts);
            prop_assert_eq!(log.committed_bytes, file.len());
            prop_assert_eq!(write_log(&log.header, &log.events), file.clone());
            // Cut off anywhere behind the header, the whole lines are left.
            let cut = HEADER_LINE.len() + 1 + cut.index(file.len() - HEADER_LINE.len());
            let log = scan_log(&file[..cut]).unwrap();
            prop_assert!(texts.starts_with(&log.events));
            prop_assert_eq!(write_log(&log.header, &log.events), &file[..log.committed_bytes]);
        }

        #[test]
        fn damage_never_panics(mut file in any::<Vec<u8>>(), at in any::<usize>(), byte: u8) {
            let _ = scan_log(&file);
            file = file_with(&file);
            let at = at % file.len();
            file[at] = byte;
            if let Ok(log) = scan_log(&file) {
                prop_assert!(log.committed_bytes <= file.len());
            }
        }
    }

    fn file_with(tail: &[u8]) -> Vec<u8> {
        [file(&[&event(0), END, &event(2)], "").as_bytes(), tail].concat()
    }
}
