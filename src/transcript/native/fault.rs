//! A refusal on its way out.

use crate::transcript::error::{TranscriptCode, TranscriptError};

/// A refusal, in one word: every step of a conversion can fail, and moving the whole of an error through each of them would be
/// most of the code.
#[derive(Debug)]
pub(super) struct Fault(Box<TranscriptError>);

impl Fault {
    #[cold]
    pub fn new(code: TranscriptCode, message: &str) -> Self {
        Self(Box::new(TranscriptError::new(code, message)))
    }

    /// As [`TranscriptError::in_member`].
    #[cold]
    pub fn in_member(mut self, name: &str) -> Self {
        *self.0 = self.0.in_member(name);
        self
    }

    /// As [`TranscriptError::in_item`].
    #[cold]
    pub fn in_item(mut self, index: usize) -> Self {
        *self.0 = self.0.in_item(index);
        self
    }

    pub fn into_error(self) -> TranscriptError {
        *self.0
    }
}

/// `invalid`, which most faults are.
#[cold]
pub(super) fn invalid(message: &str) -> Fault {
    Fault::new(TranscriptCode::Invalid, message)
}
