//! A JSON value as the engine passes it around: its text, and whatever live form the host keeps.

use std::rc::Rc;

/// JSON text that is shared. A vector behind the count and not a slice: an `Rc<[u8]>` of a whole
/// request body would be one more copy of it.
pub type Text = Rc<Vec<u8>>;

/// A JSON value that a host (JavaScript, a native test) can also hold in a form of its own.
///
/// The engine looks at texts only; the live form goes back to the caller untouched, so that what a
/// caller appended is the very object it gets back.
pub trait Document: Clone + 'static {
    /// The value as JSON text. Cheap to ask again.
    fn text(&self) -> Text;
    /// A value from JSON text the core wrote.
    fn from_text(text: Vec<u8>) -> Self;
    /// `{kind: 'turn', input, output}`.
    fn turn(input: &Self, output: &Self) -> Self;
    /// `{kind: 'injection', input}`.
    fn injection(input: &Self) -> Self;
}

/// A document that is its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDocument(Text);

impl From<&str> for TextDocument {
    fn from(text: &str) -> Self {
        Self(Rc::new(text.as_bytes().to_vec()))
    }
}

impl Document for TextDocument {
    fn text(&self) -> Text {
        Rc::clone(&self.0)
    }

    fn from_text(text: Vec<u8>) -> Self {
        Self(Rc::new(text))
    }

    fn turn(input: &Self, output: &Self) -> Self {
        Self(
            [
                b"{\"kind\":\"turn\",\"input\":",
                &**input.0,
                b",\"output\":",
                &**output.0,
                b"}",
            ]
            .concat()
            .into(),
        )
    }

    fn injection(input: &Self) -> Self {
        Self(
            [b"{\"kind\":\"injection\",\"input\":", &**input.0, b"}"]
                .concat()
                .into(),
        )
    }
}
