//! Searching and counting bytes many at a time.
//!
//! Each function takes blocks of 16 bytes where the build has `simd128` and words of 8 bytes after
//! that (or alone), then single bytes. An index that is returned is `text.len()` when nothing is found.

/// Where a string body stops being plain, and whether it may need its UTF-8 validated.
pub(super) struct PlainRun {
    /// Index of the first quote, backslash or control character.
    pub end: usize,
    /// False only if every byte before `end` is ASCII. A byte shortly after `end` may set it too,
    /// which costs a needless validation and nothing else.
    pub non_ascii: bool,
}

/// End of the run of bytes from `from` that may stand in a JSON string as they are.
#[inline]
pub(super) fn plain_run(text: &[u8], from: usize) -> PlainRun {
    let mut at = from;
    let mut non_ascii = false;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    {
        let mut high = block::NONE;
        while let Some(bytes) = block::load(text, at) {
            high = block::either(high, bytes);
            let stop = block::either(
                block::either(block::equal(bytes, b'"'), block::equal(bytes, b'\\')),
                block::below(bytes, 0x20),
            );
            if let Some(index) = block::first(stop) {
                return PlainRun {
                    end: at + index,
                    non_ascii: block::any_high_bit(high),
                };
            }
            at += block::SIZE;
        }
        non_ascii |= block::any_high_bit(high);
    }
    while let Some(bytes) = word::load(text, at) {
        non_ascii |= bytes & word::HIGH_BITS != 0;
        let stop = word::equal(bytes, b'"') | word::equal(bytes, b'\\') | word::below(bytes, 0x20);
        if let Some(index) = word::first(stop) {
            return PlainRun {
                end: at + index,
                non_ascii,
            };
        }
        at += word::SIZE;
    }
    while let Some(&byte) = text.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        non_ascii |= byte >= 0x80;
        at += 1;
    }
    PlainRun { end: at, non_ascii }
}

/// Index of the first quote or backslash at or after `from`.
#[inline(always)]
pub(super) fn find_quote_or_backslash(text: &[u8], from: usize) -> usize {
    let mut at = from;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    while let Some(bytes) = block::load(text, at) {
        let stop = block::either(block::equal(bytes, b'"'), block::equal(bytes, b'\\'));
        if let Some(index) = block::first(stop) {
            return at + index;
        }
        at += block::SIZE;
    }
    while let Some(bytes) = word::load(text, at) {
        let stop = word::equal(bytes, b'"') | word::equal(bytes, b'\\');
        if let Some(index) = word::first(stop) {
            return at + index;
        }
        at += word::SIZE;
    }
    while text
        .get(at)
        .is_some_and(|&byte| byte != b'"' && byte != b'\\')
    {
        at += 1;
    }
    at
}

/// Index of the first `byte` at or after `from`; the text's length, or `from` behind it, where there is none.
#[inline]
pub fn find_byte(text: &[u8], from: usize, byte: u8) -> usize {
    let mut at = from;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    while let Some(bytes) = block::load(text, at) {
        if let Some(index) = block::first(block::equal(bytes, byte)) {
            return at + index;
        }
        at += block::SIZE;
    }
    while let Some(bytes) = word::load(text, at) {
        if let Some(index) = word::first(word::equal(bytes, byte)) {
            return at + index;
        }
        at += word::SIZE;
    }
    while text.get(at).is_some_and(|&other| other != byte) {
        at += 1;
    }
    at
}

/// Index of the first backslash at or after `from`.
#[inline]
pub(super) fn find_backslash(text: &[u8], from: usize) -> usize {
    find_byte(text, from, b'\\')
}

/// UTF-16 code units of UTF-8 text (one for each character, two for each above U+FFFF), and whether
/// there is a backslash in it.
///
/// Counts bytes that begin a character, and those that begin a four-byte one a second time.
#[inline]
pub(super) fn utf16_units(text: &[u8]) -> (usize, bool) {
    let mut at = 0;
    let mut units = 0;
    let mut backslash = false;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    {
        let mut marks = block::NONE;
        while let Some(bytes) = block::load(text, at) {
            units += block::utf16_units(bytes);
            marks = block::either(marks, block::equal(bytes, b'\\'));
            at += block::SIZE;
        }
        backslash |= block::any_high_bit(marks);
    }
    while let Some(bytes) = word::load(text, at) {
        units += word::utf16_units(bytes);
        backslash |= word::equal(bytes, b'\\') != 0;
        at += word::SIZE;
    }
    for &byte in text.get(at..).unwrap_or_default() {
        units += usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0);
        backslash |= byte == b'\\';
    }
    (units, backslash)
}

/// Eight bytes in a word, the first in the lowest bits. Masks mark a byte by its high bit.
mod word {
    pub const SIZE: usize = 8;
    pub const HIGH_BITS: u64 = repeat(0x80);

    pub const fn repeat(byte: u8) -> u64 {
        u64::from_le_bytes([byte; SIZE])
    }

    #[inline(always)]
    pub fn load(text: &[u8], at: usize) -> Option<u64> {
        text.get(at..)?
            .first_chunk::<SIZE>()
            .map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// Marks bytes below `limit` (at most 0x80). Exact up to the first mark: a borrow may mark bytes after it.
    #[inline(always)]
    pub fn below(bytes: u64, limit: u8) -> u64 {
        bytes.wrapping_sub(repeat(limit)) & !bytes & HIGH_BITS
    }

    /// Marks bytes equal to `byte`. Exact up to the first mark.
    #[inline(always)]
    pub fn equal(bytes: u64, byte: u8) -> u64 {
        below(bytes ^ repeat(byte), 1)
    }

    #[inline(always)]
    pub fn utf16_units(bytes: u64) -> usize {
        let high = bytes & HIGH_BITS;
        // A continuation byte is 10xxxxxx: bit 7 set, bit 6 clear.
        let continuations = high & !(bytes << 1);
        // A byte that begins four is 1111xxxx: bits 7 to 4 set.
        let fours = high & (bytes << 1) & (bytes << 2) & (bytes << 3);
        SIZE - continuations.count_ones() as usize + fours.count_ones() as usize
    }

    #[inline(always)]
    pub fn first(marks: u64) -> Option<usize> {
        (marks != 0).then(|| marks.trailing_zeros() as usize / 8)
    }
}

/// Sixteen bytes in a vector. Masks mark a byte by setting all its bits.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod block {
    use core::arch::wasm32::*;

    pub const SIZE: usize = 16;
    pub const NONE: v128 = u64x2(0, 0);

    #[inline(always)]
    pub fn load(text: &[u8], at: usize) -> Option<v128> {
        let bytes = text.get(at..)?.first_chunk::<SIZE>()?;
        // SAFETY: `bytes` refers to sixteen readable bytes, and `v128_load` asks for no alignment.
        Some(unsafe { v128_load(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    pub fn either(a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }

    #[inline(always)]
    pub fn equal(bytes: v128, byte: u8) -> v128 {
        u8x16_eq(bytes, u8x16_splat(byte))
    }

    #[inline(always)]
    pub fn below(bytes: v128, limit: u8) -> v128 {
        u8x16_lt(bytes, u8x16_splat(limit))
    }

    #[inline(always)]
    pub fn first(marks: v128) -> Option<usize> {
        let bits = u8x16_bitmask(marks);
        (bits != 0).then(|| bits.trailing_zeros() as usize)
    }

    #[inline(always)]
    pub fn any_high_bit(bytes: v128) -> bool {
        u8x16_bitmask(bytes) != 0
    }

    #[inline(always)]
    pub fn utf16_units(bytes: v128) -> usize {
        // Continuation bytes (0x80..=0xBF) are the signed bytes below -64.
        let continuations = u8x16_bitmask(i8x16_lt(bytes, i8x16_splat(-64)));
        let fours = u8x16_bitmask(u8x16_ge(bytes, u8x16_splat(0xF0)));
        SIZE - continuations.count_ones() as usize + fours.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that put `byte` at each place of three blocks, with neighbours that differ in one bit.
    fn placed(byte: u8) -> impl Iterator<Item = (usize, Vec<u8>)> {
        (0..50).flat_map(move |at| {
            [byte ^ 1, byte ^ 0x80, b'a', 0xC3].map(|filler| {
                let mut text = vec![filler; 51];
                text[at] = byte;
                (at, text)
            })
        })
    }

    #[test]
    fn each_search_finds_its_byte_at_every_place() {
        type Search = fn(&[u8], usize) -> usize;
        type Wanted = fn(u8) -> bool;
        let searches: [(Search, Wanted); 3] = [
            (find_backslash, |byte| byte == b'\\'),
            (find_quote_or_backslash, |byte| matches!(byte, b'"' | b'\\')),
            (
                |text, from| plain_run(text, from).end,
                |byte| matches!(byte, b'"' | b'\\' | 0..0x20),
            ),
        ];
        for byte in 0..=255 {
            for (at, text) in placed(byte) {
                for (search, wanted) in searches {
                    for from in [0, at, at + 1] {
                        let expected = (from..text.len())
                            .find(|&i| wanted(text[i]))
                            .unwrap_or(text.len());
                        assert_eq!(search(&text, from), expected, "{byte} at {at} from {from}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_search_from_past_the_end_stays_there() {
        assert_eq!(find_backslash(b"abc", 9), 9);
        assert_eq!(plain_run(b"abc", 3).end, 3);
    }

    #[test]
    fn a_run_with_a_byte_outside_ascii_says_so() {
        for at in 0..40 {
            let mut text = vec![b'a'; 40];
            assert!(!plain_run(&text, 0).non_ascii);
            text[at] = 0xC3;
            assert!(plain_run(&text, 0).non_ascii);
        }
    }

    #[test]
    fn units_are_those_of_javascript() {
        let text = "aé€😀\u{FFFF}\u{10000}~".repeat(9);
        for (start, _) in text.char_indices() {
            let part = &text[start..];
            let units = part.encode_utf16().count();
            assert_eq!(utf16_units(part.as_bytes()), (units, false));
            let with_backslash = format!("{part}\\{part}");
            assert_eq!(
                utf16_units(with_backslash.as_bytes()),
                (2 * units + 1, true)
            );
        }
    }
}
