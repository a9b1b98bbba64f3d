//! Session and message ids (spec 1, Identifiers).
//!
//! An id is 1 to 512 UTF-16 code units long and holds no lone surrogate: half an emoji cannot
//! survive UTF-8, and two ids must never collapse into one.

use super::Error;
use crate::json::RawStr;
use std::fmt;
use std::rc::Rc;

/// The longest id, in UTF-16 code units.
const MAX_UNITS: usize = 512;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Rc<str>);

        impl $name {
            /// Takes an id as it stands inside a JSON string.
            ///
            /// # Errors
            /// `invalid` when it is empty, longer than 512 UTF-16 code units, or holds a lone surrogate.
            pub fn from_json(raw: RawStr<'_>) -> Result<Self, Error> {
                check(raw).map(|text| Self(text.into()))
            }

            /// Takes an id as plain text.
            ///
            /// # Errors
            /// `invalid` when it is empty or longer than 512 UTF-16 code units.
            pub fn new(text: &str) -> Result<Self, Error> {
                check_length(text.encode_utf16().count()).map(|()| Self(text.into()))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}

id_type! {
    /// Names a session: one conversation, one log.
    SessionId
}
id_type! {
    /// Names a message within its session; what duplicates are told by.
    MessageId
}

fn check(raw: RawStr<'_>) -> Result<String, Error> {
    check_length(raw.utf16_len())?;
    match raw.decode() {
        Some(text) => Ok(text.into_owned()),
        None => Err(Error::invalid("", "must not hold a lone surrogate")),
    }
}

fn check_length(units: usize) -> Result<(), Error> {
    match units {
        0 => Err(Error::invalid("", "must not be empty")),
        1..=MAX_UNITS => Ok(()),
        _ => Err(Error::invalid(
            "",
            "must be at most 512 UTF-16 code units long",
        )),
    }
}

/// A fresh UUIDv7 (RFC 9562) from epoch milliseconds and ten random bytes.
///
/// Fractions of a millisecond and times outside the 48-bit field are cut off, so a strange clock
/// still gives a valid and unique id.
pub fn uuid_v7(now_ms: f64, random: [u8; 10]) -> String {
    // `as` saturates, and gives 0 for NaN.
    let millis = (now_ms as u64).min((1 << 48) - 1);
    let mut bytes = [0u8; 16];
    bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&random);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_json(escaped: &str) -> Result<SessionId, Error> {
        SessionId::from_json(RawStr::from_escaped(escaped.as_bytes()))
    }

    #[test]
    fn an_id_is_counted_in_utf16_code_units() {
        assert!(SessionId::new(&"😀".repeat(256)).is_ok());
        assert!(SessionId::new(&"😀".repeat(257)).is_err());
        assert!(from_json(&"a".repeat(512)).is_ok());
        assert!(from_json(&"a".repeat(513)).is_err());
        assert!(from_json("").is_err());
    }

    #[test]
    fn half_an_emoji_is_refused_and_a_whole_one_is_not() {
        assert!(from_json("\\ud83d").is_err());
        assert_eq!(
            from_json("\\ud83d\\ude00")
                .map(|id| id.as_str().to_owned())
                .ok(),
            Some("😀".to_owned())
        );
    }

    #[test]
    fn a_fresh_id_is_a_version_7_uuid_in_time_order() {
        let early = uuid_v7(1_700_000_000_000.0, [0xff; 10]);
        let late = uuid_v7(1_700_000_000_001.0, [0; 10]);
        assert_eq!(early, "018bcfe5-6800-7fff-bfff-ffffffffffff");
        assert!(early < late);
        assert_eq!(
            uuid_v7(f64::NAN, [0; 10]),
            "00000000-0000-7000-8000-000000000000"
        );
        assert_eq!(
            uuid_v7(f64::INFINITY, [0; 10]),
            "ffffffff-ffff-7000-8000-000000000000"
        );
    }
}
