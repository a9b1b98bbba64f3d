//! The one error type of the core: a family, a frozen code, a message and the path it concerns.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

/// The family an error belongs to; it becomes the error's class (and `name`) in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What the caller gave is not what the protocol takes.
    Validation,
    /// The place where entries are kept failed.
    Store,
    /// The planner failed; its own error is the cause.
    Planner,
}

/// What went wrong, as a word that never changes between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// A field is missing, of the wrong type or out of range.
    Invalid,
    /// A value cannot be written as JSON and read back the same.
    NotJson,
    /// The browser or disk has no room; the call was undone whole.
    QuotaExceeded,
    /// There is no working storage of the kind asked for.
    Unavailable,
    /// Another tab holds an older version of the database open.
    Blocked,
    /// The stored data was written by a newer version of this package.
    VersionTooNew,
    /// Stored bytes do not match their check value, or are not what was stored.
    Corrupt,
    /// The browser removed this origin's data, or the database was deleted.
    Evicted,
    /// The store was closed, or the browser closed its connection.
    Closed,
    /// Another writer got there first.
    Conflict,
    /// The store failed in a way that has no code of its own; see the cause.
    Failed,
    /// The planner threw or rejected.
    PlannerFailed,
    /// The caller's signal was aborted.
    Aborted,
}

impl ErrorCode {
    /// The code as JavaScript sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::NotJson => "not_json",
            Self::QuotaExceeded => "quota_exceeded",
            Self::Unavailable => "unavailable",
            Self::Blocked => "blocked",
            Self::VersionTooNew => "version_too_new",
            Self::Corrupt => "corrupt",
            Self::Evicted => "evicted",
            Self::Closed => "closed",
            Self::Conflict => "conflict",
            Self::Failed => "failed",
            Self::PlannerFailed => "planner_failed",
            Self::Aborted => "aborted",
        }
    }
}

/// An error of any part of turnlog.
#[derive(Clone)]
pub struct Error {
    /// The family.
    pub kind: ErrorKind,
    /// The stable code.
    pub code: ErrorCode,
    /// A sentence for a person.
    pub message: String,
    /// The first offender, as in `layout.rows[3].width`; `None` when the whole call is concerned.
    pub path: Option<String>,
    /// What was thrown underneath, in whatever form the host has it.
    pub cause: Option<Rc<dyn Any>>,
}

impl Error {
    /// A value at `path` that the protocol does not take.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            kind: ErrorKind::Validation,
            code: ErrorCode::Invalid,
            message: message.into(),
            path: (!path.is_empty()).then_some(path),
            cause: None,
        }
    }

    /// A failure of the store.
    pub fn store(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Store,
            code,
            message: message.into(),
            path: None,
            cause: None,
        }
    }

    /// A failure of the planner.
    pub fn planner(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Planner,
            code,
            message: message.into(),
            path: None,
            cause: None,
        }
    }

    /// The same error with what was thrown underneath.
    pub fn caused_by(mut self, cause: Rc<dyn Any>) -> Self {
        self.cause = Some(cause);
        self
    }

    /// The same error with its path moved below `prefix`: `content` below `input` is
    /// `input.content`, and an error without a path gets the prefix itself.
    pub fn below(mut self, prefix: &str) -> Self {
        self.path = Some(match self.path.take() {
            None => prefix.to_owned(),
            Some(path) if path.starts_with('[') => format!("{prefix}{path}"),
            Some(path) => format!("{prefix}.{path}"),
        });
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{path}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({}): {self}", self.kind, self.code.as_str())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_moves_below_its_parent() {
        let error = Error::invalid("text", "must be a string")
            .below("reasons[1]")
            .below("input");
        assert_eq!(error.path.as_deref(), Some("input.reasons[1].text"));
        assert_eq!(
            Error::invalid("", "x").below("[2]").path.as_deref(),
            Some("[2]")
        );
        assert_eq!(
            Error::invalid("[0]", "x").below("rows").path.as_deref(),
            Some("rows[0]")
        );
    }

    #[test]
    fn the_text_names_the_path_and_the_reason() {
        let error = Error::invalid("timestamp", "must be a finite number");
        assert_eq!(error.to_string(), "timestamp: must be a finite number");
    }
}
