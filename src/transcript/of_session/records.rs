//! The texts of the records that a session's events become.

use super::super::time::{UnixTime, write_rfc3339};
use crate::json::{Kind, RawStr, Reader, write_wtf8};
use crate::session::{items, kind_of, member, string};

/// How many lines of a tool's result are shown.
const PREVIEW_LINES: usize = 20;

/// A record's text being written: `{"type":…,"payload":{…}}`.
pub struct Writer {
    out: Vec<u8>,
    is_first: bool,
}

impl Writer {
    /// Of a record of this type.
    pub fn new(kind: &str) -> Self {
        let out = format!("{{\"type\":\"{kind}\",\"payload\":{{").into_bytes();
        Self {
            out,
            is_first: true,
        }
    }

    /// A field with JSON text for its value.
    pub fn field(mut self, name: &str, value: &[u8]) -> Self {
        if !self.is_first {
            self.out.push(b',');
        }
        self.is_first = false;
        self.out
            .extend_from_slice(format!("\"{name}\":").as_bytes());
        self.out.extend_from_slice(value);
        self
    }

    /// A field with text in WTF-8 for its value.
    pub fn text(self, name: &str, text: &[u8]) -> Self {
        let value = quoted(text);
        self.field(name, &value)
    }

    /// The whole text.
    pub fn end(mut self) -> Vec<u8> {
        self.out.extend_from_slice(b"}}");
        self.out
    }
}

/// Text in WTF-8 as a JSON string.
pub fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_wtf8(&mut out, text);
    out
}

/// Epoch milliseconds, JSON text, as RFC 3339 in quotes. What has no such form counts as the beginning of time.
pub fn timestamp(time: Option<&[u8]>) -> Vec<u8> {
    let mut out = vec![b'"'];
    if !write_rfc3339(&mut out, unix_time(time)) {
        write_rfc3339(&mut out, UnixTime { secs: 0, nanos: 0 });
    }
    out.push(b'"');
    out
}

/// The same as a point in time.
pub fn unix_time(time: Option<&[u8]>) -> UnixTime {
    let ms = time
        .and_then(|time| Reader::new(time).number())
        .unwrap_or_default();
    let secs = (ms / 1000.0).floor();
    UnixTime {
        secs: secs as i64,
        nanos: ((ms - secs * 1000.0) * 1e6) as u32,
    }
}

/// The text of a message's text blocks, in WTF-8; other blocks as `[type]`, but those of these types.
pub fn text_of(content: Option<&[u8]>, but: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    for block in items(content.unwrap_or_default()) {
        let kind = member(block, "type").and_then(string);
        if kind.is_some_and(|kind| but.iter().any(|word| kind.eq_str(word))) {
            continue;
        }
        if !out.is_empty() {
            out.push(b'\n');
        }
        let is_text = kind.is_some_and(|kind| kind.eq_str("text"));
        match member(block, "text").and_then(string).filter(|_| is_text) {
            Some(text) => out.extend_from_slice(&text.to_wtf8()),
            None => {
                out.push(b'[');
                out.extend_from_slice(&kind.map(RawStr::to_wtf8).unwrap_or_default());
                out.push(b']');
            }
        }
    }
    out
}

/// Text as the lines of a message, JSON text.
pub fn lines(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'['];
    for line in text.split(|&byte| byte == b'\n') {
        if out.len() > 1 {
            out.push(b',');
        }
        if line.is_empty() {
            out.extend_from_slice(br#"{"kind":"blank","spans":[]}"#);
        } else {
            out.extend_from_slice(br#"{"kind":"paragraph","spans":["#);
            out.extend_from_slice(&span(line));
            out.extend_from_slice(b"]}");
        }
    }
    out.push(b']');
    out
}

/// Text as one plain span, JSON text.
pub fn span(text: &[u8]) -> Vec<u8> {
    let mut out = br#"{"text":"#.to_vec();
    write_wtf8(&mut out, text);
    out.extend_from_slice(
        br#","tone":"default","emphasis":{"bold":false,"italic":false,"dim":false,"strike":false,"underline":false},"entity":null}"#,
    );
    out
}

/// What a model called a tool with, as arguments: a JSON object's members, or the text as it is.
pub fn arguments(raw: Option<&[u8]>) -> Vec<u8> {
    let text = raw
        .and_then(string)
        .map(RawStr::to_wtf8)
        .unwrap_or_default();
    let mut out = vec![b'['];
    let is_object = crate::json::check(&text).is_ok() && kind_of(&text) == Some(Kind::Object);
    let mut reader = Reader::new(&text);
    if is_object && reader.begin_object() {
        while let Some(name) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            let value = text.get(value).unwrap_or_default();
            if out.len() > 1 {
                out.push(b',');
            }
            let is_text = kind_of(value) == Some(Kind::String);
            let (kind, field) = if is_text {
                ("text", "text")
            } else {
                ("json", "value")
            };
            out.extend_from_slice(b"{\"name\":\"");
            out.extend_from_slice(name.escaped());
            out.extend_from_slice(
                format!("\",\"value\":{{\"type\":\"{kind}\",\"{field}\":").as_bytes(),
            );
            out.extend_from_slice(value);
            out.extend_from_slice(b"}}");
        }
    } else if !text.is_empty() {
        out.extend_from_slice(br#"{"name":"arguments","value":{"type":"text","text":"#);
        write_wtf8(&mut out, &text);
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
    out
}

/// The first lines of a result, JSON text.
pub fn preview(text: &[u8]) -> Vec<u8> {
    let all: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    let mut out = br#"{"lines":["#.to_vec();
    for (at, line) in all.iter().take(PREVIEW_LINES).enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_wtf8(&mut out, line);
    }
    let is_cut = all.len() > PREVIEW_LINES;
    out.extend_from_slice(format!("],\"truncated\":{is_cut}}}").as_bytes());
    out
}

/// A todo list as the steps and the progress of a plan, JSON text each.
pub fn plan(todos: Option<&[u8]>) -> (Vec<u8>, Vec<u8>) {
    let (mut steps, mut total, mut done) = (vec![b'['], 0, 0);
    for todo in items(todos.unwrap_or_default()) {
        if total > 0 {
            steps.push(b',');
        }
        let [content, status] =
            ["content", "status"].map(|name| member(todo, name).and_then(string));
        let is_done = status.is_some_and(|status| status.eq_str("completed"));
        total += 1;
        done += u64::from(is_done);
        steps.extend_from_slice(b"{\"description\":");
        write_wtf8(
            &mut steps,
            &content.map(RawStr::to_wtf8).unwrap_or_default(),
        );
        steps.extend_from_slice(b",\"status\":");
        match status {
            Some(word) if !is_done => write_wtf8(&mut steps, &word.to_wtf8()),
            _ => steps.extend_from_slice(b"\"complete\""),
        }
        steps.push(b'}');
    }
    steps.push(b']');
    let progress = format!("{{\"completed\":{done},\"total\":{total}}}");
    (steps, progress.into_bytes())
}

/// The tokens that a model reported, JSON text. The three counters of its input are disjoint.
pub fn usage(usage: Option<&[u8]>) -> Option<Vec<u8>> {
    let usage = usage?;
    let count = |name: &str| member(usage, name).and_then(crate::session::safe_integer);
    let output = count("outputTokens")?;
    let input = ["inputTokens", "cacheReadTokens", "cacheWriteTokens"]
        .map(|name| count(name).unwrap_or_default())
        .iter()
        .fold(0, |sum: u64, tokens| sum.saturating_add(*tokens));
    let total = input.saturating_add(output);
    Some(format!("{{\"prompt\":{input},\"completion\":{output},\"total\":{total}}}").into_bytes())
}
