//! From a log to what a model is sent (spec 4-context.md): a legal list.

mod build;
mod error;
mod escaped;
mod legality;
mod model;
mod pairing;
mod repair;
mod write;

pub use build::{Context, ContextOptions, build_context};
pub use error::{ContextCode, ContextError};
pub use escaped::Escaped;
pub use legality::{MissingResult, Rules, UnknownBlocks};
pub use model::{
    Block, BlockKind, Call, Message, Origin, Part, Role, ToolResult, read_message, read_messages,
};
pub use repair::{Repair, Rule};
pub use write::write_messages;
