//! The members of an object, by name, and which of them were taken.

use std::borrow::Cow;

use super::fault::{Fault, invalid};
use super::shape::{Field, Form, Value};
use crate::json::{Kind, RawStr, Reader};

/// The members of an object in their order. What no table takes is unknown and is carried over.
#[derive(Default)]
pub(super) struct Members<'a>(Vec<Member<'a>>);

pub(super) struct Member<'a> {
    pub name: RawStr<'a>,
    /// JSON text.
    pub value: &'a [u8],
    is_taken: bool,
}

impl<'a> Members<'a> {
    /// The members of an object.
    ///
    /// # Errors
    /// `invalid` for what is no object.
    pub fn read(text: &'a [u8]) -> Result<Self, Fault> {
        let mut reader = Reader::new(text);
        if !reader.begin_object() {
            return Err(invalid("must be an object"));
        }
        let mut members = Vec::new();
        while let Some(name) = reader.next_key() {
            let value = reader.skip().and_then(|range| text.get(range));
            members.push(Member {
                name,
                value: value.unwrap_or_default(),
                is_taken: false,
            });
        }
        Ok(Self(members))
    }

    /// The fields of a struct. The native form of one may be an array of its fields in their order; those at the end may
    /// be missing as far as they may be missing by name.
    ///
    /// # Errors
    /// `invalid` for anything else, and for an array with more items than fields.
    pub fn read_struct(
        text: &'a [u8],
        fields: &'static [Field],
        form: Form,
    ) -> Result<Self, Fault> {
        if form == Form::Document {
            return Self::read(text);
        }
        let mut names = Vec::new();
        native_names(fields, &mut names);
        Self::read_named(text, &names)
    }

    /// The members of an object, or of an array of the values of these.
    ///
    /// # Errors
    /// As [`Self::read_struct`].
    pub fn read_named(text: &'a [u8], names: &[&'static str]) -> Result<Self, Fault> {
        if kind_of(text) != Some(Kind::Array) {
            return Self::read(text);
        }
        let values = items(text);
        if values.len() > names.len() {
            return Err(invalid("has too many items"));
        }
        let named = values.into_iter().zip(names);
        let members = named.map(|(value, name)| Member {
            name: RawStr::from_escaped(name.as_bytes()),
            value,
            is_taken: false,
        });
        Ok(Self(members.collect()))
    }

    /// The value of a member, which is then taken.
    ///
    /// # Errors
    /// `invalid` for a member that is there twice.
    pub fn take(&mut self, name: &str) -> Result<Option<&'a [u8]>, Fault> {
        let mut found = None;
        for member in self.0.iter_mut().filter(|member| member.name.eq_str(name)) {
            if found.is_some() {
                return Err(invalid("is there twice").in_member(name));
            }
            member.is_taken = true;
            found = Some(member.value);
        }
        Ok(found)
    }

    /// The value of a member, without taking it.
    pub fn peek(&self, name: &str) -> Option<&'a [u8]> {
        let found = self.0.iter().find(|member| member.name.eq_str(name));
        found.map(|member| member.value)
    }

    /// The one member of an object that has no other.
    pub fn only(&self) -> Option<&Member<'a>> {
        match &self.0[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The members that were not taken.
    pub fn rest(&self) -> impl Iterator<Item = &Member<'a>> {
        self.0.iter().filter(|member| !member.is_taken)
    }
}

/// The names of a native struct in the order of its fields.
fn native_names(fields: &'static [Field], names: &mut Vec<&'static str>) {
    for field in fields {
        match field.value {
            Value::Group(fields) => native_names(fields, names),
            Value::Only(_) | Value::NoPath => {}
            _ => names.push(field.native),
        }
    }
}

/// The items of an array, as JSON text; none for what is no array.
pub(super) fn items(list: &[u8]) -> Vec<&[u8]> {
    let mut items = Vec::new();
    let mut reader = Reader::new(list);
    if reader.begin_array() {
        while reader.next_item() {
            let item = reader.skip().and_then(|range| list.get(range));
            items.push(item.unwrap_or_default());
        }
    }
    items
}

/// Whether a JSON text is an object, a list or a string. Values are looked at without the white space around them.
pub(super) fn kind_of(text: &[u8]) -> Option<Kind> {
    match text.first()? {
        b'{' => Some(Kind::Object),
        b'[' => Some(Kind::Array),
        b'"' => Some(Kind::String),
        _ => None,
    }
}

/// A string's characters, still escaped.
///
/// # Errors
/// `invalid` for what is no string.
pub(super) fn string(text: &[u8]) -> Result<RawStr<'_>, Fault> {
    match text {
        [b'"', escaped @ .., b'"'] => Ok(RawStr::from_escaped(escaped)),
        _ => Err(invalid("must be a string")),
    }
}

/// A name as a path shows it.
pub(super) fn shown(name: RawStr<'_>) -> Cow<'_, str> {
    String::from_utf8_lossy(name.escaped())
}
