//! What the targets call, which is what `tests/fuzz_corpus.rs` calls.

#[path = "../../tests/fuzz_bodies/mod.rs"]
pub mod bodies;
