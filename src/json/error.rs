//! Why a text is not JSON this crate keeps.

use core::fmt;

/// The first thing in a text that keeps it from being stored, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset into the text. For a number that is refused for its value, the offset of its
    /// first byte; for a text that ends too early, its length.
    pub offset: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonErrorKind {
    /// The text ends inside a value, or holds none.
    UnexpectedEnd,
    /// A byte that the grammar of RFC 8259 does not allow here.
    UnexpectedByte,
    /// A backslash that begins none of the escapes of RFC 8259, section 7.
    InvalidEscape,
    /// A control character (below U+0020) that stands unescaped in a string.
    ControlInString,
    /// A number that breaks the grammar: a leading zero, a bare point, an empty exponent.
    InvalidNumber,
    /// A number whose double is `-0`. `JSON.stringify` writes it as `0`, so it would not survive.
    NegativeZero,
    /// A number whose nearest double is infinite. `JSON.stringify` writes it as `null`.
    NumberOutOfRange,
    /// A complete value is followed by something other than whitespace.
    TrailingData,
    /// A string holds bytes that are not UTF-8.
    InvalidUtf8,
}

impl JsonErrorKind {
    /// Stable name, part of the public error glossary.
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnexpectedEnd => "unexpected_end",
            Self::UnexpectedByte => "unexpected_byte",
            Self::InvalidEscape => "invalid_escape",
            Self::ControlInString => "control_in_string",
            Self::InvalidNumber => "invalid_number",
            Self::NegativeZero => "negative_zero",
            Self::NumberOutOfRange => "number_out_of_range",
            Self::TrailingData => "trailing_data",
            Self::InvalidUtf8 => "invalid_utf8",
        }
    }

    /// What a person is told.
    const fn message(self) -> &'static str {
        match self {
            Self::UnexpectedEnd => "the text ends too early",
            Self::UnexpectedByte => "unexpected byte",
            Self::InvalidEscape => "invalid escape in a string",
            Self::ControlInString => "unescaped control character in a string",
            Self::InvalidNumber => "malformed number",
            Self::NegativeZero => "negative zero does not survive JSON",
            Self::NumberOutOfRange => "number too large for a double",
            Self::TrailingData => "data after the value",
            Self::InvalidUtf8 => "invalid UTF-8",
        }
    }
}

impl JsonError {
    /// An error of this kind at this byte.
    pub(super) const fn new(offset: usize, kind: JsonErrorKind) -> Self {
        Self { offset, kind }
    }

    /// Stable name of the kind, see [`JsonErrorKind::code`].
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind.message(), self.offset)
    }
}

impl core::error::Error for JsonError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_code_and_its_place() {
        let error = JsonError::new(7, JsonErrorKind::NegativeZero);
        assert_eq!(error.code(), "negative_zero");
        assert_eq!(
            error.to_string(),
            "negative zero does not survive JSON at byte 7"
        );
    }
}
