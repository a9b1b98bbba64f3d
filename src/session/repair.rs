//! Closing what a crash left open (spec 2-session.md, section 10).
//!
//! A log that ends inside a turn lacks the answers of its pending tool calls, the end of its step and the end of its
//! turn. The closers are just these; a log with them behind it has no open turn, so it has no closers.
//!
//! Numbers and ids are copied from the events that opened what is closed, as they are written there.

use super::event::{Event, member, safe_integer, tool_calls};
use super::object::object;
use super::places::Places;
use crate::json::stringify;

const RESULT_CONTENT: &[u8] =
    br#"[{"type":"text","text":"Tool call interrupted by a crash; no result was recorded."}]"#;
const RESULT_ERROR: &[u8] = br#"{"name":"InterruptedError","code":"interrupted"}"#;
const INTERRUPTED: &[u8] = br#"{"kind":"interrupted"}"#;

/// The events to append to a log of checked JSON texts so that no turn, step or tool call is open: none for a balanced
/// log. They have the sequence numbers behind the log's and its last event's `time`.
///
/// O(n log c) for a log of n bytes with c pending calls.
pub fn interrupted_turn_closers(events: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut open = Open::default();
    let mut last = Event::default();
    for text in events {
        last = Event::read(text).unwrap_or_default();
        open.follow(&last);
    }
    let Some(turn) = open.turn else {
        return Vec::new();
    };
    let next_seq = match last.seq.and_then(safe_integer) {
        Some(seq) => seq + 1,
        None => events.len() as u64,
    };
    let mut closers = Closers {
        next_seq,
        time: last.time,
        texts: Vec::new(),
    };
    for call in open.calls.into_iter().flatten() {
        closers.push_result(turn, &call);
    }
    if let Some(step) = open.step {
        let data = object(&[("turn", turn), ("step", step)]);
        closers.push("step/end", &data, None, None);
    }
    let data = object(&[("turn", turn), ("reason", Some(INTERRUPTED))]);
    closers.push("turn/end", &data, None, None);
    closers.texts
}

/// A value as JSON text, or `undefined`.
type Value<'a> = Option<&'a [u8]>;

/// What is open after some events.
#[derive(Default)]
struct Open<'a> {
    /// The number of the open turn.
    turn: Option<Value<'a>>,
    /// The number of the open step.
    step: Option<Value<'a>>,
    /// Pending calls in the order of registration, answered ones taken out.
    calls: Vec<Option<Call<'a>>>,
    /// Where in `calls` an id stands. Ids are compared as values, so the keys are their JSON text.
    places: Places,
}

struct Call<'a> {
    id: Value<'a>,
    step: Value<'a>,
    /// The `seq` of its `tool/call`.
    started: Value<'a>,
}

impl<'a> Open<'a> {
    fn follow(&mut self, event: &Event<'a>) {
        let data = event.data.unwrap_or_default();
        let Some(kind) = event.kind_string().and_then(|kind| kind.decode()) else {
            return;
        };
        match kind.as_ref() {
            "turn/start" => {
                self.forget_step();
                self.turn = Some(member(data, "turn"));
            }
            "turn/end" => {
                self.forget_step();
                self.turn = None;
            }
            "step/start" => self.step = Some(member(data, "step")),
            "step/end" => self.forget_step(),
            "assistant/message" => self.register_calls(data),
            "tool/call" => {
                if let Some(Some(call)) = self.call_mut(data) {
                    call.started = event.seq;
                }
            }
            "tool/result" => {
                if let Some(place) = self.places.remove(&key(member(data, "callId"))) {
                    self.calls[place] = None;
                }
            }
            _ => {}
        }
    }

    fn forget_step(&mut self) {
        self.step = None;
        self.calls.clear();
        self.places.clear();
    }

    fn call_mut(&mut self, data: &[u8]) -> Option<&mut Option<Call<'a>>> {
        let place = self.places.get(&key(member(data, "callId")))?;
        self.calls.get_mut(place)
    }

    /// An id that is pending already keeps its place and starts anew.
    fn register_calls(&mut self, data: &'a [u8]) {
        let step = member(data, "step");
        for block in tool_calls(data) {
            let id = member(block, "id");
            let call = Some(Call {
                id,
                step,
                started: None,
            });
            let place = self.places.get_or_insert(key(id), self.calls.len());
            match self.calls.get_mut(place) {
                Some(pending) => *pending = call,
                None => self.calls.push(call),
            }
        }
    }
}

fn key(id: Value<'_>) -> Vec<u8> {
    id.map(stringify).unwrap_or_default()
}

struct Closers<'a> {
    next_seq: u64,
    time: Value<'a>,
    texts: Vec<Vec<u8>>,
}

impl Closers<'_> {
    fn push_result(&mut self, turn: Value<'_>, call: &Call<'_>) {
        let data = object(&[
            ("turn", turn),
            ("step", call.step),
            ("callId", call.id),
            ("content", Some(RESULT_CONTENT)),
            ("isError", Some(b"true")),
            ("error", Some(RESULT_ERROR)),
        ]);
        let sources = call.started.map(|seq| [b"[", seq, b"]"].concat());
        self.push(
            "tool/result",
            &data,
            Some(b"\"append\""),
            sources.as_deref(),
        );
    }

    fn push(&mut self, kind: &str, data: &[u8], surface_op: Value<'_>, sources: Value<'_>) {
        self.texts.push(object(&[
            ("type", Some(format!("\"{kind}\"").as_bytes())),
            ("seq", Some(self.next_seq.to_string().as_bytes())),
            ("time", self.time),
            ("data", Some(data)),
            ("surfaceOp", surface_op),
            ("sourceEventSeqs", sources),
        ]));
        self.next_seq += 1;
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(events: &[(&str, &str)]) -> Vec<String> {
        let numbered = events.iter().enumerate();
        numbered
            .map(|(seq, (kind, data))| {
                let time = 1000 + seq;
                format!(r#"{{"type":"{kind}","seq":{seq},"time":{time},"data":{data}}}"#)
            })
            .collect()
    }

    fn closers(log: &[String]) -> Vec<String> {
        let texts: Vec<&[u8]> = log.iter().map(|text| text.as_bytes()).collect();
        let closers = interrupted_turn_closers(&texts).into_iter();
        closers
            .map(|text| String::from_utf8(text).unwrap())
            .collect()
    }

    const TURN: (&str, &str) = ("turn/start", r#"{"turn":2}"#);
    const STEP: (&str, &str) = ("step/start", r#"{"turn":2,"step":3}"#);
    const CALLS: (&str, &str) = (
        "assistant/message",
        r#"{"turn":2,"step":3,"content":[{"type":"text","text":"t"},{"type":"tool-call","id":"a"},{"type":"tool-call","id":"b"}]}"#,
    );

    #[test]
    fn a_balanced_log_needs_nothing() {
        assert!(closers(&[]).is_empty());
        let end = ("turn/end", r#"{"turn":2}"#);
        assert!(closers(&log(&[TURN, end])).is_empty());
        assert!(closers(&log(&[TURN, STEP, end, ("todo/write", "{}"), CALLS])).is_empty());
    }

    #[test]
    fn what_is_open_is_closed_from_the_inside() {
        let called = ("tool/call", r#"{"callId":"\u0062"}"#);
        let unknown = ("tool/call", r#"{"callId":"z"}"#);
        let result = |seq: u64, id: &str, sources: &str| {
            format!(
                r#"{{"type":"tool/result","seq":{seq},"time":1004,"data":{{"turn":2,"step":3,"callId":"{id}","content":[{{"type":"text","text":"Tool call interrupted by a crash; no result was recorded."}}],"isError":true,"error":{{"name":"InterruptedError","code":"interrupted"}}}},"surfaceOp":"append"{sources}}}"#
            )
        };
        assert_eq!(
            closers(&log(&[TURN, STEP, CALLS, called, unknown])),
            [
                result(5, "a", ""),
                result(6, "b", r#","sourceEventSeqs":[3]"#),
                r#"{"type":"step/end","seq":7,"time":1004,"data":{"turn":2,"step":3}}"#.to_owned(),
                r#"{"type":"turn/end","seq":8,"time":1004,"data":{"turn":2,"reason":{"kind":"interrupted"}}}"#.to_owned(),
            ]
        );
    }

    #[test]
    fn answers_and_ends_are_seen() {
        let answer = ("tool/result", r#"{"callId":"a"}"#);
        let kinds = |log: &[String]| -> Vec<String> {
            let texts = closers(log);
            texts.iter().map(|text| text[9..18].to_owned()).collect()
        };
        assert_eq!(
            kinds(&log(&[TURN, STEP, CALLS, answer])),
            ["tool/resu", "step/end\"", "turn/end\""]
        );
        let end = ("step/end", r#"{"turn":2,"step":3}"#);
        assert_eq!(kinds(&log(&[TURN, STEP, CALLS, end])), ["turn/end\""]);
        assert_eq!(kinds(&log(&[TURN, STEP, CALLS, TURN])), ["turn/end\""]);
        // Registered again, a call keeps its place, and its start is forgotten.
        let again = [TURN, CALLS, ("tool/call", r#"{"callId":"a"}"#), CALLS];
        let texts = closers(&log(&again));
        assert!(texts[0].contains(r#""callId":"a""#) && !texts[0].contains("sourceEventSeqs"));
        assert_eq!(texts.len(), 3);
    }

    #[test]
    fn odd_events_are_survived() {
        let odd = [
            "{}",
            "5",
            "",
            r#"{"type":"turn/start"}"#,
            r#"{"type":"tool/call","data":null}"#,
        ];
        let odd: Vec<String> = odd.map(str::to_owned).to_vec();
        assert_eq!(
            closers(&odd),
            [r#"{"type":"turn/end","seq":5,"data":{"reason":{"kind":"interrupted"}}}"#]
        );
    }

    fn any_event() -> impl Strategy<Value = (&'static str, String)> {
        const KINDS: [&str; 8] = [
            "turn/start",
            "turn/end",
            "step/start",
            "step/end",
            "assistant/message",
            "tool/call",
            "tool/result",
            "todo/write",
        ];
        let ids = proptest::collection::vec("[ab]", 0..3);
        (proptest::sample::select(&KINDS[..]), 0..3, ids, "[ab]").prop_map(|(kind, n, ids, id)| {
            let blocks: Vec<String> = ids
                .iter()
                .map(|id| format!(r#"{{"type":"tool-call","id":"{id}"}}"#))
                .collect();
            let blocks = blocks.join(",");
            let data = format!(r#"{{"turn":{n},"step":{n},"callId":"{id}","content":[{blocks}]}}"#);
            (kind, data)
        })
    }

    proptest! {
        #[test]
        fn a_repaired_log_is_balanced(events in proptest::collection::vec(any_event(), 0..30)) {
            let events: Vec<(&str, &str)> = events.iter().map(|(kind, data)| (*kind, data.as_str())).collect();
            let mut log = log(&events);
            let closers_of_log = closers(&log);
            for (offset, closer) in closers_of_log.iter().enumerate() {
                let seq = format!(r#""seq":{},"#, log.len() + offset);
                prop_assert!(closer.contains(&seq));
                prop_assert!(crate::json::check(closer.as_bytes()).is_ok());
            }
            log.extend(closers_of_log);
            prop_assert!(closers(&log).is_empty());
        }
    }
}
