//! What the tables are made of: a record's fields by their names in both forms, and what stands in them.
//!
//! A table lists fields in the order in which the native form declares them, because the native form may also be an array
//! of its fields in that order.

use crate::json::RawStr;

/// The forms of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// What the program persists (spec 3-transcript.md, section 2).
    Native,
    /// What this crate keeps (section 1).
    Document,
}

/// The fields of a struct.
pub(super) type Fields = &'static [Field];

/// One field of a native struct, or what the document has in its place.
pub(super) struct Field {
    /// Its name in the native form; empty if only the document has it.
    pub native: &'static str,
    /// Its name in the document.
    pub document: &'static str,
    pub value: Value,
    pub rule: &'static Rule,
}

impl Field {
    /// A field that has its own name in each form.
    pub const fn new(
        native: &'static str,
        document: &'static str,
        value: Value,
        rule: &'static Rule,
    ) -> Self {
        Self {
            native,
            document,
            value,
            rule,
        }
    }

    /// A field that has the same name in both.
    pub const fn same(name: &'static str, value: Value, rule: &'static Rule) -> Self {
        Self::new(name, name, value, rule)
    }

    /// A field of the document that the native form never had; the document is given this JSON text.
    pub const fn only(name: &'static str, text: &'static str) -> Self {
        Self::new("", name, Value::Only(text), &REQUIRED)
    }

    pub const fn name(&self, form: Form) -> &'static str {
        match form {
            Form::Native => self.native,
            Form::Document => self.document,
        }
    }
}

/// What stands in a field.
pub(super) enum Value {
    // ---- The same in both forms.
    Text,
    Bool,
    /// An unsigned integer of so many bits.
    Whole(u32),
    /// A signed integer of 32 bits.
    Signed,
    /// A finite double.
    Double,
    /// Any JSON, null included; kept as it is written.
    Any,
    List(&'static Value),
    /// A list of exactly two.
    Pair(&'static Value),
    /// An object whose keys are data.
    Map(&'static Value),
    /// Null, or this.
    OrNull(&'static Value),
    // ---- The same shape under other names.
    Object(Fields),
    /// `"X"` or `{"X": …}` in both forms.
    Keyed(&'static Enum),
    /// `"X"` or `{"X": …}` natively, `{type: "x", …}` in the document.
    Tagged(&'static Enum),
    Time,
    Record,
    /// The records of a snapshot. Those that the native form cannot express are left out.
    Records,
    /// A list parallel to the records: what belongs to a record that is left out is so too.
    PerRecord(&'static Value),
    // ---- Fields that are not one member in each form. They stand in tables of fields only.
    /// As [`Field::only`] says.
    Only(&'static str),
    /// A native enum whose variant's fields stand beside the variant's name in the document.
    Flat(&'static Enum),
    /// A native struct whose fields stand in the enclosing object of the document.
    Inline(Fields),
    /// Native fields that have an object of their own in the document.
    Group(Fields),
    /// A duration: whole milliseconds in the document, and beside them, under the native name, the exact one where they lose
    /// something.
    Duration,
    /// What stands before a bullet.
    Marker,
    /// A value that may be null natively; the document has an empty list then, and a mark.
    Summary(&'static Value),
    /// The path of an image, which may be null natively.
    ImagePath,
    /// The mark in an image's metadata that there is no path.
    NoPath,
}

/// When a field may be missing. `None` stands for "never".
pub(super) struct Rule {
    /// The native JSON text that a missing native field stands for.
    pub native: Option<&'static str>,
    /// The document's JSON text that a missing field of a document stands for. Null is the same as missing there.
    pub document: Option<&'static str>,
    /// Whether a native field may be null.
    pub nullable: bool,
    /// The text that the native form leaves out.
    pub left_out_natively: Option<&'static str>,
    /// The text that the document leaves out.
    pub left_out: Option<&'static str>,
}

impl Rule {
    const fn new(native: Option<&'static str>, document: Option<&'static str>) -> Self {
        Self {
            native,
            document,
            nullable: false,
            left_out_natively: None,
            left_out: None,
        }
    }

    /// An extension of the document, which is left out where it says no more than if it were missing.
    const fn extension(native: Option<&'static str>, document: &'static str) -> Self {
        Self {
            left_out: Some(document),
            ..Self::new(native, Some(document))
        }
    }
}

/// Always there, in both forms.
pub(super) static REQUIRED: Rule = Rule::new(None, None);
/// Null where there is nothing, in both forms.
pub(super) static OPTIONAL: Rule = Rule {
    nullable: true,
    ..Rule::new(Some("null"), Some("null"))
};
/// Null natively and left out of the document where there is nothing.
pub(super) static EXTENSION: Rule = Rule {
    nullable: true,
    ..Rule::extension(Some("null"), "null")
};
/// Left out of both forms where there is nothing.
pub(super) static ABSENT: Rule = Rule {
    nullable: true,
    left_out_natively: Some("null"),
    ..Rule::extension(Some("null"), "null")
};
/// Left out of both forms where it has no entries.
pub(super) static ABSENT_MAP: Rule = Rule {
    left_out_natively: Some("{}"),
    ..Rule::extension(Some("{}"), "{}")
};
/// An extension that older native texts do not have, by what it then is.
pub(super) static LATER_LIST: Rule = Rule::extension(Some("[]"), "[]");
pub(super) static LATER_FALSE: Rule = Rule::extension(Some("false"), "false");
pub(super) static LATER_ZERO: Rule = Rule::extension(Some("0"), "0");
/// An extension that every native text has.
pub(super) static EXTENSION_LIST: Rule = Rule::extension(None, "[]");
pub(super) static EXTENSION_ZERO: Rule = Rule::extension(None, "0");
/// Written in both forms, but not asked for in either.
pub(super) static OR_FALSE: Rule = Rule::new(Some("false"), Some("false"));
pub(super) static OR_LIST: Rule = Rule::new(Some("[]"), Some("[]"));
pub(super) static OR_MAP: Rule = Rule::new(Some("{}"), Some("{}"));
/// Written in both forms, but not asked for natively.
pub(super) static NATIVE_OR_FALSE: Rule = Rule::new(Some("false"), None);
pub(super) static NATIVE_OR_ZERO: Rule = Rule::new(Some("0"), None);
/// Written in both forms, but not asked for in the document.
pub(super) static DOCUMENT_OR_FALSE: Rule = Rule::new(None, Some("false"));
pub(super) static DOCUMENT_OR_ZERO: Rule = Rule::new(None, Some("0"));
pub(super) static DOCUMENT_OR_EMPTY: Rule = Rule::new(None, Some("\"\""));
pub(super) static DOCUMENT_OR_DASH: Rule = Rule::new(None, Some("\"-\""));
pub(super) static DOCUMENT_OR_RUN: Rule = Rule::new(None, Some("\"run\""));
pub(super) static DOCUMENT_OR_FALLBACK: Rule =
    Rule::new(None, Some("{\"type\":\"fallback\",\"text\":\"\"}"));
/// Null natively where there is nothing, and always there in the document, which has its own mark for that.
pub(super) static NATIVE_OPTIONAL: Rule = Rule {
    nullable: true,
    ..Rule::new(Some("null"), None)
};
/// Text that one of a type's spellings does not have (2.4). The native form cannot be without it.
pub(super) static SOMETIMES: Rule = Rule {
    nullable: true,
    left_out: Some("null"),
    ..Rule::new(Some("null"), Some("\"\""))
};

/// An enum of the native form.
pub(super) struct Enum {
    pub variants: &'static [Variant],
    /// Whether native names are in snake_case; all others begin with a capital.
    pub is_snake: bool,
    /// Whether the type has several spellings, all of which are read in either form (2.4).
    pub is_tolerant: bool,
    /// For [`Value::Flat`]: the member that the document has as null for variants without it.
    pub or_null: Option<&'static str>,
}

impl Enum {
    pub const fn new(variants: &'static [Variant]) -> Self {
        Self {
            variants,
            is_snake: false,
            is_tolerant: false,
            or_null: None,
        }
    }
}

/// One variant of an enum. Where two have the same name in one form, the first is what the other form is given.
pub(super) struct Variant {
    pub native: &'static str,
    pub document: &'static str,
    pub body: Body,
}

impl Variant {
    /// A variant that is its name and nothing else.
    pub const fn word(native: &'static str, document: &'static str) -> Self {
        Self::new(native, document, Body::Nothing)
    }

    pub const fn new(native: &'static str, document: &'static str, body: Body) -> Self {
        Self {
            native,
            document,
            body,
        }
    }

    pub const fn name(&self, form: Form) -> &'static str {
        match form {
            Form::Native => self.native,
            Form::Document => self.document,
        }
    }
}

/// What a variant carries.
pub(super) enum Body {
    Nothing,
    Fields(Fields),
    /// One value without a name natively; where the document has a tag, it stands under this name.
    One(&'static str, Value),
}

/// Whether a struct, or anything that shares an object with it, has a member of this name in this form.
pub(super) fn has_member(fields: Fields, form: Form, name: RawStr<'_>) -> bool {
    let is_document = form == Form::Document;
    fields.iter().any(|field| {
        match field.value {
            Value::Group(fields) if !is_document => return has_member(fields, form, name),
            _ if !field.name(form).is_empty() && name.eq_str(field.name(form)) => return true,
            _ if !is_document => return false,
            _ => {}
        }
        match field.value {
            Value::Duration => name.eq_str(field.native),
            Value::Marker => name.eq_str(MARKER_CUSTOM),
            Value::Summary(_) => name.eq_str(NO_SUMMARY),
            Value::Inline(fields) => {
                name.eq_str(&extension_name(field)) || has_member(fields, form, name)
            }
            Value::Flat(choice) => {
                name.eq_str(&extension_name(field))
                    || choice.variants.iter().any(|variant| match variant.body {
                        Body::Fields(fields) => has_member(fields, form, name),
                        _ => false,
                    })
            }
            _ => false,
        }
    })
}

/// The document's member for the unknown fields of a native struct that has no object of its own there.
pub(super) fn extension_name(field: &Field) -> String {
    let mut name = field.document.to_owned();
    name.push_str("_ext");
    name
}

/// Says that a bullet's marker is a custom text although it looks like another one.
pub(super) const MARKER_CUSTOM: &str = "marker_custom";
/// Says that a section has no summary rather than an empty one.
pub(super) const NO_SUMMARY: &str = "no_summary";
