//! `SessionHistoryEntry`, the wire form of one history entry (seed 000).

use super::message::{need, number_or_skip, string_or_skip};
use super::{Error, MessageId, SessionId};
use crate::json::{RawStr, Reader};
use std::ops::Range;

/// A checked wire entry, read in place.
#[derive(Clone, Debug)]
pub struct WireEntry<'a> {
    /// The message's id.
    pub id: MessageId,
    /// The session it says it belongs to.
    pub session_id: SessionId,
    /// The id and the other values as they are spelled in the text.
    pub id_text: RawStr<'a>,
    /// As spelled.
    pub session_text: RawStr<'a>,
    /// The spelling of the `timestamp` number.
    pub timestamp: &'a [u8],
    /// What kind of entry, with its texts.
    pub body: WireBody<'a>,
    /// Key and value of each field that seed 000 does not name, in order.
    pub unknown: Vec<(RawStr<'a>, &'a [u8])>,
}

/// The two members of the union.
#[derive(Clone, Copy, Debug)]
pub enum WireBody<'a> {
    /// `kind: 'turn'`.
    Turn {
        /// What the user asked; `''` when the turn carried no user intent.
        user_intent: RawStr<'a>,
        /// What the assistant answered.
        assistant_message: RawStr<'a>,
    },
    /// `kind: 'injection'`.
    Injection {
        /// The injected text, verbatim.
        content: RawStr<'a>,
    },
}

/// Checks a wire entry given as JSON text.
///
/// # Errors
/// `invalid` with the path of the first offender.
pub fn check_wire_entry(text: &[u8]) -> Result<WireEntry<'_>, Error> {
    let mut reader = Reader::new(text);
    if !reader.begin_object() {
        return Err(Error::invalid("", "a history entry must be an object"));
    }
    let (mut kind, mut id, mut session, mut content) = (None, None, None, None);
    let (mut intent, mut assistant) = (None, None);
    let mut timestamp: Option<Range<usize>> = None;
    let mut unknown = Vec::new();
    while let Some(key) = reader.next_key() {
        match key.escaped() {
            b"kind" => kind = string_or_skip(&mut reader),
            b"id" => id = string_or_skip(&mut reader),
            b"sessionId" => session = string_or_skip(&mut reader),
            b"timestamp" => {
                let from = reader.position();
                timestamp = number_or_skip(&mut reader).map(|_| from..reader.position());
            }
            b"userIntent" => intent = string_or_skip(&mut reader),
            b"assistantMessage" => assistant = string_or_skip(&mut reader),
            b"content" => content = string_or_skip(&mut reader),
            _ => unknown.extend(reader.skip().map(|range| (key, &text[range]))),
        }
    }
    let is_turn = match kind {
        Some(word) if word.eq_str("turn") => true,
        Some(word) if word.eq_str("injection") => false,
        _ => return Err(Error::invalid("kind", "must be 'turn' or 'injection'")),
    };
    let id_text = need(id, "id")?;
    let session_text = need(session, "sessionId")?;
    let id = MessageId::from_json(id_text).map_err(|e| e.below("id"))?;
    let session_id = SessionId::from_json(session_text).map_err(|e| e.below("sessionId"))?;
    let Some(timestamp) = timestamp else {
        return Err(Error::invalid(
            "timestamp",
            "must be a finite number of epoch milliseconds",
        ));
    };
    let body = if is_turn {
        WireBody::Turn {
            user_intent: need(intent, "userIntent")?,
            assistant_message: need(assistant, "assistantMessage")?,
        }
    } else {
        WireBody::Injection {
            content: need(content, "content")?,
        }
    };
    Ok(WireEntry {
        id,
        session_id,
        id_text,
        session_text,
        timestamp: text[timestamp].trim_ascii(),
        body,
        unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_members_of_the_union_are_read() {
        let turn = br#"{"kind":"turn","id":"a","sessionId":"s","timestamp":1.5,"userIntent":"","assistantMessage":"hi","x":[1]}"#;
        let entry = check_wire_entry(turn).unwrap();
        assert_eq!(
            (entry.id.as_str(), entry.timestamp),
            ("a", b"1.5".as_slice())
        );
        assert!(
            matches!(entry.body, WireBody::Turn { assistant_message, .. } if assistant_message.eq_str("hi"))
        );
        assert_eq!(entry.unknown.len(), 1);
        let injection =
            br#"{"kind":"injection","id":"a","sessionId":"s","timestamp":1,"content":"c"}"#;
        assert!(matches!(
            check_wire_entry(injection).unwrap().body,
            WireBody::Injection { .. }
        ));
    }

    #[test]
    fn the_first_offender_is_named() {
        let path = |text: &str| {
            check_wire_entry(text.as_bytes())
                .unwrap_err()
                .path
                .unwrap_or_default()
        };
        assert_eq!(path("3"), "");
        assert_eq!(path(r#"{"kind":"x"}"#), "kind");
        assert_eq!(path(r#"{"kind":"turn","id":""}"#), "sessionId");
        assert_eq!(path(r#"{"kind":"turn","id":"","sessionId":"s"}"#), "id");
        assert_eq!(
            path(r#"{"kind":"turn","id":"i","sessionId":"s","timestamp":null}"#),
            "timestamp"
        );
        assert_eq!(
            path(r#"{"kind":"turn","id":"i","sessionId":"s","timestamp":1}"#),
            "userIntent"
        );
        assert_eq!(
            path(r#"{"kind":"injection","id":"i","sessionId":"s","timestamp":1}"#),
            "content"
        );
    }
}
