//! The JavaScript beside this module, as Rust sees it.

use js_sys::{Array, Error as JsError, JsString, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/bindings/js/errors.js")]
extern "C" {
    #[wasm_bindgen(js_name = makeError)]
    pub fn make_error(
        kind: u8,
        code: &str,
        message: &str,
        path: Option<&str>,
        cause: &JsValue,
    ) -> JsError;
    #[wasm_bindgen(js_name = makeSessionError)]
    pub fn make_session_error(
        code: &str,
        message: &str,
        names: &Array,
        values: &[f64],
        missing: &[f64],
    ) -> JsError;
    #[wasm_bindgen(js_name = makeTranscriptError)]
    pub fn make_transcript_error(
        code: &str,
        message: &str,
        path: Option<&str>,
        names: &Array,
        values: &[f64],
    ) -> JsError;
    #[wasm_bindgen(js_name = makeContextError)]
    pub fn make_context_error(code: &str, message: &str, path: Option<&str>) -> JsError;
}

#[wasm_bindgen(module = "/src/bindings/js/snapshot.js")]
extern "C" {
    /// Throws what is to become a validation error, or what a getter threw.
    #[wasm_bindgen(catch)]
    pub fn snapshot(value: &JsValue, omit_undefined: bool) -> Result<JsValue, JsValue>;
}

#[wasm_bindgen(module = "/src/bindings/js/text.js")]
extern "C" {
    #[wasm_bindgen(js_name = textOf)]
    pub fn text_of(frozen: &JsValue) -> String;
    #[wasm_bindgen(js_name = frozenOf)]
    pub fn frozen_of(text: &[u8]) -> JsValue;
    #[wasm_bindgen(js_name = valueOf)]
    pub fn value_of(text: &[u8]) -> JsValue;
    #[wasm_bindgen(js_name = isWellFormed)]
    pub fn is_well_formed(text: &JsString) -> bool;
    #[wasm_bindgen(js_name = randomBytes)]
    pub fn random_bytes(count: u32) -> Uint8Array;
}

#[wasm_bindgen(module = "/src/bindings/js/shapes.js")]
extern "C" {
    #[wasm_bindgen(js_name = turnOf)]
    pub fn turn_of(input: &JsValue, output: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = injectionOf)]
    pub fn injection_of(input: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = outputOf)]
    pub fn output_of(entry: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = chartResponse)]
    pub fn chart_response(output: &JsValue, replayed: bool, conflict: bool) -> JsValue;
    #[wasm_bindgen(js_name = injectionResult)]
    pub fn injection_result(inserted: bool, conflict: bool) -> JsValue;
    #[wasm_bindgen(js_name = plannerContext)]
    pub fn planner_context(
        messages: &JsValue,
        signal: &JsValue,
        session: &str,
        over_budget: bool,
    ) -> JsValue;
    #[wasm_bindgen(js_name = okResult)]
    pub fn ok_result(value: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = errResult)]
    pub fn err_result(error: &JsValue) -> JsValue;
    /// Calls `withLock` and gives `[entered, leave]`; see there.
    #[wasm_bindgen(catch)]
    pub fn hold(store: &JsValue, session: &str) -> Result<js_sys::Array, JsValue>;
}
