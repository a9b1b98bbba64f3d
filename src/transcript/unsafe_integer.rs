//! Integers that JavaScript numbers cannot hold (spec 3-transcript.md, trap 1).

use super::shape::key_segment;
use crate::json::{Kind, RawStr, Reader};

/// 2^53 - 1 has as many digits.
const SAFE: &[u8] = b"9007199254740991";

enum Level<'a> {
    Object(RawStr<'a>),
    Array(usize),
}

/// The path to the first integer in checked JSON text that lies beyond ±(2^53 - 1), so that `JSON.parse` may damage it; the
/// empty path for the text itself. Numbers with a fraction or an exponent are doubles to begin with and do not count.
pub fn has_unsafe_integer(text: &[u8]) -> Option<String> {
    let mut reader = Reader::new(text);
    let mut levels: Vec<Level<'_>> = Vec::new();
    loop {
        match reader.kind() {
            Some(Kind::Object) if reader.begin_object() => {
                levels.push(Level::Object(RawStr::from_escaped(b"")));
            }
            // Counts up before its first item.
            Some(Kind::Array) if reader.begin_array() => levels.push(Level::Array(usize::MAX)),
            Some(_) => {
                let value = text.get(reader.skip()?)?;
                if is_unsafe(value) {
                    return Some(path(&levels));
                }
            }
            None => return None,
        }
        // To the next value, out of all that end here.
        loop {
            let goes_on = match levels.last_mut()? {
                Level::Object(name) => {
                    let next = reader.next_key();
                    if let Some(next) = next {
                        *name = next;
                    }
                    next.is_some()
                }
                Level::Array(index) => {
                    *index = index.wrapping_add(1);
                    reader.next_item()
                }
            };
            if goes_on {
                break;
            }
            levels.pop();
        }
    }
}

/// Whether a value is such an integer.
fn is_unsafe(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let is_beyond = (digits.len(), digits) > (SAFE.len(), SAFE);
    is_beyond && digits.iter().all(u8::is_ascii_digit)
}

fn path(levels: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in levels {
        match level {
            Level::Array(index) => path.push_str(&format!("[{index}]")),
            Level::Object(name) => match name.decode() {
                Some(word) if is_word(&word) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(&word);
                }
                _ => path.push_str(&key_segment(*name)),
            },
        }
    }
    path
}

/// Whether a key can stand in a path as it is.
fn is_word(key: &str) -> bool {
    let mut bytes = key.bytes();
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    bytes.next().is_some_and(is_letter)
        && bytes.all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_integer_that_a_number_cannot_hold_is_found() {
        for (text, expected) in [
            ("9007199254740992", Some("")),
            ("-9007199254740992", Some("")),
            ("9007199254740991", None),
            ("[1,[],{},18446744073709551615]", Some("[3]")),
            (
                r#"{"id":1,"payload":{"lines":[[],{"a b":[0,99999999999999999999]}]}}"#,
                Some(r#"payload.lines[1]["a b"][1]"#),
            ),
            (
                r#"{"a":"9007199254740993","b":[1e21,12345678901234567.5]}"#,
                None,
            ),
            (
                r#"{"a":{},"b":{"c":1},"9":9007199254740993}"#,
                Some(r#"["9"]"#),
            ),
            ("[", None),
        ] {
            assert_eq!(
                has_unsafe_integer(text.as_bytes()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_walked() {
        let depth = 100_000;
        let text = "[".repeat(depth) + "9007199254740993" + &"]".repeat(depth);
        let path = has_unsafe_integer(text.as_bytes()).unwrap();
        assert_eq!(path, "[0]".repeat(depth));
    }
}
