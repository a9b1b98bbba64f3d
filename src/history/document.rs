//! A JSON value as the engine passes it around: its text, and whatever live form the host keeps.

use std::rc::Rc;

/// A JSON value that a host (JavaScript, a native test) can also hold in a form of its own.
///
/// The engine looks at texts only; the live form goes back to the caller untouched, so that what a
/// caller appended is the very object it gets back.
pub trait Document: Clone + 'static {
    /// The value as JSON text. Cheap to ask again.
    fn text(&self) -> Rc<[u8]>;
    /// A value from JSON text the core wrote.
    fn from_text(text: Vec<u8>) -> Self;
    /// `{kind: 'turn', input, output}`.
    fn turn(input: &Self, output: &Self) -> Self;
    /// `{kind: 'injection', input}`.
    fn injection(input: &Self) -> Self;
}

/// A document that is its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDocument(Rc<[u8]>);

impl From<&str> for TextDocument {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl Document for TextDocument {
    fn text(&self) -> Rc<[u8]> {
        Rc::clone(&self.0)
    }

    fn from_text(text: Vec<u8>) -> Self {
        Self(text.into())
    }

    fn turn(input: &Self, output: &Self) -> Self {
        Self(
            [
                b"{\"kind\":\"turn\",\"input\":",
                &*input.0,
                b",\"output\":",
                &*output.0,
                b"}",
            ]
            .concat()
            .into(),
        )
    }

    fn injection(input: &Self) -> Self {
        Self(
            [b"{\"kind\":\"injection\",\"input\":", &*input.0, b"}"]
                .concat()
                .into(),
        )
    }
}
