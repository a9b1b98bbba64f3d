//! Events of deltas, in the one spelling that can be packed.
//!
//! An event of a few characters of text, reasoning or a tool call's arguments, spelled as `JSON.stringify` spells what the
//! engine appends. Any other spelling is not recognised, so what is recognised is known to the byte.

use super::event::{kind_of, safe_integer};
use crate::json::{Kind, Reader};

/// The most bytes of turn, step, index, id and name, which each unpacked event repeats.
pub(super) const MOST_REPEATED: usize = 256;
/// The most bytes of an unpacked event but for its text's characters and what is repeated.
pub(super) const ENVELOPE: usize = 176;

/// The chunks that can be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delta {
    Text,
    Reasoning,
    ToolCall,
}

impl Delta {
    const ALL: [Self; 3] = [Self::Text, Self::Reasoning, Self::ToolCall];

    /// The type of the chunk, as JSON text.
    pub const fn name(self) -> &'static [u8] {
        match self {
            Self::Text => b"\"text-delta\"",
            Self::Reasoning => b"\"reasoning-delta\"",
            Self::ToolCall => b"\"tool-call-delta\"",
        }
    }

    /// The chunk of a type that is written in this very way.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What all events of a run share. Values are JSON text, copied as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head<'a> {
    /// The type of the chunk.
    pub kind: Delta,
    /// The chunk's turn, a number.
    pub turn: &'a [u8],
    /// Its step, likewise.
    pub step: &'a [u8],
    /// Its block, likewise.
    pub index: &'a [u8],
    /// Id and name of a tool call.
    pub call: Option<(&'a [u8], Option<&'a [u8]>)>,
}

impl Head<'_> {
    /// Whether a run may share this: values of the kinds they should have, not too long.
    pub fn is_sound(&self) -> bool {
        let numbers = [self.turn, self.step, self.index];
        let (id, name) = self.call.unwrap_or((b"\"\"", None));
        let strings = [id, name.unwrap_or(b"\"\"")];
        let repeated = numbers.iter().chain(&strings).map(|it| it.len());
        repeated.sum::<usize>() <= MOST_REPEATED
            && numbers.iter().all(|it| kind_of(it) == Some(Kind::Number))
            && strings.iter().all(|it| kind_of(it) == Some(Kind::String))
    }
}

/// One event that can be part of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeltaEvent<'a> {
    /// What it shares with its run.
    pub head: Head<'a>,
    /// The event's number.
    pub seq: u64,
    /// Its time.
    pub time: u64,
    /// The delta, as JSON text.
    pub text: &'a [u8],
}

impl<'a> DeltaEvent<'a> {
    /// Reads an event that is spelled exactly as [`Self::write`] spells it.
    pub fn read(event: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(Reader::new(event), event);
        let seq = safe_integer(fields.after(b"{\"type\":\"assistant/chunk\",\"seq\":")?)?;
        let time = safe_integer(fields.after(b",\"time\":")?)?;
        let turn = fields.after(b",\"data\":{\"turn\":")?;
        let step = fields.after(b",\"step\":")?;
        let kind = Delta::named(fields.after(b",\"chunk\":{\"type\":")?)?;
        let index = fields.after(b",\"index\":")?;
        let (call, text) = match kind {
            Delta::ToolCall => {
                let id = fields.after(b",\"id\":")?;
                let name = fields.after(b",\"name\":");
                (Some((id, name)), fields.after(b",\"argumentsDelta\":")?)
            }
            Delta::Text | Delta::Reasoning => (None, fields.after(b",\"text\":")?),
        };
        let delta = Self {
            head: Head {
                kind,
                turn,
                step,
                index,
                call,
            },
            seq,
            time,
            text,
        };
        let is_sound = delta.head.is_sound() && kind_of(text) == Some(Kind::String);
        (is_sound && delta.write() == event).then_some(delta)
    }

    /// Whether the run that ends with `before` goes on with this event.
    pub fn follows(&self, before: &Self) -> bool {
        self.head == before.head && self.seq == before.seq + 1
    }

    /// The event, in the one spelling that is packed.
    pub fn write(&self) -> Vec<u8> {
        let Head {
            kind,
            turn,
            step,
            index,
            call,
        } = self.head;
        let mut out = Vec::with_capacity(ENVELOPE + self.text.len());
        let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
        let (seq, time) = (self.seq.to_string(), self.time.to_string());
        put(&[b"{\"type\":\"assistant/chunk\",\"seq\":", seq.as_bytes()]);
        put(&[b",\"time\":", time.as_bytes()]);
        put(&[b",\"data\":{\"turn\":", turn, b",\"step\":", step]);
        put(&[b",\"chunk\":{\"type\":", kind.name(), b",\"index\":", index]);
        if let Some((id, name)) = call {
            put(&[b",\"id\":", id]);
            if let Some(name) = name {
                put(&[b",\"name\":", name]);
            }
            put(&[b",\"argumentsDelta\":"]);
        } else {
            put(&[b",\"text\":"]);
        }
        put(&[self.text, b"}}}"]);
        out
    }
}

/// A cursor over an event whose keys come in a known order, and the event.
struct Fields<'a>(Reader<'a>, &'a [u8]);

impl<'a> Fields<'a> {
    /// The value behind these very bytes, if the text goes on with them.
    fn after(&mut self, literal: &[u8]) -> Option<&'a [u8]> {
        if !self.0.literal(literal) {
            return None;
        }
        self.1.get(self.0.skip()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_in_its_one_spelling_only() {
        let events = [
            r#"{"type":"assistant/chunk","seq":7,"time":5,"data":{"turn":1,"step":2.0,"chunk":{"type":"reasoning-delta","index":0,"text":"a\u0062"}}}"#,
            r#"{"type":"assistant/chunk","seq":7,"time":5,"data":{"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":""}}}"#,
            r#"{"type":"assistant/chunk","seq":7,"time":5,"data":{"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":0,"id":"c","name":"","argumentsDelta":""}}}"#,
        ];
        for event in events {
            let delta = DeltaEvent::read(event.as_bytes()).unwrap();
            assert_eq!((delta.seq, delta.time), (7, 5));
            assert_eq!(delta.write(), event.as_bytes());
            for (at, _) in event.match_indices([',', ':', '}']) {
                let (before, after) = event.split_at(at);
                let spaced = format!("{before} {after}");
                assert!(DeltaEvent::read(spaced.as_bytes()).is_none(), "{spaced}");
                assert!(DeltaEvent::read(before.as_bytes()).is_none());
            }
            let no_string = event
                .replace("\":\"\"}", "\":5}")
                .replace("\"a\\u0062\"", "null");
            assert!(
                DeltaEvent::read(no_string.as_bytes()).is_none(),
                "{no_string}"
            );
        }
    }
}
