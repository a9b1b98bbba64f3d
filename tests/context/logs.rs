//! Random logs, with all that goes wrong in real ones, and random budgets.

use proptest::prelude::*;
use turnlog::context::Limits;

/// What a log holds that no tool of Rust reads: half of a pair.
const HALF: &str = r"\ud83d";

pub fn text() -> impl Strategy<Value = String> {
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

pub fn messages() -> impl Strategy<Value = Vec<String>> {
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

pub fn limits() -> impl Strategy<Value = Limits> {
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
