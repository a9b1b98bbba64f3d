//! Writing a message list again. What no rule has changed is copied.

use super::model::{Block, BlockKind, Message, Origin, Part};
use crate::session::member;

/// Appends the list as a JSON array.
///
/// A message that was changed is written with its role and its blocks. Where its reasoning or its opaque state came from then
/// stands in each block as its `provenance`, since the places that the message's own referred to are no more.
pub fn write_messages(messages: &[Message<'_>], out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match message.raw {
            Some(raw) => out.extend_from_slice(raw),
            None => write_rebuilt(message, out),
        }
    }
    out.push(b']');
}

fn write_rebuilt(message: &Message<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"");
    out.extend_from_slice(message.role.as_str().as_bytes());
    out.extend_from_slice(b"\",\"content\":[");
    for (index, block) in message.blocks.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_block(block, out);
    }
    out.extend_from_slice(b"]}");
}

fn write_block(block: &Block<'_>, out: &mut Vec<u8>) {
    match (block.raw, &block.kind) {
        (Some(raw), kind) => {
            let is_opaque = block.state().is_some() || matches!(kind, BlockKind::Reasoning(_));
            match block.origin.filter(|_| is_opaque && !has_provenance(raw)) {
                Some(origin) => write_with_origin(raw, origin, out),
                None => out.extend_from_slice(raw),
            }
        }
        (None, BlockKind::Text(text)) => {
            pairs(out, &[("type", b"text"), ("text", text)]);
            out.push(b'}');
        }
        (None, BlockKind::Call(call)) => {
            let arguments = call.arguments.as_deref().unwrap_or(b"{}");
            pairs(
                out,
                &[
                    ("type", b"tool-call"),
                    ("id", &call.id),
                    ("name", &call.name),
                    ("arguments", arguments),
                ],
            );
            if let Some(origin) = block.origin.filter(|origin| origin.state.is_some()) {
                write_origin(origin, out);
            }
            out.push(b'}');
        }
        (None, BlockKind::Result(result)) => {
            pairs(
                out,
                &[("type", b"tool-result"), ("toolCallId", &result.call_id)],
            );
            out.extend_from_slice(b",\"content\":[");
            for (index, part) in result.parts.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                match part {
                    Part::Text(text) => {
                        pairs(out, &[("type", b"text"), ("text", text)]);
                        out.push(b'}');
                    }
                    Part::Unknown(raw) => out.extend_from_slice(raw),
                }
            }
            let is_error = if result.is_error { "true" } else { "false" };
            out.extend_from_slice(format!("],\"isError\":{is_error}}}").as_bytes());
        }
        // Neither is ever changed or made here.
        (None, BlockKind::Reasoning(_) | BlockKind::Unknown) => out.extend_from_slice(b"{}"),
    }
}

fn has_provenance(block: &[u8]) -> bool {
    member(block, "provenance").is_some()
}

/// The block with one more member.
fn write_with_origin(block: &[u8], origin: Origin<'_>, out: &mut Vec<u8>) {
    let body = block.trim_ascii_end();
    let body = body.strip_suffix(b"}").unwrap_or(body);
    out.extend_from_slice(body);
    write_origin(origin, out);
    out.push(b'}');
}

fn write_origin(origin: Origin<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"provenance\":");
    pairs(
        out,
        &[
            ("provider", origin.provider.escaped()),
            ("model", origin.model.escaped()),
        ],
    );
    if let Some(state) = origin.state {
        out.extend_from_slice(b",\"replayState\":");
        out.extend_from_slice(state);
    }
    out.push(b'}');
}

/// An object of strings, which are escaped already, up to its closing brace.
pub(super) fn pairs(out: &mut Vec<u8>, members: &[(&str, &[u8])]) {
    for (index, (name, value)) in members.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":\"");
        out.extend_from_slice(value);
        out.push(b'"');
    }
}
