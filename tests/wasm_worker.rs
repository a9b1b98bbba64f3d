//! What only exists on wasm32, in a dedicated worker.
#![cfg(target_arch = "wasm32")]

mod wasm_support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
