//! The nearest double of a decimal number, and all digits of a double, by exact integer arithmetic.
//!
//! For the few numbers that one double operation does not give. It is slower than the algorithms of
//! the standard library and links no tables.

use super::number::SIGNIFICANT;

/// Limbs of 32 bits. The largest integer is the larger of 10^801 (2661 bits) and 5^1127 (2617
/// bits), doubled once during division.
const LIMBS: usize = 88;

/// Decimal numbers at or above 10^310 are infinite, those below 10^-326 are zero.
const LARGEST: i64 = 310;
const SMALLEST: i64 = -326;

/// The double nearest to the integer spelled by `digits` (values 0 to 9, no leading zero, at most
/// `SIGNIFICANT` + 1 of them) times 10^`exponent`; ties go to even.
pub(super) fn nearest_double(digits: &[u8], exponent: i64) -> f64 {
    debug_assert!(digits.len() <= SIGNIFICANT + 1);
    // The number lies in [10^(magnitude - 1), 10^magnitude).
    let magnitude = exponent.saturating_add(digits.len() as i64);
    if digits.is_empty() || magnitude <= SMALLEST {
        return 0.0;
    }
    if magnitude > LARGEST {
        return f64::INFINITY;
    }
    let mut integer = Big::from_digits(digits);
    if exponent >= 0 {
        integer.multiply_by_power_of_five(exponent as u32);
        let (top, scale, rest) = integer.top_word();
        return round(top, i64::from(scale) + exponent, rest);
    }
    let mut divisor = Big::from_digits(&[1]);
    divisor.multiply_by_power_of_five(exponent.unsigned_abs() as u32);
    let (quotient, scale, rest) = divide(integer, divisor);
    round(quotient, scale + exponent, rest)
}

/// `mantissa` × 2^`scale`, a little more if `sticky`, rounded to the nearest double.
///
/// If `sticky` is set, `mantissa` has 63 bits at least.
fn round(mantissa: u64, scale: i64, sticky: bool) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let shift = mantissa.leading_zeros();
    let mantissa = mantissa << shift;
    // Exponent of the leading bit.
    let exponent = scale - i64::from(shift) + 63;
    if exponent > 1023 {
        return f64::INFINITY;
    }
    // Below 2^-1022 doubles have fewer bits, the same last place for all.
    let missing = (-1022 - exponent).max(0);
    let drop = 11 + missing;
    if drop > 64 {
        return 0.0;
    }
    let wide = u128::from(mantissa);
    let kept = (wide >> drop) as u64;
    let fraction = (wide & ((1 << drop) - 1)) as u64;
    let half = 1_u64 << (drop - 1);
    let up = fraction > half || fraction == half && (sticky || kept & 1 == 1);
    // The leading bit of `kept` adds one to the exponent field, and so does a carry out of it.
    let field = if missing > 0 {
        0
    } else {
        (exponent + 1022) as u64
    };
    f64::from_bits((field << 52) + kept + u64::from(up))
}

/// All digits (as ASCII) of a positive double, without zeros at either end, and how many of them stand before the point.
pub(super) fn exact_decimal(number: f64) -> (Vec<u8>, isize) {
    let field = (number.to_bits() >> 52) as i64;
    let fraction = number.to_bits() & ((1 << 52) - 1);
    // The double is `mantissa` × 2^`scale`.
    let mantissa = if field > 0 {
        fraction | 1 << 52
    } else {
        fraction
    };
    let scale = field.max(1) - 1075;
    let digits: Vec<u8> = mantissa
        .to_string()
        .bytes()
        .map(|digit| digit - b'0')
        .collect();
    let mut integer = Big::from_digits(&digits);
    let mut point = 0;
    if scale < 0 {
        // 2^-n is 5^n × 10^-n.
        integer.multiply_by_power_of_five(scale.unsigned_abs() as u32);
        point = scale;
    } else {
        integer.shift_left(scale as u32);
    }
    let mut digits = Vec::new();
    while integer.len > 0 {
        digits.push(b'0' + integer.divide_by_ten() as u8);
    }
    digits.reverse();
    let point = point + digits.len() as i64;
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, point as isize)
}

/// `numerator` / `divisor` as 64 bits of quotient (the first may be 0), the power of two they count
/// in, and whether there is a remainder.
fn divide(mut numerator: Big, mut divisor: Big) -> (u64, i64, bool) {
    let scale = numerator.bits() as i64 - divisor.bits() as i64;
    // With as many bits each, the quotient lies between 1/2 and 2.
    if scale < 0 {
        numerator.shift_left(scale.unsigned_abs() as u32);
    } else {
        divisor.shift_left(scale as u32);
    }
    let mut quotient = 0;
    for _ in 0..64 {
        quotient <<= 1;
        if numerator.subtract_if_not_less(&divisor) {
            quotient |= 1;
        }
        numerator.shift_left(1);
    }
    (quotient, scale - 63, numerator.len > 0)
}

/// A natural number. Limbs from `len` on are 0, the one before is not.
struct Big {
    limbs: [u32; LIMBS],
    len: usize,
}

impl Big {
    fn from_digits(digits: &[u8]) -> Self {
        let mut big = Self {
            limbs: [0; LIMBS],
            len: 0,
        };
        for group in digits.chunks(9) {
            let value = group
                .iter()
                .fold(0, |value, digit| value * 10 + u32::from(*digit));
            big.multiply_add(10_u32.pow(group.len() as u32), value);
        }
        big
    }

    fn multiply_by_power_of_five(&mut self, mut power: u32) {
        while power > 0 {
            // 5^13 is the largest power of five in a limb.
            let step = power.min(13);
            self.multiply_add(5_u32.pow(step), 0);
            power -= step;
        }
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.limbs[..self.len] {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = carry as u32;
            carry >>= 32;
        }
        self.push(carry as u32);
    }

    /// Divides by ten and gives the rest.
    fn divide_by_ten(&mut self) -> u32 {
        let mut rest = 0;
        for limb in self.limbs[..self.len].iter_mut().rev() {
            let wide = u64::from(rest) << 32 | u64::from(*limb);
            *limb = (wide / 10) as u32;
            rest = (wide % 10) as u32;
        }
        while self.limbs[..self.len].last() == Some(&0) {
            self.len -= 1;
        }
        rest
    }

    /// Adds a limb at the top, unless it is 0.
    fn push(&mut self, limb: u32) {
        if limb != 0 {
            self.limbs[self.len] = limb;
            self.len += 1;
        }
    }

    fn bits(&self) -> u32 {
        match self.limbs[..self.len].last() {
            Some(top) => self.len as u32 * 32 - top.leading_zeros(),
            None => 0,
        }
    }

    fn shift_left(&mut self, by: u32) {
        let (limbs, bits) = ((by / 32) as usize, by % 32);
        if limbs > 0 && self.len > 0 {
            self.limbs.copy_within(..self.len, limbs);
            self.limbs[..limbs].fill(0);
            self.len += limbs;
        }
        let mut carry = 0;
        for limb in &mut self.limbs[..self.len] {
            let wide = u64::from(*limb) << bits | carry;
            *limb = wide as u32;
            carry = wide >> 32;
        }
        self.push(carry as u32);
    }

    /// Subtracts `other` if that leaves a natural number, and says whether it did.
    fn subtract_if_not_less(&mut self, other: &Self) -> bool {
        let own = self.limbs[..self.len].iter().rev();
        let less = self
            .len
            .cmp(&other.len)
            .then_with(|| own.cmp(other.limbs[..other.len].iter().rev()));
        if less.is_lt() {
            return false;
        }
        let mut borrow = false;
        for (limb, taken) in self.limbs[..self.len].iter_mut().zip(other.limbs) {
            let (difference, first) = limb.overflowing_sub(taken);
            let (difference, second) = difference.overflowing_sub(u32::from(borrow));
            *limb = difference;
            borrow = first || second;
        }
        while self.limbs[..self.len].last() == Some(&0) {
            self.len -= 1;
        }
        true
    }

    /// The 64 bits from the top, the power of two they count in, and whether anything lies below.
    fn top_word(&self) -> (u64, u32, bool) {
        let bits = self.bits();
        let (below, top) = self.limbs[..self.len].split_at(self.len.saturating_sub(3));
        let top = top
            .iter()
            .rev()
            .fold(0_u128, |all, limb| all << 32 | u128::from(*limb));
        if bits <= 64 {
            return (top as u64, 0, false);
        }
        let scale = bits - 64;
        let drop = scale - below.len() as u32 * 32;
        let rest = top & ((1 << drop) - 1) != 0 || below.iter().any(|limb| *limb != 0);
        ((top >> drop) as u64, scale, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_operands_fit() {
        let digits = [9; SIGNIFICANT + 1];
        for exponent in -1126..=0 {
            let text = format!("{}e{exponent}", "9".repeat(digits.len()));
            let expected: f64 = text.parse().unwrap();
            assert_eq!(
                nearest_double(&digits, exponent).to_bits(),
                expected.to_bits(),
                "{exponent}"
            );
        }
    }

    #[test]
    fn the_top_word_marks_what_lies_below() {
        let mut big = Big::from_digits(&[1]);
        big.shift_left(64);
        assert_eq!(big.top_word(), (1 << 63, 1, false));
        big.multiply_add(1, 1);
        assert_eq!(big.top_word(), (1 << 63, 1, true));
    }

    #[test]
    fn every_power_of_ten_is_the_nearest() {
        for exponent in -400..400 {
            let expected: f64 = format!("1e{exponent}").parse().unwrap();
            assert_eq!(
                nearest_double(&[1], exponent).to_bits(),
                expected.to_bits(),
                "{exponent}"
            );
        }
    }
}
