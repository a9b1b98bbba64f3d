//! The built-in token estimate against the counts of a real tokenizer (`fixtures/tokens/counts.json`, made by `count.mjs`
//! there), on whole texts and on their lines.

#![cfg(not(target_arch = "wasm32"))]

use std::path::Path;
use turnlog::context::estimate_tokens;

/// Lines of fewer tokens are too short for a percentage.
const SHORTEST_LINE: u64 = 20;

/// The relative error of the estimate.
fn error(text: &str, tokens: u64) -> f64 {
    (estimate_tokens(text) as f64 - tokens as f64) / tokens as f64
}

#[test]
fn the_error_keeps_to_what_the_documentation_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tokens");
    let counts = std::fs::read(folder.join("counts.json")).unwrap();
    let counts: serde_json::Value = serde_json::from_slice(&counts).unwrap();
    let mut of_lines = Vec::new();
    for (name, counts) in counts["texts"].as_object().unwrap() {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let whole = error(&text, counts["tokens"].as_u64().unwrap());
        println!("{name:14} {:+.1} %", 100.0 * whole);
        assert!(whole.abs() < 0.02, "{name}: {whole}");
        let lines = counts["lines"].as_array().unwrap();
        for (line, tokens) in text.split('\n').zip(lines) {
            let tokens = tokens.as_u64().unwrap();
            if tokens >= SHORTEST_LINE {
                of_lines.push(error(line, tokens).abs());
            }
        }
    }
    of_lines.sort_by(f64::total_cmp);
    let at = |share: f64| of_lines[(of_lines.len() as f64 * share) as usize];
    println!(
        "{} lines: median {:.3}, nine in ten {:.3}, most {:.3}",
        of_lines.len(),
        at(0.5),
        at(0.9),
        at(0.999)
    );
    assert!(at(0.5) < 0.06 && at(0.9) < 0.14 && at(0.999) < 0.37);
}
