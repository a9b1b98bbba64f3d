//! A message list in memory: what the rules look at is taken apart, everything else stays the text it came as.
//!
//! The list is `{role, content: string | ContentBlock[], provenance?}[]` with the blocks of spec 2-session.md, 2.1. A message
//! or block that no rule has changed knows its text and is written as it was.
//!
//! Opaque state, which a provider gives with its answer and wants back unchanged (signatures, encrypted reasoning, item ids),
//! belongs to a block and is an object. It is the block's own `replayState`; or the item of the array
//! `provenance.replayState` at the block's place in its message; or, where that is an object, it belongs to the message's
//! first reasoning. A block's own `provenance` goes before its message's, so that merged messages keep theirs apart.

use std::borrow::Cow;

use super::error::{ContextCode, ContextError};
use super::escaped::{Escaped, escape_str};
use crate::json::{Kind, RawStr};
use crate::session::{items, kind_of, members, string};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// The user; results of tools come in these messages too.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The role as the list spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One message.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order. Content that is a string is one text block.
    pub blocks: Vec<Block<'a>>,
    /// Its index in the list that was read; of merged messages that of the first.
    pub source: usize,
    /// Its JSON text, as long as it says the same.
    pub raw: Option<&'a [u8]>,
}

/// One content block.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// What it is.
    pub kind: BlockKind<'a>,
    /// Its JSON text, as long as it says the same; none for the one block of content that is a string.
    pub raw: Option<&'a [u8]>,
    /// The index in the list that was read of the message it stood in.
    pub source: usize,
    /// Which model produced it.
    pub origin: Option<Origin<'a>>,
}

/// What a block is. Texts are escaped, as between the quotes of a JSON string.
#[derive(Clone, Debug)]
pub enum BlockKind<'a> {
    /// `{type: "text", text}`
    Text(Escaped<'a>),
    /// `{type: "reasoning", text}`
    Reasoning(Escaped<'a>),
    /// `{type: "tool-call", id, name, arguments}`
    Call(Call<'a>),
    /// `{type: "tool-result", toolCallId, content, isError?}`
    Result(ToolResult<'a>),
    /// A block of another type, which is its text.
    Unknown,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// Its id; empty if there is none.
    pub id: Escaped<'a>,
    /// The tool.
    pub name: Escaped<'a>,
    /// JSON text, as a string holds it. None if it is missing or null.
    pub arguments: Option<Escaped<'a>>,
    /// Whether they were given as a value, not as a string that holds its text.
    pub is_value: bool,
}

/// What a tool said.
#[derive(Clone, Debug)]
pub struct ToolResult<'a> {
    /// The id of the call; empty if there is none.
    pub call_id: Escaped<'a>,
    /// What it said, in order.
    pub parts: Vec<Part<'a>>,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// A block in a tool's result.
#[derive(Clone, Debug)]
pub enum Part<'a> {
    /// A text, or a value that is no list of blocks: a string's characters, any other value's JSON text.
    Text(Escaped<'a>),
    /// The JSON text of a block of another type.
    Unknown(&'a [u8]),
}

/// The model that produced a block.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The provider's name, escaped.
    pub provider: RawStr<'a>,
    /// The model's name, escaped.
    pub model: RawStr<'a>,
    /// What the provider wants back with this block, as JSON text.
    pub state: Option<&'a [u8]>,
}

/// Reads a list of checked JSON text ([`crate::json::check`]). Linear in it.
///
/// Missing and null content is content without blocks, and results may have any content: logs have them. A call's arguments
/// may be an object instead of its text.
///
/// # Errors
/// [`ContextCode::Invalid`] with the path of what has another type than the list's (module head).
pub fn read_messages(list: &[u8]) -> Result<Vec<Message<'_>>, ContextError> {
    if kind_of(list) != Some(Kind::Array) {
        return Err(ContextError::new(
            ContextCode::Invalid,
            "must be an array of messages",
            None,
        ));
    }
    items(list)
        .enumerate()
        .map(|(index, text)| read_message(text, index))
        .collect()
}

/// Reads one message of checked JSON text, which is to count as the list's `source`th.
///
/// # Errors
/// As [`read_messages`].
pub fn read_message(text: &[u8], source: usize) -> Result<Message<'_>, ContextError> {
    let at = |member: &str| format!("[{source}]{member}");
    if kind_of(text) != Some(Kind::Object) {
        return Err(ContextError::invalid(
            at(""),
            "must be an object with role and content",
        ));
    }
    let [role, content, provenance] = members(text, ["role", "content", "provenance"]);
    let role = role
        .and_then(string)
        .and_then(|role| {
            [Role::System, Role::User, Role::Assistant]
                .into_iter()
                .find(|known| role.eq_str(known.as_str()))
        })
        .ok_or_else(|| {
            ContextError::invalid(at(".role"), "must be 'user', 'assistant' or 'system'")
        })?;
    let content = content.unwrap_or(b"null");
    let mut blocks = Vec::new();
    match kind_of(content) {
        Some(Kind::Null) => {}
        Some(Kind::String) => blocks.push(Block {
            kind: BlockKind::Text(text_of(content)),
            raw: None,
            source,
            origin: None,
        }),
        Some(Kind::Array) => {
            let origin = provenance.and_then(read_origin);
            let of_message = origin.and_then(|origin| origin.state);
            // A walk beside the blocks: looking each state up by its place would take quadratic time.
            let mut states = items(of_message.unwrap_or_default());
            for (index, block) in items(content).enumerate() {
                let origin = origin.map(|origin| Origin {
                    state: states.next().filter(|state| is_state(state)),
                    ..origin
                });
                let path = || at(&format!(".content[{index}]"));
                blocks.push(read_block(block, source, origin, &path)?);
            }
            give_to_reasoning(of_message, &mut blocks);
        }
        _ => {
            return Err(ContextError::invalid(
                at(".content"),
                "must be a string or an array of content blocks",
            ));
        }
    }
    Ok(Message {
        role,
        blocks,
        source,
        raw: Some(text),
    })
}

fn read_block<'a>(
    block: &'a [u8],
    source: usize,
    of_message: Option<Origin<'a>>,
    path: &dyn Fn() -> String,
) -> Result<Block<'a>, ContextError> {
    let [kind, text, id, name, arguments, provenance, state] = members(
        block,
        [
            "type",
            "text",
            "id",
            "name",
            "arguments",
            "provenance",
            "replayState",
        ],
    );
    let wanted = |member: &str, value: Option<&'a [u8]>| {
        value
            .filter(|value| kind_of(value) == Some(Kind::String))
            .map(text_of)
            .ok_or_else(|| ContextError::invalid(path() + member, "must be a string"))
    };
    let optional = |member: &str, value: Option<&'a [u8]>| match value {
        Some(value) if kind_of(value) != Some(Kind::Null) => wanted(member, Some(value)),
        _ => Ok(Cow::Borrowed(&b""[..])),
    };
    let Some(kind) = kind.and_then(string) else {
        return Err(ContextError::invalid(path() + ".type", "must be a string"));
    };
    let arguments = arguments.filter(|it| kind_of(it) != Some(Kind::Null));
    let kind = if kind.eq_str("text") {
        BlockKind::Text(wanted(".text", text)?)
    } else if kind.eq_str("reasoning") {
        BlockKind::Reasoning(optional(".text", text)?)
    } else if kind.eq_str("tool-call") {
        BlockKind::Call(Call {
            id: optional(".id", id)?,
            name: wanted(".name", name)?,
            arguments: arguments.map(text_of),
            is_value: arguments.is_some_and(|it| string(it).is_none()),
        })
    } else if kind.eq_str("tool-result") {
        let [call_id, content, is_error] = members(block, ["toolCallId", "content", "isError"]);
        BlockKind::Result(ToolResult {
            call_id: optional(".toolCallId", call_id)?,
            parts: content.map(read_parts).unwrap_or_default(),
            is_error: is_error.and_then(kind_of) == Some(Kind::True),
        })
    } else {
        BlockKind::Unknown
    };
    Ok(Block {
        kind,
        raw: Some(block),
        source,
        origin: own_origin(provenance, state, of_message),
    })
}

/// State of a whole message, which is an object instead of an array, is that of its first reasoning.
fn give_to_reasoning<'a>(state: Option<&'a [u8]>, blocks: &mut [Block<'a>]) {
    let mut reasoning = blocks
        .iter_mut()
        .filter(|block| matches!(block.kind, BlockKind::Reasoning(_)));
    if let Some(state) = state.filter(|state| is_state(state))
        && let Some(origin) = reasoning.next().and_then(|block| block.origin.as_mut())
    {
        origin.state = origin.state.or(Some(state));
    }
}

/// What stands in the block itself goes before what its message says.
fn own_origin<'a>(
    provenance: Option<&'a [u8]>,
    state: Option<&'a [u8]>,
    of_message: Option<Origin<'a>>,
) -> Option<Origin<'a>> {
    let origin = provenance.and_then(read_origin).or(of_message)?;
    Some(Origin {
        state: state.or(origin.state).filter(|state| is_state(state)),
        ..origin
    })
}

pub(super) fn read_origin(provenance: &[u8]) -> Option<Origin<'_>> {
    let [provider, model, state] = members(provenance, ["provider", "model", "replayState"]);
    Some(Origin {
        provider: string(provider?)?,
        model: string(model?)?,
        state,
    })
}

/// The state of one block is an object, whose members an API gave.
fn is_state(state: &[u8]) -> bool {
    kind_of(state) == Some(Kind::Object)
}

fn read_parts(content: &[u8]) -> Vec<Part<'_>> {
    if kind_of(content) != Some(Kind::Array) {
        return vec![Part::Text(text_of(content))];
    }
    let part = |block| {
        let [kind, text] = members(block, ["type", "text"]);
        let is_text = kind
            .and_then(string)
            .is_some_and(|kind| kind.eq_str("text"));
        match text.and_then(string).filter(|_| is_text) {
            Some(text) => Part::Text(Cow::Borrowed(text.escaped())),
            None => Part::Unknown(block),
        }
    };
    items(content).map(part).collect()
}

/// A string's characters; any other value's JSON text.
fn text_of(value: &[u8]) -> Escaped<'_> {
    match string(value) {
        Some(text) => Cow::Borrowed(text.escaped()),
        None => Cow::Owned(escape_str(&String::from_utf8_lossy(value))),
    }
}

impl Origin<'_> {
    /// That of a message, as its first block has it.
    pub(super) fn of_first(self) -> Self {
        let state = items(self.state.unwrap_or_default()).next();
        Self {
            state: state.filter(|state| is_state(state)),
            ..self
        }
    }
}

impl<'a> Block<'a> {
    /// The block if it is a call.
    pub fn call(&self) -> Option<&Call<'a>> {
        match &self.kind {
            BlockKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The block if it is a result.
    pub fn result(&self) -> Option<&ToolResult<'a>> {
        match &self.kind {
            BlockKind::Result(result) => Some(result),
            _ => None,
        }
    }

    /// What the provider wants back with this block.
    pub fn state(&self) -> Option<&'a [u8]> {
        self.origin.and_then(|origin| origin.state)
    }
}

impl<'a> Message<'a> {
    /// A message of blocks that were made or changed here.
    pub(super) fn rebuilt(role: Role, source: usize, blocks: Vec<Block<'a>>) -> Self {
        Self {
            role,
            blocks,
            source,
            raw: None,
        }
    }

    /// Its calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'a>> {
        self.blocks.iter().filter_map(Block::call)
    }

    /// Its results, in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult<'a>> {
        self.blocks.iter().filter_map(Block::result)
    }
}
