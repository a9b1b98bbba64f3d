//! Making a list one that model APIs take (spec 4-context.md, "Legality").
//!
//! The steps are run in one order, and each is idempotent on what the ones before it leave, so that all of them change nothing
//! in their own output: blocks that may not stay go; system messages come to the front; neighbours of one role are merged;
//! calls and results are paired; what that left without content goes, and its neighbours are merged. Where the list may
//! begin and end is looked at last, when the budget has been cut ([`settle_ends`]).
//!
//! Afterwards: at most one system message, in front; no two neighbours of one role; each message has a block; each call has one
//! result, in the user message right behind, before everything else there and in the order of the calls; no other results.

use std::borrow::Cow;

use super::error::{ContextCode, ContextError};
use super::escaped::{escape_str, is_blank};
use super::model::{Block, BlockKind, Message, Part, Role};
use super::pairing::pair;
use super::repair::{Repair, Rule};

/// What becomes of a call that has no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingResult {
    /// It gets the result `interrupted`, which is an error.
    #[default]
    Interrupted,
    /// Its message is dropped, with the results of its other calls.
    DropStep,
}

/// What becomes of blocks of unknown types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownBlocks {
    /// They are copied as they are, which is right where they are the API's own.
    Keep,
    /// They are dropped.
    Drop,
    /// The list is refused.
    #[default]
    Error,
}

/// What is legal, beyond what holds everywhere. The default is what `buildRequest` does where its options say nothing.
#[derive(Clone, Copy, Default)]
pub struct Rules<'o> {
    /// For calls without a result.
    pub missing_result: MissingResult,
    /// For blocks of unknown types, in messages and in results.
    pub unknown: UnknownBlocks,
    /// The text of a user message to put before an assistant that begins the list, where the API refuses that.
    pub opening: Option<&'o str>,
    /// Whether the list may not begin with the assistant.
    pub starts_on_user: bool,
    /// Whether the list may not end on the assistant.
    pub ends_on_user: bool,
    /// Which reasoning can be sent. None keeps all of it.
    pub takes_reasoning: Option<&'o dyn Fn(&Block<'_>) -> bool>,
}

/// All steps but [`settle_ends`]. Takes `n log n` of the calls, and is linear in everything else.
///
/// # Errors
/// [`ContextCode::UnknownBlock`] with the path of the block.
pub fn settle<'a>(
    messages: Vec<Message<'a>>,
    rules: &Rules<'_>,
    repairs: &mut Vec<Repair>,
) -> Result<Vec<Message<'a>>, ContextError> {
    let mut kept = Vec::with_capacity(messages.len());
    for mut message in messages {
        settle_blocks(&mut message, rules, repairs)?;
        kept.push(message);
    }
    let merged = merge(system_first(kept, repairs), repairs);
    let merged = if rules.takes_reasoning.is_some() {
        merge(without_loose_reasoning(merged, repairs), repairs)
    } else {
        merged
    };
    Ok(merge(pair(merged, rules.missing_result, repairs), repairs))
}

/// Where the list may begin and end.
///
/// # Errors
/// [`ContextCode::BeginsWithAssistant`] and [`ContextCode::EndsOnAssistant`].
pub fn settle_ends<'a>(
    messages: &mut Vec<Message<'a>>,
    rules: &Rules<'_>,
    repairs: &mut Vec<Repair>,
) -> Result<(), ContextError> {
    let ends = |message: &Message<'_>| message.role == Role::Assistant;
    if rules.ends_on_user && messages.last().is_some_and(ends) {
        return Err(ContextError::new(
            ContextCode::EndsOnAssistant,
            "the list ends on the assistant, which this API refuses",
            None,
        ));
    }
    let first = messages
        .iter()
        .position(|message| message.role != Role::System);
    if rules.starts_on_user
        && let Some(first) = first
        && messages[first].role == Role::Assistant
    {
        let Some(opening) = rules.opening else {
            return Err(ContextError::new(
                ContextCode::BeginsWithAssistant,
                "the list begins with the assistant, which this API refuses; an opening user message can be set",
                None,
            ));
        };
        let source = messages[first].source;
        messages.insert(first, opening_message(opening, source));
        repairs.push(Repair::new(Rule::Opening, source));
    }
    Ok(())
}

/// The user message of this text, which stands before the message `source`.
pub(super) fn opening_message<'a>(text: &str, source: usize) -> Message<'a> {
    let text = BlockKind::Text(Cow::Owned(escape_str(text)));
    Message::rebuilt(Role::User, source, vec![made(text, source)])
}

/// A block that is not in the list that was read.
pub(super) fn made(kind: BlockKind<'_>, source: usize) -> Block<'_> {
    Block {
        kind,
        raw: None,
        source,
        origin: None,
    }
}

/// Drops what may not stay in a message, and fills in missing arguments.
fn settle_blocks(
    message: &mut Message<'_>,
    rules: &Rules<'_>,
    repairs: &mut Vec<Repair>,
) -> Result<(), ContextError> {
    let (role, source) = (message.role, message.source);
    let before = message.blocks.len();
    let mut is_changed = before == 0;
    if is_changed {
        repairs.push(Repair::new(Rule::BlankText, source));
    }
    for (index, mut block) in core::mem::take(&mut message.blocks).into_iter().enumerate() {
        match fault(&block, role, rules) {
            Some(Rule::UnknownBlock) if rules.unknown == UnknownBlocks::Error => {
                return Err(ContextError::new(
                    ContextCode::UnknownBlock,
                    "a content block of an unknown type",
                    Some(format!("[{source}].content[{index}]")),
                ));
            }
            Some(rule) => {
                repairs.push(Repair::new(rule, source));
                is_changed = true;
            }
            None => {
                let was = block.raw;
                settle_block(&mut block, rules, source, index, repairs)?;
                is_changed |= was.is_some() && block.raw.is_none();
                message.blocks.push(block);
            }
        }
    }
    if is_changed {
        message.raw = None;
    }
    Ok(())
}

/// Why a block may not stay.
fn fault(block: &Block<'_>, role: Role, rules: &Rules<'_>) -> Option<Rule> {
    match &block.kind {
        BlockKind::Text(text) if is_blank(text) => Some(Rule::BlankText),
        BlockKind::Call(_) | BlockKind::Reasoning(_) if role != Role::Assistant => {
            Some(Rule::Misplaced)
        }
        BlockKind::Reasoning(_) if rules.takes_reasoning.is_some_and(|takes| !takes(block)) => {
            Some(Rule::Reasoning)
        }
        BlockKind::Unknown if rules.unknown != UnknownBlocks::Keep => Some(Rule::UnknownBlock),
        _ => None,
    }
}

/// What is repaired inside of a block that stays.
fn settle_block(
    block: &mut Block<'_>,
    rules: &Rules<'_>,
    source: usize,
    index: usize,
    repairs: &mut Vec<Repair>,
) -> Result<(), ContextError> {
    match &mut block.kind {
        BlockKind::Call(call) => {
            let is_missing = call.arguments.as_deref().is_none_or(is_blank);
            if is_missing {
                call.arguments = Some(Cow::Borrowed(b"{}"));
            }
            if is_missing || call.is_value {
                repairs.push(Repair::of_call(Rule::Arguments, source, &call.id));
                call.is_value = false;
                block.raw = None;
            }
        }
        BlockKind::Result(result) if rules.unknown != UnknownBlocks::Keep => {
            let is_unknown = |part: &Part<'_>| matches!(part, Part::Unknown(_));
            let Some(at) = result.parts.iter().position(is_unknown) else {
                return Ok(());
            };
            if rules.unknown == UnknownBlocks::Error {
                return Err(ContextError::new(
                    ContextCode::UnknownBlock,
                    "a content block of an unknown type in a result",
                    Some(format!("[{source}].content[{index}].content[{at}]")),
                ));
            }
            repairs.push(Repair::of_call(Rule::UnknownBlock, source, &result.call_id));
            result.parts.retain(|part| !is_unknown(part));
            block.raw = None;
        }
        _ => {}
    }
    Ok(())
}

/// Moves system messages to the front, in their order.
fn system_first<'a>(messages: Vec<Message<'a>>, repairs: &mut Vec<Repair>) -> Vec<Message<'a>> {
    let is_system = |message: &Message<'_>| message.role == Role::System;
    let in_front = messages.iter().take_while(|it| is_system(it)).count();
    let moved = messages[in_front..].iter().filter(|it| is_system(it));
    let known = repairs.len();
    repairs.extend(moved.map(|message| Repair::new(Rule::System, message.source)));
    if repairs.len() == known {
        return messages;
    }
    let (mut system, others): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_system);
    system.extend(others);
    system
}

/// Drops messages without blocks and merges neighbours of one role.
fn merge<'a>(messages: Vec<Message<'a>>, repairs: &mut Vec<Repair>) -> Vec<Message<'a>> {
    let mut merged: Vec<Message<'a>> = Vec::with_capacity(messages.len());
    for mut message in messages {
        if message.blocks.is_empty() {
            continue;
        }
        match merged.last_mut() {
            Some(last) if last.role == message.role => {
                repairs.push(Repair::new(Rule::SameRole, message.source));
                last.raw = None;
                last.blocks.append(&mut message.blocks);
            }
            _ => merged.push(message),
        }
    }
    merged
}

/// Drops reasoning at the end of a message: APIs want what it led to behind it.
fn without_loose_reasoning<'a>(
    mut messages: Vec<Message<'a>>,
    repairs: &mut Vec<Repair>,
) -> Vec<Message<'a>> {
    for message in &mut messages {
        // Results are no part of what the model said and will be moved.
        let is_led_to = |block: &Block<'_>| {
            !matches!(block.kind, BlockKind::Reasoning(_) | BlockKind::Result(_))
        };
        let end = message.blocks.iter().rposition(is_led_to);
        let end = end.map_or(0, |last| last + 1);
        let mut index = 0;
        message.blocks.retain(|block| {
            let stays = index < end || !matches!(block.kind, BlockKind::Reasoning(_));
            index += 1;
            if !stays {
                repairs.push(Repair::new(Rule::Reasoning, block.source));
                message.raw = None;
            }
            stays
        });
    }
    messages
}

#[cfg(test)]
#[path = "legality_tests.rs"]
pub(super) mod tests;
