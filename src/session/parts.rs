//! What the surface rules look at in an event: read from JSON text, or filled in by a caller that has none.

use std::borrow::Cow;

use super::event::{Event, kind_of, safe_integer, string, whole};
use crate::json::{Kind, Reader};

/// What stands under `surfaceOp`. What is wrong with it is only said where the rules come to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceOp {
    /// `"append"`
    Append,
    /// `{op: "replace", start, end}`
    Replace {
        /// The first node to be replaced.
        start: u64,
        /// The last one.
        end: u64,
    },
    /// Neither that word nor an object.
    Unknown,
    /// An object that is no replacement.
    BadReplace,
}

/// What stands under `sourceEventSeqs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sources<'a> {
    /// An array; NaN is an item that is no number.
    List(&'a [f64]),
    /// Anything else.
    NoArray,
}

/// What the rules look at in an event.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The type; empty for one that is no string, which is as good as any other that has no place on the surface.
    pub kind: &'a str,
    /// The event's `seq`; NaN if it is no number.
    pub seq: f64,
    /// `surfaceOp`, if the key is there.
    pub op: Option<SurfaceOp>,
    /// `sourceEventSeqs`, likewise.
    pub sources: Option<Sources<'a>>,
}

impl SurfaceOp {
    /// The operation of `{op: "replace", start, end}` with these numbers; NaN for what is no number.
    pub fn replace(start: f64, end: f64) -> Self {
        match (whole(start), whole(end)) {
            (Some(start), Some(end)) => Self::Replace { start, end },
            _ => Self::BadReplace,
        }
    }

    /// Reads checked JSON text.
    pub fn read(text: &[u8]) -> Self {
        match kind_of(text) {
            Some(Kind::Object) => Self::read_replace(text).unwrap_or(Self::BadReplace),
            Some(Kind::String) if string(text).is_some_and(|s| s.eq_str("append")) => Self::Append,
            _ => Self::Unknown,
        }
    }

    fn read_replace(text: &[u8]) -> Option<Self> {
        let (mut op, mut start, mut end) = (None, None, None);
        let mut reader = Reader::new(text);
        reader.begin_object();
        while let Some(key) = reader.next_key() {
            let value = text.get(reader.skip()?)?;
            let field = [("op", &mut op), ("start", &mut start), ("end", &mut end)]
                .into_iter()
                .find(|(name, _)| key.eq_str(name));
            *field?.1 = Some(value);
        }
        let is_replace = string(op?)?.eq_str("replace");
        is_replace.then_some(Self::Replace {
            start: safe_integer(start?)?,
            end: safe_integer(end?)?,
        })
    }
}

/// The items of an array as numbers, NaN for what is none; `None` for what is no array. Takes checked JSON text.
pub(super) fn read_sources(text: &[u8]) -> Option<Vec<f64>> {
    let mut reader = Reader::new(text);
    if !reader.begin_array() {
        return None;
    }
    let mut items = Vec::new();
    while reader.next_item() {
        let number = reader.number();
        if number.is_none() {
            reader.skip()?;
        }
        items.push(number.unwrap_or(f64::NAN));
    }
    Some(items)
}

/// The type, or nothing for one that is no string. One with half a surrogate pair is none that the rules know.
pub(super) fn kind<'a>(event: &Event<'a>) -> Cow<'a, str> {
    event
        .kind_string()
        .and_then(|kind| kind.decode())
        .unwrap_or_default()
}

/// `seq`, or NaN if it is no number.
pub(super) fn seq(event: &Event<'_>) -> f64 {
    event
        .seq
        .and_then(|seq| Reader::new(seq).number())
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_and_the_exact_object_are_operations() {
        use SurfaceOp::{Append, BadReplace, Replace, Unknown};
        let (start, end) = (1, 2);
        for (text, expected) in [
            (r#""append""#, Append),
            (r#""\u0061ppend""#, Append),
            (r#""replace""#, Unknown),
            ("null", Unknown),
            ("1", Unknown),
            ("true", Unknown),
            (r#"["append"]"#, Unknown),
            (
                r#"{"op":"replace","start":1,"end":2}"#,
                Replace { start, end },
            ),
            (
                r#" {"end":2e0,"start":1.0,"op":"replace"}"#,
                Replace { start, end },
            ),
            (
                r#"{"op":1,"op":"replace","start":1,"end":2}"#,
                Replace { start, end },
            ),
            (r#"{"op":"append","start":1,"end":2}"#, BadReplace),
            (r#"{"op":"replace","start":1}"#, BadReplace),
            (r#"{"op":"replace","start":1,"end":2,"x":0}"#, BadReplace),
            (r#"{"op":"replace","start":1,"end":-2}"#, BadReplace),
            (r#"{"op":"replace","start":1,"end":2.5}"#, BadReplace),
            (r#"{"op":"replace","start":"1","end":2}"#, BadReplace),
            (
                r#"{"op":"replace","start":1,"end":9007199254740992}"#,
                BadReplace,
            ),
            ("{}", BadReplace),
        ] {
            assert_eq!(SurfaceOp::read(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(SurfaceOp::replace(1.0, 2.0), Replace { start, end });
        assert_eq!(SurfaceOp::replace(f64::NAN, 2.0), BadReplace);
    }

    #[test]
    fn sources_are_numbers_and_things_that_are_none() {
        let read = read_sources(br#"[1, {"a":[2]}, "3", -4.5, null]"#).unwrap();
        assert_eq!((read[0], read[3]), (1.0, -4.5));
        assert!([1, 2, 4].iter().all(|&at| read[at].is_nan()) && read.len() == 5);
        assert_eq!(read_sources(b"[]"), Some(Vec::new()));
        assert_eq!(read_sources(b"{}"), None);
        assert_eq!(read_sources(b"null"), None);
    }
}
