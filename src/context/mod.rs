//! From a log to what a model is sent (spec 4-context.md): a legal list within a budget, and the body of the request.
//!
//! A list is read into [`Message`]s, which are slices of its text ([`read_messages`]); made legal and cut to a budget
//! ([`build_context`]); and written again as a list ([`write_messages`]) or as the body of a request ([`build_request`]). What is
//! changed on the way is reported as [`Repair`]s. The list that was read is never changed.
//!
//! Nothing here panics, whatever text it is given; what is read is expected to be checked JSON text.

mod addressed;
mod bodies;
mod budget;
mod build;
mod clip;
mod compaction;
mod conversation;
mod error;
mod escaped;
mod grapheme;
mod hashed;
mod ids;
mod legality;
mod model;
mod options;
mod pairing;
mod provider;
mod quick;
mod repair;
mod report;
mod request;
mod running;
mod texts;
mod tokens;
mod units;
mod write;

pub use budget::Limits;
pub use build::{Context, ContextOptions, build_context};
pub use compaction::{CompactionPlan, CompactionTarget, plan_compaction, write_plan};
pub use conversation::Conversation;
pub use error::{ContextCode, ContextError};
pub use escaped::Escaped;
pub use legality::{MissingResult, Rules, UnknownBlocks};
pub use model::{
    Block, BlockKind, Call, Message, Origin, Part, Role, ToolResult, read_message, read_messages,
};
pub use options::ListOptions;
pub use provider::Provider;
pub use repair::{Repair, Rule};
pub use report::{Report, write_report};
pub use request::{Asked, Request, build_request};
pub use tokens::estimate_tokens;
pub use units::{TokenCounter, TokenMemo};
pub use write::write_messages;
