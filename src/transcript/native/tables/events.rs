//! What the program calls its operations and their results (spec 3-transcript.md, section 3). The document form of them is
//! ours: `{type: "start_exec", …}`, with values as in records.

use super::super::shape::{
    Body, Enum, Field, Fields, OPTIONAL, OR_FALSE, OR_LIST, REQUIRED, Value, Variant,
};
use super::assistant::{DELTA, METADATA, TOKEN_USAGE};
use super::tools::{ACTION, CHUNK, EXEC_STATUS, PARSED, WAIT_NOTES};
use super::{TEXTS, U64, flag, text};

const INDEX: Field = Field::same("index", U64, &REQUIRED);
const RECORD: Field = Field::same("record", Value::Record, &REQUIRED);
const INSERTED: Fields = &[INDEX, Field::same("id", U64, &REQUIRED), RECORD];

const INSERT: Variant = Variant::new("Insert", "insert", Body::Fields(&[INDEX, RECORD]));
const REPLACE: Variant = Variant::new("Replace", "replace", Body::Fields(&[INDEX, RECORD]));
const REMOVE: Variant = Variant::new("Remove", "remove", Body::Fields(&[INDEX]));

pub(in super::super) static EVENT: Value = Value::Tagged(&Enum::new(&[INSERT, REPLACE, REMOVE]));

pub(in super::super) static MUTATION: Value = Value::Tagged(&Enum::new(&[
    Variant::new("Inserted", "inserted", Body::Fields(INSERTED)),
    Variant::new("Replaced", "replaced", Body::Fields(INSERTED)),
    Variant::new("Removed", "removed", Body::Fields(INSERTED)),
    Variant::word("Noop", "noop"),
]));

pub(in super::super) static DOMAIN_EVENT: Value = Value::Tagged(&Enum::new(&[
    INSERT,
    REPLACE,
    REMOVE,
    Variant::new("StartExec", "start_exec", Body::Fields(&START_EXEC)),
    Variant::new(
        "UpdateExecStream",
        "update_exec_stream",
        Body::Fields(&UPDATE_EXEC_STREAM),
    ),
    Variant::new(
        "UpdateExecWait",
        "update_exec_wait",
        Body::Fields(&UPDATE_EXEC_WAIT),
    ),
    Variant::new("FinishExec", "finish_exec", Body::Fields(&FINISH_EXEC)),
    Variant::new(
        "UpsertAssistantStream",
        "upsert_assistant_stream",
        Body::Fields(&UPSERT_ASSISTANT_STREAM),
    ),
    Variant::new(
        "FinalizeAssistantStream",
        "finalize_assistant_stream",
        Body::Fields(&FINALIZE_ASSISTANT_STREAM),
    ),
]));

static START_EXEC: [Field; 9] = [
    INDEX,
    text("call_id", &OPTIONAL),
    Field::same("command", TEXTS, &REQUIRED),
    Field::same("parsed", PARSED, &REQUIRED),
    Field::same("action", Value::Keyed(&ACTION), &REQUIRED),
    Field::same("started_at", Value::Time, &REQUIRED),
    text("working_dir", &OPTIONAL),
    Field::same("env", Value::List(&Value::Pair(&Value::Text)), &OR_LIST),
    Field::same("tags", TEXTS, &OR_LIST),
];

static UPDATE_EXEC_STREAM: [Field; 3] = [
    INDEX,
    Field::same("stdout_chunk", Value::Object(&CHUNK), &OPTIONAL),
    Field::same("stderr_chunk", Value::Object(&CHUNK), &OPTIONAL),
];

static UPDATE_EXEC_WAIT: [Field; 4] = [
    INDEX,
    Field::new("total_wait", "total_wait_ms", Value::Duration, &OPTIONAL),
    flag("wait_active", &OR_FALSE),
    Field::same("notes", WAIT_NOTES, &REQUIRED),
];

static FINISH_EXEC: [Field; 10] = [
    Field::same("id", U64, &OPTIONAL),
    text("call_id", &OPTIONAL),
    EXEC_STATUS,
    Field::same("exit_code", Value::Signed, &OPTIONAL),
    Field::same("completed_at", Value::Time, &OPTIONAL),
    text("stdout_tail", &OPTIONAL),
    text("stderr_tail", &OPTIONAL),
    Field::new("wait_total", "wait_total_ms", Value::Duration, &OPTIONAL),
    flag("wait_active", &OR_FALSE),
    Field::same("wait_notes", WAIT_NOTES, &REQUIRED),
];

static UPSERT_ASSISTANT_STREAM: [Field; 4] = [
    text("stream_id", &REQUIRED),
    text("preview_markdown", &REQUIRED),
    Field::same("delta", Value::Object(DELTA), &OPTIONAL),
    Field::same("metadata", METADATA, &OPTIONAL),
];

static FINALIZE_ASSISTANT_STREAM: [Field; 4] = [
    text("stream_id", &OPTIONAL),
    text("markdown", &REQUIRED),
    Field::same("metadata", METADATA, &OPTIONAL),
    Field::same("token_usage", TOKEN_USAGE, &OPTIONAL),
];
