//! Random logs through the whole of the context: what comes out is legal by an independent checker, idempotent, within its
//! budget or flagged, has the newest word of the user, and is well-formed.

#![cfg(not(target_arch = "wasm32"))]

#[path = "context/checker.rs"]
mod checker;
#[path = "context/logs.rs"]
mod logs;
#[path = "context/measures.rs"]
mod measures;

use checker::*;
use logs::{limits, messages};
use measures::*;
use proptest::prelude::*;
use serde_json::Value;
use turnlog::context::{
    Asked, ContextCode, ContextOptions, MissingResult, Provider, Rules, UnknownBlocks,
    build_context, build_request, read_messages, write_messages,
};

/// JSON that may hold halves, read with a question mark in the place of each.
fn read(text: &str) -> Value {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest
        .find(r"\ud83d")
        .into_iter()
        .chain(rest.find(r"\udc00"))
        .min()
    {
        // An escaped backslash before it makes it plain text, which is left alone.
        let is_escape = rest[..at]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count()
            % 2
            == 0;
        out.push_str(&rest[..at]);
        out.push_str(if is_escape { "?" } else { &rest[at..at + 6] });
        rest = &rest[at + 6..];
    }
    serde_json::from_str(&(out + rest)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_context_is_legal_and_within_its_budget(list in messages(), limits in limits(), drops in any::<bool>()) {
        let list = format!("[{}]", list.join(","));
        let rules = Rules {
            unknown: UnknownBlocks::Drop,
            missing_result: if drops { MissingResult::DropStep } else { MissingResult::Interrupted },
            ..Rules::default()
        };
        let build = |text: &str| {
            let context = build_context(read_messages(text.as_bytes()).unwrap(), &rules, &limits, None).unwrap();
            let mut out = Vec::new();
            write_messages(&context.messages, &mut out);
            let said = (context.report.chars, context.report.over_budget, context.report.dropped.len(), context.report.repairs.len());
            (String::from_utf8(out).unwrap(), said)
        };
        let (out, (chars, over_budget, _, _)) = build(&list);
        let value = read(&out);
        prop_assert_eq!(check_list(&value), Ok(()), "{}", out);
        prop_assert_eq!(build(&out), (out.clone(), (chars, over_budget, 0, 0)));
        let (counted, messages) = cost(&value);
        prop_assert_eq!(counted, chars, "{}", out);
        let is_within = limits.max_chars.is_none_or(|max| chars <= max) && limits.max_messages.is_none_or(|max| messages <= max);
        prop_assert!(is_within || over_budget, "{}", out);
        if limits.max_tokens.is_none() {
            prop_assert_eq!(!is_within, over_budget, "{}", out);
        }
        let kept = newest_word(&value);
        let word = newest_word(&read(&list));
        prop_assert!(kept.ends_with(&word), "{:?} in {}", word, out);
    }

    #[test]
    fn bodies_are_legal(list in messages(), limits in limits(), asks in any::<bool>()) {
        let list = format!("[{}{}]", list.join(","), if asks && !list.is_empty() { r#",{"role":"user","content":"q"}"# } else { "" });
        for (provider, check) in [
            (Provider::OpenAiChat, check_chat as fn(&Value) -> Result<(), String>),
            (Provider::OpenAiResponses, check_responses),
            (Provider::AnthropicMessages, check_anthropic),
            (Provider::Gemini, check_gemini),
            (Provider::AiSdk, check_ai_sdk),
        ] {
            let mut options = ContextOptions {
                rules: Rules { unknown: UnknownBlocks::Drop, opening: Some("(begin)"), ..Rules::default() },
                limits,
                ..ContextOptions::default()
            };
            let asked = Asked { options: br#"{"model":"m","system":"s\ud83d"}"#, header: None };
            let request = build_request(provider, read_messages(list.as_bytes()).unwrap(), &asked, &mut options);
            match request {
                Ok(request) => {
                    let body: Value = serde_json::from_slice(&request.body).map_err(|error| TestCaseError::fail(format!("{error}: {}", String::from_utf8_lossy(&request.body))))?;
                    prop_assert_eq!(check(&body), Ok(()), "{:?} {} of {}", provider, body, list);
                }
                Err(error) => {
                    let is_meant = error.code == ContextCode::Empty || error.code == ContextCode::EndsOnAssistant && provider == Provider::Gemini && !asks;
                    prop_assert!(is_meant, "{:?} {:?} {}", provider, error, list);
                }
            }
        }
    }

    #[test]
    fn no_text_breaks_anything(list in ".{0,80}", options in ".{0,40}") {
        if let Ok(messages) = read_messages(list.as_bytes()) {
            let asked = Asked { options: options.as_bytes(), header: Some(options.as_bytes()) };
            for provider in Provider::ALL {
                let _ = build_request(provider, messages.clone(), &asked, &mut ContextOptions::default());
            }
        }
    }
}

#[test]
fn the_checker_refuses_what_the_tables_forbid() {
    let call = r#"{"role":"assistant","content":[{"type":"tool-call","id":"a","name":"f","arguments":"{}"}]}"#;
    let result =
        r#"{"role":"user","content":[{"type":"tool-result","toolCallId":"a","content":[]}]}"#;
    let user = r#"{"role":"user","content":"q"}"#;
    let list = |messages: &[&str]| check_list(&read(&format!("[{}]", messages.join(","))));
    assert_eq!(list(&[user, call, result]), Ok(()));
    for illegal in [
        &[user, call][..],
        &[user, result],
        &[user, call, user],
        &[user, user],
        &[user, r#"{"role":"system","content":"s"}"#],
        &[r#"{"role":"user","content":" "}"#],
        &[r#"{"role":"user","content":[]}"#],
    ] {
        assert!(list(illegal).is_err(), "{illegal:?}");
    }
    let refused = |check: fn(&Value) -> Result<(), String>, body: &str| check(&read(body)).is_err();
    let calls = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}"#;
    assert!(refused(
        check_chat,
        &format!(r#"{{"messages":[{user},{calls}]}}"#)
    ));
    assert!(refused(
        check_chat,
        r#"{"messages":[{"role":"assistant","content":null}]}"#
    ));
    assert!(refused(
        check_responses,
        r#"{"input":[{"type":"function_call","call_id":"a"}]}"#
    ));
    assert!(refused(
        check_responses,
        r#"{"input":[{"type":"reasoning","id":"r"}]}"#
    ));
    assert!(refused(
        check_anthropic,
        r#"{"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}]}]}"#
    ));
    assert!(refused(
        check_gemini,
        r#"{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"a"}]}]}"#
    ));
    assert!(refused(
        check_ai_sdk,
        r#"[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"}]}]"#
    ));
}
