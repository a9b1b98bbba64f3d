//! Random operations on a transcript against a model written from the spec (spec 3-transcript.md, 3.1 to 3.6 and 3.8).

#![cfg(not(target_arch = "wasm32"))]

#[path = "transcript_model/model.rs"]
mod model;

use model::Model;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use turnlog::transcript::time::UnixTime;
use turnlog::transcript::{HistoryState, TranscriptError};

/// Pieces of text with characters of one, two and four bytes, and such as need escapes.
const TEXTS: [&str; 8] = ["", "a", "é", "🚀", "b\n\"", "\\", "cé", "🚀d"];
const TIME: &str = "2026-01-02T03:04:05.5Z";

#[derive(Clone, Debug)]
enum Operation {
    Push(Value),
    Insert(usize, Value),
    Remove(usize),
    Overwrite(usize, Value),
    Apply(Value),
    Upsert(Value),
    Finalize(Value),
    TruncateAfter(u64),
    /// Keeps a snapshot.
    Save,
    /// Restores the kept one.
    Undo,
    /// Restores a snapshot of what is there, with another next id, and without these lookups.
    Restore(Option<u64>, [bool; 3]),
}

fn call_id() -> impl Strategy<Value = Option<&'static str>> {
    option::weighted(0.8, prop::sample::select(vec!["", "x", "y", "é\"", "10"]))
}

fn text() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TEXTS.to_vec())
}

fn stream_id() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "s", "🚀\n"])
}

fn chunk() -> impl Strategy<Value = Value> {
    (0..14u64, text(), any::<bool>()).prop_map(|(offset, content, has_more)| {
        let mut chunk = json!({"offset": offset, "content": content});
        if has_more {
            chunk["later"] = json!([1, {"a": null}]);
        }
        chunk
    })
}

fn delta() -> impl Strategy<Value = Value> {
    (text(), option::of(0..3u64)).prop_map(
        |(text, sequence)| json!({"delta": text, "sequence": sequence, "received_at": TIME, "x": text}),
    )
}

fn metadata() -> impl Strategy<Value = Value> {
    let usage = (0..9u64).prop_map(|n| json!({"prompt": n, "completion": 2, "total": u64::MAX}));
    let metadata = (vec(text(), 0..3), option::of(usage)).prop_map(
        |(citations, usage)| json!({"citations": citations, "token_usage": usage, "more": 1}),
    );
    option::of(metadata).prop_map(|metadata| json!(metadata))
}

fn notes() -> impl Strategy<Value = Value> {
    (0..3usize).prop_map(|count| {
        let note = json!({"message": "m", "tone": "unknown tone", "timestamp": TIME, "z": 0});
        json!(vec![note; count])
    })
}

fn exec() -> impl Strategy<Value = Value> {
    (call_id(), vec(chunk(), 0..3), vec(chunk(), 0..2), any::<bool>()).prop_map(
        |(call_id, stdout, stderr, has_more)| {
            let mut payload = json!({
                "call_id": call_id, "command": ["ls"], "parsed": [{"type": "later"}, "word"],
                "action": "run", "status": "running", "stdout_chunks": stdout, "stderr_chunks": stderr,
                "wait_active": false, "wait_notes": [], "started_at": TIME,
            });
            if has_more {
                payload["wait_total"] = json!("PT0.0001S");
                payload["extension"] = json!({"deep": [{}]});
            }
            payload
        },
    )
}

fn record() -> impl Strategy<Value = Value> {
    let exec_record =
        exec().prop_map(|payload| json!({"type": "exec", "payload": payload, "x": 1}));
    let merged = vec(exec(), 0..3).prop_map(|mut segments| {
        for (id, segment) in segments.iter_mut().enumerate() {
            segment["id"] = json!(id);
        }
        json!({"type": "merged_exec", "payload": {"action": "read", "segments": segments}})
    });
    let tool = call_id().prop_map(|call_id| {
        let payload = json!({
            "call_id": call_id, "status": "success", "title": "t",
            "arguments": [{"name": "n", "value": {"type": "secret"}}],
        });
        json!({"id": 9, "type": "tool_call", "payload": payload})
    });
    let stream = (stream_id(), vec(delta(), 0..3), metadata()).prop_map(|(id, deltas, metadata)| {
        let payload = json!({
            "later": [], "stream_id": id, "preview_markdown": "", "deltas": deltas, "citations": ["c"],
            "metadata": metadata, "in_progress": false, "last_updated_at": TIME,
        });
        json!({"id": null, "type": "assistant_stream", "payload": payload})
    });
    let message = (option::of(stream_id()), metadata()).prop_map(|(id, metadata)| {
        let payload = json!({
            "stream_id": id, "markdown": "m", "citations": [], "metadata": metadata, "created_at": TIME,
            "mid_turn": true, "later": {"a": 1},
        });
        json!({"type": "assistant_message", "payload": payload})
    });
    let other = prop::sample::select(vec![
        json!({"type": "loading", "payload": {"message": "…"}}),
        json!({"id": u64::MAX, "more": [], "type": "of a later version", "payload": [1, null]}),
    ]);
    prop_oneof![3 => exec_record, 1 => merged, 2 => tool, 3 => stream, 2 => message, 1 => other]
}

fn event() -> impl Strategy<Value = Value> {
    let index = 0..9usize;
    let placed = (index.clone(), record(), any::<bool>()).prop_map(|(index, record, inserts)| {
        let kind = if inserts { "insert" } else { "replace" };
        json!({"type": kind, "index": index, "record": record})
    });
    let remove = index
        .clone()
        .prop_map(|index| json!({"type": "remove", "index": index}));
    let start = (index.clone(), call_id(), option::of(text())).prop_map(|(index, call_id, dir)| {
        json!({
            "type": "start_exec", "index": index, "call_id": call_id, "command": [], "parsed": [],
            "action": "list", "started_at": TIME, "working_dir": dir, "env": [], "tags": dir.map(|dir| [dir]),
        })
    });
    let stream = (index.clone(), option::of(chunk()), option::of(chunk())).prop_map(
        |(index, stdout, stderr)| {
            json!({
                "type": "update_exec_stream", "index": index, "stdout_chunk": stdout,
                "stderr_chunk": stderr,
            })
        },
    );
    let wait = (index, option::of(0..99u64), any::<bool>(), notes()).prop_map(
        |(index, total, active, notes)| {
            json!({
                "type": "update_exec_wait", "index": index, "total_wait_ms": total,
                "wait_active": active, "notes": notes,
            })
        },
    );
    let tails = (option::of(text()), option::of(text()));
    let finish = (option::of(0..9u64), call_id(), tails, option::of(-2..2), notes()).prop_map(
        |(id, call_id, (stdout, stderr), code, notes)| {
            json!({
                "type": "finish_exec", "id": id, "call_id": call_id, "status": "error", "exit_code": code,
                "completed_at": TIME, "stdout_tail": stdout, "stderr_tail": stderr, "wait_total_ms": id,
                "wait_active": true, "wait_notes": notes,
            })
        },
    );
    prop_oneof![2 => placed, 3 => remove, 1 => start, 6 => stream, 1 => wait, 3 => finish, 4 => upsert()]
}

fn upsert() -> impl Strategy<Value = Value> {
    (
        stream_id(),
        text(),
        option::weighted(0.9, delta()),
        metadata(),
    )
        .prop_map(|(id, preview, delta, metadata)| {
            json!({
                "type": "upsert_assistant_stream", "stream_id": id, "preview_markdown": preview,
                "delta": delta, "metadata": metadata,
            })
        })
}

fn finalize() -> impl Strategy<Value = Value> {
    let usage =
        option::of((0..9u64).prop_map(|n| json!({"prompt": n, "completion": n, "total": 0})));
    (option::weighted(0.8, stream_id()), text(), metadata(), usage).prop_map(
        |(id, markdown, metadata, usage)| {
            json!({"stream_id": id, "markdown": markdown, "metadata": metadata, "token_usage": usage})
        },
    )
}

fn operation() -> impl Strategy<Value = Operation> {
    let next_id = prop_oneof![Just(1), Just(4), Just(u64::MAX - 1)];
    prop_oneof![
        2 => record().prop_map(Operation::Push),
        1 => (0..9usize, record()).prop_map(|(index, record)| Operation::Insert(index, record)),
        1 => (0..9usize).prop_map(Operation::Remove),
        1 => (0..9usize, record()).prop_map(|(index, record)| Operation::Overwrite(index, record)),
        24 => event().prop_map(Operation::Apply),
        1 => upsert().prop_map(Operation::Upsert),
        3 => finalize().prop_map(Operation::Finalize),
        2 => (0..12u64).prop_map(Operation::TruncateAfter),
        1 => Just(Operation::Save),
        1 => Just(Operation::Undo),
        1 => (option::weighted(0.2, next_id), any::<[bool; 3]>())
            .prop_map(|(next_id, without)| Operation::Restore(next_id, without)),
    ]
}

/// What both sides look like to somebody who calls them.
type Answer = Result<Value, String>;

fn refused(error: TranscriptError) -> String {
    error.code.as_str().to_owned()
}

fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("JSON")
}

fn of_state(
    state: &mut HistoryState,
    saved: &[u8],
    operation: &Operation,
    now: UnixTime,
) -> Answer {
    let bytes = |value: &Value| value.to_string().into_bytes();
    match operation {
        Operation::Push(record) => state.push(&bytes(record)).map(|id| json!(id)),
        Operation::Insert(index, record) => {
            state.insert(*index, &bytes(record)).map(|id| json!(id))
        }
        Operation::Remove(index) => Ok(state
            .remove(*index)
            .map_or(Value::Null, |record| parsed(&record.text()))),
        Operation::Overwrite(index, record) => {
            state.overwrite(*index, &bytes(record)).map(|_| Value::Null)
        }
        Operation::Apply(event) => state
            .apply(&bytes(event), now)
            .map(|mutation| parsed(&mutation.text(state))),
        Operation::Upsert(stream) => state
            .upsert_assistant_stream(&bytes(stream), now)
            .map(|id| json!(id)),
        Operation::Finalize(message) => state
            .finalize_assistant_stream(&bytes(message), now)
            .map(|index| json!(index)),
        Operation::TruncateAfter(id) => Ok(state
            .truncate_after(*id)
            .iter()
            .map(|record| parsed(&record.text()))
            .collect()),
        Operation::Save => Ok(Value::Null),
        Operation::Undo => state.restore(saved).map(|()| Value::Null),
        Operation::Restore(next_id, without) => {
            let snapshot = changed(parsed(&state.snapshot()), *next_id, without);
            state.restore(&bytes(&snapshot)).map(|()| Value::Null)
        }
    }
    .map_err(refused)
}

fn of_model(model: &mut Model, saved: &Value, operation: &Operation, now: &str) -> Answer {
    match operation.clone() {
        Operation::Push(record) => model
            .insert(model.records.len(), record)
            .map(|id| json!(id)),
        Operation::Insert(index, record) => model.insert(index, record).map(|id| json!(id)),
        Operation::Remove(index) => Ok(json!(model.remove(index))),
        Operation::Overwrite(index, record) => {
            model.overwrite(index, record);
            Ok(Value::Null)
        }
        Operation::Apply(event) => model.apply(&event, now),
        Operation::Upsert(stream) => Ok(model.upsert(&stream, now)["id"].clone()),
        Operation::Finalize(message) => Ok(json!(model.finalize(&message, now))),
        Operation::TruncateAfter(id) => Ok(json!(model.truncate_after(id))),
        Operation::Save => Ok(Value::Null),
        Operation::Undo => {
            model.restore(saved);
            Ok(Value::Null)
        }
        Operation::Restore(next_id, without) => {
            let snapshot = changed(model.snapshot(), next_id, &without);
            model.restore(&snapshot);
            Ok(Value::Null)
        }
    }
    .map_err(str::to_owned)
}

fn changed(mut snapshot: Value, next_id: Option<u64>, without: &[bool; 3]) -> Value {
    if let Some(next_id) = next_id {
        snapshot["next_id"] = json!(next_id);
    }
    let lookups = ["exec_call_lookup", "tool_call_lookup", "stream_lookup"];
    for (name, without) in lookups.iter().zip(without) {
        if *without {
            snapshot[name] = json!({});
        }
    }
    snapshot
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_transcript_does_what_the_rules_say(
        // Making operations takes longer than applying them, so that each occurs several times.
        pool in vec(operation(), 60),
        order in vec(any::<prop::sample::Index>(), 800),
    ) {
        let mut state = HistoryState::default();
        let mut model = Model::new();
        let mut saved = state.snapshot();
        let mut saved_model = model.snapshot();
        for (step, choice) in order.iter().enumerate() {
            let operation = choice.get(&pool);
            let second = step % 50;
            let now = UnixTime { secs: 1_767_323_045 + second as i64, nanos: 0 };
            let now_text = format!("2026-01-02T03:04:{:02}Z", 5 + second);
            let answer = of_state(&mut state, &saved, operation, now);
            let expected = of_model(&mut model, &saved_model, operation, &now_text);
            prop_assert_eq!(answer, expected, "{:?}", operation);
            if let Operation::Save = operation {
                (saved, saved_model) = (state.snapshot(), model.snapshot());
            }
            let highest = model.records.len() as u64 + 3;
            if step % 5 == 4 {
                for id in (0..highest).chain([u64::MAX]) {
                    prop_assert_eq!(state.index_of(id), model.index_of(id));
                }
            }
            if step % 20 == 19 {
                prop_assert_eq!(parsed(&state.snapshot()), model.snapshot());
                same_when_restored(&state);
            }
        }
    }
}

/// What holds of every state: it comes back from its snapshot, byte for byte, unless that drops a message or makes lookups.
fn same_when_restored(state: &HistoryState) {
    let snapshot = state.snapshot();
    let value = parsed(&snapshot);
    let streams = value["records"].as_array().unwrap().iter();
    let messages = streams.filter(|record| model::is(record, "assistant_message"));
    let mut ids: Vec<String> = messages
        .filter_map(|record| record["payload"]["stream_id"].as_str().map(str::to_owned))
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    let lookups = ["exec_call_lookup", "tool_call_lookup", "stream_lookup"];
    let has_lookups = lookups.iter().any(|name| value[name] != json!({}));
    if ids.len() == count && has_lookups {
        let mut again = HistoryState::default();
        again.restore(&snapshot).expect("a snapshot is restored");
        assert!(again.snapshot() == snapshot, "{value}");
    }
}
