//! Native records as document ones (spec 3-transcript.md, 2.3), as far as the vectors of events need it.

use serde_json::{Map, Value, json};
use turnlog::transcript::time::{Span, UnixTime, write_iso_duration, write_rfc3339};

/// A native snapshot in the document's form, without the lists that belong to the application.
pub fn snapshot(native: &Value) -> Value {
    let mut snapshot = native.clone();
    let fields = snapshot.as_object_mut().expect("a snapshot");
    fields.remove("order");
    fields.remove("order_debug");
    let records = &mut snapshot["records"];
    *records = list(records, record);
    snapshot
}

/// `{"Exec": {"id": 1, …}}` as `{"id": 1, "type": "exec", "payload": {…}}`.
pub fn record(native: &Value) -> Value {
    let (variant, fields) = only(native);
    // Events have a shorter name for this one.
    let variant = if variant == "Plain" {
        "PlainMessage"
    } else {
        variant
    };
    let mut payload = fields.clone();
    let id = payload.as_object_mut().expect("fields").remove("id");
    let kind = snake(variant);
    let payload = match variant {
        "MergedExec" => {
            let segment = |segment: &Value| {
                let mut part = exec(segment);
                part["id"] = segment["id"].clone();
                part
            };
            json!({"action": word(&payload["action"]), "segments": list(&payload["segments"], segment)})
        }
        "Exec" => exec(&payload),
        "PlainMessage" => json!({
            "role": word(&payload["role"]), "kind": word(&payload["kind"]), "header": payload["header"],
            "lines": list(&payload["lines"], line), "metadata": metadata(&payload["metadata"]),
        }),
        "WaitStatus" => wait_status(payload),
        "RunningTool" => json!({
            "title": payload["title"], "started_at": time(&payload["started_at"]),
            "arguments": list(&payload["arguments"], argument),
            "wait_cap_ms": milliseconds(&payload["wait_cap"]),
            "wait_has_target": payload["wait_has_target"],
            "wait_has_call_id": payload["wait_has_call_id"], "call_id": payload["call_id"],
        }),
        "ToolCall" => json!({
            "status": word(&payload["status"]), "title": payload["title"],
            "duration_ms": milliseconds(&payload["duration"]),
            "arguments": list(&payload["arguments"], argument),
            "result_preview": payload["result_preview"], "error_message": payload["error_message"],
            "call_id": payload["call_id"],
        }),
        "PlanUpdate" => plan_update(payload),
        "Reasoning" => reasoning(&payload),
        "AssistantStream" => json!({
            "stream_id": payload["stream_id"], "preview_markdown": payload["preview_markdown"],
            "deltas": list(&payload["deltas"], delta), "citations": payload["citations"],
            "metadata": metadata(&payload["metadata"]), "in_progress": payload["in_progress"],
            "last_updated_at": time(&payload["last_updated_at"]),
        }),
        "AssistantMessage" => message(&payload),
        "Diff" => json!({"title": payload["title"], "hunks": list(&payload["hunks"], hunk)}),
        "Image" => json!({
            "path": payload["source_path"], "caption": payload["alt_text"],
            "metadata": {"width": payload["width"], "height": payload["height"], "sha256": payload["sha256"]},
        }),
        "Explore" => {
            json!({"entries": list(&payload["entries"], explore_entry), "trailing": false})
        }
        "RateLimits" => {
            let mut flat = payload["snapshot"].clone();
            let tone = |entry: &Value| with(entry, "tone", word(&entry["tone"]));
            flat["legend"] = list(&payload["legend"], tone);
            flat
        }
        "Patch" => patch(&payload),
        "Notice" => json!({"title": payload["title"], "body": list(&payload["body"], line)}),
        // Loading, UpgradeNotice, BackgroundEvent and Context have the same fields in both forms.
        _ => payload,
    };
    let mut record = json!({"type": kind, "payload": payload});
    if let Some(id) = id {
        record["id"] = id;
    }
    record
}

/// A message's fields, without its id.
pub fn message(fields: &Value) -> Value {
    let mut message = json!({
        "stream_id": fields["stream_id"], "markdown": fields["markdown"],
        "citations": fields["citations"], "metadata": metadata(&fields["metadata"]),
        "token_usage": usage(&fields["token_usage"]), "created_at": time(&fields["created_at"]),
    });
    if fields["mid_turn"] == true {
        message["mid_turn"] = json!(true);
    }
    message
}

fn exec(fields: &Value) -> Value {
    let mut exec = json!({
        "call_id": fields["call_id"], "command": fields["command"],
        "parsed": list(&fields["parsed"], parsed), "action": word(&fields["action"]),
        "status": word(&fields["status"]), "stdout_chunks": fields["stdout_chunks"],
        "stderr_chunks": fields["stderr_chunks"], "exit_code": fields["exit_code"],
        "wait_total_ms": milliseconds(&fields["wait_total"]), "wait_active": fields["wait_active"],
        "wait_notes": list(&fields["wait_notes"], note), "started_at": time(&fields["started_at"]),
        "completed_at": time(&fields["completed_at"]),
    });
    let wait_total = fine_duration(&fields["wait_total"]);
    if !wait_total.is_null() {
        exec["wait_total"] = wait_total;
    }
    for name in ["working_dir", "env", "tags"] {
        let value = &fields[name];
        if !value.is_null() && *value != json!([]) {
            exec[name] = value.clone();
        }
    }
    exec
}

pub fn parsed(native: &Value) -> Value {
    tagged(native)
}

pub fn note(native: &Value) -> Value {
    let note = with(native, "tone", word(&native["tone"]));
    with(&note, "timestamp", time(&native["timestamp"]))
}

pub fn delta(native: &Value) -> Value {
    with(native, "received_at", time(&native["received_at"]))
}

pub fn metadata(native: &Value) -> Value {
    if native.is_null() {
        return Value::Null;
    }
    with(native, "token_usage", usage(&native["token_usage"]))
}

pub fn usage(native: &Value) -> Value {
    if native.is_null() {
        return Value::Null;
    }
    let mut usage = json!({
        "prompt": native["input_tokens"], "completion": native["output_tokens"],
        "total": native["total_tokens"],
    });
    for name in [
        "cached_input_tokens",
        "cache_write_input_tokens",
        "reasoning_output_tokens",
    ] {
        if native[name].as_u64().is_some_and(|count| count > 0) {
            usage[name] = native[name].clone();
        }
    }
    usage
}

pub fn time(native: &Value) -> Value {
    let (Some(secs), Some(nanos)) = (
        native["secs_since_epoch"].as_i64(),
        native["nanos_since_epoch"].as_u64(),
    ) else {
        return Value::Null;
    };
    let mut text = Vec::new();
    let time = UnixTime {
        secs,
        nanos: nanos as u32,
    };
    assert!(write_rfc3339(&mut text, time));
    json!(String::from_utf8(text).expect("ASCII"))
}

/// Whole milliseconds, rounded down.
pub fn milliseconds(native: &Value) -> Value {
    let (Some(secs), Some(nanos)) = (native["secs"].as_u64(), native["nanos"].as_u64()) else {
        return Value::Null;
    };
    json!(secs * 1000 + nanos / 1_000_000)
}

/// ISO 8601 text of a duration that whole milliseconds cannot hold; null for others.
pub fn fine_duration(native: &Value) -> Value {
    let (Some(secs), Some(nanos)) = (native["secs"].as_u64(), native["nanos"].as_u64()) else {
        return Value::Null;
    };
    if nanos % 1_000_000 == 0 {
        return Value::Null;
    }
    let mut text = Vec::new();
    let nanos = nanos as u32;
    write_iso_duration(&mut text, Span { secs, nanos });
    json!(String::from_utf8(text).expect("ASCII"))
}

/// `"PascalCase"` as `"snake_case"`.
pub fn word(native: &Value) -> Value {
    native
        .as_str()
        .map_or(native.clone(), |word| json!(snake(word)))
}

pub fn list(native: &Value, item: impl Fn(&Value) -> Value) -> Value {
    native
        .as_array()
        .expect("a list")
        .iter()
        .map(item)
        .collect()
}

fn snake(word: &str) -> String {
    let mut snake = String::new();
    for letter in word.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The one key of an object and its value.
fn only(native: &Value) -> (&str, &Value) {
    let mut fields = native.as_object().expect("an object of one key").iter();
    let (name, value) = fields.next().expect("a key");
    assert!(fields.next().is_none());
    (name, value)
}

fn with(object: &Value, name: &str, value: Value) -> Value {
    let mut object = object.clone();
    object[name] = value;
    object
}

/// `"X"` and `{"X": {…}}` as `{"type": "x", …}`.
fn tagged(native: &Value) -> Value {
    if native.is_string() {
        return json!({"type": word(native)});
    }
    let (variant, fields) = only(native);
    with(fields, "type", json!(snake(variant)))
}

fn span(native: &Value) -> Value {
    let entity = if native["entity"].is_null() {
        Value::Null
    } else {
        tagged(&native["entity"])
    };
    with(
        &with(native, "tone", word(&native["tone"])),
        "entity",
        entity,
    )
}

fn spans(native: &Value) -> Value {
    list(native, span)
}

fn line(native: &Value) -> Value {
    let mut line = json!({"kind": word(&native["kind"]), "spans": spans(&native["spans"])});
    if native["kind"].is_object() {
        let (kind, data) = only(&native["kind"]);
        line["kind"] = json!(snake(kind));
        for (name, value) in data.as_object().unwrap_or(&Map::new()) {
            line[name] = if name == "marker" {
                marker(value)
            } else {
                value.clone()
            };
        }
    }
    line
}

fn marker(native: &Value) -> Value {
    if native == "Dash" {
        return json!("-");
    }
    let (kind, value) = only(native);
    if kind == "Numbered" {
        json!(format!("{value}."))
    } else {
        value.clone()
    }
}

fn argument(native: &Value) -> Value {
    let value = &native["value"];
    let value = if value.is_string() {
        json!({"type": word(value)})
    } else {
        let (kind, inner) = only(value);
        let name = if kind == "Text" { "text" } else { "value" };
        json!({"type": snake(kind), name: inner})
    };
    json!({"name": native["name"], "value": value})
}

fn wait_status(mut payload: Value) -> Value {
    for name in ["title_tone", "summary_tone"] {
        payload["header"][name] = word(&payload["header"][name]);
    }
    let tone = |detail: &Value| with(detail, "tone", word(&detail["tone"]));
    payload["details"] = list(&payload["details"], tone);
    payload
}

fn plan_update(mut payload: Value) -> Value {
    payload["icon"] = custom(&payload["icon"]);
    let step = |step: &Value| {
        let is_done = step["status"] == "completed";
        if is_done {
            with(step, "status", json!("complete"))
        } else {
            step.clone()
        }
    };
    payload["steps"] = list(&payload["steps"], step);
    payload
}

/// A word, or `{"Custom": x}` as `{"custom": x}`.
fn custom(native: &Value) -> Value {
    if !native.is_object() {
        return word(native);
    }
    let (name, value) = only(native);
    json!({snake(name): value})
}

fn reasoning(payload: &Value) -> Value {
    let section = |section: &Value| {
        let summary = &section["summary"];
        let mut result = json!({
            "heading": section["heading"], "blocks": list(&section["blocks"], block),
            "summary": if summary.is_null() { json!([]) } else { spans(summary) },
        });
        if summary.is_null() {
            result["no_summary"] = json!(true);
        }
        result
    };
    let mut result = json!({
        "in_progress": payload["in_progress"], "sections": list(&payload["sections"], section),
        "hide_when_collapsed": false,
    });
    if !payload["effort"].is_null() {
        result["effort"] = custom(&payload["effort"]);
    }
    result
}

fn block(native: &Value) -> Value {
    if native.is_string() {
        return json!({"type": word(native)});
    }
    let (kind, fields) = only(native);
    let mut block = match fields {
        Value::Array(_) => json!({"spans": spans(fields)}),
        _ => fields.clone(),
    };
    if kind == "Bullet" {
        block["marker"] = marker(&fields["marker"]);
        block["spans"] = spans(&fields["spans"]);
    }
    with(&block, "type", json!(snake(kind)))
}

fn hunk(native: &Value) -> Value {
    let line = |line: &Value| {
        let kind = match line["kind"].as_str() {
            Some("Addition") => "added",
            Some("Removal") => "removed",
            _ => "context",
        };
        json!({"kind": kind, "text": line["content"]})
    };
    with(native, "lines", list(&native["lines"], line))
}

fn explore_entry(native: &Value) -> Value {
    json!({
        "command": [], "cwd": null, "status": custom(&native["status"]),
        "action": word(&native["action"]), "summary": tagged(&native["summary"]),
    })
}

fn patch(payload: &Value) -> Value {
    let changes = payload["changes"].as_object().expect("changes").iter();
    let changes: Map<String, Value> = changes
        .map(|(path, change)| (path.clone(), tagged(change)))
        .collect();
    let event = &payload["patch_type"];
    let (event, auto_approved) = match event.as_str() {
        Some("ApprovalRequest") => ("proposed".to_owned(), Value::Null),
        Some(other) => (snake(other), Value::Null),
        None => {
            let (name, data) = only(event);
            (snake(name), data["auto_approved"].clone())
        }
    };
    json!({
        "event": event, "auto_approved": auto_approved, "changes": changes,
        "failure": payload["failure"],
    })
}
