//! The transcript's operations against the results of the reference (`fixtures/transcript/events_*.json`), step by step.
//!
//! The vectors are in the native form; their records and events are translated, and what comes out is compared in the
//! document's form, integers exactly.

#![cfg(not(target_arch = "wasm32"))]

#[path = "transcript_events/document.rs"]
mod document;

use serde_json::{Value, json};
use std::fs;
use turnlog::transcript::time::UnixTime;
use turnlog::transcript::{HistoryState, TranscriptError};

/// What a step gives, in the document's form.
type Outcome = Result<Value, TranscriptError>;

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("JSON")
}

fn only(object: &Value) -> (&str, &Value) {
    let (name, value) = object
        .as_object()
        .and_then(|fields| fields.iter().next())
        .expect("a key");
    (name, value)
}

fn index(of: &Value) -> usize {
    of["index"].as_u64().expect("an index") as usize
}

/// A native domain event in the document's spelling.
fn event(native: &Value) -> Value {
    let (name, fields) = only(native);
    let mut event = fields.clone();
    let mut kind = "";
    let mut set = |name: &str, value: Value| event[name] = value;
    match name {
        "Insert" | "Replace" => {
            kind = if name == "Insert" {
                "insert"
            } else {
                "replace"
            };
            set("record", document::record(&fields["record"]));
        }
        "Remove" => kind = "remove",
        "StartExec" => {
            kind = "start_exec";
            set(
                "parsed",
                document::list(&fields["parsed"], document::parsed),
            );
            set("action", document::word(&fields["action"]));
            set("started_at", document::time(&fields["started_at"]));
        }
        "UpdateExecStream" => kind = "update_exec_stream",
        "UpdateExecWait" => {
            kind = "update_exec_wait";
            set("total_wait", document::fine_duration(&fields["total_wait"]));
            set(
                "total_wait_ms",
                document::milliseconds(&fields["total_wait"]),
            );
            set("notes", document::list(&fields["notes"], document::note));
        }
        "FinishExec" => {
            kind = "finish_exec";
            set("status", document::word(&fields["status"]));
            set("completed_at", document::time(&fields["completed_at"]));
            set("wait_total", document::fine_duration(&fields["wait_total"]));
            set(
                "wait_total_ms",
                document::milliseconds(&fields["wait_total"]),
            );
            set(
                "wait_notes",
                document::list(&fields["wait_notes"], document::note),
            );
        }
        "UpsertAssistantStream" => {
            kind = "upsert_assistant_stream";
            event = upsert(fields);
        }
        _ => assert_eq!(name, ""),
    }
    event["type"] = json!(kind);
    event
}

fn upsert(fields: &Value) -> Value {
    let mut stream = fields.clone();
    if !fields["delta"].is_null() {
        stream["delta"] = document::delta(&fields["delta"]);
    }
    stream["metadata"] = document::metadata(&fields["metadata"]);
    stream
}

/// A native mutation in the document's form.
fn mutation(native: &Value) -> Value {
    if native == "Noop" {
        return json!({"type": "noop"});
    }
    let (name, fields) = only(native);
    json!({
        "type": document::word(&json!(name)), "index": fields["index"], "id": fields["id"],
        "record": document::record(&fields["record"]),
    })
}

fn record_at(state: &HistoryState, index: usize) -> Value {
    parsed(&state.get(index).expect("a record").text())
}

fn query(state: &HistoryState, asked: &Value) -> Value {
    let each = |name: &str, answer: &dyn Fn(&Value) -> Value| -> Value {
        let asked = asked[name].as_array().expect("a list").iter();
        asked.map(|item| json!([item, answer(item)])).collect()
    };
    let id = |item: &Value| item.as_u64().expect("an id");
    json!({
        "index_of": each("index_of", &|item| json!(state.index_of(id(item)))),
        "record_found": each("index_of", &|item| json!(state.record(id(item)).is_some())),
        "exec_call": each("exec_call", &|item| json!(state.exec_call(&bytes(item)))),
        "tool_call": each("tool_call", &|item| json!(state.tool_call(&bytes(item)))),
        "stream": each("stream", &|item| json!(state.stream(&bytes(item)))),
        "stream_record_id": each("stream", &|item| {
            let registered = state.stream(&bytes(item));
            json!(registered.and_then(|id| state.record(id)).map(|record| record.id()))
        }),
        "len": state.len(), "is_empty": state.is_empty(), "next_id": state.next_id(),
    })
}

/// Direct access: a field of a record is changed behind the lookups.
fn overwrite(state: &mut HistoryState, index: usize, change: &Value) -> Outcome {
    let mut record = record_at(state, index);
    for (name, value) in change.as_object().expect("a change") {
        match name.as_str() {
            "set_call_id" => record["payload"]["call_id"] = value.clone(),
            "set_status" => record["payload"]["status"] = document::word(value),
            _ => {}
        }
    }
    state.overwrite(index, &bytes(&record))?;
    Ok(Value::Null)
}

/// What the operation gives, and what the reference's result says it should.
fn run(state: &mut HistoryState, step: &Value) -> (Outcome, Value) {
    let now = &step["now"];
    let now = UnixTime {
        secs: now["secs_since_epoch"].as_i64().expect("a time"),
        nanos: now["nanos_since_epoch"].as_u64().expect("a time") as u32,
    };
    let (name, of) = only(&step["op"]);
    let result = step["result"]["ok"].clone();
    match name {
        "push" => {
            let id = state.push(&bytes(&document::record(&of["record"])));
            (id.map(|id| json!(id)), result)
        }
        "insert" => {
            let id = state.insert(index(of), &bytes(&document::record(&of["record"])));
            (id.map(|id| json!(id)), result)
        }
        "remove" => {
            let removed = state.remove(index(of));
            let removed = removed.map_or(Value::Null, |record| parsed(&record.text()));
            let is_none = result.is_null();
            (
                Ok(removed),
                if is_none {
                    result
                } else {
                    document::record(&result)
                },
            )
        }
        "apply_event" | "apply_domain_event" => {
            let applied = state.apply(&bytes(&event(of)), now);
            let text = applied.map(|mutation| parsed(&mutation.text(state)));
            let panics = result.is_null();
            (text, if panics { result } else { mutation(&result) })
        }
        "upsert_assistant_stream_state" => {
            let id = state.upsert_assistant_stream(&bytes(&upsert(of)), now);
            (id.map(|id| json!(id)), result)
        }
        "finalize_assistant_stream_state" => {
            let mut message = of.clone();
            message["metadata"] = document::metadata(&of["metadata"]);
            message["token_usage"] = document::usage(&of["token_usage"]);
            let place = state.finalize_assistant_stream(&bytes(&message), now);
            let record = place.map(|index| record_at(state, index));
            let payload = document::message(&result);
            let expected =
                json!({"id": result["id"], "type": "assistant_message", "payload": payload});
            (record, expected)
        }
        "truncate_after" => {
            let removed = state.truncate_after(of["id"].as_u64().expect("an id"));
            let texts = removed
                .iter()
                .map(|record| parsed(&record.text()))
                .collect();
            (Ok(texts), document::list(&result, document::record))
        }
        "restore" => {
            let restored = state.restore(&bytes(&document::snapshot(&of["snapshot"])));
            (restored.map(|()| Value::Null), result)
        }
        "record_mut" => {
            let index = state
                .index_of(of["id"].as_u64().expect("an id"))
                .expect("a record");
            (overwrite(state, index, of), result)
        }
        "get_mut" => (overwrite(state, index(of), of), result),
        "query" => (Ok(query(state, of)), result),
        _ => panic!("no operation {name}"),
    }
}

#[test]
fn every_step_does_what_the_reference_did() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/transcript");
    let (mut files, mut steps) = (0, 0);
    for file in fs::read_dir(folder).expect("the vectors") {
        let path = file.expect("a file").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if !name.starts_with("events_") {
            continue;
        }
        let vector = parsed(&fs::read(&path).expect("a vector"));
        files += 1;
        let mut state = HistoryState::default();
        let initial = document::snapshot(&vector["initial"]);
        state.restore(&bytes(&initial)).expect("a snapshot");
        let mut before = document::snapshot(&vector["initial"]);
        for (at, step) in vector["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .enumerate()
        {
            let place = format!("{name}, step {at}: {}", step["note"]);
            let (outcome, expected) = run(&mut state, step);
            // What panics there is refused here, and an id is not used up.
            let panics = step["result"]["panics"] == true;
            match outcome {
                Ok(outcome) => assert_eq!((outcome, false), (expected, panics), "{place}"),
                Err(error) => assert!(panics, "{place}: {error}"),
            }
            if step["changed"] == true && !panics {
                before = document::snapshot(&step["snapshot"]);
            }
            assert_eq!(parsed(&state.snapshot()), before, "{place}");
            steps += 1;
            // The reference's state goes on with the id that its panic has used up.
            if panics && step["changed"] == true {
                before = document::snapshot(&step["snapshot"]);
                state.restore(&bytes(&before)).expect("a snapshot");
            }
        }
        assert_eq!(
            parsed(&state.snapshot()),
            document::snapshot(&vector["final"]),
            "{name}"
        );
    }
    assert!(files >= 15 && steps >= 164, "{files} files, {steps} steps");
}
