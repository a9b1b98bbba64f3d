//! Checking a value against a table of what may stand in it.
//!
//! A table says which fields an object must and may have, and of which kind. What no table names is let through: unknown
//! fields, unknown words, unknown types. For optional fields, absent and null are the same. Of a key that occurs twice
//! the last one counts, as in `JSON.parse`. The recursion here is as deep as the tables, whatever the input.

use core::ops::Range;

use super::error::{TranscriptCode, TranscriptError};
use super::{millis, time};
use crate::json::{Kind, RawStr, Reader};

/// What a value may be.
pub(super) enum Shape {
    /// Any JSON value.
    Any,
    /// A string.
    Text,
    /// The name of a variant. Any is taken, since unknown ones are kept; and a variant of the native form that has no name in the
    /// document, which is kept as it is there: `{"Later": …}`.
    Word,
    Bool,
    /// Any number.
    Number,
    /// An integer from 0 to 2^64 - 1, written with nothing but digits.
    Natural,
    /// An integer of 32 bits, likewise, with or without a sign.
    Integer,
    /// RFC 3339 text, or `{unix_secs, nanos}` for years that have no such text.
    Time,
    /// A whole number of milliseconds.
    Millis,
    /// The same, or ISO 8601 text.
    Duration,
    /// `[name, value]`
    Pair,
    List(&'static Shape),
    /// An object with any keys.
    Map(&'static Shape),
    Object(&'static [Field]),
    /// A part of a merged exec: these fields and an `id`.
    Segment(&'static [Field]),
    /// An object whose `type` says which other fields it has, or a variant of the native form as in a [`Word`](Self::Word).
    Tagged(&'static [Variant]),
    /// A word, or an object with these fields: `"rocket"` or `{custom: "x"}`.
    WordOr(&'static [Field]),
    /// Like `Tagged`, but with other spellings besides: a word, or an object without `type`.
    Loose(&'static [Variant]),
}

/// A `type` and the fields that go with it.
pub(super) type Variant = (&'static str, &'static [Field]);

/// A field that an object must or may have.
pub(super) struct Field {
    name: &'static str,
    shape: Shape,
    is_required: bool,
}

impl Field {
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// A field that must be there.
pub(super) const fn required(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        is_required: true,
    }
}

/// A field that may be absent or null.
pub(super) const fn optional(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        is_required: false,
    }
}

/// More than any table has fields.
const MOST_FIELDS: usize = 24;

/// Where the values of an object's known fields stand, in the order of its table. A null of an optional field is none.
pub(super) type Found = [Option<Range<usize>>; MOST_FIELDS];

/// What a value needs and has not. Where it stands is left in the checker: errors are large, and each level that hands one
/// on would be code to move it.
pub(super) type Fault = &'static str;

type Checked = Result<(), Fault>;

/// A step on the way to a fault.
enum Step<'a> {
    Member(&'static str),
    Key(RawStr<'a>),
    Item(usize),
}

/// A walk over one text that was checked to be JSON.
pub(super) struct Checker<'a> {
    text: &'a [u8],
    /// The way to the fault that was found, from the inside out.
    way: Vec<Step<'a>>,
    /// Secret arguments that hold more than their `type`, in the order of the text.
    pub leaks: Vec<Range<usize>>,
}

impl<'a> Checker<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            way: Vec::new(),
            leaks: Vec::new(),
        }
    }

    /// The text at `at`.
    pub fn slice(&self, at: &Range<usize>) -> &'a [u8] {
        self.text.get(at.clone()).unwrap_or_default()
    }

    /// The refusal for a fault that was found.
    #[cold]
    pub fn error(&self, fault: Fault) -> TranscriptError {
        self.way
            .iter()
            .fold(invalid(fault), |error, step| match step {
                Step::Member(name) => error.in_member(name),
                Step::Key(key) => error.in_member(&key_segment(*key)),
                Step::Item(index) => error.in_item(*index),
            })
    }

    #[cold]
    #[inline(never)]
    fn inside<T>(&mut self, step: Step<'a>, fault: Fault) -> Result<T, Fault> {
        self.way.push(step);
        Err(fault)
    }

    /// Checks the object at `at`, which is the member `name`, and finds its known fields.
    pub fn member(
        &mut self,
        name: &'static str,
        at: &Range<usize>,
        fields: &'static [Field],
    ) -> Result<Found, Fault> {
        let found = self.object(at, fields);
        found.or_else(|fault| self.inside(Step::Member(name), fault))
    }

    /// Checks the object at `at` and finds its known fields.
    #[inline(never)]
    pub fn object(&mut self, at: &Range<usize>, fields: &'static [Field]) -> Result<Found, Fault> {
        let found = self.find(at, fields)?;
        for (field, place) in fields.iter().zip(&found) {
            let checked = match place {
                Some(value) => self.value(value, &field.shape),
                None if field.is_required => Err("is missing"),
                None => Ok(()),
            };
            if let Err(fault) = checked {
                return self.inside(Step::Member(field.name), fault);
            }
        }
        Ok(found)
    }

    #[inline(never)]
    fn find(&self, at: &Range<usize>, fields: &'static [Field]) -> Result<Found, Fault> {
        let mut found = [const { None }; MOST_FIELDS];
        let mut reader = Reader::new(self.slice(at));
        if !reader.begin_object() {
            return Err("must be an object");
        }
        while let Some(key) = reader.next_key() {
            let is_null = reader.kind() == Some(Kind::Null);
            let Some(value) = reader.skip() else { break };
            let name = key.to_wtf8();
            let known = fields
                .iter()
                .position(|field| field.name.as_bytes() == &*name);
            if let Some(index) = known
                && let Some(place) = found.get_mut(index)
            {
                let is_given = fields[index].is_required || !is_null;
                *place = is_given.then(|| inside(at, value));
            }
        }
        Ok(found)
    }

    fn value(&mut self, at: &Range<usize>, shape: &Shape) -> Checked {
        let text = self.slice(at);
        let kind = Reader::new(text).kind();
        let is_string = kind == Some(Kind::String);
        let (holds, needs) = match *shape {
            Shape::Any => (true, ""),
            Shape::Text => (is_string, "must be a string"),
            Shape::Word => (is_string || is_native_variant(text), "must be a string"),
            Shape::Bool => (
                matches!(kind, Some(Kind::True | Kind::False)),
                "must be a boolean",
            ),
            Shape::Number => (kind == Some(Kind::Number), "must be a number"),
            Shape::Natural => (
                natural(text).is_some(),
                "must be an integer from 0 to 2^64 - 1",
            ),
            Shape::Integer => (is_integer(text), "must be an integer of 32 bits"),
            Shape::Time if kind == Some(Kind::Object) => {
                return self.object(at, &UNIX_TIME).map(drop);
            }
            Shape::Time => (is_timestamp(text), "must be an RFC 3339 timestamp"),
            Shape::Millis => (
                millis::read(text).is_some(),
                "must be a whole number of milliseconds",
            ),
            Shape::Duration => (
                millis::read_or_iso(text).is_some(),
                "must be a whole number of milliseconds or an ISO 8601 duration",
            ),
            Shape::Pair => (is_pair(text), "must be a pair of strings"),
            Shape::List(item) => return self.list(at, item),
            Shape::Map(value) => return self.map(at, value),
            Shape::Segment(fields) => {
                self.object(at, &ID)?;
                return self.object(at, fields).map(drop);
            }
            Shape::WordOr(_) | Shape::Loose(_) if is_string => (true, ""),
            Shape::Object(fields) | Shape::WordOr(fields) => {
                return self.object(at, fields).map(drop);
            }
            Shape::Loose(_) if self.find(at, &TAG)?[0].is_none() => (true, ""),
            Shape::Tagged(_) if is_native_variant(text) => (true, ""),
            Shape::Tagged(variants) | Shape::Loose(variants) => return self.tagged(at, variants),
        };
        if holds { Ok(()) } else { Err(needs) }
    }

    fn list(&mut self, at: &Range<usize>, item: &Shape) -> Checked {
        let mut reader = Reader::new(self.slice(at));
        if !reader.begin_array() {
            return Err("must be an array");
        }
        let mut index = 0;
        while reader.next_item()
            && let Some(value) = reader.skip()
        {
            if let Err(fault) = self.value(&inside(at, value), item) {
                return self.inside(Step::Item(index), fault);
            }
            index += 1;
        }
        Ok(())
    }

    fn map(&mut self, at: &Range<usize>, shape: &Shape) -> Checked {
        let mut reader = Reader::new(self.slice(at));
        if !reader.begin_object() {
            return Err("must be an object");
        }
        while let Some(key) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            if let Err(fault) = self.value(&inside(at, value), shape) {
                return self.inside(Step::Key(key), fault);
            }
        }
        Ok(())
    }

    fn tagged(&mut self, at: &Range<usize>, variants: &'static [Variant]) -> Checked {
        let found = self.object(at, &TAG)?;
        let tag = found[0].as_ref().map(|tag| self.slice(tag));
        let known = tag
            .and_then(|tag| Reader::new(tag).string())
            .and_then(|tag| variants.iter().find(|(name, _)| tag.eq_str(name)));
        let Some((name, fields)) = known else {
            return Ok(());
        };
        if *name == "secret" && has_several_keys(self.slice(at)) {
            self.leaks.push(at.clone());
        }
        self.object(at, fields).map(drop)
    }
}

static TAG: [Field; 1] = [required("type", Shape::Text)];
static ID: [Field; 1] = [required("id", Shape::Natural)];
static UNIX_TIME: [Field; 2] = [
    required("unix_secs", Shape::Natural),
    required("nanos", Shape::Natural),
];

/// Checks the one object of a text, and gives the values of the fields of `table` in its order.
pub(super) fn values<'a, const N: usize>(
    text: &'a [u8],
    table: &'static [Field; N],
) -> Result<[Option<&'a [u8]>; N], TranscriptError> {
    let mut values = [None; N];
    find_values(text, table, &mut values)?;
    Ok(values)
}

/// One function for all numbers of fields, which is not copied to wherever it is called: size counts here.
#[inline(never)]
fn find_values<'a>(
    text: &'a [u8],
    table: &'static [Field],
    values: &mut [Option<&'a [u8]>],
) -> Result<(), TranscriptError> {
    let mut checker = Checker::new(text);
    let found = checker.object(&(0..text.len()), table);
    let found = found.map_err(|fault| checker.error(fault))?;
    for (value, place) in values.iter_mut().zip(&found) {
        *value = place.as_ref().map(|at| checker.slice(at));
    }
    Ok(())
}

/// The refusal of a value that is not what it has to be.
#[cold]
pub(super) fn invalid(needs: &'static str) -> TranscriptError {
    TranscriptError::new(TranscriptCode::Invalid, needs)
}

fn inside(outer: &Range<usize>, inner: Range<usize>) -> Range<usize> {
    outer.start + inner.start..outer.start + inner.end
}

/// A key as part of a path: `["a/b"]`.
pub(super) fn key_segment(key: RawStr<'_>) -> String {
    let mut segment = b"[".to_vec();
    key.write_respelled(&mut segment);
    segment.push(b']');
    String::from_utf8_lossy(&segment).into_owned()
}

fn has_several_keys(object: &[u8]) -> bool {
    let mut reader = Reader::new(object);
    reader.begin_object();
    let mut has_key = || reader.next_key().is_some() && reader.skip().is_some();
    has_key() && has_key()
}

/// An integer of 64 bits without a sign, if the text is nothing but its digits.
pub(super) fn natural(text: &[u8]) -> Option<u64> {
    core::str::from_utf8(text).ok()?.parse().ok()
}

fn is_integer(text: &[u8]) -> bool {
    core::str::from_utf8(text).is_ok_and(|text| text != "-0" && text.parse::<i32>().is_ok())
}

fn is_pair(text: &[u8]) -> bool {
    let mut reader = Reader::new(text);
    reader.begin_array()
        && reader.next_item()
        && reader.string().is_some()
        && reader.next_item()
        && reader.string().is_some()
        && !reader.next_item()
        && !reader.is_broken()
}

fn is_timestamp(text: &[u8]) -> bool {
    let string = Reader::new(text).string();
    string.is_some_and(|string| time::parse_rfc3339(&string.to_wtf8()).is_some())
}

/// Whether a string begins with a capital, as the names of native variants do and none of the document's.
pub(super) fn is_capitalised(name: RawStr<'_>) -> bool {
    name.to_wtf8().first().is_some_and(u8::is_ascii_uppercase)
}

/// Whether this is `"Later"` or `{"Later": …}`.
fn is_native_variant(text: &[u8]) -> bool {
    let mut reader = Reader::new(text);
    let name = if reader.begin_object() {
        let name = reader.next_key();
        let is_only = reader.skip().is_some() && reader.next_key().is_none();
        name.filter(|_| is_only)
    } else {
        reader.string()
    };
    name.is_some_and(is_capitalised)
}
