//! The plain values that cross the boundary; their TypeScript declarations are generated from here.

use crate::history::Imported;
use crate::store::Summary;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const BRANDS: &str = r#"
/** Names a session: 1 to 512 UTF-16 code units without a lone surrogate (spec: Identifiers). */
export type SessionId = string & { readonly __brand: 'SessionId' };
/** Names a message within its session; what duplicates are told by. The same rules. */
export type MessageId = string & { readonly __brand: 'MessageId' };
"#;

/// One message of the list a model is sent (seed 001, the default projection).
#[derive(Tsify)]
#[allow(
    dead_code,
    reason = "declares the type; the values are JSON text the core wrote"
)]
pub struct LLMMessage {
    /// Who speaks.
    #[tsify(type = "'user' | 'assistant' | 'system'")]
    role: String,
    /// What is said.
    content: String,
}

/// One recorded entry as clients render it (seed 000): a request with its reply, or an injected reply.
#[derive(Tsify)]
#[allow(
    dead_code,
    reason = "declares the type; the values are JSON text the core wrote"
)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SessionHistoryEntry {
    /// A request and its reply.
    #[serde(rename_all = "camelCase")]
    Turn {
        /// The id of the request.
        #[tsify(type = "MessageId")]
        id: String,
        /// The session.
        #[tsify(type = "SessionId")]
        session_id: String,
        /// When the client stamped the request, in epoch milliseconds; always finite.
        timestamp: f64,
        /// What the user asked; `''` when the turn carried no user intent.
        user_intent: String,
        /// What the assistant replied.
        assistant_message: String,
    },
    /// Assistant text put in by the developer.
    #[serde(rename_all = "camelCase")]
    Injection {
        /// The id of the injection.
        #[tsify(type = "MessageId")]
        id: String,
        /// The session.
        #[tsify(type = "SessionId")]
        session_id: String,
        /// When it was stamped, in epoch milliseconds; always finite.
        timestamp: f64,
        /// The injected text, verbatim.
        content: String,
    },
}

/// What a client shows of a session without opening it.
#[derive(Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The session.
    #[tsify(type = "SessionId")]
    id: String,
    /// How many entries are retained.
    entries: f64,
    /// UTF-8 bytes of the retained entries' JSON text.
    bytes: f64,
    /// The smallest `timestamp` of the session's entries, in epoch milliseconds.
    first_activity: f64,
    /// The largest `timestamp`, in epoch milliseconds.
    last_activity: f64,
}

impl From<Summary> for SessionInfo {
    fn from(summary: Summary) -> Self {
        Self {
            id: summary.id.as_str().to_owned(),
            entries: summary.entries as f64,
            bytes: summary.bytes as f64,
            first_activity: summary.activity.first,
            last_activity: summary.activity.last,
        }
    }
}

/// What became of an import.
#[derive(Serialize, Tsify)]
pub struct ImportReport {
    /// How many entries were added.
    inserted: f64,
    /// How many ids were there already; those entries are unchanged.
    deduped: f64,
    /// The ids among them whose stored entry says something else.
    #[tsify(type = "MessageId[]")]
    conflicts: Vec<String>,
}

impl From<Imported> for ImportReport {
    fn from(imported: Imported) -> Self {
        Self {
            inserted: imported.inserted as f64,
            deduped: imported.deduped as f64,
            conflicts: imported
                .conflicts
                .iter()
                .map(|id| id.as_str().to_owned())
                .collect(),
        }
    }
}

/// Limits on what a session retains (seed 001, "How truncation actually runs").
#[derive(Tsify)]
#[allow(dead_code, reason = "declares the type; its fields cross one by one")]
#[serde(rename_all = "camelCase")]
pub struct HistoryLimits {
    /// The most entries: a positive integer.
    #[tsify(optional)]
    max_entries: Option<f64>,
    /// The most characters, as UTF-16 code units of the derived messages' `content`: a positive integer.
    #[tsify(optional)]
    max_chars: Option<f64>,
    /// `'truncate'` (the default) drops what exceeds the bounds from the log on write; `'keep'` leaves
    /// the log whole and cuts only what the model is sent.
    #[tsify(optional, type = "'truncate' | 'keep'")]
    retention: Option<String>,
}
