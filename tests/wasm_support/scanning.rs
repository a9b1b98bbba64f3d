//! The scanner as the wasm build has it, sixteen bytes at once, held against the browser's own JSON and
//! against the standard library.

use super::{text, value};
use js_sys::{JSON, JsString};
use turnlog::json::{JsonErrorKind, Reader, check, parse_number, same_value, write_string};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

/// Bytes on both sides of each border that the rules of UTF-8 draw, as far as a string may hold them.
const BORDERS: [u8; 20] = [
    0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
    0xF1, 0xF4, 0xF5, 0xFF,
];

/// Insides of string literals that stand out from plain text in one way each.
const SPECIALS: [&str; 14] = [
    "",
    "é",
    "€",
    "😀",
    r"\n",
    r#"\""#,
    r"\\",
    r"\/",
    r"\u0041",
    r"\u00e9",
    r"\ud83d",
    r"\ude00",
    r"\ud83d\ude00",
    r"\ud83d\ud83d\ude00",
];

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Without `simd128` (.cargo/config.toml) the file would test the other implementation.
const _: () = assert!(cfg!(target_feature = "simd128"));

#[wasm_bindgen_test]
fn every_sequence_of_bytes_in_a_string_is_judged_as_the_standard_library_does() {
    let count = BORDERS.len();
    let mut literal = Vec::new();
    for index in 0..count.pow(4) {
        let four =
            [1, count, count.pow(2), count.pow(3)].map(|place| BORDERS[index / place % count]);
        // With the quote before it, each place of a block is where the sequence begins once.
        let pad = 9 + index % 8;
        literal.clear();
        literal.push(b'"');
        literal.resize(1 + pad, b'a');
        literal.extend_from_slice(&four);
        literal.push(b'"');
        let judged = check(&literal).map_err(|error| error.kind);
        let wanted = match core::str::from_utf8(&four) {
            Ok(_) => Ok(()),
            Err(_) => Err(JsonErrorKind::InvalidUtf8),
        };
        assert_eq!(judged, wanted, "{four:x?} after {pad}");
    }
}

#[wasm_bindgen_test]
fn whatever_breaks_a_string_is_found_at_every_place() {
    for at in 0..70 {
        for (bad, kind) in [
            (0x00, JsonErrorKind::ControlInString),
            (0x1F, JsonErrorKind::ControlInString),
            (b'\n', JsonErrorKind::ControlInString),
            (0xFF, JsonErrorKind::InvalidUtf8),
        ] {
            let mut literal = vec![b'x'; 72];
            (literal[0], literal[71], literal[at + 1]) = (b'"', b'"', bad);
            let error = check(&literal).unwrap_err();
            assert_eq!(error.kind, kind, "{bad:x} at {at}");
            if kind == JsonErrorKind::ControlInString {
                assert_eq!(error.offset, at + 1);
            }
        }
    }
}

#[wasm_bindgen_test]
fn strings_of_any_length_read_as_the_browser_reads_them() {
    for before in 0..36 {
        for special in SPECIALS {
            for after in [0, 1, 15, 16, 40] {
                let literal = format!("\"{}{special}{}\"", "a".repeat(before), "b".repeat(after));
                let list = format!("[{literal},7]");
                check(list.as_bytes()).unwrap();
                let parsed: JsString = value(&literal).unchecked_into();
                let mut reader = Reader::new(list.as_bytes());
                assert!(reader.begin_array() && reader.next_item());
                let string = reader.string().unwrap();
                assert_eq!(string.utf16_len(), parsed.length() as usize, "{literal}");
                let halves = char::decode_utf16(parsed.iter()).any(|unit| unit.is_err());
                assert_eq!(string.is_well_formed(), !halves, "{literal}");
                let plain = (!halves).then(|| String::from(&parsed));
                assert_eq!(string.decode().as_deref(), plain.as_deref(), "{literal}");
                assert!(reader.next_item());
                assert_eq!(reader.number(), Some(7.0), "behind {literal}");
            }
        }
    }
}

#[wasm_bindgen_test]
fn strings_are_written_as_the_browser_reads_them() {
    let odd = ('\0'..=' ').chain([
        '"', '\\', '/', '\u{7f}', 'é', '€', '\u{2028}', '\u{feff}', '😀',
    ]);
    for special in odd {
        for before in [0, 1, 7, 14, 15, 16, 17, 40] {
            let plain = format!("{}{special}z", "y".repeat(before));
            let mut written = Vec::new();
            write_string(&mut written, &plain);
            check(&written).unwrap();
            let written = String::from_utf8(written).unwrap();
            assert_eq!(value(&written).as_string().as_deref(), Some(&*plain));
        }
    }
}

#[wasm_bindgen_test]
fn numbers_have_the_value_the_browser_gives_them() {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    for _ in 0..20_000 {
        let double = f64::from_bits(numbers.next());
        if !double.is_finite() {
            continue;
        }
        for spelled in [
            format!("{double:e}"),
            format!("{:.17e}", double),
            text(&double.into()),
        ] {
            let expected = value(&spelled).as_f64().unwrap();
            let parsed = parse_number(spelled.as_bytes()).unwrap();
            assert_eq!(parsed.to_bits(), expected.to_bits(), "{spelled}");
        }
    }
}

/// A document and the same one with its keys turned around and its strings spelled with escapes.
fn document(numbers: &mut Numbers, depth: u64) -> (String, String) {
    match numbers.below(if depth == 0 { 4 } else { 6 }) {
        0 => ["null", "true", "false"].map(|word| (word.to_owned(), word.to_owned()))
            [numbers.below(3) as usize]
            .clone(),
        1 => {
            let whole = numbers.below(2_000);
            (whole.to_string(), format!("{whole}.0e0"))
        }
        2 | 3 => {
            let plain = "wörd 😀 ".repeat(numbers.below(6) as usize);
            let units: String = plain
                .encode_utf16()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect();
            (format!("\"{plain}\""), format!("\"{units}\""))
        }
        kind => {
            let count = numbers.below(5);
            let items: Vec<_> = (0..count).map(|_| document(numbers, depth - 1)).collect();
            if kind == 4 {
                let [a, b] = [0, 1].map(|form| {
                    let items: Vec<_> = items
                        .iter()
                        .map(|item| if form == 0 { &*item.0 } else { &*item.1 })
                        .collect();
                    format!("[{}]", items.join(","))
                });
                return (a, b);
            }
            let fields = |form: usize| -> Vec<String> {
                let values = items
                    .iter()
                    .map(|item| if form == 0 { &item.0 } else { &item.1 });
                values
                    .enumerate()
                    .map(|(key, value)| format!("\"key {key}\" : {value}"))
                    .collect()
            };
            let mut turned = fields(1);
            turned.reverse();
            (
                format!("{{{}}}", fields(0).join(",")),
                format!("{{{}}}", turned.join(" , ")),
            )
        }
    }
}

#[wasm_bindgen_test]
fn documents_are_the_same_value_however_they_are_spelled_and_no_other() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..2_000 {
        let (one, two) = document(&mut numbers, 4);
        check(one.as_bytes()).unwrap();
        check(two.as_bytes()).unwrap();
        assert!(
            same_value(one.as_bytes(), two.as_bytes()),
            "{one} and {two}"
        );
        let (other, _) = document(&mut numbers, 4);
        // Keys are made in one order, so the browser's own spelling tells equal values.
        let equal = text(&value(&one)) == text(&value(&other));
        assert_eq!(
            same_value(one.as_bytes(), other.as_bytes()),
            equal,
            "{one} and {other}"
        );
        // One byte changed: the scanner and the browser agree whether that is JSON still.
        let mut broken = one.clone().into_bytes();
        let at = numbers.below(broken.len() as u64) as usize;
        broken[at] = b"x\"\\{}[],:0-e \x01"[numbers.below(14) as usize];
        if let Ok(broken) = String::from_utf8(broken) {
            // What the browser reads and `JSON.stringify` would not give back is refused as well.
            let lossy = |kind| {
                matches!(
                    kind,
                    JsonErrorKind::NegativeZero | JsonErrorKind::NumberOutOfRange
                )
            };
            let accepted = check(broken.as_bytes()).map_err(|error| error.kind);
            let parsed: Result<JsValue, JsValue> = JSON::parse(&broken);
            assert_eq!(
                accepted.is_ok() || accepted.is_err_and(lossy),
                parsed.is_ok(),
                "{broken}"
            );
        }
    }
}

#[wasm_bindgen_test]
fn a_hundred_thousand_levels_are_read_without_a_stack_that_grows() {
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    check(deep.as_bytes()).unwrap();
    assert!(same_value(deep.as_bytes(), deep.as_bytes()));
    assert!(check(&deep.as_bytes()[1..]).is_err());
}
