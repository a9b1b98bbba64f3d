//! The text that `JSON.stringify(JSON.parse(text))` gives.
//!
//! Where a rule compares or prints "the JSON text" of a value, it means this one, whatever way the value was written.

use std::borrow::Cow;
use std::collections::BinaryHeap;

use super::bigint::exact_decimal;
use super::compare::{Tree, Value};
use super::number::parse_number;
use super::reader::Kind;
use super::string::RawStr;

/// What is still to be written.
enum Task<'a> {
    Text(&'static [u8]),
    /// A string with its quotes.
    String(RawStr<'a>),
    /// The value at this node.
    Value(usize),
}

/// Checked text without white space, its strings and numbers in ECMAScript's own spelling, keys that are array
/// indices first, and of duplicate keys the last value at the first one's place.
///
/// Text in which the reader gets lost is given back as it is. The time is that of sorting the keys of each object.
pub fn stringify(text: &[u8]) -> Vec<u8> {
    let Some(tree) = Tree::read(text) else {
        return text.to_vec();
    };
    let mut out = Vec::with_capacity(text.len());
    let mut tasks = vec![Task::Value(0)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(text) => out.extend_from_slice(text),
            Task::String(string) => string.write_respelled(&mut out),
            Task::Value(node) => write_value(&tree, node, &mut tasks, &mut out),
        }
    }
    out
}

/// Writes a scalar, or the opening bracket of a container whose rest becomes tasks.
fn write_value<'a>(tree: &Tree<'a>, node: usize, tasks: &mut Vec<Task<'a>>, out: &mut Vec<u8>) {
    let from = tasks.len();
    match &tree.nodes[node].value {
        Value::Literal(kind) => out.extend_from_slice(match kind {
            Kind::True => b"true",
            Kind::False => b"false",
            _ => b"null",
        }),
        Value::Number(literal) => write_number(out, literal),
        Value::String(string) => string.write_respelled(out),
        Value::Array => {
            out.push(b'[');
            for item in tree.children(node) {
                tasks.extend([Task::Value(item), Task::Text(b",")]);
            }
            end_container(tasks, from, b"]");
        }
        Value::Object => {
            out.push(b'{');
            for (key, value) in ordered_fields(tree, node) {
                tasks.extend([
                    Task::String(key),
                    Task::Text(b":"),
                    Task::Value(value),
                    Task::Text(b","),
                ]);
            }
            end_container(tasks, from, b"}");
        }
    }
}

/// Puts the closing bracket in the place of the last comma, and what is written first on top.
fn end_container(tasks: &mut Vec<Task<'_>>, from: usize, close: &'static [u8]) {
    if tasks.len() > from {
        tasks.pop();
    }
    tasks.push(Task::Text(close));
    tasks[from..].reverse();
}

/// A field, ordered as the enclosing sort needs it: by key and place first.
type Field<'a> = (Cow<'a, [u8]>, usize, usize);

/// The fields of an object in the order JavaScript enumerates them.
fn ordered_fields<'a>(tree: &Tree<'a>, object: usize) -> Vec<(RawStr<'a>, usize)> {
    let mut fields: Vec<Field<'a>> = Vec::new();
    let mut children = tree.children(object);
    while let (Some(key), Some(value)) = (children.next(), children.next()) {
        if let Value::String(name) = &tree.nodes[key].value {
            fields.push((name.to_wtf8(), key, value));
        }
    }
    let mut fields = BinaryHeap::from(fields).into_sorted_vec();
    fields.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.2 = later.2;
        }
        same
    });
    let ranked: BinaryHeap<_> = fields
        .into_iter()
        .map(|(name, key, value)| (array_index(&name), key, value))
        .collect();
    let mut ordered = Vec::with_capacity(ranked.len());
    for (_, key, value) in ranked.into_sorted_vec() {
        if let Value::String(name) = &tree.nodes[key].value {
            ordered.push((*name, value));
        }
    }
    ordered
}

/// The array index that a key is, or the number behind all of them.
fn array_index(key: &[u8]) -> u32 {
    core::str::from_utf8(key)
        .ok()
        .filter(|key| *key == "0" || key.starts_with(|first: char| ('1'..='9').contains(&first)))
        .and_then(|key| key.parse().ok())
        .unwrap_or(u32::MAX)
}

/// Appends the number that a literal stands for as ECMAScript's `Number::toString` spells it.
fn write_number(out: &mut Vec<u8>, literal: &[u8]) {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    let number = parse_number(literal).unwrap_or_default();
    if number.fract() == 0.0 && number.abs() <= SAFE {
        return out.extend_from_slice((number as i64).to_string().as_bytes());
    }
    if number < 0.0 {
        out.push(b'-');
    }
    let (digits, point) = shortest(literal, number.abs());
    let len = digits.len() as isize;
    let zeros = |count: isize| core::iter::repeat_n(b'0', count.max(0) as usize);
    if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(len.min(point) as usize);
        out.extend_from_slice(whole);
        out.extend(zeros(point - len));
        if !fraction.is_empty() {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
    } else if -6 < point && point <= 0 {
        out.extend_from_slice(b"0.");
        out.extend(zeros(-point));
        out.extend_from_slice(&digits);
    } else {
        write_scientific(out, &digits, point);
    }
}

/// `d.ddde±x`, where the point would stand behind so many of the digits.
fn write_scientific(out: &mut Vec<u8>, digits: &[u8], point: isize) {
    let (first, rest) = digits.split_at(1.min(digits.len()));
    out.extend_from_slice(first);
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest);
    }
    out.extend_from_slice(if point > 0 { b"e+" } else { b"e" });
    out.extend_from_slice((point - 1).to_string().as_bytes());
}

/// The fewest digits that stand for `number`, which is not zero, and how many of them stand before the point.
///
/// Few digits in the literal are those. Of many, those of the double itself are rounded, to more of them each time, until they are
/// read as the same number; no table of a faster algorithm is carried along for what `JSON.stringify` writes in all but odd cases.
fn shortest(literal: &[u8], number: f64) -> (Vec<u8>, isize) {
    /// Decimals of so many digits are different numbers, so none of them can be written with fewer. Not below the normal doubles.
    const DISTINCT: usize = 15;
    let is_normal = number >= f64::MIN_POSITIVE;
    let (digits, point) = significant(literal);
    if is_normal && digits.len() <= DISTINCT {
        return (digits, point);
    }
    let (digits, point) = exact_decimal(number);
    for count in if is_normal { DISTINCT } else { 1 }..digits.len() {
        // Above a power of two, the next decimal may be read as it where the nearest, below, is not.
        for is_up in [digits[count] >= b'5', true] {
            let (rounded, carried) = round(&digits, count, is_up);
            let point = point + isize::from(carried);
            let mut text = Vec::new();
            write_scientific(&mut text, &rounded, point);
            if parse_number(&text) == Some(number) {
                return (rounded, point);
            }
        }
    }
    (digits, point)
}

/// A literal's digits without zeros at either end, and how many of them stand before the point.
fn significant(literal: &[u8]) -> (Vec<u8>, isize) {
    let (mantissa, exponent) = match literal.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&literal[..at], &literal[at + 1..]),
        None => (literal, &b""[..]),
    };
    let exponent: isize = core::str::from_utf8(exponent)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    let whole = mantissa
        .split(|&byte| byte == b'.')
        .next()
        .unwrap_or_default();
    let before = whole.iter().filter(|byte| byte.is_ascii_digit()).count() as isize;
    let all: Vec<u8> = mantissa
        .iter()
        .copied()
        .filter(u8::is_ascii_digit)
        .collect();
    let from = all
        .iter()
        .position(|&digit| digit != b'0')
        .unwrap_or_default();
    let to = all
        .iter()
        .rposition(|&digit| digit != b'0')
        .map_or(0, |at| at + 1);
    let digits = all.get(from..to).unwrap_or_default().to_vec();
    (digits, before - from as isize + exponent)
}

/// The first `count` digits, rounded, without zeros behind, and whether they became one digit longer.
fn round(digits: &[u8], count: usize, is_up: bool) -> (Vec<u8>, bool) {
    let mut kept = digits[..count].to_vec();
    if is_up {
        while kept.last() == Some(&b'9') {
            kept.pop();
        }
        match kept.last_mut() {
            Some(last) => *last += 1,
            None => return (b"1".to_vec(), true),
        }
    }
    while kept.last() == Some(&b'0') {
        kept.pop();
    }
    (kept, false)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stringified(text: &str) -> String {
        String::from_utf8(stringify(text.as_bytes())).unwrap()
    }

    #[test]
    fn spelling_is_that_of_javascript() {
        for (text, expected) in [
            (
                " [ 1 , true , null , false , \"\\u0061\" , [ ] , { } ] ",
                r#"[1,true,null,false,"a",[],{}]"#,
            ),
            (
                r#"{"b":1,"10":2,"a":{"x":[{}]},"2":3}"#,
                r#"{"2":3,"10":2,"b":1,"a":{"x":[{}]}}"#,
            ),
            (r#"{"a":1,"b":2,"\u0061":3}"#, r#"{"a":3,"b":2}"#),
            (
                r#"{"01":1,"4294967295":2,"0":3,"4294967294":4,"-1":5,"+1":6}"#,
                r#"{"0":3,"4294967294":4,"01":1,"4294967295":2,"-1":5,"+1":6}"#,
            ),
            ("[1,", "[1,"),
        ] {
            assert_eq!(stringified(text), expected);
        }
    }

    #[test]
    fn numbers_are_spelled_as_number_to_string_spells_them() {
        for (text, expected) in [
            ("0", "0"),
            ("1.0", "1"),
            ("-5e0", "-5"),
            ("1e2", "100"),
            ("9007199254740993", "9007199254740992"),
            ("1e20", "100000000000000000000"),
            ("123456789012345680000", "123456789012345680000"),
            ("1e21", "1e+21"),
            ("1.5e300", "1.5e+300"),
            ("-0.1", "-0.1"),
            ("12.50", "12.5"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("-1.25e-9", "-1.25e-9"),
            ("5e-324", "5e-324"),
            ("0.00001234", "0.00001234"),
            ("0.1000000000000000055511151231257827", "0.1"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("0.99999999999999999", "1"),
            ("9999999999999999999999.5", "1e+22"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("-0.000000123e-2", "-1.23e-9"),
            ("12345678901234567890e10", "1.2345678901234568e+29"),
            // Digits of the double, not of the literal.
            ("-900719925789012345678", "-900719925789012400000"),
            ("4e-324", "5e-324"),
            ("2.4703282292062328e-324", "5e-324"),
            ("1234.567890123456789e-300", "1.2345678901234568e-297"),
            // A power of two has more room above than below.
            ("5.6843418860808015e-14", "5.684341886080802e-14"),
            ("9007199254740993.1", "9007199254740994"),
        ] {
            assert_eq!(stringified(text), expected);
        }
    }

    proptest! {
        #[test]
        fn any_spelling_of_a_double_becomes_the_shortest(mantissa in r"[1-9]\.[0-9]{14,24}", exponent in -323_i32..308) {
            let literal = format!("{mantissa}e{exponent}");
            // The standard library gives the fewest digits, in another form.
            let number: f64 = literal.parse().unwrap();
            let expected = format!("{number:e}");
            let (digits, exponent) = expected.split_once('e').unwrap();
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            if !(-7..21).contains(&exponent.parse().unwrap()) {
                prop_assert_eq!(stringified(&literal), format!("{digits}e{sign}{exponent}"));
            }
        }
    }

    #[test]
    fn any_depth_is_written_without_recursion() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(stringified(&deep), deep);
        let deep = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
        assert_eq!(stringified(&deep), deep);
    }
}
