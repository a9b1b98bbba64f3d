//! The options of a context or a request, as the caller writes them.

use super::budget::Limits;
use super::error::ContextError;
use super::legality::{MissingResult, Rules, UnknownBlocks};
use crate::json::{Kind, parse_number};
use crate::session::{kind_of, member, string};

/// Numbers up to here are integers in JavaScript.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
const MAX_STEP_PERCENT: u64 = 99;

/// What the options say of the list; what they say of the request is [`Asked`](super::Asked).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// `maxMessages`, `maxChars`, `maxInputTokens`, `dropInSteps`.
    pub limits: Limits,
    missing: MissingResult,
    unknown: UnknownBlocks,
    opening: Option<String>,
}

impl ListOptions {
    /// Reads an object of checked JSON text. Members that are not known are somebody else's.
    ///
    /// `maxTokens` is a budget where `is_context` holds and there is no `maxInputTokens`; a request means the answer by it.
    ///
    /// # Errors
    /// [`Invalid`](super::ContextCode::Invalid) with the name of the member that is refused.
    pub fn read(options: &[u8], is_context: bool) -> Result<Self, ContextError> {
        let get = |name| said(options, name);
        let count = |name| read_count(options, name);
        let mut max_tokens = count("maxInputTokens")?;
        if is_context && max_tokens.is_none() {
            max_tokens = count("maxTokens")?;
        }
        let step_percent = count("dropInSteps")?.unwrap_or(0);
        if step_percent > MAX_STEP_PERCENT {
            return Err(ContextError::invalid(
                "dropInSteps".to_owned(),
                "must be an integer from 0 to 99, a percentage",
            ));
        }
        let opening = match get("openingMessage") {
            None => None,
            Some(value) => Some(opening(value)?),
        };
        Ok(Self {
            limits: Limits {
                max_messages: count("maxMessages")?,
                max_chars: count("maxChars")?,
                max_tokens,
                step_percent,
            },
            missing: word(
                "missingResults",
                get("missingResults"),
                &[
                    ("interrupted", MissingResult::Interrupted),
                    ("drop", MissingResult::DropStep),
                ],
            )?,
            unknown: word(
                "unknownBlocks",
                get("unknownBlocks"),
                &[
                    ("error", UnknownBlocks::Error),
                    ("keep", UnknownBlocks::Keep),
                    ("drop", UnknownBlocks::Drop),
                ],
            )?,
            opening,
        })
    }

    /// What they say of legality.
    pub fn rules(&self) -> Rules<'_> {
        Rules {
            missing_result: self.missing,
            unknown: self.unknown,
            opening: self.opening.as_deref(),
            ..Rules::default()
        }
    }
}

/// A member that is there and not null.
fn said<'o>(options: &'o [u8], name: &str) -> Option<&'o [u8]> {
    member(options, name).filter(|value| kind_of(value) != Some(Kind::Null))
}

/// A member that is a number of things, if it is said.
pub(super) fn read_count(options: &[u8], name: &str) -> Result<Option<u64>, ContextError> {
    let Some(value) = said(options, name) else {
        return Ok(None);
    };
    whole(value).map(Some).ok_or_else(|| {
        ContextError::invalid(name.to_owned(), "must be an integer from 0 to 2^53 - 1")
    })
}

fn whole(value: &[u8]) -> Option<u64> {
    let number = parse_number(value)?;
    (number.fract() == 0.0 && (0.0..=MAX_SAFE).contains(&number)).then_some(number as u64)
}

fn opening(value: &[u8]) -> Result<String, ContextError> {
    let text = string(value).and_then(|text| text.decode().map(|text| text.into_owned()));
    text.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        ContextError::invalid(
            "openingMessage".to_owned(),
            "must be a well-formed string that is not blank",
        )
    })
}

/// One of some words; the first one where none is said.
fn word<T: Copy>(name: &str, value: Option<&[u8]>, words: &[(&str, T)]) -> Result<T, ContextError> {
    let Some(value) = value else {
        return Ok(words[0].1);
    };
    let said = string(value);
    let found = words
        .iter()
        .find(|(word, _)| said.is_some_and(|said| said.eq_str(word)));
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let words: Vec<String> = words.iter().map(|(word, _)| format!("'{word}'")).collect();
        ContextError::invalid(name.to_owned(), &format!("must be {}", words.join(" or ")))
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_request_are_those_of_the_answer() {
        let options = br#"{"maxTokens":100,"maxMessages":0,"maxChars":5e3}"#;
        let limits = |is_context| ListOptions::read(options, is_context).unwrap().limits;
        assert_eq!(limits(true).max_tokens, Some(100));
        assert_eq!(limits(false).max_tokens, None);
        assert_eq!(limits(false).max_messages, Some(0));
        assert_eq!(limits(false).max_chars, Some(5000));
        let both = br#"{"maxTokens":100,"maxInputTokens":7}"#;
        for is_context in [true, false] {
            let read = ListOptions::read(both, is_context).unwrap();
            assert_eq!(read.limits.max_tokens, Some(7));
        }
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        for text in [
            &b"{}"[..],
            br#"{"maxChars":null,"missingResults":null}"#,
            b"null",
        ] {
            assert_eq!(ListOptions::read(text, true), Ok(ListOptions::default()));
        }
    }

    #[test]
    fn bad_options_are_refused_by_name() {
        for (text, path) in [
            (r#"{"maxChars":-1}"#, "maxChars"),
            (r#"{"maxMessages":1.5}"#, "maxMessages"),
            (r#"{"maxInputTokens":"1"}"#, "maxInputTokens"),
            (r#"{"maxTokens":1e300}"#, "maxTokens"),
            (r#"{"dropInSteps":100}"#, "dropInSteps"),
            (r#"{"missingResults":"keep"}"#, "missingResults"),
            (r#"{"unknownBlocks":1}"#, "unknownBlocks"),
            (r#"{"openingMessage":" "}"#, "openingMessage"),
            (r#"{"openingMessage":"\ud83d"}"#, "openingMessage"),
        ] {
            let error = ListOptions::read(text.as_bytes(), true).unwrap_err();
            assert_eq!(error.path.as_deref(), Some(path), "{text}");
        }
    }
}
