//! String literals: kept escaped, decoded only when a rule needs the characters.

use std::borrow::Cow;

use super::bytes;
use super::utf8::is_utf8;

/// What stands between the quotes of a JSON string, still escaped.
///
/// The methods expect the inside of a literal that [`check`](super::check()) accepts. On other bytes
/// they give some answer and never panic.
#[derive(Clone, Copy, Debug)]
pub struct RawStr<'a> {
    escaped: &'a [u8],
}

impl<'a> RawStr<'a> {
    /// The literal whose inside is `escaped`, without the quotes.
    #[inline]
    pub const fn from_escaped(escaped: &'a [u8]) -> Self {
        Self { escaped }
    }

    /// The bytes between the quotes as they are written.
    #[inline]
    pub const fn escaped(&self) -> &'a [u8] {
        self.escaped
    }

    /// Whether the string has no characters.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.escaped.is_empty()
    }

    /// Whether the string is `plain`, whatever escapes it is written with.
    #[inline]
    pub fn eq_str(&self, plain: &str) -> bool {
        self.escaped == plain.as_bytes() && !self.has_escape()
            // Every escape is longer than the character it stands for.
            || self.escaped.len() > plain.len() && self.has_escape() && self.to_wtf8() == plain.as_bytes()
    }

    /// Whether two literals stand for the same UTF-16 code units, whatever escapes they use.
    #[inline]
    pub fn same_units(&self, other: &RawStr<'_>) -> bool {
        self.escaped == other.escaped
            || (self.has_escape() || other.has_escape()) && self.to_wtf8() == other.to_wtf8()
    }

    /// The string's characters, or `None` if it holds half a surrogate pair (or is not a literal).
    pub fn decode(&self) -> Option<Cow<'a, str>> {
        match self.to_wtf8() {
            Cow::Borrowed(bytes) => core::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        }
    }

    /// UTF-16 code units, which is what JavaScript's `.length` says after parsing.
    #[inline]
    pub fn utf16_len(&self) -> usize {
        let (units, has_escape) = bytes::utf16_units(self.escaped);
        if has_escape {
            units.saturating_sub(self.units_saved_by_escapes())
        } else {
            units
        }
    }

    /// By how many its escapes make the string shorter than it is written.
    fn units_saved_by_escapes(&self) -> usize {
        let mut saved = 0;
        let mut at = bytes::find_backslash(self.escaped, 0);
        while let Some(escape) = self.escaped.get(at..)
            && !escape.is_empty()
        {
            // Each escape, \uXXXX included, is written in ASCII and stands for exactly one code unit.
            let len = escape_len(escape).min(escape.len());
            saved += len - 1;
            at = bytes::find_backslash(self.escaped, at + len);
        }
        saved
    }

    /// Whether every surrogate has its other half, so that the string survives an encoding as UTF-8.
    pub fn is_well_formed(&self) -> bool {
        let mut rest = self.escaped;
        loop {
            let (_, escape) = rest.split_at(bytes::find_backslash(rest, 0));
            if escape.is_empty() {
                return true;
            }
            let (point, len) = unescape(escape);
            if is_surrogate(point) {
                return false;
            }
            rest = escape.get(len..).unwrap_or_default();
        }
    }

    /// Appends the string as `JSON.stringify` spells it, with its quotes: no escape but where one is needed, halves
    /// of surrogate pairs as `\\udxxx`.
    pub fn write_respelled(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        let mut rest = self.escaped;
        loop {
            let (plain, escape) = rest.split_at(bytes::find_backslash(rest, 0));
            out.extend_from_slice(plain);
            if escape.is_empty() {
                break;
            }
            let (point, len) = unescape(escape);
            match u8::try_from(point) {
                Ok(byte) if byte < b' ' || matches!(byte, b'"' | b'\\') => push_escape(out, byte),
                _ if is_surrogate(point) => {
                    out.extend_from_slice(format!("\\u{point:04x}").as_bytes());
                }
                _ => push_wtf8(out, point),
            }
            rest = escape.get(len..).unwrap_or_default();
        }
        out.push(b'"');
    }

    #[inline]
    fn has_escape(&self) -> bool {
        bytes::find_backslash(self.escaped, 0) < self.escaped.len()
    }

    /// The string in WTF-8: UTF-8 in which half a surrogate pair is written as three bytes.
    ///
    /// Two strings have the same WTF-8 exactly if they have the same UTF-16 code units.
    pub fn to_wtf8(self) -> Cow<'a, [u8]> {
        if !self.has_escape() {
            return Cow::Borrowed(self.escaped);
        }
        let mut out = Vec::with_capacity(self.escaped.len());
        let mut rest = self.escaped;
        loop {
            let (plain, escape) = rest.split_at(bytes::find_backslash(rest, 0));
            out.extend_from_slice(plain);
            if escape.is_empty() {
                return Cow::Owned(out);
            }
            let (point, len) = unescape(escape);
            push_wtf8(&mut out, point);
            rest = escape.get(len..).unwrap_or_default();
        }
    }
}

/// Length of the one escape that `text` begins with.
#[inline]
fn escape_len(text: &[u8]) -> usize {
    if text.get(1) == Some(&b'u') { 6 } else { 2 }
}

/// The code point of the escape that `text` begins with, and the bytes it takes.
///
/// Two `\u` escapes that form a surrogate pair are one code point; a lone half is itself.
fn unescape(text: &[u8]) -> (u32, usize) {
    let point = match text.get(1) {
        Some(b'u') => {
            let Some(unit) = hex_unit(text) else {
                return (0xFFFD, 2);
            };
            if unit & 0xFC00 == 0xD800
                && let Some(low) = text.get(6..).and_then(hex_unit)
                && low & 0xFC00 == 0xDC00
            {
                return (0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF), 12);
            }
            return (unit, 6);
        }
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => 10,
        Some(b'r') => 13,
        Some(b't') => 9,
        Some(&other) => u32::from(other),
        None => 0xFFFD,
    };
    (point, 2)
}

/// The code unit of `\uXXXX` at the beginning of `text`.
fn hex_unit(text: &[u8]) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = text.first_chunk::<6>()? else {
        return None;
    };
    digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)?)
    })
}

const fn is_surrogate(point: u32) -> bool {
    point & 0xFFFF_F800 == 0xD800
}

fn push_wtf8(out: &mut Vec<u8>, point: u32) {
    match char::from_u32(point) {
        Some(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        // Half a pair: the three-byte form that UTF-8 reserves and does not use.
        None => out.extend_from_slice(&[
            0xE0 | (point >> 12) as u8,
            0x80 | (point >> 6 & 0x3F) as u8,
            0x80 | (point & 0x3F) as u8,
        ]),
    }
}

/// Appends `plain` as a quoted JSON string, spelled as `JSON.stringify` spells it.
pub fn write_string(out: &mut Vec<u8>, plain: &str) {
    let text = plain.as_bytes();
    out.reserve(text.len() + 2);
    out.push(b'"');
    write_escaped(out, text);
    out.push(b'"');
}

/// The same for text in WTF-8, whose halves of surrogate pairs become escapes.
pub fn write_wtf8(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    // Halves are rare; where there are none, one fast pass says so.
    while !is_utf8(rest)
        && let Some((at, unit)) = (0..rest.len()).find_map(|at| Some((at, half_at(rest, at)?)))
    {
        let (plain, half) = rest.split_at(at);
        write_escaped(out, plain);
        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        rest = half.get(3..).unwrap_or_default();
    }
    write_escaped(out, rest);
    out.push(b'"');
}

/// Appends WTF-8 to WTF-8. Halves of a pair that meet become the character they stand for.
pub fn append_wtf8(to: &mut Vec<u8>, from: &[u8]) {
    let high = to.len().checked_sub(3).and_then(|at| half_at(to, at));
    if let (Some(high @ 0xD800..0xDC00), Some(low @ 0xDC00..)) = (high, half_at(from, 0)) {
        to.truncate(to.len() - 3);
        push_wtf8(to, 0x10000 + ((high & 0x3FF) << 10 | low & 0x3FF));
        to.extend_from_slice(from.get(3..).unwrap_or_default());
    } else {
        to.extend_from_slice(from);
    }
}

/// The half of a surrogate pair that stands in WTF-8 at `at`.
fn half_at(text: &[u8], at: usize) -> Option<u32> {
    match *text.get(at..)?.first_chunk::<3>()? {
        [0xED, middle @ 0xA0..=0xBF, last] => {
            Some(0xD000 | u32::from(middle & 0x3F) << 6 | u32::from(last & 0x3F))
        }
        _ => None,
    }
}

/// Appends what stands between the quotes.
fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut at = 0;
    loop {
        let end = bytes::plain_run(text, at).end;
        out.extend_from_slice(text.get(at..end).unwrap_or_default());
        let Some(&byte) = text.get(end) else { break };
        push_escape(out, byte);
        at = end + 1;
    }
}

/// Appends the escape of a quote, a backslash or a control character (ECMAScript, QuoteJSONString).
fn push_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        8 => b'b',
        9 => b't',
        10 => b'n',
        12 => b'f',
        13 => b'r',
        b'"' | b'\\' => byte,
        _ => {
            const HEX: [u8; 16] = *b"0123456789abcdef";
            let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(escaped: &str) -> RawStr<'_> {
        RawStr::from_escaped(escaped.as_bytes())
    }

    #[test]
    fn text_without_escapes_is_borrowed() {
        assert!(matches!(
            raw("schön").decode(),
            Some(Cow::Borrowed("schön"))
        ));
    }

    #[test]
    fn every_escape_is_decoded() {
        let decoded = raw(r#"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83D\uDe00x"#).decode();
        assert_eq!(decoded.as_deref(), Some("\"\\/\u{8}\u{c}\n\r\tAé€😀x"));
    }

    #[test]
    fn a_pair_written_as_two_escapes_is_well_formed_and_counts_two() {
        assert!(raw(r"\ud83d\ude00").is_well_formed());
        assert_eq!(raw(r"\ud83d\ude00").utf16_len(), 2);
        assert_eq!(raw("😀").utf16_len(), 2);
    }

    #[test]
    fn a_half_without_its_other_half_is_not_well_formed() {
        for lone in [
            r"\ud83d",
            r"a\ude00",
            r"\ud83dx",
            r"\ud83d😀",
            r"\ude00\ud83d",
            r"\ud83d\n",
        ] {
            assert!(!raw(lone).is_well_formed(), "{lone}");
            assert_eq!(raw(lone).decode(), None, "{lone}");
        }
        assert!(!raw(r"\ud83d\ud83d\ude00").is_well_formed());
    }

    #[test]
    fn lengths_are_those_of_javascript() {
        assert_eq!(raw("").utf16_len(), 0);
        assert_eq!(raw(r"a\nb").utf16_len(), 3);
        assert_eq!(raw(r"\\u0041").utf16_len(), 6);
        assert_eq!(raw(r"\ud83dé").utf16_len(), 2);
    }

    #[test]
    fn strings_are_equal_whatever_their_spelling() {
        assert!(raw("id").eq_str("id"));
        assert!(raw(r"\u0069d").eq_str("id"));
        assert!(!raw(r"\n").eq_str(r"\n"));
        assert!(!raw(r"\ud83d").eq_str("\u{FFFD}"));
        assert!(raw(r"\ud83d\ude00").same_units(&raw("😀")));
        assert!(raw(r"\uD83D").same_units(&raw(r"\ud83d")));
        assert!(!raw(r"\uD83D").same_units(&raw(r"\ud83e")));
    }

    #[test]
    fn cut_off_escapes_end_quietly() {
        for cut in [
            "\\",
            r"\u",
            r"\u12",
            r"\ud83d\u",
            r"\ud83d\",
            r"\q",
            r"\uzzzz",
        ] {
            raw(cut).utf16_len();
            raw(cut).is_well_formed();
            raw(cut).decode();
            raw(cut).eq_str("x");
        }
        assert_eq!(RawStr::from_escaped(b"\\u\x80\x80\x80\x80").utf16_len(), 0);
    }

    #[test]
    fn a_string_is_respelled_without_needless_escapes() {
        for (written, respelled) in [
            (r"plain é😀", r"plain é😀"),
            (r"\u0061\/\u00e9\uD83D\uDE00\u007f", "a/é😀\u{7f}"),
            (r#"\u0022\u005c\u000A\u0001\n"#, r#"\"\\\n\u0001\n"#),
            (r"\uD83D\uD83dx\uDE00", r"\ud83d\ud83dx\ude00"),
        ] {
            let mut out = Vec::new();
            raw(written).write_respelled(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("\"{respelled}\""));
        }
    }

    #[test]
    fn halves_of_pairs_are_written_as_escapes_and_joined_where_they_meet() {
        let mut text = raw(r"a\ud83d").to_wtf8().into_owned();
        let mut out = Vec::new();
        write_wtf8(&mut out, &text);
        assert_eq!(out, br#""a\ud83d""#);
        append_wtf8(&mut text, &raw(r"\ude00\ud83dé\n\ude00").to_wtf8());
        append_wtf8(&mut text, &raw(r"\ude00").to_wtf8());
        out.clear();
        write_wtf8(&mut out, &text);
        let expected = r#""a😀\ud83dé\n\ude00\ude00""#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn strings_are_written_as_stringify_writes_them() {
        let mut out = Vec::new();
        write_string(
            &mut out,
            "a\"\\/\u{8}\t\n\u{c}\r\u{1}\u{1f}\u{7f}é😀\u{2028}",
        );
        let expected = "\"a\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\u{7f}é😀\u{2028}\"";
        assert_eq!(core::str::from_utf8(&out), Ok(expected));
    }
}
