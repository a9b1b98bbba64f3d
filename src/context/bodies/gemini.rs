//! `generateContent` of Google.
//!
//! Facts: Google's API reference (`contents`, `systemInstruction`, `functionDeclarations`, `generationConfig`,
//! `thoughtSignature`); its errors for a function call that follows neither the user nor a function response, for another
//! number of responses than of calls, for blank parts, and for a list that does not end on the user, from public issues. The
//! two services that speak it differ in taking ids of calls, and both pair calls and responses without.

use super::super::model::{Block, BlockKind, Message, Role};
use super::super::provider::{Law, Tool};
use super::{Body, joined_text};
use crate::session::members;

pub(in super::super) const LAW: Law = Law {
    origins: &["google", "gemini", "vertex"],
    ids: None,
    starts_on_user: true,
    ends_on_user: true,
    trims_end: false,
    is_bare: false,
    // The model is in the address.
    names_model: false,
    messages: "contents",
    scalars_in: Some("generationConfig"),
    scalars: &[
        ("maxTokens", "maxOutputTokens"),
        ("temperature", "temperature"),
        ("topP", "topP"),
        ("topK", "topK"),
        ("frequencyPenalty", "frequencyPenalty"),
        ("presencePenalty", "presencePenalty"),
        ("seed", "seed"),
        ("stop", "stopSequences"),
    ],
    defaults: &[],
    system: Some("systemInstruction"),
    tools_around: ("{\"functionDeclarations\":[", "]}"),
    state: &["thoughtSignature"],
    takes_reasoning: |block| {
        let [text, thought] = members(block.state().unwrap_or_default(), ["text", "thought"]);
        text.is_some() && thought == Some(b"true")
    },
    write_system: |out, texts| {
        out.extend_from_slice(b"{\"parts\":[");
        for (index, text) in texts.iter().enumerate() {
            out.extend_from_slice(if index == 0 {
                b"{\"text\":\""
            } else {
                b",{\"text\":\""
            });
            out.extend_from_slice(text);
            out.extend_from_slice(b"\"}");
        }
        out.extend_from_slice(b"]}");
    },
    write_tool: |out: &mut Vec<u8>, tool: Tool<'_>| {
        super::write_members(
            out,
            &[
                ("name", tool.name),
                ("description", tool.description),
                // `parameters` takes a part of JSON Schema only.
                ("parametersJsonSchema", tool.parameters),
            ],
        );
    },
    write_message,
};

fn write_message(body: &mut Body<'_>, message: &Message<'_>) {
    body.open_calls(message);
    body.comma();
    body.push(match message.role {
        Role::Assistant => "{\"role\":\"model\",\"parts\":[",
        _ => "{\"role\":\"user\",\"parts\":[",
    });
    for block in &message.blocks {
        write_part(body, block);
    }
    body.push("]}");
}

fn write_part(body: &mut Body<'_>, block: &Block<'_>) {
    body.comma();
    match &block.kind {
        BlockKind::Text(text) => {
            body.strings(&[("text", text)]);
            body.add_state(block);
            body.push("}");
        }
        BlockKind::Call(call) => {
            body.push("{\"functionCall\":");
            body.strings(&[("name", &call.name)]);
            body.push(",\"args\":");
            body.arguments_object(block, call);
            body.push("}");
            body.add_state(block);
            body.push("}");
        }
        BlockKind::Result(result) => {
            let (_, name) = body.answer();
            body.push("{\"functionResponse\":");
            body.strings(&[("name", &name)]);
            body.push(",\"response\":");
            let text = joined_text(result);
            body.strings(&[(if result.is_error { "error" } else { "output" }, &text)]);
            body.push("}}}");
        }
        BlockKind::Reasoning(_) => {
            let part = body.state(block).unwrap_or(b"{}");
            body.out.extend_from_slice(part);
        }
        BlockKind::Unknown => body.out.extend_from_slice(block.raw.unwrap_or(b"{}")),
    }
}
