//! An optional checker of the turn structure: turns are numbered from 1 and closed, so are the steps of a turn, and
//! every event stands inside a turn (spec 2-session.md, 11).
//!
//! It runs beside a log: [`Invariants::check`] judges the next event and changes nothing, so that an event refused for
//! another reason leaves no trace; [`Invariants::advance`] then goes past it.

use super::error::{SessionCode, SessionError};
use super::event::{Event, kind_of, members, string};
use super::parts::{kind, seq};
use super::places::Places;
use crate::json::{Kind, Reader};

/// What a checker knows of the events so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariants {
    last_seq: f64,
    open_turn: Option<u64>,
    open_step: Option<u64>,
    next_turn: u64,
    next_step: u64,
    /// The calls of the open step that have no result yet.
    pending_calls: Places,
}

/// What going past an event that was checked changes. For the checker that gave it, once.
#[derive(Clone, Debug)]
pub struct Next {
    seq: f64,
    change: Change,
}

#[derive(Clone, Debug)]
enum Change {
    None,
    OpenTurn,
    CloseTurn,
    OpenStep,
    CloseStep,
    Call(Option<CallKey>),
    Result(Option<CallKey>),
}

/// A call's id in a form that is equal for equal ids: its first byte tells the kind, and a string follows as its
/// code units. Ids should be strings, but appends take anything.
type CallKey = Vec<u8>;

/// What the rules look at in the data of an event.
struct Fields<'a> {
    turn: Option<f64>,
    step: Option<f64>,
    call: Option<&'a [u8]>,
    is_error: Option<&'a [u8]>,
    error: Option<&'a [u8]>,
}

impl Default for Invariants {
    fn default() -> Self {
        Self {
            last_seq: -1.0,
            open_turn: None,
            open_step: None,
            next_turn: 1,
            next_step: 1,
            pending_calls: Places::default(),
        }
    }
}

impl Invariants {
    /// Whether an event may come next. Takes one pass over its data where the type has numbers there, and no time
    /// otherwise.
    ///
    /// # Errors
    /// `invariant`, with the `seq` of the event if it has one.
    pub fn check(&self, event: &Event<'_>) -> Result<Next, SessionError> {
        let seq = seq(event);
        match self.change(seq, event) {
            Ok(change) => Ok(Next { seq, change }),
            Err(rule) => Err(violated(seq, rule)),
        }
    }

    /// Goes past an event that was checked.
    pub fn advance(&mut self, next: Next) {
        self.last_seq = next.seq;
        match next.change {
            Change::None => {}
            Change::OpenTurn => {
                self.open_turn = Some(self.next_turn);
                self.next_step = 1;
            }
            Change::CloseTurn => {
                self.open_turn = None;
                self.next_turn += 1;
            }
            Change::OpenStep => self.open_step = Some(self.next_step),
            Change::CloseStep => {
                self.open_step = None;
                self.next_step += 1;
                self.pending_calls.clear();
            }
            Change::Call(Some(call)) => {
                self.pending_calls.get_or_insert(call, 0);
            }
            Change::Call(None) => {}
            Change::Result(call) => {
                if let Some(call) = call {
                    self.pending_calls.remove(&call);
                }
            }
        }
    }

    /// The change an event makes, or the rule that it breaks.
    fn change(&self, seq: f64, event: &Event<'_>) -> Result<Change, &'static str> {
        require(seq > self.last_seq, "seq must grow")?;
        let fields = || Fields::read(event.data.unwrap_or_default());
        match kind(event).as_ref() {
            "turn/start" => self.turn_start(&fields()),
            "turn/end" => self.turn_end(&fields()),
            "step/start" => self.step_start(&fields()),
            "step/end" => self.in_step(&fields()).map(|()| Change::CloseStep),
            "assistant/chunk" | "assistant/message" => {
                self.in_step(&fields()).map(|()| Change::None)
            }
            "tool/call" => {
                let fields = fields();
                self.in_step(&fields)?;
                Ok(Change::Call(call_key(fields.call)))
            }
            "tool/result" => self.tool_result(&fields()),
            _ => {
                require(self.open_turn.is_some(), "an event needs an open turn")?;
                Ok(Change::None)
            }
        }
    }

    fn turn_start(&self, fields: &Fields<'_>) -> Result<Change, &'static str> {
        require(
            self.open_turn.is_none(),
            "a turn starts where another is open",
        )?;
        require(
            is(fields.turn, Some(self.next_turn)),
            "turns must be numbered from 1 without holes",
        )?;
        Ok(Change::OpenTurn)
    }

    fn turn_end(&self, fields: &Fields<'_>) -> Result<Change, &'static str> {
        require(
            is(fields.turn, self.open_turn),
            "a turn ends that is not open",
        )?;
        require(self.open_step.is_none(), "a turn ends with an open step")?;
        Ok(Change::CloseTurn)
    }

    fn step_start(&self, fields: &Fields<'_>) -> Result<Change, &'static str> {
        require(
            is(fields.turn, self.open_turn),
            "a step starts outside its turn",
        )?;
        require(
            self.open_step.is_none(),
            "a step starts where another is open",
        )?;
        require(
            is(fields.step, Some(self.next_step)),
            "steps must be numbered from 1 without holes",
        )?;
        Ok(Change::OpenStep)
    }

    fn tool_result(&self, fields: &Fields<'_>) -> Result<Change, &'static str> {
        self.in_step(fields)?;
        let call = call_key(fields.call);
        let is_pending = call
            .as_ref()
            .is_some_and(|call| self.pending_calls.get(call).is_some());
        require(
            is_pending || fields.is_interrupted(),
            "a tool result needs a call of its step without one",
        )?;
        Ok(Change::Result(call))
    }

    fn in_step(&self, fields: &Fields<'_>) -> Result<(), &'static str> {
        require(
            is(fields.turn, self.open_turn) && is(fields.step, self.open_step),
            "an event of a step must stand in it",
        )
    }
}

impl<'a> Fields<'a> {
    fn read(data: &'a [u8]) -> Self {
        let [turn, step, call, is_error, error] =
            members(data, ["turn", "step", "callId", "isError", "error"]);
        let number = |value: Option<&[u8]>| Reader::new(value?).number();
        Self {
            turn: number(turn),
            step: number(step),
            call,
            is_error,
            error,
        }
    }

    /// Whether a result says that its call was interrupted: repair writes such results for calls never seen.
    fn is_interrupted(&self) -> bool {
        let [code] = members(self.error.unwrap_or_default(), ["code"]);
        self.is_error.and_then(kind_of) == Some(Kind::True)
            && code
                .and_then(string)
                .is_some_and(|code| code.eq_str("interrupted"))
    }
}

/// The key of an id, as a set of JavaScript would tell ids apart; `None` for an object, which equals no other.
fn call_key(id: Option<&[u8]>) -> Option<CallKey> {
    let Some(id) = id else {
        return Some(Vec::new());
    };
    match kind_of(id)? {
        Kind::Object | Kind::Array => None,
        Kind::String => Some([b"\"", string(id)?.to_wtf8().as_ref()].concat()),
        Kind::Number => Some(
            [
                b"0".as_slice(),
                &Reader::new(id).number()?.to_bits().to_le_bytes(),
            ]
            .concat(),
        ),
        Kind::True => Some(b"t".to_vec()),
        Kind::False => Some(b"f".to_vec()),
        Kind::Null => Some(b"n".to_vec()),
    }
}

fn is(found: Option<f64>, expected: Option<u64>) -> bool {
    expected.is_some() && found == expected.map(|number| number as f64)
}

fn require(holds: bool, rule: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(rule) }
}

fn violated(seq: f64, rule: &str) -> SessionError {
    let message = format!("invariant violated: {rule}");
    let error = SessionError::new(SessionCode::Invariant, message);
    if seq.is_nan() {
        return error;
    }
    error.with("seq", seq)
}

/// Checks events, given as checked JSON texts, from the first. Linear in the texts.
///
/// # Errors
/// As [`Invariants::check`], for the first event that breaks a rule, with its `index` in the list.
pub fn check_invariants<'a>(
    events: impl IntoIterator<Item = &'a [u8]>,
) -> Result<(), SessionError> {
    let mut invariants = Invariants::default();
    for (index, text) in events.into_iter().enumerate() {
        let event = Event::read(text).unwrap_or_default();
        let next = invariants
            .check(&event)
            .map_err(|error| error.with("index", index as f64))?;
        invariants.advance(next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of these types and data, numbered from 0.
    fn run(events: &[(&str, &str)]) -> Result<(), f64> {
        let texts: Vec<String> = events
            .iter()
            .enumerate()
            .map(|(seq, (kind, data))| {
                format!(r#"{{"type":"{kind}","seq":{seq},"time":0,"data":{data}}}"#)
            })
            .collect();
        check_invariants(texts.iter().map(|text| text.as_bytes())).map_err(|error| {
            assert_eq!(error.code, SessionCode::Invariant);
            error.details[1].1
        })
    }

    const TURN: (&str, &str) = ("turn/start", r#"{"turn":1}"#);
    const STEP: (&str, &str) = ("step/start", r#"{"turn":1,"step":1}"#);
    const CALL: (&str, &str) = ("tool/call", r#"{"turn":1,"step":1,"callId":"\u0063"}"#);
    const RESULT: (&str, &str) = (
        "tool/result",
        r#"{"turn":1,"step":1,"callId":"c","isError":false}"#,
    );
    const STEP_END: (&str, &str) = ("step/end", r#"{"turn":1,"step":1}"#);
    const TURN_END: (&str, &str) = ("turn/end", r#"{"turn":1}"#);

    #[test]
    fn a_closed_turn_may_follow_another() {
        let second = ("turn/start", r#"{"turn":2.0}"#);
        let step = ("step/start", r#"{"step":1,"turn":2}"#);
        let events = [
            TURN,
            ("user/message", "null"),
            STEP,
            CALL,
            RESULT,
            STEP_END,
            TURN_END,
            second,
            step,
        ];
        assert_eq!(run(&events), Ok(()));
    }

    #[test]
    fn the_first_event_that_breaks_a_rule_is_named() {
        let third = ("turn/start", r#"{"turn":3}"#);
        let other_step = ("step/end", r#"{"turn":1,"step":2}"#);
        for events in [
            &[("user/message", "{}")][..],
            &[TURN_END],
            &[STEP],
            &[third],
            &[("turn/start", "null")],
            &[TURN, TURN],
            &[TURN, STEP, STEP],
            &[TURN, STEP, TURN_END],
            &[TURN, STEP, other_step],
            &[TURN, STEP_END],
            &[TURN, ("assistant/message", r#"{"turn":1}"#)],
            &[TURN, ("step/start", r#"{"turn":1,"step":"1"}"#)],
            &[TURN, TURN_END, third],
            &[TURN, TURN_END, ("todo/write", "{}")],
            &[TURN, STEP, RESULT],
            &[TURN, STEP, CALL, RESULT, RESULT],
            &[TURN, STEP, CALL, STEP_END, RESULT],
        ] {
            assert_eq!(run(events), Err(events.len() as f64 - 1.0), "{events:?}");
        }
    }

    #[test]
    fn an_interrupted_call_need_not_have_been_seen() {
        let result = |error: &str| -> Result<(), f64> {
            let data = format!(r#"{{"turn":1,"step":1,"callId":"x",{error}}}"#);
            run(&[TURN, STEP, ("tool/result", &data)])
        };
        assert_eq!(
            result(r#""isError":true,"error":{"code":"interrupted"}"#),
            Ok(())
        );
        for error in [
            r#""isError":false,"error":{"code":"interrupted"}"#,
            r#""isError":true,"error":{"code":"other"}"#,
            r#""isError":true,"error":"interrupted""#,
            r#""isError":true"#,
        ] {
            assert_eq!(result(error), Err(2.0), "{error}");
        }
    }

    #[test]
    fn ids_of_any_kind_are_told_apart() {
        let call = |id: &str| format!(r#"{{"turn":1,"step":1{id}}}"#);
        let answers = |one: &str, other: &str| {
            let (one, other) = (call(one), call(other));
            run(&[TURN, STEP, ("tool/call", &one), ("tool/result", &other)]).is_ok()
        };
        for id in ["", "null", "1", r#""1""#, "true", r#""\ud83d""#] {
            let id = if id.is_empty() {
                String::new()
            } else {
                format!(r#","callId":{id}"#)
            };
            assert!(answers(&id, &id), "{id}");
        }
        assert!(answers(r#","callId":1.0"#, r#","callId":1"#));
        assert!(!answers(r#","callId":1"#, r#","callId":"1""#));
        assert!(!answers(r#","callId":"null""#, r#","callId":null"#));
        assert!(!answers(r#","callId":{}"#, r#","callId":{}"#));
    }

    #[test]
    fn a_refused_event_leaves_no_trace() {
        let mut invariants = Invariants::default();
        let event = |text: &'static str| Event::read(text.as_bytes()).unwrap();
        let next = invariants.check(&event(r#"{"type":"turn/start","seq":4,"data":{"turn":1}}"#));
        invariants.advance(next.unwrap());
        let before = invariants.clone();
        for text in [
            r#"{"type":"turn/end","seq":4,"data":{"turn":1}}"#,
            r#"{"type":"turn/end","data":{"turn":1}}"#,
            r#"{"type":"turn/end","seq":5}"#,
            "{}",
        ] {
            let error = invariants.check(&event(text)).unwrap_err();
            assert!(error.message.starts_with("invariant violated: "));
        }
        assert_eq!(invariants, before);
        assert!(
            invariants
                .check(&event(r#"{"type":7,"seq":4.5,"data":0}"#))
                .is_ok()
        );
    }
}
