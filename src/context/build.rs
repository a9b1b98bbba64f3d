//! From a list to the list a model is sent: legal, and within its budget.

use super::budget::{Limits, cut};
use super::error::ContextError;
use super::escaped::{escape_str, len};
use super::legality::{Rules, settle, settle_ends};
use super::model::{Message, Role};
use super::repair::Repair;
use super::tokens::estimate_tokens;
use super::units::{Cost, TokenCounter};

/// How a context is built.
#[derive(Default)]
pub struct ContextOptions<'o> {
    /// What is legal.
    pub rules: Rules<'o>,
    /// The budget.
    pub limits: Limits,
    /// What counts tokens, where there is a budget of them; none is the built-in estimate.
    pub counter: Option<TokenCounter<'o>>,
}

/// What a model is sent.
#[derive(Debug)]
pub struct Context<'a> {
    /// The list.
    pub messages: Vec<Message<'a>>,
    /// The messages that the budget dropped, wholly or in part, as indices into the list that was read; in order.
    pub dropped: Vec<usize>,
    /// The messages whose results it clipped, likewise.
    pub clipped: Vec<usize>,
    /// UTF-16 code units of what is said, called and answered, without system texts.
    pub chars: u64,
    /// Tokens of the same, if there is a budget of them.
    pub tokens: Option<u64>,
    /// Whether what is always kept exceeds the budget.
    pub over_budget: bool,
    /// What was changed to make it legal.
    pub repairs: Vec<Repair>,
}

/// Makes a list legal by `rules` and cuts it to its budget. A list that is legal and fits stays as it is written.
///
/// # Errors
/// [`UnknownBlock`](super::ContextCode::UnknownBlock), [`BeginsWithAssistant`](super::ContextCode::BeginsWithAssistant) and
/// [`EndsOnAssistant`](super::ContextCode::EndsOnAssistant), as the rules say.
pub fn build_context<'a>(
    messages: Vec<Message<'a>>,
    rules: &Rules<'_>,
    limits: &Limits,
    counter: Option<&mut TokenCounter<'_>>,
) -> Result<Context<'a>, ContextError> {
    let mut repairs = Vec::new();
    let mut messages = settle(messages, rules, &mut repairs)?;
    let opening = opening_cost(&messages, rules);
    let cut = cut(
        &mut messages,
        limits,
        rules.starts_on_user,
        opening,
        counter,
    );
    let mut cost = cut.cost;
    if !begins_with_assistant(&messages) {
        cost = cost.minus(opening);
    }
    settle_ends(&mut messages, rules, &mut repairs)?;
    Ok(Context {
        messages,
        dropped: cut.dropped,
        clipped: cut.clipped,
        chars: cost.chars,
        tokens: limits.max_tokens.map(|_| cost.tokens),
        over_budget: limits.is_exceeded(cost),
        repairs,
    })
}

/// What the opening message costs if there has to be one.
fn opening_cost(messages: &[Message<'_>], rules: &Rules<'_>) -> Cost {
    match rules.opening {
        Some(opening) if rules.starts_on_user && begins_with_assistant(messages) => Cost {
            messages: 1,
            chars: len(&escape_str(opening)),
            tokens: estimate_tokens(opening),
        },
        _ => Cost::default(),
    }
}

fn begins_with_assistant(messages: &[Message<'_>]) -> bool {
    let first = messages.iter().find(|it| it.role != Role::System);
    first.is_some_and(|it| it.role == Role::Assistant)
}
