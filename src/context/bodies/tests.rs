//! One test a row of the providers' tables.

use super::super::error::ContextCode;
use super::super::provider::Provider;
use super::super::repair::Rule;
use super::super::request::tests::{
    ASKED, OPTIONS, STEP, THOUGHT, body, code, list, produced, rules_of,
};

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
fn responses_pair_items_by_call_id() {
    assert_eq!(
        list(Provider::OpenAiResponses, STEP),
        concat!(
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]},"#,
            r#"{"type":"message","role":"assistant","content":"t"},"#,
            r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":\"\u00e9\"}"},"#,
            r#"{"type":"function_call","call_id":"c2","name":"g","arguments":"{}"},"#,
            r#"{"type":"function_call_output","call_id":"c1","output":"r"},"#,
            r#"{"type":"function_call_output","call_id":"c2","output":""},"#,
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"w"}]}"#
        )
    );
}

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
            r#"{item},{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"t","annotations":[]}}],"id":"msg_1","status":"completed"}}"#
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
fn responses_have_an_output_message_whole_or_a_text_alone() {
    let sent = |state: &str| {
        let said = produced(
            "openai",
            r#"{"type":"text","text":"t"}"#,
            &format!("[{state}]"),
        );
        let all = list(Provider::OpenAiResponses, &format!("[{ASKED},{said}]"));
        all.split_once("},").unwrap().1.to_owned()
    };
    assert_eq!(
        sent(r#"{"status":"completed","phase":"commentary"}"#),
        r#"{"type":"message","role":"assistant","content":"t","phase":"commentary"}"#
    );
    assert_eq!(
        sent(r#"{"id":"msg_1","status":"incomplete","phase":"commentary"}"#),
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t","annotations":[]}],"id":"msg_1","status":"incomplete","phase":"commentary"}"#
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
fn the_ai_sdk_gets_ids_that_every_api_behind_it_takes() {
    let long = "x".repeat(41);
    for id in [long.as_str(), "call|fc", "a.b", "ü"] {
        let sent = body(Provider::AiSdk, &STEP.replace("c1", id), "{}");
        assert!(!sent.contains(id), "{sent}");
        assert_eq!(sent.matches(r#""toolCallId":"call_"#).count(), 2, "{sent}");
    }
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
