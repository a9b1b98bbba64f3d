//! What a log is drawn as.

use super::*;
use proptest::prelude::*;

const SOURCE: &str = r#""source":{"kind":"user"}"#;

fn draw(events: &[String]) -> (HistoryState, SessionView) {
    let (mut state, mut view) = (HistoryState::default(), SessionView::default());
    for event in events {
        view.take(&mut state, event.as_bytes());
    }
    (state, view)
}

/// Events of these types and data, numbered, a second apart.
fn log(events: &[(&str, String)]) -> Vec<String> {
    (0..)
        .zip(events)
        .map(|(seq, (kind, data))| {
            format!(
                r#"{{"type":"{kind}","seq":{seq},"time":{},"data":{data}}}"#,
                1000 * seq
            )
        })
        .collect()
}

fn texts(state: &HistoryState) -> Vec<String> {
    (0..state.len())
        .filter_map(|index| state.get(index))
        .map(|record| String::from_utf8(record.text().into_owned()).unwrap())
        .collect()
}

fn chunk(text: &str) -> (&'static str, String) {
    let delta = format!(r#"{{"type":"text-delta","index":0,"text":"{text}"}}"#);
    (
        "assistant/chunk",
        format!(r#"{{"turn":1,"step":2,"chunk":{delta}}}"#),
    )
}

#[test]
fn a_turn_is_drawn_in_the_order_in_which_it_was_said() {
    let content = r#"[{"type":"reasoning","text":"hm"},{"type":"text","text":"Hello"},{"type":"tool-call","id":"c","name":"ls","arguments":"{\"path\":\"/\",\"n\":1}"}]"#;
    let events = log(&[
        ("turn/start", r#"{"turn":1}"#.into()),
        ("user/message", format!(r#"{{"content":[{{"type":"text","text":"a\n\nb"}}],{SOURCE}}}"#)),
        chunk("He"),
        chunk("llo"),
        ("assistant/message", format!(r#"{{"turn":1,"step":2,"content":{content},"usage":{{"inputTokens":3,"cacheReadTokens":4,"outputTokens":5}}}}"#)),
        ("tool/call", r#"{"turn":1,"step":2,"callId":"c","name":"ls","arguments":"{\"path\":\"/\",\"n\":1}"}"#.into()),
        ("tool/result", r#"{"turn":1,"step":2,"callId":"c","content":[{"type":"text","text":"x\ny"}],"isError":false}"#.into()),
        ("turn/end", r#"{"turn":1,"reason":{"kind":"completed"}}"#.into()),
    ]);
    let (state, _) = draw(&events[..4]);
    let streaming = texts(&state);
    assert!(streaming[1].contains(r#""type":"assistant_stream""#));
    assert!(streaming[1].contains(r#""preview_markdown":"Hello""#));
    assert!(
        streaming[1]
            .contains(r#"{"delta":"llo","sequence":3,"received_at":"1970-01-01T00:00:03Z"}"#)
    );
    let (state, view) = draw(&events);
    let drawn = texts(&state);
    let holds = |at: usize, parts: &[&str]| {
        for part in parts {
            assert!(drawn[at].contains(part), "{part} in {}", drawn[at]);
        }
    };
    assert_eq!((drawn.len(), view.seen()), (4, 8));
    holds(
        0,
        &[
            r#""role":"user""#,
            r#""text":"a""#,
            r#"{"kind":"blank","spans":[]}"#,
            r#""text":"b""#,
        ],
    );
    holds(
        1,
        &[
            r#""type":"reasoning""#,
            r#""text":"hm""#,
            r#""in_progress":false"#,
        ],
    );
    holds(
        2,
        &[
            r#""type":"assistant_message""#,
            r#""markdown":"Hello""#,
            r#""token_usage":{"prompt":7,"completion":5,"total":12}"#,
        ],
    );
    holds(
        3,
        &[
            r#""type":"tool_call""#,
            r#""status":"success""#,
            r#""title":"ls""#,
            r#""duration_ms":1000"#,
            r#""lines":["x","y"],"truncated":false"#,
            r#"{"name":"path","value":{"type":"text","text":"/"}},{"name":"n","value":{"type":"json","value":1}}"#,
        ],
    );
    assert_eq!(state.tool_call(b"\"c\""), Some(5));
}

#[test]
fn what_was_interrupted_ends_and_says_so() {
    let (state, _) = draw(&log(&[
        chunk("Hel"),
        ("assistant/chunk", r#"{"turn":1,"step":2,"chunk":{"type":"reasoning-delta","index":1,"text":"why"}}"#.into()),
        ("tool/call", r#"{"turn":1,"step":2,"callId":"c","name":"ls","arguments":"not json"}"#.into()),
        ("tool/result", r#"{"turn":1,"step":2,"callId":"c","content":[],"isError":true,"error":{"name":"E","code":"interrupted"}}"#.into()),
        ("turn/end", r#"{"turn":1,"reason":{"kind":"interrupted"}}"#.into()),
    ]));
    let drawn = texts(&state);
    let kinds: Vec<_> = drawn
        .iter()
        .map(|text| text.split('"').nth(5).unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "reasoning",
            "tool_call",
            "assistant_message",
            "background_event"
        ]
    );
    assert!(drawn[0].contains(r#""text":"why""#) && drawn[0].contains(r#""in_progress":false"#));
    assert!(
        drawn[1].contains(r#""status":"failed""#)
            && drawn[1].contains(r#""error_message":"interrupted""#)
    );
    assert!(drawn[1].contains(r#"{"name":"arguments","value":{"type":"text","text":"not json"}}"#));
    assert!(drawn[2].contains(r#""markdown":"Hel""#));
    assert!(drawn[3].contains(r#""title":"turn ended: interrupted""#));
}

#[test]
fn plans_notices_and_summaries_have_their_records() {
    let todos = |status: &str| {
        (
            "todo/write",
            format!(
                r#"{{"todos":[{{"content":"a","status":"{status}"}},{{"content":"b","status":"in_progress"}}]}}"#
            ),
        )
    };
    let content = r#""content":[{"type":"text","text":"t"},{"type":"image","attachment":1}]"#;
    let mut events = log(&[
        todos("pending"),
        todos("completed"),
        ("steering/message", format!("{{{content},{SOURCE}}}")),
        ("context/message", format!("{{{content},{SOURCE}}}")),
        (
            "prompt/blocked",
            format!(r#"{{{content},{SOURCE},"reason":"rude"}}"#),
        ),
        (
            "user/message",
            format!(r#"{{{content},"source":{{"kind":"plugin","plugin":"compact"}}}}"#),
        ),
        ("plugin/any", "{}".into()),
        (
            "turn/end",
            r#"{"turn":1,"reason":{"kind":"completed"}}"#.into(),
        ),
        todos("pending"),
    ]);
    events.push(r#"{"type":"assistant/message","seq":9,"time":5,"data":{"content":[]},"surfaceOp":{"op":"replace","start":1,"end":1}}"#.into());
    let (state, _) = draw(&events);
    let drawn = texts(&state);
    assert_eq!(drawn.len(), 6);
    assert!(drawn[0].contains(r#""progress":{"completed":1,"total":2}"#));
    assert!(drawn[0].contains(
        r#"{"description":"a","status":"complete"},{"description":"b","status":"in_progress"}"#
    ));
    for (at, title) in [
        (1, "steering"),
        (2, "context"),
        (3, "blocked: rude"),
        (4, "compact"),
    ] {
        assert!(
            drawn[at].contains(&format!(r#""title":"{title}""#)),
            "{}",
            drawn[at]
        );
        assert!(drawn[at].contains(r#""text":"[image]""#));
    }
    assert!(
        drawn[5].contains(r#""completed":0"#),
        "a plan of another turn is another record"
    );
}

#[test]
fn a_snapshot_says_how_far_the_session_was_drawn_or_is_refused() {
    assert_eq!(SessionView::of_snapshot(b"{}").unwrap().seen(), 0);
    let (state, view) = draw(&log(&[chunk("a\\ud83d")]));
    let saved = String::from_utf8(view.save(state.snapshot())).unwrap();
    let whole = r#""session_view":{"seen":1,"stream":["1:2","a\ud83d"],"reasoning":null,"plan":null,"calls":[]}"#;
    assert!(saved.contains(whole), "{saved}");
    for (part, damage) in [
        (r#""seen":1,"#, ""),
        (r#""seen":1"#, r#""seen":-1"#),
        (r#"["1:2","#, "["),
        (r#"["1:2","#, "[5,"),
        (r#""reasoning":null"#, r#""reasoning":[1,"",1]"#),
        (r#""plan":null"#, r#""plan":"1""#),
        (r#""calls":[]"#, r#""calls":[["c",1,"t",5,1]]"#),
        (r#""calls":[]"#, r#""calls":null"#),
    ] {
        let damaged = saved.replace(part, damage);
        let error = SessionView::of_snapshot(damaged.as_bytes()).unwrap_err();
        assert_eq!(
            (error.code.as_str(), &*error.path),
            ("invalid", "session_view"),
            "{damage}"
        );
    }
}

fn any_data() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("5".to_owned()), Just("null".to_owned()), Just("[]".to_owned()), Just("{}".to_owned()), Just("true".to_owned()),
        Just(r#""\ud83d""#.to_owned()), Just(r#""a\nb""#.to_owned()),
        Just(r#"[{"type":"text","text":"x"},5,{"type":"tool-call","id":"c","name":7,"arguments":"{"},{"type":"reasoning","text":"\udc00"}]"#.to_owned()),
        Just(r#"{"type":"text-delta","text":"\udc00"}"#.to_owned()), Just(r#"{"type":"reasoning-delta","text":"\ud83d\n"}"#.to_owned()),
        Just(r#"{"kind":"error","message":"m"}"#.to_owned()), Just(r#"{"inputTokens":9007199254740991,"outputTokens":1}"#.to_owned()),
    ];
    let key = prop::sample::select(vec![
        "content",
        "chunk",
        "callId",
        "isError",
        "error",
        "todos",
        "reason",
        "source",
        "turn",
        "step",
        "usage",
        "name",
        "arguments",
    ]);
    prop::collection::vec((key, word), 0..6).prop_map(|fields| {
        let fields: Vec<_> = fields
            .iter()
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        format!("{{{}}}", fields.join(","))
    })
}

proptest! {
    #[test]
    fn any_log_can_be_drawn_bit_by_bit_and_at_once(
        events in prop::collection::vec((prop::sample::select(vec![
            "user/message", "context/message", "steering/message", "prompt/blocked", "assistant/chunk", "assistant/message",
            "tool/call", "tool/result", "todo/write", "turn/end", "turn/start", "other",
        ]), any_data()), 0..30),
    ) {
        let events = log(&events);
        let (state, _) = draw(&events);
        for cut in [0, events.len() / 3, events.len() / 2] {
            let (mut part, view) = draw(&events[..cut]);
            let saved = view.save(part.snapshot());
            part.restore(&saved).unwrap();
            let mut view = SessionView::of_snapshot(&saved).unwrap();
            for event in &events[cut..] {
                view.take(&mut part, event.as_bytes());
            }
            prop_assert_eq!(texts(&part), texts(&state));
        }
        let mut again = HistoryState::default();
        again.restore(&state.snapshot()).unwrap();
        prop_assert_eq!(texts(&again), texts(&state));
    }
}
