//! What a caller hands to the engine: a chart request or an assistant injection, and what a planner
//! gives back. Fields that are not named here are kept and never looked at.

use super::{Error, MessageId, SessionId};
use crate::json::{Kind, RawStr, Reader};

/// Which of the two messages it is (seed 001).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// `chart_request`: asks the planner for a response.
    ChartRequest,
    /// `assistant_message`: text put into the history without asking the planner.
    AssistantInjection,
}

impl MessageKind {
    /// The word in the message's `type` field.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChartRequest => "chart_request",
            Self::AssistantInjection => "assistant_message",
        }
    }
}

/// The envelope of a checked message.
#[derive(Clone, Debug)]
pub struct Message {
    /// Request or injection.
    pub kind: MessageKind,
    /// What duplicates are told by.
    pub id: MessageId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Length of an injection's `content`, in UTF-16 code units; 0 for a request.
    pub content_units: usize,
}

#[derive(Default)]
struct Fields<'a> {
    kind: Option<RawStr<'a>>,
    id: Option<RawStr<'a>>,
    session_id: Option<RawStr<'a>>,
    timestamp: Option<f64>,
    content: Option<RawStr<'a>>,
    reasons: Option<Result<(), Error>>,
}

/// Checks a message given as JSON text (already lossless JSON) and reads its envelope.
///
/// # Errors
/// `invalid` with the path of the first offender, in the order type, id, sessionId, timestamp, then
/// `content` or `reasons`.
pub fn check_message(text: &[u8]) -> Result<Message, Error> {
    let mut reader = Reader::new(text);
    if !reader.begin_object() {
        return Err(Error::invalid("", "a message must be an object"));
    }
    let mut fields = Fields::default();
    while let Some(key) = reader.next_key() {
        // The last of two equal keys wins, as in JSON.parse.
        match key.escaped() {
            b"type" => fields.kind = string_or_skip(&mut reader),
            b"id" => fields.id = string_or_skip(&mut reader),
            b"sessionId" => fields.session_id = string_or_skip(&mut reader),
            b"timestamp" => fields.timestamp = number_or_skip(&mut reader),
            b"content" => fields.content = string_or_skip(&mut reader),
            b"reasons" => fields.reasons = Some(check_reasons(&mut reader)),
            _ => drop(reader.skip()),
        }
    }
    let kind = match fields.kind {
        Some(word) if word.eq_str("chart_request") => MessageKind::ChartRequest,
        Some(word) if word.eq_str("assistant_message") => MessageKind::AssistantInjection,
        _ => {
            return Err(Error::invalid(
                "type",
                "must be 'chart_request' or 'assistant_message'",
            ));
        }
    };
    let id = MessageId::from_json(need(fields.id, "id")?).map_err(|e| e.below("id"))?;
    let session_id = SessionId::from_json(need(fields.session_id, "sessionId")?)
        .map_err(|e| e.below("sessionId"))?;
    if fields.timestamp.is_none() {
        return Err(Error::invalid(
            "timestamp",
            "must be a finite number of epoch milliseconds",
        ));
    }
    let content_units = match kind {
        MessageKind::AssistantInjection => need(fields.content, "content")?.utf16_len(),
        MessageKind::ChartRequest => {
            fields
                .reasons
                .unwrap_or_else(|| Err(Error::invalid("reasons", "must be an array")))?;
            0
        }
    };
    Ok(Message {
        kind,
        id,
        session_id,
        content_units,
    })
}

/// Checks what a planner returned: an object whose `userMessage` is a string.
///
/// # Errors
/// `invalid` with path `userMessage`, or without a path when it is not an object.
pub fn check_output(text: &[u8]) -> Result<(), Error> {
    let mut reader = Reader::new(text);
    if !reader.begin_object() {
        return Err(Error::invalid("", "a chart response must be an object"));
    }
    let mut message = None;
    while let Some(key) = reader.next_key() {
        match key.escaped() {
            b"userMessage" => message = string_or_skip(&mut reader),
            _ => drop(reader.skip()),
        }
    }
    need(message, "userMessage").map(drop)
}

pub(super) fn string_or_skip<'a>(reader: &mut Reader<'a>) -> Option<RawStr<'a>> {
    let text = reader.string();
    if text.is_none() {
        reader.skip();
    }
    text
}

pub(super) fn number_or_skip(reader: &mut Reader<'_>) -> Option<f64> {
    let number = reader.number();
    if number.is_none() {
        reader.skip();
    }
    number.filter(|n| n.is_finite())
}

pub(super) fn need<'a>(value: Option<RawStr<'a>>, path: &str) -> Result<RawStr<'a>, Error> {
    value.ok_or_else(|| Error::invalid(path, "must be a string"))
}

/// `UpdateReason[]`: objects with a string `kind`; a `user_intent` also has a string `text`.
fn check_reasons(reader: &mut Reader<'_>) -> Result<(), Error> {
    if !reader.begin_array() {
        reader.skip();
        return Err(Error::invalid("reasons", "must be an array"));
    }
    let mut index = 0;
    let mut first_error = Ok(());
    while reader.next_item() {
        let checked = check_reason(reader).map_err(|e| e.below(&format!("reasons[{index}]")));
        first_error = first_error.and(checked);
        index += 1;
    }
    first_error
}

fn check_reason(reader: &mut Reader<'_>) -> Result<(), Error> {
    if reader.kind() != Some(Kind::Object) {
        reader.skip();
        return Err(Error::invalid("", "must be an object"));
    }
    reader.begin_object();
    let (mut kind, mut text) = (None, None);
    while let Some(key) = reader.next_key() {
        match key.escaped() {
            b"kind" => kind = string_or_skip(reader),
            b"text" => text = string_or_skip(reader),
            _ => drop(reader.skip()),
        }
    }
    if need(kind, "kind")?.eq_str("user_intent") {
        need(text, "text")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_of(text: &str) -> String {
        check_message(text.as_bytes())
            .expect_err("refused")
            .path
            .unwrap_or_default()
    }

    #[test]
    fn a_request_and_an_injection_are_told_apart_by_type() {
        let request =
            r#"{"type":"chart_request","id":"a","sessionId":"s","timestamp":1,"reasons":[]}"#;
        let injection = r#"{"type":"assistant_message","id":"a","sessionId":"s","timestamp":-1.5,"content":"h😀"}"#;
        assert_eq!(
            check_message(request.as_bytes()).unwrap().kind,
            MessageKind::ChartRequest
        );
        let injection = check_message(injection.as_bytes()).unwrap();
        assert_eq!(
            (injection.kind, injection.content_units),
            (MessageKind::AssistantInjection, 3)
        );
    }

    #[test]
    fn the_first_offender_is_named() {
        assert_eq!(path_of("[]"), "");
        assert_eq!(path_of(r#"{"id":"a"}"#), "type");
        assert_eq!(path_of(r#"{"type":"chart_request"}"#), "id");
        assert_eq!(
            path_of(r#"{"type":"chart_request","id":"a","sessionId":7}"#),
            "sessionId"
        );
        let open = r#"{"type":"chart_request","id":"a","sessionId":"s","#;
        assert_eq!(
            path_of(&format!("{open}\"timestamp\":\"1\"}}")),
            "timestamp"
        );
        assert_eq!(path_of(&format!("{open}\"timestamp\":1}}")), "reasons");
        assert_eq!(
            path_of(&format!(
                "{open}\"timestamp\":1,\"reasons\":[{{\"kind\":\"x\"}},3]}}"
            )),
            "reasons[1]"
        );
        assert_eq!(
            path_of(&format!(
                "{open}\"timestamp\":1,\"reasons\":[{{\"kind\":\"user_intent\"}}]}}"
            )),
            "reasons[0].text"
        );
        assert_eq!(
            path_of(
                &open
                    .replace("chart_request", "assistant_message")
                    .replace(",\"sessionId\"", ",\"timestamp\":0,\"sessionId\"")
                    .replace("\"s\",", "\"s\"}")
            ),
            "content"
        );
    }

    #[test]
    fn a_response_needs_a_user_message() {
        assert!(check_output(br#"{"plan":1,"userMessage":""}"#).is_ok());
        assert_eq!(
            check_output(b"{}").unwrap_err().path.as_deref(),
            Some("userMessage")
        );
        assert_eq!(check_output(b"\"x\"").unwrap_err().path, None);
    }
}
