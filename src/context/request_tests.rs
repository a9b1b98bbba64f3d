//! What the bodies of all APIs share; the rows of their tables are in `bodies/tests.rs`.

use super::super::legality::Rules;
use super::super::{UnknownBlocks, read_messages};
use super::*;

pub(in crate::context) const OPTIONS: &str = r#"{"model":"m"}"#;

pub(in crate::context) fn request(
    provider: Provider,
    list: &str,
    options: &str,
    rules: Rules<'_>,
) -> Result<Request, ContextError> {
    crate::json::check(list.as_bytes()).unwrap();
    let asked = Asked {
        options: options.as_bytes(),
        header: None,
    };
    let mut context = ContextOptions {
        rules,
        ..ContextOptions::default()
    };
    build_request(
        provider,
        read_messages(list.as_bytes()).unwrap(),
        &asked,
        &mut context,
    )
}

/// The whole body.
pub(in crate::context) fn body(provider: Provider, list: &str, options: &str) -> String {
    let rules = Rules {
        unknown: UnknownBlocks::Keep,
        ..Rules::default()
    };
    let body = request(provider, list, options, rules).unwrap().body;
    crate::json::check_grammar(&body).unwrap();
    String::from_utf8(body).unwrap()
}

/// What stands between the brackets of the body's message list.
pub(in crate::context) fn list(provider: Provider, list: &str) -> String {
    let body = body(provider, list, OPTIONS);
    let name = provider.law().messages;
    let open = if name.is_empty() {
        "[".to_owned()
    } else {
        format!("\"{name}\":[")
    };
    let from = body.find(&open).unwrap() + open.len();
    body[from..]
        .trim_end_matches('}')
        .strip_suffix(']')
        .unwrap()
        .to_owned()
}

pub(in crate::context) fn rules_of(provider: Provider, list: &str) -> Vec<Rule> {
    let request = request(provider, list, OPTIONS, Rules::default()).unwrap();
    request
        .report
        .repairs
        .iter()
        .map(|repair| repair.rule)
        .collect()
}

pub(in crate::context) fn code(provider: Provider, list: &str) -> ContextCode {
    request(provider, list, OPTIONS, Rules::default())
        .unwrap_err()
        .code
}

pub(in crate::context) const ASKED: &str = r#"{"role":"user","content":"q"}"#;
/// A step of two calls with their results, and a further word of the user.
pub(in crate::context) const STEP: &str = r#"[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool-call","id":"c1","name":"f","arguments":"{\"a\":\"\u00e9\"}"},{"type":"tool-call","id":"c2","name":"g","arguments":"{}"}]},{"role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"r"}]},{"type":"tool-result","toolCallId":"c2","content":[],"isError":true},{"type":"text","text":"w"}]}]"#;

/// A message of the model `m` of a provider, with a state for each block.
pub(in crate::context) fn produced(provider: &str, blocks: &str, states: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{blocks}],"provenance":{{"provider":"{provider}","model":"m","replayState":{states}}}}}"#
    )
}

pub(in crate::context) const THOUGHT: &str =
    r#"{"type":"reasoning","text":"r"},{"type":"text","text":"t"}"#;

#[test]
fn ids_longer_than_the_api_takes_are_mapped_on_both_sides() {
    for (provider, most) in [
        (Provider::OpenAiChat, 40),
        (Provider::OpenAiResponses, 64),
        (Provider::AnthropicMessages, 64),
    ] {
        let fits = "x".repeat(most);
        let said = STEP.replace("c1", &fits);
        assert_eq!(list(provider, &said).matches(&fits).count(), 2);
        assert_eq!(rules_of(provider, &said), []);
        let long = "x".repeat(most + 1);
        let said = STEP.replace("c1", &long);
        let sent = list(provider, &said);
        assert!(!sent.contains(&long));
        let ids = sent.matches("\"call_").count() - sent.matches("\"call_id\"").count();
        assert_eq!(ids, 2, "{sent}");
        assert_eq!(rules_of(provider, &said), [Rule::CallId]);
    }
}

#[test]
fn ids_used_again_become_unique() {
    let turn = STEP.trim_matches(['[', ']']);
    let twice = format!("[{turn},{{\"role\":\"assistant\",\"content\":\"a\"}},{turn}]");
    let twice = twice.replace(
        r#""content":[],"isError":true"#,
        r#""content":[{"type":"text","text":"e"}]"#,
    );
    for provider in [
        Provider::OpenAiChat,
        Provider::OpenAiResponses,
        Provider::AnthropicMessages,
        Provider::AiSdk,
    ] {
        assert_eq!(
            rules_of(provider, &twice),
            [Rule::CallId; 2],
            "{provider:?}"
        );
        let sent = list(provider, &twice);
        assert_eq!(sent.matches("\"c1\"").count(), 2);
    }
}

#[test]
fn arguments_that_are_no_object_are_wrapped_where_objects_are_taken() {
    let said = STEP.replace(r#""arguments":"{}""#, r#""arguments":"[1""#);
    for provider in [
        Provider::AnthropicMessages,
        Provider::Gemini,
        Provider::AiSdk,
    ] {
        assert!(list(provider, &said).contains(r#"{"arguments":"[1"}"#));
        assert_eq!(rules_of(provider, &said), [Rule::Arguments]);
    }
    assert!(list(Provider::OpenAiChat, &said).contains(r#""arguments":"[1""#));
}

#[test]
fn lone_surrogates_are_replaced_in_every_body_and_reported() {
    let said = STEP
        .replace("\"q\"", r#""q\ud83d""#)
        .replace(r"\u00e9", r"\\ud83d\udc00");
    for provider in Provider::ALL {
        let request = request(
            provider,
            &said,
            r#"{"model":"m","system":"\udc00"}"#,
            Rules::default(),
        )
        .unwrap();
        let sent = String::from_utf8(request.body).unwrap();
        assert!(
            !sent.contains("\"q\\ud83d") && sent.contains("q\\ufffd"),
            "{sent}"
        );
        let halves = request
            .report
            .repairs
            .iter()
            .filter(|it| it.rule == Rule::LoneSurrogate);
        let at: Vec<usize> = halves.map(|it| it.message).collect();
        assert!(at.contains(&0), "{provider:?} {at:?} {sent}");
    }
}

#[test]
fn the_header_says_what_the_options_do_not() {
    let asked = Asked {
        options: br#"{"temperature":1}"#,
        header: Some(br#"{"config":{"provider":"p","model":"m","temperature":0,"maxTokens":5},"system":"s","tools":[{"name":"f"}]}"#),
    };
    let said = format!("[{ASKED}]");
    let messages = read_messages(said.as_bytes()).unwrap();
    let request = build_request(
        Provider::OpenAiChat,
        messages,
        &asked,
        &mut ContextOptions::default(),
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(request.body).unwrap(),
        format!(
            r#"{{"model":"m","max_completion_tokens":5,"temperature":1,"tools":[{{"type":"function","function":{{"name":"f"}}}}],"messages":[{{"role":"system","content":"s"}},{ASKED}]}}"#
        )
    );
}

#[test]
fn blocks_of_unknown_types_are_the_apis_own_or_refused() {
    let said = r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]"#;
    assert_eq!(
        list(Provider::OpenAiChat, said),
        r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}"#
    );
    assert_eq!(code(Provider::OpenAiChat, said), ContextCode::UnknownBlock);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let error = request(Provider::OpenAiChat, "[]", "{}", Rules::default()).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_deref()),
        (ContextCode::Invalid, Some("model"))
    );
    assert_eq!(
        code(Provider::AiSdk, r#"[{"role":"system","content":"s"}]"#),
        ContextCode::Empty
    );
}
