//! Conversation history (seed 001): entries, their projections, truncation, and the engine that ties
//! a planner to a store.
//!
//! The invariant the module keeps: an entry's text is never changed. Projections read it in place;
//! truncation drops whole entries from the old end; hooks give new entries, whose identity is put
//! back before they are stored.

mod context;
mod document;
mod engine;
mod entry;
mod five_methods;
mod identity;
mod lock;
mod projection;
mod rules;
mod spoken;
mod truncation;

pub use context::{EntryList, cut_on_write, prior, wire};
pub use document::{Document, Text, TextDocument};
pub use engine::{
    Engine, Handled, History, Imported, Item, Planner, PlannerContext, Recorded, Response, SameAs,
    Task, imported,
};
pub use entry::{Entry, EntryKind, check_entry, read_entry};
pub use five_methods::{Append, FiveMethods, HistoryStore};
pub use identity::put_identity_back;
pub use lock::{Lock, LockGuard, Locks};
pub use projection::{
    from_wire, intent_text, message_units, messages_units, same_content, same_message, same_wire,
    write_messages, write_wire,
};
pub use rules::{Hooks, Prior, Rules};
pub use spoken::{Spoken, read_spoken, spoken_in};
pub use truncation::{Bounds, Cut, Retention, cut};
