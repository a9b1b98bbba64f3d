//! `turnlog::json::parse_number` gives the double that the standard library gives, bit for bit.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use turnlog::json::parse_number;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn numbers_are_the_nearest_doubles(text in prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        "(-?[1-9][0-9]{0,20}|0)(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |f| f.is_finite()).prop_map(|f| format!("{f:e}")),
        "-?[1-9][0-9]{0,40}\\.[0-9]{1,40}[eE][+-]?[0-9]{1,3}",
        "-?0\\.0{0,30}[0-9]{1,20}e-3[0-9]{2}",
    ]) {
        let found = parse_number(text.as_bytes()).unwrap();
        let expected: f64 = text.parse().unwrap();
        prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn midpoints_between_doubles_go_to_even(bits in any::<u64>(), nudge in "[01]?") {
        let double = f64::from_bits(bits).abs();
        prop_assume!(double.is_finite() && double < f64::MAX);
        let next = f64::from_bits(double.to_bits() + 1);
        // The exact midpoint: decimal expansion of the sum's half, worked out in integers by the library.
        let (low, high) = (format!("{double:.1080}"), format!("{next:.1080}"));
        let text = midpoint(&low, &high) + &nudge;
        let found = parse_number(text.as_bytes()).unwrap();
        let expected: f64 = text.parse().unwrap();
        prop_assert_eq!(found.to_bits(), expected.to_bits(), "{}", text);
    }
}

/// Half the sum of two positive decimals with equally many digits after the point.
fn midpoint(low: &str, high: &str) -> String {
    let width = low.len().max(high.len());
    let digits = |text: &str| format!("{text:0>width$}").into_bytes();
    let mut carry = 0;
    let mut sum: Vec<u8> = Vec::new();
    for (a, b) in digits(low).into_iter().zip(digits(high)).rev() {
        if a == b'.' {
            sum.push(b'.');
            continue;
        }
        let digit = (a - b'0') + (b - b'0') + carry;
        sum.push(digit % 10);
        carry = digit / 10;
    }
    sum.push(carry);
    let mut rest = 0;
    let mut half = String::new();
    for digit in sum.into_iter().rev() {
        if digit == b'.' {
            half.push('.');
            continue;
        }
        let value = rest * 10 + digit;
        half.push(char::from(b'0' + value / 2));
        rest = value % 2;
    }
    half.push(if rest == 1 { '5' } else { '0' });
    let trimmed = half.trim_start_matches('0');
    if trimmed.starts_with('.') {
        format!("0{trimmed}")
    } else {
        trimmed.to_owned()
    }
}
