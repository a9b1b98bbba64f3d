//! The header of model requests: its canonical form, what a log says it is, and when two are the same
//! (spec 2-session.md, section 7).
//!
//! A header is `{config, system?, tools?, messagePrefix?}`. The log keeps each one as it was appended; what it means is
//! the canonical form of the last.
//!
//! Append does not look into a header, so members may be of any type. Whether one is "empty" is then what JavaScript
//! would say: `system` by its truth, the two lists by the truth of `length > 0`, which a string has too.

use super::error::{SessionCode, SessionError};
use super::event::{Event, items, kind_of, member, string};
use super::object::object;
use crate::json::{Kind, Reader, same_value, stringify};

/// The canonical form of a header of checked JSON text: `{config}`, then `system`, `tools` and `messagePrefix` where they
/// are not empty; no other key. Values are copied as they are written.
///
/// # Errors
/// [`SessionCode::MalformedHeader`] for what is no object or has no object as its `config`. Provider and model may be
/// missing (spec 2-session.md, 4).
pub fn canonical_header(header: &[u8]) -> Result<Vec<u8>, SessionError> {
    let config = member(header, "config").filter(|it| kind_of(it) == Some(Kind::Object));
    if config.is_none() {
        return Err(malformed());
    }
    Ok(object(&[
        ("config", config),
        ("system", member(header, "system").filter(|it| is_true(it))),
        ("tools", member(header, "tools").filter(|it| has_items(it))),
        (
            "messagePrefix",
            member(header, "messagePrefix").filter(|it| has_items(it)),
        ),
    ]))
}

/// The header an event sets, in canonical form; `None` for other events than `request/header`.
///
/// # Errors
/// As [`canonical_header`], with the event's `data.header`.
pub fn header_of_event(event: &[u8]) -> Option<Result<Vec<u8>, SessionError>> {
    let event = Event::read(event)?;
    event.is("request/header").then(|| {
        event
            .data
            .and_then(|data| member(data, "header"))
            .ok_or_else(malformed)
            .and_then(canonical_header)
    })
}

/// The header that events leave behind: the last one's canonical form; without any, `from` untouched.
///
/// Looks at events from the newest to the last header, so an older malformed header does no harm.
///
/// # Errors
/// As [`header_of_event`], for the last header.
pub fn fold_request_header(
    events: &[&[u8]],
    from: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, SessionError> {
    let last = events.iter().rev().find_map(|event| header_of_event(event));
    last.transpose()
        .map(|header| header.or_else(|| from.map(<[u8]>::to_vec)))
}

/// Whether two headers ask for the same (7.4).
///
/// Of `config` only provider, model, temperature, `maxTokens` and `stop` count; they and `system` must be the same value or
/// be missing in both. `tools` and `messagePrefix` must have the same JSON text (the order of keys matters, the
/// spelling does not); missing, `null` and empty are then the same.
///
/// Objects where a plain value belongs are compared by value: JavaScript's `===` would tell any two apart.
pub fn header_equals(a: &[u8], b: &[u8]) -> bool {
    let config = |header| member(header, "config").unwrap_or_default();
    let (config_a, config_b) = (config(a), config(b));
    ["provider", "model", "temperature", "maxTokens", "stop"]
        .iter()
        .all(|name| same_member(config_a, config_b, name))
        && same_member(a, b, "system")
        && ["tools", "messagePrefix"]
            .iter()
            .all(|name| list_text(a, name) == list_text(b, name))
}

fn same_member(a: &[u8], b: &[u8], name: &str) -> bool {
    match (member(a, name), member(b, name)) {
        (Some(a), Some(b)) => same_value(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn list_text(header: &[u8], name: &str) -> Vec<u8> {
    match member(header, name) {
        Some(list) if kind_of(list) != Some(Kind::Null) => stringify(list),
        _ => b"[]".to_vec(),
    }
}

/// Whether JavaScript takes a value for true.
fn is_true(value: &[u8]) -> bool {
    match kind_of(value) {
        Some(Kind::String) => string(value).is_some_and(|text| !text.is_empty()),
        Some(Kind::Number) => Reader::new(value).number() != Some(0.0),
        Some(Kind::Null | Kind::False) | None => false,
        Some(Kind::Object | Kind::Array | Kind::True) => true,
    }
}

/// Whether a value's `length` is above 0: a list's, a string's, or an object's own member of that name.
fn has_items(value: &[u8]) -> bool {
    match kind_of(value) {
        Some(Kind::Array) => items(value).next().is_some(),
        Some(Kind::String) => string(value).is_some_and(|text| !text.is_empty()),
        Some(Kind::Object) => member(value, "length")
            .and_then(|length| Reader::new(length).number())
            .is_some_and(|length| length > 0.0),
        _ => false,
    }
}

fn malformed() -> SessionError {
    SessionError::new(
        SessionCode::MalformedHeader,
        "a request header must be an object with an object as its config",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(header: &str) -> String {
        String::from_utf8(canonical_header(header.as_bytes()).unwrap()).unwrap()
    }

    fn equals(a: &str, b: &str) -> bool {
        let there = header_equals(a.as_bytes(), b.as_bytes());
        assert_eq!(there, header_equals(b.as_bytes(), a.as_bytes()));
        there
    }

    #[test]
    fn keys_come_in_order_and_empties_go() {
        assert_eq!(
            canonical(
                r#"{"x":1,"messagePrefix":[ 1 ],"tools":[{}],"system":"s\u0061","config":{"model":"m","a":1.0}}"#
            ),
            r#"{"config":{"model":"m","a":1.0},"system":"s\u0061","tools":[{}],"messagePrefix":[ 1 ]}"#
        );
        for empty in [
            r#"{"config":{},"system":"","tools":[ ],"messagePrefix":[]}"#,
            r#"{"config":{},"system":null,"tools":null,"messagePrefix":""}"#,
            r#"{"config":{},"system":0,"tools":{},"messagePrefix":5}"#,
            r#"{"config":{},"system":false,"tools":{"length":0},"messagePrefix":true}"#,
        ] {
            assert_eq!(canonical(empty), r#"{"config":{}}"#);
        }
        let odd = r#"{"config":{},"system":[],"tools":"t","messagePrefix":{"length":1}}"#;
        assert_eq!(canonical(odd), odd);
    }

    #[test]
    fn a_header_without_a_config_is_malformed() {
        for header in ["{}", r#""oops""#, "null", r#"{"config":null}"#, "[]", ""] {
            let error = canonical_header(header.as_bytes()).unwrap_err();
            assert_eq!(error.code, SessionCode::MalformedHeader);
        }
    }

    #[test]
    fn the_last_header_counts() {
        let event = |data: &str| format!(r#"{{"type":"request/header","data":{data}}}"#);
        let good = event(r#"{"header":{"config":{"model":"m"},"system":""},"reason":"because"}"#);
        let (odd, other) = (
            event(r#"{"reason":"initial"}"#),
            r#"{"type":"x","data":{}}"#,
        );
        let fold = |events: &[&str], from: Option<&str>| {
            let events: Vec<&[u8]> = events.iter().map(|event| event.as_bytes()).collect();
            fold_request_header(&events, from.map(str::as_bytes))
                .map(|header| header.map(|text| String::from_utf8(text).unwrap()))
        };
        let from = r#"{"config":{},"system":""}"#;
        assert_eq!(fold(&[], None), Ok(None));
        assert_eq!(fold(&[other], Some(from)), Ok(Some(from.to_owned())));
        let expected = Ok(Some(r#"{"config":{"model":"m"}}"#.to_owned()));
        assert_eq!(fold(&[&odd, &good, other], Some(from)), expected);
        assert_eq!(
            fold(&[&good, &odd], None).unwrap_err().code,
            SessionCode::MalformedHeader
        );
    }

    #[test]
    fn headers_are_the_same_if_they_ask_for_the_same() {
        let plain = r#"{"config":{"provider":"p","model":"m"}}"#;
        for same in [
            plain,
            r#"{"config":{"model":"\u006d","provider":"p","other":1},"tools":[],"messagePrefix":null,"x":1}"#,
        ] {
            assert!(equals(plain, same), "{same}");
        }
        for other in [
            r#"{"config":{"provider":"p"}}"#,
            r#"{"config":{"provider":"p","model":"n"}}"#,
            r#"{"config":{"provider":"p","model":"m","stop":[]}}"#,
            r#"{"config":{"provider":"p","model":"m","temperature":0}}"#,
            r#"{"config":{"provider":"p","model":"m"},"system":""}"#,
            r#"{"config":{"provider":"p","model":"m"},"tools":[1]}"#,
            "null",
        ] {
            assert!(!equals(plain, other), "{other}");
        }
        let with = |rest: &str| format!(r#"{{"config":{{"maxTokens":10,"stop":["a"]}},{rest}}}"#);
        assert!(equals(
            &with(r#""tools":[{"a":1,"b":2}]"#),
            &with(r#""tools":[ {"a":1.0,"b":2} ]"#)
        ));
        assert!(!equals(
            &with(r#""tools":[{"a":1,"b":2}]"#),
            &with(r#""tools":[{"b":2,"a":1}]"#)
        ));
        assert!(!equals(
            &with(r#""messagePrefix":[1,2]"#),
            &with(r#""messagePrefix":[2,1]"#)
        ));
        assert!(equals(
            r#"{"config":{"maxTokens":10,"stop":["a","b"]}}"#,
            r#"{"config":{"maxTokens":1e1,"stop":["a","\u0062"]}}"#
        ));
        assert!(!equals(
            r#"{"config":{"stop":["a","b"]}}"#,
            r#"{"config":{"stop":["b","a"]}}"#
        ));
    }
}
