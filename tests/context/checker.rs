//! Whether lists and bodies are what the tables of spec 4-context.md ask for. Written from the tables: it shares no code with
//! what makes them.

use serde_json::Value;
use std::collections::BTreeSet;

type Found = Result<(), String>;

fn wanted(holds: bool, what: &str, at: &Value) -> Found {
    if holds {
        return Ok(());
    }
    Err(format!("{what}: {at}"))
}

pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

pub fn is_blank(text: &str) -> bool {
    text.trim_matches(|char: char| char.is_whitespace() || char == '\u{feff}')
        .is_empty()
}

/// The ids of calls: each once, of a length and of characters that the API takes.
#[derive(Default)]
struct Ids(BTreeSet<String>);

impl Ids {
    fn add(&mut self, id: &str, most: usize, is_word: bool) -> Found {
        let is_legal = !id.is_empty()
            && id.encode_utf16().count() <= most
            && (!is_word
                || id
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)));
        wanted(
            is_legal && self.0.insert(id.to_owned()),
            "the id of a call",
            &id.into(),
        )
    }
}

/// Neighbours of one role, apart from those of `tool`.
fn check_roles(messages: &[Value], starts_on_user: bool, ends_on_user: bool) -> Found {
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| text(message, "role"))
        .filter(|role| !matches!(*role, "system" | "tool"))
        .collect();
    let all = Value::from(roles.clone());
    wanted(
        !starts_on_user || roles.first() == Some(&"user"),
        "begins with the user",
        &all,
    )?;
    wanted(
        !ends_on_user || roles.last() == Some(&"user"),
        "ends on the user",
        &all,
    )
}

/// The list that a context is: the legality table.
pub fn check_list(list: &Value) -> Found {
    let messages = items(list);
    for (index, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        let next = messages.get(index + 1);
        wanted(role != "system" || index == 0, "system first", message)?;
        wanted(
            next.is_none_or(|next| text(next, "role") != role),
            "one message a turn",
            message,
        )?;
        if let Some(said) = message["content"].as_str() {
            wanted(!is_blank(said), "content", message)?;
            continue;
        }
        let blocks = items(&message["content"]);
        wanted(!blocks.is_empty(), "content", message)?;
        let of = |kind: &'static str| move |block: &&Value| text(block, "type") == kind;
        for block in blocks {
            match text(block, "type") {
                "text" => wanted(
                    !is_blank(text(block, "text")),
                    "a text with characters",
                    block,
                )?,
                "tool-call" => {
                    wanted(role == "assistant", "calls are the assistant's", message)?;
                    let arguments = block["arguments"].as_str().is_some_and(|it| !is_blank(it));
                    wanted(arguments, "arguments", block)?;
                }
                "tool-result" => wanted(role == "user", "results are in user messages", message)?,
                _ => {}
            }
        }
        let calls: Vec<&str> = blocks
            .iter()
            .filter(of("tool-call"))
            .map(|it| text(it, "id"))
            .collect();
        let behind = next.map(|next| items(&next["content"])).unwrap_or_default();
        let results: Vec<&str> = behind
            .iter()
            .filter(of("tool-result"))
            .map(|it| text(it, "toolCallId"))
            .collect();
        wanted(
            calls == results || role != "assistant",
            "each call answered, in order",
            message,
        )?;
        let leading = behind
            .iter()
            .take_while(|it| text(it, "type") == "tool-result")
            .count();
        wanted(
            leading == results.len() || role != "assistant",
            "results first",
            message,
        )?;
        let is_first_with_results = index == 0 || text(&messages[index - 1], "role") != "assistant";
        let own = blocks.iter().filter(of("tool-result")).count();
        wanted(
            !is_first_with_results || own == 0,
            "results have calls",
            message,
        )?;
    }
    Ok(())
}

pub fn check_chat(body: &Value) -> Found {
    let messages = items(&body["messages"]);
    let mut ids = Ids::default();
    let mut due: Vec<&str> = Vec::new();
    let mut previous = "";
    for (index, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        wanted(role != "system" || index == 0, "system first", message)?;
        if role == "tool" {
            wanted(
                due.first() == Some(&text(message, "tool_call_id")),
                "answers in order",
                message,
            )?;
            wanted(
                message["content"].is_string() || message["content"].is_array(),
                "content",
                message,
            )?;
            due.remove(0);
            previous = role;
            continue;
        }
        wanted(due.is_empty(), "all calls answered", message)?;
        wanted(previous != role, "one message a turn", message)?;
        previous = role;
        let calls = items(&message["tool_calls"]);
        let content = match &message["content"] {
            Value::String(said) => !is_blank(said),
            Value::Array(parts) => !parts.is_empty(),
            other => other.is_null() && !calls.is_empty(),
        };
        wanted(content, "content", message)?;
        wanted(
            message.get("tool_calls").is_none() || !calls.is_empty(),
            "tool_calls",
            message,
        )?;
        for call in calls {
            ids.add(text(call, "id"), 40, false)?;
            due.push(text(call, "id"));
            wanted(
                call["function"]["arguments"].is_string(),
                "arguments are text",
                call,
            )?;
        }
    }
    wanted(due.is_empty(), "all calls answered", body)
}

pub fn check_responses(body: &Value) -> Found {
    let input = items(&body["input"]);
    let mut ids = Ids::default();
    let mut item_ids = BTreeSet::new();
    let mut due: Vec<&str> = Vec::new();
    for (index, item) in input.iter().enumerate() {
        if let Some(id) = item["id"].as_str() {
            wanted(item_ids.insert(id), "ids of items once", item)?;
        }
        match text(item, "type") {
            "function_call" => {
                ids.add(text(item, "call_id"), 64, false)?;
                due.push(text(item, "call_id"));
            }
            "function_call_output" => {
                wanted(
                    due.first() == Some(&text(item, "call_id")),
                    "outputs in order",
                    item,
                )?;
                due.remove(0);
            }
            "reasoning" => {
                let next = input.get(index + 1).unwrap_or(&Value::Null);
                let is_led_to = matches!(text(next, "type"), "function_call" | "reasoning")
                    || text(next, "role") == "assistant";
                wanted(is_led_to, "what reasoning led to", item)?;
            }
            _ => {
                let is_user = text(item, "role") == "user";
                wanted(!is_user || due.is_empty(), "all calls answered", item)?;
                let content = match &item["content"] {
                    Value::String(said) => !is_user && !is_blank(said),
                    parts => !items(parts).is_empty() && (is_user || item["id"].is_string()),
                };
                wanted(content, "a text, or an output message with its id", item)?;
                for part in items(&item["content"]) {
                    wanted(
                        !is_blank(text(part, "text")),
                        "a text with characters",
                        item,
                    )?;
                }
            }
        }
    }
    wanted(due.is_empty(), "all calls answered", body)
}

pub fn check_anthropic(body: &Value) -> Found {
    let messages = items(&body["messages"]);
    wanted(body["max_tokens"].is_number(), "max_tokens", body)?;
    check_roles(messages, true, false)?;
    let mut ids = Ids::default();
    let mut due: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        wanted(matches!(role, "user" | "assistant"), "role", message)?;
        let next = messages.get(index + 1);
        wanted(
            next.is_none_or(|next| text(next, "role") != role),
            "one message a turn",
            message,
        )?;
        let blocks = items(&message["content"]);
        wanted(!blocks.is_empty(), "content", message)?;
        let answers: Vec<&str> = blocks
            .iter()
            .take_while(|block| text(block, "type") == "tool_result")
            .map(|block| text(block, "tool_use_id"))
            .collect();
        wanted(
            answers == due,
            "each call answered first in the next message",
            message,
        )?;
        due.clear();
        for block in &blocks[answers.len()..] {
            match text(block, "type") {
                "text" => wanted(
                    !is_blank(text(block, "text")),
                    "a text with characters",
                    block,
                )?,
                "tool_use" => {
                    ids.add(text(block, "id"), 64, true)?;
                    wanted(block["input"].is_object(), "input is an object", block)?;
                    due.push(text(block, "id"));
                }
                "thinking" => wanted(block["signature"] == "own", "its own signature", block)?,
                _ => wanted(false, "a block", block)?,
            }
        }
        let last = blocks.last().unwrap_or(&Value::Null);
        if role == "assistant" {
            wanted(
                text(last, "type") != "thinking",
                "thinking leads to something",
                message,
            )?;
            let said = text(last, "text");
            wanted(
                next.is_some() || said.trim_end() == said,
                "no white space at the end",
                message,
            )?;
        }
    }
    wanted(due.is_empty(), "all calls answered", body)
}

pub fn check_gemini(body: &Value) -> Found {
    let contents = items(&body["contents"]);
    check_roles(contents, true, true)?;
    let mut due: Vec<&str> = Vec::new();
    for (index, content) in contents.iter().enumerate() {
        let role = text(content, "role");
        wanted(
            role == if index % 2 == 0 { "user" } else { "model" },
            "roles in turn",
            content,
        )?;
        let parts = items(&content["parts"]);
        wanted(!parts.is_empty(), "parts", content)?;
        let answers: Vec<&str> = parts
            .iter()
            .filter(|part| part.get("functionResponse").is_some())
            .map(|part| text(&part["functionResponse"], "name"))
            .collect();
        wanted(answers == due, "as many responses as calls", content)?;
        due.clear();
        for part in parts {
            if let Some(said) = part["text"].as_str() {
                wanted(!is_blank(said), "a text with characters", part)?;
            } else if let Some(call) = part.get("functionCall") {
                wanted(call["args"].is_object(), "args is an object", part)?;
                due.push(text(call, "name"));
            } else {
                wanted(
                    part["functionResponse"]["response"].is_object(),
                    "a part",
                    part,
                )?;
            }
        }
    }
    wanted(due.is_empty(), "all calls answered", body)
}

pub fn check_ai_sdk(list: &Value) -> Found {
    let mut ids = Ids::default();
    let mut due: Vec<&str> = Vec::new();
    for (index, message) in items(list).iter().enumerate() {
        let role = text(message, "role");
        wanted(role != "system" || index == 0, "system first", message)?;
        let parts = items(&message["content"]);
        if role == "tool" {
            let answers: Vec<&str> = parts.iter().map(|it| text(it, "toolCallId")).collect();
            wanted(
                answers == due,
                "each call answered in the next message",
                message,
            )?;
            due.clear();
            continue;
        }
        wanted(due.is_empty(), "all calls answered", message)?;
        wanted(role == "system" || !parts.is_empty(), "content", message)?;
        for part in parts {
            if text(part, "type") == "tool-call" {
                ids.add(text(part, "toolCallId"), 40, true)?;
                due.push(text(part, "toolCallId"));
            }
        }
    }
    wanted(due.is_empty(), "all calls answered", list)
}
