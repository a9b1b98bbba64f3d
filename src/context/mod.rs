//! From a log to what a model is sent (spec 4-context.md): a legal list within a budget, and the body of the request.

mod bodies;
mod budget;
mod build;
mod clip;
mod error;
mod escaped;
mod grapheme;
mod ids;
mod legality;
mod model;
mod pairing;
mod provider;
mod repair;
mod request;
mod tokens;
mod units;
mod write;

pub use budget::Limits;
pub use build::{Context, ContextOptions, build_context};
pub use error::{ContextCode, ContextError};
pub use escaped::Escaped;
pub use legality::{MissingResult, Rules, UnknownBlocks};
pub use model::{
    Block, BlockKind, Call, Message, Origin, Part, Role, ToolResult, read_message, read_messages,
};
pub use provider::Provider;
pub use repair::{Repair, Rule};
pub use request::{Asked, Request, build_request};
pub use tokens::estimate_tokens;
pub use units::{TokenCounter, TokenMemo};
pub use write::write_messages;
