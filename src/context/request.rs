//! The body of a model request: what the options and the request header ask for, then the messages.
//!
//! The messages come last, so that the bytes before them, and those of the messages that stay, are the same from one request
//! to the next: what providers cache is the beginning.

use super::addressed::Addressed;
use super::bodies::{Body, Given};
use super::build::{Context, ContextOptions, build_context};
use super::error::{ContextCode, ContextError};
use super::escaped::{is_blank, replace_halves};
use super::model::{BlockKind, Message, Role};
use super::provider::{Law, Provider, Tool};
use super::repair::{Repair, Rule};
use super::report::Report;
use crate::json::{Kind, RawStr, Reader, write_wtf8};
use crate::session::{items, kind_of, member, members, string};

/// What a request asks for beside its messages, as checked JSON text.
#[derive(Clone, Copy, Default)]
pub struct Asked<'o> {
    /// An object of `model`, `provider`, `system`, `tools` (`ToolSchema[]`), `maxTokens` (of the answer), `temperature`, `topP`,
    /// `topK`, `frequencyPenalty`, `presencePenalty`, `seed`, `stop`, and `extra`: an object whose members are copied into the
    /// body and go before what is written there otherwise. Members that an API does not know are left out.
    pub options: &'o [u8],
    /// The request header in force (spec 2-session.md, 7). What the options do not say is looked up there: `system` and `tools`
    /// in the header itself, all else in its `config`.
    pub header: Option<&'o [u8]>,
}

/// A body, and what was done to the list to make it.
#[derive(Debug)]
pub struct Request {
    /// JSON in UTF-8. It is well-formed: it holds no half of a surrogate pair.
    pub body: Vec<u8>,
    /// What was dropped and repaired on the way.
    pub report: Report,
}

impl<'o> Asked<'o> {
    /// A member that is there and not null.
    fn get(&self, name: &str) -> Option<&'o [u8]> {
        let is_said = |value: &&[u8]| kind_of(value) != Some(Kind::Null);
        let own = member(self.options, name).filter(is_said);
        own.or_else(|| {
            let header = self.header?;
            let from = match name {
                "system" | "tools" => header,
                _ => member(header, "config")?,
            };
            member(from, name).filter(is_said)
        })
    }

    pub(super) fn text(&self, name: &str) -> Option<RawStr<'o>> {
        self.get(name).and_then(string)
    }

    fn extra(&self) -> &'o [u8] {
        member(self.options, "extra").unwrap_or_default()
    }
}

/// Makes the list legal for an API, cuts it to its budget and writes the request's body.
///
/// Reasoning is sent to the model that produced it, by `provenance`: `provider` and `model` must be those asked for, or the
/// provider one of the API's own where none is asked for.
///
/// # Errors
/// Those of [`build_context`]; [`ContextCode::Invalid`] with the path `model` where the API wants a model named and none is, and
/// [`ContextCode::Empty`] where no message is left.
pub fn build_request(
    provider: Provider,
    messages: Vec<Message<'_>>,
    asked: &Asked<'_>,
    options: &mut ContextOptions<'_>,
) -> Result<Request, ContextError> {
    let addressed = Addressed::new(provider, asked)?;
    let context = addressed.with_rules(&options.rules, |rules| {
        build_context(messages, rules, &options.limits, options.counter.as_mut())
    })?;
    write_request(&addressed, asked, context)
}

/// Writes the body of a context.
pub(super) fn write_request(
    addressed: &Addressed<'_>,
    asked: &Asked<'_>,
    mut context: Context<'_>,
) -> Result<Request, ContextError> {
    if addressed.law.trims_end {
        trim_end(&mut context);
    }
    let Context {
        messages,
        mut report,
    } = context;
    if messages.iter().all(|it| it.role == Role::System) {
        return Err(ContextError::new(
            ContextCode::Empty,
            "no message is left to send",
            None,
        ));
    }
    let mut body = Body::new(addressed, Vec::new(), Given::new(addressed.law));
    let first = messages.first().map_or(0, |message| message.source);
    write_head(&mut body, asked, &messages, first);
    body.write(&messages);
    body.push(end(addressed.law));
    let (out, _, repairs) = body.into_parts();
    report.add_repairs(repairs);
    Ok(Request { body: out, report })
}

/// What closes the list of messages, and the body.
pub(super) fn end(law: &Law) -> &'static str {
    if law.is_bare { "]" } else { "]}" }
}

/// Cuts off white space at the end of a list that ends on the assistant.
pub(super) fn trim_end(context: &mut Context<'_>) {
    let Some(last) = context.messages.last_mut() else {
        return;
    };
    let (role, source) = (last.role, last.source);
    if let Some(block) = last.blocks.last_mut().filter(|_| role == Role::Assistant)
        && let BlockKind::Text(text) = &mut block.kind
        && let Some(trimmed) = super::escaped::without_trailing_space(text)
    {
        *text = trimmed.into();
        block.raw = None;
        last.raw = None;
        let repair = Repair::new(Rule::TrailingSpace, source);
        context.report.add_repairs(vec![repair]);
    }
}

/// All that stands before the messages, and the bracket that opens their list.
///
/// `source` is the first message's place.
pub(super) fn write_head(
    body: &mut Body<'_>,
    asked: &Asked<'_>,
    messages: &[Message<'_>],
    source: usize,
) {
    let law = body.law;
    let system = system_texts(asked, messages);
    if law.is_bare {
        body.push("[");
    } else {
        body.push("{");
        let model = asked.get("model").filter(|_| law.names_model);
        write_member(body, asked, "model", model);
        write_scalars(body, asked);
        write_tools(body, asked);
        if let Some(name) = law.system.filter(|_| !system.is_empty()) {
            let mut value = Vec::new();
            (law.write_system)(&mut value, &system);
            write_member(body, asked, name, Some(&value));
        }
        write_extra(body, asked);
        body.comma();
        body.push(&format!("\"{}\":[", law.messages));
    }
    if law.system.is_none() && !system.is_empty() {
        (law.write_system)(&mut body.out, &system);
    }
    if replace_halves(&mut body.out, 0) {
        body.repairs.push(Repair::new(Rule::LoneSurrogate, source));
    }
}

/// What is asked for comes first, then what the list says.
fn system_texts<'t>(asked: &Asked<'t>, messages: &'t [Message<'_>]) -> Vec<&'t [u8]> {
    let asked = asked.text("system").map(|text| text.escaped());
    let listed = messages
        .iter()
        .filter(|message| message.role == Role::System)
        .flat_map(|message| &message.blocks)
        .filter_map(|block| match &block.kind {
            BlockKind::Text(text) => Some(&text[..]),
            _ => None,
        });
    let texts = asked.into_iter().chain(listed);
    texts.filter(|text| !is_blank(text)).collect()
}

/// A member of the body, unless it is in `extra`.
fn write_member(body: &mut Body<'_>, asked: &Asked<'_>, name: &str, value: Option<&[u8]>) {
    if let Some(value) = value.filter(|_| member(asked.extra(), name).is_none()) {
        body.comma();
        body.push(&format!("\"{name}\":"));
        body.out.extend_from_slice(value);
    }
}

fn write_scalars(body: &mut Body<'_>, asked: &Asked<'_>) {
    let law = body.law;
    if law
        .scalars_in
        .is_some_and(|name| member(asked.extra(), name).is_some())
    {
        return;
    }
    let from = body.out.len();
    if let Some(name) = law.scalars_in {
        body.comma();
        body.push(&format!("\"{name}\":{{"));
    }
    let open = body.out.len();
    for (option, name) in law.scalars {
        let default = law.defaults.iter().find(|(of, _)| of == option);
        let default = default.map(|(_, value)| value.as_bytes());
        let Some(value) = asked.get(option).or(default) else {
            continue;
        };
        // APIs take a list of stops; one alone may be a string in the options.
        let is_one_stop = *option == "stop" && kind_of(value) == Some(Kind::String);
        let list = is_one_stop.then(|| [b"[", value, b"]"].concat());
        write_member(body, asked, name, Some(list.as_deref().unwrap_or(value)));
    }
    match law.scalars_in {
        Some(_) if body.out.len() == open => body.out.truncate(from),
        Some(_) => body.push("}"),
        None => {}
    }
}

fn write_tools(body: &mut Body<'_>, asked: &Asked<'_>) {
    let law = body.law;
    let tools = asked.get("tools").unwrap_or_default();
    let mut list = Vec::new();
    for whole in items(tools).filter(|tool| kind_of(tool) == Some(Kind::Object)) {
        let [name, description, parameters] = members(whole, ["name", "description", "parameters"]);
        list.push(if list.is_empty() { b'[' } else { b',' });
        if list.len() == 1 {
            list.extend_from_slice(law.tools_around.0.as_bytes());
        }
        let tool = Tool {
            whole,
            name,
            description,
            parameters,
        };
        (law.write_tool)(&mut list, tool);
    }
    if !list.is_empty() {
        list.extend_from_slice(law.tools_around.1.as_bytes());
        list.push(b']');
        write_member(body, asked, "tools", Some(&list));
    }
}

/// The list of messages is ours alone.
fn write_extra(body: &mut Body<'_>, asked: &Asked<'_>) {
    let extra = asked.extra();
    let mut reader = Reader::new(extra);
    if !reader.begin_object() {
        return;
    }
    while let Some(key) = reader.next_key() {
        let Some(value) = reader.skip() else { break };
        if !key.eq_str(body.law.messages) {
            body.comma();
            write_wtf8(&mut body.out, &key.to_wtf8());
            body.push(":");
            body.out.extend_from_slice(&extra[value]);
        }
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
pub(super) mod tests;
