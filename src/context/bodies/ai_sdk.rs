//! `ModelMessage[]` of the AI SDK.
//!
//! Facts: the AI SDK's reference of `ModelMessage` (roles, parts, `output` of results). What a provider behind it takes is
//! that provider's law; this list keeps to what all of them take. The SDK hands ids of calls on as they are, so they are of
//! the characters that Anthropic takes and of the length that OpenAI takes.

use super::super::ids::IdLaw;
use super::super::model::{Block, BlockKind, Message};
use super::super::provider::Law;
use super::{Body, joined_text, paragraphs};

pub(in super::super) const LAW: Law = Law {
    origins: &[],
    ids: Some(IdLaw {
        max_len: 40,
        is_word: true,
    }),
    starts_on_user: false,
    ends_on_user: false,
    trims_end: false,
    is_bare: true,
    names_model: false,
    messages: "",
    scalars_in: None,
    scalars: &[],
    defaults: &[],
    system: None,
    tools_around: ("", ""),
    state: &["providerOptions"],
    takes_reasoning: |_| true,
    write_system: |out, texts| {
        out.extend_from_slice(b"{\"role\":\"system\",\"content\":\"");
        out.extend_from_slice(&paragraphs(texts));
        out.extend_from_slice(b"\"}");
    },
    write_tool: |_, _| {},
    write_message,
};

fn write_message(body: &mut Body<'_>, message: &Message<'_>) {
    body.open_calls(message);
    let (results, said): (Vec<&Block<'_>>, Vec<_>) = message
        .blocks
        .iter()
        .partition(|block| block.result().is_some());
    for (role, blocks) in [("tool", results), (message.role.as_str(), said)] {
        if blocks.is_empty() {
            continue;
        }
        body.comma();
        body.push(&format!("{{\"role\":\"{role}\",\"content\":["));
        let mut calls = 0;
        for block in blocks {
            write_part(body, block, calls);
            calls += usize::from(block.call().is_some());
        }
        body.push("]}");
    }
}

fn write_part(body: &mut Body<'_>, block: &Block<'_>, call: usize) {
    body.comma();
    match &block.kind {
        BlockKind::Text(text) => body.strings(&[("type", b"text"), ("text", text)]),
        BlockKind::Reasoning(text) => body.strings(&[("type", b"reasoning"), ("text", text)]),
        BlockKind::Call(it) => {
            let id = body.call_id(call);
            body.strings(&[
                ("type", b"tool-call"),
                ("toolCallId", &id),
                ("toolName", &it.name),
            ]);
            body.push(",\"input\":");
            body.arguments_object(block, it);
        }
        BlockKind::Result(result) => {
            let (id, name) = body.answer();
            body.strings(&[
                ("type", b"tool-result"),
                ("toolCallId", &id),
                ("toolName", &name),
            ]);
            body.push(",\"output\":");
            let kind: &[u8] = if result.is_error {
                b"error-text"
            } else {
                b"text"
            };
            body.strings(&[("type", kind), ("value", &joined_text(result))]);
            body.push("}");
        }
        BlockKind::Unknown => {
            return body.out.extend_from_slice(block.raw.unwrap_or(b"{}"));
        }
    }
    body.add_state(block);
    body.push("}");
}
