//! The record types and the snapshot, field by field (spec 3-transcript.md, 1.3 to 1.5 and 2.1 to 2.3).

mod assistant;
mod events;
mod messages;
mod tools;
mod work;

pub(super) use events::{DOMAIN_EVENT, EVENT, MUTATION};

/// A whole snapshot (1.5).
pub(super) static SNAPSHOT: Value = Value::Object(&SNAPSHOT_FIELDS);

use super::shape::{Body, LATER_LIST};
use super::shape::{Field, Fields, OR_MAP, REQUIRED, Rule, Value, Variant};

/// What is counted or numbered: 64 bits.
const U64: Value = Value::Whole(64);
const TEXTS: Value = Value::List(&Value::Text);

const ID: Field = Field::same("id", U64, &REQUIRED);

const fn text(name: &'static str, rule: &'static Rule) -> Field {
    Field::same(name, Value::Text, rule)
}

const fn flag(name: &'static str, rule: &'static Rule) -> Field {
    Field::same(name, Value::Bool, rule)
}

const fn record(native: &'static str, document: &'static str, fields: Fields) -> Variant {
    Variant::new(native, document, Body::Fields(fields))
}

/// The record types. The first field of each is its id, which is in the envelope of a document's record.
pub(super) static RECORDS: [Variant; 21] = [
    record("PlainMessage", "plain_message", &messages::PLAIN_MESSAGE),
    record("WaitStatus", "wait_status", &messages::WAIT_STATUS),
    record("Loading", "loading", &messages::LOADING),
    record("RunningTool", "running_tool", &tools::RUNNING_TOOL),
    record("ToolCall", "tool_call", &tools::TOOL_CALL),
    record("PlanUpdate", "plan_update", &messages::PLAN_UPDATE),
    record("UpgradeNotice", "upgrade_notice", &messages::UPGRADE_NOTICE),
    record("Reasoning", "reasoning", &assistant::REASONING),
    record("Exec", "exec", &tools::EXEC),
    record("MergedExec", "merged_exec", &tools::MERGED_EXEC),
    record(
        "AssistantStream",
        "assistant_stream",
        &assistant::ASSISTANT_STREAM,
    ),
    record(
        "AssistantMessage",
        "assistant_message",
        &assistant::ASSISTANT_MESSAGE,
    ),
    record("Diff", "diff", &work::DIFF),
    record("Image", "image", &work::IMAGE),
    record("Explore", "explore", &work::EXPLORE),
    record("RateLimits", "rate_limits", &work::RATE_LIMITS),
    record("Patch", "patch", &work::PATCH),
    record(
        "BackgroundEvent",
        "background_event",
        &messages::BACKGROUND_EVENT,
    ),
    record("Notice", "notice", &messages::NOTICE),
    record("Context", "context", &work::CONTEXT),
    // How the program's domain events name a plain message; a snapshot never does.
    record("Plain", "plain_message", &messages::PLAIN_MESSAGE),
];

static SNAPSHOT_FIELDS: [Field; 7] = [
    Field::same("records", Value::Records, &REQUIRED),
    Field::same("next_id", U64, &REQUIRED),
    lookup("exec_call_lookup"),
    lookup("tool_call_lookup"),
    lookup("stream_lookup"),
    Field::same(
        "order",
        Value::PerRecord(&Value::Object(&ORDER_KEY)),
        &LATER_LIST,
    ),
    Field::same(
        "order_debug",
        Value::PerRecord(&Value::OrNull(&Value::Text)),
        &LATER_LIST,
    ),
];

const fn lookup(name: &'static str) -> Field {
    Field::same(name, Value::Map(&U64), &OR_MAP)
}

static ORDER_KEY: [Field; 3] = [
    Field::same("req", U64, &REQUIRED),
    Field::same("out", Value::Signed, &REQUIRED),
    Field::same("seq", U64, &REQUIRED),
];
