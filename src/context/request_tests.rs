//! One test a row of the providers' tables, and what they share.

use super::super::legality::Rules;
use super::super::{UnknownBlocks, read_messages};
use super::*;

const OPTIONS: &str = r#"{"model":"m"}"#;

fn request<'a>(
    provider: Provider,
    list: &'a str,
    options: &str,
    rules: Rules<'_>,
) -> Result<Request<'a>, ContextError> {
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
fn body(provider: Provider, list: &str, options: &str) -> String {
    let rules = Rules {
        unknown: UnknownBlocks::Keep,
        ..Rules::default()
    };
    let body = request(provider, list, options, rules).unwrap().body;
    crate::json::check_grammar(&body).unwrap();
    String::from_utf8(body).unwrap()
}

/// What stands between the brackets of the body's message list.
fn list(provider: Provider, list: &str) -> String {
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

fn rules_of(provider: Provider, list: &str) -> Vec<Rule> {
    let request = request(provider, list, OPTIONS, Rules::default()).unwrap();
    request
        .context
        .repairs
        .iter()
        .map(|repair| repair.rule)
        .collect()
}

fn code(provider: Provider, list: &str) -> ContextCode {
    request(provider, list, OPTIONS, Rules::default())
        .unwrap_err()
        .code
}

const ASKED: &str = r#"{"role":"user","content":"q"}"#;
/// A step of two calls with their results, and a further word of the user.
const STEP: &str = r#"[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool-call","id":"c1","name":"f","arguments":"{\"a\":\"\u00e9\"}"},{"type":"tool-call","id":"c2","name":"g","arguments":"{}"}]},{"role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"r"}]},{"type":"tool-result","toolCallId":"c2","content":[],"isError":true},{"type":"text","text":"w"}]}]"#;

#[test]
fn chat_has_tool_messages_directly_behind_their_calls() {
    assert_eq!(
        list(Provider::OpenAiChat, STEP),
        concat!(
            r#"{"role":"user","content":"q"},"#,
            r#"{"role":"assistant","content":"t","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"\u00e9\"}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"r"},"#,
            r#"{"role":"tool","tool_call_id":"c2","content":""},"#,
            r#"{"role":"user","content":"w"}"#
        )
    );
}

#[test]
fn chat_has_null_content_beside_calls_only() {
    let calls = STEP.replace(r#"{"type":"text","text":"t"},"#, "");
    assert!(list(Provider::OpenAiChat, &calls).contains(r#""content":null,"tool_calls""#));
    let empty = format!(r#"[{ASKED},{{"role":"assistant","content":""}}]"#);
    assert_eq!(list(Provider::OpenAiChat, &empty), ASKED);
}

#[test]
fn chat_has_the_system_text_as_its_first_message() {
    let said = format!(r#"[{ASKED},{{"role":"system","content":"s"}}]"#);
    assert_eq!(
        body(Provider::OpenAiChat, &said, r#"{"model":"m","system":"o"}"#),
        format!(r#"{{"model":"m","messages":[{{"role":"system","content":"o\n\ns"}},{ASKED}]}}"#)
    );
}

#[test]
fn chat_keeps_texts_apart_as_parts() {
    let said = format!("[{ASKED},{ASKED}]");
    assert_eq!(
        list(Provider::OpenAiChat, &said),
        r#"{"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":"q"}]}"#
    );
}

#[test]
fn chat_has_its_names_of_scalars_and_wraps_tools() {
    let options = r#"{"model":"m","maxTokens":9,"temperature":0.50,"topP":1,"topK":4,"stop":"x","tools":[{"name":"f","description":"d","parameters":{"type":"object"}}]}"#;
    assert_eq!(
        body(Provider::OpenAiChat, &format!("[{ASKED}]"), options),
        format!(
            r#"{{"model":"m","max_completion_tokens":9,"temperature":0.50,"top_p":1,"stop":["x"],"tools":[{{"type":"function","function":{{"name":"f","description":"d","parameters":{{"type":"object"}}}}}}],"messages":[{ASKED}]}}"#
        )
    );
}

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
fn responses_pair_items_by_call_id() {
    assert_eq!(
        list(Provider::OpenAiResponses, STEP),
        concat!(
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]},"#,
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t"}]},"#,
            r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":\"\u00e9\"}"},"#,
            r#"{"type":"function_call","call_id":"c2","name":"g","arguments":"{}"},"#,
            r#"{"type":"function_call_output","call_id":"c1","output":"r"},"#,
            r#"{"type":"function_call_output","call_id":"c2","output":""},"#,
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"w"}]}"#
        )
    );
}

/// A message of the model `m` of a provider, with a state for each block.
fn produced(provider: &str, blocks: &str, states: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{blocks}],"provenance":{{"provider":"{provider}","model":"m","replayState":{states}}}}}"#
    )
}

const THOUGHT: &str = r#"{"type":"reasoning","text":"r"},{"type":"text","text":"t"}"#;

#[test]
fn responses_keep_reasoning_before_what_followed_it_and_all_its_fields() {
    let item = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e\/","x":1.0}"#;
    let said = produced(
        "openai",
        THOUGHT,
        &format!(r#"[{item},{{"id":"msg_1","other":1}}]"#),
    );
    assert_eq!(
        list(Provider::OpenAiResponses, &format!("[{ASKED},{said}]"))
            .split_once("},")
            .unwrap()
            .1,
        format!(
            r#"{item},{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"t"}}],"id":"msg_1"}}"#
        )
    );
    let alone = produced(
        "openai",
        r#"{"type":"reasoning","text":"r"}"#,
        &format!("[{item}]"),
    );
    assert_eq!(
        rules_of(Provider::OpenAiResponses, &format!("[{ASKED},{alone}]")),
        [Rule::Reasoning]
    );
}

#[test]
fn responses_have_item_ids_once() {
    let item = r#"{"type":"reasoning","id":"rs_1"}"#;
    let said = produced("openai", THOUGHT, &format!(r#"[{item},{{"id":"msg_1"}}]"#));
    let sent = list(
        Provider::OpenAiResponses,
        &format!("[{ASKED},{said},{ASKED},{said}]"),
    );
    assert_eq!(
        (sent.matches("rs_1").count(), sent.matches("msg_1").count()),
        (1, 1)
    );
}

#[test]
fn responses_have_instructions_and_tools_that_are_not_strict() {
    let options = r#"{"model":"m","system":"s","maxTokens":9,"stop":["x"],"tools":[{"name":"f","parameters":{}}]}"#;
    let sent = body(Provider::OpenAiResponses, &format!("[{ASKED}]"), options);
    assert!(sent.starts_with(
        r#"{"model":"m","max_output_tokens":9,"tools":[{"type":"function","name":"f","parameters":{},"strict":false}],"instructions":"s","input":["#
    ), "{sent}");
}

#[test]
fn anthropic_answers_calls_in_the_next_user_message_results_first() {
    assert_eq!(
        list(Provider::AnthropicMessages, STEP),
        concat!(
            r#"{"role":"user","content":[{"type":"text","text":"q"}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool_use","id":"c1","name":"f","input":{"a":"é"}},{"type":"tool_use","id":"c2","name":"g","input":{}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"},{"type":"tool_result","tool_use_id":"c2","is_error":true},{"type":"text","text":"w"}]}"#
        )
    );
}

#[test]
fn anthropic_has_system_tools_and_limits_of_its_own() {
    let options = r#"{"model":"m","system":"o","topK":4,"stop":["x"],"tools":[{"name":"f","description":"d","parameters":{"a":1}}],"extra":{"stream":true,"max_tokens":7,"messages":[]}}"#;
    let said = format!(r#"[{{"role":"system","content":"s"}},{ASKED}]"#);
    let sent = body(Provider::AnthropicMessages, &said, options);
    assert!(sent.starts_with(
        r#"{"model":"m","top_k":4,"stop_sequences":["x"],"tools":[{"name":"f","description":"d","input_schema":{"a":1}}],"system":[{"type":"text","text":"o"},{"type":"text","text":"s"}],"stream":true,"max_tokens":7,"messages":[{"role":"user","#
    ), "{sent}");
    let plain = body(Provider::AnthropicMessages, &said, OPTIONS);
    assert!(plain.contains(r#""max_tokens":4096"#) && plain.contains(r#""system":"s""#));
}

#[test]
fn anthropic_refuses_to_begin_with_the_assistant() {
    let said = format!(r#"[{{"role":"assistant","content":"a"}},{ASKED}]"#);
    assert_eq!(
        code(Provider::AnthropicMessages, &said),
        ContextCode::BeginsWithAssistant
    );
    assert_eq!(
        code(Provider::Gemini, &said),
        ContextCode::BeginsWithAssistant
    );
    for provider in [
        Provider::OpenAiChat,
        Provider::OpenAiResponses,
        Provider::AiSdk,
    ] {
        assert_eq!(rules_of(provider, &said), []);
    }
}

#[test]
fn anthropic_has_no_white_space_at_the_end_of_a_last_assistant() {
    let said = format!(r#"[{ASKED},{{"role":"assistant","content":"a \n"}}]"#);
    assert!(list(Provider::AnthropicMessages, &said).ends_with(r#"[{"type":"text","text":"a"}]}"#));
    assert_eq!(
        rules_of(Provider::AnthropicMessages, &said),
        [Rule::TrailingSpace]
    );
    assert!(list(Provider::OpenAiChat, &said).ends_with(r#""a \n"}"#));
}

#[test]
fn anthropic_gets_thinking_back_verbatim_from_the_same_model_only() {
    let thinking = r#"{"type":"thinking","thinking":"r","signature":"s=="}"#;
    let said = produced("anthropic", THOUGHT, &format!("[{thinking}]"));
    let said = format!("[{ASKED},{said},{ASKED}]");
    let sent = list(Provider::AnthropicMessages, &said);
    assert!(
        sent.contains(&format!(r#"[{thinking},{{"type":"text","text":"t"}}]"#)),
        "{sent}"
    );
    for other in [
        said.replace(r#""model":"m""#, r#""model":"n""#),
        said.replace("anthropic", "openai"),
        said.replace(r#""type":"thinking""#, r#""type":"reasoning""#),
        said.replace("replayState", "x"),
    ] {
        assert_eq!(
            rules_of(Provider::AnthropicMessages, &other),
            [Rule::Reasoning]
        );
    }
    let named = r#"{"model":"m","provider":"proxy"}"#;
    assert!(!body(Provider::AnthropicMessages, &said, named).contains("thinking"));
    let through = said.replace(r#""anthropic""#, r#""proxy""#);
    assert!(body(Provider::AnthropicMessages, &through, named).contains(thinking));
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
fn gemini_has_as_many_responses_as_calls_by_name() {
    assert_eq!(
        list(Provider::Gemini, STEP),
        concat!(
            r#"{"role":"user","parts":[{"text":"q"}]},"#,
            r#"{"role":"model","parts":[{"text":"t"},{"functionCall":{"name":"f","args":{"a":"é"}}},{"functionCall":{"name":"g","args":{}}}]},"#,
            r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"r"}}},{"functionResponse":{"name":"g","response":{"error":""}}},{"text":"w"}]}"#
        )
    );
}

#[test]
fn gemini_has_its_own_places_for_system_tools_and_scalars() {
    let options = r#"{"system":"s","maxTokens":9,"stop":["x"],"tools":[{"name":"f","parameters":{"a":1}},{"name":"g","description":"d"}]}"#;
    let sent = body(Provider::Gemini, &format!("[{ASKED}]"), options);
    assert!(sent.starts_with(
        r#"{"generationConfig":{"maxOutputTokens":9,"stopSequences":["x"]},"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"a":1}},{"name":"g","description":"d"}]}],"systemInstruction":{"parts":[{"text":"s"}]},"contents":["#
    ), "{sent}");
    assert!(body(Provider::Gemini, &format!("[{ASKED}]"), "{}").starts_with(r#"{"contents":["#));
}

#[test]
fn gemini_ends_on_the_user() {
    let said = format!(r#"[{ASKED},{{"role":"assistant","content":"a"}}]"#);
    assert_eq!(code(Provider::Gemini, &said), ContextCode::EndsOnAssistant);
    for provider in Provider::ALL
        .into_iter()
        .filter(|it| *it != Provider::Gemini)
    {
        assert_eq!(rules_of(provider, &said), []);
    }
}

#[test]
fn gemini_gets_the_signature_of_a_thought_back_on_its_part() {
    let blocks = r#"{"type":"reasoning","text":"r"},{"type":"tool-call","id":"1","name":"f","arguments":"{}"}"#;
    let states = r#"[{"text":"r","thought":true},{"thoughtSignature":"s","x":1}]"#;
    let said = produced("google.generative-ai", blocks, states);
    let sent = list(Provider::Gemini, &format!("[{ASKED},{said}]"));
    assert!(sent.contains(
        r#"[{"text":"r","thought":true},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"}]"#
    ), "{sent}");
}

#[test]
fn the_ai_sdk_gets_model_messages() {
    let said = STEP.replacen('[', r#"[{"role":"system","content":"s"},"#, 1);
    assert_eq!(
        body(Provider::AiSdk, &said, "{}"),
        concat!(
            r#"[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"q"}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{"a":"é"}},{"type":"tool-call","toolCallId":"c2","toolName":"g","input":{}}]},"#,
            r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"text","value":"r"}},{"type":"tool-result","toolCallId":"c2","toolName":"g","output":{"type":"error-text","value":""}}]},"#,
            r#"{"role":"user","content":[{"type":"text","text":"w"}]}]"#
        )
    );
}

#[test]
fn the_ai_sdk_gets_reasoning_with_its_options() {
    let said = produced("p", THOUGHT, r#"[{"providerOptions":{"p":{"s":1}}}]"#);
    let sent = body(Provider::AiSdk, &format!("[{ASKED},{said}]"), OPTIONS);
    assert!(
        sent.contains(r#"{"type":"reasoning","text":"r","providerOptions":{"p":{"s":1}}}"#),
        "{sent}"
    );
}

#[test]
fn chat_gets_reasoning_back_beside_the_content() {
    let said = produced("deepseek", THOUGHT, r#"[{"reasoning_content":"r","x":1}]"#);
    let said = format!("[{ASKED},{said}]");
    let sent = body(
        Provider::OpenAiChat,
        &said,
        r#"{"model":"m","provider":"deepseek"}"#,
    );
    assert!(
        sent.contains(r#"{"role":"assistant","content":"t","reasoning_content":"r"}"#),
        "{sent}"
    );
    assert!(!list(Provider::OpenAiChat, &said).contains("reasoning"));
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
            .context
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
