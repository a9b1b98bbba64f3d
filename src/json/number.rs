//! Numbers: their grammar, and the double that JavaScript gives them.

use super::bigint;
use super::error::{JsonError, JsonErrorKind};

/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Significant digits after which a further digit can only say "a little more".
///
/// The longest decimal expansion of a double, or of the midpoint between two, has 767.
pub(super) const SIGNIFICANT: usize = 800;

/// Digits that always fit in a word.
const WORD_DIGITS: usize = 19;

/// Exponents are held to this size. No text is long enough for its digits to make up for more.
const EXPONENT_LIMIT: i64 = 1 << 50;

/// A number as it is written: its parts, and where they stand in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    /// First byte, the minus sign if there is one.
    start: usize,
    negative: bool,
    /// End of the digits before the point.
    integer_end: usize,
    /// End of the digits after the point, or `integer_end` if there is no point.
    mantissa_end: usize,
    /// All digits read as one integer; meaningless if there are more than [`WORD_DIGITS`].
    mantissa: u64,
    exponent: i64,
    /// Just after the last byte.
    pub end: usize,
}

/// The nearest double (ties to even) of a JSON number, by ECMAScript's rules.
///
/// Gives `None` if `text` is anything but one number of RFC 8259. A number too large gives an
/// infinity and `-0` gives `-0.0`; [`check`](super::check()) refuses both. The time is linear in the
/// length of the text.
pub fn parse_number(text: &[u8]) -> Option<f64> {
    let literal = scan(text, 0).ok()?;
    (literal.end == text.len()).then(|| literal.value(text))
}

/// Reads the number that begins at `start`, as far as it goes.
#[inline]
pub(super) fn scan(text: &[u8], start: usize) -> Result<Literal, JsonError> {
    let negative = text.get(start) == Some(&b'-');
    let integer = start + usize::from(negative);
    let mut mantissa = 0;
    let integer_end = digits(text, integer, &mut mantissa)?;
    if text.get(integer) == Some(&b'0') && integer_end > integer + 1 {
        return Err(JsonError::new(integer + 1, JsonErrorKind::InvalidNumber));
    }
    let mut mantissa_end = integer_end;
    if text.get(integer_end) == Some(&b'.') {
        mantissa_end = digits(text, integer_end + 1, &mut mantissa)?;
    }
    let (exponent, end) = match text.get(mantissa_end) {
        Some(b'e' | b'E') => scan_exponent(text, mantissa_end + 1)?,
        _ => (0, mantissa_end),
    };
    Ok(Literal {
        start,
        negative,
        integer_end,
        mantissa_end,
        mantissa,
        exponent,
        end,
    })
}

/// Appends the digits at `at`, of which there is one at least, to `integer`, and gives their end.
#[inline]
fn digits(text: &[u8], at: usize, integer: &mut u64) -> Result<usize, JsonError> {
    let mut end = at;
    while let Some(&byte) = text.get(end)
        && byte.is_ascii_digit()
    {
        *integer = integer
            .wrapping_mul(10)
            .wrapping_add(u64::from(byte - b'0'));
        end += 1;
    }
    if end > at {
        return Ok(end);
    }
    let kind = match text.get(end) {
        Some(_) => JsonErrorKind::InvalidNumber,
        None => JsonErrorKind::UnexpectedEnd,
    };
    Err(JsonError::new(end, kind))
}

/// The exponent whose sign or first digit is at `at`, and its end.
fn scan_exponent(text: &[u8], at: usize) -> Result<(i64, usize), JsonError> {
    let sign = text.get(at).filter(|byte| matches!(byte, b'+' | b'-'));
    let start = at + usize::from(sign.is_some());
    let end = digits(text, start, &mut 0)?;
    let written = text.get(start..end).unwrap_or_default();
    let size = written.iter().fold(0_i64, |size, digit| {
        (size * 10 + i64::from(digit - b'0')).min(EXPONENT_LIMIT)
    });
    Ok((if sign == Some(&b'-') { -size } else { size }, end))
}

impl Literal {
    /// The nearest double. `text` is what the literal was scanned in.
    #[inline]
    pub fn value(&self, text: &[u8]) -> f64 {
        let size = self.one_operation().unwrap_or_else(|| self.long_way(text));
        if self.negative { -size } else { size }
    }

    /// The size, where one double operation on exact operands gives it: IEEE 754 rounds the result
    /// of one operation correctly.
    #[inline]
    fn one_operation(&self) -> Option<f64> {
        let fraction = (self.mantissa_end - self.integer_end).saturating_sub(1);
        // The sign and the point may count as digits here; that many are rare.
        if self.mantissa_end - self.start > WORD_DIGITS || self.mantissa > 1 << 53 {
            return None;
        }
        let size = self.mantissa as f64;
        let exponent = self.exponent - fraction as i64;
        let power = *EXACT_POWERS.get(usize::try_from(exponent.unsigned_abs()).ok()?)?;
        Some(if exponent < 0 {
            size / power
        } else {
            size * power
        })
    }

    /// Why the value would not survive `JSON.stringify`, if it would not.
    #[inline]
    pub fn refusal(&self, text: &[u8]) -> Option<JsonErrorKind> {
        let plain = self.end == self.mantissa_end && self.end - self.start < 300;
        // Without an exponent, only very many digits overflow, and only zeros make a zero.
        if plain && (!self.negative || text.get(self.start + 1) != Some(&b'0')) {
            return None;
        }
        let value = self.value(text);
        if value.is_infinite() {
            Some(JsonErrorKind::NumberOutOfRange)
        } else if value == 0.0 && self.negative {
            Some(JsonErrorKind::NegativeZero)
        } else {
            None
        }
    }

    /// Digits before and after the point.
    fn mantissa<'a>(&self, text: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let integer = self.start + usize::from(self.negative);
        let fraction = (self.integer_end + 1).min(self.mantissa_end);
        (
            text.get(integer..self.integer_end).unwrap_or_default(),
            text.get(fraction..self.mantissa_end).unwrap_or_default(),
        )
    }

    /// The size by exact integer arithmetic.
    #[cold]
    fn long_way(&self, text: &[u8]) -> f64 {
        let (integer, fraction) = self.mantissa(text);
        let mut kept = [0_u8; SIGNIFICANT + 1];
        let mut len = 0;
        let mut dropped = 0_i64;
        let mut sticky = false;
        for &digit in integer.iter().chain(fraction) {
            if len == 0 && digit == b'0' {
                continue;
            }
            if len < SIGNIFICANT {
                kept[len] = digit - b'0';
                len += 1;
            } else {
                dropped += 1;
                sticky |= digit != b'0';
            }
        }
        let mut exponent = self.exponent - fraction.len() as i64 + dropped;
        if sticky {
            kept[len] = 1;
            len += 1;
            exponent -= 1;
        }
        bigint::nearest_double(&kept[..len], exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(text: &str) {
        let expected: f64 = text.parse().unwrap();
        let found = parse_number(text.as_bytes()).unwrap();
        assert_eq!(
            found.to_bits(),
            expected.to_bits(),
            "{text}: {found:e} for {expected:e}"
        );
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "-0",
            "1",
            "-1",
            "10",
            "0.1",
            "123.456",
            "1e22",
            "1e23",
            "9007199254740993",
            "1E+2",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e308",
            "1e309",
            "-1e400",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "5e-324",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1e-400",
            "-1e-400",
            "0.000001",
            "8.5e-7",
            "6.631236846766476e-316",
            "1e-5",
            "0e999999999999999999999",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "18446744073709551615",
            "0.30000000000000004",
            "9007199254740992.5",
            "9007199254740993.00000000000000000000000000000000000000000000000000001",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn ties_go_to_even_and_one_far_digit_breaks_them() {
        // Half of the smallest double, exactly: 5^1075 over 10^1075.
        let half = "24703282292062327208051355972789888398";
        agrees(&format!("{half}e-361"));
        for shift in 0..40 {
            let tie = (1_u64 << 53) + 2 * shift + 1;
            agrees(&format!("{tie}.{}", "0".repeat(2_000)));
            agrees(&format!("{tie}.{}1", "0".repeat(2_000)));
            agrees(&format!("{}.{}", tie - 1, "9".repeat(2_000)));
        }
    }

    #[test]
    fn a_million_digits_take_no_more_than_a_pass() {
        let nines = "9".repeat(1_000_000);
        assert_eq!(
            parse_number(format!("{nines}e-1000000").as_bytes()),
            Some(1.0)
        );
        assert_eq!(parse_number(format!("0.{nines}").as_bytes()), Some(1.0));
        assert_eq!(parse_number(nines.as_bytes()), Some(f64::INFINITY));
        let zeros = "0".repeat(1_000_000);
        assert_eq!(
            parse_number(format!("0.{zeros}25e1000001").as_bytes()),
            Some(2.5)
        );
        assert_eq!(
            parse_number(format!("25{zeros}e-1000001").as_bytes()),
            Some(2.5)
        );
    }

    #[test]
    fn what_is_not_a_number_of_the_grammar_is_none() {
        for text in [
            "", "-", "+1", "01", "-01", "00", "1.", ".1", "1.e1", "1e", "1e+", "1e1.5", "0x1",
            "NaN", "Infinity", " 1", "1 ", "1_0", "--1", "1-",
        ] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn only_values_that_do_not_survive_are_refused() {
        use JsonErrorKind::{NegativeZero, NumberOutOfRange};
        let refusal = |text: &str| scan(text.as_bytes(), 0).unwrap().refusal(text.as_bytes());
        for text in ["-0", "-0.0", "-0e9", "-0E-9", "-1e-400", "-0.000e5"] {
            assert_eq!(refusal(text), Some(NegativeZero), "{text}");
        }
        for text in ["1e400", "-1e309", "1.7976931348623159e308"] {
            assert_eq!(refusal(text), Some(NumberOutOfRange), "{text}");
        }
        assert_eq!(refusal(&"9".repeat(310)), Some(NumberOutOfRange));
        assert_eq!(
            refusal(&format!("-0.{}1", "0".repeat(400))),
            Some(NegativeZero)
        );
        for text in [
            "0",
            "0e999",
            "-0.1",
            "-5e-324",
            "1e-400",
            "1.7976931348623157e308",
            "-10",
        ] {
            assert_eq!(refusal(text), None, "{text}");
        }
    }
}
