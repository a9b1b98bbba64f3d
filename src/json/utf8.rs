//! Whether bytes are UTF-8.
//!
//! The wasm build looks at sixteen bytes at once: with the standard library's validation, checking
//! Cyrillic text took 3.3 times as long. Other builds use the standard library.

/// Whether `bytes` is UTF-8, by the rules of RFC 3629 (no surrogates, no overlong forms).
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline]
pub(super) fn is_utf8(bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_ok()
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use simd::is_utf8;

/// The lookup algorithm of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte"
/// (2021): each pair of neighbouring bytes is looked up by three of its four half-bytes. A bit
/// that all three tables give names a fault.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd {
    use core::arch::wasm32::*;

    const BLOCK: usize = 16;

    /// A byte that begins a character, or the ASCII before, lacks its continuation.
    const TOO_SHORT: u8 = 1 << 0;
    /// ASCII is followed by a continuation.
    const TOO_LONG: u8 = 1 << 1;
    const OVERLONG_3: u8 = 1 << 2;
    /// Above U+10FFFF, by a first byte F4 with a second above 8F, or by a larger first byte.
    const TOO_LARGE: u8 = 1 << 3;
    const SURROGATE: u8 = 1 << 4;
    const OVERLONG_2: u8 = 1 << 5;
    /// Above U+10FFFF, by a first byte F5 or more with a second of 8x.
    const TOO_LARGE_8X: u8 = 1 << 6;
    /// Shares its bit: the tables never give both for the same low half of the first byte.
    const OVERLONG_4: u8 = 1 << 6;
    /// Two continuations in a row; a fault unless a longer character asks for them.
    const TWO_CONTINUATIONS: u8 = 1 << 7;
    /// Faults that do not depend on the low half of the first byte.
    const ANY_LOW: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

    #[rustfmt::skip]
    const FIRST_HIGH: [u8; 16] = [
        TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
        TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS, TWO_CONTINUATIONS,
        TOO_SHORT | OVERLONG_2,
        TOO_SHORT,
        TOO_SHORT | OVERLONG_3 | SURROGATE,
        TOO_SHORT | TOO_LARGE | TOO_LARGE_8X | OVERLONG_4,
    ];

    const FIRST_LOW: [u8; 16] = {
        let mut table = [ANY_LOW | TOO_LARGE | TOO_LARGE_8X; 16];
        table[0] = ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4;
        table[1] = ANY_LOW | OVERLONG_2;
        table[2] = ANY_LOW;
        table[3] = ANY_LOW;
        table[4] = ANY_LOW | TOO_LARGE;
        table[13] |= SURROGATE;
        table
    };

    const SECOND_HIGH: [u8; 16] = {
        let mut table = [TOO_SHORT; 16];
        let continuation = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
        table[8] = continuation | OVERLONG_3 | TOO_LARGE_8X | OVERLONG_4;
        table[9] = continuation | OVERLONG_3 | TOO_LARGE;
        table[10] = continuation | SURROGATE | TOO_LARGE;
        table[11] = continuation | SURROGATE | TOO_LARGE;
        table
    };

    /// Whether `bytes` is UTF-8, by the rules of RFC 3629 (no surrogates, no overlong forms).
    pub fn is_utf8(bytes: &[u8]) -> bool {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let mut faults = u8x16_splat(0);
        let mut before = u8x16_splat(0);
        for block in blocks {
            let now = load(block);
            // Between two blocks of ASCII there is nothing to find.
            if u8x16_bitmask(v128_or(now, before)) != 0 {
                faults = v128_or(faults, faults_in(now, before));
            }
            before = now;
        }
        // Zeros behind the end show a character that is cut off there.
        let mut last = [0; BLOCK];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        faults = v128_or(faults, faults_in(load(&last), before));
        !v128_any_true(faults)
    }

    #[inline(always)]
    fn faults_in(now: v128, before: v128) -> v128 {
        let one_back =
            u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(
                before, now,
            );
        let two_back =
            u8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(
                before, now,
            );
        let three_back =
            u8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(
                before, now,
            );
        let of_pairs = v128_and(
            v128_and(
                u8x16_swizzle(load(&FIRST_HIGH), u8x16_shr(one_back, 4)),
                u8x16_swizzle(load(&FIRST_LOW), v128_and(one_back, u8x16_splat(15))),
            ),
            u8x16_swizzle(load(&SECOND_HIGH), u8x16_shr(now, 4)),
        );
        // The third and fourth byte of a character must be the second of two continuations, and no other
        // byte may be. The high bit says so for both.
        let third = u8x16_sub_sat(two_back, u8x16_splat(0xE0 - 0x80));
        let fourth = u8x16_sub_sat(three_back, u8x16_splat(0xF0 - 0x80));
        let wanted = v128_and(v128_or(third, fourth), u8x16_splat(0x80));
        v128_xor(of_pairs, wanted)
    }

    #[inline(always)]
    fn load(bytes: &[u8; BLOCK]) -> v128 {
        // SAFETY: `bytes` is sixteen readable bytes, and `v128_load` asks for no alignment.
        unsafe { v128_load(bytes.as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[test]
    fn every_sequence_of_up_to_four_bytes_is_judged_as_the_standard_library_does() {
        // Bytes on both sides of each border that the rules draw.
        let bytes = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
            0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ];
        let count = bytes.len();
        for index in 0..count.pow(4) {
            let four =
                [1, count, count.pow(2), count.pow(3)].map(|place| bytes[index / place % count]);
            for pad in [0, 13, 15] {
                let text = [&[b'a'; 15][..pad], &four].concat();
                assert_eq!(
                    is_utf8(&text),
                    core::str::from_utf8(&text).is_ok(),
                    "{four:x?} at {pad}"
                );
            }
        }
    }
}
