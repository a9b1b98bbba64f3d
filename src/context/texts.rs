//! The messages of a conversation as text, and where each came from.
//!
//! What a caller has is a list of messages, or of history entries, or the events on a session's surface. Each such item gives
//! some messages, which are known by its place: its index in the list, or the event's number.

use std::ops::Range;

use super::error::ContextError;
use super::model::{Message, read_message};
use super::quick::{Quick, read_quick};
use crate::history::{from_wire, read_entry, read_spoken, write_messages};
use crate::json::{Kind, Reader};
use crate::protocol::check_wire_entry;
use crate::session::{derive_event_message, items, kind_of, member};

/// See the module's head.
#[derive(Default)]
pub(super) struct Texts {
    /// All texts, one behind the other.
    bytes: Vec<u8>,
    messages: Vec<Said>,
    /// How many messages there are behind each item.
    ends: Vec<usize>,
}

struct Said {
    text: Range<usize>,
    /// The place of what it came from.
    source: usize,
    quick: Option<Quick>,
}

impl Texts {
    /// How many items were added: messages, entries and events, whether they say something or not.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Forgets all items but the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.messages
            .truncate(self.ends.last().copied().unwrap_or(0));
        let end = self.messages.last().map_or(0, |said| said.text.end);
        self.bytes.truncate(end);
    }

    /// Adds the items of a list of checked JSON text: messages, or history entries in either form.
    ///
    /// # Errors
    /// [`Invalid`](super::ContextCode::Invalid) with the path of what is no list, or neither; nothing is added then.
    pub(super) fn extend(&mut self, list: &[u8]) -> Result<(), ContextError> {
        if kind_of(list) != Some(Kind::Array) {
            return Err(ContextError::invalid(
                String::new(),
                "must be a session, or an array of messages or history entries",
            ));
        }
        let before = self.len();
        self.reserve(list.len());
        for (item, quick) in quick_items(list) {
            let source = self.len();
            if quick.is_some() {
                self.add(item, source, quick);
                self.ends.push(self.messages.len());
            } else if let Err(error) = self.push(item, source) {
                self.truncate(before);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Adds what some events of a session say, a list of their messages of checked JSON text, with `null` for one that says
    /// nothing. The events are known by these numbers.
    pub(super) fn extend_said(&mut self, messages: &[u8], seqs: &[u32]) {
        self.reserve(messages.len());
        for ((message, quick), &seq) in quick_items(messages).zip(seqs) {
            if kind_of(message) != Some(Kind::Null) {
                self.add(message, seq as usize, quick);
            }
            self.ends.push(self.messages.len());
        }
    }

    /// Makes room for so many more bytes of text.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// Adds an event of checked JSON text, which is known by its number.
    pub(super) fn push_event(&mut self, event: &[u8], seq: usize) {
        if let Some(text) = derive_event_message(event) {
            let quick = read_quick(&mut Reader::new(&text));
            self.add(&text, seq, quick);
        }
        self.ends.push(self.messages.len());
    }

    /// Adds one item, which is known by this place.
    pub(super) fn push(&mut self, item: &[u8], source: usize) -> Result<(), ContextError> {
        self.add_messages(item, source)?;
        self.ends.push(self.messages.len());
        Ok(())
    }

    fn add_messages(&mut self, item: &[u8], source: usize) -> Result<(), ContextError> {
        let is_entry = member(item, "role").is_none() && member(item, "kind").is_some();
        if !is_entry {
            // Looked at now, so that a list is refused where it comes in.
            read_message(item, source)?;
            self.add(item, source, read_quick(&mut Reader::new(item)));
            return Ok(());
        }
        let refused = || {
            ContextError::invalid(
                format!("[{source}]"),
                "must be a message with role and content, or a history entry",
            )
        };
        let own = match read_entry(item) {
            Some(_) => item.to_vec(),
            None => from_wire(&check_wire_entry(item).map_err(|_| refused())?),
        };
        let mut list = vec![b'['];
        write_messages(&read_spoken(&own).ok_or_else(refused)?, &mut list);
        list.push(b']');
        for text in items(&list) {
            self.add(text, source, read_quick(&mut Reader::new(text)));
        }
        Ok(())
    }

    fn add(&mut self, text: &[u8], source: usize, quick: Option<Quick>) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.messages.push(Said {
            text: from..self.bytes.len(),
            source,
            quick,
        });
    }

    /// How many messages there are.
    pub(super) fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// How many bytes the messages have from one on.
    pub(super) fn byte_count(&self, first: usize) -> usize {
        let first = self.messages.get(first);
        first.map_or(0, |said| self.bytes.len() - said.text.start)
    }

    /// Some of the messages, taken apart. Linear in their texts.
    ///
    /// # Errors
    /// As [`read_message`], for what came from a session.
    pub(super) fn read_range(&self, range: Range<usize>) -> Result<Vec<Message<'_>>, ContextError> {
        let read = |said: &Said| {
            let text = &self.bytes[said.text.clone()];
            match &said.quick {
                Some(quick) => Ok(quick.message(text, said.source)),
                None => read_message(text, said.source),
            }
        };
        self.messages[range].iter().map(read).collect()
    }

    /// The messages from one on.
    pub(super) fn read_from(&self, first: usize) -> Result<Vec<Message<'_>>, ContextError> {
        self.read_range(first..self.messages.len())
    }
}

/// The items of a list, each with how it is read quickly, if it can be.
fn quick_items(list: &[u8]) -> impl Iterator<Item = (&[u8], Option<Quick>)> {
    let mut reader = Reader::new(list);
    let mut is_inside = reader.begin_array();
    core::iter::from_fn(move || {
        is_inside = is_inside && reader.next_item();
        if !is_inside {
            return None;
        }
        let from = reader.position();
        let quick = read_quick(&mut reader);
        let item = match quick {
            Some(_) => from..reader.position(),
            None => reader.skip()?,
        };
        Some((list.get(item)?, quick))
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::context::ContextCode;

    fn said(texts: &Texts) -> Vec<(String, usize)> {
        let text =
            |said: &Said| String::from_utf8(texts.bytes[said.text.clone()].to_vec()).unwrap();
        let messages = texts.messages.iter();
        messages.map(|said| (text(said), said.source)).collect()
    }

    const WIRE: &str = r#"{"kind":"turn","id":"1","sessionId":"s","timestamp":1,"userIntent":"Hi","assistantMessage":"Hello"}"#;
    const MESSAGE: &str = r#"{"role":"user","content":"Hi","x":1}"#;

    #[test]
    fn entries_say_what_their_default_projection_says() {
        let entry = r#"{"kind":"injection","input":{"type":"assistant_message","id":"2","sessionId":"s","timestamp":1,"content":"More"}}"#;
        let mut texts = Texts::default();
        texts
            .extend(format!("[{WIRE},{entry},{MESSAGE}]").as_bytes())
            .unwrap();
        let said: Vec<_> = said(&texts);
        assert_eq!(said.len(), 4);
        assert_eq!(said[0], (r#"{"role":"user","content":"Hi"}"#.into(), 0));
        assert_eq!(said[1].1, 0);
        assert_eq!(
            said[2],
            (r#"{"role":"assistant","content":"More"}"#.into(), 1)
        );
        assert_eq!(said[3], (MESSAGE.into(), 2));
    }

    #[test]
    fn what_is_neither_is_refused_and_nothing_added() {
        let mut texts = Texts::default();
        for (list, path) in [
            (format!("[{MESSAGE},{{\"kind\":\"turn\"}}]"), "[1]"),
            (format!("[{MESSAGE},7]"), "[1]"),
            (format!("[{MESSAGE},{{\"role\":\"tool\"}}]"), "[1].role"),
            ("{}".into(), ""),
        ] {
            let error = texts.extend(list.as_bytes()).unwrap_err();
            assert_eq!(error.code, ContextCode::Invalid);
            assert_eq!(error.path.as_deref(), Some(path));
            assert_eq!(texts.len(), 0);
        }
    }

    #[test]
    fn events_that_say_nothing_are_items_too() {
        let mut texts = Texts::default();
        let list = format!("[{MESSAGE},null, {{\"role\":\"user\",\"content\":\"b\"}}]");
        texts.extend_said(list.as_bytes(), &[4, 5, 9]);
        assert_eq!(texts.len(), 3);
        let sources: Vec<usize> = said(&texts).iter().map(|(_, source)| *source).collect();
        assert_eq!(sources, [4, 9]);
        texts.truncate(2);
        assert_eq!(said(&texts).len(), 1);
    }

    #[test]
    fn an_item_is_forgotten_with_all_that_it_said() {
        let mut texts = Texts::default();
        let list = format!("[{WIRE},{WIRE},{MESSAGE}]");
        texts.extend(list.as_bytes()).unwrap();
        texts.truncate(1);
        assert_eq!((texts.len(), said(&texts).len()), (1, 2));
        texts.truncate(0);
        assert_eq!((texts.len(), said(&texts).len()), (0, 0));
    }
}
