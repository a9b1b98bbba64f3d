//! Numbers, times and durations: what they are in each form (spec 3-transcript.md, 2.1 to 2.3).

use super::members::{Members, invalid, items, kind_of, string};
use super::shape::Form;
use crate::json::{Kind, parse_number};
use crate::transcript::error::{TranscriptCode, TranscriptError};
use crate::transcript::time::{
    Span, UnixTime, parse_iso_duration, parse_rfc3339, write_iso_duration, write_rfc3339,
};

const SECOND: u64 = 1_000_000_000;
/// The members of a native duration.
const DURATION: [&str; 2] = ["secs", "nanos"];
/// The members of a document's time after the year 9999.
const BEYOND: [&str; 2] = ["unix_secs", "nanos"];

/// An unsigned integer below 2^`bits` that is written with digits alone.
pub(super) fn whole(text: &[u8], bits: u32) -> Result<u64, TranscriptError> {
    let most = u64::MAX >> (64 - bits.clamp(1, 64));
    let read = || {
        let value: u64 = core::str::from_utf8(text).ok()?.parse().ok()?;
        (value <= most && text.iter().all(u8::is_ascii_digit)).then_some(value)
    };
    read().ok_or_else(|| invalid(&["must be an integer from 0 to ", &most.to_string()].concat()))
}

/// A signed integer of 32 bits that is written with digits alone.
pub(super) fn signed(text: &[u8]) -> Result<i32, TranscriptError> {
    let read = || {
        let value: i32 = core::str::from_utf8(text).ok()?.parse().ok()?;
        (text != b"-0").then_some(value)
    };
    read().ok_or_else(|| invalid("must be an integer from -2147483648 to 2147483647"))
}

/// Copies a finite double as it is written. Natively it has a point or an exponent.
pub(super) fn double(text: &[u8], from: Form, out: &mut Vec<u8>) -> Result<(), TranscriptError> {
    let value = match parse_number(text) {
        Some(value) => value,
        None if text == b"null" => f64::NAN,
        None => return Err(invalid("must be a number")),
    };
    if !value.is_finite() {
        let message = "must be a finite number (null stands for what is none)";
        return Err(TranscriptError::new(TranscriptCode::NotFinite, message));
    }
    out.extend_from_slice(text);
    if from == Form::Document && !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        out.extend_from_slice(b".0");
    }
    Ok(())
}

/// Converts a time: `{secs_since_epoch, nanos_since_epoch}` natively; in the document RFC 3339, or `{unix_secs, nanos}`
/// after the year 9999.
pub(super) fn time(text: &[u8], from: Form, out: &mut Vec<u8>) -> Result<(), TranscriptError> {
    let native = ["secs_since_epoch", "nanos_since_epoch"];
    let time = match from {
        Form::Native => unix_time(text, native)?,
        Form::Document if kind_of(text) == Some(Kind::Object) => unix_time(text, BEYOND)?,
        Form::Document => {
            let written = string(text)?.decode().unwrap_or_default();
            parse_rfc3339(written.as_bytes()).ok_or_else(|| no_time("is no time of RFC 3339"))?
        }
    };
    if from == Form::Native {
        out.push(b'"');
        if write_rfc3339(out, time) {
            out.push(b'"');
            return Ok(());
        }
        out.pop();
    }
    let secs = u64::try_from(time.secs)
        .map_err(|_| no_time("is before 1970, which the native form cannot express"))?;
    let names = if from == Form::Native { BEYOND } else { native };
    write_pair(out, names, secs, time.nanos);
    Ok(())
}

/// Reads a time of two numbers. Whole seconds end where they do on 64-bit systems.
fn unix_time(text: &[u8], names: [&str; 2]) -> Result<UnixTime, TranscriptError> {
    let Span { secs, nanos } = pair(text, names)?;
    let secs = i64::try_from(secs).map_err(|_| no_time("is too late"))?;
    Ok(UnixTime { secs, nanos })
}

/// Reads `{secs, nanos}` by these names, or an array of the two. Too many nanoseconds are carried into the seconds.
fn pair(text: &[u8], names: [&str; 2]) -> Result<Span, TranscriptError> {
    let [secs, nanos] = if kind_of(text) == Some(Kind::Array) {
        let mut items = items(text);
        let both = [items.next(), items.next()];
        if items.next().is_some() {
            return Err(invalid("has too many items"));
        }
        both
    } else {
        let mut members = Members::read(text)?;
        let both = [members.take(names[0])?, members.take(names[1])?];
        // What else a native time says would have to be part of what it means.
        if names != BEYOND && members.rest().next().is_some() {
            return Err(invalid("has other members"));
        }
        both
    };
    let number = |text: Option<&[u8]>, bits, name| match text {
        Some(text) => whole(text, bits).map_err(|error| error.in_member(name)),
        None => Err(invalid("is missing").in_member(name)),
    };
    let nanos = number(nanos, 32, names[1])?;
    let secs = number(secs, 64, names[0])?.checked_add(nanos / SECOND);
    Ok(Span {
        secs: secs.ok_or_else(|| no_time("is too large"))?,
        nanos: (nanos % SECOND) as u32,
    })
}

fn write_pair(out: &mut Vec<u8>, names: [&str; 2], secs: u64, nanos: u32) {
    let [secs, nanos] = [secs.to_string(), nanos.to_string()];
    let parts = [
        "{\"", names[0], "\":", &secs, ",\"", names[1], "\":", &nanos, "}",
    ];
    out.extend_from_slice(parts.concat().as_bytes());
}

/// Appends a native duration's whole milliseconds, and gives its ISO 8601 text where they lose something.
pub(super) fn write_millis(
    text: &[u8],
    out: &mut Vec<u8>,
) -> Result<Option<Vec<u8>>, TranscriptError> {
    let span = pair(text, DURATION)?;
    let millis = span.nanos / 1_000_000;
    // As text: the milliseconds of 64-bit seconds need more than 64 bits.
    let digits = match span.secs {
        0 => millis.to_string(),
        secs => [
            secs.to_string(),
            (millis + 1000).to_string()[1..].to_owned(),
        ]
        .concat(),
    };
    out.extend_from_slice(digits.as_bytes());
    if span.nanos.is_multiple_of(1_000_000) {
        return Ok(None);
    }
    let mut iso = vec![b'"'];
    write_iso_duration(&mut iso, span);
    iso.push(b'"');
    Ok(Some(iso))
}

/// Appends the native form of a duration that a document gives as whole milliseconds.
pub(super) fn write_span(millis: &[u8], out: &mut Vec<u8>) -> Result<(), TranscriptError> {
    let span = from_millis(millis);
    let span = span.ok_or_else(|| invalid("must be a whole number of milliseconds"))?;
    write_pair(out, DURATION, span.secs, span.nanos);
    Ok(())
}

/// The same for one that is given as ISO 8601 text.
pub(super) fn write_exact(text: &[u8], out: &mut Vec<u8>) -> Result<(), TranscriptError> {
    let written = string(text)?.decode().unwrap_or_default();
    let span = parse_iso_duration(written.as_bytes());
    let span = span.ok_or_else(|| no_time("is no ISO 8601 duration of a fixed length"))?;
    write_pair(out, DURATION, span.secs, span.nanos);
    Ok(())
}

fn from_millis(text: &[u8]) -> Option<Span> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (secs, millis) = text.split_at(text.len().saturating_sub(3));
    let secs = if secs.is_empty() { b"0" } else { secs };
    Some(Span {
        secs: whole(secs, 64).ok()?,
        nanos: whole(millis, 32).ok()? as u32 * 1_000_000,
    })
}

#[cold]
fn no_time(message: &str) -> TranscriptError {
    TranscriptError::new(TranscriptCode::Time, message)
}
