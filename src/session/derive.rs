//! The message that one event stands for (spec 2-session.md, section 6).
//!
//! A pure function of the event. What an event says is copied as it is written; only the frame around context and
//! steering is ours. Payloads are not validated when they are appended, so this one has an answer for each: where
//! JavaScript would meet `undefined`, the member is left out, and what is no list has no blocks to frame.

use super::event::{Event, items, kind_of, member, string};
use super::object::object;
use crate::json::{Kind, stringify, write_string};

const USER: Option<&[u8]> = Some(b"\"user\"");
const ASSISTANT: Option<&[u8]> = Some(b"\"assistant\"");

/// The message of an event of checked JSON text, as JSON text; `None` for events that say nothing to a model:
/// log-only ones, unknown types, and assistant messages with empty content.
///
/// Linear in the event.
pub fn derive_event_message(event: &[u8]) -> Option<Vec<u8>> {
    let event = Event::read(event)?;
    let kind = event.kind_string()?.decode()?;
    let data = event.data.unwrap_or(b"null");
    match kind.as_ref() {
        "user/message" => Some(user_message(member(data, "content"))),
        "assistant/message" => assistant_message(data),
        "tool/result" => Some(tool_result(data)),
        "context/message" => Some(context_message(data)),
        "steering/message" => Some(user_message(Some(&framed(data, "steering")))),
        _ => None,
    }
}

fn user_message(content: Option<&[u8]>) -> Vec<u8> {
    object(&[("role", USER), ("content", content)])
}

fn assistant_message(data: &[u8]) -> Option<Vec<u8>> {
    let content = member(data, "content");
    if content.is_some_and(is_empty) {
        return None;
    }
    Some(object(&[
        ("role", ASSISTANT),
        ("content", content),
        ("provenance", member(data, "provenance")),
    ]))
}

/// Whether a value's `length` is 0 in JavaScript: an empty list, or an empty string.
fn is_empty(value: &[u8]) -> bool {
    match kind_of(value) {
        Some(Kind::Array) => items(value).next().is_none(),
        _ => string(value).is_some_and(|text| text.is_empty()),
    }
}

fn tool_result(data: &[u8]) -> Vec<u8> {
    let block = object(&[
        ("type", Some(b"\"tool-result\"")),
        ("toolCallId", member(data, "callId")),
        ("content", member(data, "content")),
        ("isError", member(data, "isError")),
    ]);
    user_message(Some(&[b"[", &block[..], b"]"].concat()))
}

/// Only the very string `raw` leaves the frame away; any other envelope is the default one.
fn context_message(data: &[u8]) -> Vec<u8> {
    let is_raw = member(data, "envelope")
        .and_then(string)
        .is_some_and(|envelope| envelope.eq_str("raw"));
    if is_raw {
        user_message(member(data, "content"))
    } else {
        user_message(Some(&framed(data, "context")))
    }
}

/// The content's blocks between a text block that opens the frame and one that closes it.
fn framed(data: &[u8], tag: &str) -> Vec<u8> {
    let mut out = vec![b'['];
    push_text_block(&mut out, &format!("<{tag} source={}>", source_kind(data)));
    out.push(b',');
    let blocks = member(data, "content").map(list_text).unwrap_or_default();
    if !blocks.is_empty() {
        out.extend_from_slice(blocks);
        out.push(b',');
    }
    push_text_block(&mut out, &format!("</{tag}>"));
    out.push(b']');
    out
}

/// What `JSON.stringify(source.kind)` prints. No character of it is escaped for XML (6.1).
fn source_kind(data: &[u8]) -> String {
    match member(data, "source").and_then(|source| member(source, "kind")) {
        Some(kind) => String::from_utf8_lossy(&stringify(kind)).into_owned(),
        None => "undefined".to_owned(),
    }
}

/// What stands between the brackets of a list.
fn list_text(list: &[u8]) -> &[u8] {
    list.strip_prefix(b"[")
        .and_then(|rest| rest.strip_suffix(b"]"))
        .unwrap_or_default()
        .trim_ascii()
}

fn push_text_block(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    write_string(out, text);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(kind: &str, data: &str) -> Option<String> {
        let event = format!(r#"{{"type":"{kind}","seq":0,"time":1,"data":{data}}}"#);
        derive_event_message(event.as_bytes()).map(|text| String::from_utf8(text).unwrap())
    }

    /// The text of the opening block, still escaped.
    fn opening(kind: &str) -> String {
        let data = format!(r#"{{"content":[],"source":{{"kind":{kind}}}}}"#);
        let text = derived("context/message", &data).unwrap();
        let start = text.find("<context").unwrap();
        text[start..start + text[start..].find("\"},").unwrap()].to_owned()
    }

    #[test]
    fn each_surface_type_has_its_message() {
        for (kind, data, expected) in [
            (
                "user/message",
                r#"{"content":[ 1 ],"source":{}}"#,
                r#"{"role":"user","content":[ 1 ]}"#,
            ),
            (
                "assistant/message",
                r#"{"provenance":{"a":1.0},"usage":1,"content":[{"x":"\u0061"}]}"#,
                r#"{"role":"assistant","content":[{"x":"\u0061"}],"provenance":{"a":1.0}}"#,
            ),
            (
                "assistant/message",
                r#"{"content":[0]}"#,
                r#"{"role":"assistant","content":[0]}"#,
            ),
            (
                "tool/result",
                r#"{"isError":true,"callId":"c","content":[],"error":{},"meta":1}"#,
                r#"{"role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[],"isError":true}]}"#,
            ),
            (
                "context/message",
                r#"{"content":[ 1, 2 ],"source":{"kind":"user"},"meta":1}"#,
                r#"{"role":"user","content":[{"type":"text","text":"<context source=\"user\">"},1, 2,{"type":"text","text":"</context>"}]}"#,
            ),
            (
                "context/message",
                r#"{"content":[1],"source":{"kind":"user"},"envelope":"r\u0061w"}"#,
                r#"{"role":"user","content":[1]}"#,
            ),
            (
                "steering/message",
                r#"{"content":[ ],"source":{"kind":"plugin","plugin":"p"},"envelope":"raw"}"#,
                r#"{"role":"user","content":[{"type":"text","text":"<steering source=\"plugin\">"},{"type":"text","text":"</steering>"}]}"#,
            ),
        ] {
            assert_eq!(derived(kind, data).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_events_say_nothing() {
        for kind in ["assistant/chunk", "turn/start", "x/y", "prompt/blocked", ""] {
            assert_eq!(derived(kind, r#"{"content":[1]}"#), None);
        }
        assert_eq!(
            derived("assistant/message", r#"{"content":[ ],"provenance":{}}"#),
            None
        );
        for odd in [&b"5"[..], b"{}", br#"{"type":5,"data":{}}"#, b"", b"{"] {
            assert_eq!(derive_event_message(odd), None);
        }
    }

    #[test]
    fn the_source_is_json_text_inside_a_string() {
        for (kind, shown) in [
            (r#""a\"b\\c""#, r#"\"a\\\"b\\\\c\""#),
            (r#""<b>&é😀""#, r#"\"<b>&é😀\""#),
            (r#""\uD83D""#, r#"\"\\ud83d\""#),
            (r#""\u0061\n\u2028""#, "\\\"a\\\\n\u{2028}\\\""),
            ("5", "5"),
            ("1.50e3", "1500"),
            ("null", "null"),
            (r#"{ "a" : [ 1 ] }"#, r#"{\"a\":[1]}"#),
        ] {
            assert_eq!(opening(kind), format!("<context source={shown}>"));
        }
        let no_kind = derived("context/message", r#"{"content":[],"source":{}}"#).unwrap();
        assert!(no_kind.contains("<context source=undefined>"));
    }

    #[test]
    fn undefined_members_are_left_out() {
        for (kind, data, expected) in [
            ("user/message", "{}", r#"{"role":"user"}"#),
            ("user/message", "null", r#"{"role":"user"}"#),
            ("assistant/message", "5", r#"{"role":"assistant"}"#),
            (
                "tool/result",
                "[]",
                r#"{"role":"user","content":[{"type":"tool-result"}]}"#,
            ),
            (
                "context/message",
                r#"{"content":{"a":1}}"#,
                r#"{"role":"user","content":[{"type":"text","text":"<context source=undefined>"},{"type":"text","text":"</context>"}]}"#,
            ),
        ] {
            assert_eq!(derived(kind, data).as_deref(), Some(expected));
        }
    }
}
