//! Cutting the middle out of a text.

use super::escaped::{escape, len, next, point, previous, units};
use super::grapheme::{boundary_before, boundary_behind};

/// Texts up to this many UTF-16 code units are never cut: the marker alone takes about as many.
pub(super) const SHORTEST: u64 = 64;

/// The text with its middle replaced by `[... N characters omitted ...]`, of at most `most` UTF-16 code units with the marker;
/// N counts UTF-16 code units too. `None` if it has no more than that already.
///
/// `most` counts as [`SHORTEST`] at least. Neither cut is inside of a character as a reader sees it; where there is no
/// other place, that end is left out. Linear in the text.
pub(super) fn clip(escaped: &[u8], most: u64) -> Option<Vec<u8>> {
    let most = most.max(SHORTEST);
    let all = len(escaped);
    if all <= most {
        return None;
    }
    let text = units(escaped);
    // The marker has its most digits if all is omitted.
    let kept = most.saturating_sub(marker(all).len() as u64);
    let (head, head_units) = head(&text, kept - kept / 2);
    let (tail, tail_units) = tail(&text, kept / 2);
    let omitted = all - head_units - tail_units;
    let marker = marker(omitted);
    let parts = [&text[..head], marker.as_bytes(), &text[tail..]];
    Some(escape(&parts.concat()))
}

fn marker(omitted: u64) -> String {
    format!("[... {omitted} characters omitted ...]")
}

/// How many bytes from the beginning hold at most so many code units, and how many those are.
fn head(text: &[u8], most: u64) -> (usize, u64) {
    let (mut at, mut units) = (0, 0);
    while at < text.len() && units + width(text, at) <= most {
        units += width(text, at);
        at = next(text, at);
    }
    let end = boundary_before(text, at);
    (end, units - count(text, end, at))
}

/// Where the end of the text begins that holds at most so many code units, and how many those are.
fn tail(text: &[u8], most: u64) -> (usize, u64) {
    let (mut at, mut units) = (text.len(), 0);
    while at > 0 && units + width(text, previous(text, at)) <= most {
        at = previous(text, at);
        units += width(text, at);
    }
    let start = boundary_behind(text, at);
    (start, units - count(text, at, start))
}

fn count(text: &[u8], from: usize, to: usize) -> u64 {
    let (mut at, mut units) = (from, 0);
    while at < to {
        units += width(text, at);
        at = next(text, at);
    }
    units
}

/// UTF-16 code units of the code point at `at`.
fn width(text: &[u8], at: usize) -> u64 {
    if point(text, at) > 0xFFFF { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(text: &str, most: u64) -> Option<String> {
        clip(text.as_bytes(), most).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn the_middle_goes_and_the_marker_counts() {
        let text = "a".repeat(50) + &"b".repeat(50);
        let short = clipped(&text, 70).unwrap();
        assert_eq!(
            short,
            "a".repeat(19) + "[... 62 characters omitted ...]" + &"b".repeat(19)
        );
        assert_eq!(len(short.as_bytes()), 69);
        assert_eq!(clipped(&text, 100), None);
        assert_eq!(clipped(&"a".repeat(64), 0), None);
        assert!(len(clipped(&text, 0).unwrap().as_bytes()) <= SHORTEST);
    }

    #[test]
    fn no_character_is_cut() {
        let family = "👩\u{200d}👩\u{200d}👧\u{200d}👦";
        for most in 64..120 {
            let short = clipped(&family.repeat(30), most).unwrap();
            assert!(len(short.as_bytes()) <= most);
            let marker = short.find("[...").unwrap()..short.find("...]").unwrap() + 4;
            assert!(short[..marker.start].split(family).all(str::is_empty));
            assert!(short[marker.end..].split(family).all(str::is_empty));
        }
        let marks = "e".to_owned() + &"\u{301}".repeat(200);
        assert_eq!(
            clipped(&marks, 64).unwrap(),
            "[... 201 characters omitted ...]"
        );
    }

    #[test]
    fn escapes_and_halves_survive() {
        let text = r"\n\ud83d".repeat(100);
        let short = clipped(&text, 100).unwrap();
        assert!(short.starts_with(r"\n\ud83d\n\ud83d") && short.ends_with(r"\n\ud83d"));
        assert_eq!(len(short.as_bytes()), 100);
    }
}
