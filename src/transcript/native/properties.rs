//! Random texts of every type, made from the tables: what goes to the other form and comes back is the same text.

use proptest::prelude::*;

use super::shape::{Body, Enum, Field, Fields, Form, Rule, SOMETIMES, Value, extension_name};
use super::tables::{DOMAIN_EVENT, MUTATION, RECORDS, SNAPSHOT};
use super::*;
use crate::json::same_value;
use crate::transcript::HistoryState;

/// Makes canonical texts of one form: what the converter writes, byte for byte.
struct Maker<'a> {
    form: Form,
    /// What each decision takes its number from; 0 where it ends.
    choices: std::slice::Iter<'a, u32>,
}

const TEXTS: [&str; 7] = [
    "",
    "a",
    "-",
    "7.",
    r"\n\u0041\ud83d\ude80",
    "é🚀",
    "__proto__",
];
const NUMBERS: [u64; 5] = [0, 1, 9_007_199_254_740_993, u64::MAX - 1, u64::MAX];
const DOUBLES: [&str; 5] = ["10.0", "-0.0", "1e21", "1e-7", "33.333333333333336"];
const ANY: [&str; 5] = [
    "null",
    "[1, -0.0,1e400]",
    r#"{"b":1,"a":2,"b":3}"#,
    r#""x""#,
    "1.10",
];

impl Maker<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.choices
            .next()
            .map_or(0, |&choice| choice as usize % count)
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        texts[self.below(texts.len())].to_owned()
    }

    fn text(&mut self) -> String {
        format!("\"{}\"", self.one_of(&TEXTS))
    }

    fn is_native(&self) -> bool {
        self.form == Form::Native
    }

    fn value(&mut self, value: &'static Value) -> String {
        match value {
            Value::Text => self.text(),
            Value::Bool => self.one_of(&["false", "true"]),
            Value::Whole(bits) => (NUMBERS[self.below(5)] >> (64 - bits)).to_string(),
            Value::Signed => self.one_of(&["0", "-1", "2147483647", "-2147483648"]),
            Value::Double => self.one_of(&DOUBLES),
            Value::Any => self.one_of(&ANY),
            Value::List(item) | Value::PerRecord(item) => self.list(item),
            Value::Records => self.list(&Value::Record),
            Value::Pair(item) => format!("[{},{}]", self.value(item), self.value(item)),
            Value::Map(item) => {
                let count = self.below(3);
                let entries: Vec<_> = (0..count)
                    .map(|index| format!("\"{}{index}\":{}", self.one_of(&TEXTS), self.value(item)))
                    .collect();
                format!("{{{}}}", entries.join(","))
            }
            Value::OrNull(_) if self.below(2) == 0 => "null".to_owned(),
            Value::OrNull(value) => self.value(value),
            Value::Object(fields) => {
                let mut members = self.members(fields);
                self.push_unknown(&mut members);
                object(&members)
            }
            Value::Keyed(choice) => self.choice(choice, false),
            Value::Tagged(choice) => self.choice(choice, true),
            Value::Time => self.time(),
            Value::Record => self.record(),
            _ => unreachable!("a field"),
        }
    }

    fn list(&mut self, item: &'static Value) -> String {
        let count = self.below(3);
        let items: Vec<_> = (0..count).map(|_| self.value(item)).collect();
        format!("[{}]", items.join(","))
    }

    fn time(&mut self) -> String {
        let (secs, nanos, text) = [
            (0_u64, 0_u32, "\"1970-01-01T00:00:00Z\""),
            (1_767_323_045, 120_000_000, "\"2026-01-02T03:04:05.12Z\""),
            (
                253_402_300_800,
                1,
                r#"{"unix_secs":253402300800,"nanos":1}"#,
            ),
        ][self.below(3)];
        if self.is_native() {
            format!(r#"{{"secs_since_epoch":{secs},"nanos_since_epoch":{nanos}}}"#)
        } else {
            text.to_owned()
        }
    }

    fn record(&mut self) -> String {
        let variant = &RECORDS[self.below(20)];
        let Body::Fields(fields) = variant.body else {
            unreachable!()
        };
        let mut members = self.members(fields);
        self.push_unknown(&mut members);
        if self.is_native() {
            return format!("{{\"{}\":{}}}", variant.native, object(&members));
        }
        let (_, id) = members.remove(0);
        format!(
            "{{\"id\":{id},\"type\":\"{}\",\"payload\":{}}}",
            variant.document,
            object(&members)
        )
    }

    fn push_unknown(&mut self, members: &mut Vec<(String, String)>) {
        if self.below(4) == 1 {
            members.push(("x-unknown".to_owned(), self.one_of(&ANY)));
        }
    }

    fn members(&mut self, fields: Fields) -> Vec<(String, String)> {
        let mut members = Vec::new();
        for field in fields {
            self.field(field, &mut members);
        }
        members
    }

    fn field(&mut self, field: &'static Field, members: &mut Vec<(String, String)>) {
        let name = field.name(self.form).to_owned();
        // The contents of a changed file are always there natively.
        let may_be_missing = field.rule.nullable && !core::ptr::eq(field.rule, &SOMETIMES);
        let is_missing = may_be_missing && self.below(2) == 0;
        match &field.value {
            Value::Only(text) if !self.is_native() => members.push((name, (*text).to_owned())),
            Value::Only(_) => {}
            Value::Flat(choice) => self.flat(field, choice, members),
            Value::Inline(fields) if self.is_native() => {
                let inner = self.members(fields);
                members.push((name, object(&inner)));
            }
            Value::Inline(fields) => {
                members.extend(self.members(fields));
                if self.below(4) == 1 {
                    members.push((extension_name(field), r#"{"x-inner":1}"#.to_owned()));
                }
            }
            Value::Group(fields) => {
                let inner = self.members(fields);
                if self.is_native() {
                    members.extend(inner);
                } else {
                    // Whether there is a path is said twice.
                    let is_named = members
                        .iter()
                        .any(|(name, text)| name == "path" && text != "\"\"");
                    let inner = inner
                        .into_iter()
                        .filter(|(name, _)| !is_named || name != "no_path");
                    members.push((name, object(&inner.collect::<Vec<_>>())));
                }
            }
            Value::NoPath if self.is_native() => {}
            Value::NoPath => members.push((name, "true".to_owned())),
            Value::ImagePath => {
                let text = if is_missing && self.is_native() {
                    "null".to_owned()
                } else {
                    self.text()
                };
                members.push((name, text));
            }
            Value::Duration if is_missing => members.push((name, "null".to_owned())),
            Value::Duration => {
                let (secs, nanos, millis, exact) = [
                    (0_u64, 0_u32, "0", ""),
                    (u64::MAX, 7_000_000, "18446744073709551615007", ""),
                    (3, 1, "3000", "\"PT3.000000001S\""),
                ][self.below(3)];
                if self.is_native() {
                    members.push((name, format!(r#"{{"secs":{secs},"nanos":{nanos}}}"#)));
                } else {
                    members.push((name, millis.to_owned()));
                    if !exact.is_empty() {
                        members.push((field.native.to_owned(), exact.to_owned()));
                    }
                }
            }
            Value::Marker if self.is_native() => {
                let custom = format!("{{\"Custom\":{}}}", self.text());
                let marker =
                    self.one_of(&["\"Dash\"", "{\"Numbered\":7}", "{\"Roman\":1}", &custom]);
                members.push((name, marker));
            }
            Value::Marker => {
                let marker = self.text();
                let is_plain = matches!(&marker[..], "\"-\"" | "\"7.\"");
                members.push((name, marker));
                if is_plain && self.below(2) == 1 {
                    members.push(("marker_custom".to_owned(), "true".to_owned()));
                }
            }
            Value::Summary(_) if is_missing && self.is_native() => {
                members.push((name, "null".to_owned()));
            }
            Value::Summary(_) if is_missing => {
                members.push((name, "[]".to_owned()));
                members.push(("no_summary".to_owned(), "true".to_owned()));
            }
            Value::Summary(value) => members.push((name, self.value(value))),
            value => {
                let text = if is_missing {
                    "null".to_owned()
                } else {
                    self.value(value)
                };
                if !is_left_out(field.rule, self.form, &text) {
                    members.push((name, text));
                }
            }
        }
    }

    fn flat(
        &mut self,
        field: &'static Field,
        choice: &'static Enum,
        members: &mut Vec<(String, String)>,
    ) {
        if self.is_native() {
            members.push((field.native.to_owned(), self.choice(choice, false)));
            return;
        }
        let variant = &choice.variants[self.below(choice.variants.len())];
        members.push((
            field.document.to_owned(),
            format!("\"{}\"", variant.document),
        ));
        if let Body::Fields(fields) = variant.body {
            members.extend(self.members(fields));
            if self.below(4) == 1 {
                members.push((extension_name(field), r#"{"x-inner":1}"#.to_owned()));
            }
        } else if let Some(name) = choice.or_null {
            members.push((name.to_owned(), "null".to_owned()));
        }
    }

    fn choice(&mut self, choice: &'static Enum, is_tagged: bool) -> String {
        // Of variants with the same native name the first is what comes back.
        let names = |form: Form| move |index: usize| choice.variants[index].name(form);
        let unique = |index: &usize| {
            (0..*index).all(|earlier| names(Form::Native)(earlier) != names(Form::Native)(*index))
        };
        let usable: Vec<_> = (0..choice.variants.len()).filter(unique).collect();
        let picked = self.below(usable.len() + 1);
        let Some(&index) = usable.get(picked) else {
            return self.one_of(&["\"Later\"", r#"{"Later":{"a":[1]}}"#]);
        };
        let variant = &choice.variants[index];
        let name = variant.name(self.form);
        let is_tagged = is_tagged && !self.is_native();
        let mut members = match &variant.body {
            Body::Nothing if is_tagged => Vec::new(),
            Body::Nothing => return format!("\"{name}\""),
            Body::Fields(fields) => {
                let mut members = self.members(fields);
                self.push_unknown(&mut members);
                members
            }
            Body::One(one, value) => {
                let text = self.value(value);
                if !is_tagged {
                    return format!("{{\"{name}\":{text}}}");
                }
                vec![((*one).to_owned(), text)]
            }
        };
        if !is_tagged {
            return format!("{{\"{name}\":{}}}", object(&members));
        }
        members.insert(0, ("type".to_owned(), format!("\"{name}\"")));
        object(&members)
    }
}

fn is_left_out(rule: &Rule, form: Form, text: &str) -> bool {
    let left_out = match form {
        Form::Native => rule.left_out_natively,
        Form::Document => rule.left_out,
    };
    left_out == Some(text)
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(name, text)| format!("\"{name}\":{text}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn native_snapshots_come_back_byte_for_byte(choices in proptest::collection::vec(any::<u32>(), 0..900)) {
        let mut maker = Maker { form: Form::Native, choices: choices.iter() };
        let native = maker.value(&SNAPSHOT);
        let document = native_to_document(native.as_bytes());
        let document = document.map_err(|error| TestCaseError::fail(format!("{error}: {native}")))?;
        let again = document_to_native(&document).map(text);
        prop_assert_eq!(again.as_ref(), Ok(&native), "{}", text(document.clone()));
        let taken = HistoryState::default().restore(&document);
        prop_assert_eq!(taken, Ok(()), "{}", text(document.clone()));
        let document_again = native_to_document(native.as_bytes());
        prop_assert_eq!(document_again, Ok(document));
    }

    #[test]
    fn documents_come_back(choices in proptest::collection::vec(any::<u32>(), 0..900)) {
        let mut maker = Maker { form: Form::Document, choices: choices.iter() };
        let document = maker.value(&SNAPSHOT);
        let native = document_to_native(document.as_bytes());
        let native = native.map_err(|error| TestCaseError::fail(format!("{error}: {document}")))?;
        let again = native_to_document(&native).map(text);
        let is_same = again.as_ref().is_ok_and(|again| same_value(again.as_bytes(), document.as_bytes()));
        prop_assert!(is_same, "{document}\n{again:?}\n{}", text(native));
    }

    #[test]
    fn operations_have_a_document_form(choices in proptest::collection::vec(any::<u32>(), 0..200)) {
        for (kind, value) in [(NativeEvent::Domain, &DOMAIN_EVENT), (NativeEvent::Mutation, &MUTATION)] {
            let mut maker = Maker { form: Form::Native, choices: choices.iter() };
            let native = maker.value(value);
            let document = native_event_to_document(kind, native.as_bytes());
            let document = document.map_err(|error| TestCaseError::fail(format!("{error}: {native}")))?;
            let again = convert(Form::Document, value, &document).map(text);
            prop_assert_eq!(again, Ok(native));
        }
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let _ = native_to_document(&bytes);
        let _ = document_to_native(&bytes);
    }
}
