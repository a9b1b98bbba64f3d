//! The exported functions, called with what JavaScript may hand over.

use super::{field, refusal, request, text, turn, value};
use js_sys::{Array, Object};
use turnlog::bindings::{
    check_json, check_message_id, check_session_id, default_llm_context, derive_user_intent,
    fresh_message_id, from_session_history_entry, same_json, to_session_history_entry, version,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn the_version_is_the_packages() {
    assert_eq!(version(), env!("CARGO_PKG_VERSION"));
}

#[wasm_bindgen_test]
fn ids_are_given_back_as_they_are_or_refused_with_their_path() {
    for id in ["a", "😀", "\u{fffd}", "\0", &"x".repeat(512)] {
        assert_eq!(check_session_id(&id.into()).unwrap(), JsValue::from(id));
        assert_eq!(check_message_id(&id.into()).unwrap(), JsValue::from(id));
    }
    let long = "x".repeat(513);
    let bad = [
        JsValue::UNDEFINED,
        JsValue::NULL,
        7.into(),
        Object::new().into(),
        "".into(),
        long.into(),
        // 256 characters outside the basic plane are 512 code units; one more is too many.
        "😀".repeat(257).into(),
        value(r#""\ud83d""#),
        value(r#""x\ude00\ufffd""#),
    ];
    for id in bad {
        assert_eq!(
            refusal(check_session_id(&id)),
            ("invalid".into(), Some("sessionId".into()))
        );
        assert_eq!(
            refusal(check_message_id(&id)),
            ("invalid".into(), Some("id".into()))
        );
    }
}

#[wasm_bindgen_test]
fn fresh_ids_differ_and_carry_their_time() {
    let ids: Vec<_> = (0..1_000)
        .map(|_| fresh_message_id(1_700_000_000_000.0))
        .collect();
    let mut sorted = ids.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), ids.len());
    for id in ids {
        assert_eq!(&id[..13], "018bcfe5-6800", "{id}");
        assert_eq!((id.len(), &id[14..15]), (36, "7"), "{id}");
    }
}

#[wasm_bindgen_test]
fn a_request_says_what_the_user_asked() {
    let message = value(&request("s", "a"));
    assert_eq!(
        derive_user_intent(&message).unwrap(),
        JsValue::from("asked in a")
    );
    let silent = value(&request("s", "a").replace("user_intent", "resize"));
    assert_eq!(derive_user_intent(&silent).unwrap(), JsValue::from(""));
    let half = request("s", "a").replace("asked in a", r"\ud83d");
    assert_eq!(
        text(&derive_user_intent(&value(&half)).unwrap()),
        r#""\ud83d""#
    );
    let bad = request("s", "a")
        .replace("[{", "{\"x\":{")
        .replace("}]", "}}");
    assert_eq!(
        refusal(derive_user_intent(&value(&bad))).1.as_deref(),
        Some("reasons")
    );
}

#[wasm_bindgen_test]
fn entries_are_projected_to_messages_and_to_the_wire_and_back() {
    let entry = value(&turn("s", "a", "an answer"));
    let messages: Array = default_llm_context(&entry).unwrap().unchecked_into();
    assert_eq!(
        text(&messages),
        r#"[{"role":"user","content":"asked in a"},{"role":"assistant","content":"an answer"}]"#
    );
    assert!(
        !Object::is_frozen(&messages),
        "the list is the caller's own"
    );
    let wire = to_session_history_entry(&entry).unwrap();
    for (name, expected) in [
        ("kind", "turn"),
        ("userIntent", "asked in a"),
        ("assistantMessage", "an answer"),
    ] {
        assert_eq!(field(&wire, name).as_string().as_deref(), Some(expected));
    }
    let back = from_session_history_entry(&wire).unwrap();
    assert_eq!(text(&to_session_history_entry(&back).unwrap()), text(&wire));
    assert!(Object::is_frozen(back.unchecked_ref::<Object>()));
    assert_eq!(
        refusal(from_session_history_entry(&value(r#"{"kind":"turn"}"#))).0,
        "invalid"
    );
    assert_eq!(
        refusal(default_llm_context(&value(r#"{"kind":"other"}"#))).0,
        "invalid"
    );
}

#[wasm_bindgen_test]
fn bytes_are_told_to_be_json_or_why_not() {
    assert_eq!(check_json(br#"{"a":[1,"\ud83d"]}"#), None);
    for (bytes, code) in [
        (&b"{"[..], "unexpected_end"),
        (b"[1]]", "trailing_data"),
        (b"-0", "negative_zero"),
        (b"1e400", "number_out_of_range"),
        (b"\"\xC3\"", "invalid_utf8"),
        (b"\"\\x\"", "invalid_escape"),
    ] {
        assert_eq!(check_json(bytes).as_deref(), Some(code));
    }
    assert!(same_json(
        br#"{"a":1,"b":"A"}"#,
        br#"{ "b":"\u0041", "a":1.0 }"#
    ));
    assert!(!same_json(b"[1]", b"[2]"));
    assert!(!same_json(b"[1", b"[1"), "what is not JSON is no value");
}
