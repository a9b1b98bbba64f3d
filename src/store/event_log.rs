//! The stored form of a session's events: segments, each of consecutive events, with a check value.
//!
//! ```text
//! 1                     the version of this form
//! 0f3c…                 xxh64 of what follows, seeded with the owner, in 16 hexadecimal digits
//! [row,row,…]           the events as packed rows (session/packing.rs), JSON text
//! ```
//!
//! It is text, so that one form serves databases, which keep its UTF-8, and localStorage. A session's header is sealed the
//! same way, as `["mark",header]`; the mark is drawn at random when the session is first stored, so that a session that was
//! removed and made anew is not taken for the old one.
//!
//! What was cut off or damaged behind the last complete turn is torn: nobody was promised more (spec 2-session.md, 12.3
//! and 12.4). Damage before it is not passed over.

use super::chunk::{MAX_PART, Owner, Unreadable};
use crate::json::check;
use crate::session::packing::{pack, unpack_checked};
use crate::session::{Event, SessionCode, SessionError};
use xxhash_rust::xxh64::xxh64;

const VERSION: u8 = b'1';
/// The bytes before the sealed text.
const SEAL: usize = 17;

/// Sealed text, for somebody's place.
pub fn seal(text: &[u8], owner: Owner) -> Vec<u8> {
    let mut out = Vec::with_capacity(SEAL + text.len());
    out.push(VERSION);
    out.extend_from_slice(format!("{:016x}", xxh64(text, owner.number())).as_bytes());
    out.extend_from_slice(text);
    out
}

/// The text that was sealed.
///
/// # Errors
/// [`Unreadable`] for bytes that are not what [`seal`] wrote for this owner.
pub fn unseal(value: &[u8], owner: Owner) -> Result<&[u8], Unreadable> {
    let (seal, text) = value.split_at_checked(SEAL).ok_or(Unreadable::Damaged)?;
    if seal[0] != VERSION {
        let is_newer = seal[0] > VERSION && seal[0] <= b'9';
        return Err(if is_newer {
            Unreadable::TooNew
        } else {
            Unreadable::Damaged
        });
    }
    let check_value = format!("{:016x}", xxh64(text, owner.number()));
    if seal[1..] == *check_value.as_bytes() && check(text).is_ok() {
        Ok(text)
    } else {
        Err(Unreadable::Damaged)
    }
}

/// Consecutive events as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// How many events these are.
    pub count: u64,
    /// The sealed text.
    pub value: Vec<u8>,
}

/// Events as few segments, each of at most [`MAX_PART`] bytes unless one row alone is longer. Linear.
pub fn segments(events: &[&[u8]], owner: Owner) -> Vec<Segment> {
    let mut out = Vec::new();
    let (mut text, mut count) = (vec![b'['], 0);
    for row in pack(events) {
        if count > 0 && SEAL + text.len() + row.text.len() + 2 > MAX_PART {
            out.push(finish(&mut text, &mut count, owner));
        }
        if count > 0 {
            text.push(b',');
        }
        text.extend_from_slice(&row.text);
        count += row.count as u64;
    }
    if count > 0 {
        out.push(finish(&mut text, &mut count, owner));
    }
    out
}

fn finish(text: &mut Vec<u8>, count: &mut u64, owner: Owner) -> Segment {
    text.push(b']');
    let segment = Segment {
        count: std::mem::take(count),
        value: seal(text, owner),
    };
    text.truncate(1);
    segment
}

/// What the segments of a session hold.
#[derive(Debug, Default)]
pub struct StoredLog {
    /// The readable events from the first on, without a hole.
    texts: Texts,
    /// Positions of segments that are not among them: damaged, or behind damage.
    pub apart: Vec<usize>,
    /// Positions of segments whose events another one has already: of a writer who came second.
    pub doubles: Vec<usize>,
    /// Whether a turn ends behind the first damage.
    pub is_corrupt: bool,
}

impl StoredLog {
    /// Reads the values of segments, in the order of their events. Linear.
    ///
    /// # Errors
    /// [`Unreadable::TooNew`]; damage is told by what is [`apart`](Self::apart).
    pub fn read<'a>(
        values: impl IntoIterator<Item = &'a [u8]>,
        owner: Owner,
    ) -> Result<Self, Unreadable> {
        let mut log = Self::default();
        for (position, value) in values.into_iter().enumerate() {
            match unseal(value, owner) {
                Ok(text) => log.take(position, text),
                Err(Unreadable::Damaged) => log.apart.push(position),
                Err(too_new) => return Err(too_new),
            }
        }
        Ok(log)
    }

    /// The readable events from the first on.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The same, without the rest.
    pub fn into_texts(self) -> Texts {
        self.texts
    }

    /// How many of these events are stored from number `first` on.
    pub fn matching(&self, first: usize, events: &[&[u8]]) -> usize {
        (first..self.texts.len())
            .zip(events)
            .take_while(|&(seq, event)| self.texts.get(seq) == *event)
            .count()
    }

    /// Takes in a segment's text.
    fn take(&mut self, position: usize, text: &[u8]) {
        let next = self.texts.len();
        let mut first = None;
        let mut follows = true;
        let mut rows = crate::session::items(text);
        let is_sound = rows.all(|row| {
            unpack_checked(row, &mut |event, number| {
                let number = number.or_else(|| Event::read(event)?.number());
                first = first.or(number);
                follows &= number == Some(self.texts.len() as u64);
                self.texts.push(event);
            })
            .is_some()
        });
        if is_sound && follows && first.is_some() && self.apart.is_empty() {
            return;
        }
        if is_sound && first.is_some_and(|first| first < next as u64) {
            self.doubles.push(position);
        } else {
            self.apart.push(position);
            self.is_corrupt |= (next..self.texts.len()).any(|seq| is_turn_end(self.texts.get(seq)));
        }
        self.texts.truncate(next);
    }
}

/// Texts of events, back to back.
#[derive(Debug, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    ranges: Vec<(u32, u32)>,
}

impl Texts {
    /// Those that stand in `bytes` at these ranges.
    pub fn within(bytes: Vec<u8>, ranges: Vec<(u32, u32)>) -> Self {
        Self { bytes, ranges }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// An event's JSON text.
    pub fn get(&self, seq: usize) -> &[u8] {
        let (from, to) = self.ranges[seq];
        &self.bytes[from as usize..to as usize]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|seq| self.get(seq))
    }

    /// Adds one more.
    pub fn push(&mut self, event: &[u8]) {
        let from = self.bytes.len() as u32;
        self.bytes.extend_from_slice(event);
        self.ranges.push((from, self.bytes.len() as u32));
    }

    /// Takes back all from number `len` on, which were pushed.
    fn truncate(&mut self, len: usize) {
        if let Some(&(from, _)) = self.ranges.get(len) {
            self.bytes.truncate(from as usize);
            self.ranges.truncate(len);
        }
    }
}

fn is_turn_end(event: &[u8]) -> bool {
    Event::read(event).is_some_and(|event| event.is("turn/end"))
}

/// The sealed header of a session that is stored for the first time.
pub fn seal_header(header: &[u8], mark: &str, owner: Owner) -> Vec<u8> {
    let text = [b"[\"", mark.as_bytes(), b"\",", header, b"]"].concat();
    seal(&text, owner)
}

/// The header.
///
/// # Errors
/// As [`unseal`].
pub fn unseal_header(value: &[u8], owner: Owner) -> Result<&[u8], Unreadable> {
    let text = unseal(value, owner)?;
    crate::session::items(text)
        .nth(1)
        .ok_or(Unreadable::Damaged)
}

/// What a session of which this is stored is refused for.
///
/// # Errors
/// `corrupt` with the detail `readable`, the number of events before the damage, if turns are complete behind it.
pub fn check_whole(log: &StoredLog) -> Result<(), SessionError> {
    if !log.is_corrupt {
        return Ok(());
    }
    let readable = log.texts.len();
    let message = format!("stored events are damaged behind the first {readable}");
    Err(SessionError::new(SessionCode::CorruptLog, message).with("readable", readable as f64))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn owner() -> Owner {
        Owner::of_log(b"\"s\"")
    }

    fn event(seq: usize, kind: &str) -> String {
        format!(r#"{{"type":"{kind}","seq":{seq},"time":5,"data":{{"x":"é\ud83d"}}}}"#)
    }

    fn chunk(seq: usize, text: &str) -> String {
        format!(
            r#"{{"type":"assistant/chunk","seq":{seq},"time":9,"data":{{"turn":1,"step":1,"chunk":{{"type":"text-delta","index":0,"text":"{text}"}}}}}}"#
        )
    }

    fn slices(events: &[String]) -> Vec<&[u8]> {
        events.iter().map(|event| event.as_bytes()).collect()
    }

    fn read(segments: &[Segment]) -> StoredLog {
        StoredLog::read(segments.iter().map(|it| it.value.as_slice()), owner()).unwrap()
    }

    /// Five segments of two events each; the second event of each ends a turn.
    fn five() -> Vec<Segment> {
        (0..5)
            .flat_map(|at| {
                let events = [event(2 * at, "x"), event(2 * at + 1, "turn/end")];
                segments(&slices(&events), owner())
            })
            .collect()
    }

    #[test]
    fn a_seal_holds_for_its_text_and_owner_only() {
        let sealed = seal(b"[1,2]", owner());
        assert_eq!(unseal(&sealed, owner()), Ok(&b"[1,2]"[..]));
        assert!(unseal(&sealed, Owner::of_log(b"\"t\"")).is_err());
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(unseal(&damaged, owner()), Err(Unreadable::Damaged), "{at}");
            assert_eq!(unseal(&sealed[..at], owner()), Err(Unreadable::Damaged));
        }
        let newer = [b"2".as_slice(), &sealed[1..]].concat();
        assert_eq!(unseal(&newer, owner()), Err(Unreadable::TooNew));
        assert!(StoredLog::read([newer.as_slice()], owner()).is_err());
    }

    #[test]
    fn a_header_comes_back_as_it_was() {
        let header = br#"{"version":0,"id":"\ud83d","createdAt":5}"#;
        let sealed = seal_header(header, "a-1", owner());
        assert_eq!(unseal_header(&sealed, owner()), Ok(&header[..]));
        assert_ne!(sealed, seal_header(header, "a-2", owner()));
        assert!(unseal_header(&seal(b"[1]", owner()), owner()).is_err());
    }

    #[test]
    fn what_is_damaged_behind_the_last_complete_turn_is_torn() {
        let mut stored = five();
        stored.push(segments(&slices(&[event(10, "turn/start")]), owner()).remove(0));
        stored[5].value[20] ^= 1;
        let log = read(&stored);
        assert_eq!(
            (log.texts().len(), &log.apart[..], log.is_corrupt),
            (10, &[5][..], false)
        );
        assert!(check_whole(&log).is_ok());
        // The newest turn itself is behind nothing that can be read.
        stored.truncate(5);
        stored[4].value.pop();
        let log = read(&stored);
        assert_eq!(
            (log.texts().len(), &log.apart[..], log.is_corrupt),
            (8, &[4][..], false)
        );
    }

    #[test]
    fn damage_before_a_complete_turn_is_told_with_what_can_be_read() {
        for damage in [0, 2] {
            let mut stored = five();
            stored[damage].value[18] ^= 1;
            let log = read(&stored);
            assert_eq!(log.texts().len(), 2 * damage);
            assert_eq!(log.apart, (damage..5).collect::<Vec<_>>());
            let error = check_whole(&log).unwrap_err();
            assert_eq!(error.code, SessionCode::CorruptLog);
            assert_eq!(error.details, [("readable", 2.0 * damage as f64)]);
        }
        let mut stored = five();
        stored.remove(1);
        assert_eq!(
            (read(&stored).texts().len(), read(&stored).is_corrupt),
            (2, true)
        );
    }

    #[test]
    fn what_a_second_writer_wrote_in_the_same_place_does_not_count() {
        let mut stored = five();
        let other = segments(&slices(&[event(2, "other")]), owner()).remove(0);
        stored.insert(2, other);
        let log = read(&stored);
        assert_eq!(
            (log.texts().len(), &log.doubles[..], log.apart.is_empty()),
            (10, &[2][..], true)
        );
    }

    #[test]
    fn long_logs_make_segments_that_databases_take_well() {
        let long = "x".repeat(25_000);
        let events: Vec<_> = (0..7)
            .map(|seq| event(seq, if seq == 3 { "y" } else { &long }))
            .chain([event(7, &"z".repeat(200_000))])
            .collect();
        let stored = segments(&slices(&events), owner());
        assert!(
            stored
                .iter()
                .rev()
                .skip(1)
                .all(|it| it.value.len() <= MAX_PART)
        );
        assert_eq!(stored.iter().map(|it| it.count).sum::<u64>(), 8);
        assert_eq!(
            read(&stored).texts().iter().collect::<Vec<_>>(),
            slices(&events)
        );
    }

    proptest! {
        #[test]
        fn what_was_stored_is_read_byte_for_byte(
            kinds in prop::collection::vec(prop_oneof![4 => Just(None), 1 => "[a-z/]{1,9}".prop_map(Some)], 0..60),
            cuts in prop::collection::vec(1usize..9, 0..30),
        ) {
            let events: Vec<_> = kinds.iter().enumerate().map(|(seq, kind)| match kind {
                None => chunk(seq, "He\\ud83d"),
                Some(kind) => event(seq, kind),
            }).collect();
            let all = slices(&events);
            let (mut stored, mut rest) = (Vec::new(), &all[..]);
            for cut in cuts.into_iter().chain([usize::MAX]) {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                stored.extend(segments(now, owner()));
                rest = later;
            }
            let log = read(&stored);
            prop_assert_eq!(log.texts().iter().collect::<Vec<_>>(), all.clone());
            prop_assert!(log.apart.is_empty() && log.doubles.is_empty());
            for first in 0..all.len() {
                prop_assert_eq!(log.matching(first, &all[first..]), all.len() - first);
            }
        }
    }
}
