//! The surface and provenance rules, the same for appended, seeded and folded events (spec 2-session.md, 5).
//!
//! [`check`] says what an event would do to the surface, or why it may not be in the log, and changes nothing;
//! [`apply`] then does it and cannot fail. The rules look at [`Parts`], which a caller that has no JSON text at hand
//! fills itself; [`check_event`] takes them from an event's text.

use super::error::{SessionCode, SessionError};
use super::event::{Event, whole};
use super::parts::{Parts, Sources, SurfaceOp, kind, read_sources, seq};
use super::surface::{Position, Surface};

const ASSISTANT_MESSAGE: &str = "assistant/message";

/// Whether events of this type have a place on the surface.
pub fn is_surface_eligible(kind: &str) -> bool {
    matches!(
        kind,
        "user/message" | ASSISTANT_MESSAGE | "tool/result" | "context/message" | "steering/message"
    )
}

/// Whether an event's type has a place on the surface and the event has a `surfaceOp`, whatever it is (5.10).
pub fn is_surface_event(event: &Event<'_>) -> bool {
    event.surface_op.is_some() && is_surface_eligible(&kind(event))
}

/// What an event does to the surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the event is only in the log.
    LogOnly,
    /// It becomes the last node.
    Append,
    /// It takes the place of a range of nodes.
    Replace {
        /// The first node replaced.
        start: u64,
        /// The last one.
        end: u64,
        /// All of them, in surface order.
        shadowed: Vec<u64>,
    },
}

/// What an event at position `expected` of the log would do to the surface. Linear in its sources and in what it
/// replaces, but for their sorting if they are not in ascending order.
///
/// # Errors
/// In this order: `seq`; then `not_eligible_op`, `not_eligible_src` for a type without a place on the surface, or
/// `marker`, `op`, `replace_op`, `start`, `end`, `order`, `src_array`, `src_empty`, `src_int`, `src_dup`,
/// `src_earlier`, `cover` for one with it.
pub fn check(surface: &Surface, expected: u64, parts: &Parts<'_>) -> Result<Effect, SessionError> {
    if parts.seq != expected as f64 {
        return Err(not_contiguous(parts.seq, expected));
    }
    if !is_surface_eligible(parts.kind) {
        return check_log_only(parts);
    }
    let effect = check_op(surface, parts)?;
    let sources = check_sources(expected, parts)?;
    if let Effect::Replace { shadowed, .. } = &effect {
        check_cover(shadowed, &sources)?;
    }
    Ok(effect)
}

/// As [`check`], for an event given as JSON text.
///
/// # Errors
/// As [`check`].
pub fn check_event(
    surface: &Surface,
    expected: u64,
    event: &Event<'_>,
) -> Result<Effect, SessionError> {
    let kind = kind(event);
    let sources = event.sources.map(read_sources);
    let parts = Parts {
        kind: &kind,
        seq: seq(event),
        op: event.surface_op.map(SurfaceOp::read),
        sources: sources.as_ref().map(|list| match list {
            Some(list) => Sources::List(list),
            None => Sources::NoArray,
        }),
    };
    check(surface, expected, &parts)
}

/// Does what [`check`] said, on the surface it looked at.
pub fn apply(surface: &mut Surface, seq: u64, effect: &Effect) {
    match effect {
        Effect::LogOnly => {}
        Effect::Append => surface.push(seq),
        Effect::Replace { start, end, .. } => {
            surface.replace(*start, *end, seq);
        }
    }
}

fn check_log_only(parts: &Parts<'_>) -> Result<Effect, SessionError> {
    let (code, key) = match (parts.op, parts.sources) {
        (Some(_), _) => (SessionCode::NotEligibleOp, "surfaceOp"),
        (None, Some(_)) => (SessionCode::NotEligibleSrc, "sourceEventSeqs"),
        (None, None) => return Ok(Effect::LogOnly),
    };
    let kind = parts.kind;
    Err(SessionError::new(
        code,
        format!("an event of type \"{kind}\" has no place on the surface and takes no {key}"),
    ))
}

fn check_op(surface: &Surface, parts: &Parts<'_>) -> Result<Effect, SessionError> {
    let kind = parts.kind;
    let (code, what) = match parts.op {
        Some(SurfaceOp::Append) => return Ok(Effect::Append),
        Some(SurfaceOp::Replace { start, end }) => return check_range(surface, start, end),
        None => (SessionCode::Marker, "needs a surfaceOp"),
        Some(SurfaceOp::Unknown) => (
            SessionCode::Op,
            "takes \"append\" or a replacement as surfaceOp",
        ),
        Some(SurfaceOp::BadReplace) => (
            SessionCode::ReplaceOp,
            "takes exactly {op: \"replace\", start, end} as a replacement",
        ),
    };
    Err(SessionError::new(
        code,
        format!("an event of type \"{kind}\" {what}"),
    ))
}

fn check_range(surface: &Surface, start: u64, end: u64) -> Result<Effect, SessionError> {
    let find = |seq, code, name| -> Result<Position, SessionError> {
        surface.position(seq).ok_or_else(|| {
            SessionError::new(code, format!("{name} {seq} is not on the surface"))
                .with(name, seq as f64)
        })
    };
    let first = find(start, SessionCode::Start, "start")?;
    let last = find(end, SessionCode::End, "end")?;
    if first > last {
        let message = format!("start {start} stands behind end {end} on the surface");
        return Err(SessionError::new(SessionCode::Order, message)
            .with("start", start as f64)
            .with("end", end as f64));
    }
    Ok(Effect::Replace {
        start,
        end,
        shadowed: surface.range(first, last),
    })
}

/// The sources in ascending order; none where there is no list.
fn check_sources(seq: u64, parts: &Parts<'_>) -> Result<Vec<u64>, SessionError> {
    let list = match parts.sources {
        None => return Ok(Vec::new()),
        Some(Sources::List(list)) => list,
        Some(Sources::NoArray) => {
            return Err(SessionError::new(
                SessionCode::SrcArray,
                "sourceEventSeqs must be an array",
            ));
        }
    };
    if list.is_empty() && parts.kind != ASSISTANT_MESSAGE {
        return Err(SessionError::new(
            SessionCode::SrcEmpty,
            "only an assistant/message may have empty sourceEventSeqs",
        ));
    }
    let sources = integers(list)?;
    let ascending = distinct(&sources)?;
    check_earlier(seq, &sources)?;
    Ok(ascending)
}

fn integers(list: &[f64]) -> Result<Vec<u64>, SessionError> {
    list.iter()
        .enumerate()
        .map(|(at, &item)| {
            whole(item).ok_or_else(|| {
                let message = "sourceEventSeqs must hold non-negative safe integers";
                SessionError::new(SessionCode::SrcInt, message).with("item", at as f64)
            })
        })
        .collect()
}

/// Refuses the first source, in the order of the list, that is not earlier than the event.
fn check_earlier(seq: u64, sources: &[u64]) -> Result<(), SessionError> {
    let Some(&late) = sources.iter().find(|&&source| source >= seq) else {
        return Ok(());
    };
    let message = format!("source {late} is not earlier than its event, {seq}");
    Err(SessionError::new(SessionCode::SrcEarlier, message)
        .with("source", late as f64)
        .with("seq", seq as f64))
}

/// The sources in ascending order.
fn distinct(sources: &[u64]) -> Result<Vec<u64>, SessionError> {
    let mut ascending = sources.to_vec();
    ascending.sort_unstable();
    match ascending.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(ascending),
        Some(pair) => {
            let message = format!("source {} is named twice", pair[0]);
            Err(SessionError::new(SessionCode::SrcDup, message).with("source", pair[0] as f64))
        }
    }
}

fn check_cover(shadowed: &[u64], ascending_sources: &[u64]) -> Result<(), SessionError> {
    let missing: Vec<u64> = shadowed
        .iter()
        .copied()
        .filter(|seq| ascending_sources.binary_search(seq).is_err())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let count = missing.len();
    let message = format!("sourceEventSeqs must name all that is replaced; {count} are missing");
    let mut error = SessionError::new(SessionCode::Cover, message);
    error.missing = missing;
    Err(error)
}

fn not_contiguous(seq: f64, expected: u64) -> SessionError {
    let message = format!("an event at position {expected} must have that as its seq");
    let error = SessionError::new(SessionCode::Seq, message).with("expected", expected as f64);
    if seq.is_nan() {
        return error;
    }
    error.with("seq", seq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionCode as Code;

    /// A surface of the nodes 0, 9, 2, 3, in this order, and position 10.
    fn surface() -> Surface {
        let mut surface = Surface::default();
        (0..4).for_each(|seq| surface.push(seq));
        assert!(surface.replace(1, 1, 9));
        surface
    }

    fn event(rest: &str) -> Result<Effect, SessionError> {
        let text = format!(r#"{{"type":"user/message","seq":10,"time":0,"data":{{}}{rest}}}"#);
        check_event(&surface(), 10, &Event::read(text.as_bytes()).unwrap())
    }

    fn replacing(start: u64, end: u64, sources: &str) -> Result<Effect, SessionError> {
        event(&format!(
            r#","surfaceOp":{{"op":"replace","start":{start},"end":{end}}}{sources}"#
        ))
    }

    fn appending(kind: &str, sources: Option<Sources<'_>>) -> Result<Effect, SessionError> {
        let parts = Parts {
            kind,
            seq: 10.0,
            op: Some(SurfaceOp::Append),
            sources,
        };
        check(&surface(), 10, &parts)
    }

    fn code<T>(result: Result<T, SessionError>) -> Option<Code> {
        result.err().map(|error| error.code)
    }

    #[test]
    fn exactly_five_types_have_a_place_on_the_surface() {
        for kind in [
            "user/message",
            "assistant/message",
            "tool/result",
            "context/message",
            "steering/message",
        ] {
            assert!(is_surface_eligible(kind));
            assert_eq!(appending(kind, None), Ok(Effect::Append));
        }
        for kind in ["", "turn/start", "tool/call", "User/message"] {
            assert!(!is_surface_eligible(kind));
            assert_eq!(code(appending(kind, None)), Some(Code::NotEligibleOp));
        }
    }

    #[test]
    fn the_position_is_looked_at_first() {
        let parts = |seq| Parts {
            kind: "x",
            seq,
            op: Some(SurfaceOp::Unknown),
            sources: None,
        };
        for seq in [9.0, 11.0, 10.5, -10.0, f64::NAN, f64::INFINITY] {
            assert_eq!(code(check(&surface(), 10, &parts(seq))), Some(Code::Seq));
        }
        assert_eq!(
            code(check(&surface(), 10, &parts(10.0))),
            Some(Code::NotEligibleOp)
        );
    }

    #[test]
    fn an_event_that_is_only_in_the_log_carries_neither() {
        let check = |rest: &str| {
            let text = format!(r#"{{"type":5,"seq":1e1{rest}}}"#);
            check_event(&surface(), 10, &Event::read(text.as_bytes()).unwrap())
        };
        assert_eq!(check(""), Ok(Effect::LogOnly));
        for (rest, expected) in [
            (r#","surfaceOp":null"#, Code::NotEligibleOp),
            (
                r#","sourceEventSeqs":[],"surfaceOp":[]"#,
                Code::NotEligibleOp,
            ),
            (r#","sourceEventSeqs":null"#, Code::NotEligibleSrc),
            (r#","sourceEventSeqs":[]"#, Code::NotEligibleSrc),
        ] {
            assert_eq!(code(check(rest)), Some(expected), "{rest}");
        }
    }

    #[test]
    fn a_wrong_marker_is_reported_before_wrong_sources() {
        for (rest, expected) in [
            ("", Code::Marker),
            (r#","surfaceOp":"Append""#, Code::Op),
            (r#","surfaceOp":[]"#, Code::Op),
            (r#","surfaceOp":{"op":"append"}"#, Code::ReplaceOp),
        ] {
            let rest = format!(r#"{rest},"sourceEventSeqs":{{}}"#);
            assert_eq!(code(event(&rest)), Some(expected), "{rest}");
        }
    }

    #[test]
    fn a_range_follows_the_order_of_the_surface() {
        let effect = replacing(9, 2, r#","sourceEventSeqs":[2,1,9]"#);
        let shadowed = vec![9, 2];
        assert_eq!(
            effect,
            Ok(Effect::Replace {
                start: 9,
                end: 2,
                shadowed
            })
        );
        for (start, end, expected) in [
            (1, 77, Code::Start),
            (0, 1, Code::End),
            (2, 9, Code::Order),
            (10, 10, Code::Start),
        ] {
            // The sources are wrong as well.
            let found = replacing(start, end, r#","sourceEventSeqs":null"#);
            assert_eq!(code(found), Some(expected));
        }
    }

    #[test]
    fn sources_are_checked_rule_by_rule() {
        for (sources, expected) in [
            ("null", Some(Code::SrcArray)),
            ("{}", Some(Code::SrcArray)),
            ("[]", Some(Code::SrcEmpty)),
            ("[12,12,-1]", Some(Code::SrcInt)),
            ("[0,null]", Some(Code::SrcInt)),
            (r#"[[0],"1"]"#, Some(Code::SrcInt)),
            ("[9007199254740992]", Some(Code::SrcInt)),
            ("[12,12]", Some(Code::SrcDup)),
            ("[1,1.0]", Some(Code::SrcDup)),
            ("[3,12,11,10]", Some(Code::SrcEarlier)),
            ("[9,8,0]", None),
        ] {
            let rest = format!(r#","surfaceOp":"append","sourceEventSeqs":{sources}"#);
            assert_eq!(code(event(&rest)), expected, "{sources}");
        }
        let empty = Some(Sources::List(&[]));
        assert_eq!(appending("assistant/message", empty), Ok(Effect::Append));
        let late = appending("user/message", Some(Sources::List(&[3.0, 12.0, 11.0])));
        assert_eq!(late.unwrap_err().details[0], ("source", 12.0));
    }

    #[test]
    fn a_replacement_names_all_it_replaces() {
        for (sources, missing) in [
            ("", vec![0, 9, 2, 3]),
            (r#","sourceEventSeqs":[2,1]"#, vec![0, 9, 3]),
        ] {
            let error = replacing(0, 3, sources).unwrap_err();
            assert_eq!((error.code, error.missing), (Code::Cover, missing));
        }
        assert!(replacing(0, 3, r#","sourceEventSeqs":[3,9,2,1,0]"#).is_ok());
    }

    #[test]
    fn what_was_checked_is_applied() {
        let mut surface = surface();
        apply(&mut surface, 10, &Effect::LogOnly);
        apply(&mut surface, 11, &Effect::Append);
        let (start, end, shadowed) = (9, 3, vec![9, 2, 3]);
        let replace = Effect::Replace {
            start,
            end,
            shadowed,
        };
        apply(&mut surface, 12, &replace);
        assert!(surface.nodes().eq([0, 12, 11]));
        assert_eq!(surface.replace_generation(), 2);
    }

    #[test]
    fn a_surface_event_has_its_type_and_a_marker_of_any_kind() {
        let is = |text: &str| is_surface_event(&Event::read(text.as_bytes()).unwrap());
        assert!(is(r#"{"type":"user/m\u0065ssage","surfaceOp":null}"#));
        assert!(!is(r#"{"type":"user/message"}"#));
        assert!(!is(r#"{"type":"turn/end","surfaceOp":"append"}"#));
        assert!(!is(r#"{"surfaceOp":"append"}"#));
    }
}
