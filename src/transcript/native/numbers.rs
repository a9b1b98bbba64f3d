//! Numbers, times and durations: what they are in each form (spec 3-transcript.md, 2.1 to 2.3).

use super::convert::{put, write_name};
use super::fault::{Fault, invalid};
use super::members::{Members, kind_of, string};
use super::shape::Form;
use crate::json::{Kind, parse_number};
use crate::transcript::error::TranscriptCode;
use crate::transcript::millis;
use crate::transcript::time::{
    Span, UnixTime, parse_iso_duration, parse_rfc3339, read_whole, write_iso_duration,
    write_rfc3339,
};

const SECOND: u64 = 1_000_000_000;
/// The members of a native duration.
const DURATION: [&str; 2] = ["secs", "nanos"];
/// The members of a document's time after the year 9999.
const BEYOND: [&str; 2] = ["unix_secs", "nanos"];

/// An unsigned integer of so many bits that is written with digits alone.
pub(super) fn whole(text: &[u8], bits: u32) -> Result<u64, Fault> {
    let most = u64::MAX >> (64 - bits.clamp(1, 64));
    let value = digits(text).filter(|value| *value <= most);
    value.ok_or_else(|| {
        invalid(match bits {
            8 => "must be an integer from 0 to 255",
            16 => "must be an integer from 0 to 65535",
            32 => "must be an integer from 0 to 4294967295",
            _ => "must be an integer from 0 to 18446744073709551615",
        })
    })
}

/// Checks a signed integer of 32 bits that is written with digits alone.
pub(super) fn check_signed(text: &[u8]) -> Result<(), Fault> {
    let least = i32::MIN.unsigned_abs().into();
    let is_signed = match text.strip_prefix(b"-") {
        Some(size) => digits(size).is_some_and(|size| (1..=least).contains(&size)),
        None => digits(text).is_some_and(|value| value < least),
    };
    if is_signed {
        return Ok(());
    }
    Err(invalid("must be an integer from -2147483648 to 2147483647"))
}

fn digits(text: &[u8]) -> Option<u64> {
    let mut rest = text;
    read_whole(&mut rest).filter(|_| rest.is_empty())
}

/// Copies a finite double as it is written. Natively it has a point or an exponent.
pub(super) fn double(text: &[u8], from: Form, out: &mut Vec<u8>) -> Result<(), Fault> {
    let value = match parse_number(text) {
        Some(value) => value,
        None if text == b"null" => f64::NAN,
        None => return Err(invalid("must be a number")),
    };
    if !value.is_finite() {
        let message = "must be a finite number (null stands for what is none)";
        return Err(Fault::new(TranscriptCode::NotFinite, message));
    }
    put(text, out);
    if from == Form::Document && !text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        put(b".0", out);
    }
    Ok(())
}

/// Converts a time: `{secs_since_epoch, nanos_since_epoch}` natively; in the document RFC 3339, or `{unix_secs, nanos}`
/// after the year 9999.
pub(super) fn time(text: &[u8], from: Form, out: &mut Vec<u8>) -> Result<(), Fault> {
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
        put(b"\"", out);
        if write_rfc3339(out, time) {
            put(b"\"", out);
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
fn unix_time(text: &[u8], names: [&'static str; 2]) -> Result<UnixTime, Fault> {
    let Span { secs, nanos } = pair(text, names)?;
    let secs = i64::try_from(secs).map_err(|_| no_time("is too late"))?;
    Ok(UnixTime { secs, nanos })
}

/// Reads `{secs, nanos}` by these names, or an array of the two. Too many nanoseconds are carried into the seconds.
fn pair(text: &[u8], names: [&'static str; 2]) -> Result<Span, Fault> {
    let mut members = Members::read_named(text, &names)?;
    let mut numbers = [0; 2];
    for (number, (name, bits)) in numbers.iter_mut().zip(names.into_iter().zip([64, 32])) {
        let text = members.take(name)?;
        *number = text
            .ok_or_else(|| invalid("is missing"))
            .and_then(|text| whole(text, bits))
            .map_err(|fault| fault.in_member(name))?;
    }
    // What else a native time says would have to be part of what it means.
    if names != BEYOND && members.rest().next().is_some() {
        return Err(invalid("has other members"));
    }
    let [secs, nanos] = numbers;
    let secs = secs.checked_add(nanos / SECOND);
    Ok(Span {
        secs: secs.ok_or_else(|| no_time("is too large"))?,
        nanos: (nanos % SECOND) as u32,
    })
}

fn write_pair(out: &mut Vec<u8>, names: [&str; 2], secs: u64, nanos: u32) {
    put(b"{", out);
    for (name, number) in names.into_iter().zip([secs, nanos.into()]) {
        write_name(name, out);
        put(number.to_string().as_bytes(), out);
    }
    put(b"}", out);
}

/// Appends a native duration's whole milliseconds, and gives its ISO 8601 text where they lose something.
pub(super) fn write_millis(text: &[u8], out: &mut Vec<u8>) -> Result<Option<Vec<u8>>, Fault> {
    let span = pair(text, DURATION)?;
    if !millis::write(out, span) {
        return Ok(None);
    }
    let mut iso = vec![b'"'];
    write_iso_duration(&mut iso, span);
    iso.push(b'"');
    Ok(Some(iso))
}

/// Appends the native form of a duration that a document gives as whole milliseconds.
pub(super) fn write_span(text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let span = millis::read(text);
    let span = span.ok_or_else(|| invalid("must be a whole number of milliseconds"))?;
    write_pair(out, DURATION, span.secs, span.nanos);
    Ok(())
}

/// The same for one that is given as ISO 8601 text.
pub(super) fn write_exact(text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let written = string(text)?.decode().unwrap_or_default();
    let span = parse_iso_duration(written.as_bytes());
    let span = span.ok_or_else(|| no_time("is no ISO 8601 duration of a fixed length"))?;
    write_pair(out, DURATION, span.secs, span.nanos);
    Ok(())
}

#[cold]
fn no_time(message: &str) -> Fault {
    Fault::new(TranscriptCode::Time, message)
}
