//! What the transcript refuses.

use std::fmt;

use crate::json::JsonError;

/// The kinds of refusals. The texts that go with them may change; the codes do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TranscriptCode {
    /// The text is not JSON. The detail `offset` is the byte at which it stops being so.
    NotJson,
    /// A value is not what it has to be: of another type, out of range, missing, or there twice.
    Invalid,
    /// The native form was given where the document form is read.
    NativeForm,
    /// The document form was given where the native form is read.
    DocumentForm,
    /// A time or a duration that cannot be read, or that the form to be written has no place for.
    Time,
    /// A double that is not finite. `null` in its place counts: that is how the native writer spells it.
    NotFinite,
    /// An insertion beyond the end.
    Index,
    /// The offset of a chunk of output lies inside a character of what is there.
    Offset,
    /// An integer that a JavaScript number cannot hold, where one is asked for.
    UnsafeInteger,
    /// Half a surrogate pair where the text must be well formed.
    LoneSurrogate,
    /// A value that the form to be written cannot express, in a place that cannot stay empty.
    Unsupported,
}

impl TranscriptCode {
    /// The code as JavaScript sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::Invalid => "invalid",
            Self::NativeForm => "native_form",
            Self::DocumentForm => "document_form",
            Self::Time => "time",
            Self::NotFinite => "not_finite",
            Self::Index => "index",
            Self::Offset => "offset",
            Self::UnsafeInteger => "unsafe_integer",
            Self::LoneSurrogate => "lone_surrogate",
            Self::Unsupported => "unsupported",
        }
    }
}

/// A refusal of the transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptError {
    /// The stable code.
    pub code: TranscriptCode,
    /// Where in the text that was given: `records[3].payload.started_at`. Empty for the whole of it.
    pub path: String,
    /// A sentence for a person.
    pub message: String,
    /// Numbers that a program may want, by name.
    pub details: Vec<(&'static str, f64)>,
}

impl TranscriptError {
    /// A refusal of the whole text, without details.
    #[cold]
    pub fn new(code: TranscriptCode, message: impl Into<String>) -> Self {
        Self {
            code,
            path: String::new(),
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// The same with one more detail.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64) -> Self {
        self.details.push((name, value));
        self
    }

    /// The same, one level further out: what was refused is, or stands in, the member `name` of an object.
    ///
    /// A path is made on the way out of a failure, so that nothing is spent on it while all is well.
    #[cold]
    #[must_use]
    pub fn in_member(mut self, name: &str) -> Self {
        self.path = before(name.to_owned(), &self.path);
        self
    }

    /// The same for the item at `index`, from 0, of a list.
    #[cold]
    #[must_use]
    pub fn in_item(mut self, index: usize) -> Self {
        let mut item = String::from("[");
        item.push_str(&index.to_string());
        item.push(']');
        self.path = before(item, &self.path);
        self
    }
}

/// A path, one level further out.
#[cold]
fn before(mut outer: String, path: &str) -> String {
    if !path.is_empty() && !path.starts_with('[') {
        outer.push('.');
    }
    outer.push_str(path);
    outer
}

impl From<JsonError> for TranscriptError {
    fn from(error: JsonError) -> Self {
        Self::new(TranscriptCode::NotJson, error.to_string()).with("offset", error.offset as f64)
    }
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for TranscriptError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_grows_from_the_inside_out() {
        let error = TranscriptError::new(TranscriptCode::Invalid, "must be a string")
            .in_item(0)
            .in_item(2)
            .in_member("env")
            .in_member("payload")
            .in_item(3)
            .in_member("records");
        assert_eq!(error.path, "records[3].payload.env[2][0]");
        assert_eq!(
            error.to_string(),
            "records[3].payload.env[2][0]: must be a string"
        );
        assert_eq!(error.code.as_str(), "invalid");
    }

    #[test]
    fn what_is_not_json_says_where() {
        let error: TranscriptError = crate::json::check(b"[1,]").unwrap_err().into();
        assert_eq!(error.code, TranscriptCode::NotJson);
        assert_eq!(error.details, [("offset", 3.0)]);
    }
}
