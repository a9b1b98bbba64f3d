//! One history entry, read in place from its JSON text.

use super::spoken::reads_one_way;
use crate::json::{RawStr, Reader};
use crate::protocol::{Error, MessageKind, check_message, check_output};

/// A request with its response, or an injected assistant text (seed 001).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// `turn`.
    Turn,
    /// `injection`.
    Injection,
}

/// The parts of an entry that the projections need; everything else stays in `text` untouched.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Turn or injection.
    pub kind: EntryKind,
    /// The message, as JSON text.
    pub input: &'a [u8],
    /// The response of a turn, as JSON text.
    pub output: Option<&'a [u8]>,
    /// `input.id`.
    pub id: RawStr<'a>,
    /// `input.sessionId`.
    pub session_id: RawStr<'a>,
    /// `input.timestamp`, in epoch milliseconds.
    pub timestamp: f64,
    /// `input.timestamp` as it is spelled.
    pub timestamp_text: &'a [u8],
    /// The text of each `user_intent` reason, in order; empty for an injection.
    pub intents: Vec<RawStr<'a>>,
    /// `output.userMessage` of a turn, `input.content` of an injection.
    pub assistant: RawStr<'a>,
}

/// Reads an entry whose text was checked before; `None` when it is not one (a damaged record).
#[inline]
pub fn read_entry(text: &[u8]) -> Option<Entry<'_>> {
    let mut reader = Reader::new(text);
    let mut parts = Parts::default();
    if !reader.begin_object() {
        return None;
    }
    while let Some(key) = reader.next_key() {
        match key.escaped() {
            b"kind" => {
                parts.kind = match reader.string()?.escaped() {
                    b"turn" => Some(EntryKind::Turn),
                    b"injection" => Some(EntryKind::Injection),
                    _ => None,
                }
            }
            b"input" => parts.read_input(text, &mut reader)?,
            b"output" => parts.read_output(text, &mut reader)?,
            _ => {
                reader.skip()?;
            }
        }
    }
    let kind = parts.kind?;
    Some(Entry {
        kind,
        input: parts.input?,
        output: parts.output,
        id: parts.id?,
        session_id: parts.session_id?,
        timestamp: parts.timestamp?,
        timestamp_text: parts.timestamp_text?,
        intents: if kind == EntryKind::Turn {
            parts.intents
        } else {
            Vec::new()
        },
        assistant: match kind {
            EntryKind::Turn => parts.user_message?,
            EntryKind::Injection => parts.content?,
        },
    })
}

/// Checks an entry given as JSON text (already lossless JSON): its kind, its message, its response.
///
/// # Errors
/// `invalid` with the path of the first offender, such as `output.userMessage`.
pub fn check_entry(text: &[u8]) -> Result<Entry<'_>, Error> {
    let mut reader = Reader::new(text);
    if !reader.begin_object() {
        return Err(Error::invalid("", "a history entry must be an object"));
    }
    let (mut kind, mut input, mut output) = (None, None, None);
    while let Some(key) = reader.next_key() {
        match key.escaped() {
            b"kind" => {
                kind = reader.string();
                if kind.is_none() {
                    reader.skip();
                }
            }
            b"input" => input = reader.skip(),
            b"output" => output = reader.skip(),
            _ => drop(reader.skip()),
        }
    }
    let expected = match kind.map(|word| word.escaped()) {
        Some(b"turn") => MessageKind::ChartRequest,
        Some(b"injection") => MessageKind::AssistantInjection,
        _ => return Err(Error::invalid("kind", "must be 'turn' or 'injection'")),
    };
    let input = input.ok_or_else(|| Error::invalid("input", "must be a message"))?;
    let message = check_message(&text[input]).map_err(|e| e.below("input"))?;
    if message.kind != expected {
        return Err(Error::invalid(
            "input.type",
            format!("must be '{}'", expected.as_str()),
        ));
    }
    if expected == MessageKind::ChartRequest {
        let output =
            output.ok_or_else(|| Error::invalid("output", "a turn needs a chart response"))?;
        check_output(&text[output]).map_err(|e| e.below("output"))?;
    }
    let entry = read_entry(text).ok_or_else(|| Error::invalid("", "is not a history entry"))?;
    if !reads_one_way(text, &entry) {
        return Err(Error::invalid("", "has a key twice"));
    }
    Ok(entry)
}

#[derive(Default)]
struct Parts<'a> {
    kind: Option<EntryKind>,
    input: Option<&'a [u8]>,
    output: Option<&'a [u8]>,
    id: Option<RawStr<'a>>,
    session_id: Option<RawStr<'a>>,
    timestamp: Option<f64>,
    timestamp_text: Option<&'a [u8]>,
    intents: Vec<RawStr<'a>>,
    content: Option<RawStr<'a>>,
    user_message: Option<RawStr<'a>>,
}

impl<'a> Parts<'a> {
    fn read_input(&mut self, text: &'a [u8], reader: &mut Reader<'a>) -> Option<()> {
        let from = value_start(text, reader);
        if !reader.begin_object() {
            return None;
        }
        while let Some(key) = reader.next_key() {
            match key.escaped() {
                b"id" => self.id = Some(reader.string()?),
                b"sessionId" => self.session_id = Some(reader.string()?),
                b"timestamp" => {
                    let from = value_start(text, reader);
                    self.timestamp = Some(reader.number()?);
                    self.timestamp_text = text.get(from..reader.position());
                }
                b"content" => {
                    self.content = reader.string();
                    if self.content.is_none() {
                        reader.skip()?;
                    }
                }
                b"reasons" => self.read_reasons(reader)?,
                _ => {
                    reader.skip()?;
                }
            }
        }
        self.input = text.get(from..reader.position());
        Some(())
    }

    fn read_reasons(&mut self, reader: &mut Reader<'a>) -> Option<()> {
        self.intents.clear();
        if !reader.begin_array() {
            // An injection may carry an unknown field of this name.
            return reader.skip().map(drop);
        }
        while reader.next_item() {
            if !reader.begin_object() {
                reader.skip()?;
                continue;
            }
            let (mut is_intent, mut intent) = (false, None);
            while let Some(key) = reader.next_key() {
                let value = reader.string();
                match (key.escaped(), value) {
                    (b"kind", Some(word)) => is_intent = word.eq_str("user_intent"),
                    (b"text", Some(value)) => intent = Some(value),
                    (_, Some(_)) => {}
                    (_, None) => {
                        reader.skip()?;
                    }
                }
            }
            if is_intent {
                self.intents.extend(intent);
            }
        }
        Some(())
    }

    fn read_output(&mut self, text: &'a [u8], reader: &mut Reader<'a>) -> Option<()> {
        let from = value_start(text, reader);
        if !reader.begin_object() {
            // An injection may carry an unknown field of this name.
            return reader.skip().map(drop);
        }
        while let Some(key) = reader.next_key() {
            match key.escaped() {
                b"userMessage" => {
                    self.user_message = reader.string();
                    if self.user_message.is_none() {
                        reader.skip()?;
                    }
                }
                _ => {
                    reader.skip()?;
                }
            }
        }
        self.output = text.get(from..reader.position());
        Some(())
    }
}

/// Where the next value begins, past white space.
fn value_start(text: &[u8], reader: &Reader<'_>) -> usize {
    let from = reader.position();
    let blank = text[from..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    from + blank
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = r#"{"kind":"turn","input":{"type":"chart_request","id":"m","sessionId":"s","timestamp":7,"reasons":[{"kind":"resize","text":"no"},{"text":"yes","kind":"user_intent"}],"layout":{"rows":[{"kind":"x"}]}},"output":{"userMessage":"done","plan":[1]},"metadata":0}"#;

    #[test]
    fn a_turn_is_read_in_place() {
        let entry = check_entry(TURN.as_bytes()).unwrap();
        assert_eq!(entry.kind, EntryKind::Turn);
        assert!(entry.id.eq_str("m") && entry.session_id.eq_str("s"));
        assert_eq!(
            (entry.timestamp, entry.timestamp_text),
            (7.0, b"7".as_slice())
        );
        assert_eq!(entry.intents.len(), 1);
        assert!(entry.intents[0].eq_str("yes") && entry.assistant.eq_str("done"));
        assert_eq!(
            entry.output,
            Some(br#"{"userMessage":"done","plan":[1]}"#.as_slice())
        );
    }

    #[test]
    fn any_key_order_and_white_space_will_do() {
        let text = r#" { "output" : { "userMessage" : "a" } , "input" : { "reasons" : [ ] , "timestamp" : 1e3 , "sessionId" : "s" , "id" : "i" , "type" : "chart_request" } , "kind" : "turn" } "#;
        let entry = check_entry(text.as_bytes()).unwrap();
        assert_eq!(
            (entry.timestamp, entry.timestamp_text),
            (1000.0, b"1e3".as_slice())
        );
        assert!(entry.intents.is_empty());
    }

    #[test]
    fn an_entry_that_is_not_one_names_what_is_wrong() {
        let path = |text: &str| {
            check_entry(text.as_bytes())
                .unwrap_err()
                .path
                .unwrap_or_default()
        };
        assert_eq!(path("null"), "");
        assert_eq!(path("{}"), "kind");
        assert_eq!(path(r#"{"kind":"turn"}"#), "input");
        assert_eq!(
            path(&TURN.replace("chart_request", "assistant_message")),
            "input.content"
        );
        assert_eq!(
            path(&TURN.replace("\"turn\"", "\"injection\"")),
            "input.type"
        );
        assert_eq!(
            path(&TURN.replace("userMessage", "message")),
            "output.userMessage"
        );
        assert_eq!(path(&TURN.replace("\"output\"", "\"out\"")), "output");
    }

    #[test]
    fn a_damaged_record_is_no_entry_and_no_panic() {
        for end in 0..TURN.len() {
            let _ = read_entry(&TURN.as_bytes()[..end]);
        }
        assert!(read_entry(b"").is_none());
    }
}
