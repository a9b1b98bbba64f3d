//! What is said in an entry: all that the model's context needs of it.
//!
//! Entries that this package wrote have their keys in one order. Those are read by comparing whole
//! stretches of text; any other is read key by key. A text where the two would differ (a key that comes
//! twice) is refused when it comes in: see [`reads_one_way`].

use super::entry::{Entry, EntryKind, read_entry};
use crate::json::{RawStr, Reader};

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Spoken<'a> {
    /// The text of the first `user_intent` reason.
    pub intent: Option<RawStr<'a>>,
    /// The texts of the others.
    pub more_intents: Vec<RawStr<'a>>,
    /// `output.userMessage` of a turn, `input.content` of an injection.
    pub assistant: RawStr<'a>,
}

/// Reads what is said in an entry whose text was checked before; `None` when it is not one.
#[inline]
pub fn read_spoken(text: &[u8]) -> Option<Spoken<'_>> {
    in_order(text).or_else(|| read_entry(text).map(|entry| spoken_in(&entry)))
}

/// What is said in an entry that was read already.
pub fn spoken_in<'a>(entry: &Entry<'a>) -> Spoken<'a> {
    let mut intents = entry.intents.iter().copied();
    Spoken {
        intent: intents.next(),
        more_intents: intents.collect(),
        assistant: entry.assistant,
    }
}

/// Whether both ways of reading find the same in an entry's text.
pub fn reads_one_way(text: &[u8], entry: &Entry<'_>) -> bool {
    let place = |text: RawStr<'_>| (text.escaped().as_ptr(), text.escaped().len());
    in_order(text).is_none_or(|quick| {
        let slow = spoken_in(entry);
        (entry.kind == EntryKind::Injection || quick.intent.map(place) == slow.intent.map(place))
            && slow.more_intents.is_empty()
            && place(quick.assistant) == place(slow.assistant)
    })
}

/// An entry whose keys come in the order in which this package writes them.
fn in_order(text: &[u8]) -> Option<Spoken<'_>> {
    let mut reader = Reader::new(text);
    if reader.literal(br#"{"kind":"turn","input":{"type":"chart_request","id":""#) {
        return turn_in_order(reader);
    }
    if !reader.literal(br#"{"kind":"injection","input":{"type":"assistant_message","id":""#) {
        return None;
    }
    skip_envelope(&mut reader)?;
    let assistant = reader
        .literal(br#","content":""#)
        .then(|| reader.string_rest())??;
    Some(Spoken {
        intent: None,
        more_intents: Vec::new(),
        assistant,
    })
}

fn turn_in_order(mut reader: Reader<'_>) -> Option<Spoken<'_>> {
    skip_envelope(&mut reader)?;
    if !reader.literal(br#","reasons":["#) {
        return None;
    }
    let mut intent = None;
    if reader.literal(br#"{"kind":"user_intent","text":""#) {
        intent = Some(reader.string_rest()?);
        if !reader.literal(b"}") {
            return None;
        }
    }
    // More than one reason is the other way's business.
    if !reader.literal(b"]") || !(reader.literal(b"}") || reader.container_rest()) {
        return None;
    }
    let assistant = reader
        .literal(br#","output":{"userMessage":""#)
        .then(|| reader.string_rest())??;
    Some(Spoken {
        intent,
        more_intents: Vec::new(),
        assistant,
    })
}

/// From inside the id to behind the timestamp.
fn skip_envelope(reader: &mut Reader<'_>) -> Option<()> {
    reader.string_rest()?;
    reader
        .literal(br#","sessionId":""#)
        .then(|| reader.string_rest())??;
    reader
        .literal(br#","timestamp":"#)
        .then(|| reader.skip())??;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::check_entry;
    use super::*;

    fn turn(reasons: &str, more_input: &str, output: &str) -> String {
        format!(
            r#"{{"kind":"turn","input":{{"type":"chart_request","id":"m\"","sessionId":"s","timestamp":7e0,"reasons":[{reasons}]{more_input}}},"output":{output},"metadata":{{"a":1}}}}"#
        )
    }

    fn texts(spoken: &Spoken<'_>) -> Vec<String> {
        let all = spoken
            .intent
            .iter()
            .chain(&spoken.more_intents)
            .chain([&spoken.assistant]);
        all.map(|text| text.decode().unwrap().into_owned())
            .collect()
    }

    #[test]
    fn both_ways_of_reading_find_the_same() {
        let intent = r#"{"kind":"user_intent","text":"a}\"]"}"#;
        let more = r#","layout":{"rows":[{"reasons":["}"]}]},"z":"\\""#;
        let output = r#"{"userMessage":"b\n","plan":[1,{"userMessage":"no"}]}"#;
        for (reasons, quick) in [
            (String::new(), true),
            (intent.to_owned(), true),
            (format!("{intent},{intent}"), false),
            (r#"{"kind":"resize","text":"x"}"#.to_owned(), false),
            (r#"{"text":"a","kind":"user_intent"}"#.to_owned(), false),
        ] {
            for more in ["", more] {
                let text = turn(&reasons, more, output);
                let entry = read_entry(text.as_bytes()).unwrap();
                assert_eq!(in_order(text.as_bytes()).is_some(), quick, "{text}");
                assert_eq!(
                    texts(&read_spoken(text.as_bytes()).unwrap()),
                    texts(&spoken_in(&entry)),
                    "{text}"
                );
                assert!(
                    reads_one_way(text.as_bytes(), &entry) && check_entry(text.as_bytes()).is_ok()
                );
            }
        }
        let injection = r#"{"kind":"injection","input":{"type":"assistant_message","id":"m","sessionId":"s","timestamp":1,"content":"c"}}"#;
        assert_eq!(texts(&in_order(injection.as_bytes()).unwrap()), ["c"]);
    }

    #[test]
    fn a_text_that_would_read_differently_is_refused() {
        let output = r#"{"userMessage":"b"}"#;
        for text in [
            turn(
                "",
                r#","reasons":[{"kind":"user_intent","text":"late"}]"#,
                output,
            ),
            turn("", "", r#"{"userMessage":"b","userMessage":"late"}"#),
            turn(
                "",
                "",
                &format!("{output},\"output\":{{\"userMessage\":\"late\"}}"),
            ),
        ] {
            assert!(check_entry(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_damaged_record_is_nothing_and_no_panic() {
        let text = turn(
            r#"{"kind":"user_intent","text":"a"}"#,
            ",\"x\":{}",
            r#"{"userMessage":"b"}"#,
        );
        for end in 0..text.len() {
            let _ = read_spoken(&text.as_bytes()[..end]);
        }
    }
}
