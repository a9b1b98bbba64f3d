//! turnlog: what a web chat client needs around its model calls.
//!
//! A session is one append-only log of JSON records; everything else is a projection of it. Records
//! are kept as the UTF-8 text they arrived in, beside a small index, so unknown fields, the spelling
//! of numbers and halves of emoji survive by construction, and what a model is sent is assembled
//! from slices that are already escaped.
//!
//! The modules depend on each other in this order only:
//!
//! - [`json`]: lossless JSON text: checking, reading in place, comparing.
//! - [`protocol`]: ids, messages, outputs, errors, the wire entry (seeds 000 and 001).
//! - [`history`]: entries, projections, truncation, the engine (seed 001).
//! - [`session`]: the event-sourced session (seed 003).
//! - [`transcript`]: what a chat shows, as records, and the native form of it (seed 002).
//! - [`context`]: what a model is sent: legal lists, budgets, the bodies of five APIs.
//! - [`store`]: the store contract, the resident log, the stored format, and what a
//!   database is to read and write; the database itself is the package's JavaScript.
//! - `bindings` (wasm32 only): what JavaScript sees. It converts and decides nothing.
//!
//! Nothing here reads a clock or draws randomness by itself: both are handed in.

#[cfg(feature = "sessions")]
pub mod context;
pub mod history;
pub use turnlog_json as json;
pub mod protocol;
#[cfg(feature = "sessions")]
pub mod session;
pub mod store;
#[cfg(feature = "sessions")]
pub mod transcript;

#[cfg(target_arch = "wasm32")]
pub mod bindings;
