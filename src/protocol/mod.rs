//! The wire protocol of seeds 000 and 001: ids, messages, outputs, errors and the wire entry.
//!
//! Everything is checked as JSON text. The invariant: a text that passed a check here may be read
//! with [`crate::json::Reader`] without looking at its shape again.

mod error;
mod id;
mod message;
mod wire;

pub use error::{Error, ErrorCode, ErrorKind};
pub use id::{MessageId, SessionId, uuid_v7};
pub use message::{Message, MessageKind, check_message, check_output};
pub use wire::{WireBody, WireEntry, check_wire_entry};
