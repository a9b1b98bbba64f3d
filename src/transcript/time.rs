//! Times and durations as text: RFC 3339 and ISO 8601 (spec 3-transcript.md, 1.1 and trap 15).
//!
//! Both keep nanoseconds; digits behind the ninth of a fraction are cut off, never rounded up.

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixTime {
    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down; leap seconds do not count.
    pub secs: i64,
    /// Nanoseconds behind that second, below 1,000,000,000.
    pub nanos: u32,
}

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Whole seconds.
    pub secs: u64,
    /// Nanoseconds besides, below 1,000,000,000.
    pub nanos: u32,
}

const DAY: i64 = 86_400;
/// 0000-01-01T00:00:00Z.
const FIRST_WRITABLE: i64 = -62_167_219_200;
/// 9999-12-31T23:59:59Z.
const LAST_WRITABLE: i64 = 253_402_300_799;
/// The units of ISO 8601 that have a fixed length, in seconds: weeks, days; hours, minutes, seconds.
const DATE_UNITS: [(u8, u64); 2] = [(b'W', 604_800), (b'D', 86_400)];
const TIME_UNITS: [(u8, u64); 3] = [(b'H', 3600), (b'M', 60), (b'S', 1)];

/// Reads an RFC 3339 time: `2026-01-02T03:04:05.25+01:00`.
///
/// `T` and `Z` may be lower case; `-00:00` is UTC; second 60, a leap second, is the first second of the next minute,
/// in whatever minute it stands. `None` for anything else, days that a month does not have included.
pub fn parse_rfc3339(text: &[u8]) -> Option<UnixTime> {
    let mut rest = text;
    let year = number(&mut rest, 4)?;
    let month = two_digits(&mut rest, b"-")?;
    let day = two_digits(&mut rest, b"-")?;
    let hour = two_digits(&mut rest, b"Tt")?;
    let minute = two_digits(&mut rest, b":")?;
    let second = two_digits(&mut rest, b":")?;
    if !(1..=12).contains(&month)
        || !(1..=days_in_month(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let nanos = match after(&mut rest, b".") {
        Some(rest) => fraction(rest)?,
        None => 0,
    };
    let offset = match take(&mut rest)? {
        b'Z' | b'z' => 0,
        sign @ (b'+' | b'-') => {
            let hours = number(&mut rest, 2)?;
            let minutes = two_digits(&mut rest, b":")?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if sign == b'+' { 60 } else { -60 }
        }
        _ => return None,
    };
    let secs = days_before(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset;
    rest.is_empty().then_some(UnixTime { secs, nanos })
}

/// Appends the time in RFC 3339, in UTC with `Z` and without zeros at the end of the fraction, and says whether it
/// could: the years 0 to 9999 have a form, other times append nothing.
pub fn write_rfc3339(out: &mut Vec<u8>, time: UnixTime) -> bool {
    if !(FIRST_WRITABLE..=LAST_WRITABLE).contains(&time.secs) {
        return false;
    }
    let (days, second) = (time.secs.div_euclid(DAY), time.secs.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let parts = [
        (year, 4, b'-'),
        (month, 2, b'-'),
        (day, 2, b'T'),
        (second / 3600, 2, b':'),
        (second / 60 % 60, 2, b':'),
    ];
    for (value, width, behind) in parts {
        digits(out, value as u64, width);
        out.push(behind);
    }
    digits(out, (second % 60) as u64, 2);
    write_fraction(out, time.nanos);
    out.push(b'Z');
    true
}

/// Reads an ISO 8601 duration of parts that have a fixed length: `PT1H30.5S`, `P2DT1M`, `P3W`.
///
/// The last part may have a fraction, behind a point or a comma; a day has 24 hours. `None` for months and years, for signs,
/// and for more seconds than 64 bits hold.
pub fn parse_iso_duration(text: &[u8]) -> Option<Span> {
    let mut rest = text.strip_prefix(b"P")?;
    let mut span = Span { secs: 0, nanos: 0 };
    let mut is_whole = true;
    for (units, start) in [(&DATE_UNITS[..], None), (&TIME_UNITS[..], Some(b"T"))] {
        if let Some(start) = start {
            match rest.strip_prefix(start) {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        let mut units = units.iter();
        let before = rest.len();
        while rest.first().is_some_and(u8::is_ascii_digit) && is_whole {
            let count = read_whole(&mut rest)?;
            let part = match after(&mut rest, b".,") {
                Some(rest) => {
                    is_whole = false;
                    fraction(rest)?
                }
                None => 0,
            };
            let unit = take(&mut rest)?;
            let (_, length) = units.find(|(name, _)| *name == unit)?;
            // Below 10^9 times 604,800: far from overflow.
            let nanos = u64::from(part) * length + u64::from(span.nanos);
            span.nanos = (nanos % 1_000_000_000) as u32;
            span.secs = count
                .checked_mul(*length)?
                .checked_add(span.secs)?
                .checked_add(nanos / 1_000_000_000)?;
        }
        // A `T` with nothing behind it is none.
        if before == rest.len() && start.is_some() {
            return None;
        }
    }
    (rest.is_empty() && text.len() > 2).then_some(span)
}

/// Appends the duration in ISO 8601, in seconds alone: `PT90.5S`.
pub fn write_iso_duration(out: &mut Vec<u8>, span: Span) {
    out.extend_from_slice(b"PT");
    out.extend_from_slice(span.secs.to_string().as_bytes());
    write_fraction(out, span.nanos);
    out.push(b'S');
}

/// Appends `.25` for 250,000,000, and nothing for 0.
fn write_fraction(out: &mut Vec<u8>, nanos: u32) {
    if nanos == 0 {
        return;
    }
    out.push(b'.');
    digits(out, nanos.into(), 9);
    while out.last() == Some(&b'0') {
        out.pop();
    }
}

/// Appends the last `width` decimal digits of a number.
fn digits(out: &mut Vec<u8>, value: u64, width: u32) {
    for place in (0..width).rev() {
        out.push(b'0' + (value / 10_u64.pow(place) % 10) as u8);
    }
}

/// Takes one digit at least as nanoseconds, and drops those behind the ninth.
fn fraction(rest: &mut &[u8]) -> Option<u32> {
    let before = rest.len();
    let (mut nanos, mut place) = (0, 100_000_000);
    while let Some((digit, behind)) = rest.split_first()
        && digit.is_ascii_digit()
    {
        nanos += u32::from(digit - b'0') * place;
        place /= 10;
        *rest = behind;
    }
    (rest.len() < before).then_some(nanos)
}

/// Takes an unsigned integer of one digit at least, as far as 64 bits hold it.
pub(super) fn read_whole(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    let before = rest.len();
    while let Some((digit, behind)) = rest.split_first()
        && digit.is_ascii_digit()
    {
        value = value
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
        *rest = behind;
    }
    (rest.len() < before).then_some(value)
}

fn take(rest: &mut &[u8]) -> Option<u8> {
    let (first, behind) = rest.split_first()?;
    *rest = behind;
    Some(*first)
}

/// What follows one of these bytes, if the text goes on with one.
fn after<'a, 'b>(rest: &'a mut &'b [u8], any_of: &[u8]) -> Option<&'a mut &'b [u8]> {
    if !rest.first().is_some_and(|byte| any_of.contains(byte)) {
        return None;
    }
    take(rest)?;
    Some(rest)
}

/// Takes a number of exactly so many digits.
fn number(rest: &mut &[u8], width: usize) -> Option<i64> {
    let (digits, behind) = rest.split_at_checked(width)?;
    *rest = behind;
    digits.iter().try_fold(0, |value, digit| {
        digit
            .is_ascii_digit()
            .then(|| value * 10 + i64::from(digit - b'0'))
    })
}

/// Takes one of these bytes and a number of two digits.
fn two_digits(rest: &mut &[u8], behind_one_of: &[u8]) -> Option<i64> {
    number(after(rest, behind_one_of)?, 2)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days in the 400 years after which the calendar repeats.
const ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Days from 1970-01-01 to a date of the Gregorian calendar.
///
/// Years that begin in March end with the leap day, and their months go by the pattern 153 days in five.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * ERA + year * 365 + year / 4 - year / 100 + in_year - EPOCH
}

/// Year, month and day of the date so many days after 1970-01-01: the inverse of [`days_before`].
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let in_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(i64, u32)> {
        parse_rfc3339(text.as_bytes()).map(|time| (time.secs, time.nanos))
    }

    fn written(secs: i64, nanos: u32) -> Option<String> {
        let mut out = Vec::new();
        write_rfc3339(&mut out, UnixTime { secs, nanos }).then(|| String::from_utf8(out).unwrap())
    }

    fn span(text: &str) -> Option<(u64, u32)> {
        parse_iso_duration(text.as_bytes()).map(|span| (span.secs, span.nanos))
    }

    #[test]
    fn times_are_written_in_utc_without_zeros_at_the_end() {
        for (secs, nanos, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (0, 1, "1970-01-01T00:00:00.000000001Z"),
            (1, 1_000_000, "1970-01-01T00:00:01.001Z"),
            (1_767_323_045, 120_000_000, "2026-01-02T03:04:05.12Z"),
            (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
            (LAST_WRITABLE, 5, "9999-12-31T23:59:59.000000005Z"),
            (FIRST_WRITABLE, 0, "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(written(secs, nanos).as_deref(), Some(text));
            assert_eq!(read(text), Some((secs, nanos)));
        }
        assert_eq!(written(LAST_WRITABLE + 1, 0), None);
        assert_eq!(written(FIRST_WRITABLE - 1, 0), None);
        assert_eq!(written(i64::MIN, 0), None);
    }

    #[test]
    fn every_spelling_of_rfc_3339_is_read() {
        for (text, expected) in [
            ("2026-01-02t03:04:05z", (1_767_323_045, 0)),
            ("2026-01-02T03:04:05-00:00", (1_767_323_045, 0)),
            ("2026-01-02T04:34:05+01:30", (1_767_323_045, 0)),
            ("2026-01-01T23:04:05.5-04:00", (1_767_323_045, 500_000_000)),
            (
                "2026-01-02T03:04:05.1234567899Z",
                (1_767_323_045, 123_456_789),
            ),
            (
                "2026-01-02T03:04:05.99999999999999999999Z",
                (1_767_323_045, 999_999_999),
            ),
            ("1990-12-31T23:59:60Z", (662_688_000, 0)),
            ("1990-12-31T15:59:60-08:00", (662_688_000, 0)),
            ("0000-01-01T00:00:00+23:59", (FIRST_WRITABLE - 86_340, 0)),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2026-01-02",
            "2026-01-02T03:04Z",
            "2026-01-02T03:04:05",
            "2026-01-02 03:04:05Z",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05,5Z",
            "2026-01-02T03:04:05Z ",
            "2026-01-02T03:04:05+0100",
            "2026-01-02T03:04:05+24:00",
            "2026-01-02T03:04:05+01:60",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-01-02T24:00:00Z",
            "2026-01-02T03:60:05Z",
            "2026-01-02T03:04:61Z",
            "+026-01-02T03:04:05Z",
            "02026-01-02T03:04:05Z",
            "2026-01-02T03:04:05\u{e9}",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        let mut days = days_before(-1, 1, 1);
        for year in -1..=2401 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_before(year, month, day), days);
                    assert_eq!(date(days), (year, month, day));
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn durations_are_written_in_seconds() {
        for (secs, nanos, text) in [
            (0, 0, "PT0S"),
            (0, 750_000, "PT0.00075S"),
            (90, 500_000_000, "PT90.5S"),
            (u64::MAX, 999_999_999, "PT18446744073709551615.999999999S"),
        ] {
            let mut out = Vec::new();
            write_iso_duration(&mut out, Span { secs, nanos });
            assert_eq!(core::str::from_utf8(&out), Ok(text));
            assert_eq!(span(text), Some((secs, nanos)));
        }
    }

    #[test]
    fn parts_of_a_fixed_length_are_read() {
        for (text, expected) in [
            ("P1W", (604_800, 0)),
            ("P2DT1H", (176_400, 0)),
            ("PT1H1M1S", (3661, 0)),
            ("PT1H1,5S", (3601, 500_000_000)),
            ("P0.5D", (43_200, 0)),
            ("PT0.0000000001H", (0, 0)),
            ("PT0.000000001H", (0, 3600)),
            ("PT1.9999999999S", (1, 999_999_999)),
            ("PT007S", (7, 0)),
        ] {
            assert_eq!(span(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "P",
            "PT",
            "P1DT",
            "1S",
            "PT1",
            "PTS",
            "P1Y",
            "P1M",
            "P1S",
            "PT1D",
            "PT1S1M",
            "PT1S1S",
            "PT1.5H1S",
            "-PT1S",
            "PT-1S",
            "PT1.S",
            "PT.5S",
            "pt1s",
            "PT1S ",
            "PT18446744073709551616S",
            "P18446744073709551615D",
            "PT18446744073709551615S1",
            "P1DT1.5M1S",
            "P1.5DT1S",
            "P1DP1D",
        ] {
            assert_eq!(span(text), None, "{text}");
        }
    }
}
