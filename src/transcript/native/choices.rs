//! Enums: `"X"` and `{"X": …}`, or an object with a `type`, or a name whose fields stand beside it.
//!
//! What is not known is kept where the form to be written can hold it. The name of an unknown native variant is recognised by
//! its capital, which no name of the document has: it is copied in both directions. Other unknown variants have no native
//! counterpart.

use super::convert::{
    Converter, Done, Written, close_unless_empty, copy, inexpressible, put, write_name,
};
use super::fault::{Fault, invalid};
use super::members::{Members, kind_of, shown, string};
use super::shape::{Body, Enum, Field, Fields, Form, Variant, extension_name};
use crate::json::{Kind, RawStr, write_string};
use crate::transcript::shape::is_capitalised;

/// A variant as it stands in a text.
pub(super) struct Given<'a> {
    pub name: RawStr<'a>,
    pub carried: Carried<'a>,
}

pub(super) enum Carried<'a> {
    /// `"X"`
    Nothing,
    /// `{"X": …}`
    Value(&'a [u8]),
    /// `{"type": "x", …}`, without the type.
    Members(Members<'a>),
}

impl<'a> Given<'a> {
    /// Reads a variant.
    ///
    /// # Errors
    /// `invalid` for what is no variant in any spelling.
    pub fn read(text: &'a [u8], reads_tags: bool) -> Result<Self, Fault> {
        let no_variant = || invalid("must be the name of a variant, or an object of one");
        match kind_of(text) {
            Some(Kind::String) => Ok(Self {
                name: string(text)?,
                carried: Carried::Nothing,
            }),
            Some(Kind::Object) => {
                let mut members = Members::read(text)?;
                if reads_tags && let Some(tag) = members.take("type")? {
                    return Ok(Self {
                        name: string(tag).map_err(|fault| fault.in_member("type"))?,
                        carried: Carried::Members(members),
                    });
                }
                let only = members.only().ok_or_else(no_variant)?;
                Ok(Self {
                    name: only.name,
                    carried: Carried::Value(only.value),
                })
            }
            _ => Err(no_variant()),
        }
    }
}

impl Converter {
    /// Appends an enum. `is_tagged` says whether the document writes it as an object with a `type`.
    pub fn choice(
        &mut self,
        choice: &'static Enum,
        is_tagged: bool,
        text: &[u8],
        out: &mut Vec<u8>,
    ) -> Written {
        let reads_tags = is_tagged && self.is_to_native() || choice.is_tolerant;
        let given = Given::read(text, reads_tags)?;
        let Some(variant) = self.find(choice, given.name) else {
            return self.unknown(choice, &given, text, out);
        };
        let as_members = is_tagged && !self.is_to_native();
        let is_word = !as_members && matches!(variant.body, Body::Nothing);
        let name = variant.name(self.to());
        if as_members {
            put(b"{", out);
            write_name("type", out);
            write_string(out, name);
        } else if is_word {
            write_string(out, name);
        } else {
            put(b"{", out);
            write_name(name, out);
        }
        let is_named = matches!(given.carried, Carried::Value(_));
        let written = match self.body(choice, variant, given.carried, as_members, out) {
            Err(fault) if is_named => Err(fault.in_member(&shown(given.name))),
            written => written,
        }?;
        if !is_word {
            put(b"}", out);
        }
        Ok(written)
    }

    /// Appends what a variant carries: as members of the open object, or as the value of its name.
    fn body(
        &mut self,
        choice: &Enum,
        variant: &'static Variant,
        carried: Carried<'_>,
        as_members: bool,
        out: &mut Vec<u8>,
    ) -> Written {
        match (&variant.body, carried) {
            (Body::Nothing, Carried::Nothing | Carried::Value(b"null")) => Ok(true),
            // One spelling of a deletion says what was deleted (2.4). A secret is no such type: whatever came with it stays
            // behind.
            (Body::Nothing, Carried::Value(text)) if choice.is_tolerant => {
                self.only_unknown(Members::read(text)?, as_members, out)
            }
            (Body::Nothing, Carried::Members(members)) => {
                self.only_unknown(members, as_members && choice.is_tolerant, out)
            }
            (Body::Nothing, Carried::Value(_)) => Err(invalid("must be null")),
            (_, Carried::Nothing) => Err(invalid("must be an object of a variant")),
            (Body::Fields(fields), Carried::Value(text)) => {
                let members = Members::read_struct(text, fields, self.from)?;
                self.struct_body(fields, members, as_members, out)
            }
            (Body::Fields(fields), Carried::Members(members)) => {
                self.struct_body(fields, members, as_members, out)
            }
            (Body::One(name, value), carried) => {
                let text = match carried {
                    Carried::Members(mut members) => members.take(name)?,
                    Carried::Value(text) => Some(text),
                    Carried::Nothing => None,
                };
                let text = text.ok_or_else(|| invalid("is missing").in_member(name))?;
                if as_members {
                    write_name(name, out);
                }
                self.value(value, text, out)
            }
        }
    }

    fn only_unknown(&self, members: Members<'_>, is_kept: bool, out: &mut Vec<u8>) -> Written {
        if is_kept {
            self.carry_over(&[], true, &members, out)?;
        }
        Ok(true)
    }

    fn struct_body(
        &mut self,
        fields: Fields,
        mut members: Members<'_>,
        as_members: bool,
        out: &mut Vec<u8>,
    ) -> Written {
        if as_members {
            self.fields(fields, &mut members, out)?;
            self.carry_over(fields, true, &members, out)?;
        } else {
            self.object(fields, &mut members, out)?;
        }
        Ok(true)
    }

    /// Appends an enum whose fields stand beside its name in the document.
    pub fn flat(
        &mut self,
        field: &'static Field,
        choice: &'static Enum,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let text = self.given(field, source)?;
        let start = out.len();
        let done = if self.is_to_native() {
            self.flat_to_native(field, choice, text, source, out)
        } else {
            self.flat_to_document(field, choice, text, out)
        };
        match done {
            Ok(true) => Ok(()),
            Ok(false) => {
                out.truncate(start);
                Err(inexpressible().in_member(field.name(self.from)))
            }
            Err(fault) => Err(fault),
        }
    }

    fn flat_to_document(
        &mut self,
        field: &'static Field,
        choice: &'static Enum,
        text: &[u8],
        out: &mut Vec<u8>,
    ) -> Written {
        let inside = |fault: Fault| fault.in_member(field.native);
        let given = Given::read(text, false).map_err(inside)?;
        write_name(field.document, out);
        let Some(variant) = self.find(choice, given.name) else {
            return self.unknown(choice, &given, text, out).map_err(inside);
        };
        write_string(out, variant.document);
        if let (Body::Fields(fields), Carried::Value(text)) = (&variant.body, &given.carried) {
            let inside = |fault: Fault| inside(fault.in_member(variant.native));
            let mut members = Members::read_struct(text, fields, self.from).map_err(inside)?;
            self.fields(fields, &mut members, out).map_err(inside)?;
            self.write_extension(field, fields, &members, out)?;
            return Ok(true);
        }
        self.body(choice, variant, given.carried, true, out)
            .map_err(inside)?;
        if let Some(name) = choice.or_null {
            write_name(name, out);
            put(b"null", out);
        }
        Ok(true)
    }

    fn flat_to_native(
        &mut self,
        field: &'static Field,
        choice: &'static Enum,
        text: &[u8],
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Written {
        let inside = |fault: Fault| fault.in_member(field.document);
        let extension = source.take(&extension_name(field))?;
        let given = Given::read(text, false).map_err(inside)?;
        write_name(field.native, out);
        let Some(variant) = self.find(choice, given.name) else {
            return self.unknown(choice, &given, text, out).map_err(inside);
        };
        let Body::Fields(fields) = &variant.body else {
            write_string(out, variant.native);
            return Ok(true);
        };
        put(b"{", out);
        write_name(variant.native, out);
        put(b"{", out);
        self.fields(fields, source, out)?;
        self.read_extension(fields, extension, out)?;
        put(b"}}", out);
        Ok(true)
    }

    /// Appends the unknown members of a struct that has no object of its own in the document.
    pub fn write_extension(
        &self,
        field: &Field,
        fields: Fields,
        members: &Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let start = out.len();
        write_name(&extension_name(field), out);
        put(b"{", out);
        let empty = out.len();
        self.carry_over(fields, false, members, out)?;
        close_unless_empty(start, empty, out);
        Ok(())
    }

    /// The variant of this name in the form that is read; of a type with several spellings, in any.
    fn find(&self, choice: &'static Enum, name: RawStr<'_>) -> Option<&'static Variant> {
        let variants = choice.variants.iter();
        let named = |form| {
            variants
                .clone()
                .find(|variant| name.eq_str(variant.name(form)))
        };
        let found = named(self.from);
        if choice.is_tolerant {
            return found.or_else(|| named(self.to()));
        }
        found
    }

    /// Appends a variant that no table knows, as it stands.
    fn unknown(
        &self,
        choice: &'static Enum,
        given: &Given<'_>,
        text: &[u8],
        out: &mut Vec<u8>,
    ) -> Written {
        let is_tag = matches!(given.carried, Carried::Members(_));
        let is_native = !is_tag && (choice.is_snake || is_capitalised(given.name));
        let is_of_other_form = || {
            let mut variants = choice.variants.iter();
            variants.any(|variant| given.name.eq_str(variant.name(self.to())))
        };
        // A name of the other form would come back as what it is there.
        if is_native && !is_of_other_form() {
            return copy(text, out).map(|()| true);
        }
        match self.from {
            Form::Native => Err(invalid("is no variant of this type")),
            Form::Document => Ok(false),
        }
    }
    /// Appends what [`Self::write_extension`] wrote to the native struct that is open.
    pub fn read_extension(&self, fields: Fields, text: Option<&[u8]>, out: &mut Vec<u8>) -> Done {
        match text {
            Some(text) if kind_of(text) == Some(Kind::Object) => {
                self.carry_over(fields, false, &Members::read(text)?, out)
            }
            _ => Ok(()),
        }
    }
}
