//! What is kept, dropped, clipped and flagged.

use super::super::build::{Context, build_context};
use super::super::legality::Rules;
use super::super::units::TokenMemo;
use super::super::{read_messages, write_messages};
use super::*;
use std::cell::RefCell;

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}"}}"#)
}

fn assistant(text: &str) -> String {
    format!(r#"{{"role":"assistant","content":"{text}"}}"#)
}

/// A call of five characters and its result.
fn step(id: &str, result: &str) -> [String; 2] {
    [
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool-call","id":"{id}","name":"fun","arguments":"{{}}"}}]}}"#
        ),
        format!(
            r#"{{"role":"user","content":[{{"type":"tool-result","toolCallId":"{id}","content":[{{"type":"text","text":"{result}"}}]}}]}}"#
        ),
    ]
}

fn list(messages: &[String]) -> String {
    format!("[{}]", messages.join(","))
}

fn chars(max: u64) -> Limits {
    Limits {
        max_chars: Some(max),
        ..Limits::default()
    }
}

fn messages(max: u64) -> Limits {
    Limits {
        max_messages: Some(max),
        ..Limits::default()
    }
}

/// Cuts a list, checks that cutting the outcome changes nothing, and gives its text and what is said of it.
fn cut_to(text: &str, limits: Limits) -> (String, Context<'static>) {
    let build = |text: &[u8]| {
        let messages = read_messages(text).unwrap();
        let mut context = build_context(messages, &Rules::default(), &limits, None).unwrap();
        let mut out = Vec::new();
        write_messages(&core::mem::take(&mut context.messages), &mut out);
        let context = Context {
            messages: Vec::new(),
            ..context
        };
        (String::from_utf8(out).unwrap(), context)
    };
    let (out, context) = build(text.as_bytes());
    let (twice, again) = build(out.as_bytes());
    assert_eq!(twice, out);
    assert_eq!(again.report.over_budget, context.report.over_budget);
    assert!(again.report.dropped.is_empty() && again.report.chars == context.report.chars);
    (out, context)
}

#[test]
fn a_list_within_its_budget_stays() {
    let text = list(&[user("abc"), assistant("de"), user("f")]);
    for limits in [Limits::default(), chars(6), messages(3)] {
        let (out, context) = cut_to(&text, limits);
        assert_eq!(
            (&out, context.report.chars, context.report.over_budget),
            (&text, 6, false)
        );
    }
}

#[test]
fn the_newest_are_kept_up_to_the_first_that_does_not_fit() {
    let all = [
        user("a"),
        assistant("bbbbb"),
        user("c"),
        assistant("d"),
        user("e"),
    ];
    let text = list(&all);
    let (out, context) = cut_to(&text, chars(4));
    assert_eq!((out, context.report.dropped), (list(&all[2..]), vec![0, 1]));
    let (out, _) = cut_to(&text, messages(2));
    assert_eq!(out, list(&all[3..]));
}

#[test]
fn a_limit_of_zero_keeps_the_newest_word_only_and_says_so() {
    let text = list(&[user("a"), assistant("b"), user("c")]);
    for limits in [
        chars(0),
        messages(0),
        Limits {
            max_tokens: Some(0),
            ..Limits::default()
        },
    ] {
        let (out, context) = cut_to(&text, limits);
        assert_eq!(out, list(&[user("c")]));
        assert_eq!(
            (context.report.over_budget, context.report.dropped),
            (true, vec![0, 1])
        );
    }
    assert_eq!(cut_to("[]", chars(0)).0, "[]");
}

#[test]
fn a_call_and_its_results_are_one() {
    let [call, result] = step("1", "rrrrr");
    let all = [user("a"), call, result, assistant("b"), user("c")];
    let text = list(&all);
    assert_eq!(cut_to(&text, chars(11)).0, list(&all[3..]));
    assert_eq!(cut_to(&text, chars(12)).0, list(&all[1..]));
    assert_eq!(cut_to(&text, messages(3)).0, list(&all[3..]));
    assert_eq!(cut_to(&text, messages(4)).0, list(&all[1..]));
}

#[test]
fn results_beside_a_word_go_with_their_call() {
    let [call, result] = step("1", "rrrrr");
    let both = result.replace("]}]}", r#"]},{"type":"text","text":"w"}]}"#);
    let text = list(&[user("a"), call, both]);
    let (out, context) = cut_to(&text, chars(5));
    assert_eq!(
        out,
        r#"[{"role":"user","content":[{"type":"text","text":"w"}]}]"#
    );
    assert_eq!(context.report.dropped, [0, 1, 2]);
}

#[test]
fn the_newest_word_stays_before_the_steps_that_follow_it() {
    let steps: Vec<String> = (0..10)
        .flat_map(|n| step(&n.to_string(), "rrrrr"))
        .collect();
    let text = list(&[&[user("a"), assistant("b"), user("word")], &steps[..]].concat());
    let (out, context) = cut_to(&text, chars(24));
    assert_eq!(out, list(&[&[user("word")], &steps[16..]].concat()));
    assert_eq!(
        (context.report.chars, context.report.over_budget),
        (24, false)
    );
}

#[test]
fn system_texts_are_not_counted_and_stay() {
    let system = r#"{"role":"system","content":"long long"}"#.to_owned();
    let text = list(&[system.clone(), user("a"), assistant("b"), user("c")]);
    assert_eq!(cut_to(&text, chars(1)).0, list(&[system, user("c")]));
}

#[test]
fn a_step_that_alone_exceeds_the_budget_has_its_results_clipped() {
    let [call, result] = step("1", &"x".repeat(10_000));
    let (out, context) = cut_to(
        &list(&[user("a"), call.clone(), result.clone()]),
        chars(1000),
    );
    assert!(
        out.contains("characters omitted ...]")
            && out.starts_with(list(&[user("a"), call.clone()]).trim_end_matches(']'))
    );
    assert!(
        (450..=500).contains(&context.report.chars),
        "{}",
        context.report.chars
    );
    assert_eq!(
        (context.report.over_budget, context.report.clipped),
        (false, vec![2])
    );
    // It stays the same when the talk goes on.
    let more = list(&[user("a"), call, result, assistant("b"), user("c")]);
    let (later, _) = cut_to(&more, chars(1000));
    assert_eq!(
        later,
        format!(
            "{},{},{}]",
            &out[..out.len() - 1],
            assistant("b"),
            user("c")
        )
    );
}

#[test]
fn what_cannot_be_clipped_enough_is_flagged() {
    let [call, result] = step("1", &"x".repeat(1000));
    let (_, context) = cut_to(&list(&[user("a"), call, result]), chars(20));
    assert!(context.report.over_budget && context.report.chars < 75);
    let (_, context) = cut_to(&list(&[user(&"a".repeat(100))]), chars(20));
    assert!(context.report.over_budget && context.report.chars == 100);
}

#[test]
fn several_results_are_clipped_to_one_length() {
    assert_eq!(level(vec![10, 500, 300], 310), 150);
    assert_eq!(level(vec![10, 20], 30), u64::MAX);
    assert_eq!(level(vec![], 0), u64::MAX);
    assert_eq!(level(vec![5, 5], 0), 0);
}

#[test]
fn tokens_are_counted_once_for_each_unit() {
    let asked = RefCell::new(Vec::new());
    let count = |text: &str| {
        asked.borrow_mut().push(text.to_owned());
        text.chars().count() as u64
    };
    let mut memo = TokenMemo::default();
    let [call, result] = step("1", "rr");
    let all = [
        user("old"),
        assistant("b"),
        user("c"),
        call,
        result,
        assistant("de"),
        user("f"),
    ];
    let limits = Limits {
        max_tokens: Some(12),
        ..Limits::default()
    };
    for _ in 0..2 {
        let text = list(&all);
        let mut counter = TokenCounter {
            count: &count,
            memo: &mut memo,
        };
        let context = build_context(
            read_messages(text.as_bytes()).unwrap(),
            &Rules::default(),
            &limits,
            Some(&mut counter),
        )
        .unwrap();
        assert_eq!(
            (context.report.tokens, context.report.dropped),
            (Some(12), vec![0, 1, 2])
        );
    }
    assert_eq!(*asked.borrow(), ["f", "de", "fun\n{}\nrr", "c"]);
}

#[test]
fn results_are_clipped_to_tokens() {
    let [call, result] = step("1", &"word and ".repeat(5000));
    let limits = Limits {
        max_tokens: Some(500),
        ..Limits::default()
    };
    let (_, context) = cut_to(&list(&[user("a"), call, result]), limits);
    assert!(
        !context.report.over_budget && context.report.tokens.unwrap() > 150,
        "{:?}",
        context.report.tokens
    );
}

#[test]
fn a_budget_that_moves_in_steps_keeps_the_beginning_of_requests() {
    let limits = Limits {
        max_chars: Some(1000),
        step_percent: 25,
        ..Limits::default()
    };
    let mut all = Vec::new();
    let mut beginnings = 0;
    let mut before = String::new();
    for turn in 0..200 {
        all.push(user(&format!("{turn:010}")));
        let text = list(&all);
        let (out, context) = cut_to(&text, limits);
        assert!(context.report.chars <= 1000 && (turn < 100 || context.report.chars > 700));
        beginnings += usize::from(!out.starts_with(before.trim_end_matches(']')));
        before = out;
        all.push(assistant(&format!("{turn:010}")));
    }
    // 4,000 characters in all, of which 250 are dropped at a time.
    assert!((10..=13).contains(&beginnings), "{beginnings}");
}

#[test]
fn a_list_that_is_cut_begins_with_the_user_where_it_has_to() {
    let rules = Rules {
        starts_on_user: true,
        ..Rules::default()
    };
    let all = [user("a"), assistant("b"), user("c")];
    let text = list(&all);
    let context = build_context(
        read_messages(text.as_bytes()).unwrap(),
        &rules,
        &chars(2),
        None,
    )
    .unwrap();
    assert_eq!(
        (context.messages.len(), context.report.dropped),
        (1, vec![0, 1])
    );
}

#[test]
fn the_opening_message_is_counted() {
    let rules = Rules {
        starts_on_user: true,
        opening: Some("ooo"),
        ..Rules::default()
    };
    let all = list(&[assistant("b"), user("c")]);
    for (max, kept, cost) in [(5, 3, 5), (4, 1, 1)] {
        let context = build_context(
            read_messages(all.as_bytes()).unwrap(),
            &rules,
            &chars(max),
            None,
        )
        .unwrap();
        assert_eq!((context.messages.len(), context.report.chars), (kept, cost));
    }
}
