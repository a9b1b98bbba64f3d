//! What JavaScript sees. This is the only part that builds for wasm32 alone, and it decides nothing: it
//! turns values into text, text into values, and errors into errors.
//!
//! Two halves. Live objects belong to the JavaScript beside this module (`js/`): one pass checks, copies
//! and freezes what a caller hands in. Bytes belong to the core. Payload objects never cross: an object
//! is kept by its handle, and its text crosses when something needs it.

#[cfg(feature = "sessions")]
mod context;
mod document;
mod engine;
mod errors;
#[cfg(feature = "sessions")]
mod event_log;
mod foreign;
mod functions;
mod glue;
mod hooks;
mod own_store;
#[cfg(feature = "sessions")]
mod part_errors;
#[cfg(feature = "sessions")]
mod session;
mod store;
mod text_store;
#[cfg(feature = "sessions")]
mod transcript;
mod types;

pub use engine::{RawBounds, RawEngine};
pub use functions::*;
pub use store::RawStore;
pub use types::*;
