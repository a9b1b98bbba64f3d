//! Where a container ends, found 64 bytes at a time.
//!
//! For each block of 64 bytes, masks with one bit a byte say where quotes, backslashes and brackets
//! stand. From them follows which brackets are outside strings, and those are counted. The time
//! hardly depends on what is in the container.

/// Bytes in a block, one for each bit of a mask.
const BLOCK: usize = 64;

/// Index just after the container that begins at `start`, if it ends.
///
/// Brackets outside strings are counted and not told apart: trusted text has them in pairs.
pub(super) fn container_end(text: &[u8], start: usize) -> Option<usize> {
    scan_from(text, start, Scan::default())
}

/// Index just after the container that `at` is inside of, between two of its values.
pub(super) fn enclosing_end(text: &[u8], at: usize) -> Option<usize> {
    scan_from(
        text,
        at,
        Scan {
            depth: 1,
            ..Scan::default()
        },
    )
}

fn scan_from(text: &[u8], mut at: usize, mut scan: Scan) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let end = match rest.first_chunk::<BLOCK>() {
            Some(block) => scan.block(&Masks::of(block)),
            None if rest.is_empty() => return None,
            None => {
                // Spaces are no part of strings or brackets.
                let mut block = [b' '; BLOCK];
                block.get_mut(..rest.len())?.copy_from_slice(rest);
                scan.block(&Masks::of(&block))
            }
        };
        if let Some(end) = end {
            return Some(at + end);
        }
        at += BLOCK.min(rest.len());
    }
}

/// What goes over from one block to the next.
#[derive(Default)]
struct Scan {
    /// Containers open.
    depth: usize,
    /// All bits set if the block begins inside a string.
    in_string: u64,
    /// 1 if the first byte of the block is escaped.
    escaped: u64,
}

impl Scan {
    /// Counts the brackets of a block; gives the index just after the one that closes the outermost container.
    #[inline(always)]
    fn block(&mut self, masks: &Masks) -> Option<usize> {
        let quotes = masks.quotes & !self.escaped_bytes(masks.backslashes);
        let in_string = fill_between(quotes) ^ self.in_string;
        self.in_string = ((in_string as i64) >> 63) as u64;
        let opening = masks.opening & !in_string;
        let closing = masks.closing & !in_string;
        let closed = closing.count_ones() as usize;
        let opened = opening.count_ones() as usize;
        // With fewer closing brackets than are open, none of them can be the last.
        if closed >= self.depth
            && let Some(end) = self.last_closing(opening, closing)
        {
            return Some(end);
        }
        self.depth = self.depth + opened - closed;
        None
    }

    /// Index just after the bracket that brings the depth to 0, if one does.
    fn last_closing(&self, opening: u64, mut closing: u64) -> Option<usize> {
        let mut closed = 0;
        while closing != 0 {
            let before = (closing & closing.wrapping_neg()) - 1;
            closed += 1;
            if self.depth + (opening & before).count_ones() as usize <= closed {
                return Some(closing.trailing_zeros() as usize + 1);
            }
            closing &= closing - 1;
        }
        None
    }

    /// Marks the bytes that a backslash keeps from having a meaning.
    #[inline(always)]
    fn escaped_bytes(&mut self, backslashes: u64) -> u64 {
        let mut escaped = core::mem::take(&mut self.escaped);
        let mut escaping = backslashes & !escaped;
        while escaping != 0 {
            let first = escaping & escaping.wrapping_neg();
            escaped |= first << 1;
            self.escaped = first >> 63;
            // The byte behind, if a backslash, is escaped and escapes nothing.
            escaping &= !(first | first << 1);
        }
        escaped
    }
}

/// Sets each bit at or above an odd number of set bits: the insides of strings, with their opening quotes.
#[inline(always)]
fn fill_between(quotes: u64) -> u64 {
    let mut filled = quotes;
    for shift in [1, 2, 4, 8, 16, 32] {
        filled ^= filled << shift;
    }
    filled
}

/// Where in a block the bytes of a kind stand; bit 0 is the first byte.
#[derive(Default)]
struct Masks {
    quotes: u64,
    backslashes: u64,
    opening: u64,
    closing: u64,
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Masks {
    #[inline(always)]
    fn of(block: &[u8; BLOCK]) -> Self {
        use core::arch::wasm32::*;

        let mut masks = Self::default();
        for (index, part) in block.as_chunks::<16>().0.iter().enumerate() {
            // SAFETY: `part` is sixteen readable bytes, and `v128_load` asks for no alignment.
            let bytes = unsafe { v128_load(part.as_ptr().cast()) };
            // Brackets differ from braces in bit 5 only, and setting it makes nothing else equal.
            let folded = v128_or(bytes, u8x16_splat(0x20));
            let mask = |marks| u64::from(u8x16_bitmask(marks)) << (16 * index);
            masks.quotes |= mask(u8x16_eq(bytes, u8x16_splat(b'"')));
            masks.backslashes |= mask(u8x16_eq(bytes, u8x16_splat(b'\\')));
            masks.opening |= mask(u8x16_eq(folded, u8x16_splat(b'{')));
            masks.closing |= mask(u8x16_eq(folded, u8x16_splat(b'}')));
        }
        masks
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
impl Masks {
    #[inline(always)]
    fn of(block: &[u8; BLOCK]) -> Self {
        let mut masks = Self::default();
        for (index, part) in block.as_chunks::<8>().0.iter().enumerate() {
            let bytes = u64::from_le_bytes(*part);
            // Brackets differ from braces in bit 5 only, and setting it makes nothing else equal.
            let folded = bytes | u64::from_le_bytes([0x20; 8]);
            masks.quotes |= equal(bytes, b'"') << (8 * index);
            masks.backslashes |= equal(bytes, b'\\') << (8 * index);
            masks.opening |= equal(folded, b'{') << (8 * index);
            masks.closing |= equal(folded, b'}') << (8 * index);
        }
        masks
    }
}

/// Bits 0 to 7 say which of the eight bytes equal `byte`.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[inline(always)]
fn equal(bytes: u64, byte: u8) -> u64 {
    const LOW_SEVEN: u64 = u64::from_le_bytes([0x7F; 8]);
    let differing = bytes ^ u64::from_le_bytes([byte; 8]);
    // The high bit of each byte becomes 1 unless the byte is 0; no carry leaves a byte.
    let nonzero = ((differing & LOW_SEVEN) + LOW_SEVEN) | differing;
    // The multiplication brings bit 7 of byte n to bit 56 + n.
    ((!nonzero & !LOW_SEVEN) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_a_bit_for_each_byte() {
        for at in 0..BLOCK {
            for byte in 0..=255 {
                let mut block = [byte ^ 1; BLOCK];
                block[at] = byte;
                let masks = Masks::of(&block);
                let expected = |bytes: &[u8]| {
                    let found = (0..BLOCK).filter(|&index| bytes.contains(&block[index]));
                    found.fold(0_u64, |mask, index| mask | 1 << index)
                };
                assert_eq!(masks.quotes, expected(b"\""));
                assert_eq!(masks.backslashes, expected(b"\\"));
                assert_eq!(masks.opening, expected(b"[{"));
                assert_eq!(masks.closing, expected(b"]}"));
            }
        }
    }

    #[test]
    fn strings_escapes_and_ends_are_seen_across_every_block_boundary() {
        let inside = r#""\\","a\"]}\\\\\"","b[{":[[],{"":"]"}]"#;
        for pad in 0..200 {
            let text = format!("[\"{}\",{inside}]]]", "x".repeat(pad));
            assert_eq!(
                container_end(text.as_bytes(), 0),
                Some(text.len() - 2),
                "{pad}"
            );
            let cut = &text.as_bytes()[..text.len() - 3];
            assert_eq!(container_end(cut, 0), None);
        }
    }
}
