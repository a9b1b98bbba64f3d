//! Requests of a conversation that grows are those of a list that is read anew, byte for byte, whatever was asked before.

#![cfg(not(target_arch = "wasm32"))]

#[path = "context/logs.rs"]
mod logs;

use logs::{limits, messages};
use proptest::prelude::*;
use turnlog::context::{
    Asked, Context, ContextError, ContextOptions, Conversation, Limits, MissingResult, Provider,
    Report, Rules, TokenCounter, TokenMemo, UnknownBlocks, build_context, build_request,
    read_messages, write_messages,
};

/// What is done next with a conversation.
#[derive(Clone, Debug)]
enum Step {
    /// This many more messages come in.
    Grow(usize),
    /// Some at the end are taken back.
    Shrink(usize),
    Ask(Question),
}

#[derive(Clone, Debug)]
struct Question {
    /// None is a list.
    provider: Option<Provider>,
    limits: Limits,
    drops: bool,
    counts: bool,
    asked: &'static str,
}

fn question(limits: Vec<Limits>) -> impl Strategy<Value = Question> {
    let providers = Provider::ALL.into_iter().map(Some).chain([None]);
    let asked = vec![
        r#"{"model":"m"}"#,
        r#"{"model":"m","system":"s\ud83d","tools":[{"name":"f"}]}"#,
        r#"{"model":"n","provider":"anthropic"}"#,
    ];
    (
        prop::sample::select(providers.collect::<Vec<_>>()),
        prop::sample::select(limits),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.3),
        prop::sample::select(asked),
    )
        .prop_map(|(provider, limits, drops, counts, asked)| Question {
            provider,
            limits,
            drops,
            counts,
            asked,
        })
}

/// Few budgets, so that one is asked for again and again.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(limits(), 1..3).prop_flat_map(|mut some| {
        some.push(Limits::default());
        let step = prop_oneof![
            4 => (1..6usize).prop_map(Step::Grow),
            1 => (1..200usize).prop_map(Step::Grow),
            1 => (1..4usize).prop_map(Step::Shrink),
            6 => question(some).prop_map(Step::Ask),
        ];
        prop::collection::vec(step, 1..40)
    })
}

/// A log long enough for several segments.
fn log() -> impl Strategy<Value = Vec<String>> {
    let turn = (logs::text(), logs::text()).prop_map(|(question, answer)| {
        vec![
            format!(r#"{{"role":"user","content":"q{question}"}}"#),
            format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"a{answer}"}}]}}"#),
        ]
    });
    let turns = prop::collection::vec(turn, 0..40).prop_map(|turns| turns.concat());
    let part = prop_oneof![messages(), turns];
    let leading = prop::option::of(Just(
        r#"{"role":"system","content":"be \ud83d"}"#.to_owned(),
    ));
    (leading, prop::collection::vec(part, 1..5))
        .prop_map(|(leading, parts)| leading.into_iter().chain(parts.concat()).collect())
}

type Answer = Result<(String, Report), ContextError>;

fn list(context: Result<Context<'_>, ContextError>) -> Answer {
    let context = context?;
    let mut out = Vec::new();
    write_messages(&context.messages, &mut out);
    Ok((String::from_utf8(out).unwrap(), context.report))
}

/// The answer of the conversation, and that of its messages read anew.
fn ask(conversation: &mut Conversation, messages: &[String], question: &Question) -> [Answer; 2] {
    let count = |text: &str| text.len() as u64 / 3;
    let (mut memo, mut memo_anew) = (TokenMemo::default(), TokenMemo::default());
    let options = |memo| ContextOptions {
        rules: Rules {
            unknown: UnknownBlocks::Drop,
            opening: Some("(begin)"),
            missing_result: if question.drops {
                MissingResult::DropStep
            } else {
                MissingResult::Interrupted
            },
            ..Rules::default()
        },
        limits: question.limits,
        counter: question.counts.then_some(TokenCounter {
            count: &count,
            memo,
        }),
    };
    let text = format!("[{}]", messages.join(","));
    let anew = read_messages(text.as_bytes()).unwrap();
    let asked = Asked {
        options: question.asked.as_bytes(),
        header: None,
    };
    let (mut first, mut second) = (options(&mut memo), options(&mut memo_anew));
    match question.provider {
        None => {
            let rules = second.rules;
            [
                list(conversation.context(None, &mut first)),
                list(build_context(
                    anew,
                    &rules,
                    &question.limits,
                    second.counter.as_mut(),
                )),
            ]
        }
        Some(provider) => {
            let running = conversation.request(provider, &asked, &mut first, true);
            let request = build_request(provider, anew, &asked, &mut second);
            [
                running
                    .map(|(body, report)| (String::from_utf8(body.into_owned()).unwrap(), report)),
                request.map(|it| (String::from_utf8(it.body).unwrap(), it.report)),
            ]
        }
    }
}

/// Goes through the steps; gives how many answers were compared.
fn run(log: &[String], steps: &[Step]) -> Result<(), TestCaseError> {
    let mut conversation = Conversation::default();
    let mut have = 0;
    for step in steps {
        match step {
            Step::Grow(count) => {
                let more = &log[have..(have + count).min(log.len())];
                let list = format!("[{}]", more.join(","));
                conversation.extend(list.as_bytes()).unwrap();
                have += more.len();
            }
            Step::Shrink(count) => {
                have = have.saturating_sub(*count);
                conversation.truncate(have);
            }
            Step::Ask(question) => {
                let [running, anew] = ask(&mut conversation, &log[..have], question);
                prop_assert_eq!(running, anew, "{:?} of {:?}", question, &log[..have]);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_conversation_that_grows_is_the_list_that_it_is(log in log(), steps in steps()) {
        run(&log, &steps)?;
    }
}

/// An answer of which nothing stays keeps no neighbours apart.
#[test]
fn a_segment_ends_with_an_answer_that_stays() {
    let log = [
        r#"{"role":"assistant","content":"a"}"#,
        r#"{"role":"user","content":[{"type":"tool-result","toolCallId":"a","content":[]}]}"#,
        r#"{"role":"assistant","content":[]}"#,
        r#"{"role":"user","content":"a"}"#,
    ];
    let ask = Step::Ask(Question {
        provider: Some(Provider::OpenAiChat),
        limits: Limits::default(),
        drops: false,
        counts: false,
        asked: r#"{"model":"m"}"#,
    });
    run(&log.map(str::to_owned), &[Step::Grow(4), ask]).unwrap();
}

/// A call that is misplaced takes no result from the one that waits for it.
#[test]
fn a_late_result_finds_its_call_behind_one_of_the_user() {
    let log = [
        r#"{"role":"assistant","content":[{"type":"tool-call","id":"a","name":"f","arguments":"{}"}]}"#,
        r#"{"role":"user","content":"q"}"#,
        r#"{"role":"assistant","content":"a"}"#,
        r#"{"role":"user","content":"q"}"#,
        r#"{"role":"user","content":[{"type":"tool-call","id":"a","name":"f","arguments":"{}"},{"type":"tool-result","toolCallId":"a","content":[]}]}"#,
    ];
    for drops in [false, true] {
        let ask = Step::Ask(Question {
            provider: Some(Provider::OpenAiChat),
            limits: Limits::default(),
            drops,
            counts: false,
            asked: r#"{"model":"m"}"#,
        });
        let steps = [Step::Grow(4), ask.clone(), Step::Grow(1), ask];
        run(&log.map(str::to_owned), &steps).unwrap();
    }
}

/// What the estimate counted is not what a counter says.
#[test]
fn tokens_are_those_of_who_counts_now() {
    let log: Vec<String> = ["user", "assistant", "user"]
        .iter()
        .map(|role| format!(r#"{{"role":"{role}","content":"some words of {role}"}}"#))
        .collect();
    let question = |counts| {
        Step::Ask(Question {
            provider: Some(Provider::OpenAiChat),
            limits: Limits {
                max_tokens: Some(128),
                ..Limits::default()
            },
            drops: false,
            counts,
            asked: r#"{"model":"m"}"#,
        })
    };
    let steps = [
        Step::Grow(3),
        question(false),
        question(true),
        question(false),
    ];
    run(&log, &steps).unwrap();
}

/// What was asked before is used: the same strings would come out of reading all anew.
#[test]
fn a_request_after_one_more_turn_takes_the_time_of_the_turn() {
    let turn = |n: usize| {
        let text = "text ".repeat(200);
        format!(r#"{{"role":"user","content":"{n}"}},{{"role":"assistant","content":"{text}{n}"}}"#)
    };
    let mut conversation = Conversation::default();
    let many: Vec<String> = (0..5_000).map(turn).collect();
    conversation
        .extend(format!("[{}]", many.join(",")).as_bytes())
        .unwrap();
    let counted = std::cell::Cell::new(0);
    let count = |_: &str| {
        counted.set(counted.get() + 1);
        300
    };
    let mut memo = TokenMemo::default();
    let mut ask = |conversation: &mut Conversation, limit| {
        let asked = Asked {
            options: br#"{"model":"m"}"#,
            header: None,
        };
        let mut options = ContextOptions {
            counter: Some(TokenCounter {
                count: &count,
                memo: &mut memo,
            }),
            limits: Limits {
                max_tokens: Some(limit),
                ..Limits::default()
            },
            ..ContextOptions::default()
        };
        let (body, report) = conversation
            .request(Provider::OpenAiChat, &asked, &mut options, true)
            .unwrap();
        (body.len(), report.dropped.len())
    };
    let (first, dropped) = ask(&mut conversation, 6_000);
    // Twenty units are kept, and what is counted is what was looked at: their segments.
    assert_eq!(dropped, 10_000 - 20);
    assert!(counted.get() < 200, "{}", counted.get());
    let before = counted.get();
    conversation
        .extend(format!("[{}]", turn(5_000)).as_bytes())
        .unwrap();
    let (second, _) = ask(&mut conversation, 6_000);
    assert!(first.abs_diff(second) < 10);
    assert!(counted.get() - before <= 2, "{}", counted.get() - before);
}
