//! What was changed to make a list legal, one record a change.

use super::escaped::{units, well_formed};

/// The row of the legality table that a change follows (spec 4-context.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A call without a result got the result `interrupted`, or its step was dropped.
    MissingResult,
    /// A result without a call was dropped.
    OrphanResult,
    /// A result was moved to stand behind its calls, in their order.
    ResultOrder,
    /// A text of nothing but white space was dropped, or a message without content.
    BlankText,
    /// A call without arguments got `{}`, arguments that were a value became its text, or arguments that are no object were
    /// wrapped in one where the API takes objects.
    Arguments,
    /// Two neighbours of one role were merged.
    SameRole,
    /// A user message was put before an assistant that began the list.
    Opening,
    /// A system message was moved from between the others to the front.
    System,
    /// A call id that the API does not take, or that came before, was replaced on both sides.
    CallId,
    /// Reasoning that the model addressed did not produce, or that nothing follows, was dropped.
    Reasoning,
    /// A half of a surrogate pair became U+FFFD.
    LoneSurrogate,
    /// A block of an unknown type was dropped.
    UnknownBlock,
    /// A call or reasoning outside of an assistant message was dropped.
    Misplaced,
    /// White space at the end of the assistant message that ends the list was cut off.
    TrailingSpace,
}

impl Rule {
    /// The name as JavaScript sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingResult => "missing_result",
            Self::OrphanResult => "orphan_result",
            Self::ResultOrder => "result_order",
            Self::BlankText => "blank_text",
            Self::Arguments => "arguments",
            Self::SameRole => "same_role",
            Self::Opening => "opening",
            Self::System => "system",
            Self::CallId => "call_id",
            Self::Reasoning => "reasoning",
            Self::LoneSurrogate => "lone_surrogate",
            Self::UnknownBlock => "unknown_block",
            Self::Misplaced => "misplaced",
            Self::TrailingSpace => "trailing_space",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repair {
    /// The message it concerns, as an index into the list that was read.
    pub message: usize,
    /// Which row asked for it.
    pub rule: Rule,
    /// The call it concerns; halves of surrogate pairs in its id are shown as U+FFFD.
    pub call_id: Option<String>,
}

impl Repair {
    pub(super) fn new(rule: Rule, message: usize) -> Self {
        Self {
            rule,
            message,
            call_id: None,
        }
    }

    /// A change that concerns the call of this id, which is escaped.
    pub(super) fn of_call(rule: Rule, message: usize, id: &[u8]) -> Self {
        let id = well_formed(units(id));
        Self {
            call_id: Some(String::from_utf8_lossy(&id).into_owned()),
            ..Self::new(rule, message)
        }
    }
}
