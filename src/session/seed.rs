//! What a seed element must be, and the parts of it that appends have in common (spec 2-session.md, 3.3 and 4.3).
//!
//! That a text is losslessly JSON is its reader's business ([`crate::json::check`]) and comes before all of this.

use super::error::{SessionCode, SessionError};
use super::event::{Event, kind_of, member, safe_integer, string};
use super::parts::kind;
use super::rules::{Effect, check_event};
use super::surface::Surface;
use crate::json::Kind;

const HEADER_DELTA: &str = "request/header-delta";
const HEADER: &str = "request/header";
const ASSISTANT_MESSAGE: &str = "assistant/message";

/// What the seed element at `index`, checked JSON text, does to the surface of those before it.
///
/// # Errors
/// In this order: `seed_delta`, `seed_envelope`, `seed_header` or `seed_prov`, `seed_fallback`, `seed_seq`, and what
/// the surface rules refuse ([`check`](super::rules::check)). `details` has the `index`.
pub fn check_element(text: &[u8], index: u64, surface: &Surface) -> Result<Effect, SessionError> {
    check_read(&Event::read(text).unwrap_or_default(), index, surface)
}

/// The same for an element that was read.
///
/// # Errors
/// As [`check_element`].
pub fn check_read(
    event: &Event<'_>,
    index: u64,
    surface: &Surface,
) -> Result<Effect, SessionError> {
    check_unindexed(event, index, surface).map_err(|mut error| {
        error.message = format!("seed event {index}: {}", error.message);
        error.with("index", index as f64)
    })
}

fn check_unindexed(
    event: &Event<'_>,
    index: u64,
    surface: &Surface,
) -> Result<Effect, SessionError> {
    let kind = kind(event);
    if kind == HEADER_DELTA {
        return Err(delta(SessionCode::SeedDelta));
    }
    let (seq, data) = check_envelope(event)?;
    check_shape(&kind, data)?;
    if is_fallback(&kind, data) {
        return Err(fallback(SessionCode::SeedFallback));
    }
    if seq != index {
        let message = format!("has seq {seq}; a seed counts from 0 without holes");
        return Err(SessionError::new(SessionCode::SeedSeq, message)
            .with("seq", seq as f64)
            .with("expected", index as f64));
    }
    check_event(surface, index, event)
}

/// The position and the data of what has the keys of an event and no others (2.3).
fn check_envelope<'a>(event: &Event<'a>) -> Result<(u64, &'a [u8]), SessionError> {
    let is_sound = !event.has_more
        && event.kind_string().is_some()
        && event.time.and_then(safe_integer).is_some();
    match (event.seq.and_then(safe_integer), event.data) {
        (Some(seq), Some(data)) if is_sound => Ok((seq, data)),
        _ => Err(SessionError::new(
            SessionCode::SeedEnvelope,
            "is no event: {type, seq, time, data, sourceEventSeqs?, surfaceOp?}",
        )),
    }
}

/// Refuses an event that does not say which model it is about: 3.3 step 4, for seeds and for strict appends.
/// `data` is checked JSON text. Data that is null, a scalar or a string is let pass; an array is an object here, as in
/// JavaScript, and has neither name.
///
/// # Errors
/// `seed_header` for a `request/header` without non-empty `header.config.provider` and `.model`; `seed_prov` for an
/// `assistant/message` without those of `provenance`.
pub fn check_shape(kind: &str, data: &[u8]) -> Result<(), SessionError> {
    if !matches!(kind_of(data), Some(Kind::Object | Kind::Array)) {
        return Ok(());
    }
    let (model, code) = match kind {
        HEADER => (
            member(data, "header").and_then(|header| member(header, "config")),
            SessionCode::SeedHeader,
        ),
        ASSISTANT_MESSAGE => (member(data, "provenance"), SessionCode::SeedProv),
        _ => return Ok(()),
    };
    let names_both = ["provider", "model"].into_iter().all(|name| {
        model
            .and_then(|model| member(model, name))
            .and_then(string)
            .is_some_and(|value| !value.is_empty())
    });
    if names_both {
        return Ok(());
    }
    let message = format!("an event of type \"{kind}\" must name provider and model");
    Err(SessionError::new(code, message))
}

/// Refuses an event of the format before version 0 at append (4.3). `data` is checked JSON text.
///
/// # Errors
/// `delta` for the type `request/header-delta`; `fallback` for a `request/header` with that `reason`.
pub fn check_legacy(kind: &str, data: &[u8]) -> Result<(), SessionError> {
    if kind == HEADER_DELTA {
        return Err(delta(SessionCode::Delta));
    }
    if is_fallback(kind, data) {
        return Err(fallback(SessionCode::Fallback));
    }
    Ok(())
}

fn is_fallback(kind: &str, data: &[u8]) -> bool {
    kind == HEADER
        && member(data, "reason")
            .and_then(string)
            .is_some_and(|reason| reason.eq_str("fallback"))
}

fn delta(code: SessionCode) -> SessionError {
    SessionError::new(code, "request/header-delta is not supported any more")
}

fn fallback(code: SessionCode) -> SessionError {
    SessionError::new(
        code,
        "a request/header with reason \"fallback\" is not supported any more",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionCode as Code;

    fn seed(index: u64, text: &str) -> Result<Effect, Code> {
        check_element(text.as_bytes(), index, &Surface::default()).map_err(|error| {
            assert!(error.details.contains(&("index", index as f64)), "{text}");
            error.code
        })
    }

    /// The element 0 with these members behind its type.
    fn first(kind: &str, rest: &str) -> Result<Effect, Code> {
        seed(
            0,
            &format!(r#"{{"type":"{kind}","seq":0,"time":1,{rest}}}"#),
        )
    }

    #[test]
    fn an_old_delta_is_named_before_its_envelope_is_looked_at() {
        let delta = r#"{"x":1,"type":"request/header-delta","seq":"x"}"#;
        assert_eq!(seed(3, delta), Err(Code::SeedDelta));
    }

    #[test]
    fn the_envelope_is_exact() {
        for text in [
            "null",
            "[]",
            "1",
            r#""x""#,
            "{}",
            r#"{"type":1,"seq":0,"time":1,"data":{}}"#,
            r#"{"type":"x","seq":0,"time":1}"#,
            r#"{"type":"x","seq":0,"data":{}}"#,
            r#"{"type":"x","time":0,"data":{}}"#,
            r#"{"type":"x","seq":0,"time":-1,"data":{}}"#,
            r#"{"type":"x","seq":0,"time":0.5,"data":{}}"#,
            r#"{"type":"x","seq":9007199254740992,"time":0,"data":{}}"#,
            r#"{"type":"x","seq":0,"time":1,"data":{},"ignorable":true}"#,
        ] {
            assert_eq!(seed(0, text), Err(Code::SeedEnvelope), "{text}");
        }
        assert_eq!(first("x", r#""data":null"#), Ok(Effect::LogOnly));
        let lone = r#"{"data":null,"time":1e3,"seq":0.0,"type":"\ud83d"}"#;
        assert_eq!(seed(0, lone), Ok(Effect::LogOnly));
    }

    #[test]
    fn a_header_and_an_assistant_name_their_model() {
        for data in [
            "{}",
            "[]",
            r#"{"header":null}"#,
            r#"{"header":"x"}"#,
            r#"{"header":{"config":{"provider":"p"}}}"#,
            r#"{"header":{"config":{"provider":"p","model":""}}}"#,
            r#"{"header":{"config":{"provider":1,"model":"m"}},"reason":"fallback"}"#,
        ] {
            let found = first("request/header", &format!(r#""data":{data}"#));
            assert_eq!(found, Err(Code::SeedHeader), "{data}");
        }
        // Before what is wrong with the surface.
        for data in ["{}", "[]", r#"{"provenance":{"model":"m"}}"#] {
            let found = first("assistant/message", &format!(r#""data":{data}"#));
            assert_eq!(found, Err(Code::SeedProv), "{data}");
        }
        for data in ["null", "1", "true", r#""x""#] {
            let found = first("request/header", &format!(r#""data":{data}"#));
            assert_eq!(found, Ok(Effect::LogOnly), "{data}");
        }
        let sound = r#""data":{"provenance":{"provider":"p","model":"m"}},"surfaceOp":"append""#;
        assert_eq!(first("assistant/message", sound), Ok(Effect::Append));
    }

    #[test]
    fn the_position_comes_behind_the_reason_and_before_the_surface() {
        let header = |reason: &str| {
            format!(
                r#"{{"type":"request/header","seq":0,"time":1,"data":{{"header":{{"config":{{"provider":"p","model":"m"}}}},"reason":"{reason}"}},"surfaceOp":1}}"#
            )
        };
        assert_eq!(seed(1, &header("fallback")), Err(Code::SeedFallback));
        assert_eq!(seed(1, &header("initial")), Err(Code::SeedSeq));
        assert_eq!(seed(0, &header("initial")), Err(Code::NotEligibleOp));
    }

    #[test]
    fn appends_refuse_the_same_format_under_other_codes() {
        let legacy = |kind, data: &str| check_legacy(kind, data.as_bytes()).map_err(|e| e.code);
        assert_eq!(legacy("request/header-delta", "null"), Err(Code::Delta));
        assert_eq!(
            legacy("request/header", r#"{"reason":"f\u0061llback"}"#),
            Err(Code::Fallback)
        );
        for (kind, data) in [
            ("request/header", r#"["fallback"]"#),
            ("request/header", r#"{"reason":"initial"}"#),
            ("request/header", r#""fallback""#),
            ("x", r#"{"reason":"fallback"}"#),
        ] {
            assert_eq!(legacy(kind, data), Ok(()));
        }
    }
}
