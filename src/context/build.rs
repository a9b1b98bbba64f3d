//! From a list to the list a model is sent: legal, and within its budget.

use super::error::ContextError;
use super::legality::{Rules, settle, settle_ends};
use super::model::Message;
use super::repair::Repair;

/// How a context is built.
#[derive(Default)]
pub struct ContextOptions<'o> {
    /// What is legal.
    pub rules: Rules<'o>,
}

/// What a model is sent.
#[derive(Debug)]
pub struct Context<'a> {
    /// The list.
    pub messages: Vec<Message<'a>>,
    /// What was changed to make it legal.
    pub repairs: Vec<Repair>,
}

/// Builds the context.
///
/// # Errors
/// Those of [`settle`] and [`settle_ends`].
pub fn build_context<'a>(
    messages: Vec<Message<'a>>,
    rules: &Rules<'_>,
    _options: &mut ContextOptions<'_>,
) -> Result<Context<'a>, ContextError> {
    let mut repairs = Vec::new();
    let mut messages = settle(messages, rules, &mut repairs)?;
    settle_ends(&mut messages, rules, &mut repairs)?;
    Ok(Context { messages, repairs })
}
