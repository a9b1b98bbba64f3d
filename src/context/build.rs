//! From a list to the list a model is sent: legal, and within its budget.

use super::budget::{Before, Limits, cut};
use super::error::ContextError;
use super::escaped::{escape_str, len};
use super::legality::{Rules, settle, settle_ends};
use super::model::{Message, Role};
use super::repair::Repair;
use super::report::Report;
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
    /// What was done to it.
    pub report: Report,
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
    let messages = settle(messages, rules, &mut repairs)?;
    let older = Older::none(&messages);
    cut_settled(messages, &older, rules, limits, counter, repairs)
}

/// What there is before a list, of which nothing is sent.
#[derive(Clone, Copy)]
pub(super) struct Older {
    /// What it costs; none if there is nothing.
    pub cost: Option<Cost>,
    /// Whether all of it, or else the list, begins with the assistant.
    pub begins_with_assistant: bool,
}

impl Older {
    /// There is nothing before the list.
    pub(super) fn none(messages: &[Message<'_>]) -> Self {
        Self {
            cost: None,
            begins_with_assistant: begins_with_assistant(messages),
        }
    }
}

/// Cuts a list that is settled to its budget, and looks at its ends.
pub(super) fn cut_settled<'a>(
    mut messages: Vec<Message<'a>>,
    older: &Older,
    rules: &Rules<'_>,
    limits: &Limits,
    counter: Option<&mut TokenCounter<'_>>,
    mut repairs: Vec<Repair>,
) -> Result<Context<'a>, ContextError> {
    let opening = opening_cost(older, rules);
    let before = Before {
        fixed: opening,
        dropped: older.cost,
    };
    let cut = cut(&mut messages, limits, rules.starts_on_user, before, counter);
    let mut cost = cut.cost;
    if !begins_with_assistant(&messages) {
        cost = cost.minus(opening);
    }
    settle_ends(&mut messages, rules, &mut repairs)?;
    let mut report = Report {
        dropped: cut.dropped,
        clipped: cut.clipped,
        chars: cost.chars,
        tokens: limits.max_tokens.map(|_| cost.tokens),
        over_budget: limits.is_exceeded(cost),
        repairs: Vec::new(),
    };
    report.add_repairs(repairs);
    Ok(Context { messages, report })
}

/// What the opening message costs if there has to be one.
fn opening_cost(older: &Older, rules: &Rules<'_>) -> Cost {
    match rules.opening {
        Some(opening) if rules.starts_on_user && older.begins_with_assistant => Cost {
            messages: 1,
            chars: len(&escape_str(opening)),
            tokens: estimate_tokens(opening),
        },
        _ => Cost::default(),
    }
}

pub(super) fn begins_with_assistant(messages: &[Message<'_>]) -> bool {
    let first = messages.iter().find(|it| it.role != Role::System);
    first.is_some_and(|it| it.role == Role::Assistant)
}
