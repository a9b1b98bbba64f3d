//! The rows of the legality table on calls and their results.

use super::super::legality::tests::{
    HI, assistant, becomes, becomes_under, call, interrupted, result, text, user,
};
use super::super::legality::{MissingResult, Rules};
use super::super::repair::Rule;

#[test]
fn a_call_without_a_result_gets_one() {
    let step = assistant(&[call("1"), call("2")]);
    let rules = becomes(
        &[HI, &step, &user(&[result("2", "x"), text("a")])],
        &[
            HI,
            &step,
            &user(&[interrupted("1"), result("2", "x"), text("a")]),
        ],
    );
    assert_eq!(rules, [Rule::MissingResult]);
    let rules = becomes(
        &[HI, &step],
        &[HI, &step, &user(&[interrupted("1"), interrupted("2")])],
    );
    assert_eq!(rules, [Rule::MissingResult; 2]);
    let rules = becomes(
        &[HI, &assistant(&[call("1")]), HI],
        &[
            HI,
            &assistant(&[call("1")]),
            &user(&[interrupted("1"), text("hi")]),
        ],
    );
    assert_eq!(rules, [Rule::MissingResult]);
}

#[test]
fn or_its_step_is_dropped() {
    let rules = Rules {
        missing_result: MissingResult::DropStep,
        ..Rules::default()
    };
    let step = assistant(&[text("a"), call("1"), call("2")]);
    let followed = becomes_under(
        &rules,
        &[
            HI,
            &step,
            &user(&[result("2", "x"), text("b")]),
            &assistant(&[text("c")]),
        ],
        &[&user(&[text("hi"), text("b")]), &assistant(&[text("c")])],
    );
    assert_eq!(followed, [Rule::MissingResult, Rule::SameRole]);
}

#[test]
fn a_result_without_a_call_is_dropped() {
    let rules = becomes(
        &[
            &user(&[text("a"), result("9", "x")]),
            &assistant(&[text("b")]),
        ],
        &[&user(&[text("a")]), &assistant(&[text("b")])],
    );
    assert_eq!(rules, [Rule::OrphanResult]);
    // A second answer has no call either; nor has one before its call.
    let step = assistant(&[call("1")]);
    let rules = becomes(
        &[
            &user(&[result("1", "w")]),
            HI,
            &step,
            &user(&[result("1", "x"), result("1", "y")]),
        ],
        &[&user(&[text("hi")]), &step, &user(&[result("1", "x")])],
    );
    assert_eq!(
        rules,
        [Rule::SameRole, Rule::OrphanResult, Rule::OrphanResult]
    );
}

#[test]
fn results_are_moved_behind_their_calls_in_call_order() {
    let step = assistant(&[call("1"), call("2"), call("3")]);
    let expected = user(&[
        result("1", "x"),
        result("2", "y"),
        result("3", "z"),
        text("a"),
    ]);
    let rules = becomes(
        &[
            HI,
            &step,
            &user(&[result("3", "z"), text("a"), result("1", "x")]),
            &user(&[result("2", "y")]),
        ],
        &[HI, &step, &expected],
    );
    assert_eq!(rules[0], Rule::SameRole);
    assert!(rules[1..].iter().all(|rule| *rule == Rule::ResultOrder));
    let late = becomes(
        &[
            HI,
            &assistant(&[call("1")]),
            HI,
            &assistant(&[text("b")]),
            &user(&[result("1", "x")]),
        ],
        &[
            HI,
            &assistant(&[call("1")]),
            &user(&[result("1", "x"), text("hi")]),
            &assistant(&[text("b")]),
        ],
    );
    assert_eq!(late, [Rule::ResultOrder]);
}

#[test]
fn an_id_used_again_is_paired_within_its_turn() {
    let step = assistant(&[call("1")]);
    becomes(
        &[HI, &step, HI, &step, &user(&[result("1", "new")])],
        &[
            HI,
            &step,
            &user(&[interrupted("1"), text("hi")]),
            &step,
            &user(&[result("1", "new")]),
        ],
    );
    let twice = [
        HI,
        &assistant(&[call("1"), call("1")]),
        &user(&[result("1", "a"), result("1", "b")]),
        &step,
        &user(&[result("1", "c")]),
    ];
    assert_eq!(becomes(&twice, &twice), []);
}

#[test]
fn falsy_results_are_kept() {
    for said in [
        "0",
        r#""""#,
        "false",
        "null",
        "[]",
        r#"[{"type":"text","text":""}]"#,
    ] {
        let said = format!(
            r#"{{"role":"user","content":[{{"type":"tool-result","toolCallId":"1","content":{said}}}]}}"#
        );
        let list = [HI, &assistant(&[call("1")]), &said];
        assert_eq!(becomes(&list, &list), []);
    }
}
