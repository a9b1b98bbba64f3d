//! Where a text may be cut: between two characters as a reader sees them.
//!
//! Stricter than Unicode's grapheme clusters (UAX #29) where that saves a table: nothing is cut before a joiner or behind
//! one, before a mark or behind a virama, whatever stands on the other side.

use super::escaped::{next, point, previous};

/// Marks, joiners, variation selectors and skin tones up to U+FFFF, as first and last of each range. Gaps of up to three
/// characters that are none are closed: a cut moves by a letter there.
#[rustfmt::skip]
const MARKS: [(u16, u16); 129] = [
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670),
    (0x06D6, 0x06ED), (0x0711, 0x0711), (0x0730, 0x074A), (0x07A6, 0x07B0), (0x07EB, 0x07F3), (0x07FD, 0x07FD),
    (0x0816, 0x082D), (0x0859, 0x085B), (0x0898, 0x089F), (0x08CA, 0x0903), (0x093A, 0x0957), (0x0962, 0x0963),
    (0x0981, 0x0983), (0x09BC, 0x09CD), (0x09D7, 0x09D7), (0x09E2, 0x09E3), (0x09FE, 0x0A03), (0x0A3C, 0x0A42),
    (0x0A47, 0x0A51), (0x0A70, 0x0A75), (0x0A81, 0x0A83), (0x0ABC, 0x0ACD), (0x0AE2, 0x0AE3), (0x0AFA, 0x0B03),
    (0x0B3C, 0x0B4D), (0x0B55, 0x0B57), (0x0B62, 0x0B63), (0x0B82, 0x0B82), (0x0BBE, 0x0BCD), (0x0BD7, 0x0BD7),
    (0x0C00, 0x0C04), (0x0C3C, 0x0C4D), (0x0C55, 0x0C56), (0x0C62, 0x0C63), (0x0C81, 0x0C83), (0x0CBC, 0x0CCD),
    (0x0CD5, 0x0CD6), (0x0CE2, 0x0CE3), (0x0D00, 0x0D03), (0x0D3B, 0x0D4D), (0x0D57, 0x0D57), (0x0D62, 0x0D63),
    (0x0D81, 0x0D83), (0x0DCA, 0x0DCA), (0x0DCF, 0x0DDF), (0x0DF2, 0x0DF3), (0x0E31, 0x0E3A), (0x0E47, 0x0E4E),
    (0x0EB1, 0x0EBC), (0x0EC8, 0x0ECD), (0x0F18, 0x0F19), (0x0F35, 0x0F39), (0x0F3E, 0x0F3F), (0x0F71, 0x0F87),
    (0x0F8D, 0x0FBC), (0x0FC6, 0x0FC6), (0x102B, 0x103E), (0x1056, 0x1059), (0x105E, 0x1074), (0x1082, 0x108F),
    (0x109A, 0x109D), (0x135D, 0x135F), (0x1712, 0x1715), (0x1732, 0x1734), (0x1752, 0x1753), (0x1772, 0x1773),
    (0x17B4, 0x17D3), (0x17DD, 0x17DD), (0x180B, 0x180F), (0x1885, 0x1886), (0x18A9, 0x18A9), (0x1920, 0x192B),
    (0x1930, 0x193B), (0x1A17, 0x1A1B), (0x1A55, 0x1A7F), (0x1AB0, 0x1ACE), (0x1B00, 0x1B04), (0x1B34, 0x1B44),
    (0x1B6B, 0x1B73), (0x1B80, 0x1B82), (0x1BA1, 0x1BAD), (0x1BE6, 0x1BF3), (0x1C24, 0x1C37), (0x1CD0, 0x1CE8),
    (0x1CED, 0x1CED), (0x1CF4, 0x1CF9), (0x1DC0, 0x1DFF), (0x200C, 0x200D), (0x20D0, 0x20F0), (0x2CEF, 0x2CF1),
    (0x2D7F, 0x2D7F), (0x2DE0, 0x2DFF), (0x302A, 0x302F), (0x3099, 0x309A), (0xA66F, 0xA67D), (0xA69E, 0xA69F),
    (0xA6F0, 0xA6F1), (0xA802, 0xA806), (0xA80B, 0xA80B), (0xA823, 0xA827), (0xA82C, 0xA82C), (0xA880, 0xA881),
    (0xA8B4, 0xA8C5), (0xA8E0, 0xA8F1), (0xA8FF, 0xA8FF), (0xA926, 0xA92D), (0xA947, 0xA953), (0xA980, 0xA983),
    (0xA9B3, 0xA9C0), (0xA9E5, 0xA9E5), (0xAA29, 0xAA36), (0xAA43, 0xAA43), (0xAA4C, 0xAA4D), (0xAA7B, 0xAA7D),
    (0xAAB0, 0xAAB8), (0xAABE, 0xAAC1), (0xAAEB, 0xAAEF), (0xAAF5, 0xAAF6), (0xABE3, 0xABED), (0xFB1E, 0xFB1E),
    (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xFF9E, 0xFF9F),
];

/// The same above.
#[rustfmt::skip]
const MARKS_ABOVE: [(u32, u32); 79] = [
    (0x101FD, 0x101FD), (0x102E0, 0x102E0), (0x10376, 0x1037A), (0x10A01, 0x10A06), (0x10A0C, 0x10A0F),
    (0x10A38, 0x10A3A), (0x10A3F, 0x10A3F), (0x10AE5, 0x10AE6), (0x10D24, 0x10D27), (0x10EAB, 0x10EAC),
    (0x10F46, 0x10F50), (0x10F82, 0x10F85), (0x11000, 0x11002), (0x11038, 0x11046), (0x11070, 0x11074),
    (0x1107F, 0x11082), (0x110B0, 0x110BA), (0x110C2, 0x110C2), (0x11100, 0x11102), (0x11127, 0x11134),
    (0x11145, 0x11146), (0x11173, 0x11173), (0x11180, 0x11182), (0x111B3, 0x111C0), (0x111C9, 0x111CF),
    (0x1122C, 0x11237), (0x1123E, 0x1123E), (0x112DF, 0x112EA), (0x11300, 0x11303), (0x1133B, 0x1134D),
    (0x11357, 0x11357), (0x11362, 0x11374), (0x11435, 0x11446), (0x1145E, 0x1145E), (0x114B0, 0x114C3),
    (0x115AF, 0x115C0), (0x115DC, 0x115DD), (0x11630, 0x11640), (0x116AB, 0x116B7), (0x1171D, 0x1172B),
    (0x1182C, 0x1183A), (0x11930, 0x11943), (0x119D1, 0x119E4), (0x11A01, 0x11A0A), (0x11A33, 0x11A3E),
    (0x11A47, 0x11A47), (0x11A51, 0x11A5B), (0x11A8A, 0x11A99), (0x11C2F, 0x11C3F), (0x11C92, 0x11CB6),
    (0x11D31, 0x11D47), (0x11D8A, 0x11D97), (0x11EF3, 0x11EF6), (0x16AF0, 0x16AF4), (0x16B30, 0x16B36),
    (0x16F4F, 0x16F87), (0x16F8F, 0x16F92), (0x16FE4, 0x16FE4), (0x16FF0, 0x16FF1), (0x1BC9D, 0x1BC9E),
    (0x1CF00, 0x1CF46), (0x1D165, 0x1D172), (0x1D17B, 0x1D18B), (0x1D1AA, 0x1D1AD), (0x1D242, 0x1D244),
    (0x1DA00, 0x1DA36), (0x1DA3B, 0x1DA6C), (0x1DA75, 0x1DA75), (0x1DA84, 0x1DA84), (0x1DA9B, 0x1DAAF),
    (0x1E000, 0x1E02A), (0x1E130, 0x1E136), (0x1E2AE, 0x1E2AE), (0x1E2EC, 0x1E2EF), (0x1E8D0, 0x1E8D6),
    (0x1E944, 0x1E94A), (0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F), (0xE0100, 0xE01EF),
];

/// Signs that bind the consonant behind them.
const VIRAMAS: [u16; 14] = [
    0x094D, 0x09CD, 0x0A4D, 0x0ACD, 0x0B4D, 0x0BCD, 0x0C4D, 0x0CCD, 0x0D4D, 0x0DCA, 0x1039, 0x17D2,
    0x1B44, 0xA9C0,
];

const JOINER: u32 = 0x200D;

/// Whether `text`, in WTF-8, may be cut at `at`, which is where a code point begins or the text ends.
pub(super) fn is_boundary(text: &[u8], at: usize) -> bool {
    if at == 0 || at >= text.len() {
        return true;
    }
    let before = point(text, previous(text, at));
    let behind = point(text, at);
    if behind < 0x80 {
        return before != JOINER && !(before == 0x0D && behind == 0x0A);
    }
    let is_bound = before == JOINER
        || is_mark(behind)
        || is_virama(before)
        || is_hangul_bound(before, behind)
        || is_flag_letter(behind) && is_inside_flag(text, at);
    !is_bound
}

/// The last place at or before `at` where the text may be cut; `at` is where a code point begins.
pub(super) fn boundary_before(text: &[u8], mut at: usize) -> usize {
    while !is_boundary(text, at) {
        at = previous(text, at);
    }
    at
}

/// The first such place at or behind `at`.
pub(super) fn boundary_behind(text: &[u8], mut at: usize) -> usize {
    while !is_boundary(text, at) {
        at = next(text, at);
    }
    at
}

fn is_mark(point: u32) -> bool {
    match u16::try_from(point) {
        Ok(point) => is_in(&MARKS, point),
        Err(_) => is_in(&MARKS_ABOVE, point),
    }
}

fn is_in<T: PartialOrd + Copy>(ranges: &[(T, T)], point: T) -> bool {
    let at = ranges.partition_point(|&(_, last)| last < point);
    ranges.get(at).is_some_and(|&(first, _)| first <= point)
}

fn is_virama(point: u32) -> bool {
    u16::try_from(point).is_ok_and(|point| VIRAMAS.contains(&point))
}

/// Whether two characters are parts of one Hangul syllable.
fn is_hangul_bound(before: u32, behind: u32) -> bool {
    let is_lead = |point| matches!(point, 0x1100..=0x115F | 0xA960..=0xA97C);
    let is_whole = |point| matches!(point, 0xAC00..=0xD7A3);
    let is_rest = |point| matches!(point, 0x1160..=0x11FF | 0xD7B0..=0xD7FB);
    is_lead(before) && (is_lead(behind) || is_whole(behind) || is_rest(behind))
        || (is_whole(before) || is_rest(before)) && is_rest(behind)
}

/// Two of these are a flag.
fn is_flag_letter(point: u32) -> bool {
    matches!(point, 0x1F1E6..=0x1F1FF)
}

/// Whether an odd number of flag letters stands before a place.
fn is_inside_flag(text: &[u8], at: usize) -> bool {
    let mut start = at;
    let mut is_odd = false;
    while start > 0 {
        start = previous(text, start);
        if !is_flag_letter(point(text, start)) {
            break;
        }
        is_odd = !is_odd;
    }
    is_odd
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces between all places where a text may be cut.
    fn pieces(text: &str) -> Vec<&str> {
        let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        cuts.push(text.len());
        cuts.retain(|&at| is_boundary(text.as_bytes(), at));
        cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect()
    }

    #[test]
    fn what_a_reader_sees_as_one_character_is_not_cut() {
        for whole in [
            "\r\n",
            "e\u{301}",
            "e\u{301}\u{323}\u{20dd}",
            "👩\u{200d}👩\u{200d}👧\u{200d}👦",
            "👍🏽",
            "❤\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e007f}",
            "🇩🇪",
            "각",
            "\u{1112}\u{1161}\u{11ab}",
            "क्षि",
            "กำ\u{e49}",
            "葛\u{e0100}",
        ] {
            assert_eq!(pieces(&format!("a{whole}b")), ["a", whole, "b"], "{whole}");
        }
        assert_eq!(pieces("🇩🇪🇫🇷🇮"), ["🇩🇪", "🇫🇷", "🇮"]);
        assert_eq!(
            pieces("a\nbé😀漢字"),
            ["a", "\n", "b", "é", "😀", "漢", "字"]
        );
        assert_eq!(pieces(""), [""; 0]);
    }

    #[test]
    fn a_place_inside_moves_out_on_either_side() {
        let text = "ae\u{301}b".as_bytes();
        assert_eq!(boundary_before(text, 2), 1);
        assert_eq!(boundary_behind(text, 2), 4);
        assert_eq!(boundary_before(text, 99), 99);
    }

    #[test]
    fn the_tables_are_in_order() {
        assert!(MARKS.is_sorted() && MARKS_ABOVE.is_sorted());
    }
}
