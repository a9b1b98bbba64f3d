//! The event-sourced session (seed 003): what an event may say, and what a log of events means.
//!
//! Every rule looks at events as JSON text that was checked ([`crate::json::check`]); numbers and strings are decoded where
//! a rule asks about them, so that what no rule names survives as it was written.

mod chunks;
mod delta_event;
mod derive;
mod error;
mod event;
mod fold;
pub mod fork;
mod invariants;
pub mod lines;
mod object;
pub mod packing;
mod pairing;
mod parts;
mod placement;
mod places;
mod repair;
mod request_header;
pub mod rules;
pub mod seed;
pub mod session_header;
mod surface;

pub use chunks::{Assembled, assemble_chunks};
pub use derive::derive_event_message;
pub use error::{SessionCode, SessionError};
pub use event::{Event, items, kind_of, member, members, safe_integer, string};
pub use fold::{Replacement, SurfaceFold, fold_surface};
pub use invariants::{Invariants, Next, check_invariants};
pub use pairing::ToolPairing;
pub use parts::{Parts, Sources, SurfaceOp};
pub use placement::{Placement, PlacementIndex, Trace};
pub use repair::interrupted_turn_closers;
pub use request_header::{canonical_header, fold_request_header, header_equals, header_of_event};
pub use rules::{Effect, is_surface_eligible, is_surface_event};
pub use surface::{Position, Surface};
