//! Deciding whether a text is JSON this crate keeps.

use super::bytes;
use super::error::{JsonError, JsonErrorKind};
use super::number;
use super::reader::white_end;
use super::utf8::is_utf8;

/// Checks that `text` is one JSON value with nothing but whitespace around it.
///
/// The grammar is that of RFC 8259, without extensions, and strings are valid UTF-8. Duplicate keys, any
/// depth, and lone surrogates written as escapes are accepted, as `JSON.parse` accepts them. Numbers that
/// `JSON.stringify` cannot give back are refused: those whose double is `-0`, however they are
/// spelled, and those whose double is infinite.
///
/// # Errors
///
/// The first fault in the text and its offset; see [`JsonErrorKind`].
pub fn check(text: &[u8]) -> Result<(), JsonError> {
    check_text(text, false)
}

/// As [`check`], but takes every number of the grammar: for texts that other programs than JavaScript write, where `-0.0`
/// is a percentage and a number of 400 digits may stand in a part that nobody reads.
///
/// # Errors
///
/// As [`check`], but for [`JsonErrorKind::NegativeZero`] and [`JsonErrorKind::NumberOutOfRange`].
pub fn check_grammar(text: &[u8]) -> Result<(), JsonError> {
    check_text(text, true)
}

/// Not inlined: two copies of the scanner would cost more than the call.
#[inline(never)]
fn check_text(text: &[u8], any_number: bool) -> Result<(), JsonError> {
    let mut checker = Checker {
        text,
        at: 0,
        any_number,
        nesting: Nesting::default(),
    };
    checker.skip_white();
    // Each turn consumes one value, or one bracket that opens a container with something in it.
    while checker.value()? == Next::Value || checker.after_value()? == Next::Value {}
    match checker.peek() {
        Some(_) => checker.fault(JsonErrorKind::TrailingData),
        None => Ok(()),
    }
}

/// What the text must go on with.
#[derive(PartialEq, Eq)]
enum Next {
    /// A value begins here.
    Value,
    /// A value has ended here.
    AfterValue,
    /// The value of the document has ended.
    End,
}

struct Checker<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether numbers count that `JSON.stringify` cannot give back.
    any_number: bool,
    nesting: Nesting,
}

impl Checker<'_> {
    /// Reads a whole scalar or empty container, or goes to the first value in a container.
    #[inline]
    fn value(&mut self) -> Result<Next, JsonError> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'{') => {
                self.step();
                if self.peek() != Some(b'}') {
                    self.nesting.enter(Container::Object);
                    self.key()?;
                    return Ok(Next::Value);
                }
                self.at += 1;
            }
            Some(b'[') => {
                self.step();
                if self.peek() != Some(b']') {
                    self.nesting.enter(Container::Array);
                    return Ok(Next::Value);
                }
                self.at += 1;
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.literal(b"true")?,
            Some(b'f') => self.literal(b"false")?,
            Some(b'n') => self.literal(b"null")?,
            _ => return self.unexpected(),
        }
        Ok(Next::AfterValue)
    }

    /// Goes past closing brackets to the next value of a container, or to the end.
    #[inline]
    fn after_value(&mut self) -> Result<Next, JsonError> {
        loop {
            self.skip_white();
            let Some(container) = self.nesting.innermost() else {
                return Ok(Next::End);
            };
            match (self.peek(), container) {
                (Some(b','), Container::Array) => self.step(),
                (Some(b','), Container::Object) => {
                    self.step();
                    self.key()?;
                }
                (Some(b']'), Container::Array) | (Some(b'}'), Container::Object) => {
                    self.at += 1;
                    self.nesting.leave();
                    continue;
                }
                _ => return self.unexpected(),
            }
            return Ok(Next::Value);
        }
    }

    /// Reads a key and its colon.
    #[inline]
    fn key(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return self.unexpected();
        }
        self.string()?;
        self.skip_white();
        if self.peek() != Some(b':') {
            return self.unexpected();
        }
        self.step();
        Ok(())
    }

    #[inline]
    fn string(&mut self) -> Result<(), JsonError> {
        let start = self.at + 1;
        self.at = start;
        let mut non_ascii = false;
        let end = loop {
            let run = bytes::plain_run(self.text, self.at);
            self.at = run.end;
            non_ascii |= run.non_ascii;
            match self.peek() {
                Some(b'\\') => {
                    if let Err(fault) = self.escape() {
                        break Err(fault);
                    }
                }
                Some(b'"') => break Ok(()),
                Some(_) => break self.fault(JsonErrorKind::ControlInString),
                None => break self.fault(JsonErrorKind::UnexpectedEnd),
            }
        };
        // A fault in the encoding comes before what ended the string.
        if non_ascii {
            self.valid_utf8(start)?;
        }
        self.at += 1;
        end
    }

    /// Checks the encoding of the bytes from `start` to here.
    fn valid_utf8(&self, start: usize) -> Result<(), JsonError> {
        let bytes = self.text.get(start..self.at).unwrap_or_default();
        if is_utf8(bytes) {
            return Ok(());
        }
        let valid = core::str::from_utf8(bytes).map_or_else(|fault| fault.valid_up_to(), str::len);
        Err(JsonError::new(start + valid, JsonErrorKind::InvalidUtf8))
    }

    /// Reads the escape that begins here. The offset of a fault in it is that of its backslash.
    #[inline]
    fn escape(&mut self) -> Result<(), JsonError> {
        let escape = self.text.get(self.at..).unwrap_or_default();
        let length = match escape.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => 6,
            Some(_) => return self.fault(JsonErrorKind::InvalidEscape),
            None => return self.cut_off(),
        };
        let digits = escape.get(2..length.min(escape.len())).unwrap_or_default();
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return self.fault(JsonErrorKind::InvalidEscape);
        }
        if escape.len() < length {
            return self.cut_off();
        }
        self.at += length;
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<(), JsonError> {
        let literal = number::scan(self.text, self.at)?;
        if !self.any_number
            && let Some(kind) = literal.refusal(self.text)
        {
            return self.fault(kind);
        }
        self.at = literal.end;
        Ok(())
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), JsonError> {
        for &byte in word {
            if self.peek() != Some(byte) {
                return self.unexpected();
            }
            self.at += 1;
        }
        Ok(())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Goes past this byte and the whitespace after it.
    #[inline]
    fn step(&mut self) {
        self.at += 1;
        self.skip_white();
    }

    #[inline]
    fn skip_white(&mut self) {
        self.at = white_end(self.text, self.at);
    }

    fn fault<T>(&self, kind: JsonErrorKind) -> Result<T, JsonError> {
        Err(JsonError::new(self.at, kind))
    }

    fn cut_off<T>(&self) -> Result<T, JsonError> {
        Err(JsonError::new(
            self.text.len(),
            JsonErrorKind::UnexpectedEnd,
        ))
    }

    #[cold]
    fn unexpected<T>(&self) -> Result<T, JsonError> {
        match self.peek() {
            Some(_) => self.fault(JsonErrorKind::UnexpectedByte),
            None => self.cut_off(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// The containers that are open, one bit each: 1 for an object, 0 for an array.
#[derive(Default)]
struct Nesting {
    /// The innermost ones, the very innermost in bit 0.
    inner: u64,
    /// How many of `inner` count. 0 only if nothing is open.
    count: u32,
    /// Full words, the outermost first.
    outer: Vec<u64>,
}

impl Nesting {
    #[inline]
    fn enter(&mut self, container: Container) {
        if self.count == u64::BITS {
            self.outer.push(self.inner);
            self.count = 0;
        }
        self.inner = self.inner << 1 | u64::from(container == Container::Object);
        self.count += 1;
    }

    #[inline]
    fn leave(&mut self) {
        self.inner >>= 1;
        self.count -= 1;
        if self.count == 0
            && let Some(word) = self.outer.pop()
        {
            self.inner = word;
            self.count = u64::BITS;
        }
    }

    #[inline]
    fn innermost(&self) -> Option<Container> {
        match (self.count, self.inner & 1) {
            (0, _) => None,
            (_, 0) => Some(Container::Array),
            _ => Some(Container::Object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::JsonErrorKind::*;
    use super::*;

    fn fault(text: &[u8]) -> (usize, JsonErrorKind) {
        let error = check(text).expect_err(&String::from_utf8_lossy(text));
        (error.offset, error.kind)
    }

    #[test]
    fn json_is_accepted() {
        for text in [
            "0",
            "-1.5e+10",
            "true",
            "false",
            "null",
            r#""""#,
            "[]",
            "{}",
            " [ ] ",
            "\t{\n}\r",
            r#"{"a":{"b":[1,2,{"c":[]}]},"d":"e"}"#,
            " [ 1 , { \"a\" : 2 , \"b\" : [ ] } , null ] ",
            r#"{"a":1,"a":2}"#,
            r#""\ud83d""#,
            r#""\u0000\"\\\/\b\f\n\r\t""#,
            "\"é€😀\u{7f}\"",
        ] {
            assert_eq!(check(text.as_bytes()), Ok(()), "{text}");
        }
    }

    #[test]
    fn the_first_fault_is_reported_where_it_stands() {
        for (text, offset, kind) in [
            ("", 0, UnexpectedEnd),
            ("  ", 2, UnexpectedEnd),
            ("[1,]", 3, UnexpectedByte),
            ("[1 2]", 3, UnexpectedByte),
            ("[1}", 2, UnexpectedByte),
            ("{\"a\":1]", 6, UnexpectedByte),
            ("{\"a\" 1}", 5, UnexpectedByte),
            ("{\"a\":1,}", 7, UnexpectedByte),
            ("{a:1}", 1, UnexpectedByte),
            ("{\"a\":", 5, UnexpectedEnd),
            ("[", 1, UnexpectedEnd),
            ("[[1]", 4, UnexpectedEnd),
            ("tru", 3, UnexpectedEnd),
            ("trve", 2, UnexpectedByte),
            ("nullx", 4, TrailingData),
            ("1 2", 2, TrailingData),
            ("[]]", 2, TrailingData),
            ("\u{feff}1", 0, UnexpectedByte),
            ("1\u{a0}", 1, TrailingData),
            ("[\u{b}1]", 1, UnexpectedByte),
            ("\"a\nb\"", 2, ControlInString),
            ("\"abc", 4, UnexpectedEnd),
            ("\"a\\", 3, UnexpectedEnd),
            ("\"a\\u12", 6, UnexpectedEnd),
            ("\"a\\q\"", 2, InvalidEscape),
            ("\"a\\u12x4\"", 2, InvalidEscape),
            ("[01]", 2, InvalidNumber),
            ("[1.]", 3, InvalidNumber),
            ("-", 1, UnexpectedEnd),
            ("[-x]", 2, InvalidNumber),
            ("[1,-0]", 3, NegativeZero),
            ("[1e400]", 1, NumberOutOfRange),
        ] {
            assert_eq!(fault(text.as_bytes()), (offset, kind), "{text}");
        }
    }

    #[test]
    fn the_grammar_alone_allows_every_number() {
        for text in ["-0", "[-0.0,1e400]", " -0e5 "] {
            assert_eq!(check_grammar(text.as_bytes()), Ok(()), "{text}");
            assert!(check(text.as_bytes()).is_err(), "{text}");
        }
        for text in ["-", "01", "1.", "[-0,]", "-0 1"] {
            assert!(check_grammar(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        for bad in [
            &b"\xC3"[..],
            b"\x80",
            b"\xC0\xAF",
            b"\xED\xA0\x80",
            b"\xF4\x90\x80\x80",
            b"\xFF",
        ] {
            for pad in 0..20 {
                let text = [&b"[\""[..], &vec![b'a'; pad], bad, b"\\n\"]"].concat();
                assert_eq!(fault(&text), (2 + pad, InvalidUtf8));
            }
        }
        assert_eq!(fault(b"\"\xC3"), (1, InvalidUtf8));
        assert_eq!(fault(b"[\xC3\xA9]"), (1, UnexpectedByte));
    }

    #[test]
    fn any_depth_is_checked_without_recursion() {
        let depth = 1_000_000;
        let arrays = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(check(arrays.as_bytes()), Ok(()));
        let mixed = "[{\"a\":".repeat(depth / 2) + "1" + &"}]".repeat(depth / 2);
        assert_eq!(check(mixed.as_bytes()), Ok(()));
        let crossed = mixed.replace("1}]", "1]}");
        assert_eq!(
            fault(crossed.as_bytes()),
            (depth / 2 * 6 + 1, UnexpectedByte)
        );
    }
}
