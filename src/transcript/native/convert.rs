//! Conversion by table, in both directions.
//!
//! A [`Converter`] walks a text along the tables, never deeper than they are, and copies what both forms share. Parts that no
//! table names are copied as they stand.

use super::fault::{Fault, invalid};
use super::members::{Member, Members, items, kind_of, shown, string};
use super::numbers;
use super::shape::{Field, Fields, Form, Value, has_member};
use crate::json::{Kind, RawStr};
use crate::transcript::error::TranscriptCode;

pub(super) type Done = Result<(), Fault>;
/// Whether a value was written. If not, the other form has no way to say it, and what was appended is to be undone.
pub(super) type Written = Result<bool, Fault>;

/// One conversion of one text.
pub(super) struct Converter {
    /// The form that is read; the other one is written.
    pub from: Form,
    /// The places of records that were left out.
    pub left_out: Vec<usize>,
}

impl Converter {
    pub fn new(from: Form) -> Self {
        Self {
            from,
            left_out: Vec::new(),
        }
    }

    pub fn to(&self) -> Form {
        match self.from {
            Form::Native => Form::Document,
            Form::Document => Form::Native,
        }
    }

    pub fn is_to_native(&self) -> bool {
        self.from == Form::Document
    }

    /// Appends the converted value.
    pub fn value(&mut self, value: &'static Value, text: &[u8], out: &mut Vec<u8>) -> Written {
        match value {
            Value::Text => copy_string(text, out)?,
            Value::Bool if matches!(text, b"true" | b"false") => put(text, out),
            Value::Bool => return Err(invalid("must be true or false")),
            Value::Whole(bits) => {
                numbers::whole(text, *bits)?;
                put(text, out);
            }
            Value::Signed => {
                numbers::check_signed(text)?;
                put(text, out);
            }
            Value::Double => numbers::double(text, self.from, out)?,
            Value::Any => copy(text, out)?,
            Value::List(item) => self.list(item, text, &[], out)?,
            Value::PerRecord(item) => {
                let left_out = core::mem::take(&mut self.left_out);
                let done = self.list(item, text, &left_out, out);
                self.left_out = left_out;
                done?;
            }
            Value::Records => self.records(text, out)?,
            Value::Pair(item) => {
                if items(text).len() != 2 {
                    return Err(invalid("must be a list of two"));
                }
                self.list(item, text, &[], out)?;
            }
            Value::Map(item) => self.map(item, text, out)?,
            Value::OrNull(_) if text == b"null" => put(text, out),
            Value::OrNull(value) => return self.value(value, text, out),
            Value::Object(fields) => {
                let mut members = Members::read_struct(text, fields, self.from)?;
                self.object(fields, &mut members, out)?;
            }
            Value::Keyed(choice) => return self.choice(choice, false, text, out),
            Value::Tagged(choice) => return self.choice(choice, true, text, out),
            Value::Time => numbers::time(text, self.from, out)?,
            Value::Record => return self.record(text, out),
            // These are fields, and `field` sees to them.
            _ => return Err(invalid("has no value")),
        }
        Ok(true)
    }

    /// Appends the object of a struct, unknown members included.
    pub fn object(&mut self, fields: Fields, source: &mut Members<'_>, out: &mut Vec<u8>) -> Done {
        put(b"{", out);
        self.fields(fields, source, out)?;
        self.carry_over(fields, false, source, out)?;
        put(b"}", out);
        Ok(())
    }

    /// Appends the members of a struct to the object that is open in `out`.
    pub fn fields(&mut self, fields: Fields, source: &mut Members<'_>, out: &mut Vec<u8>) -> Done {
        for field in fields {
            match &field.value {
                Value::Only(_) if self.is_to_native() => {}
                Value::Only(text) => {
                    write_name(field.document, out);
                    put(text.as_bytes(), out);
                }
                Value::Flat(choice) => self.flat(field, choice, source, out)?,
                Value::Inline(inner) => self.inline(field, inner, source, out)?,
                Value::Group(inner) => self.group(field, inner, source, out)?,
                Value::Duration => self.duration(field, source, out)?,
                Value::Marker => self.marker(field, source, out)?,
                Value::Summary(_) => self.summary(field, source, out)?,
                Value::ImagePath => self.image_path(field, source, out)?,
                Value::NoPath => self.no_path(field, source, out)?,
                _ => self.field(field, source, out)?,
            }
        }
        Ok(())
    }

    /// Appends a field that is one member in both forms.
    pub fn field(
        &mut self,
        field: &'static Field,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let start = out.len();
        write_name(field.name(self.to()), out);
        self.field_value(field, &field.value, source, out)?;
        let (left_out, rule) = (&out[start..], field.rule);
        let left_out = match self.to() {
            Form::Native => rule.left_out_natively,
            Form::Document => rule.left_out,
        }
        .is_some_and(|default| {
            left_out
                .strip_suffix(default.as_bytes())
                .is_some_and(|name| name.ends_with(b":"))
        });
        if left_out {
            out.truncate(start);
        }
        Ok(())
    }

    /// Appends the value of a field that is one member in the form that is read.
    pub fn field_value(
        &mut self,
        field: &'static Field,
        value: &'static Value,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let name = field.name(self.from);
        let text = self.given(field, source)?;
        let start = out.len();
        if text == b"null" && field.rule.nullable {
            put(text, out);
            return Ok(());
        }
        let written = self.value(value, text, out);
        if written.map_err(|fault| fault.in_member(name))? {
            return Ok(());
        }
        out.truncate(start);
        if !field.rule.nullable {
            return Err(inexpressible().in_member(name));
        }
        put(b"null", out);
        Ok(())
    }

    /// What the source says in a field, or what its absence stands for.
    pub fn given<'a>(&self, field: &Field, source: &mut Members<'a>) -> Result<&'a [u8], Fault> {
        let name = field.name(self.from);
        let found = source.take(name)?;
        let absent = match self.from {
            Form::Native => field.rule.native,
            Form::Document => field.rule.document,
        };
        match (found, absent) {
            // To a document, null is the same as missing, except where any JSON may stand.
            (Some(b"null"), Some(text)) if self.is_to_native() => Ok(text.as_bytes()),
            (Some(text), _) => Ok(text),
            (None, Some(text)) => Ok(text.as_bytes()),
            (None, None) => Err(invalid("is missing").in_member(name)),
        }
    }

    /// Appends a list without its items at `left_out`, places in rising order, and without those that cannot be said.
    fn list(
        &mut self,
        item: &'static Value,
        text: &[u8],
        mut left_out: &[usize],
        out: &mut Vec<u8>,
    ) -> Done {
        if kind_of(text) != Some(Kind::Array) {
            return Err(invalid("must be a list"));
        }
        put(b"[", out);
        for (index, text) in items(text).into_iter().enumerate() {
            if let Some((first, behind)) = left_out.split_first()
                && *first == index
            {
                left_out = behind;
                continue;
            }
            let start = out.len();
            separate(b'[', out);
            let written = self.value(item, text, out);
            if !written.map_err(|fault| fault.in_item(index))? {
                out.truncate(start);
                if matches!(item, Value::Record) {
                    self.left_out.push(index);
                }
            }
        }
        put(b"]", out);
        Ok(())
    }

    fn records(&mut self, text: &[u8], out: &mut Vec<u8>) -> Done {
        self.list(&Value::Record, text, &[], out)
    }

    fn map(&mut self, item: &'static Value, text: &[u8], out: &mut Vec<u8>) -> Done {
        let members = Members::read(text)?;
        put(b"{", out);
        for member in members.rest() {
            let start = out.len();
            copy_name(member.name, out).map_err(|fault| fault.in_member(&shown(member.name)))?;
            let written = self.value(item, member.value, out);
            if !written.map_err(|fault| fault.in_member(&shown(member.name)))? {
                out.truncate(start);
            }
        }
        put(b"}", out);
        Ok(())
    }
}

/// The document's member for unknown native fields whose names mean something else there.
const NATIVE_EXT: &str = "native_ext";

impl Converter {
    /// Appends the members that nobody took. `is_tagged` says whether the object of the document has a `type` of its own.
    pub fn carry_over(
        &self,
        fields: Fields,
        is_tagged: bool,
        source: &Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let is_native = |name| self.is_to_native() && has_member(fields, Form::Native, name);
        let is_taken = |name: RawStr<'_>| {
            name.eq_str(NATIVE_EXT)
                || is_tagged && name.eq_str("type")
                || has_member(fields, Form::Document, name)
        };
        let mut apart = Vec::new();
        for member in source.rest() {
            if is_taken(member.name) {
                apart.push(member);
            } else if !is_native(member.name) {
                copy_member(member, out)?;
            }
        }
        if !self.is_to_native() && !apart.is_empty() {
            write_name(NATIVE_EXT, out);
            put(b"{", out);
            for member in apart {
                copy_member(member, out)?;
            }
            put(b"}", out);
            return Ok(());
        }
        for member in apart {
            if member.name.eq_str(NATIVE_EXT) {
                let hidden = Members::read(member.value).unwrap_or_default();
                for member in hidden.rest() {
                    if !is_native(member.name) {
                        copy_member(member, out)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Closes the object whose members begin at `empty`, or takes it back to `start`, where its name begins.
pub(super) fn close_unless_empty(start: usize, empty: usize, out: &mut Vec<u8>) {
    if out.len() == empty {
        out.truncate(start);
    } else {
        put(b"}", out);
    }
}

/// Appends a member as it stands.
fn copy_member(member: &Member<'_>, out: &mut Vec<u8>) -> Done {
    copy_name(member.name, out)
        .and_then(|()| copy(member.value, out))
        .map_err(|fault| fault.in_member(&shown(member.name)))
}

/// Appends text. A call is shorter than what it does, and there are many.
#[inline(never)]
pub(super) fn put(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
}

/// Appends a comma, unless the container has just been opened.
fn separate(opening: u8, out: &mut Vec<u8>) {
    if out.last() != Some(&opening) {
        put(b",", out);
    }
}

/// Appends the name of the next member of the object that is open.
pub(super) fn write_name(name: &str, out: &mut Vec<u8>) {
    separate(b'{', out);
    put(b"\"", out);
    put(name.as_bytes(), out);
    put(b"\":", out);
}

fn copy_name(name: RawStr<'_>, out: &mut Vec<u8>) -> Done {
    separate(b'{', out);
    put(b"\"", out);
    copy(name.escaped(), out)?;
    put(b"\":", out);
    Ok(())
}

pub(super) fn copy_string(text: &[u8], out: &mut Vec<u8>) -> Done {
    string(text)?;
    copy(text, out)
}

/// Copies JSON text as it stands. The native form has no halves of surrogate pairs: its reader refuses a text with one.
pub(super) fn copy(text: &[u8], out: &mut Vec<u8>) -> Done {
    // Backslashes stand in strings only, so that a whole value can be looked at as if it were one.
    if !RawStr::from_escaped(text).is_well_formed() {
        let message = "has half a surrogate pair, which the native form cannot express";
        return Err(Fault::new(TranscriptCode::LoneSurrogate, message));
    }
    put(text, out);
    Ok(())
}

#[cold]
pub(super) fn inexpressible() -> Fault {
    let message = "has no counterpart in the native form";
    Fault::new(TranscriptCode::Unsupported, message)
}
