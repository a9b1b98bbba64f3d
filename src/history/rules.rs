//! The engine's settings that reach down to where entries are kept, and the hooks of seed 001.

use super::truncation::{Bounds, Retention};
use crate::protocol::Error;
use std::rc::Rc;

/// The two hooks a caller can set.
pub trait Hooks<D> {
    /// `transformEntry`: the entry to store instead; `None` when the hook is not set.
    ///
    /// # Errors
    /// What the hook threw; the write then fails and nothing is stored.
    fn transform(&self, entry: &D) -> Option<Result<D, Error>>;

    /// `deriveLLMContext`: the entry's messages, a JSON array; asked only when [`Self::derives`].
    ///
    /// # Errors
    /// What the hook threw, or `invalid` when it gave no message list.
    fn derive(&self, entry: &D) -> Result<D, Error>;

    /// Whether `deriveLLMContext` is set.
    fn derives(&self) -> bool;
}

/// What governs writing to a session and reading the context from it.
pub struct Rules<D> {
    /// The limits.
    pub bounds: Bounds,
    /// What they cut.
    pub retention: Retention,
    /// The caller's hooks.
    pub hooks: Rc<dyn Hooks<D>>,
}

impl<D> Clone for Rules<D> {
    fn clone(&self) -> Self {
        Self {
            bounds: self.bounds,
            retention: self.retention,
            hooks: Rc::clone(&self.hooks),
        }
    }
}

impl<D> Rules<D> {
    /// The bounds that a write applies to the stored log.
    pub fn write_bounds(&self) -> Bounds {
        match self.retention {
            Retention::Truncate => self.bounds,
            Retention::Keep => Bounds::default(),
        }
    }

    /// The bounds that a read of the context applies: none after truncation on write.
    pub fn read_bounds(&self) -> Bounds {
        match self.retention {
            Retention::Truncate => Bounds::default(),
            Retention::Keep => self.bounds,
        }
    }
}

/// What a model is to be sent before the new request.
#[derive(Clone, Debug)]
pub struct Prior<D> {
    /// The messages, a JSON array, oldest first.
    pub messages: D,
    /// Whether only the newest entry is left and it alone exceeds `max_chars`.
    pub over_budget: bool,
}
