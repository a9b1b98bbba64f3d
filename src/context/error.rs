//! Why no context, or no request body, can be made of a list.

use std::fmt;

use super::provider::Provider;

/// What went wrong, as a word that never changes between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContextCode {
    /// The list or an option is not what this module takes; the path says where.
    Invalid,
    /// A content block of a type that no rule knows, where the option says `error`.
    UnknownBlock,
    /// The list begins with the assistant, which the API refuses, and no opening user message is set.
    BeginsWithAssistant,
    /// The list ends on the assistant, which the API refuses.
    EndsOnAssistant,
    /// Nothing is left to send.
    Empty,
}

impl ContextCode {
    /// The code as JavaScript sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::UnknownBlock => "unknown_block",
            Self::BeginsWithAssistant => "begins_with_assistant",
            Self::EndsOnAssistant => "ends_on_assistant",
            Self::Empty => "empty",
        }
    }
}

/// A list or an option that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextError {
    /// The stable code.
    pub code: ContextCode,
    /// A sentence for a person.
    pub message: String,
    /// The first offender, as in `[3].content[0].text`; `None` when the whole list is concerned.
    pub path: Option<String>,
}

impl ContextError {
    pub(super) fn new(code: ContextCode, message: &str, path: Option<String>) -> Self {
        Self {
            code,
            message: message.to_owned(),
            path,
        }
    }

    /// A counter of tokens that gives no number.
    pub fn not_counted() -> Self {
        Self::invalid(
            "countTokens".to_owned(),
            "must return a number of tokens, 0 or more",
        )
    }

    /// An API that there is no table of.
    pub fn unknown_provider() -> Self {
        let names: Vec<String> = Provider::ALL
            .iter()
            .map(|provider| format!("'{}'", provider.as_str()))
            .collect();
        Self::invalid(
            "provider".to_owned(),
            &format!("must be one of {}", names.join(", ")),
        )
    }

    pub(super) fn invalid(path: String, message: &str) -> Self {
        Self::new(ContextCode::Invalid, message, Some(path))
    }
}

impl fmt::Display for ContextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{path}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ContextError {}
