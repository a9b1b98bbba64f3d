//! What stands in a record of each type: the tables of spec 3-transcript.md, 1.2 to 1.4.
//!
//! Fields that only the program's native form has, and that the document form carries as extensions, are listed as
//! optional ones. Words of enums are not listed: unknown ones are kept.

use super::shape::Shape::{
    Any, Bool, Integer, List, Loose, Map, Millis, Natural, Number, Object, Pair, Segment, Tagged,
    Text, Time, Word, WordOr,
};
use super::shape::{Field, Shape, Variant, optional, required};

/// The envelope of every record. Its `id` is asked for where a snapshot is read, and ignored where a record is inserted.
pub(super) static ENVELOPE: [Field; 3] = [
    optional("id", Natural),
    required("type", Text),
    required("payload", Any),
];

/// The known types and their payloads.
pub(super) static RECORDS: [Variant; 20] = [
    ("plain_message", &PLAIN_MESSAGE),
    ("wait_status", &WAIT_STATUS),
    ("loading", &LOADING),
    ("running_tool", &RUNNING_TOOL),
    ("tool_call", &TOOL_CALL),
    ("plan_update", &PLAN_UPDATE),
    ("upgrade_notice", &UPGRADE_NOTICE),
    ("reasoning", &REASONING),
    ("exec", &EXEC),
    ("merged_exec", &MERGED_EXEC),
    ("assistant_stream", &ASSISTANT_STREAM),
    ("assistant_message", &ASSISTANT_MESSAGE),
    ("diff", &DIFF),
    ("image", &IMAGE),
    ("explore", &EXPLORE),
    ("rate_limits", &RATE_LIMITS),
    ("patch", &PATCH),
    ("background_event", &BACKGROUND_EVENT),
    ("notice", &NOTICE),
    ("context", &CONTEXT),
];

// ---- shared types (1.2) --------------------------------------------------------------------------------

pub(super) const TEXTS: Shape = List(&Text);
const SPANS: Shape = List(&Object(&SPAN));
const LINES: Shape = List(&Object(&LINE));
const ARGUMENTS: Shape = List(&Object(&ARGUMENT));
pub(super) const METADATA: Shape = Object(&MESSAGE_METADATA);
pub(super) const USAGE: Shape = Object(&TOKEN_USAGE);
const CHUNKS: Shape = List(&CHUNK);
pub(super) const CHUNK: Shape = Object(&CHUNK_FIELDS);
pub(super) const DELTA: Shape = Object(&DELTA_FIELDS);
pub(super) const WAIT_NOTES: Shape = List(&Object(&WAIT_NOTE));
pub(super) const COMMAND: Shape = TEXTS;
pub(super) const PARSED: Shape = List(&Loose(&PARSED_COMMAND));
pub(super) const ENVIRONMENT: Shape = List(&Pair);

static SPAN: [Field; 4] = [
    required("text", Text),
    required("tone", Word),
    required("emphasis", Object(&EMPHASIS)),
    optional("entity", Tagged(&ENTITY)),
];
static EMPHASIS: [Field; 5] = [
    required("bold", Bool),
    required("italic", Bool),
    required("dim", Bool),
    required("strike", Bool),
    required("underline", Bool),
];
static ENTITY: [Variant; 2] = [("link", &[required("href", Text)]), ("code", &[])];

static LINE: [Field; 6] = [
    required("kind", Word),
    required("spans", SPANS),
    optional("indent", Natural),
    optional("marker", Word),
    optional("marker_custom", Bool),
    optional("language", Text),
];

static MESSAGE_METADATA: [Field; 2] =
    [required("citations", TEXTS), optional("token_usage", USAGE)];
static TOKEN_USAGE: [Field; 6] = [
    required("prompt", Natural),
    required("completion", Natural),
    required("total", Natural),
    optional("cached_input_tokens", Natural),
    optional("cache_write_input_tokens", Natural),
    optional("reasoning_output_tokens", Natural),
];

static ARGUMENT: [Field; 2] = [
    required("name", Text),
    required("value", Tagged(&ARGUMENT_VALUE)),
];
static ARGUMENT_VALUE: [Variant; 3] = [
    ("text", &[required("text", Text)]),
    ("json", &[required("value", Any)]),
    ("secret", &[]),
];

static PARSED_COMMAND: [Variant; 5] = [
    ("read", &[required("cmd", Text), required("name", Text)]),
    (
        "list_files",
        &[required("cmd", Text), optional("path", Text)],
    ),
    (
        "search",
        &[
            required("cmd", Text),
            optional("query", Text),
            optional("path", Text),
        ],
    ),
    ("read_command", &[required("cmd", Text)]),
    ("unknown", &[required("cmd", Text)]),
];
static FILE_CHANGE: [Variant; 3] = [
    ("add", &[required("content", Text)]),
    ("delete", &[]),
    (
        "update",
        &[
            required("unified_diff", Text),
            optional("move_path", Text),
            optional("original_content", Text),
            optional("new_content", Text),
        ],
    ),
];

// ---- the record types of the document (1.3) ------------------------------------------------------------

static PLAIN_MESSAGE: [Field; 5] = [
    required("role", Word),
    required("kind", Word),
    optional("header", Object(&MESSAGE_HEADER)),
    required("lines", LINES),
    optional("metadata", METADATA),
];
static MESSAGE_HEADER: [Field; 2] = [required("label", Text), optional("badge", Text)];

static WAIT_STATUS: [Field; 2] = [
    required("header", Object(&WAIT_HEADER)),
    required("details", List(&Object(&WAIT_DETAIL))),
];
static WAIT_HEADER: [Field; 4] = [
    required("title", Text),
    required("title_tone", Word),
    optional("summary", Text),
    required("summary_tone", Word),
];
static WAIT_DETAIL: [Field; 3] = [
    required("label", Text),
    optional("value", Text),
    required("tone", Word),
];

static LOADING: [Field; 1] = [required("message", Text)];

static RUNNING_TOOL: [Field; 7] = [
    optional("call_id", Text),
    required("title", Text),
    required("started_at", Time),
    required("arguments", ARGUMENTS),
    optional("wait_cap_ms", Natural),
    required("wait_has_target", Bool),
    required("wait_has_call_id", Bool),
];

static TOOL_CALL: [Field; 8] = [
    optional("call_id", Text),
    required("status", Word),
    required("title", Text),
    optional("duration_ms", Millis),
    optional("duration", Text),
    required("arguments", ARGUMENTS),
    optional("result_preview", Object(&RESULT_PREVIEW)),
    optional("error_message", Text),
];
static RESULT_PREVIEW: [Field; 2] = [required("lines", TEXTS), required("truncated", Bool)];

static PLAN_UPDATE: [Field; 4] = [
    required("name", Text),
    required("icon", WordOr(&CUSTOM)),
    required("progress", Object(&PROGRESS)),
    required("steps", List(&Object(&STEP))),
];
static CUSTOM: [Field; 1] = [optional("custom", Text)];
static PROGRESS: [Field; 2] = [required("completed", Natural), required("total", Natural)];
static STEP: [Field; 2] = [required("description", Text), required("status", Word)];

static UPGRADE_NOTICE: [Field; 3] = [
    required("current_version", Text),
    required("latest_version", Text),
    required("message", Text),
];

static REASONING: [Field; 4] = [
    required("in_progress", Bool),
    required("sections", List(&Object(&SECTION))),
    required("hide_when_collapsed", Bool),
    optional("effort", WordOr(&CUSTOM)),
];
static SECTION: [Field; 4] = [
    optional("heading", Text),
    required("summary", SPANS),
    required("blocks", List(&Tagged(&BLOCK))),
    optional("no_summary", Bool),
];
static BLOCK: [Variant; 5] = [
    ("paragraph", &[required("spans", SPANS)]),
    (
        "bullet",
        &[
            required("indent", Natural),
            required("marker", Word),
            required("spans", SPANS),
        ],
    ),
    (
        "code",
        &[optional("language", Text), required("content", Text)],
    ),
    ("quote", &[required("spans", SPANS)]),
    ("separator", &[]),
];

static EXEC: [Field; 17] = [
    optional("call_id", Text),
    required("command", COMMAND),
    required("parsed", PARSED),
    required("action", Word),
    required("status", Word),
    required("stdout_chunks", CHUNKS),
    required("stderr_chunks", CHUNKS),
    optional("exit_code", Integer),
    optional("wait_total_ms", Millis),
    optional("wait_total", Text),
    required("wait_active", Bool),
    required("wait_notes", WAIT_NOTES),
    required("started_at", Time),
    optional("completed_at", Time),
    optional("working_dir", Text),
    optional("env", ENVIRONMENT),
    optional("tags", TEXTS),
];
static CHUNK_FIELDS: [Field; 2] = [required("offset", Natural), required("content", Text)];
static WAIT_NOTE: [Field; 3] = [
    required("message", Text),
    required("tone", Word),
    required("timestamp", Time),
];

static ASSISTANT_STREAM: [Field; 8] = [
    required("stream_id", Text),
    required("preview_markdown", Text),
    required("deltas", List(&DELTA)),
    required("citations", TEXTS),
    optional("metadata", METADATA),
    required("in_progress", Bool),
    required("last_updated_at", Time),
    optional("truncated_prefix_bytes", Natural),
];
static DELTA_FIELDS: [Field; 3] = [
    required("delta", Text),
    optional("sequence", Natural),
    required("received_at", Time),
];

static ASSISTANT_MESSAGE: [Field; 7] = [
    optional("stream_id", Text),
    required("markdown", Text),
    required("citations", TEXTS),
    optional("metadata", METADATA),
    optional("token_usage", USAGE),
    required("created_at", Time),
    optional("mid_turn", Bool),
];

static DIFF: [Field; 2] = [
    optional("title", Text),
    required("hunks", List(&Object(&HUNK))),
];
static HUNK: [Field; 2] = [
    required("header", Text),
    required("lines", List(&Object(&DIFF_LINE))),
];
static DIFF_LINE: [Field; 2] = [required("kind", Word), required("text", Text)];

static IMAGE: [Field; 3] = [
    required("path", Text),
    optional("caption", Text),
    optional("metadata", Object(&[])),
];

static EXPLORE: [Field; 2] = [
    required("entries", List(&Object(&EXPLORE_ENTRY))),
    required("trailing", Bool),
];
static EXPLORE_ENTRY: [Field; 3] = [
    required("command", TEXTS),
    optional("cwd", Text),
    required("status", WordOr(&EXPLORE_ERROR)),
];
static EXPLORE_ERROR: [Field; 1] = [optional("error", Object(&EXIT_CODE))];
static EXIT_CODE: [Field; 1] = [optional("exit_code", Integer)];

static RATE_LIMITS: [Field; 8] = [
    required("primary_used_percent", Number),
    required("secondary_used_percent", Number),
    required("primary_to_secondary_ratio_percent", Number),
    required("primary_window_minutes", Natural),
    required("secondary_window_minutes", Natural),
    optional("primary_reset_after_seconds", Natural),
    optional("secondary_reset_after_seconds", Natural),
    optional("legend", List(&Object(&LEGEND))),
];
static LEGEND: [Field; 3] = [
    required("label", Text),
    required("description", Text),
    required("tone", Word),
];

static PATCH: [Field; 4] = [
    required("event", Word),
    optional("auto_approved", Bool),
    required("changes", Map(&Loose(&FILE_CHANGE))),
    optional("failure", Object(&FAILURE)),
];
static FAILURE: [Field; 3] = [
    required("message", Text),
    optional("stdout_excerpt", Text),
    optional("stderr_excerpt", Text),
];

static BACKGROUND_EVENT: [Field; 2] = [required("title", Text), required("description", Text)];
static NOTICE: [Field; 2] = [optional("title", Text), required("body", LINES)];

// ---- record types that only the program has (1.4) ------------------------------------------------------

static MERGED_EXEC: [Field; 2] = [
    required("action", Word),
    required("segments", List(&Segment(&EXEC))),
];

static CONTEXT: [Field; 7] = [
    optional("cwd", Text),
    optional("git_branch", Text),
    optional("reasoning_effort", Text),
    required("browser_session_active", Bool),
    required("deltas", List(&Object(&CONTEXT_DELTA))),
    optional("browser_snapshot", Object(&BROWSER_SNAPSHOT)),
    required("expanded", Bool),
];
static CONTEXT_DELTA: [Field; 4] = [
    required("field", Word),
    optional("previous", Text),
    optional("current", Text),
    optional("sequence", Natural),
];
static BROWSER_SNAPSHOT: [Field; 6] = [
    optional("url", Text),
    optional("title", Text),
    optional("captured_at", Text),
    optional("width", Natural),
    optional("height", Natural),
    optional("metadata", Map(&Text)),
];
