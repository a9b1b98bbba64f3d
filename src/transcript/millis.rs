//! Durations as whole milliseconds (spec 3-transcript.md, 1.1 and 2.3).
//!
//! Seconds have 64 bits, as in the native form, so milliseconds need ten more: they are read and written as digits.

use super::time::{Span, parse_iso_duration, read_whole};
use crate::json::Reader;

/// Reads a number of milliseconds, JSON text of nothing but digits.
pub(super) fn read(text: &[u8]) -> Option<Span> {
    let (mut secs, mut millis) = text.split_at(text.len().saturating_sub(3));
    let whole = if secs.is_empty() {
        0
    } else {
        read_whole(&mut secs)?
    };
    let rest = read_whole(&mut millis)?;
    (secs.is_empty() && millis.is_empty()).then_some(Span {
        secs: whole,
        nanos: rest as u32 * 1_000_000,
    })
}

/// Reads such a number or ISO 8601 text, JSON text both.
pub(super) fn read_or_iso(text: &[u8]) -> Option<Span> {
    match Reader::new(text).string() {
        Some(string) => parse_iso_duration(&string.to_wtf8()),
        None => read(text),
    }
}

/// Appends the whole milliseconds, rounded down. True where they lose something.
pub(super) fn write(out: &mut Vec<u8>, span: Span) -> bool {
    let millis = span.nanos / 1_000_000;
    let text = if span.secs > 0 {
        format!("{}{millis:03}", span.secs)
    } else {
        millis.to_string()
    };
    out.extend_from_slice(text.as_bytes());
    !span.nanos.is_multiple_of(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_come_back_and_seconds_have_64_bits() {
        for text in [
            "0",
            "7",
            "999",
            "1000",
            "61005",
            "18446744073709551615",
            "18446744073709551615999",
        ] {
            let mut out = Vec::new();
            assert!(!write(&mut out, read(text.as_bytes()).unwrap()), "{text}");
            assert_eq!(out, text.as_bytes());
        }
        for text in [
            "",
            "-1",
            "1.0",
            "1e3",
            "+1",
            "1 000",
            "18446744073709551616000",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        let mut out = Vec::new();
        assert!(write(&mut out, read_or_iso(br#""PT0.00075S""#).unwrap()));
        assert_eq!(out, b"0");
    }
}
