//! A session's log drawn as a transcript.
//!
//! | event | record |
//! | --- | --- |
//! | `user/message` | `plain_message`; of a plugin, or one that replaces others, a `notice` |
//! | `context/message`, `steering/message`, `prompt/blocked` | `notice` |
//! | `assistant/chunk` | text: `assistant_stream`; reasoning: `reasoning`, written anew with each line |
//! | `assistant/message` | `reasoning`, then `assistant_message`, then a `running_tool` for each call |
//! | `tool/call`, `tool/result` | `running_tool`, which becomes a `tool_call` |
//! | `todo/write` | `plan_update`, one a turn |
//! | `turn/end` | `background_event`, unless the turn was completed; what still streams ends |
//!
//! All others are not shown. Payloads are not checked when they are appended, so what is not there counts as empty; an event
//! never fails. Each event costs what it says, but for a line of reasoning, which costs what there is of it.

mod records;
mod saved;
mod tools;

use super::{HistoryState, TranscriptError};
use crate::json::{RawStr, Reader};
use crate::session::{Event, items, member, safe_integer, string};
use records::{Writer, lines, plan, quoted, span, text_of, timestamp, unix_time, usage};

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub struct SessionView {
    /// How many events were taken in.
    seen: u64,
    /// The stream of the step that goes on: its id as JSON text, and its text in WTF-8.
    stream: Option<(Vec<u8>, Vec<u8>)>,
    reasoning: Option<Reasoning>,
    /// Tool calls without a result.
    calls: Vec<tools::Call>,
    /// The plan of the turn that goes on.
    plan: Option<u64>,
}

#[derive(Clone, Debug)]
struct Reasoning {
    id: u64,
    text: Vec<u8>,
    /// How much of the text the record shows.
    shown: usize,
}

impl SessionView {
    /// How many events were taken in.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Takes in the next event, checked JSON text.
    pub fn take(&mut self, state: &mut HistoryState, event: &[u8]) {
        self.seen += 1;
        let Some(event) = Event::read(event) else {
            return;
        };
        let kind = event.kind_string().map(RawStr::to_wtf8).unwrap_or_default();
        let data = event.data.unwrap_or_default();
        let content = member(data, "content");
        match &*kind {
            b"user/message" => said(state, &event, data),
            b"context/message" => notice(state, b"context", &text_of(content, &[])),
            b"steering/message" => notice(state, b"steering", &text_of(content, &[])),
            b"prompt/blocked" => {
                let mut title = b"blocked: ".to_vec();
                title.extend_from_slice(&word(data, "reason"));
                notice(state, &title, &text_of(content, &[]));
            }
            b"assistant/chunk" => self.chunk(state, &event, data),
            b"assistant/message" => self.message(state, &event, data),
            b"tool/call" => {
                self.call(state, event.time, &name(data, "callId"), data);
            }
            b"tool/result" => self.result(state, &event, data),
            b"todo/write" => self.todos(state, data),
            b"turn/end" => self.end(state, &event, data),
            _ => {}
        }
    }

    fn chunk(&mut self, state: &mut HistoryState, event: &Event<'_>, data: &[u8]) {
        let chunk = member(data, "chunk").unwrap_or_default();
        let text = word(chunk, "text");
        match &*word(chunk, "type") {
            b"text-delta" => self.text_delta(state, event, data, &text),
            b"reasoning-delta" => self.reasoning_delta(state, &text),
            _ => {}
        }
    }

    fn text_delta(
        &mut self,
        state: &mut HistoryState,
        event: &Event<'_>,
        data: &[u8],
        text: &[u8],
    ) {
        let id = stream_id(data);
        match &mut self.stream {
            Some((stream, so_far)) if *stream == id => crate::json::append_wtf8(so_far, text),
            _ => self.stream = Some((id.clone(), text.to_vec())),
        }
        let so_far = self.stream.as_ref().map_or(&[][..], |(_, so_far)| so_far);
        let time = timestamp(event.time);
        let seq = event.number().unwrap_or_default().to_string();
        let delta = [
            b"{\"delta\":",
            &quoted(text)[..],
            b",\"sequence\":",
            seq.as_bytes(),
            b",\"received_at\":",
            &time,
            b"}",
        ]
        .concat();
        let update = object(&[
            ("stream_id", &id),
            ("preview_markdown", &quoted(so_far)),
            ("delta", &delta),
        ]);
        taken(state.upsert_assistant_stream(&update, unix_time(event.time)));
    }

    fn reasoning_delta(&mut self, state: &mut HistoryState, text: &[u8]) {
        let reasoning = self.reasoning.get_or_insert_with(|| Reasoning {
            id: push(state, &reasoning(b"", true)),
            text: Vec::new(),
            shown: 0,
        });
        crate::json::append_wtf8(&mut reasoning.text, text);
        let is_line = text.contains(&b'\n') || reasoning.text.len() - reasoning.shown > 256;
        if is_line {
            reasoning.shown = reasoning.text.len();
            set(state, reasoning.id, &self::reasoning(&reasoning.text, true));
        }
    }

    fn message(&mut self, state: &mut HistoryState, event: &Event<'_>, data: &[u8]) {
        if is_replacement(event) {
            return;
        }
        let content = member(data, "content");
        let thought = reasoning_in(content);
        match self.reasoning.take() {
            Some(Reasoning { id, text, .. }) => {
                let text = if thought.is_empty() { text } else { thought };
                set(state, id, &reasoning(&text, false));
            }
            None if !thought.is_empty() => {
                push(state, &reasoning(&thought, false));
            }
            None => {}
        }
        let text = text_of(content, &["reasoning", "tool-call"]);
        let id = stream_id(data);
        let had_stream = self.stream.take_if(|(stream, _)| *stream == id).is_some();
        if !text.is_empty() || had_stream {
            finalize(state, event, &id, &text, usage(member(data, "usage")));
        }
        for block in items(content.unwrap_or_default()) {
            if &*word(block, "type") == b"tool-call" {
                self.call(state, event.time, &name(block, "id"), block);
            }
        }
    }

    fn todos(&mut self, state: &mut HistoryState, data: &[u8]) {
        let (steps, progress) = plan(member(data, "todos"));
        let record = Writer::new("plan_update")
            .text("name", b"Plan")
            .field("icon", b"\"clipboard\"")
            .field("progress", &progress)
            .field("steps", &steps)
            .end();
        match self.plan {
            Some(id) => set(state, id, &record),
            None => self.plan = Some(push(state, &record)),
        }
    }

    fn end(&mut self, state: &mut HistoryState, event: &Event<'_>, data: &[u8]) {
        if let Some(Reasoning { id, text, .. }) = self.reasoning.take() {
            set(state, id, &reasoning(&text, false));
        }
        if let Some((id, text)) = self.stream.take() {
            finalize(state, event, &id, &text, None);
        }
        self.plan = None;
        let reason = member(data, "reason").unwrap_or_default();
        let kind = word(reason, "kind");
        if kind != b"completed" {
            let said = ["message", "reason"].map(|name| word(reason, name));
            let description = said.iter().find(|text| !text.is_empty());
            let record = Writer::new("background_event")
                .text("title", &[b"turn ended: ", &kind[..]].concat())
                .text("description", description.map_or(b"", |text| text))
                .end();
            push(state, &record);
        }
    }
}

fn said(state: &mut HistoryState, event: &Event<'_>, data: &[u8]) {
    let source = member(data, "source").unwrap_or_default();
    let text = text_of(member(data, "content"), &[]);
    let plugin = word(source, "plugin");
    if is_replacement(event) || &*word(source, "kind") == b"plugin" {
        let title = if plugin.is_empty() {
            b"summary"
        } else {
            &plugin[..]
        };
        return notice(state, title, &text);
    }
    let record = Writer::new("plain_message")
        .field("role", b"\"user\"")
        .field("kind", b"\"user\"")
        .field("lines", &lines(&text))
        .end();
    push(state, &record);
}

fn notice(state: &mut HistoryState, title: &[u8], text: &[u8]) {
    let record = Writer::new("notice")
        .text("title", title)
        .field("body", &lines(text))
        .end();
    push(state, &record);
}

fn finalize(
    state: &mut HistoryState,
    event: &Event<'_>,
    id: &[u8],
    text: &[u8],
    usage: Option<Vec<u8>>,
) {
    let usage = usage.as_deref().unwrap_or(b"null");
    let message = object(&[
        ("stream_id", id),
        ("markdown", &quoted(text)),
        ("token_usage", usage),
    ]);
    taken(state.finalize_assistant_stream(&message, unix_time(event.time)));
}

/// Adds a record at the end and gives its id.
fn push(state: &mut HistoryState, record: &[u8]) -> u64 {
    taken(state.push(record)).unwrap_or_default()
}

/// What is made here is what a transcript takes, whatever stands in the events: a property test holds this module to it.
fn taken<T>(result: Result<T, TranscriptError>) -> Option<T> {
    debug_assert!(result.is_ok(), "{:?}", result.as_ref().err());
    result.ok()
}

fn reasoning(text: &[u8], in_progress: bool) -> Vec<u8> {
    let summary = [b"[", &span(text)[..], b"]"].concat();
    let section = object(&[
        ("heading", b"null"),
        ("summary", &summary),
        ("blocks", b"[]"),
    ]);
    Writer::new("reasoning")
        .field("in_progress", if in_progress { b"true" } else { b"false" })
        .field("sections", &[b"[", &section[..], b"]"].concat())
        .field("hide_when_collapsed", b"false")
        .end()
}

fn reasoning_in(content: Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for block in items(content.unwrap_or_default()) {
        if &*word(block, "type") == b"reasoning" {
            if !out.is_empty() {
                out.push(b'\n');
            }
            out.extend_from_slice(&word(block, "text"));
        }
    }
    out
}

/// Puts a record in the place of the one with this id, keys and all. One that was taken out meanwhile stays out.
fn set(state: &mut HistoryState, id: u64, record: &[u8]) {
    let Some(index) = state.index_of(id) else {
        return;
    };
    let event = [
        format!("{{\"type\":\"replace\",\"index\":{index},\"record\":").as_bytes(),
        record,
        b"}",
    ]
    .concat();
    taken(state.apply(&event, unix_time(None)));
}

/// The stream of a step: `turn:step`, JSON text.
fn stream_id(data: &[u8]) -> Vec<u8> {
    let [turn, step] = ["turn", "step"].map(|name| member(data, name).and_then(safe_integer));
    format!(
        "\"{}:{}\"",
        turn.unwrap_or_default(),
        step.unwrap_or_default()
    )
    .into_bytes()
}

/// A member that names something, as a JSON string.
fn name(object: &[u8], key: &str) -> Vec<u8> {
    quoted(&word(object, key))
}

/// A member that is a string, in WTF-8; empty for anything else.
fn word(object: &[u8], name: &str) -> Vec<u8> {
    let text = member(object, name).and_then(string);
    text.map_or_else(Vec::new, |text| text.to_wtf8().into_owned())
}

fn is_replacement(event: &Event<'_>) -> bool {
    event
        .surface_op
        .is_some_and(|op| Reader::new(op).begin_object())
}

fn number(time: Option<&[u8]>) -> f64 {
    time.and_then(|time| Reader::new(time).number())
        .unwrap_or_default()
}

fn object(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (name, value) in fields {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(format!("\"{name}\":").as_bytes());
        out.extend_from_slice(value);
    }
    out.push(b'}');
    out
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
