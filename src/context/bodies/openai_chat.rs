//! `chat/completions` of OpenAI, and servers compatible with it.
//!
//! Facts: OpenAI's API reference (`messages`, `tools`, `max_completion_tokens`); its error `string_above_max_length` for ids,
//! of which the smallest limit reported is 40; compatible servers' refusals, from public issues (system first, one message a
//! turn, `content` missing).

use super::super::ids::IdLaw;
use super::super::model::{Block, BlockKind, Message, Part, Role, ToolResult};
use super::super::provider::{Law, Tool};
use super::{Body, only_text, paragraphs};
use crate::session::{member, members};

/// What compatible servers call the reasoning they want back beside the content.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

pub(in super::super) const LAW: Law = Law {
    origins: &["openai"],
    ids: Some(IdLaw {
        max_len: 40,
        is_word: false,
    }),
    starts_on_user: false,
    ends_on_user: false,
    trims_end: false,
    is_bare: false,
    names_model: true,
    messages: "messages",
    scalars_in: None,
    scalars: &[
        ("maxTokens", "max_completion_tokens"),
        ("temperature", "temperature"),
        ("topP", "top_p"),
        ("frequencyPenalty", "frequency_penalty"),
        ("presencePenalty", "presence_penalty"),
        ("seed", "seed"),
        ("stop", "stop"),
    ],
    defaults: &[],
    system: None,
    tools_around: ("", ""),
    // Signatures of Gemini's models behind its compatible endpoint.
    state: &["extra_content"],
    takes_reasoning: |block| {
        let state = block.state().unwrap_or_default();
        members(state, REASONING).iter().any(Option::is_some)
    },
    write_system: |out, texts| {
        out.extend_from_slice(b"{\"role\":\"system\",\"content\":\"");
        out.extend_from_slice(&paragraphs(texts));
        out.extend_from_slice(b"\"}");
    },
    write_tool: |out: &mut Vec<u8>, tool: Tool<'_>| {
        out.extend_from_slice(b"{\"type\":\"function\",\"function\":");
        out.extend_from_slice(tool.whole);
        out.push(b'}');
    },
    write_message,
};

fn write_message(body: &mut Body<'_>, message: &Message<'_>) {
    if message.role == Role::Assistant {
        return write_assistant(body, message);
    }
    for result in message.results() {
        let (id, _) = body.answer();
        body.comma();
        body.strings(&[("role", b"tool"), ("tool_call_id", &id)]);
        write_result(body, result);
        body.push("}");
    }
    let said: Vec<&Block<'_>> = message
        .blocks
        .iter()
        .filter(|block| block.result().is_none())
        .collect();
    if !said.is_empty() {
        body.comma();
        body.push("{\"role\":\"user\"");
        write_content(body, &said);
        body.push("}");
    }
}

fn write_assistant(body: &mut Body<'_>, message: &Message<'_>) {
    body.open_calls(message);
    body.comma();
    body.push("{\"role\":\"assistant\"");
    let is_said =
        |block: &&Block<'_>| matches!(block.kind, BlockKind::Text(_) | BlockKind::Unknown);
    let said: Vec<&Block<'_>> = message.blocks.iter().filter(is_said).collect();
    if said.is_empty() {
        body.push(",\"content\":null");
    } else {
        write_content(body, &said);
    }
    write_reasoning(body, message);
    let mut calls = 0;
    for block in &message.blocks {
        let Some(call) = block.call() else { continue };
        body.push(if calls == 0 { ",\"tool_calls\":[" } else { "," });
        let id = body.call_id(calls);
        body.strings(&[("id", &id), ("type", b"function")]);
        body.push(",\"function\":");
        let arguments = call.arguments.as_deref().unwrap_or(b"{}");
        body.strings(&[("name", &call.name), ("arguments", arguments)]);
        body.push("}");
        body.add_state(block);
        body.push("}");
        calls += 1;
    }
    if calls > 0 {
        body.push("]");
    }
    body.push("}");
}

/// The first state that has it gives each of the members.
fn write_reasoning(body: &mut Body<'_>, message: &Message<'_>) {
    for name in REASONING {
        let value = message
            .blocks
            .iter()
            .filter(|block| matches!(block.kind, BlockKind::Reasoning(_)))
            .find_map(|block| member(body.state(block)?, name));
        if let Some(value) = value {
            body.push(&format!(",\"{name}\":"));
            body.out.extend_from_slice(value);
        }
    }
}

/// One text is a string: not every compatible server takes a list of parts.
fn write_content(body: &mut Body<'_>, said: &[&Block<'_>]) {
    if let [block] = said
        && let BlockKind::Text(text) = &block.kind
    {
        body.push(",\"content\":\"");
        body.out.extend_from_slice(text);
        return body.push("\"");
    }
    body.push(",\"content\":[");
    for block in said {
        body.comma();
        match (&block.kind, block.raw) {
            (BlockKind::Text(text), _) => write_text(body, text),
            (_, raw) => body.out.extend_from_slice(raw.unwrap_or(b"{}")),
        }
    }
    body.push("]");
}

fn write_result(body: &mut Body<'_>, result: &ToolResult<'_>) {
    if let Some(text) = only_text(result) {
        body.push(",\"content\":\"");
        body.out.extend_from_slice(text);
        return body.push("\"");
    }
    body.push(",\"content\":[");
    for part in &result.parts {
        body.comma();
        match part {
            Part::Text(text) => write_text(body, text),
            Part::Unknown(raw) => body.out.extend_from_slice(raw),
        }
    }
    body.push("]");
}

fn write_text(body: &mut Body<'_>, text: &[u8]) {
    body.strings(&[("type", b"text"), ("text", text)]);
    body.push("}");
}
