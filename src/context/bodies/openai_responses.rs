//! `responses` of OpenAI.
//!
//! Facts: OpenAI's API reference (`input` items, `instructions`, `tools`); its errors for `call_id` above 64 characters, for
//! items of one id, and for a reasoning item without the item that followed it, from public issues. Its client's types, and
//! compatible servers that check by them (vLLM's and others' refusals, from public issues), know what the assistant said as
//! a string, or as a whole output message with `id`, `status` and `annotations`; nothing between the two.

use super::super::ids::IdLaw;
use super::super::model::{Block, BlockKind, Message, Part, Role, ToolResult};
use super::super::provider::{Law, Tool};
use super::{Body, is_typed, only_text, paragraphs};
use crate::session::{member, members, string};

pub(in super::super) const LAW: Law = Law {
    origins: &["openai"],
    ids: Some(IdLaw {
        max_len: 64,
        is_word: false,
    }),
    starts_on_user: false,
    ends_on_user: false,
    trims_end: false,
    is_bare: false,
    names_model: true,
    messages: "input",
    scalars_in: None,
    scalars: &[
        ("maxTokens", "max_output_tokens"),
        ("temperature", "temperature"),
        ("topP", "top_p"),
    ],
    defaults: &[],
    system: Some("instructions"),
    tools_around: ("", ""),
    state: &["id", "status", "phase"],
    takes_reasoning: |block| is_typed(block.state(), &["reasoning"]),
    write_system: |out, texts| {
        out.push(b'"');
        out.extend_from_slice(&paragraphs(texts));
        out.push(b'"');
    },
    write_tool,
    write_message,
};

/// A tool is strict unless it says otherwise, and strict ones take a part of JSON Schema only.
fn write_tool(out: &mut Vec<u8>, tool: Tool<'_>) {
    out.extend_from_slice(b"{\"type\":\"function\"");
    for (name, value) in [
        ("name", tool.name),
        ("description", tool.description),
        ("parameters", tool.parameters),
        ("strict", member(tool.whole, "strict").or(Some(b"false"))),
    ] {
        if let Some(value) = value {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            out.extend_from_slice(value);
        }
    }
    out.push(b'}');
}

fn write_message(body: &mut Body<'_>, message: &Message<'_>) {
    if message.role == Role::Assistant {
        body.open_calls(message);
        let mut calls = 0;
        for block in &message.blocks {
            write_item(body, block, calls);
            calls += usize::from(block.call().is_some());
        }
        return;
    }
    for result in message.results() {
        let (id, _) = body.answer();
        body.comma();
        body.strings(&[("type", b"function_call_output"), ("call_id", &id)]);
        write_output(body, result);
        body.push("}");
    }
    let said = |block: &&Block<'_>| block.result().is_none();
    if !message.blocks.iter().any(|block| said(&block)) {
        return;
    }
    body.comma();
    body.push("{\"type\":\"message\",\"role\":\"user\",\"content\":[");
    for block in message.blocks.iter().filter(said) {
        body.comma();
        match (&block.kind, block.raw) {
            (BlockKind::Text(text), _) => write_text(body, text),
            (_, raw) => body.out.extend_from_slice(raw.unwrap_or(b"{}")),
        }
    }
    body.push("]}");
}

/// Each block of the assistant is an item of its own.
fn write_item(body: &mut Body<'_>, block: &Block<'_>, call: usize) {
    let is_repeated = is_repeated(body, block);
    match &block.kind {
        BlockKind::Text(text) => return write_said(body, block, text, is_repeated),
        BlockKind::Call(it) => {
            body.comma();
            let id = body.call_id(call);
            let arguments = it.arguments.as_deref().unwrap_or(b"{}");
            body.strings(&[
                ("type", b"function_call"),
                ("call_id", &id),
                ("name", &it.name),
                ("arguments", arguments),
            ]);
        }
        BlockKind::Reasoning(_) => {
            if let Some(item) = body.state(block).filter(|_| !is_repeated) {
                body.comma();
                body.out.extend_from_slice(item);
            }
            return;
        }
        BlockKind::Unknown => {
            body.comma();
            return body.out.extend_from_slice(block.raw.unwrap_or(b"{}"));
        }
        BlockKind::Result(_) => return,
    }
    if !is_repeated {
        body.add_state(block);
    }
    body.push("}");
}

/// A text with an item's id is that output message; any other is a string.
fn write_said(body: &mut Body<'_>, block: &Block<'_>, text: &[u8], is_repeated: bool) {
    let [id, status, phase] = members(
        body.state(block).unwrap_or_default(),
        ["id", "status", "phase"],
    );
    let id = id.filter(|id| string(id).is_some() && !is_repeated);
    body.comma();
    body.push("{\"type\":\"message\",\"role\":\"assistant\",\"content\":");
    if id.is_some() {
        body.push("[");
        body.strings(&[("type", b"output_text"), ("text", text)]);
        body.push(",\"annotations\":[]}]");
    } else {
        body.push("\"");
        body.out.extend_from_slice(text);
        body.push("\"");
    }
    let status = id.map(|_| status.unwrap_or(b"\"completed\""));
    for (name, value) in [("id", id), ("status", status), ("phase", phase)] {
        if let Some(value) = value {
            body.push(&format!(",\"{name}\":"));
            body.out.extend_from_slice(value);
        }
    }
    body.push("}");
}

/// Whether an item of this id was written already; the API refuses a second one.
fn is_repeated(body: &mut Body<'_>, block: &Block<'_>) -> bool {
    let id = body
        .state(block)
        .and_then(|state| string(member(state, "id")?));
    id.is_some_and(|id| !body.take_item(&id.to_wtf8()))
}

fn write_output(body: &mut Body<'_>, result: &ToolResult<'_>) {
    if let Some(text) = only_text(result) {
        body.push(",\"output\":\"");
        body.out.extend_from_slice(text);
        return body.push("\"");
    }
    body.push(",\"output\":[");
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
    body.strings(&[("type", b"input_text"), ("text", text)]);
    body.push("}");
}
