//! Messages, notices and plans, and the lines of styled text that they are made of.

use super::super::shape::{
    Body, DOCUMENT_OR_DASH, DOCUMENT_OR_ZERO, Enum, Field, OPTIONAL, REQUIRED, Value, Variant,
};
use super::{ID, U64, assistant, flag, text};

pub(super) static PLAIN_MESSAGE: [Field; 6] = [
    ID,
    Field::same("role", Value::Keyed(&ROLE), &REQUIRED),
    Field::same("kind", Value::Keyed(&MESSAGE_KIND), &REQUIRED),
    Field::same("header", Value::Object(&HEADER), &OPTIONAL),
    Field::same("lines", LINES, &REQUIRED),
    Field::same("metadata", assistant::METADATA, &OPTIONAL),
];

static HEADER: [Field; 2] = [text("label", &REQUIRED), text("badge", &OPTIONAL)];

static ROLE: Enum = Enum::new(&[
    Variant::word("System", "system"),
    Variant::word("User", "user"),
    Variant::word("Assistant", "assistant"),
    Variant::word("Tool", "tool"),
    Variant::word("Error", "error"),
    Variant::word("BackgroundEvent", "background_event"),
]);

static MESSAGE_KIND: Enum = Enum::new(&[
    Variant::word("Plain", "plain"),
    Variant::word("User", "user"),
    Variant::word("Assistant", "assistant"),
    Variant::word("Tool", "tool"),
    Variant::word("Error", "error"),
    Variant::word("Background", "background"),
    Variant::word("Notice", "notice"),
]);

// ---- Lines and spans.

pub(super) const LINES: Value = Value::List(&Value::Object(&LINE));

static LINE: [Field; 2] = [
    Field::same("kind", Value::Flat(&LINE_KIND), &REQUIRED),
    Field::same("spans", SPANS, &REQUIRED),
];

static LINE_KIND: Enum = Enum::new(&[
    Variant::word("Paragraph", "paragraph"),
    Variant::new("Bullet", "bullet", Body::Fields(&BULLET)),
    Variant::new("Code", "code", Body::Fields(&CODE)),
    Variant::word("Quote", "quote"),
    Variant::word("Separator", "separator"),
    Variant::word("Metadata", "metadata"),
    Variant::word("Blank", "blank"),
]);

static BULLET: [Field; 2] = [INDENT, MARKER];
static CODE: [Field; 1] = [text("language", &OPTIONAL)];

pub(super) const INDENT: Field = Field::same("indent", Value::Whole(8), &DOCUMENT_OR_ZERO);
pub(super) const MARKER: Field = Field::same("marker", Value::Marker, &DOCUMENT_OR_DASH);

pub(super) const SPANS: Value = Value::List(&Value::Object(&SPAN));

static SPAN: [Field; 4] = [
    text("text", &REQUIRED),
    tone("tone"),
    Field::same("emphasis", Value::Object(&EMPHASIS), &REQUIRED),
    Field::same("entity", Value::Tagged(&ENTITY), &OPTIONAL),
];

static EMPHASIS: [Field; 5] = [
    flag("bold", &REQUIRED),
    flag("italic", &REQUIRED),
    flag("dim", &REQUIRED),
    flag("strike", &REQUIRED),
    flag("underline", &REQUIRED),
];

static ENTITY: Enum = Enum::new(&[
    Variant::new("Link", "link", Body::Fields(&LINK)),
    Variant::word("Code", "code"),
]);

static LINK: [Field; 1] = [text("href", &REQUIRED)];

pub(super) const fn tone(name: &'static str) -> Field {
    Field::same(name, Value::Keyed(&TONE), &REQUIRED)
}

static TONE: Enum = Enum::new(&[
    Variant::word("Default", "default"),
    Variant::word("Dim", "dim"),
    Variant::word("Primary", "primary"),
    Variant::word("Success", "success"),
    Variant::word("Warning", "warning"),
    Variant::word("Error", "error"),
    Variant::word("Info", "info"),
]);

// ---- Smaller records.

pub(super) static WAIT_STATUS: [Field; 3] = [
    ID,
    Field::same("header", Value::Object(&WAIT_HEADER), &REQUIRED),
    Field::same(
        "details",
        Value::List(&Value::Object(&WAIT_DETAIL)),
        &REQUIRED,
    ),
];

static WAIT_HEADER: [Field; 4] = [
    text("title", &REQUIRED),
    tone("title_tone"),
    text("summary", &OPTIONAL),
    tone("summary_tone"),
];

static WAIT_DETAIL: [Field; 3] = [
    text("label", &REQUIRED),
    text("value", &OPTIONAL),
    tone("tone"),
];

pub(super) static LOADING: [Field; 2] = [ID, text("message", &REQUIRED)];

pub(super) static UPGRADE_NOTICE: [Field; 4] = [
    ID,
    text("current_version", &REQUIRED),
    text("latest_version", &REQUIRED),
    text("message", &REQUIRED),
];

pub(super) static BACKGROUND_EVENT: [Field; 3] =
    [ID, text("title", &REQUIRED), text("description", &REQUIRED)];

pub(super) static NOTICE: [Field; 3] = [
    ID,
    text("title", &OPTIONAL),
    Field::same("body", LINES, &REQUIRED),
];

pub(super) static PLAN_UPDATE: [Field; 5] = [
    ID,
    text("name", &REQUIRED),
    Field::same("icon", Value::Keyed(&ICON), &REQUIRED),
    Field::same("progress", Value::Object(&PROGRESS), &REQUIRED),
    Field::same("steps", Value::List(&Value::Object(&STEP)), &REQUIRED),
];

static ICON: Enum = Enum::new(&[
    Variant::word("LightBulb", "light_bulb"),
    Variant::word("Rocket", "rocket"),
    Variant::word("Clipboard", "clipboard"),
    Variant::new("Custom", "custom", Body::One("custom", Value::Text)),
]);

static PROGRESS: [Field; 2] = [
    Field::same("completed", U64, &REQUIRED),
    Field::same("total", U64, &REQUIRED),
];

static STEP: [Field; 2] = [
    text("description", &REQUIRED),
    Field::same("status", Value::Keyed(&STEP_STATUS), &REQUIRED),
];

static STEP_STATUS: Enum = Enum {
    is_snake: true,
    ..Enum::new(&[
        Variant::word("pending", "pending"),
        Variant::word("in_progress", "in_progress"),
        Variant::word("completed", "complete"),
        // The native word in a document, and a step that the native form cannot say was skipped.
        Variant::word("completed", "completed"),
        Variant::word("completed", "skipped"),
    ])
};
