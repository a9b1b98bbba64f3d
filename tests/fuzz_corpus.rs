//! The texts in `fuzz/corpus` given to the functions that look for more of them (`make fuzz`).

#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::Path;

mod fuzz_bodies;

/// Gives every text of a folder to the function, and half of each text besides.
fn run(name: &str) {
    let (_, body) = fuzz_bodies::BODIES
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("a function of this name");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("a folder of texts") {
        let path = entry.expect("a text").path();
        let text = fs::read(&path).expect("a text");
        println!("{}", path.display());
        body(&text);
        body(&text[..text.len() / 2]);
        count += 1;
    }
    assert!(count >= 10, "{}: {count} texts", folder.display());
}

#[test]
fn snapshots_in_the_document_form() {
    run("document");
}

#[test]
fn snapshots_in_the_native_form() {
    run("native");
}

#[test]
fn events_of_a_transcript() {
    run("events");
}

#[test]
fn json_texts() {
    run("json");
}

#[test]
fn files_of_sessions() {
    run("session_log");
}

#[test]
fn every_function_has_a_target_and_a_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (name, _) in fuzz_bodies::BODIES {
        assert!(
            root.join("targets")
                .join(name)
                .with_extension("rs")
                .is_file()
        );
    }
    let folders = fs::read_dir(root.join("corpus")).expect("the folders");
    assert_eq!(folders.count(), fuzz_bodies::BODIES.len());
}

/// So many of the smallest pieces that memory per byte is at its most, where short texts hide it.
#[test]
fn many_small_pieces_take_no_more_than_a_multiple_of_their_text() {
    let many = |piece: &dyn Fn(usize) -> String| -> String {
        (0..2_000).map(piece).collect::<Vec<_>>().join(",")
    };
    let records = many(&|_| r#"{"id":1,"type":"","payload":0}"#.to_owned());
    let lookups = many(&|index| format!("\"{index}\":1"));
    let lists = many(&|_| r#"{"Loading":[1,""]}"#.to_owned());
    let steps = many(&|_| r#"["","pending"]"#.to_owned());
    let lines: String = (0..2_000)
        .map(|seq| format!("{{\"seq\":{seq}}}\n"))
        .collect();
    let deltas = many(&|_| r#"{"delta":"","received_at":"2026-01-02T03:04:05Z"}"#.to_owned());
    let stream = format!(
        r#"{{"type":"assistant_stream","payload":{{"stream_id":"","preview_markdown":"","deltas":[{deltas}],"citations":[],"in_progress":true,"last_updated_at":"2026-01-02T03:04:05Z"}}}}"#
    );
    let header = r#"{"type":"session","version":0,"id":"s","createdAt":5}"#;
    let texts = [
        format!(r#"{{"records":[{records}],"next_id":1}}"#),
        format!(r#"{{"records":[],"next_id":1,"exec_call_lookup":{{{lookups}}}}}"#),
        format!(r#"{{"records":[{lists}],"next_id":1}}"#),
        format!(r#"{{"records":[{{"PlanUpdate":[1,"","Rocket",[0,0],[{steps}]]}}],"next_id":1}}"#),
        format!("[{}]", many(&|_| "0".to_owned())),
        format!("{{{}}}", many(&|index| format!("\"{index}\":0"))),
        format!("{header}\n{lines}"),
        format!("+{stream}\n>{{\"stream_id\":\"\",\"preview_markdown\":\"\"}}"),
    ];
    for (name, body) in fuzz_bodies::BODIES {
        println!("{name}");
        texts.iter().for_each(|text| body(text.as_bytes()));
    }
}
