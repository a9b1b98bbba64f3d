//! Diffs, patches, images, explorations, limits and contexts.

use super::super::shape::{
    ABSENT, ABSENT_MAP, Body, DOCUMENT_OR_EMPTY, DOCUMENT_OR_FALLBACK, DOCUMENT_OR_FALSE,
    DOCUMENT_OR_RUN, DOCUMENT_OR_ZERO, EXTENSION, EXTENSION_LIST, Enum, Field, NATIVE_OPTIONAL,
    NATIVE_OR_ZERO, OPTIONAL, OR_FALSE, OR_LIST, REQUIRED, SOMETIMES, Value, Variant,
};
use super::messages::tone;
use super::tools::ACTION;
use super::{ID, U64, flag, text};

pub(super) static DIFF: [Field; 3] = [
    ID,
    text("title", &DOCUMENT_OR_EMPTY),
    Field::same("hunks", Value::List(&Value::Object(&HUNK)), &REQUIRED),
];

static HUNK: [Field; 2] = [
    text("header", &REQUIRED),
    Field::same("lines", Value::List(&Value::Object(&DIFF_LINE)), &REQUIRED),
];

static DIFF_LINE: [Field; 2] = [
    Field::same("kind", Value::Keyed(&DIFF_KIND), &REQUIRED),
    Field::new("content", "text", Value::Text, &REQUIRED),
];

static DIFF_KIND: Enum = Enum::new(&[
    Variant::word("Context", "context"),
    Variant::word("Addition", "added"),
    Variant::word("Removal", "removed"),
]);

pub(super) static PATCH: [Field; 4] = [
    ID,
    Field::new("patch_type", "event", Value::Flat(&PATCH_EVENT), &REQUIRED),
    Field::same(
        "changes",
        Value::Map(&Value::Tagged(&FILE_CHANGE)),
        &REQUIRED,
    ),
    Field::same("failure", Value::Object(&FAILURE), &OPTIONAL),
];

static PATCH_EVENT: Enum = Enum {
    or_null: Some("auto_approved"),
    ..Enum::new(&[
        Variant::new(
            "ApplyBegin",
            "apply_begin",
            Body::Fields(&[flag("auto_approved", &DOCUMENT_OR_FALSE)]),
        ),
        Variant::word("ApplySuccess", "apply_success"),
        Variant::word("ApplyFailure", "apply_failure"),
        Variant::word("ApprovalRequest", "proposed"),
    ])
};

static FILE_CHANGE: Enum = Enum {
    is_snake: true,
    is_tolerant: true,
    ..Enum::new(&[
        Variant::new("add", "add", Body::Fields(&[text("content", &REQUIRED)])),
        Variant::word("delete", "delete"),
        Variant::new(
            "update",
            "update",
            Body::Fields(&[
                text("unified_diff", &REQUIRED),
                text("move_path", &OPTIONAL),
                text("original_content", &SOMETIMES),
                text("new_content", &SOMETIMES),
            ]),
        ),
    ])
};

static FAILURE: [Field; 3] = [
    text("message", &REQUIRED),
    text("stdout_excerpt", &OPTIONAL),
    text("stderr_excerpt", &OPTIONAL),
];

// ---- Images.

pub(super) static IMAGE: [Field; 4] = [
    ID,
    Field::new("source_path", "path", Value::ImagePath, &NATIVE_OPTIONAL),
    Field::new("alt_text", "caption", Value::Text, &OPTIONAL),
    Field::new("", "metadata", Value::Group(&IMAGE_METADATA), &REQUIRED),
];

static IMAGE_METADATA: [Field; 6] = [
    Field::same("width", Value::Whole(16), &DOCUMENT_OR_ZERO),
    Field::same("height", Value::Whole(16), &DOCUMENT_OR_ZERO),
    text("sha256", &EXTENSION),
    text("mime_type", &ABSENT),
    Field::same("byte_len", Value::Whole(32), &ABSENT),
    Field::new("", "no_path", Value::NoPath, &REQUIRED),
];

// ---- Explorations.

pub(super) static EXPLORE: [Field; 3] = [
    ID,
    Field::same("entries", Value::List(&Value::Object(&ENTRY)), &REQUIRED),
    Field::only("trailing", "false"),
];

static ENTRY: [Field; 5] = [
    Field::only("command", "[]"),
    Field::only("cwd", "null"),
    Field::same("action", Value::Keyed(&ACTION), &DOCUMENT_OR_RUN),
    Field::same("summary", Value::Tagged(&SUMMARY), &DOCUMENT_OR_FALLBACK),
    Field::same("status", Value::Keyed(&ENTRY_STATUS), &REQUIRED),
];

static SUMMARY: Enum = Enum::new(&[
    Variant::new(
        "Search",
        "search",
        Body::Fields(&[text("query", &OPTIONAL), text("path", &OPTIONAL)]),
    ),
    Variant::new("List", "list", Body::Fields(&[text("path", &OPTIONAL)])),
    Variant::new(
        "Read",
        "read",
        Body::Fields(&[
            text("display_path", &REQUIRED),
            text("annotation", &OPTIONAL),
            Field::same("range", Value::Pair(&Value::Whole(32)), &OPTIONAL),
        ]),
    ),
    Variant::new(
        "Count",
        "count",
        Body::Fields(&[text("target", &OPTIONAL), text("annotation", &OPTIONAL)]),
    ),
    Variant::new(
        "Command",
        "command",
        Body::Fields(&[text("display", &REQUIRED), text("annotation", &OPTIONAL)]),
    ),
    Variant::new(
        "Fallback",
        "fallback",
        Body::Fields(&[text("text", &REQUIRED)]),
    ),
]);

static ENTRY_STATUS: Enum = Enum::new(&[
    Variant::word("Running", "running"),
    Variant::word("Success", "success"),
    Variant::word("NotFound", "not_found"),
    Variant::new(
        "Error",
        "error",
        Body::Fields(&[Field::same("exit_code", Value::Signed, &OPTIONAL)]),
    ),
]);

// ---- Rate limits.

pub(super) static RATE_LIMITS: [Field; 3] = [
    ID,
    Field::same("snapshot", Value::Inline(&LIMITS), &REQUIRED),
    Field::same(
        "legend",
        Value::List(&Value::Object(&LEGEND)),
        &EXTENSION_LIST,
    ),
];

static LIMITS: [Field; 7] = [
    Field::same("primary_used_percent", Value::Double, &REQUIRED),
    Field::same("secondary_used_percent", Value::Double, &REQUIRED),
    Field::same(
        "primary_to_secondary_ratio_percent",
        Value::Double,
        &REQUIRED,
    ),
    Field::same("primary_window_minutes", U64, &REQUIRED),
    Field::same("secondary_window_minutes", U64, &REQUIRED),
    Field::same("primary_reset_after_seconds", U64, &ABSENT),
    Field::same("secondary_reset_after_seconds", U64, &ABSENT),
];

static LEGEND: [Field; 3] = [
    text("label", &REQUIRED),
    text("description", &REQUIRED),
    tone("tone"),
];

// ---- Contexts (1.4).

pub(super) static CONTEXT: [Field; 8] = [
    Field::same("id", U64, &NATIVE_OR_ZERO),
    text("cwd", &OPTIONAL),
    text("git_branch", &OPTIONAL),
    text("reasoning_effort", &OPTIONAL),
    flag("browser_session_active", &OR_FALSE),
    Field::same(
        "deltas",
        Value::List(&Value::Object(&CONTEXT_DELTA)),
        &OR_LIST,
    ),
    Field::same("browser_snapshot", Value::Object(&BROWSER), &OPTIONAL),
    flag("expanded", &OR_FALSE),
];

static CONTEXT_DELTA: [Field; 4] = [
    Field::same("field", Value::Keyed(&CONTEXT_FIELD), &REQUIRED),
    text("previous", &OPTIONAL),
    text("current", &OPTIONAL),
    Field::same("sequence", U64, &ABSENT),
];

static CONTEXT_FIELD: Enum = Enum {
    is_snake: true,
    ..Enum::new(&[
        Variant::word("cwd", "cwd"),
        Variant::word("git_branch", "git_branch"),
        Variant::word("reasoning_effort", "reasoning_effort"),
        Variant::word("browser_snapshot", "browser_snapshot"),
    ])
};

static BROWSER: [Field; 6] = [
    text("url", &OPTIONAL),
    text("title", &OPTIONAL),
    // Text of no fixed form: the program never reads it.
    text("captured_at", &OPTIONAL),
    Field::same("width", Value::Whole(32), &ABSENT),
    Field::same("height", Value::Whole(32), &ABSENT),
    Field::same("metadata", Value::Map(&Value::Text), &ABSENT_MAP),
];
