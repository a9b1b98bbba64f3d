//! A session as JSON lines, for carrying it elsewhere: a header, then one entry a line.
//!
//! ```text
//! {"format":"turnlog/session","version":1,"sessionId":"user-42"}
//! {"kind":"turn","input":{…},"output":{…}}
//! ```

use super::log::Log;
use crate::history::check_entry;
use crate::json::{RawStr, Reader, check, write_string};
use crate::protocol::{Error, ErrorCode, SessionId};

const FORMAT: &str = "turnlog/session";
const VERSION: f64 = 1.0;

/// The lines of a session's oldest `count` records.
pub fn write(session: &SessionId, log: &Log, count: usize) -> Vec<u8> {
    write_texts(session, (0..count).map(|index| log.text(index)))
}

/// The lines of entries given as JSON text.
pub fn write_texts<'a>(session: &SessionId, texts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = format!("{{\"format\":\"{FORMAT}\",\"version\":1,\"sessionId\":").into_bytes();
    write_string(&mut out, session.as_str());
    out.extend_from_slice(b"}\n");
    for text in texts {
        out.extend_from_slice(text);
        out.push(b'\n');
    }
    out
}

/// The session and the texts of its entries, each checked.
///
/// # Errors
/// `invalid` with the path of the line, counted from 0; `version_too_new` for a later format.
pub fn read(bytes: &[u8]) -> Result<(SessionId, Vec<&[u8]>), Error> {
    let mut lines = bytes
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    let session = read_header(lines.next().unwrap_or_default()).map_err(|e| e.below("[0]"))?;
    let mut entries = Vec::new();
    for (index, line) in lines.enumerate() {
        let line = line.trim_ascii();
        checked(line)
            .and_then(|()| check_entry(line))
            .map_err(|e| e.below(&format!("[{}]", index + 1)))?;
        entries.push(line);
    }
    Ok((session, entries))
}

fn checked(line: &[u8]) -> Result<(), Error> {
    check(line).map_err(|e| Error {
        code: ErrorCode::NotJson,
        ..Error::invalid("", format!("is not JSON: {e}"))
    })
}

fn read_header(line: &[u8]) -> Result<SessionId, Error> {
    checked(line)?;
    let (mut format, mut version, mut session) = (None, None, None);
    let mut reader = Reader::new(line);
    if reader.begin_object() {
        while let Some(key) = reader.next_key() {
            match key.escaped() {
                b"version" => version = reader.number(),
                b"format" => format = reader.string(),
                b"sessionId" => session = reader.string(),
                _ => drop(reader.skip()),
            }
        }
    }
    if !format.is_some_and(|word: RawStr<'_>| word.eq_str(FORMAT)) {
        return Err(Error::invalid("format", format!("must be '{FORMAT}'")));
    }
    match version {
        Some(VERSION) => {}
        Some(later) if later > VERSION => {
            return Err(Error::store(
                ErrorCode::VersionTooNew,
                "was written by a newer version of this package",
            ));
        }
        _ => return Err(Error::invalid("version", "must be 1")),
    }
    let session = session.ok_or_else(|| Error::invalid("sessionId", "must be a string"))?;
    SessionId::from_json(session).map_err(|e| e.below("sessionId"))
}

#[cfg(test)]
mod tests {
    use super::super::log::Record;
    use super::*;

    const ENTRY: &str = r#"{"kind":"injection","input":{"type":"assistant_message","id":"m","sessionId":"s","timestamp":1,"content":"\ud83d"}}"#;

    #[test]
    fn a_session_goes_out_and_comes_back() {
        let mut log = Log::default();
        log.push(Record {
            id: b"m",
            text: ENTRY.as_bytes(),
        });
        let session = SessionId::new("a\"b").unwrap();
        let lines = write(&session, &log, 1);
        assert_eq!(read(&lines).unwrap(), (session, vec![ENTRY.as_bytes()]));
    }

    #[test]
    fn what_is_no_session_is_refused_with_its_line() {
        let header = r#"{"format":"turnlog/session","version":1,"sessionId":"s"}"#;
        let path = |text: &str| read(text.as_bytes()).unwrap_err().path.unwrap_or_default();
        assert_eq!(path(""), "[0]");
        assert_eq!(path("{}"), "[0].format");
        assert_eq!(path(&header.replace("\"s\"", "\"\"")), "[0].sessionId");
        assert_eq!(path(&header.replace(":1", ":0")), "[0].version");
        assert_eq!(path(&format!("{header}\n{ENTRY}\n{{")), "[2]");
        assert_eq!(
            path(&format!("{header}\n{}", ENTRY.replace("\"m\"", "3"))),
            "[1].input.id"
        );
        let newer = read(header.replace(":1", ":2").as_bytes()).unwrap_err();
        assert_eq!(newer.code, ErrorCode::VersionTooNew);
    }
}
