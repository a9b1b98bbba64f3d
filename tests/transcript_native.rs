//! The native form of transcripts against the results of the reference (`fixtures/transcript/`).

#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use turnlog::transcript::{TranscriptCode, document_to_native, native_to_document};

fn fixtures() -> PathBuf {
    [
        env!("CARGO_MANIFEST_DIR"),
        "tests",
        "fixtures",
        "transcript",
    ]
    .iter()
    .collect()
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names behind `native_` of all snapshots.
fn snapshots() -> Vec<String> {
    let entries = fs::read_dir(fixtures()).expect("the fixtures");
    let mut names: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix("native_")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() >= 26, "{names:?}");
    names
}

/// A value whose integers are exact up to 64 bits and differ from doubles; the order of keys has no meaning in it.
fn value(text: &[u8]) -> Value {
    serde_json::from_slice(text)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)))
}

/// The first place at which two values differ.
fn difference(path: &str, a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let names = x
                .keys()
                .chain(y.keys().filter(|name| !x.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let path = format!("{path}.{name}");
                match (x.get(name), y.get(name)) {
                    (Some(x), Some(y)) => difference(&path, x, y),
                    (x, y) => Some(format!("{path}: {x:?} is not {y:?}")),
                }
            })
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => (0..x.len())
            .find_map(|index| difference(&format!("{path}[{index}]"), &x[index], &y[index])),
        _ => (a != b).then(|| format!("{path}: {a} is not {b}")),
    }
}

fn assert_same(name: &str, got: &[u8], expected: &[u8]) {
    let difference = difference("", &value(got), &value(expected));
    assert!(difference.is_none(), "{name}{}", difference.unwrap());
}

#[test]
fn every_native_snapshot_becomes_its_document() {
    for name in snapshots() {
        let document = native_to_document(&fixture(&format!("native_{name}")))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_same(&name, &document, &fixture(&format!("doc_{name}")));
    }
}

#[test]
fn every_document_becomes_its_native_snapshot_again() {
    for name in snapshots() {
        let native = fixture(&format!("native_{name}"));
        let expected = fixture(&format!("doc_{name}"));
        for document in [expected, native_to_document(&native).unwrap()] {
            let again =
                document_to_native(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_same(&name, &again, &native);
        }
    }
}

#[test]
fn each_form_is_told_from_the_other() {
    for name in snapshots() {
        let (native, document) = (
            fixture(&format!("native_{name}")),
            fixture(&format!("doc_{name}")),
        );
        if value(&native)["records"] == Value::Array(Vec::new()) {
            continue;
        }
        let code = |result: Result<Vec<u8>, turnlog::transcript::TranscriptError>| {
            let error = result.expect_err(&name);
            assert_eq!(error.path, "records[0]");
            error.code
        };
        assert_eq!(
            code(document_to_native(&native)),
            TranscriptCode::NativeForm
        );
        assert_eq!(
            code(native_to_document(&document)),
            TranscriptCode::DocumentForm
        );
    }
}

/// Texts that the reference refuses and we take.
const TAKEN: [&str; 5] = [
    // What is unknown is kept.
    "unknown record variant",
    "FileChange in PascalCase",
    "FileChange unknown",
    // Every spelling of a type is read.
    "FileChange update of the older shape (no contents)",
    // There is no limit to the depth of what nobody looks into.
    "nesting of 200 in a Json argument",
];

/// Texts that both take, and of which we keep what the reference drops.
const KEPT: [&str; 2] = ["unknown field at the top", "unknown field in a record"];

/// Texts whose doubles the reference rounds or reads one unit off, and we copy.
const EXACT: [&str; 3] = [
    "percent integer",
    "percent 99.99999999999999 (read back one unit off)",
    "Json argument with a number beyond u64",
];

#[test]
fn native_texts_are_read_as_the_reference_reads_them() {
    let cases = value(&fixture("reader_cases.json"));
    let cases = cases.as_array().expect("a list");
    assert_eq!(cases.len(), 83);
    for case in cases {
        let name = case["case"].as_str().expect("a name");
        let text = case["input"].as_str().expect("a text").as_bytes();
        let document = native_to_document(text);
        if case["accepted"] == false && !TAKEN.contains(&name) {
            let error = document.expect_err(name);
            assert_ne!(
                error.path.is_empty(),
                error.code != TranscriptCode::NotJson,
                "{name}"
            );
            continue;
        }
        let document = document.unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = document_to_native(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        let same_text = String::from_utf8_lossy(&again).contains("future");
        assert_eq!(KEPT.contains(&name), same_text, "{name}");
        if case["accepted"] == true && !KEPT.contains(&name) && !EXACT.contains(&name) {
            assert_same(name, &again, case["written_again"].to_string().as_bytes());
        }
    }
}

/// Feeds every text to both readers.
fn read_both_ways(text: &[u8]) {
    for read in [native_to_document, document_to_native] {
        if let Ok(other) = read(text) {
            // What was written is well formed.
            turnlog::json::check_grammar(&other).expect("JSON");
        }
    }
}

#[test]
fn damaged_texts_are_refused_or_read_and_nothing_else() {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let small = snapshots()
        .into_iter()
        .filter(|name| !name.starts_with("35_"));
    for name in small.flat_map(|name| [format!("native_{name}"), format!("doc_{name}")]) {
        let text = fixture(&name);
        // Without white space damage hits something more often.
        let compact = value(&text).to_string().into_bytes();
        for _ in 0..60 {
            read_both_ways(&text[..next(text.len())]);
            read_both_ways(&compact[..next(compact.len())]);
            let mut flipped = compact.clone();
            for _ in 0..=next(3) {
                flipped[next(compact.len())] ^= 1 << next(8);
            }
            read_both_ways(&flipped);
            // One part where another stood: the grammar holds, and the types do not.
            let mut moved = compact.clone();
            let (from, to, length) = (next(compact.len()), next(compact.len()), next(12));
            for index in 0..length {
                if let (Some(&byte), Some(place)) =
                    (compact.get(from + index), moved.get_mut(to + index))
                {
                    *place = byte;
                }
            }
            read_both_ways(&moved);
        }
    }
}

/// Every part of a value, replaced by something else in turn.
fn with_parts_replaced(part: &Value, by: &Value, check: &mut dyn FnMut(&Value)) {
    fn walk(part: &Value, by: &Value, check: &mut dyn FnMut(&Value)) {
        check(by);
        match part {
            Value::Object(members) => {
                for (name, member) in members {
                    let mut inside = |changed: &Value| {
                        let mut members = members.clone();
                        members.insert(name.clone(), changed.clone());
                        check(&Value::Object(members));
                    };
                    walk(member, by, &mut inside);
                }
            }
            Value::Array(items) => {
                for index in 0..items.len() {
                    let mut inside = |changed: &Value| {
                        let mut items = items.clone();
                        items[index] = changed.clone();
                        check(&Value::Array(items));
                    };
                    walk(&items[index], by, &mut inside);
                }
            }
            _ => {}
        }
    }
    walk(part, by, check);
}

#[test]
fn values_of_every_wrong_type_in_every_place_are_refused_or_read() {
    let wrong = r#"[null,true,0,-1,1.5,"","Xyz","xyz",[],[1],[1,2,3],{},{"Xyz":1},{"type":"x"},18446744073709551616]"#;
    let wrong = value(wrong.as_bytes());
    for name in ["native_32_all_variants.json", "doc_32_all_variants.json"] {
        let mut snapshot = value(&fixture(name));
        let records = snapshot["records"].take();
        snapshot["order"] = value(br#"[{"req":1,"out":-1,"seq":2}]"#);
        snapshot["order_debug"] = value(br#"[null,"x"]"#);
        for by in wrong.as_array().unwrap() {
            let mut check = |changed: &Value| read_both_ways(changed.to_string().as_bytes());
            snapshot["records"] = Value::Array(Vec::new());
            with_parts_replaced(&snapshot, by, &mut check);
            for record in records.as_array().unwrap() {
                let snapshot = |record: &Value| format!("{{\"next_id\":1,\"records\":[{record}]}}");
                let mut check = |changed: &Value| read_both_ways(snapshot(changed).as_bytes());
                with_parts_replaced(record, by, &mut check);
            }
        }
    }
}

#[test]
fn any_depth_is_copied() {
    let depth = 200_000;
    let deep = "[".repeat(depth) + &"]".repeat(depth);
    let native = format!(
        r#"{{"records":[{{"Loading":{{"id":1,"message":"m","future":{deep}}}}},{{"Later":{deep}}}],"next_id":3,"x":{deep},"exec_call_lookup":{{}},"tool_call_lookup":{{}},"stream_lookup":{{}}}}"#
    );
    let document = native_to_document(native.as_bytes()).unwrap();
    let again = document_to_native(&document).unwrap();
    assert_eq!(
        String::from_utf8(again)
            .unwrap()
            .replace(r#","order":[],"order_debug":[]"#, ""),
        native.replace(&format!(r#","x":{deep},"#), ",").replace(
            "\"stream_lookup\":{}}",
            &format!("\"stream_lookup\":{{}},\"x\":{deep}}}")
        )
    );
    // The same where a value is looked at.
    for place in ["records", "next_id", "exec_call_lookup", "order"] {
        let text = format!(r#"{{"records":[],"next_id":1,"{place}":{deep}}}"#);
        read_both_ways(text.as_bytes());
        read_both_ways(
            format!(
                "{{\"{place}\":{}1{}}}",
                "{\"a\":".repeat(depth),
                "}".repeat(depth)
            )
            .as_bytes(),
        );
    }
}
