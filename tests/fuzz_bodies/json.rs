//! The general JSON reader, held to `serde_json` and to the standard library.

use serde::de::IgnoredAny;
use turnlog::json::{
    Kind, RawStr, Reader, check, check_grammar, parse_number, same_value, stringify, write_wtf8,
};
use turnlog::transcript::has_unsafe_integer;

use super::memory::within;
use super::shown;

pub fn body(text: &[u8]) {
    // A bit for each level.
    let is_json = within(1, text, || check_grammar(text)).is_ok();
    let expected = std::str::from_utf8(text)
        .is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    assert_eq!(is_json, expected, "{}", shown(text));
    let is_kept = check(text).is_ok();
    assert!(is_json || !is_kept);
    reads_to_an_end(text);
    if !is_json {
        // Trusted text that is none: lost, but neither for ever nor beyond the text.
        let _ = (
            stringify(text),
            same_value(text, b"0"),
            has_unsafe_integer(text),
        );
        return;
    }
    let mut has_long_integer = false;
    let mut is_finite = true;
    for_each_scalar(text, &mut |scalar| match Reader::new(scalar).kind() {
        Some(Kind::Number) => {
            let value = number(scalar);
            is_finite &= value.is_finite() && !(value == 0.0 && value.is_sign_negative());
            has_long_integer |= is_long_integer(scalar);
        }
        Some(Kind::String) => string(scalar),
        kind => assert!(kind.is_some(), "{}", shown(scalar)),
    });
    assert_eq!(is_kept, is_finite, "{}", shown(text));
    let unsafe_integer = has_unsafe_integer(text);
    assert_eq!(
        unsafe_integer.is_some(),
        has_long_integer,
        "{}",
        shown(text)
    );
    if is_kept {
        // A node, and places in vectors that grow, for each `0,`.
        let written = within(100, text, || stringify(text));
        check(&written).expect("what was written is JSON");
        assert_eq!(stringify(&written), written);
        assert!(same_value(text, &written), "{}", shown(&written));
        assert!(!same_value(text, &[b"[", &written[..], b"]"].concat()));
    }
}

/// What the reader does with any bytes.
fn reads_to_an_end(text: &[u8]) {
    let mut reader = Reader::new(text);
    for _ in 0..=text.len() {
        let _ = (reader.begin_array(), reader.begin_object());
        let key = reader.next_key().is_some();
        let value = reader.skip().is_some();
        assert!(reader.position() <= text.len());
        if reader.is_broken() || !(key || value || reader.next_item()) {
            return;
        }
    }
}

/// Hands the text of each string, number and word to `take`, keys included.
fn for_each_scalar<'a>(text: &'a [u8], take: &mut dyn FnMut(&'a [u8])) {
    let mut reader = Reader::new(text);
    // Whether each container that was entered is an object.
    let mut levels = Vec::new();
    loop {
        if reader.begin_object() {
            levels.push(true);
        } else if reader.begin_array() {
            levels.push(false);
        } else {
            take(&text[reader.skip().expect("a value")]);
        }
        loop {
            let Some(&is_object) = levels.last() else {
                assert!(!reader.is_broken());
                return;
            };
            let goes_on = if is_object {
                let key = reader.next_key();
                if let Some(key) = key {
                    raw_string(key);
                }
                key.is_some()
            } else {
                reader.next_item()
            };
            if goes_on {
                break;
            }
            levels.pop();
        }
    }
}

fn number(text: &[u8]) -> f64 {
    let plain = std::str::from_utf8(text).expect("digits");
    let expected: f64 = plain.parse().expect("a number");
    let value = parse_number(text).expect("a number");
    assert_eq!(value.to_bits(), expected.to_bits(), "{plain}");
    value
}

/// Whether an integer lies beyond ±(2^53 - 1).
fn is_long_integer(text: &[u8]) -> bool {
    let plain = std::str::from_utf8(text).expect("digits");
    let digits = plain.trim_start_matches('-');
    let is_beyond = |value: u128| value > 9_007_199_254_740_991;
    // 39 digits, of which the first is not zero, may be more than 128 bits hold.
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() >= 39 || digits.parse().is_ok_and(is_beyond))
}

fn string(text: &[u8]) {
    raw_string(Reader::new(text).string().expect("a string"));
}

fn raw_string(raw: RawStr<'_>) {
    let quoted = [b"\"", raw.escaped(), b"\""].concat();
    let plain: Option<String> = serde_json::from_slice(&quoted).ok();
    assert_eq!(
        raw.decode().as_deref(),
        plain.as_deref(),
        "{}",
        shown(&quoted)
    );
    assert_eq!(raw.is_well_formed(), plain.is_some());
    if let Some(plain) = plain {
        assert_eq!(raw.utf16_len(), plain.encode_utf16().count());
        assert_eq!(*raw.to_wtf8(), *plain.as_bytes());
        assert!(raw.eq_str(&plain));
    }
    let mut respelled = Vec::new();
    raw.write_respelled(&mut respelled);
    let mut of_wtf8 = Vec::new();
    write_wtf8(&mut of_wtf8, &raw.to_wtf8());
    check(&respelled).expect("what was written is JSON");
    let again = Reader::new(&respelled).string().expect("a string");
    assert!(raw.same_units(&again));
    assert_eq!(raw.utf16_len(), again.utf16_len());
    assert_eq!(shown(&of_wtf8), shown(&respelled));
}
