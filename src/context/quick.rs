//! Messages that are one text, with their keys in the order in which this package writes them: most messages are. They are
//! recognised by comparing whole stretches of text, which takes one look at each byte; all others are read key by key.

use std::ops::Range;

use super::model::{Block, BlockKind, Message, Role, read_origin};
use crate::json::Reader;

/// Where things stand in such a message. All is counted from its beginning.
#[derive(Clone, Debug)]
pub(super) struct Quick {
    role: Role,
    /// The text, still escaped.
    text: Range<usize>,
    /// The content block; none where the content is the string.
    block: Option<Range<usize>>,
    provenance: Option<Range<usize>>,
}

/// Reads such a message, before which the reader stands; none for any other, before which it still stands then.
pub(super) fn read_quick(reader: &mut Reader<'_>) -> Option<Quick> {
    let mut ahead = reader.clone();
    let quick = quick(&mut ahead)?;
    *reader = ahead;
    Some(quick)
}

fn quick(reader: &mut Reader<'_>) -> Option<Quick> {
    let start = reader.position();
    let role = if reader.literal(br#"{"role":"user","content":"#) {
        Role::User
    } else if reader.literal(br#"{"role":"assistant","content":"#) {
        Role::Assistant
    } else {
        return None;
    };
    let block = reader.position() + 1 - start;
    let is_block = reader.literal(br#"[{"type":"text","text":""#);
    if !is_block && !reader.literal(b"\"") {
        return None;
    }
    let from = reader.position() - start;
    reader.string_rest()?;
    // Without the quote that closes it.
    let text = from..reader.position() - start - 1;
    let block = is_block.then(|| block..text.end + 2);
    if is_block && !reader.literal(b"}]") {
        return None;
    }
    let mut provenance = None;
    if reader.literal(br#","provenance":"#) {
        let value = reader.skip()?;
        provenance = Some(value.start - start..value.end - start);
    }
    reader.literal(b"}").then_some(Quick {
        role,
        text,
        block,
        provenance,
    })
}

impl Quick {
    /// The message, from its text.
    pub(super) fn message<'a>(&self, text: &'a [u8], source: usize) -> Message<'a> {
        let block = self.block.clone().map(|range| &text[range]);
        // As elsewhere, what is no list of blocks has no provenance.
        let origin = self.provenance.clone().filter(|_| block.is_some());
        Message {
            role: self.role,
            blocks: vec![Block {
                kind: BlockKind::Text((&text[self.text.clone()]).into()),
                raw: block,
                source,
                origin: origin.and_then(|range| read_origin(&text[range]).map(|it| it.of_first())),
            }],
            source,
            raw: Some(text),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::model::read_message;
    use super::*;

    #[test]
    fn they_are_what_is_read_key_by_key() {
        let state = r#"{"provider":"p","model":"m","replayState":[{"id":"i"}]}"#;
        let whole = r#"{"provider":"p","model":"m","replayState":{"id":"i"}}"#;
        for text in [
            r#"{"role":"user","content":"a \" é"}"#.to_owned(),
            r#"{"role":"assistant","content":""}"#.to_owned(),
            r#"{"role":"user","content":[{"type":"text","text":"a\\"}]}"#.to_owned(),
            format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"a"}}],"provenance":{state}}}"#
            ),
            format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":"a"}}],"provenance":{whole}}}"#
            ),
            format!(r#"{{"role":"assistant","content":"a","provenance":{state}}}"#),
            r#"{"role":"assistant","content":"a","provenance":7}"#.to_owned(),
        ] {
            let list = format!("[1,{text},2]");
            let mut reader = Reader::new(list.as_bytes());
            reader.begin_array();
            reader.next_item();
            reader.skip();
            assert!(reader.next_item());
            let quick = read_quick(&mut reader).unwrap_or_else(|| panic!("{text}"));
            assert!(reader.next_item(), "{text}");
            let quick = quick.message(text.as_bytes(), 3);
            let slow = read_message(text.as_bytes(), 3).unwrap();
            assert_eq!(format!("{quick:?}"), format!("{slow:?}"), "{text}");
        }
    }

    #[test]
    fn any_other_is_left_to_the_other_way() {
        for text in [
            r#"{"role":"system","content":"a"}"#,
            r#"{"role":"user","content":"a","content":"b"}"#,
            r#"{"role":"user","content":[]}"#,
            r#"{"role":"user","content":[{"type":"text","text":"a","x":1}]}"#,
            r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            r#"{"role":"user", "content":"a"}"#,
            r#"{"role":"user","content":7}"#,
            r#"{"role":"user","content":"a"#,
            "7",
        ] {
            let mut reader = Reader::new(text.as_bytes());
            assert!(read_quick(&mut reader).is_none(), "{text}");
            assert_eq!(reader.position(), 0);
        }
    }
}
