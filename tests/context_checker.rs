//! Random logs through the whole of the context: what comes out is legal by an independent checker, idempotent, within its
//! budget or flagged, has the newest word of the user, and is well-formed.

#![cfg(not(target_arch = "wasm32"))]

#[path = "context/checker.rs"]
mod checker;
#[path = "context/measures.rs"]
mod measures;

use checker::*;
use measures::*;
use proptest::prelude::*;
use serde_json::Value;
use turnlog::context::{
    Asked, ContextCode, ContextOptions, Limits, MissingResult, Provider, Rules, UnknownBlocks,
    build_context, build_request, read_messages, write_messages,
};

/// What a log holds that no tool of Rust reads: half of a pair.
const HALF: &str = r"\ud83d";

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,12}",
        2 => prop::sample::select(vec!["", " ", r"\n\t", r"\u00a0", HALF, r"x\udc00\ud83d ", "😀", "é漢 ", "0", "null"]).prop_map(str::to_owned),
        1 => (1..400usize).prop_map(|n| "👩\u{200d}👩\u{200d}👧 e\u{301}🇩🇪".repeat(n / 4 + 1)),
    ]
}

fn id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d", "", "x|y", "x.y", HALF, "call_1"])
        .prop_map(str::to_owned)
        .boxed()
        .prop_union(Just("long".repeat(20)).boxed())
}

fn text_block() -> impl Strategy<Value = String> {
    text().prop_map(|text| format!(r#"{{"type":"text","text":"{text}"}}"#))
}

fn call(id: &str, arguments: &str) -> String {
    format!(
        r#"{{"type":"tool-call","id":"{id}","name":"f{}"{arguments}}}"#,
        id.len()
    )
}

fn call_block() -> impl Strategy<Value = String> {
    let arguments = prop::sample::select(vec![
        "",
        r#","arguments":null"#,
        r#","arguments":"""#,
        r#","arguments":"{\"a\":\"\\ud83d\"}""#,
        r#","arguments":"[1""#,
        r#","arguments":{"a":1}"#,
    ]);
    (id(), arguments).prop_map(|(id, arguments)| call(&id, arguments))
}

fn result_block() -> impl Strategy<Value = String> {
    let content = prop_oneof![
        3 => text().prop_map(|text| format!(r#"[{{"type":"text","text":"{text}"}}]"#)),
        1 => (1000..30_000usize).prop_map(|n| format!(r#"[{{"type":"text","text":"{}"}}]"#, "e\u{301}😀 ".repeat(n / 5))),
        2 => prop::sample::select(vec!["0", r#""""#, "false", "null", "[]", r#""said""#, r#"[{"type":"text","text":"p"},{"type":"text","text":" "}]"#]).prop_map(str::to_owned),
    ];
    (id(), content).prop_map(|(id, content)| {
        format!(r#"{{"type":"tool-result","toolCallId":"{id}","content":{content}}}"#)
    })
}

fn reasoning_block() -> impl Strategy<Value = String> {
    let states = prop::sample::select(vec![
        r#"{"type":"thinking","thinking":"t","signature":"own"}"#,
        r#"{"type":"reasoning","id":"rs_1","summary":[]}"#,
        r#"{"type":"reasoning","id":"rs_2","summary":[]}"#,
        r#"{"text":"t","thought":true}"#,
        r#"{"reasoning_content":"t"}"#,
    ]);
    let origins = prop::sample::select(vec![
        ("anthropic", "m"),
        ("anthropic", "n"),
        ("openai", "m"),
        ("google", "m"),
    ]);
    (states, origins).prop_map(|(state, (provider, model))| {
        // What another model signed must not be sent; the checker knows it by its signature.
        let state = if (provider, model) == ("anthropic", "m") { state.to_owned() } else { state.replace("own", "other") };
        format!(r#"{{"type":"reasoning","text":"r","provenance":{{"provider":"{provider}","model":"{model}","replayState":{state}}}}}"#)
    })
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => text_block(),
        3 => call_block(),
        3 => result_block(),
        2 => reasoning_block(),
        1 => Just(r#"{"type":"image","attachment":1}"#.to_owned()),
    ]
}

fn message(role: &str, blocks: &[String]) -> String {
    format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
}

/// A step of up to ten calls whose results come in another order, some not at all.
fn step() -> impl Strategy<Value = Vec<String>> {
    (1..=10usize, any::<u64>(), prop::option::of(reasoning_block()), text()).prop_map(|(calls, order, thought, said)| {
        let ids: Vec<String> = (0..calls).map(|n| format!("p{n}")).collect();
        let mut blocks: Vec<String> = thought.into_iter().collect();
        blocks.extend(ids.iter().map(|id| call(id, r#","arguments":"{}""#)));
        let mut answered = ids.clone();
        answered.rotate_left(order as usize % calls);
        answered.retain(|id| order >> (id.len() + id.as_bytes()[1] as usize % 8) & 3 != 0);
        let results: Vec<String> = answered
            .iter()
            .map(|id| format!(r#"{{"type":"tool-result","toolCallId":"{id}","content":[{{"type":"text","text":"{said}"}}]}}"#))
            .collect();
        vec![message("assistant", &blocks), message("user", &results)]
    })
}

fn messages() -> impl Strategy<Value = Vec<String>> {
    let role = prop::sample::select(vec![
        "user",
        "user",
        "user",
        "assistant",
        "assistant",
        "assistant",
        "system",
    ]);
    let any_message = (role.clone(), prop::collection::vec(block(), 0..5))
        .prop_map(|(role, blocks)| vec![message(role, &blocks)]);
    let plain = (role, text())
        .prop_map(|(role, text)| vec![format!(r#"{{"role":"{role}","content":"{text}"}}"#)]);
    prop::collection::vec(
        prop_oneof![3 => any_message, 3 => plain, 2 => step()],
        0..14,
    )
    .prop_map(|groups| groups.concat())
}

fn limit() -> impl Strategy<Value = Option<u64>> {
    prop::option::weighted(
        0.5,
        prop_oneof![Just(0), 1..20u64, 20..300u64, 300..20_000u64],
    )
}

fn limits() -> impl Strategy<Value = Limits> {
    (
        limit(),
        limit(),
        limit(),
        prop::sample::select(vec![0, 0, 20, 50]),
    )
        .prop_map(
            |(max_messages, max_chars, max_tokens, step_percent)| Limits {
                max_messages,
                max_chars,
                max_tokens,
                step_percent,
            },
        )
}

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
            let said = (context.chars, context.over_budget, context.dropped.len(), context.repairs.len());
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
