//! One test a row of the legality table; those of calls and results are in `pairing_tests.rs`.

use super::super::model::read_messages;
use super::super::write::write_messages;
use super::*;

pub(in crate::context) fn settled(
    list: &str,
    rules: &Rules<'_>,
) -> Result<(String, Vec<Repair>), ContextError> {
    crate::json::check(list.as_bytes()).unwrap();
    let mut repairs = Vec::new();
    let mut messages = settle(read_messages(list.as_bytes()).unwrap(), rules, &mut repairs)?;
    settle_ends(&mut messages, rules, &mut repairs)?;
    let mut out = Vec::new();
    write_messages(&messages, &mut out);
    Ok((String::from_utf8(out).unwrap(), repairs))
}

/// Settles a list, checks that doing so again changes nothing, and gives the rules that were followed.
pub(in crate::context) fn becomes_under(
    rules: &Rules<'_>,
    list: &[&str],
    expected: &[&str],
) -> Vec<Rule> {
    let (out, repairs) = settled(&format!("[{}]", list.join(",")), rules).unwrap();
    assert_eq!(out, format!("[{}]", expected.join(",")));
    assert_eq!(settled(&out, rules).unwrap(), (out, Vec::new()));
    repairs.into_iter().map(|repair| repair.rule).collect()
}

pub(in crate::context) fn becomes(list: &[&str], expected: &[&str]) -> Vec<Rule> {
    becomes_under(&Rules::default(), list, expected)
}

pub(in crate::context) fn message(role: &str, blocks: &[String]) -> String {
    format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
}

pub(in crate::context) fn user(blocks: &[String]) -> String {
    message("user", blocks)
}

pub(in crate::context) fn assistant(blocks: &[String]) -> String {
    message("assistant", blocks)
}

pub(in crate::context) fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

pub(in crate::context) fn call(id: &str) -> String {
    format!(r#"{{"type":"tool-call","id":"{id}","name":"f","arguments":"{{}}"}}"#)
}

pub(in crate::context) fn result(id: &str, said: &str) -> String {
    format!(
        r#"{{"type":"tool-result","toolCallId":"{id}","content":[{}],"isError":false}}"#,
        text(said)
    )
}

pub(in crate::context) fn interrupted(id: &str) -> String {
    result(id, "interrupted").replace("false", "true")
}

pub(in crate::context) const HI: &str = r#"{"role":"user","content":"hi"}"#;

#[test]
fn a_legal_list_stays_as_it_is_written() {
    let list = [
        r#"{ "role": "system", "content": "s\u0061", "x": 1.0 }"#,
        HI,
        &assistant(&[text("a"), call("1"), call("2")]),
        &user(&[result("1", "x"), result("2", ""), text("b")]),
        r#"{"role":"assistant","content":[{"type":"reasoning","text":"r"}],"provenance":{"provider":"p","model":"m","replayState":[{"x":1}]}}"#,
    ];
    assert_eq!(becomes(&list, &list), []);
    assert_eq!(becomes(&[], &[]), []);
}

#[test]
fn blank_texts_and_what_they_leave_empty_are_dropped() {
    let rules = becomes(
        &[
            HI,
            r#"{"role":"assistant","content":" \n"}"#,
            r#"{"role":"user","content":[]}"#,
            r#"{"role":"assistant","content":null}"#,
            r#"{"role":"assistant"}"#,
            &user(&[text(r"\u00a0"), text("a"), text("")]),
            &assistant(&[text(" "), call("1")]),
            &user(&[result("1", " ")]),
        ],
        &[
            &user(&[text("hi"), text("a")]),
            &assistant(&[call("1")]),
            &user(&[result("1", " ")]),
        ],
    );
    assert_eq!(
        rules
            .iter()
            .filter(|rule| **rule == Rule::BlankText)
            .count(),
        7
    );
}

#[test]
fn arguments_are_text_and_missing_ones_an_empty_object() {
    for arguments in [
        "",
        r#","arguments":null"#,
        r#","arguments":"""#,
        r#","arguments":" ""#,
        r#","arguments":{}"#,
    ] {
        let odd = format!(r#"{{"type":"tool-call","id":"1","name":"f"{arguments}}}"#);
        let rules = becomes(
            &[HI, &assistant(&[odd]), &user(&[result("1", "x")])],
            &[HI, &assistant(&[call("1")]), &user(&[result("1", "x")])],
        );
        assert_eq!(rules, [Rule::Arguments]);
    }
}

#[test]
fn neighbours_of_one_role_are_merged() {
    let rules = becomes(
        &[
            HI,
            HI,
            &assistant(&[text("a")]),
            &assistant(&[text("b"), text("c")]),
        ],
        &[
            &user(&[text("hi"), text("hi")]),
            &assistant(&[text("a"), text("b"), text("c")]),
        ],
    );
    assert_eq!(rules, [Rule::SameRole; 2]);
}

#[test]
fn merged_messages_keep_their_provenance_apart() {
    let of = |model: &str| {
        format!(r#""provenance":{{"provider":"p","model":"{model}","replayState":{{"x":1}}}}"#)
    };
    let said = |model: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"reasoning","text":"r"}}],{}}}"#,
            of(model)
        )
    };
    let block = |model: &str| format!(r#"{{"type":"reasoning","text":"r",{}}}"#, of(model));
    becomes(
        &[HI, &said("m"), &said("n")],
        &[HI, &assistant(&[block("m"), block("n")])],
    );
}

#[test]
fn a_list_that_begins_with_the_assistant_is_opened_or_refused() {
    let list = [
        "{\"role\":\"system\",\"content\":\"s\"}",
        &assistant(&[text("a")]),
        HI,
    ];
    assert_eq!(becomes(&list, &list), []);
    let mut rules = Rules {
        starts_on_user: true,
        ..Rules::default()
    };
    let refused = settled(&format!("[{}]", list.join(",")), &rules).unwrap_err();
    assert_eq!(refused.code, ContextCode::BeginsWithAssistant);
    rules.opening = Some("(begin)");
    let followed = becomes_under(
        &rules,
        &list,
        &[list[0], &user(&[text("(begin)")]), list[1], HI],
    );
    assert_eq!(followed, [Rule::Opening]);
}

#[test]
fn a_list_that_ends_on_the_assistant_is_refused_where_the_api_refuses_it() {
    let list = [HI, &assistant(&[text("a")])];
    assert_eq!(becomes(&list, &list), []);
    let rules = Rules {
        ends_on_user: true,
        ..Rules::default()
    };
    let refused = settled(&format!("[{}]", list.join(",")), &rules).unwrap_err();
    assert_eq!(refused.code, ContextCode::EndsOnAssistant);
}

#[test]
fn system_texts_come_first() {
    let system = |text: &str| format!(r#"{{"role":"system","content":"{text}"}}"#);
    let rules = becomes(
        &[HI, &system("a"), HI, &system("b")],
        &[
            &message("system", &[text("a"), text("b")]),
            &user(&[text("hi"), text("hi")]),
        ],
    );
    assert_eq!(
        rules,
        [Rule::System, Rule::System, Rule::SameRole, Rule::SameRole]
    );
}

#[test]
fn reasoning_goes_where_it_cannot_be_sent_or_leads_to_nothing() {
    let reasoning = |text: &str| format!(r#"{{"type":"reasoning","text":"{text}"}}"#);
    let takes = |block: &Block<'_>| matches!(&block.kind, BlockKind::Reasoning(text) if text[..] == *b"own");
    let rules = Rules {
        takes_reasoning: Some(&takes),
        ..Rules::default()
    };
    let kept = assistant(&[reasoning("own"), text("a")]);
    let followed = becomes_under(
        &rules,
        &[
            HI,
            &assistant(&[
                reasoning("other"),
                reasoning("own"),
                text("a"),
                reasoning("own"),
            ]),
            HI,
            &assistant(&[reasoning("own")]),
        ],
        &[HI, &kept, HI],
    );
    assert_eq!(followed, [Rule::Reasoning; 3]);
    let list = [HI, &assistant(&[reasoning("other")])];
    assert_eq!(becomes(&list, &list), []);
}

#[test]
fn blocks_of_unknown_types_follow_the_option() {
    let image = r#"{"type":"image","attachment":1}"#.to_owned();
    let said = result("1", "x").replace("[{", &format!("[{image},{{"));
    let list = [
        user(&[image.clone(), text("a")]),
        assistant(&[call("1")]),
        user(&[said]),
    ];
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let with = |unknown| Rules {
        unknown,
        ..Rules::default()
    };
    assert_eq!(becomes_under(&with(UnknownBlocks::Keep), &list, &list), []);
    let without = [&user(&[text("a")]), list[1], &user(&[result("1", "x")])];
    let followed = becomes_under(&with(UnknownBlocks::Drop), &list, &without);
    assert_eq!(followed, [Rule::UnknownBlock; 2]);
    let refused = |list: &[&str]| {
        let error = settled(
            &format!("[{}]", list.join(",")),
            &with(UnknownBlocks::Error),
        )
        .unwrap_err();
        assert_eq!(error.code, ContextCode::UnknownBlock);
        error.path.unwrap()
    };
    assert_eq!(refused(&list), "[0].content[0]");
    assert_eq!(refused(&list[1..]), "[1].content[0].content[0]");
}

#[test]
fn calls_belong_to_the_assistant() {
    let rules = becomes(&[&user(&[text("a"), call("1")])], &[&user(&[text("a")])]);
    assert_eq!(rules, [Rule::Misplaced]);
}

#[test]
fn a_repair_names_message_and_call() {
    let list = format!("[{HI},{},{HI}]", assistant(&[call(r"a\ud83d")]));
    let (_, repairs) = settled(&list, &Rules::default()).unwrap();
    assert_eq!(repairs[0].message, 1);
    assert_eq!(repairs[0].call_id.as_deref(), Some("a\u{fffd}"));
}

#[test]
fn what_is_no_message_list_is_refused_with_a_path() {
    for (list, path) in [
        ("{}", None),
        ("[3]", Some("[0]")),
        (r#"[{"role":"tool"}]"#, Some("[0].role")),
        (r#"[{"role":"user","content":3}]"#, Some("[0].content")),
        (
            r#"[{"role":"user","content":[3]}]"#,
            Some("[0].content[0].type"),
        ),
        (
            r#"[{"role":"user","content":[{"type":"text"}]}]"#,
            Some("[0].content[0].text"),
        ),
        (
            r#"[{"role":"user","content":[{"type":"tool-call","id":1,"name":"f"}]}]"#,
            Some("[0].content[0].id"),
        ),
        (
            r#"[{"role":"user","content":[{"type":"tool-call"}]}]"#,
            Some("[0].content[0].name"),
        ),
    ] {
        let error = read_messages(list.as_bytes()).unwrap_err();
        assert_eq!(
            (error.code, error.path.as_deref()),
            (ContextCode::Invalid, path)
        );
    }
}
