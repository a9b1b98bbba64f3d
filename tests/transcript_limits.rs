//! The memory limits of a transcript at their real sizes (spec 3-transcript.md, 3.7), against the reference's results in
//! `fixtures/transcript/caps_summary.json` and where we differ from it on purpose.

#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use turnlog::json::Reader;
use turnlog::transcript::HistoryState;
use turnlog::transcript::time::UnixTime;

const NOW: UnixTime = UnixTime { secs: 0, nanos: 0 };
const MIB: usize = 1_048_576;
const TIME: &str = "2026-01-02T03:04:05Z";

fn vector(case: &str) -> Vec<Value> {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/transcript/caps_summary.json")).expect("JSON");
    let cases = cases.into_iter().filter(|found| found["case"] == case);
    let cases: Vec<Value> = cases.collect();
    assert!(!cases.is_empty(), "{case}");
    cases
}

fn apply(state: &mut HistoryState, event: &Value) {
    let text = event.to_string();
    state
        .apply(text.as_bytes(), NOW)
        .expect("an event that is taken");
}

fn with_exec() -> HistoryState {
    let mut state = HistoryState::default();
    start(&mut state);
    state
}

fn start(state: &mut HistoryState) {
    let event = json!({
        "type": "start_exec", "index": state.len(), "command": [], "parsed": [], "action": "run",
        "started_at": TIME,
    });
    apply(state, &event);
}

/// Written by hand, as everything here is that holds megabytes: unoptimised, serde_json takes a minute for it.
fn add(state: &mut HistoryState, index: usize, offset: usize, stdout: &str, stderr: Option<&str>) {
    let stderr = stderr.map(|content| format!(r#"{{"offset":0,"content":"{content}"}}"#));
    let event = format!(
        r#"{{"type":"update_exec_stream","index":{index},"stderr_chunk":{},
        "stdout_chunk":{{"offset":{offset},"content":"{stdout}"}}}}"#,
        stderr.as_deref().unwrap_or("null"),
    );
    state
        .apply(event.as_bytes(), NOW)
        .expect("a chunk that is taken");
}

fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut reader = Reader::new(object);
    reader.begin_object();
    while let Some(key) = reader.next_key() {
        let value = &object[reader.skip()?];
        if key.eq_str(name) {
            return Some(value);
        }
    }
    None
}

/// The number and the length of the text of each piece in a list of the payload.
fn pieces(state: &HistoryState, index: usize, [list, number, text]: [&str; 3]) -> Value {
    let record = state.get(index).expect("a record").text();
    let list = member(&record, "payload").and_then(|payload| member(payload, list));
    let list = list.expect("a list");
    let mut reader = Reader::new(list);
    reader.begin_array();
    let mut pairs = Vec::new();
    while reader.next_item() {
        let piece = &list[reader.skip().expect("a piece")];
        let number = member(piece, number).expect("a number");
        let number: Value = serde_json::from_slice(number).expect("JSON");
        // Nothing here has escapes.
        let len = member(piece, text).expect("text").len() - 2;
        pairs.push(json!([number, len]));
    }
    json!(pairs)
}

/// Offsets and lengths.
fn streams(state: &HistoryState, index: usize) -> Value {
    let of = |list| pieces(state, index, [list, "offset", "content"]);
    json!({"stdout": of("stdout_chunks"), "stderr": of("stderr_chunks")})
}

fn deltas(state: &HistoryState) -> Value {
    let record = state.get(0).expect("a record").text();
    let truncated = member(&record, "payload")
        .and_then(|payload| member(payload, "truncated_prefix_bytes"))
        .expect("a number");
    let truncated: Value = serde_json::from_slice(truncated).expect("JSON");
    let pairs = pieces(state, 0, ["deltas", "sequence", "delta"]);
    json!({"deltas": pairs, "truncated_prefix_bytes": truncated})
}

fn upsert(state: &mut HistoryState, delta: &str, sequence: Option<u64>) {
    let sequence = json!(sequence);
    let event = format!(
        r#"{{"type":"upsert_assistant_stream","stream_id":"s","preview_markdown":"",
        "delta":{{"delta":"{delta}","sequence":{sequence},"received_at":"{TIME}"}}}}"#,
    );
    state
        .apply(event.as_bytes(), NOW)
        .expect("a delta that is taken");
}

#[test]
fn a_stream_of_an_exec_keeps_its_last_32_mib() {
    let mut state = with_exec();
    for step in vector("stdout cap 32 MiB") {
        let [offset, len] = [0, 1].map(|at| step["chunk"][at].as_u64().expect("a size") as usize);
        add(&mut state, 0, offset, &"x".repeat(len), None);
        assert_eq!(streams(&state, 0), step["after"]);
    }
}

#[test]
#[ignore = "takes ten seconds where it is not optimised: cargo test --release -- --ignored"]
fn a_cut_inside_a_character_moves_on_where_the_reference_panics() {
    let mut state = with_exec();
    add(&mut state, 0, 0, &"é".repeat(17 * MIB), None);
    let case = &vector("even cut inside two-byte text")[0];
    assert_eq!(streams(&state, 0), case["after"]);

    let mut state = with_exec();
    add(&mut state, 0, 0, &("é".repeat(17 * MIB) + "a"), None);
    let kept = json!({"stdout": [[2 * MIB + 2, 32 * MIB - 1]], "stderr": []});
    assert_eq!(streams(&state, 0), kept);
}

#[test]
fn a_gap_goes_with_the_text_before_it_and_takes_none_behind_it() {
    let mut state = with_exec();
    add(&mut state, 0, 0, "12345", None);
    add(&mut state, 0, 33 * MIB, "67890", None);
    let kept = json!({"stdout": [[33 * MIB, 5]], "stderr": []});
    assert_eq!(streams(&state, 0), kept);
}

#[test]
fn the_deltas_of_a_stream_keep_their_last_6_mib() {
    let mut state = HistoryState::default();
    for sequence in 1..=3 {
        upsert(&mut state, &"x".repeat(2 * MIB), Some(sequence));
        upsert(
            &mut state,
            &"x".repeat(sequence as usize - 1),
            Some(sequence),
        );
    }
    let case = &vector("assistant cap 6 MiB: three deltas of 2 MiB, +1, +2 bytes")[0];
    let mut expected = json!({"case": case["case"], "after": deltas(&state)});
    assert_eq!(*case, expected);

    upsert(&mut state, &"x".repeat(5 * MIB), Some(4));
    expected = json!({"case": "then a 5 MiB delta", "after": deltas(&state)});
    assert_eq!(vector("then a 5 MiB delta")[0], expected);
}

#[test]
fn a_cut_in_a_delta_moves_on_to_the_next_character() {
    let mut state = HistoryState::default();
    upsert(&mut state, &("🚀".repeat(2 * MIB) + "a"), None);
    let name = "assistant cap with four-byte text: the cut moves on to the next character border";
    assert_eq!(deltas(&state), vector(name)[0]["after"]);
}

#[test]
#[ignore = "takes a minute where it is not optimised: cargo test --release -- --ignored"]
fn all_execs_together_keep_256_mib_and_the_earliest_gives_way() {
    let mut state = HistoryState::default();
    for index in 0..9 {
        start(&mut state);
        let (stdout, stderr) = ("x".repeat(30 * MIB), "e".repeat(index * 1024));
        add(&mut state, index, 0, &stdout, Some(&stderr));
    }
    let case = &vector("global cap 256 MiB: nine execs of 30 MiB stdout")[0];
    let found: Value = (0..9).map(|index| streams(&state, index)).collect();
    assert_eq!(found, case["after"]);
}
