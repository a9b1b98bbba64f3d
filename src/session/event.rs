//! One event of a session, as its JSON text: what stands in it, looked up in place.
//!
//! An event is `{type, seq, time, data, sourceEventSeqs?, surfaceOp?}` (spec 2-session.md, 2.3). Nothing here says
//! whether it may be in a log; the rules do.

use crate::json::{Kind, RawStr, Reader};

/// The top level of an event's JSON text. A key that is missing is `None`, whatever its value would have to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    /// The value of `type`, as JSON text.
    pub kind: Option<&'a [u8]>,
    /// The value of `seq`, likewise.
    pub seq: Option<&'a [u8]>,
    /// The value of `time`, likewise.
    pub time: Option<&'a [u8]>,
    /// The value of `data`, likewise.
    pub data: Option<&'a [u8]>,
    /// The value of `surfaceOp`, likewise.
    pub surface_op: Option<&'a [u8]>,
    /// The value of `sourceEventSeqs`, likewise.
    pub sources: Option<&'a [u8]>,
    /// Whether there are other keys.
    pub has_more: bool,
}

impl<'a> Event<'a> {
    /// Reads checked JSON text; `None` for what is no object. Of a key that occurs twice the last one counts, as in
    /// `JSON.parse`.
    pub fn read(text: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(text);
        if !reader.begin_object() {
            return None;
        }
        let mut event = Self::default();
        while let Some(key) = reader.next_key() {
            let value = &text[reader.skip()?];
            let field = [
                ("type", &mut event.kind),
                ("seq", &mut event.seq),
                ("time", &mut event.time),
                ("data", &mut event.data),
                ("surfaceOp", &mut event.surface_op),
                ("sourceEventSeqs", &mut event.sources),
            ]
            .into_iter()
            .find(|(name, _)| key.eq_str(name));
            match field {
                Some((_, field)) => *field = Some(value),
                None => event.has_more = true,
            }
        }
        (!reader.is_broken()).then_some(event)
    }

    /// Whether the type is this string.
    pub fn is(&self, kind: &str) -> bool {
        self.kind_string().is_some_and(|found| found.eq_str(kind))
    }

    /// Its place in the log, if that is a non-negative safe integer.
    pub fn number(&self) -> Option<u64> {
        self.seq.and_then(safe_integer)
    }

    /// The type, if it is a string.
    pub fn kind_string(&self) -> Option<RawStr<'a>> {
        Reader::new(self.kind?).string()
    }
}

/// The value of an object's member, as JSON text; `None` for what is no object or has no such key.
#[inline(never)]
pub fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let [value] = members(object, [name]);
    value
}

/// The values of several members in one pass, likewise. Of a key that occurs twice the last one counts.
pub fn members<'a, const N: usize>(object: &'a [u8], names: [&str; N]) -> [Option<&'a [u8]>; N] {
    let mut found = [None; N];
    find_members(object, &names, &mut found);
    found
}

/// One function for all numbers of names, which is not copied to wherever it is called: size counts here.
#[inline(never)]
fn find_members<'a>(object: &'a [u8], names: &[&str], found: &mut [Option<&'a [u8]>]) {
    let mut reader = Reader::new(object);
    if !reader.begin_object() {
        return;
    }
    while let Some(key) = reader.next_key() {
        let value = reader.skip().and_then(|range| object.get(range));
        if let Some(index) = names.iter().position(|name| key.eq_str(name)) {
            found[index] = value;
        }
    }
}

/// What kind of value a JSON text is.
#[inline(never)]
pub fn kind_of(value: &[u8]) -> Option<Kind> {
    Reader::new(value).kind()
}

/// A number that is a non-negative safe integer (at most 2^53 - 1), however it is spelled.
#[inline(never)]
pub fn safe_integer(value: &[u8]) -> Option<u64> {
    whole(Reader::new(value).number()?)
}

/// The same for a number that is read already.
pub fn whole(number: f64) -> Option<u64> {
    ((0.0..=9_007_199_254_740_991.0).contains(&number) && number.fract() == 0.0)
        .then_some(number as u64)
}

/// A string's characters, still escaped.
#[inline(never)]
pub fn string(value: &[u8]) -> Option<RawStr<'_>> {
    Reader::new(value).string()
}

/// The items of an array, as JSON text; none for what is no array.
pub fn items(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut reader = Reader::new(list);
    let mut is_inside = reader.begin_array();
    core::iter::from_fn(move || {
        is_inside = is_inside && reader.next_item();
        if is_inside {
            list.get(reader.skip()?)
        } else {
            None
        }
    })
}

/// The `tool-call` blocks in the `content` of an event's data.
pub fn tool_calls(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    items(member(data, "content").unwrap_or_default()).filter(|block| {
        member(block, "type")
            .and_then(string)
            .is_some_and(|kind| kind.eq_str("tool-call"))
    })
}
