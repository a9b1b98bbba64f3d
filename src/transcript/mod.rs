//! The transcript (seed 002): what a chat shows, as a list of typed records.
//!
//! There are two forms of it. The document form, `{id, type, payload}` records, is what this crate keeps and speaks
//! (spec 3-transcript.md, section 1); the native form is what the program "Every Code" persists (section 2). Both are JSON
//! text, and what no rule names survives as it was written.

mod error;
pub mod time;

pub use error::{TranscriptCode, TranscriptError};
