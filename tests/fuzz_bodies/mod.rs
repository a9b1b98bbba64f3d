//! What must hold of any text given to a reader, as functions that panic where it does not.
//!
//! Two programs include this folder by path: the targets in `fuzz/`, which look for texts, and `tests/fuzz_corpus.rs`, which
//! gives the texts that were found to the same functions. What is asked is more than that nobody panics: what was read and
//! written reads again to the same, what nobody changed comes back byte for byte, a refusal changes nothing, and a reader
//! takes no more memory than a multiple of its text.

pub mod document;
pub mod events;
pub mod json;
mod memory;
pub mod native;
pub mod session_log;

/// A function and the name of its target and of its folder of texts.
pub type Body = (&'static str, fn(&[u8]));

/// All of them.
pub const BODIES: [Body; 5] = [
    ("document", document::body),
    ("native", native::body),
    ("events", events::body),
    ("json", json::body),
    ("session_log", session_log::body),
];

/// Bytes for a person.
fn shown(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
