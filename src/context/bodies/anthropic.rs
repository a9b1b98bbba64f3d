//! `messages` of Anthropic.
//!
//! Facts: Anthropic's API reference (`system`, `max_tokens`, `tool_use`, `tool_result`, `thinking`); its errors for ids that do
//! not match `^[a-zA-Z0-9_-]+$`, for ids that come twice, for blank texts, and for trailing white space of a last assistant
//! message, from public issues. Amazon's Bedrock takes ids of 64 characters at most, so that is the limit here.

use super::super::escaped::is_blank;
use super::super::ids::IdLaw;
use super::super::model::{Block, BlockKind, Message, Part, Role, ToolResult};
use super::super::provider::{Law, Tool};
use super::{Body, is_typed, only_text};

pub(in super::super) const LAW: Law = Law {
    origins: &["anthropic"],
    ids: Some(IdLaw {
        max_len: 64,
        is_word: true,
    }),
    starts_on_user: true,
    ends_on_user: false,
    trims_end: true,
    is_bare: false,
    names_model: true,
    messages: "messages",
    scalars_in: None,
    scalars: &[
        ("maxTokens", "max_tokens"),
        ("temperature", "temperature"),
        ("topP", "top_p"),
        ("topK", "top_k"),
        ("stop", "stop_sequences"),
    ],
    // Required by the API, and taken by all of its models.
    defaults: &[("maxTokens", "4096")],
    system: Some("system"),
    tools_around: ("", ""),
    state: &["citations"],
    takes_reasoning: |block| is_typed(block.state(), &["thinking", "redacted_thinking"]),
    write_system: |out, texts| {
        if let [text] = texts {
            out.push(b'"');
            out.extend_from_slice(text);
            return out.push(b'"');
        }
        out.push(b'[');
        for (index, text) in texts.iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"" } else { b"," });
            out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
            out.extend_from_slice(text);
            out.extend_from_slice(b"\"}");
        }
        out.push(b']');
    },
    write_tool: |out: &mut Vec<u8>, tool: Tool<'_>| {
        super::write_members(
            out,
            &[
                ("name", tool.name),
                ("description", tool.description),
                (
                    "input_schema",
                    tool.parameters.or(Some(b"{\"type\":\"object\"}")),
                ),
            ],
        );
    },
    write_message,
};

fn write_message(body: &mut Body<'_>, message: &Message<'_>) {
    body.open_calls(message);
    body.comma();
    body.push(match message.role {
        Role::Assistant => "{\"role\":\"assistant\",\"content\":[",
        _ => "{\"role\":\"user\",\"content\":[",
    });
    let mut calls = 0;
    for block in &message.blocks {
        write_block(body, block, calls);
        calls += usize::from(block.call().is_some());
    }
    body.push("]}");
}

fn write_block(body: &mut Body<'_>, block: &Block<'_>, call: usize) {
    body.comma();
    match &block.kind {
        BlockKind::Text(text) => {
            body.strings(&[("type", b"text"), ("text", text)]);
            body.add_state(block);
            body.push("}");
        }
        BlockKind::Call(it) => {
            let id = body.call_id(call);
            body.strings(&[("type", b"tool_use"), ("id", &id), ("name", &it.name)]);
            body.push(",\"input\":");
            body.arguments_object(block, it);
            body.push("}");
        }
        BlockKind::Result(result) => {
            let (id, _) = body.answer();
            body.strings(&[("type", b"tool_result"), ("tool_use_id", &id)]);
            write_content(body, result);
            if result.is_error {
                body.push(",\"is_error\":true");
            }
            body.push("}");
        }
        BlockKind::Reasoning(_) => {
            let state = body.state(block).unwrap_or(b"{}");
            body.out.extend_from_slice(state);
        }
        BlockKind::Unknown => body.out.extend_from_slice(block.raw.unwrap_or(b"{}")),
    }
}

/// What is blank may not be a text block; a result may go without content.
fn write_content(body: &mut Body<'_>, result: &ToolResult<'_>) {
    if let Some(text) = only_text(result) {
        if !is_blank(text) {
            body.push(",\"content\":\"");
            body.out.extend_from_slice(text);
            body.push("\"");
        }
        return;
    }
    body.push(",\"content\":[");
    for part in &result.parts {
        match part {
            Part::Text(text) if is_blank(text) => {}
            Part::Text(text) => {
                body.comma();
                body.strings(&[("type", b"text"), ("text", text)]);
                body.push("}");
            }
            Part::Unknown(raw) => {
                body.comma();
                body.out.extend_from_slice(raw);
            }
        }
    }
    body.push("]");
}
