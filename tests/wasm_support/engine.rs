//! `RawEngine` through promises, with a planner that is JavaScript.

use super::{field, refusal, request, text, value};
use js_sys::{Function, Object};
use std::cell::Cell;
use std::rc::Rc;
use turnlog::bindings::{RawBounds, RawEngine, RawStore};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

/// A planner that answers with `reply`, and how often it was asked.
fn planner(reply: &'static str) -> (Function, Rc<Cell<u32>>) {
    let asked = Rc::new(Cell::new(0));
    let counter = Rc::clone(&asked);
    let plan = Closure::<dyn Fn(JsValue, JsValue) -> JsValue>::new(move |_, _| {
        counter.set(counter.get() + 1);
        value(reply)
    });
    (plan.into_js_value().unchecked_into(), asked)
}

fn unbounded() -> RawBounds {
    RawBounds::new(None, None, false).unwrap()
}

/// The value of a result that is ok; its error otherwise.
async fn settled(promise: js_sys::Promise) -> Result<JsValue, JsValue> {
    let result = JsFuture::from(promise).await.unwrap();
    match field(&result, "ok").as_bool() {
        Some(true) => Ok(field(&result, "value")),
        _ => Err(field(&result, "error")),
    }
}

#[wasm_bindgen_test]
async fn a_request_is_planned_once_and_replayed_after() {
    let (plan, asked) = planner(r#"{"userMessage":"hello"}"#);
    let store = RawStore::new();
    let engine = RawEngine::own(plan, &store, unbounded(), None, None);
    let message = value(&request("s", "a"));
    for (replayed, times) in [(false, 1), (true, 1)] {
        let response = settled(engine.handle(message.clone(), None)).await.unwrap();
        assert_eq!(field(&response, "replayed").as_bool(), Some(replayed));
        assert_eq!(
            text(&field(&response, "output")),
            r#"{"userMessage":"hello"}"#
        );
        assert_eq!(asked.get(), times);
    }
    let context = settled(engine.get_llm_context("s".into())).await.unwrap();
    let bytes = settled(engine.get_llm_context_bytes("s".into()))
        .await
        .unwrap();
    let bytes = bytes.unchecked_into::<js_sys::Uint8Array>().to_vec();
    assert_eq!(
        text(&value(core::str::from_utf8(&bytes).unwrap())),
        text(&context)
    );
    let history = settled(engine.get_history("s".into())).await.unwrap();
    assert_eq!(history.unchecked_into::<js_sys::Array>().length(), 1);
    assert!(store.has(&"s".into(), &"a".into()).unwrap());
}

#[wasm_bindgen_test]
async fn a_hundred_requests_at_once_all_get_their_answer() {
    let (plan, asked) = planner(r#"{"userMessage":"hello"}"#);
    let store = RawStore::new();
    let bounds = RawBounds::new(Some(10.0), None, false).unwrap();
    let engine = RawEngine::own(plan, &store, bounds, None, None);
    let under_way: Vec<_> = (0..100)
        .map(|number| engine.handle(value(&request("s", &number.to_string())), None))
        .collect();
    for promise in under_way {
        settled(promise).await.unwrap();
    }
    assert_eq!(asked.get(), 100);
    assert_eq!(store.newest(&"s".into(), usize::MAX).unwrap().length(), 10);
}

#[wasm_bindgen_test]
async fn what_is_no_message_or_no_session_is_a_result_with_an_error() {
    let (plan, asked) = planner(r#"{"userMessage":"hello"}"#);
    let engine = RawEngine::own(plan, &RawStore::new(), unbounded(), None, None);
    // The package hands over snapshots, which `undefined` has none of.
    for bad in [JsValue::NULL, 7.into(), Object::new().into()] {
        assert_eq!(
            refusal(settled(engine.handle(bad.clone(), None)).await).0,
            "invalid"
        );
        assert_eq!(
            refusal(settled(engine.get_history(bad)).await).1.as_deref(),
            Some("sessionId")
        );
    }
    assert_eq!(asked.get(), 0);
}

#[wasm_bindgen_test]
async fn a_planner_that_gives_no_output_stores_nothing() {
    let (plan, _) = planner("null");
    let store = RawStore::new();
    let engine = RawEngine::own(plan, &store, unbounded(), None, None);
    let error = settled(engine.handle(value(&request("s", "a")), None)).await;
    assert_eq!(refusal(error).0, "invalid");
    assert_eq!(store.newest(&"s".into(), usize::MAX).unwrap().length(), 0);
}

#[wasm_bindgen_test]
async fn what_a_planner_threw_is_the_cause_of_the_error() {
    let throwing = Function::new_no_args("throw new RangeError('its own')");
    let engine = RawEngine::alone(throwing);
    let error = settled(engine.handle(value(&request("s", "a")), None))
        .await
        .unwrap_err();
    assert_eq!(
        field(&error, "code").as_string().as_deref(),
        Some("planner_failed")
    );
    assert_eq!(
        field(&error, "name").as_string().as_deref(),
        Some("PlannerError")
    );
    assert_eq!(
        field(&field(&error, "cause"), "message")
            .as_string()
            .as_deref(),
        Some("its own")
    );
}

#[wasm_bindgen_test]
fn bounds_and_foreign_stores_are_checked_when_the_engine_is_made() {
    for bad in [0.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
        assert_eq!(
            refusal(RawBounds::new(Some(bad), None, false)).1.as_deref(),
            Some("history.maxEntries")
        );
        assert_eq!(
            refusal(RawBounds::new(None, Some(bad), true)).1.as_deref(),
            Some("history.maxChars")
        );
    }
    let (plan, _) = planner("{}");
    let made = RawEngine::foreign(plan, Object::new().into(), unbounded(), None, None);
    assert_eq!(refusal(made).1.as_deref(), Some("history.store"));
}
