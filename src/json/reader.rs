//! A cursor over JSON text that is trusted: checked before, or written by this crate.

use core::ops::Range;

use super::bytes;
use super::container::{container_end, enclosing_end};
use super::number;
use super::string::RawStr;

/// What a value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// A cursor over trusted JSON text.
///
/// It stands before a value, or just after one. Methods that ask for one kind of value consume nothing
/// when the next value is of another. The grammar is taken for granted: on text that
/// [`check`](super::check()) would refuse, the reader may give any ranges inside the text, but when it
/// cannot go on it is [broken](Self::is_broken) and every method then says `None` or `false`, so
/// that loops over keys and items end.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a [u8],
    /// Never beyond `text.len()`.
    at: usize,
    /// A container has just been entered, so its first element comes without a comma.
    entered: bool,
    broken: bool,
}

impl<'a> Reader<'a> {
    /// A reader before the one value of `text`.
    #[inline]
    pub fn new(text: &'a [u8]) -> Self {
        let mut reader = Self {
            text,
            at: 0,
            entered: false,
            broken: false,
        };
        reader.skip_white();
        reader
    }

    /// Byte offset of the cursor: the first byte of the value it stands before, or the byte just after the
    /// value it has consumed.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Whether the text turned out not to be JSON. The position is then the end of the text.
    #[inline]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// The kind of the next value, which is not consumed.
    #[inline]
    pub fn kind(&self) -> Option<Kind> {
        Some(match self.text.get(white_end(self.text, self.at))? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b'-' | b'0'..=b'9' => Kind::Number,
            b't' => Kind::True,
            b'f' => Kind::False,
            b'n' => Kind::Null,
            _ => return None,
        })
    }

    /// Consumes the next value, whatever it is, and gives its byte range.
    #[inline]
    pub fn skip(&mut self) -> Option<Range<usize>> {
        self.skip_white();
        let start = self.at;
        let end = match self.text.get(start) {
            Some(b'"') => string_end(self.text, start + 1).map(|end| end + 1),
            Some(b'{' | b'[') => container_end(self.text, start),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Some(scalar_end(self.text, start + 1)),
            _ => None,
        };
        let Some(end) = end else { return self.fail() };
        self.at = end;
        self.entered = false;
        Some(start..end)
    }

    /// Consumes these very bytes if the text goes on with them. For texts whose keys come in a known
    /// order without white space, where one comparison does the work of several calls.
    #[inline(always)]
    pub fn literal(&mut self, bytes: &[u8]) -> bool {
        let found = self
            .text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(bytes));
        self.at += if found { bytes.len() } else { 0 };
        found
    }

    /// Consumes a string whose opening quote [`literal`](Self::literal) has consumed.
    #[inline(always)]
    pub fn string_rest(&mut self) -> Option<RawStr<'a>> {
        self.string_body()
    }

    /// Consumes the rest of the container that the reader is inside of, between two of its values,
    /// with its closing bracket.
    pub fn container_rest(&mut self) -> bool {
        match enclosing_end(self.text, self.at) {
            Some(end) => {
                self.at = end;
                true
            }
            None => self.fail().unwrap_or(false),
        }
    }

    /// Consumes the next value if it is a string.
    #[inline]
    pub fn string(&mut self) -> Option<RawStr<'a>> {
        if !self.take(b'"') {
            return None;
        }
        self.string_body()
    }

    /// Consumes the next value if it is a number and gives its nearest double.
    #[inline]
    pub fn number(&mut self) -> Option<f64> {
        if self.kind() != Some(Kind::Number) {
            return None;
        }
        self.skip_white();
        match number::scan(self.text, self.at) {
            Ok(literal) => {
                self.at = literal.end;
                self.entered = false;
                Some(literal.value(self.text))
            }
            Err(_) => self.fail(),
        }
    }

    /// Enters the next value if it is an object; [`next_key`](Self::next_key) goes on from there.
    #[inline]
    pub fn begin_object(&mut self) -> bool {
        let found = self.take(b'{');
        self.entered |= found;
        found
    }

    /// The next key of the object the reader is in, with the cursor before its value.
    ///
    /// The caller consumes that value before it asks again. At the end of the object the closing brace
    /// is consumed and the answer is `None`.
    #[inline]
    pub fn next_key(&mut self) -> Option<RawStr<'a>> {
        if !self.next_element(b'}') {
            return None;
        }
        if !self.take(b'"') {
            return self.fail();
        }
        let key = self.string_body()?;
        if !self.take(b':') {
            return self.fail();
        }
        self.skip_white();
        Some(key)
    }

    /// Enters the next value if it is an array; [`next_item`](Self::next_item) goes on from there.
    #[inline]
    pub fn begin_array(&mut self) -> bool {
        let found = self.take(b'[');
        self.entered |= found;
        found
    }

    /// Whether the array the reader is in has another item, with the cursor before it.
    ///
    /// The caller consumes that item before it asks again. At the end of the array the closing bracket
    /// is consumed and the answer is `false`.
    #[inline]
    pub fn next_item(&mut self) -> bool {
        self.next_element(b']')
    }

    /// Moves past the comma before the next element, or past `close`, where there is none.
    ///
    /// Each call consumes a comma, a bracket or the mark that a container was entered. That is why
    /// a loop ends even if its body consumes nothing.
    #[inline(always)]
    fn next_element(&mut self, close: u8) -> bool {
        let first = core::mem::take(&mut self.entered);
        self.skip_white();
        match self.text.get(self.at) {
            Some(&byte) if byte == close => {
                self.at += 1;
                false
            }
            Some(b',') if !first => {
                self.at += 1;
                self.skip_white();
                true
            }
            Some(_) if first => true,
            _ => self.fail().unwrap_or(false),
        }
    }

    /// Consumes `byte` if it comes next.
    #[inline(always)]
    fn take(&mut self, byte: u8) -> bool {
        self.skip_white();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes a string from after its opening quote.
    #[inline(always)]
    fn string_body(&mut self) -> Option<RawStr<'a>> {
        let Some(end) = string_end(self.text, self.at) else {
            return self.fail();
        };
        let body = self.text.get(self.at..end)?;
        self.at = end + 1;
        self.entered = false;
        Some(RawStr::from_escaped(body))
    }

    #[inline(always)]
    fn skip_white(&mut self) {
        self.at = white_end(self.text, self.at);
    }

    #[cold]
    fn fail<T>(&mut self) -> Option<T> {
        self.at = self.text.len();
        self.entered = false;
        self.broken = true;
        None
    }
}

/// Index of the first byte at or after `at` that is not whitespace.
#[inline(always)]
pub(super) fn white_end(text: &[u8], mut at: usize) -> usize {
    // Text written without whitespace, which is nearly all there is, leaves at the first comparison.
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = text.get(at) {
        at += 1;
    }
    at
}

/// Index of the quote that closes the string whose body begins at `at`.
#[inline(always)]
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = bytes::find_quote_or_backslash(text, at);
        match text.get(at)? {
            b'"' => return Some(at),
            // A backslash keeps the next byte, whatever it is, from ending the string.
            _ => at += 2,
        }
    }
}

/// Index just after the number or literal of which `at` is the second byte.
#[inline]
fn scalar_end(text: &[u8], mut at: usize) -> usize {
    while text
        .get(at)
        .is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.'))
    {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_key_by_key() {
        for text in [
            r#"{"a":1,"b":"x\"y","c":[true,null],"d":{}}"#,
            " { \"a\" : 1 ,\n\"b\" : \"x\\\"y\" , \"c\" : [ true , null ] , \"d\" : { } } ",
        ] {
            let mut reader = Reader::new(text.as_bytes());
            assert_eq!(reader.kind(), Some(Kind::Object));
            assert!(reader.begin_object());
            assert_eq!(reader.next_key().unwrap().escaped(), b"a");
            assert_eq!(reader.number(), Some(1.0));
            assert_eq!(reader.next_key().unwrap().escaped(), b"b");
            assert!(reader.number().is_none() && !reader.begin_array());
            assert_eq!(reader.string().unwrap().escaped(), br#"x\"y"#);
            assert_eq!(reader.next_key().unwrap().escaped(), b"c");
            assert!(reader.begin_array() && reader.next_item());
            assert_eq!(reader.kind(), Some(Kind::True));
            assert!(reader.skip().is_some() && reader.next_item());
            assert_eq!(&text[reader.skip().unwrap()], "null");
            assert!(!reader.next_item());
            assert_eq!(reader.next_key().unwrap().escaped(), b"d");
            assert!(reader.begin_object() && reader.next_key().is_none());
            assert!(reader.next_key().is_none() && !reader.is_broken());
            assert_eq!(reader.position(), text.trim_end().len());
        }
    }

    #[test]
    fn a_skipped_value_has_exactly_its_own_bytes() {
        for value in [
            r#""""#,
            r#""a\\\"]}""#,
            "-1.5e+3",
            "true",
            "[]",
            r#"[["]"],{"}":"{"},[[]]]"#,
            r#"{"a":[1,22,333,4444,55555,666666,7777777]}"#,
        ] {
            for (before, after) in [("", ""), (" ", " "), ("", ",1"), ("\n", "]"), ("\t", "}")] {
                let text = format!("{before}{value}{after}");
                let mut reader = Reader::new(text.as_bytes());
                assert_eq!(reader.position(), before.len());
                assert_eq!(
                    reader.skip(),
                    Some(before.len()..before.len() + value.len())
                );
                assert_eq!(reader.position(), before.len() + value.len());
            }
        }
    }

    #[test]
    fn a_text_of_known_order_is_read_by_literals() {
        let text = br#"{"a":"x\"y","b":[1,{"]":"}"}],"c":{"d":2},"e":3}"#;
        let mut reader = Reader::new(text);
        assert!(!reader.literal(b"{\"b") && reader.literal(b"{\"a\":\""));
        assert_eq!(reader.string_rest().unwrap().escaped(), br#"x\"y"#);
        assert!(reader.literal(b",\"b\":["));
        assert!(reader.container_rest() && reader.literal(b",\"c\""));
        assert!(reader.container_rest());
        assert_eq!(reader.position(), text.len());
        assert!(!reader.container_rest() && reader.is_broken());
    }

    #[test]
    fn a_hundred_thousand_levels_are_skipped() {
        let text = format!("{}1{}", "[{\"a\":".repeat(50_000), "}]".repeat(50_000));
        assert_eq!(Reader::new(text.as_bytes()).skip(), Some(0..text.len()));
    }

    #[test]
    fn loops_over_garbage_end_and_say_so() {
        for text in [
            "",
            "{",
            "[",
            "{\"a",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "[1",
            "[1 2]",
            "{\"a\" 1}",
            "{1:2}",
            "[,",
            "\"\\",
            "-",
            "nope]",
            "]",
            "}",
            "\u{1}",
        ] {
            let mut reader = Reader::new(text.as_bytes());
            if reader.begin_object() {
                while reader.next_key().is_some() {}
            } else if reader.begin_array() {
                while reader.next_item() {}
            } else {
                assert_eq!(reader.number(), None);
                assert!(reader.string().is_none());
                reader.skip();
            }
            assert!(reader.is_broken() || reader.position() == scalar_end(text.as_bytes(), 0));
            assert!(reader.position() <= text.len());
        }
    }

    #[test]
    fn a_value_left_unread_breaks_the_loop_instead_of_repeating_it() {
        let mut reader = Reader::new(b"[1,2]");
        assert!(reader.begin_array() && reader.next_item() && !reader.next_item());
        assert!(reader.is_broken());
    }
}
