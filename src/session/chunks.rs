//! Assembling the chunks of a stream into content blocks (spec 2-session.md, section 14).
//!
//! Chunks of one `index` make one block; blocks come out in the order in which their indices were first seen. What a
//! `block-end` brings counts, and whatever comes for its index after it does not. A block that was never closed is put
//! together from its deltas, whose strings are joined as they are written: two halves of a surrogate pair that
//! arrived apart are then one character.

use super::error::{SessionCode, SessionError};
use super::event::{kind_of, member, string};
use super::object::object;
use super::places::Places;
use crate::json::{Kind, RawStr, stringify};

/// What a stream of chunks amounts to. Everything is JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// The content blocks.
    pub blocks: Vec<Vec<u8>>,
    /// The last usage that was reported.
    pub usage: Option<Vec<u8>>,
    /// The reason of the last `finish`; `{"kind":"stop"}` without one.
    pub finish: Vec<u8>,
    /// The replay state of the last `finish`.
    pub replay_state: Option<Vec<u8>>,
}

impl Assembled {
    /// `{blocks, usage?, finish, replayState?}` as JSON text.
    pub fn to_json(&self) -> Vec<u8> {
        let blocks = self.blocks.join(&b","[..]);
        object(&[
            ("blocks", Some(&[b"[", &blocks[..], b"]"].concat())),
            ("usage", self.usage.as_deref()),
            ("finish", Some(&self.finish)),
            ("replayState", self.replay_state.as_deref()),
        ])
    }
}

/// Assembles the chunks (not the events around them) of one stream, oldest first, each of checked JSON text.
///
/// O(n log b) for n bytes and b blocks.
///
/// # Errors
/// [`SessionCode::Chunk`], with the chunk's place as `index` where one is at fault: for a chunk of an unknown type or
/// without what its type needs (chunks of closed blocks are not looked into), and for an open block of a type that cannot be
/// assembled from deltas.
pub fn assemble_chunks(chunks: &[&[u8]]) -> Result<Assembled, SessionError> {
    let mut assembler = Assembler::default();
    for (place, chunk) in chunks.iter().enumerate() {
        if assembler.take(chunk).is_none() {
            let error = SessionError::new(SessionCode::Chunk, "a chunk cannot be assembled");
            return Err(error.with("index", place as f64));
        }
    }
    assembler.finish()
}

#[derive(Default)]
struct Assembler<'a> {
    /// In the order first seen.
    partials: Vec<Partial<'a>>,
    /// Where in `partials` an index stands, by the number's own text.
    places: Places,
    usage: Option<&'a [u8]>,
    reason: Option<&'a [u8]>,
    replay_state: Option<&'a [u8]>,
}

/// A block on its way. Strings are kept escaped.
struct Partial<'a> {
    index: Vec<u8>,
    /// The block's type.
    kind: RawStr<'a>,
    /// The text of deltas of text and reasoning.
    text: Vec<u8>,
    id: Option<RawStr<'a>>,
    name: Option<RawStr<'a>>,
    arguments: Vec<u8>,
    /// What `block-end` brought.
    closed: Option<&'a [u8]>,
}

impl<'a> Assembler<'a> {
    /// `None` for a chunk that cannot be assembled.
    fn take(&mut self, chunk: &'a [u8]) -> Option<()> {
        let kind = member(chunk, "type").and_then(string)?.decode()?;
        match kind.as_ref() {
            "block-start" => {
                self.open(chunk, member(chunk, "blockType").and_then(string))?;
            }
            "text-delta" => self.add_text(chunk, "text")?,
            "reasoning-delta" => self.add_text(chunk, "reasoning")?,
            "tool-call-delta" => self.add_tool_call(chunk)?,
            "block-end" => {
                // Closed at once, a new partial's own type has no part in anything.
                if let Some(partial) = self.open(chunk, Some(RawStr::from_escaped(b"")))? {
                    partial.closed = Some(member(chunk, "block")?);
                }
            }
            "usage" => self.usage = Some(member(chunk, "usage")?),
            "finish" => {
                self.reason = Some(member(chunk, "reason")?);
                self.replay_state = member(chunk, "replayState");
            }
            _ => return None,
        }
        Some(())
    }

    /// The block of a chunk's index, begun as `kind` if it is new; `Some(None)` if it is closed.
    fn open(&mut self, chunk: &[u8], kind: Option<RawStr<'a>>) -> Option<Option<&mut Partial<'a>>> {
        let index = member(chunk, "index").filter(|it| kind_of(it) == Some(Kind::Number))?;
        let index = stringify(index);
        let place = match self.places.get(&index) {
            Some(place) => place,
            None => {
                self.partials.push(Partial {
                    index: index.clone(),
                    kind: kind?,
                    text: Vec::new(),
                    id: None,
                    name: None,
                    arguments: Vec::new(),
                    closed: None,
                });
                self.places.get_or_insert(index, self.partials.len() - 1)
            }
        };
        let partial = self.partials.get_mut(place)?;
        Some(partial.closed.is_none().then_some(partial))
    }

    fn add_text(&mut self, chunk: &'a [u8], kind: &'static str) -> Option<()> {
        let kind = RawStr::from_escaped(kind.as_bytes());
        if let Some(partial) = self.open(chunk, Some(kind))? {
            let text = member(chunk, "text").and_then(string)?;
            partial.text.extend_from_slice(text.escaped());
        }
        Some(())
    }

    /// A missing id leaves the one before, like a missing or empty name.
    fn add_tool_call(&mut self, chunk: &'a [u8]) -> Option<()> {
        let kind = RawStr::from_escaped(b"tool-call");
        if let Some(partial) = self.open(chunk, Some(kind))? {
            let delta = member(chunk, "argumentsDelta").and_then(string)?;
            partial.arguments.extend_from_slice(delta.escaped());
            partial.id = member(chunk, "id").and_then(string).or(partial.id);
            partial.name = member(chunk, "name")
                .and_then(string)
                .filter(|name| !name.is_empty())
                .or(partial.name);
        }
        Some(())
    }

    fn finish(self) -> Result<Assembled, SessionError> {
        let blocks = self.partials.iter().map(Partial::block);
        Ok(Assembled {
            blocks: blocks.collect::<Result<_, _>>()?,
            usage: self.usage.map(<[u8]>::to_vec),
            finish: self.reason.unwrap_or(br#"{"kind":"stop"}"#).to_vec(),
            replay_state: self.replay_state.map(<[u8]>::to_vec),
        })
    }
}

impl Partial<'_> {
    fn block(&self) -> Result<Vec<u8>, SessionError> {
        if let Some(block) = self.closed {
            return Ok(block.to_vec());
        }
        if self.kind.eq_str("tool-call") {
            return Ok(self.tool_call());
        }
        if self.kind.eq_str("text") || self.kind.eq_str("reasoning") {
            return Ok(object(&[
                ("type", Some(&quoted(self.kind.escaped()))),
                ("text", Some(&quoted(&self.text))),
            ]));
        }
        Err(SessionError::new(
            SessionCode::Chunk,
            "an open block of this type cannot be assembled",
        ))
    }

    fn tool_call(&self) -> Vec<u8> {
        let id = match self.id {
            Some(id) => quoted(id.escaped()),
            None => quoted(&[b"call-", &self.index[..]].concat()),
        };
        let name = self.name.map_or(&b""[..], |name| name.escaped());
        object(&[
            ("type", Some(b"\"tool-call\"")),
            ("id", Some(&id)),
            ("name", Some(&quoted(name))),
            ("arguments", Some(&quoted(&self.arguments))),
        ])
    }
}

fn quoted(escaped: &[u8]) -> Vec<u8> {
    [b"\"", escaped, b"\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(chunks: &[&str]) -> Result<String, SessionError> {
        let chunks: Vec<&[u8]> = chunks.iter().map(|chunk| chunk.as_bytes()).collect();
        assemble_chunks(&chunks).map(|it| String::from_utf8(it.to_json()).unwrap())
    }

    /// The blocks of chunks that can be assembled.
    fn blocks(chunks: &[&str]) -> String {
        let all = assemble(chunks).unwrap();
        let blocks = all.strip_prefix(r#"{"blocks":["#).unwrap();
        let end = blocks.find(r#"],"finish":{"kind":"stop"}}"#).unwrap();
        blocks[..end].to_owned()
    }

    #[test]
    fn no_chunks_are_an_empty_message_that_stopped() {
        assert_eq!(
            assemble(&[]).unwrap(),
            r#"{"blocks":[],"finish":{"kind":"stop"}}"#
        );
    }

    #[test]
    fn usage_and_finish_are_the_last_ones() {
        let chunks = [
            r#"{"type":"finish","reason":{"kind":"stop"},"replayState":1}"#,
            r#"{"type":"usage","usage":{"inputTokens":1}}"#,
            r#"{"type":"finish","reason":{"kind":"aborted"},"replayState":{"k":1.0}}"#,
            r#"{"type":"usage","usage":{"inputTokens":2}}"#,
        ];
        assert_eq!(
            assemble(&chunks).unwrap(),
            r#"{"blocks":[],"usage":{"inputTokens":2},"finish":{"kind":"aborted"},"replayState":{"k":1.0}}"#
        );
    }

    #[test]
    fn blocks_come_in_the_order_first_seen_and_the_first_close_counts() {
        let chunks = [
            r#"{"type":"text-delta","index":7,"text":"a\ud83d"}"#,
            r#"{"type":"block-start","index":1,"blockType":"reasoning"}"#,
            r#"{"type":"reasoning-delta","index":1.0,"text":"because"}"#,
            r#"{"type":"text-delta","index":7,"text":"\ude00"}"#,
            r#"{"type":"block-start","index":1,"blockType":"text"}"#,
            r#"{"type":"text-delta","index":2,"text":"never seen"}"#,
            r#"{"type":"block-end","index":2,"block":{"type":"image","x":1}}"#,
            r#"{"type":"block-end","index":2,"block":{"type":"text"}}"#,
            r#"{"type":"text-delta","index":2}"#,
        ];
        assert_eq!(
            blocks(&chunks),
            r#"{"type":"text","text":"a\ud83d\ude00"},{"type":"reasoning","text":"because"},{"type":"image","x":1}"#
        );
    }

    #[test]
    fn tool_calls_collect_id_name_and_arguments() {
        let chunks = [
            r#"{"type":"tool-call-delta","index":0,"id":"a","name":"n","argumentsDelta":"{\"x\""}"#,
            r#"{"type":"tool-call-delta","index":0,"id":"b","name":"","argumentsDelta":":1}"}"#,
            r#"{"type":"block-start","index":4,"blockType":"tool-call"}"#,
        ];
        assert_eq!(
            blocks(&chunks),
            r#"{"type":"tool-call","id":"b","name":"n","arguments":"{\"x\":1}"},{"type":"tool-call","id":"call-4","name":"","arguments":""}"#
        );
    }

    #[test]
    fn what_cannot_be_assembled_is_refused() {
        let open_image = r#"{"type":"block-start","index":0,"blockType":"image"}"#;
        assert_eq!(
            assemble(&[open_image]).unwrap_err().code,
            SessionCode::Chunk
        );
        let closed = r#"{"type":"block-end","index":0,"block":{"type":"image"}}"#;
        assert_eq!(blocks(&[open_image, closed]), r#"{"type":"image"}"#);
        for bad in [
            r#"{"type":"mystery"}"#,
            r#"{"type":"text-delta","index":0}"#,
            r#"{"type":"text-delta","index":"0","text":""}"#,
            r#"{"type":"text-delta","text":""}"#,
            r#"{"type":"tool-call-delta","index":0,"id":"a"}"#,
            r#"{"type":"block-start","index":0}"#,
            r#"{"type":"block-end","index":0}"#,
            r#"{"type":"usage"}"#,
            r#"{"type":"finish"}"#,
            "null",
            "",
        ] {
            let chunks = [r#"{"type":"text-delta","index":9,"text":""}"#, bad];
            let error = assemble(&chunks).unwrap_err();
            assert_eq!(error.code, SessionCode::Chunk);
            assert_eq!(error.details, [("index", 1.0)], "{bad}");
        }
    }
}
