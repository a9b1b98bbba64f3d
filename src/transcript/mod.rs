//! The transcript (seed 002): what a chat shows, as a list of typed records.
//!
//! There are two forms of it. The document form, `{id, type, payload}` records, is what this crate keeps and speaks
//! (spec 3-transcript.md, section 1); the native form is what the program "Every Code" persists (section 2). Both are JSON
//! text, and what no rule names survives as it was written.

mod apply;
mod assistant;
mod chunks;
mod deltas;
mod error;
mod exec;
mod limits;
mod list;
mod lookup;
mod millis;
mod mutation;
pub mod native;
mod object;
pub mod of_session;
mod open;
mod pieces;
mod record;
mod schema;
mod shape;
mod snapshot;
mod state;
pub mod time;
mod unsafe_integer;

pub use error::{TranscriptCode, TranscriptError};
pub use mutation::Mutation;
pub use native::{
    document_record_to_native, document_to_native, native_record_to_document, native_to_document,
};
pub use record::Record;
pub use state::HistoryState;
pub use unsafe_integer::has_unsafe_integer;
