//! What an entry becomes for a model and for a client (seed 001, "Project entries to the LLM
//! differently"; seed 000). Texts are copied as they are escaped; nothing is decoded.

use super::entry::{Entry, EntryKind};
use super::spoken::Spoken;
use crate::json::{RawStr, Reader, same_value};
use crate::protocol::{Error, WireBody, WireEntry};

/// Appends the entry's default messages to the inside of a JSON array.
///
/// A turn gives a `user` message (its user intents joined by one space) and an `assistant` message;
/// an injection gives an `assistant` message. Empty texts give no message: model APIs refuse them.
pub fn write_messages(spoken: &Spoken<'_>, out: &mut Vec<u8>) {
    // Two empty intents still join to a space; only none, or a single empty one, is empty.
    if let Some(intent) = spoken
        .intent
        .filter(|first| !first.is_empty() || !spoken.more_intents.is_empty())
    {
        open_message(out, b"{\"role\":\"user\",\"content\":\"");
        out.extend_from_slice(intent.escaped());
        for more in &spoken.more_intents {
            out.push(b' ');
            out.extend_from_slice(more.escaped());
        }
        out.extend_from_slice(b"\"}");
    }
    if !spoken.assistant.is_empty() {
        open_message(out, b"{\"role\":\"assistant\",\"content\":\"");
        out.extend_from_slice(spoken.assistant.escaped());
        out.extend_from_slice(b"\"}");
    }
}

/// How many UTF-16 code units the entry's default messages hold.
pub fn message_units(spoken: &Spoken<'_>) -> u64 {
    let first = spoken.intent.map_or(0, |text| text.utf16_len());
    let more: usize = spoken
        .more_intents
        .iter()
        .map(|text| text.utf16_len() + 1)
        .sum();
    (first + more + spoken.assistant.utf16_len()) as u64
}

/// How many UTF-16 code units of `content` a message list holds.
///
/// # Errors
/// `invalid` with a path when the text is not a list of `{role, content}` with a role that models know.
pub fn messages_units(list: &[u8]) -> Result<u64, Error> {
    let mut reader = Reader::new(list);
    if !reader.begin_array() {
        return Err(Error::invalid("", "must be an array of messages"));
    }
    let (mut units, mut index) = (0, 0);
    while reader.next_item() {
        units += one_message_units(&mut reader).map_err(|e| e.below(&format!("[{index}]")))?;
        index += 1;
    }
    Ok(units)
}

fn one_message_units(reader: &mut Reader<'_>) -> Result<u64, Error> {
    if !reader.begin_object() {
        return Err(Error::invalid(
            "",
            "must be an object with role and content",
        ));
    }
    let (mut role, mut content) = (None, None);
    while let Some(key) = reader.next_key() {
        let value = reader.string();
        match (key.escaped(), value) {
            (b"role", _) => role = value,
            (b"content", _) => content = value,
            _ => {}
        }
        if value.is_none() {
            reader.skip();
        }
    }
    match role.map(|word| word.escaped()) {
        Some(b"user" | b"assistant" | b"system") => {}
        _ => {
            return Err(Error::invalid(
                "role",
                "must be 'user', 'assistant' or 'system'",
            ));
        }
    }
    let content = content.ok_or_else(|| Error::invalid("content", "must be a string"))?;
    Ok(content.utf16_len() as u64)
}

/// Appends the entry's wire form (`SessionHistoryEntry`) as a JSON object.
pub fn write_wire(entry: &Entry<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(match entry.kind {
        EntryKind::Turn => b"{\"kind\":\"turn\",\"id\":\"".as_slice(),
        EntryKind::Injection => b"{\"kind\":\"injection\",\"id\":\"",
    });
    out.extend_from_slice(entry.id.escaped());
    out.extend_from_slice(b"\",\"sessionId\":\"");
    out.extend_from_slice(entry.session_id.escaped());
    out.extend_from_slice(b"\",\"timestamp\":");
    out.extend_from_slice(entry.timestamp_text);
    if entry.kind == EntryKind::Turn {
        out.extend_from_slice(b",\"userIntent\":\"");
        write_joined(&entry.intents, out);
        out.extend_from_slice(b"\",\"assistantMessage\":\"");
    } else {
        out.extend_from_slice(b",\"content\":\"");
    }
    out.extend_from_slice(entry.assistant.escaped());
    out.extend_from_slice(b"\"}");
}

/// The entry that a wire entry stands for, as JSON text.
///
/// A turn's user intent becomes one `user_intent` reason (none when it is empty). Fields that seed 000
/// does not name are kept in `metadata`, so that nothing a server sent is lost.
pub fn from_wire(wire: &WireEntry<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    let (kind, message_type) = match wire.body {
        WireBody::Turn { .. } => ("turn", "chart_request"),
        WireBody::Injection { .. } => ("injection", "assistant_message"),
    };
    out.extend_from_slice(
        format!("{{\"kind\":\"{kind}\",\"input\":{{\"type\":\"{message_type}\",\"id\":\"")
            .as_bytes(),
    );
    out.extend_from_slice(wire.id_text.escaped());
    out.extend_from_slice(b"\",\"sessionId\":\"");
    out.extend_from_slice(wire.session_text.escaped());
    out.extend_from_slice(b"\",\"timestamp\":");
    out.extend_from_slice(wire.timestamp);
    match wire.body {
        WireBody::Turn {
            user_intent,
            assistant_message,
        } => {
            out.extend_from_slice(b",\"reasons\":[");
            if !user_intent.is_empty() {
                out.extend_from_slice(b"{\"kind\":\"user_intent\",\"text\":\"");
                out.extend_from_slice(user_intent.escaped());
                out.extend_from_slice(b"\"}");
            }
            out.extend_from_slice(b"]},\"output\":{\"userMessage\":\"");
            out.extend_from_slice(assistant_message.escaped());
            out.extend_from_slice(b"\"}");
        }
        WireBody::Injection { content } => {
            out.extend_from_slice(b",\"content\":\"");
            out.extend_from_slice(content.escaped());
            out.extend_from_slice(b"\"}");
        }
    }
    if !wire.unknown.is_empty() {
        out.extend_from_slice(b",\"metadata\":{");
        for (index, (key, value)) in wire.unknown.iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
            out.extend_from_slice(key.escaped());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(value);
        }
        out.push(b'}');
    }
    out.push(b'}');
    out
}

/// A request's user intents joined by one space, as a JSON string with its quotes.
pub fn intent_text(entry: &Entry<'_>) -> Vec<u8> {
    let mut out = vec![b'"'];
    write_joined(&entry.intents, &mut out);
    out.push(b'"');
    out
}

/// Whether two entries of one id say the same: kind, response, and message but for its timestamp.
///
/// A retry is built anew and stamped anew, so the stamp tells nothing; metadata is the store
/// owner's, not the sender's.
pub fn same_content(a: &Entry<'_>, b: &Entry<'_>) -> bool {
    a.kind == b.kind
        && same_message(a.input, b.input)
        && (a.kind == EntryKind::Injection
            || matches!((a.output, b.output), (Some(a), Some(b)) if same_value(a, b)))
}

/// Whether two messages say the same, whatever their timestamps.
pub fn same_message(a: &[u8], b: &[u8]) -> bool {
    a == b || same_value(&without_timestamp(a), &without_timestamp(b))
}

/// Whether two entries have the same wire form but for the timestamp.
pub fn same_wire(a: &Entry<'_>, b: &Entry<'_>) -> bool {
    let texts = |entry: &Entry<'_>| [intent_text(entry), quoted(entry.assistant)];
    a.kind == b.kind
        && texts(a)
            .iter()
            .zip(&texts(b))
            .all(|(a, b)| same_value(a, b))
}

fn quoted(text: RawStr<'_>) -> Vec<u8> {
    [b"\"", text.escaped(), b"\""].concat()
}

/// The message as an object without its `timestamp` field.
fn without_timestamp(message: &[u8]) -> Vec<u8> {
    let mut out = vec![b'{'];
    let mut reader = Reader::new(message);
    reader.begin_object();
    while let Some(key) = reader.next_key() {
        let Some(value) = reader.skip() else { break };
        if key.eq_str("timestamp") {
            continue;
        }
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&quoted(key));
        out.push(b':');
        out.extend_from_slice(&message[value]);
    }
    out.push(b'}');
    out
}

fn open_message(out: &mut Vec<u8>, opening: &[u8]) {
    if !matches!(out.last(), None | Some(b'[')) {
        out.push(b',');
    }
    out.extend_from_slice(opening);
}

fn write_joined(texts: &[RawStr<'_>], out: &mut Vec<u8>) {
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(text.escaped());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{check_entry, read_entry, spoken_in};
    use super::*;
    use crate::protocol::check_wire_entry;

    fn turn(reasons: &str, answer: &str) -> String {
        format!(
            r#"{{"kind":"turn","input":{{"type":"chart_request","id":"m","sessionId":"s","timestamp":7,"reasons":[{reasons}]}},"output":{{"userMessage":"{answer}"}}}}"#
        )
    }

    fn intent(text: &str) -> String {
        format!(r#"{{"kind":"user_intent","text":"{text}"}}"#)
    }

    fn messages(entry: &str) -> String {
        let mut out = vec![b'['];
        write_messages(
            &spoken_in(&check_entry(entry.as_bytes()).unwrap()),
            &mut out,
        );
        out.push(b']');
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_turn_gives_a_user_and_an_assistant_message() {
        let entry = turn(
            &[
                intent("a\\n"),
                r#"{"kind":"resize"}"#.into(),
                intent("\\ud83d"),
            ]
            .join(","),
            "b",
        );
        assert_eq!(
            messages(&entry),
            r#"[{"role":"user","content":"a\n \ud83d"},{"role":"assistant","content":"b"}]"#
        );
        assert_eq!(
            message_units(&spoken_in(&check_entry(entry.as_bytes()).unwrap())),
            5
        );
    }

    #[test]
    fn empty_texts_give_no_message() {
        assert_eq!(
            messages(&turn("", "b")),
            r#"[{"role":"assistant","content":"b"}]"#
        );
        assert_eq!(messages(&turn(&intent(""), "")), "[]");
        assert_eq!(
            messages(&turn(&intent("a"), "")),
            r#"[{"role":"user","content":"a"}]"#
        );
    }

    #[test]
    fn the_character_count_is_that_of_the_messages() {
        for entry in [
            turn("", ""),
            turn(&intent("a😀"), "b\\u0041"),
            turn(&[intent(""), intent("")].join(","), "x"),
        ] {
            let view = check_entry(entry.as_bytes()).unwrap();
            assert_eq!(
                messages_units(messages(&entry).as_bytes()).unwrap(),
                message_units(&spoken_in(&view)),
                "{entry}"
            );
        }
    }

    #[test]
    fn wire_entries_go_there_and_back() {
        for wire in [
            r#"{"kind":"turn","id":"m","sessionId":"s","timestamp":7.5,"userIntent":"","assistantMessage":"b"}"#,
            r#"{"kind":"turn","id":"m","sessionId":"s","timestamp":1e21,"userIntent":"a","assistantMessage":""}"#,
            r#"{"kind":"injection","id":"m","sessionId":"s","timestamp":7,"content":"c"}"#,
        ] {
            let entry = from_wire(&check_wire_entry(wire.as_bytes()).unwrap());
            let mut again = Vec::new();
            write_wire(&check_entry(&entry).unwrap(), &mut again);
            assert_eq!(String::from_utf8(again).unwrap(), wire);
        }
    }

    #[test]
    fn what_seed_000_does_not_name_is_kept_as_metadata() {
        let wire = r#"{"kind":"injection","id":"m","sessionId":"s","timestamp":7,"content":"c","lang":"de","x":{"y":1}}"#;
        let entry =
            String::from_utf8(from_wire(&check_wire_entry(wire.as_bytes()).unwrap())).unwrap();
        assert!(
            entry.ends_with(r#""metadata":{"lang":"de","x":{"y":1}}}"#),
            "{entry}"
        );
    }

    #[test]
    fn a_retry_with_a_new_stamp_is_the_same_content() {
        let first = turn(&intent("a"), "b");
        let retry = first.replace("\"timestamp\":7", "\"timestamp\":8");
        let other = turn(&intent("A"), "b");
        let answer = turn(&intent("a"), "B");
        let same = |a: &str, b: &str| {
            same_content(
                &read_entry(a.as_bytes()).unwrap(),
                &read_entry(b.as_bytes()).unwrap(),
            )
        };
        assert!(same(&first, &retry));
        assert!(!same(&first, &other));
        assert!(!same(&first, &answer));
    }

    #[test]
    fn a_message_list_is_checked_while_it_is_counted() {
        assert_eq!(
            messages_units(br#"[{"role":"system","content":"ab","name":3}]"#).unwrap(),
            2
        );
        let path = |list: &str| {
            messages_units(list.as_bytes())
                .unwrap_err()
                .path
                .unwrap_or_default()
        };
        assert_eq!(path("{}"), "");
        assert_eq!(path("[3]"), "[0]");
        assert_eq!(
            path(r#"[{"role":"user","content":"a"},{"role":"tool","content":""}]"#),
            "[1].role"
        );
        assert_eq!(path(r#"[{"role":"user"}]"#), "[0].content");
    }
}
