//! What a model says and thinks.

use super::super::shape::{
    Body, EXTENSION, EXTENSION_ZERO, Enum, Field, Fields, LATER_FALSE, LATER_ZERO, OPTIONAL,
    REQUIRED, Value, Variant,
};
use super::messages::{INDENT, MARKER, SPANS};
use super::{ID, TEXTS, U64, flag, text};

pub(super) static REASONING: [Field; 5] = [
    ID,
    Field::same("sections", Value::List(&Value::Object(&SECTION)), &REQUIRED),
    Field::same("effort", Value::Keyed(&EFFORT), &EXTENSION),
    flag("in_progress", &REQUIRED),
    Field::only("hide_when_collapsed", "false"),
];

static SECTION: [Field; 3] = [
    text("heading", &OPTIONAL),
    Field::same("summary", Value::Summary(&SPANS), &OPTIONAL),
    Field::same("blocks", Value::List(&Value::Tagged(&BLOCK)), &REQUIRED),
];

static EFFORT: Enum = Enum::new(&[
    Variant::word("Low", "low"),
    Variant::word("Medium", "medium"),
    Variant::word("High", "high"),
    Variant::new("Custom", "custom", Body::One("custom", Value::Text)),
]);

static BLOCK: Enum = Enum::new(&[
    Variant::new("Paragraph", "paragraph", Body::One("spans", SPANS)),
    Variant::new("Bullet", "bullet", Body::Fields(&BULLET_BLOCK)),
    Variant::new("Code", "code", Body::Fields(&CODE_BLOCK)),
    Variant::new("Quote", "quote", Body::One("spans", SPANS)),
    Variant::word("Separator", "separator"),
]);

static BULLET_BLOCK: [Field; 3] = [INDENT, MARKER, Field::same("spans", SPANS, &REQUIRED)];
static CODE_BLOCK: [Field; 2] = [text("language", &OPTIONAL), text("content", &REQUIRED)];

// ---- Messages and streams.

pub(super) static ASSISTANT_STREAM: [Field; 9] = [
    ID,
    text("stream_id", &REQUIRED),
    text("preview_markdown", &REQUIRED),
    Field::same("deltas", Value::List(&Value::Object(DELTA)), &REQUIRED),
    Field::same("citations", TEXTS, &REQUIRED),
    Field::same("metadata", METADATA, &OPTIONAL),
    flag("in_progress", &REQUIRED),
    Field::same("last_updated_at", Value::Time, &REQUIRED),
    Field::same("truncated_prefix_bytes", U64, &LATER_ZERO),
];

pub(super) const DELTA: Fields = &[
    text("delta", &REQUIRED),
    Field::same("sequence", U64, &OPTIONAL),
    Field::same("received_at", Value::Time, &REQUIRED),
];

pub(super) static ASSISTANT_MESSAGE: [Field; 8] = [
    ID,
    text("stream_id", &OPTIONAL),
    text("markdown", &REQUIRED),
    Field::same("citations", TEXTS, &REQUIRED),
    Field::same("metadata", METADATA, &OPTIONAL),
    Field::same("token_usage", TOKEN_USAGE, &OPTIONAL),
    flag("mid_turn", &LATER_FALSE),
    Field::same("created_at", Value::Time, &REQUIRED),
];

pub(super) const METADATA: Value = Value::Object(&[
    Field::same("citations", TEXTS, &REQUIRED),
    Field::same("token_usage", TOKEN_USAGE, &OPTIONAL),
]);

pub(super) const TOKEN_USAGE: Value = Value::Object(&[
    Field::new("input_tokens", "prompt", U64, &REQUIRED),
    Field::same("cached_input_tokens", U64, &EXTENSION_ZERO),
    Field::same("cache_write_input_tokens", U64, &LATER_ZERO),
    Field::new("output_tokens", "completion", U64, &REQUIRED),
    Field::same("reasoning_output_tokens", U64, &EXTENSION_ZERO),
    Field::new("total_tokens", "total", U64, &REQUIRED),
]);
