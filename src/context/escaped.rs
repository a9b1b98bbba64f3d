//! Texts as they stand between the quotes of JSON strings: looking at their characters, and cutting them.

use std::borrow::Cow;

use crate::json::{RawStr, find_byte, write_string, write_wtf8};

/// The inside of a JSON string, still escaped.
pub type Escaped<'a> = Cow<'a, [u8]>;

/// The code units of an escaped text, in WTF-8.
pub(super) fn units(escaped: &[u8]) -> Cow<'_, [u8]> {
    RawStr::from_escaped(escaped).to_wtf8()
}

/// UTF-16 code units, which is what JavaScript's `.length` says.
pub(super) fn len(escaped: &[u8]) -> u64 {
    RawStr::from_escaped(escaped).utf16_len() as u64
}

/// Whether there is nothing but white space: what Unicode calls so, and the byte order mark, as JavaScript's `trim` sees it.
pub(super) fn is_blank(escaped: &[u8]) -> bool {
    match escaped.first() {
        None => true,
        // What begins with a letter, as nearly all texts do, is told apart without decoding.
        Some(first) if first.is_ascii_graphic() && *first != b'\\' => false,
        Some(_) => {
            let text = units(escaped);
            white_start(&text, text.len()) == 0
        }
    }
}

/// The text without the white space at its end; `None` if there is none.
pub(super) fn without_trailing_space(escaped: &[u8]) -> Option<Vec<u8>> {
    let text = units(escaped);
    let end = white_start(&text, text.len());
    (end < text.len()).then(|| escape(&text[..end]))
}

/// Where the white space begins that ends at `end`.
fn white_start(text: &[u8], end: usize) -> usize {
    let mut at = end;
    while at > 0 {
        let before = previous(text, at);
        let is_white = char::from_u32(point(text, before))
            .is_some_and(|char| char.is_whitespace() || char == '\u{feff}');
        if !is_white {
            break;
        }
        at = before;
    }
    at
}

/// Text in WTF-8 as the inside of a JSON string.
pub(super) fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_wtf8(&mut out, text);
    unquoted(out)
}

/// Plain text likewise.
pub(super) fn escape_str(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, text);
    unquoted(out)
}

fn unquoted(mut quoted: Vec<u8>) -> Vec<u8> {
    quoted.pop();
    quoted.remove(0);
    quoted
}

/// Where the code point before `at` begins.
pub(super) fn previous(text: &[u8], at: usize) -> usize {
    let mut start = at.min(text.len()).saturating_sub(1);
    while start > 0 && text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    start
}

/// Where the code point behind the one at `at` begins.
pub(super) fn next(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while text.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
        end += 1;
    }
    end.min(text.len())
}

/// The code point at `at`, which is where one begins; halves of surrogate pairs are their own.
pub(super) fn point(text: &[u8], at: usize) -> u32 {
    let Some(&first) = text.get(at) else { return 0 };
    let start = match first {
        0..0xC0 => return u32::from(first),
        0xC0..0xE0 => u32::from(first & 0x1F),
        0xE0..0xF0 => u32::from(first & 0x0F),
        _ => u32::from(first & 0x07),
    };
    let rest = &text[at + 1..next(text, at)];
    rest.iter()
        .fold(start, |point, byte| point << 6 | u32::from(byte & 0x3F))
}

/// Halves of surrogate pairs in WTF-8 as U+FFFD, which takes as many bytes.
pub(super) fn well_formed(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if core::str::from_utf8(&text).is_ok() {
        return text;
    }
    let mut text = text.into_owned();
    for at in 0..text.len() {
        if text[at] == 0xED && text.get(at + 1).is_some_and(|&byte| byte >= 0xA0) {
            text[at..]
                .iter_mut()
                .zip("\u{fffd}".bytes())
                .for_each(|(to, from)| *to = from);
        }
    }
    Cow::Owned(text)
}

/// Replaces each half of a surrogate pair in JSON text from `from` on by U+FFFD; says whether there was one.
///
/// A half can only stand in JSON text as an escape, and U+FFFD takes as many bytes as an escape: nothing moves.
pub(super) fn replace_halves(json: &mut [u8], from: usize) -> bool {
    let mut found = false;
    let mut at = from;
    loop {
        at = find_byte(json, at, b'\\');
        if at >= json.len() {
            return found;
        }
        let Some(unit) = escape_at(json, at) else {
            at += 2;
            continue;
        };
        let is_pair = unit & 0xFC00 == 0xD800
            && escape_at(json, at + 6).is_some_and(|low| low & 0xFC00 == 0xDC00);
        if unit & 0xF800 == 0xD800 && !is_pair {
            json[at + 2..at + 6].copy_from_slice(b"fffd");
            found = true;
        }
        at += if is_pair { 12 } else { 6 };
    }
}

/// The code unit of the escape `\uXXXX` at `at`.
fn escape_at(json: &[u8], at: usize) -> Option<u32> {
    let [b'\\', b'u', digits @ ..] = json.get(at..)?.first_chunk::<6>()? else {
        return None;
    };
    digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_alone_is_blank_however_it_is_written() {
        for blank in [
            "", " ", r"\n\t", r"\u00a0", "\u{3000}", r"\ufeff", r" \u2028",
        ] {
            assert!(is_blank(blank.as_bytes()), "{blank}");
        }
        for text in ["a", " a", r"\u0061", r"\ud83d", "\u{200b}", r"\\", "。"] {
            assert!(!is_blank(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn trailing_white_space_is_cut_off() {
        let trimmed = |text: &str| {
            without_trailing_space(text.as_bytes()).map(|text| String::from_utf8(text).unwrap())
        };
        assert_eq!(trimmed(r"a\n \u00a0").as_deref(), Some("a"));
        assert_eq!(trimmed("é😀 ").as_deref(), Some("é😀"));
        assert_eq!(trimmed(r" a\ud83d"), None);
    }

    #[test]
    fn lone_halves_are_replaced_where_they_stand() {
        for (text, expected) in [
            (r#"["\ud83d"]"#, r#"["\ufffd"]"#),
            (
                r#"["\uDE00\uD83D\uDE00\uD83D"]"#,
                r#"["\ufffd\uD83D\uDE00\ufffd"]"#,
            ),
            (r#"["\\ud83d\\\ud83d"]"#, r#"["\\ud83d\\\ufffd"]"#),
            (r#"["a\n\u0041"]"#, r#"["a\n\u0041"]"#),
            (r"\", r"\"),
            (r"\ud8", r"\ud8"),
        ] {
            let mut json = text.as_bytes().to_vec();
            assert_eq!(replace_halves(&mut json, 0), text != expected);
            assert_eq!(core::str::from_utf8(&json), Ok(expected));
        }
    }

    #[test]
    fn code_points_are_found_in_both_directions() {
        let text = units(r"aé\ud83d€😀".as_bytes()).into_owned();
        let mut at = 0;
        let mut points = Vec::new();
        while at < text.len() {
            points.push(point(&text, at));
            let end = next(&text, at);
            assert_eq!(previous(&text, end), at);
            at = end;
        }
        assert_eq!(points, [0x61, 0xE9, 0xD83D, 0x20AC, 0x1F600]);
        assert_eq!(previous(&text, 0), 0);
        assert_eq!(point(&text, 99), 0);
    }
}
