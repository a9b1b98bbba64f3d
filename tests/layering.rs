//! The core knows no JavaScript: only `bindings` names the crates that reach it. That is what lets everything else run, and be tested, natively.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that only exist where there is a JavaScript engine.
const JAVASCRIPT_CRATES: [&str; 7] = [
    "js_sys",
    "web_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "serde_wasm_bindgen",
    "gloo_storage",
    "gloo",
];

/// Modules that may name them, as paths below `src` without `.rs`.
const BROWSER_MODULES: [&str; 1] = ["bindings"];

/// Modules that must be there, so that a moved folder does not leave this test with nothing to look at.
const CORE_MODULES: [&str; 7] = [
    "json",
    "protocol",
    "history",
    "session",
    "transcript",
    "context",
    "store",
];

fn is_browser_module(path_below_src: &Path) -> bool {
    let module = path_below_src.with_extension("");
    BROWSER_MODULES
        .iter()
        .any(|allowed| module.starts_with(allowed))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// `source` by lines without `//` comments. A `//` inside a string cuts that line short; the names looked
/// for stand in `use` lines and paths, so that hides nothing.
fn code_lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    source
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
}

/// Each use of one of `JAVASCRIPT_CRATES` as a whole identifier: its line number and the name.
fn javascript_names(source: &str) -> Vec<(usize, &str)> {
    code_lines(source)
        .flat_map(|(number, line)| {
            line.split(|c: char| !c.is_alphanumeric() && c != '_')
                .map(move |word| (number, word))
        })
        .filter(|(_, word)| JAVASCRIPT_CRATES.contains(word))
        .collect()
}

#[test]
fn only_bindings_name_javascript_crates() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);

    let mut offences = Vec::new();
    let mut looked_at = Vec::new();
    for file in &files {
        let below_src = file.strip_prefix(&src).expect("a file below src");
        if is_browser_module(below_src) {
            continue;
        }
        let source = fs::read_to_string(file).expect("a readable file");
        for (line, name) in javascript_names(&source) {
            offences.push(format!("src/{}:{line} names {name}", below_src.display()));
        }
        looked_at.push(below_src.to_path_buf());
    }

    assert!(offences.is_empty(), "{}", offences.join("\n"));
    for module in CORE_MODULES {
        assert!(
            looked_at.iter().any(|file| file.starts_with(module)),
            "no file of src/{module} was looked at"
        );
    }
}

#[test]
fn the_search_finds_names_in_code_and_not_in_comments_or_longer_words() {
    let source = "//! wasm_bindgen\nuse web_sys::Window; // js_sys\n#[wasm_bindgen]\nlet my_js_sys_like = 1;\nfn f(a: js_sys::Array) {}\n";
    assert_eq!(
        javascript_names(source),
        [(2, "web_sys"), (3, "wasm_bindgen"), (5, "js_sys")]
    );
    assert!(is_browser_module(Path::new("bindings/engine.rs")));
    assert!(!is_browser_module(Path::new("store/log.rs")));
    assert!(!is_browser_module(Path::new("history/engine.rs")));
}
