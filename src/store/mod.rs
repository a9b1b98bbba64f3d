//! Where entries live: the log a session has in memory, its stored form, and the stores.
//!
//! - [`Log`]: one session's records with the index that answers every look-up.
//! - [`chunk`], [`head`]: the stored bytes, each with a check value.
//! - [`event_log`]: the stored bytes of an event-sourced session, likewise.
//! - [`plan`]: which chunks a write puts and deletes, decided without any database.
//! - [`Resident`]: a log with the live form of each record; writes are staged and can be taken back.
//! - [`Session`]: a resident with the stored head it belongs to; decides writes, which a database
//!   carries out.
//! - [`salvage`]: what can still be read of damaged records.
//! - [`texts`]: the same for a place that keeps a text for each record.
//! - [`MemoryStore`]: sessions and nothing behind them.

pub mod chunk;
#[cfg(feature = "sessions")]
pub mod event_log;
pub mod head;
mod ids;
pub mod lines;
mod log;
mod memory;
pub mod plan;
mod resident;
pub mod salvage;
mod session;
mod sums;
pub mod texts;

pub use log::{Log, Record};
pub use memory::{MemoryStore, SessionList, Summary, stored_response};
pub use resident::{Resident, Staged};
pub use session::{Group, Session, read_head};
