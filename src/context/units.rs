//! What is kept or dropped as a whole, and what it costs.
//!
//! A step is an assistant message with all results of its calls, so with the reasoning that led to them. A word is what a user
//! message says beside results. System messages are instructions of the request and no part of either.

use super::escaped::{Escaped, len, units, well_formed};
use super::hashed::Hashed;
use super::model::{Block, BlockKind, Message, Part, Role};
use super::tokens::estimate_tokens;
use xxhash_rust::xxh64::xxh64;

/// Counts tokens.
pub struct TokenCounter<'o> {
    /// Counts those of one text. Called once for each unit's text: its texts, and names and arguments of calls, a line each.
    pub count: &'o dyn Fn(&str) -> u64,
    /// What was counted before. The caller keeps it from one request to the next.
    pub memo: &'o mut TokenMemo,
}

/// The token counts of texts that were counted, by the texts' hashes. To be thrown away when the counter changes.
#[derive(Clone, Debug, Default)]
pub struct TokenMemo {
    counts: Hashed,
}

/// What units cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub messages: u64,
    /// UTF-16 code units of texts, reasoning, results, and of names and arguments of calls.
    pub chars: u64,
    pub tokens: u64,
}

impl Cost {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_add(other.messages),
            chars: self.chars.saturating_add(other.chars),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_sub(other.messages),
            chars: self.chars.saturating_sub(other.chars),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }

    /// Whether it is as much as another in each way.
    pub(super) fn covers(self, other: Self) -> bool {
        self.messages >= other.messages && self.chars >= other.chars && self.tokens >= other.tokens
    }
}

/// One unit of a list that is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The message it begins with.
    pub message: usize,
    pub is_step: bool,
}

/// The units of a list, oldest first.
pub(super) fn units_of(messages: &[Message<'_>]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (message, it) in messages.iter().enumerate() {
        let is_step = it.role == Role::Assistant;
        if is_step || it.role == Role::User && says_something(it) {
            units.push(Unit { message, is_step });
        }
    }
    units
}

fn says_something(message: &Message<'_>) -> bool {
    message.blocks.iter().any(|block| block.result().is_none())
}

impl Unit {
    /// Its blocks.
    pub(super) fn blocks<'m, 'a>(
        self,
        messages: &'m [Message<'a>],
    ) -> impl Iterator<Item = &'m Block<'a>> {
        let results = messages.get(self.message + 1).filter(|_| self.is_step);
        let results = results.map(|it| &it.blocks[..]).unwrap_or_default();
        messages[self.message]
            .blocks
            .iter()
            .filter(move |block| self.is_step || block.result().is_none())
            .chain(results.iter().filter(|block| block.result().is_some()))
    }

    /// What it costs. Tokens are counted if there is a budget of them.
    pub(super) fn cost(
        self,
        messages: &[Message<'_>],
        counter: Option<&mut TokenCounter<'_>>,
        counts_tokens: bool,
    ) -> Cost {
        let texts: Vec<Escaped<'_>> = self.blocks(messages).flat_map(texts).collect();
        let tokens = match counter {
            _ if !counts_tokens => 0,
            Some(counter) => counter.tokens(&joined(&texts)),
            None => estimate_tokens(&joined(&texts)),
        };
        Cost {
            messages: 1 + u64::from(self.has_message_of_results(messages)),
            chars: texts.iter().map(|text| len(text)).sum(),
            tokens,
        }
    }

    /// What a message costs by itself, results and all. Tokens are counted if there is something that counts them.
    pub(super) fn cost_of_message(
        message: &Message<'_>,
        count_tokens: Option<&dyn Fn(&str) -> u64>,
    ) -> Cost {
        let texts: Vec<Escaped<'_>> = message.blocks.iter().flat_map(texts).collect();
        Cost {
            messages: 1,
            chars: texts.iter().map(|text| len(text)).sum(),
            tokens: count_tokens.map_or(0, |count| count(&joined(&texts))),
        }
    }

    /// Whether its results stand in a message of their own.
    fn has_message_of_results(self, messages: &[Message<'_>]) -> bool {
        let next = messages.get(self.message + 1).filter(|_| self.is_step);
        next.is_some_and(|next| next.role == Role::User && !says_something(next))
    }
}

impl TokenCounter<'_> {
    fn tokens(&mut self, text: &str) -> u64 {
        let count = self.count;
        let hash = xxh64(text.as_bytes(), 0);
        self.memo.counts.get(hash).unwrap_or_else(|| {
            let tokens = count(text);
            self.memo.counts.set(hash, tokens);
            tokens
        })
    }
}

/// What is counted of a block.
fn texts<'b>(block: &'b Block<'_>) -> Vec<Escaped<'b>> {
    let whole = |text: &'b Escaped<'_>| Escaped::Borrowed(&text[..]);
    match &block.kind {
        BlockKind::Text(text) | BlockKind::Reasoning(text) => vec![whole(text)],
        BlockKind::Call(call) => {
            let arguments = call.arguments.as_ref().map(whole);
            [Some(whole(&call.name)), arguments]
                .into_iter()
                .flatten()
                .collect()
        }
        BlockKind::Result(result) => {
            let text = |part: &'b Part<'_>| match part {
                Part::Text(text) => whole(text),
                Part::Unknown(raw) => json_text(raw),
            };
            result.parts.iter().map(text).collect()
        }
        BlockKind::Unknown => vec![json_text(block.raw.unwrap_or_default())],
    }
}

fn json_text(json: &[u8]) -> Escaped<'_> {
    super::escaped::escape_str(&String::from_utf8_lossy(json)).into()
}

fn joined(texts: &[Escaped<'_>]) -> String {
    let mut out = Vec::new();
    for text in texts {
        if !out.is_empty() {
            out.push(b'\n');
        }
        out.extend_from_slice(&well_formed(units(text)));
    }
    String::from_utf8_lossy(&out).into_owned()
}
