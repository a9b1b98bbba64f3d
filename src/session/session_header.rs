//! The header of a session: what it is stored with, never an event (spec 2-session.md, 2.2 and 3.5).
//!
//! A header is `{version: 0, id, createdAt, cwd?, parentSession?, seedLength?}` and keeps what else it holds. Here it
//! is JSON text: checked as it was given, or written with its keys in that order. Ids are compared by code units and
//! written with the escapes they came with.

use super::error::{SessionCode, SessionError};
use super::event::{kind_of, member, safe_integer, string};
use crate::json::{Kind, RawStr, Reader};

/// The version of the format that headers name.
pub const SESSION_FORMAT_VERSION: u32 = 0;

/// Whether checked JSON text is a header of the session `id`. Linear in the text.
///
/// # Errors
/// In this order: `hdr_record`, `hdr_version`, `hdr_id`, `hdr_created`, `hdr_cwd_type`, `hdr_cwd_abs`, `hdr_parent`,
/// `hdr_seedlength`. That it is losslessly JSON is the reader's business and comes before.
pub fn check(text: &[u8], id: RawStr<'_>) -> Result<(), SessionError> {
    use SessionCode as Code;
    let field = |name| member(text, name);
    let number = |name| field(name).and_then(|value| Reader::new(value).number());
    // Each rule with its refusal, in the order in which they are reported.
    let rules = [
        (
            kind_of(text) == Some(Kind::Object),
            Code::HdrRecord,
            "must be an object",
        ),
        (
            number("version") == Some(f64::from(SESSION_FORMAT_VERSION)),
            Code::HdrVersion,
            "must have version 0",
        ),
        (
            field("id")
                .and_then(string)
                .is_some_and(|found| found.same_units(&id)),
            Code::HdrId,
            "must have the session's id",
        ),
        (
            number("createdAt").is_some_and(f64::is_finite),
            Code::HdrCreated,
            "must have a finite number as createdAt",
        ),
        (
            field("cwd").is_none_or(|cwd| string(cwd).is_some()),
            Code::HdrCwdType,
            "must have a string as cwd",
        ),
        (
            field("cwd").is_none_or(is_absolute),
            Code::HdrCwdAbs,
            "must have an absolute path as cwd",
        ),
        (
            field("parentSession").is_none_or(|parent| string(parent).is_some()),
            Code::HdrParent,
            "must have a string as parentSession",
        ),
        (
            field("seedLength").is_none_or(|length| safe_integer(length).is_some()),
            Code::HdrSeedLength,
            "must have a non-negative safe integer as seedLength",
        ),
    ];
    match rules.into_iter().find(|(holds, ..)| !holds) {
        None => Ok(()),
        Some((_, code, message)) => Err(SessionError::new(
            code,
            format!("a session header {message}"),
        )),
    }
}

/// By the rule of POSIX: there is no other path in a browser.
fn is_absolute(path: &[u8]) -> bool {
    string(path).is_some_and(|path| path.to_wtf8().starts_with(b"/"))
}

/// The header of a session that was given none. `now` is epoch milliseconds.
pub fn synthesised(id: RawStr<'_>, now: u64) -> Vec<u8> {
    write(id, now.to_string().as_bytes(), None, None, None)
}

/// The header of a session that a store creates (9.1): of `meta`, checked JSON text, what a header knows; nothing if it
/// is no object. `now` is the `createdAt` of a meta without one.
///
/// # Errors
/// As [`check`], for what meta holds. A null is a value and no missing key.
pub fn of_created(id: RawStr<'_>, meta: Option<&[u8]>, now: u64) -> Result<Vec<u8>, SessionError> {
    let field = |name| meta.and_then(|meta| member(meta, name));
    let now = now.to_string();
    let header = write(
        id,
        field("createdAt").unwrap_or(now.as_bytes()),
        field("cwd"),
        field("parentSession"),
        field("seedLength"),
    );
    check(&header, id)?;
    Ok(header)
}

/// The header of a fork's child (9.5), which takes its `cwd` from the checked header of its source. `seed_length` is
/// the number of events copied.
pub fn of_fork(
    id: RawStr<'_>,
    source_id: RawStr<'_>,
    source_header: &[u8],
    seed_length: u64,
    now: u64,
) -> Vec<u8> {
    write(
        id,
        now.to_string().as_bytes(),
        member(source_header, "cwd"),
        Some(&quoted(source_id)),
        Some(seed_length.to_string().as_bytes()),
    )
}

fn quoted(string: RawStr<'_>) -> Vec<u8> {
    [b"\"", string.escaped(), b"\""].concat()
}

/// A header of these values, each JSON text, in the order of its keys.
fn write(
    id: RawStr<'_>,
    created_at: &[u8],
    cwd: Option<&[u8]>,
    parent: Option<&[u8]>,
    seed_length: Option<&[u8]>,
) -> Vec<u8> {
    let mut out = format!(r#"{{"version":{SESSION_FORMAT_VERSION},"id":"#).into_bytes();
    out.extend_from_slice(&quoted(id));
    let fields = [
        ("createdAt", Some(created_at)),
        ("cwd", cwd),
        ("parentSession", parent),
        ("seedLength", seed_length),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            out.extend_from_slice(value);
        }
    }
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionCode as Code;

    const ID: RawStr<'static> = RawStr::from_escaped(b"s");

    fn checked(text: &str) -> Result<(), Code> {
        check(text.as_bytes(), ID).map_err(|error| error.code)
    }

    /// A header with these members behind the required ones.
    fn with(rest: &str) -> Result<(), Code> {
        checked(&format!(r#"{{"version":0,"id":"s","createdAt":1{rest}}}"#))
    }

    fn created(id: &str, meta: &str) -> Result<String, Code> {
        of_created(
            RawStr::from_escaped(id.as_bytes()),
            Some(meta.as_bytes()),
            7,
        )
        .map(|header| String::from_utf8(header).unwrap())
        .map_err(|error| error.code)
    }

    #[test]
    fn the_required_fields_are_checked_in_order() {
        for text in ["null", "1", "[]", r#""x""#] {
            assert_eq!(checked(text), Err(Code::HdrRecord), "{text}");
        }
        for (text, expected) in [
            (r#"{"id":"s"}"#, Code::HdrVersion),
            (r#"{"version":"0"}"#, Code::HdrVersion),
            (r#"{"version":1}"#, Code::HdrVersion),
            (r#"{"version":0}"#, Code::HdrId),
            (r#"{"version":0,"id":1}"#, Code::HdrId),
            (r#"{"version":0,"id":"t","cwd":1}"#, Code::HdrId),
            (r#"{"version":0,"id":"s","cwd":1}"#, Code::HdrCreated),
            (
                r#"{"version":0,"id":"s","createdAt":"1"}"#,
                Code::HdrCreated,
            ),
        ] {
            assert_eq!(checked(text), Err(expected), "{text}");
        }
        assert_eq!(
            checked(r#"{"createdAt":-1.5,"x":[1],"id":"\u0073","version":0.0}"#),
            Ok(())
        );
    }

    #[test]
    fn the_optional_fields_are_checked_if_they_are_there() {
        for (rest, expected) in [
            (r#","parentSession":1,"cwd":null"#, Code::HdrCwdType),
            (r#","parentSession":1,"cwd":"""#, Code::HdrCwdAbs),
            (r#","cwd":"C:/x""#, Code::HdrCwdAbs),
            (r#","seedLength":-1,"parentSession":null"#, Code::HdrParent),
            (r#","seedLength":null"#, Code::HdrSeedLength),
            (r#","seedLength":0.5"#, Code::HdrSeedLength),
        ] {
            assert_eq!(with(rest), Err(expected), "{rest}");
        }
        for rest in [
            "",
            r#","cwd":"/","parentSession":"","seedLength":0"#,
            r#","cwd":"\/\ud83d""#,
            r#","cwd":"\u002Fx""#,
        ] {
            assert_eq!(with(rest), Ok(()), "{rest}");
        }
    }

    #[test]
    fn ids_are_compared_by_code_units() {
        let half = br#"{"version":0,"id":"\ud83D","createdAt":1}"#;
        assert!(check(half, RawStr::from_escaped(br"\uD83d")).is_ok());
        assert!(check(half, RawStr::from_escaped(br"\ud83e")).is_err());
        let empty = synthesised(RawStr::from_escaped(b""), 5);
        assert_eq!(empty, br#"{"version":0,"id":"","createdAt":5}"#);
        assert!(check(&empty, RawStr::from_escaped(b"")).is_ok());
    }

    #[test]
    fn a_created_header_takes_what_it_knows_from_meta() {
        assert_eq!(
            created(
                r"\ud83d",
                r#"{"seedLength":3,"x":1,"parentSession":"p","createdAt":1.5,"cwd":"/w"}"#
            )
            .as_deref(),
            Ok(
                r#"{"version":0,"id":"\ud83d","createdAt":1.5,"cwd":"/w","parentSession":"p","seedLength":3}"#
            )
        );
        for meta in ["{}", "null", r#"{"id":"t","version":1}"#] {
            assert_eq!(
                created("s", meta).as_deref(),
                Ok(r#"{"version":0,"id":"s","createdAt":7}"#)
            );
        }
        assert_eq!(created("s", r#"{"cwd":"w"}"#), Err(Code::HdrCwdAbs));
        assert_eq!(created("s", r#"{"createdAt":null}"#), Err(Code::HdrCreated));
    }

    #[test]
    fn a_child_inherits_where_it_works_and_names_its_parent() {
        let source =
            br#"{"version":0,"id":"p","createdAt":1,"cwd":"/w","parentSession":"q","x":1}"#;
        let child = of_fork(ID, RawStr::from_escaped(b"p"), source, 3, 9);
        let expected = br#"{"version":0,"id":"s","createdAt":9,"cwd":"/w","parentSession":"p","seedLength":3}"#;
        assert_eq!(child, expected);
        assert!(check(&child, ID).is_ok());
        let bare = of_fork(ID, RawStr::from_escaped(b"p"), b"{}", 0, 9);
        assert!(!bare.windows(3).any(|window| window == b"cwd"));
    }
}
