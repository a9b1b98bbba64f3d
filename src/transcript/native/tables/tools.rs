//! Tool calls and commands.

use super::super::shape::{
    ABSENT, Body, EXTENSION, Enum, Field, LATER_LIST, NATIVE_OR_FALSE, OPTIONAL, REQUIRED, Value,
    Variant,
};
use super::messages::tone;
use super::{ID, TEXTS, U64, flag, text};

pub(super) static RUNNING_TOOL: [Field; 8] = [
    ID,
    text("call_id", &EXTENSION),
    text("title", &REQUIRED),
    Field::same("started_at", Value::Time, &REQUIRED),
    Field::same("wait_cap_ms", U64, &OPTIONAL),
    flag("wait_has_target", &REQUIRED),
    flag("wait_has_call_id", &REQUIRED),
    Field::same("arguments", ARGUMENTS, &REQUIRED),
];

pub(super) static TOOL_CALL: [Field; 8] = [
    ID,
    text("call_id", &EXTENSION),
    Field::same("status", Value::Keyed(&TOOL_STATUS), &REQUIRED),
    text("title", &REQUIRED),
    Field::new("duration", "duration_ms", Value::Duration, &OPTIONAL),
    Field::same("arguments", ARGUMENTS, &REQUIRED),
    Field::same("result_preview", Value::Object(&RESULT_PREVIEW), &OPTIONAL),
    text("error_message", &OPTIONAL),
];

static TOOL_STATUS: Enum = Enum::new(&[
    Variant::word("Running", "running"),
    Variant::word("Success", "success"),
    Variant::word("Failed", "failed"),
]);

static RESULT_PREVIEW: [Field; 2] = [
    Field::same("lines", TEXTS, &REQUIRED),
    flag("truncated", &REQUIRED),
];

const ARGUMENTS: Value = Value::List(&Value::Object(&ARGUMENT));

static ARGUMENT: [Field; 2] = [
    text("name", &REQUIRED),
    Field::same("value", Value::Tagged(&ARGUMENT_VALUE), &REQUIRED),
];

static ARGUMENT_VALUE: Enum = Enum::new(&[
    Variant::new("Text", "text", Body::One("text", Value::Text)),
    Variant::new("Json", "json", Body::One("value", Value::Any)),
    Variant::word("Secret", "secret"),
]);

// ---- Commands.

pub(super) static EXEC: [Field; 17] = [
    ID,
    text("call_id", &OPTIONAL),
    Field::same("command", TEXTS, &REQUIRED),
    Field::same("parsed", PARSED, &REQUIRED),
    Field::same("action", Value::Keyed(&ACTION), &REQUIRED),
    EXEC_STATUS,
    Field::same("stdout_chunks", CHUNKS, &REQUIRED),
    Field::same("stderr_chunks", CHUNKS, &REQUIRED),
    Field::same("exit_code", Value::Signed, &OPTIONAL),
    Field::new("wait_total", "wait_total_ms", Value::Duration, &OPTIONAL),
    flag("wait_active", &NATIVE_OR_FALSE),
    Field::same("wait_notes", WAIT_NOTES, &REQUIRED),
    Field::same("started_at", Value::Time, &REQUIRED),
    Field::same("completed_at", Value::Time, &OPTIONAL),
    text("working_dir", &ABSENT),
    Field::same("env", Value::List(&Value::Pair(&Value::Text)), &LATER_LIST),
    Field::same("tags", TEXTS, &LATER_LIST),
];

pub(super) static MERGED_EXEC: [Field; 3] = [
    ID,
    Field::same("action", Value::Keyed(&ACTION), &REQUIRED),
    // A segment has its own id inside.
    Field::same("segments", Value::List(&Value::Object(&EXEC)), &REQUIRED),
];

pub(super) static ACTION: Enum = Enum::new(&[
    Variant::word("Read", "read"),
    Variant::word("Search", "search"),
    Variant::word("List", "list"),
    Variant::word("Run", "run"),
]);

pub(super) const EXEC_STATUS: Field = Field::same(
    "status",
    Value::Keyed(&Enum::new(&[
        Variant::word("Running", "running"),
        Variant::word("Success", "success"),
        Variant::word("Error", "error"),
    ])),
    &REQUIRED,
);

const CHUNKS: Value = Value::List(&Value::Object(&CHUNK));
pub(super) static CHUNK: [Field; 2] = [
    Field::same("offset", U64, &REQUIRED),
    text("content", &REQUIRED),
];

pub(super) const WAIT_NOTES: Value = Value::List(&Value::Object(&WAIT_NOTE));
static WAIT_NOTE: [Field; 3] = [
    text("message", &REQUIRED),
    tone("tone"),
    Field::same("timestamp", Value::Time, &REQUIRED),
];

pub(super) const PARSED: Value = Value::List(&Value::Tagged(&PARSED_COMMAND));

static PARSED_COMMAND: Enum = Enum {
    is_tolerant: true,
    ..Enum::new(&[
        Variant::new(
            "Read",
            "read",
            Body::Fields(&[text("cmd", &REQUIRED), text("name", &REQUIRED)]),
        ),
        Variant::new(
            "ListFiles",
            "list_files",
            Body::Fields(&[text("cmd", &REQUIRED), text("path", &OPTIONAL)]),
        ),
        Variant::new(
            "Search",
            "search",
            Body::Fields(&[
                text("cmd", &REQUIRED),
                text("query", &OPTIONAL),
                text("path", &OPTIONAL),
            ]),
        ),
        Variant::new(
            "ReadCommand",
            "read_command",
            Body::Fields(&[text("cmd", &REQUIRED)]),
        ),
        Variant::new(
            "Unknown",
            "unknown",
            Body::Fields(&[text("cmd", &REQUIRED)]),
        ),
    ])
};
