//! Properties of `turnlog::json`, held against serde_json and the standard library.
//!
//! What this crate decides otherwise than serde_json, on purpose: `-0` in any spelling is refused, lone
//! surrogate escapes are accepted, and there is no limit to depth. A number beyond the doubles is refused
//! by both.
#![cfg(not(target_arch = "wasm32"))]

use std::ops::Range;

use proptest::prelude::*;
use serde_json::Value;
use turnlog::json::{
    JsonError, JsonErrorKind, Kind, RawStr, Reader, check, parse_number, same_value, write_string,
};

/// Spelling of a number, all of them accepted by `check`.
fn number_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (0..1000_u32).prop_map(|n| n.to_string()),
        "(-?[1-9][0-9]{0,20}|0)(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        any::<f64>()
            .prop_filter("finite and not -0", |f| f.is_finite() && *f != 0.0)
            .prop_map(|f| format!("{f:e}")),
    ]
}

/// A string literal without its quotes: plain runs and escapes, lone surrogates among them if asked for.
fn string_body(lone_surrogates: bool) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[ !#-\\[\\]-~]{0,40}",
        2 => "[é€\u{7f}\u{2028}\u{fffd}😀]{1,6}",
        1 => prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\b", "\\u0041", "\\u00E9", "\\ud83D\\uDE00"])
            .prop_map(str::to_owned),
        u32::from(lone_surrogates) => "\\\\u[dD][89a-fA-F][0-9a-f]{2}",
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn white() -> impl Strategy<Value = String> {
    prop_oneof![9 => Just(String::new()), 1 => "[ \t\r\n]{1,20}"]
}

/// A document of any shape and spelling that JSON allows and `check` accepts.
fn document(lone_surrogates: bool) -> impl Strategy<Value = String> {
    let literal = prop::sample::select(vec!["true", "false", "null"]).prop_map(str::to_owned);
    let string = string_body(lone_surrogates).prop_map(|body| format!("\"{body}\""));
    let leaf = prop_oneof![literal, number_text(), string];
    let spaced = move |value: BoxedStrategy<String>| {
        (white(), value, white())
            .prop_map(|(before, value, after)| before + &value + &after)
            .boxed()
    };
    leaf.prop_recursive(6, 60, 8, move |inner| {
        let inner = spaced(inner.boxed());
        let key = spaced(
            string_body(lone_surrogates)
                .prop_map(|body| format!("\"{body}\""))
                .boxed(),
        );
        let field = (key, inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(field, 0..8)
                .prop_map(|fields| format!("{{{}}}", fields.join(","))),
        ]
    })
}

/// Changes to a document, most of which break it.
fn mutations() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    let byte = prop_oneof![
        3 => prop::sample::select(br#""\{}[]:,-+.eE0 u19"#.to_vec()),
        1 => any::<u8>(),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, byte), 1..4)
}

fn mutated(text: &str, mutations: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (index, how, byte) in mutations {
        let at = index.index(bytes.len() + 1);
        match how {
            0 => bytes.insert(at, *byte),
            1 if at < bytes.len() => bytes[at] = *byte,
            2 if at < bytes.len() => drop(bytes.remove(at)),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// The value of a document, built with the reader alone. Recursive: for the small documents of these tests.
fn read(reader: &mut Reader<'_>) -> Value {
    match reader.kind().expect("a value") {
        Kind::Object => {
            assert!(reader.begin_object());
            let mut fields = serde_json::Map::new();
            while let Some(key) = reader.next_key() {
                let key = key.decode().expect("well formed").into_owned();
                fields.insert(key, read(reader));
            }
            Value::Object(fields)
        }
        Kind::Array => {
            assert!(reader.begin_array());
            let mut items = Vec::new();
            while reader.next_item() {
                items.push(read(reader));
            }
            Value::Array(items)
        }
        Kind::String => Value::String(reader.string().unwrap().decode().unwrap().into_owned()),
        Kind::Number => Value::from(reader.number().expect("a number")),
        kind => {
            reader.skip().expect("a literal");
            match kind {
                Kind::True => Value::Bool(true),
                Kind::False => Value::Bool(false),
                _ => Value::Null,
            }
        }
    }
}

/// serde_json's value with every number as the double that `str::parse` gives its text.
///
/// serde_json keeps integers apart from floats, and its floats are not always the nearest.
fn as_doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64()),
        Value::Array(items) => items.iter().map(as_doubles).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), as_doubles(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Whether two values are equal, doubles to one part in 10^15.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= a.abs().max(b.abs()) * 1e-15 + f64::from_bits(1)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        _ => a == b,
    }
}

/// UTF-16 code units of a string body, by the plainest reading of the grammar.
fn units(body: &str) -> Vec<u16> {
    let mut units = Vec::new();
    let mut chars = body.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            units.extend_from_slice(char.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match chars.next().unwrap() {
            'u' => u16::from_str_radix(&chars.by_ref().take(4).collect::<String>(), 16).unwrap(),
            'n' => 10,
            'r' => 13,
            't' => 9,
            'b' => 8,
            'f' => 12,
            other => other as u16,
        });
    }
    units
}

/// Ranges of all values of a document in the order they begin, byte by byte.
fn value_ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += 1;
        match text[start] {
            b'[' | b'{' => {
                open.push(ranges.len());
                ranges.push(start..start);
            }
            b']' | b'}' => ranges[open.pop().unwrap()].end = at,
            b'"' => {
                while text[at] != b'"' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                let rest = text[at..].iter().find(|byte| !byte.is_ascii_whitespace());
                if rest != Some(&b':') {
                    ranges.push(start..at);
                }
            }
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                while at < text.len() && !b",]} \t\r\n".contains(&text[at]) {
                    at += 1;
                }
                ranges.push(start..at);
            }
        }
    }
    ranges
}

/// The same value spelled in another way: other key order, numbers and escapes.
fn respelled(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64().unwrap();
            out.push_str(&format!("{double:e}"));
        }
        Value::String(text) => respelled_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { " ,\n" } else { "" });
                respelled(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (key, value)) in fields.iter().rev().enumerate() {
                out.push_str(if index > 0 { "\t, " } else { "" });
                respelled_string(key, out);
                out.push_str(" : ");
                respelled(value, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn respelled_string(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        out.push_str(&format!("\\u{unit:04X}"));
    }
    out.push('"');
}

/// Some value of the document, changed.
fn changed(value: &mut Value, index: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = index % items.len();
            changed(&mut items[at], index / 2);
        }
        Value::Object(fields) if !fields.is_empty() => {
            let at = index % fields.len();
            changed(fields.values_mut().nth(at).unwrap(), index / 2);
        }
        Value::String(text) => text.push('!'),
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *value = Value::Bool(false),
        other => *other = Value::from("other"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_document_is_accepted_and_reads_as_serde_json_reads_it(text in document(false)) {
        prop_assert_eq!(check(text.as_bytes()), Ok(()));
        let mut reader = Reader::new(text.as_bytes());
        let found = read(&mut reader);
        prop_assert!(!reader.is_broken());
        let expected = as_doubles(&serde_json::from_str(&text).unwrap());
        prop_assert!(close(&found, &expected), "{} for {}", found, expected);
    }

    #[test]
    fn verdicts_on_broken_documents_are_those_of_serde_json(
        text in document(false),
        mutations in mutations(),
    ) {
        let bytes = mutated(&text, &mutations);
        let expected = serde_json::from_slice::<Value>(&bytes);
        match check(&bytes) {
            Ok(()) => if let Err(error) = expected {
                let message = error.to_string();
                prop_assert!(message.contains("surrogate") || message.contains("hex escape"), "{}", message);
            },
            Err(JsonError { kind: JsonErrorKind::NegativeZero, offset }) => {
                prop_assert_eq!(bytes[offset], b'-');
            }
            Err(error) => {
                prop_assert!(error.offset <= bytes.len());
                prop_assert!(expected.is_err(), "{} but serde_json accepts it", error);
            }
        }
    }

    #[test]
    fn the_reader_survives_anything(bytes in prop::collection::vec(
        prop_oneof![4 => prop::sample::select(br#""\{}[]:,-1e.tn u"#.to_vec()), 1 => any::<u8>()], 0..60,
    ), calls in prop::collection::vec(0..8_u8, 0..60)) {
        let mut reader = Reader::new(&bytes);
        for call in calls {
            let before = reader.position();
            match call {
                0 => drop(reader.skip()),
                1 => drop(reader.number()),
                2 => drop(reader.begin_array()),
                3 => drop(reader.begin_object()),
                4 => drop(reader.next_item()),
                5 => drop(reader.next_key().map(|key| (key.decode().is_some(), key.utf16_len()))),
                6 => drop(reader.string().map(|text| text.is_well_formed())),
                _ => drop(reader.kind()),
            }
            prop_assert!(before <= reader.position() && reader.position() <= bytes.len());
        }
        same_value(&bytes, b"[]");
        parse_number(&bytes);
    }

    #[test]
    fn every_value_is_skipped_to_its_end(text in document(true)) {
        prop_assert_eq!(check(text.as_bytes()), Ok(()));
        for range in value_ranges(text.as_bytes()) {
            let rest = &text.as_bytes()[range.start..];
            prop_assert_eq!(Reader::new(rest).skip(), Some(0..range.len()));
        }
    }

    #[test]
    fn strings_are_those_of_the_standard_library(body in string_body(true)) {
        let raw = RawStr::from_escaped(body.as_bytes());
        let units = units(&body);
        prop_assert_eq!(raw.utf16_len(), units.len());
        let expected = String::from_utf16(&units).ok();
        prop_assert_eq!(raw.is_well_formed(), expected.is_some());
        let decoded = raw.decode();
        prop_assert_eq!(decoded.as_deref(), expected.as_deref());
        if let Some(plain) = expected {
            prop_assert!(raw.eq_str(&plain));
            let longer = plain.clone() + "x";
            prop_assert!(!raw.eq_str(&longer));
        }
    }

    #[test]
    fn written_strings_are_those_of_serde_json(plain in any::<String>(), controls in "[\0-\u{20}\"\\\\a]{0,20}") {
        let plain = plain + &controls;
        let mut out = Vec::new();
        write_string(&mut out, &plain);
        prop_assert_eq!(&out, &serde_json::to_vec(&plain).unwrap());
        let raw = RawStr::from_escaped(&out[1..out.len() - 1]);
        let decoded = raw.decode();
        prop_assert_eq!(decoded.as_deref(), Some(&plain[..]));
    }

    #[test]
    fn a_value_is_the_same_however_it_is_spelled(text in document(false), index in any::<u16>()) {
        prop_assert!(same_value(text.as_bytes(), text.as_bytes()));
        let spaced = format!(" {text} ");
        prop_assert!(same_value(text.as_bytes(), spaced.as_bytes()));
        // serde_json may round a double to its neighbour, so its own output is what gets respelled.
        let mut value: Value = as_doubles(&serde_json::from_str(&text).unwrap());
        let plain = value.to_string();
        let mut other = String::new();
        respelled(&value, &mut other);
        prop_assert!(same_value(plain.as_bytes(), other.as_bytes()), "{} {}", plain, other);
        changed(&mut value, usize::from(index));
        let altered = value.to_string();
        if altered != plain {
            prop_assert!(!same_value(altered.as_bytes(), other.as_bytes()), "{} {}", altered, other);
        }
    }
}

#[test]
fn a_hundred_thousand_levels_are_checked_skipped_and_compared() {
    let depth = 100_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), (" [ {\"b\" : ", " } ] ")] {
        let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        let other = format!("{}1.0{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(check(text.as_bytes()), Ok(()));
        assert_eq!(
            Reader::new(text.as_bytes()).skip().unwrap().len(),
            text.trim().len()
        );
        assert!(same_value(text.as_bytes(), other.as_bytes()));
        assert!(!same_value(
            text.as_bytes(),
            other.replace("1.0", "2").as_bytes()
        ));
        let cut = &text.as_bytes()[..text.trim_end().len() - 1];
        assert_eq!(
            check(cut).map_err(|error| error.kind),
            Err(JsonErrorKind::UnexpectedEnd)
        );
        assert_eq!(Reader::new(cut).skip(), None);
    }
}
