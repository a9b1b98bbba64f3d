//! Fields that are not one member in each form (spec 3-transcript.md, 1.2 and 2.3).

use super::choices::{Carried, Given};
use super::convert::{Converter, Done, copy, copy_string, inexpressible, put, write_name};
use super::fault::{Fault, invalid};
use super::members::{Members, string};
use super::numbers;
use super::shape::{Field, Fields, MARKER_CUSTOM, NO_SUMMARY, Value, extension_name};
use crate::json::RawStr;
use crate::transcript::shape::is_capitalised;

/// The member of an image's metadata that says that there is no path.
const NO_PATH: &str = "no_path";

impl Converter {
    /// A native struct whose fields stand in the enclosing object of the document.
    pub fn inline(
        &mut self,
        field: &'static Field,
        inner: &'static Fields,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        if self.is_to_native() {
            let extension = source.take(&extension_name(field))?;
            write_name(field.native, out);
            put(b"{", out);
            self.fields(inner, source, out)?;
            self.read_extension(inner, extension, out)?;
            put(b"}", out);
            return Ok(());
        }
        let text = self.given(field, source)?;
        let inside = |fault: Fault| fault.in_member(field.native);
        let mut members = Members::read_struct(text, inner, self.from).map_err(inside)?;
        self.fields(inner, &mut members, out).map_err(inside)?;
        self.write_extension(field, inner, &members, out)
            .map_err(inside)
    }

    /// Native fields that have an object of their own in the document. What else that object holds has no place natively.
    pub fn group(
        &mut self,
        field: &'static Field,
        inner: &'static Fields,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        if !self.is_to_native() {
            write_name(field.document, out);
            put(b"{", out);
            self.fields(inner, source, out)?;
            put(b"}", out);
            return Ok(());
        }
        let inside = |fault: Fault| fault.in_member(field.document);
        let mut members = match source.take(field.document)? {
            None | Some(b"null") => Members::default(),
            Some(text) => Members::read(text).map_err(inside)?,
        };
        self.fields(inner, &mut members, out).map_err(inside)
    }

    pub fn duration(
        &mut self,
        field: &'static Field,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let inside = |fault: Fault| fault.in_member(field.name(self.from));
        let text = self.given(field, source)?;
        write_name(field.name(self.to()), out);
        if !self.is_to_native() {
            if text == b"null" {
                put(text, out);
                return Ok(());
            }
            if let Some(exact) = numbers::write_millis(text, out).map_err(inside)? {
                write_name(field.native, out);
                put(&exact, out);
            }
            return Ok(());
        }
        let exact = source.take(field.native)?.filter(|text| *text != b"null");
        match exact {
            Some(exact) => {
                numbers::write_exact(exact, out).map_err(|fault| fault.in_member(field.native))
            }
            None if text == b"null" => {
                put(text, out);
                Ok(())
            }
            None => numbers::write_span(text, out).map_err(inside),
        }
    }

    /// `"Dash"`, `{"Numbered": N}`, `{"Custom": text}` natively; `-`, `N.` and the text in the document, where a text that
    /// looks like one of the others is marked.
    pub fn marker(
        &mut self,
        field: &'static Field,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let text = self.given(field, source)?;
        write_name(field.name(self.to()), out);
        let done = if self.is_to_native() {
            let is_custom = source.take(MARKER_CUSTOM)? == Some(b"true");
            marker_to_native(text, is_custom, out)
        } else {
            marker_to_document(text, out)
        };
        done.map_err(|fault| fault.in_member(field.name(self.from)))
    }

    /// A list that may be null natively. The document, where it is required, has an empty one then, and a mark.
    pub fn summary(
        &mut self,
        field: &'static Field,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let Value::Summary(list) = &field.value else {
            return Ok(());
        };
        let start = out.len();
        write_name(field.name(self.to()), out);
        let value = out.len();
        self.field_value(field, list, source, out)?;
        if self.is_to_native() {
            let is_marked = source.take(NO_SUMMARY)? == Some(b"true");
            if is_marked && out[value..] == *b"[]" {
                out.truncate(value);
                put(b"null", out);
            }
        } else if out[value..] == *b"null" {
            out.truncate(start);
            write_name(field.document, out);
            put(b"[]", out);
            write_name(NO_SUMMARY, out);
            put(b"true", out);
        }
        Ok(())
    }

    /// The path of an image, which may be null natively. The document has an empty one then, and a mark in the metadata.
    pub fn image_path(
        &mut self,
        field: &'static Field,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        let text = self.given(field, source)?;
        write_name(field.name(self.to()), out);
        if self.is_to_native() {
            let metadata = source.peek("metadata").map(Members::read);
            let is_marked = metadata
                .and_then(Result::ok)
                .is_some_and(|metadata| metadata.peek(NO_PATH) == Some(b"true"));
            if is_marked && string(text).is_ok_and(|path| path.is_empty()) {
                put(b"null", out);
                return Ok(());
            }
        } else if text == b"null" {
            put(b"\"\"", out);
            return Ok(());
        }
        copy_string(text, out).map_err(|fault| fault.in_member(field.name(self.from)))
    }

    /// The mark of [`Self::image_path`], in the metadata.
    pub fn no_path(
        &mut self,
        field: &'static Field,
        source: &mut Members<'_>,
        out: &mut Vec<u8>,
    ) -> Done {
        if self.is_to_native() {
            source.take(field.document)?;
        } else if matches!(source.peek("source_path"), None | Some(b"null")) {
            write_name(field.document, out);
            put(b"true", out);
        }
        Ok(())
    }
}

fn marker_to_document(text: &[u8], out: &mut Vec<u8>) -> Done {
    let given = Given::read(text, false)?;
    match given.carried {
        Carried::Nothing | Carried::Value(b"null") if given.name.eq_str("Dash") => {
            put(b"\"-\"", out);
        }
        Carried::Value(number) if given.name.eq_str("Numbered") => {
            numbers::whole(number, 32).map_err(|fault| fault.in_member("Numbered"))?;
            put(b"\"", out);
            put(number, out);
            put(b".\"", out);
        }
        Carried::Value(custom) if given.name.eq_str("Custom") => {
            copy_string(custom, out).map_err(|fault| fault.in_member("Custom"))?;
            if plain_marker(&string(custom)?.decode().unwrap_or_default()).is_some() {
                write_name(MARKER_CUSTOM, out);
                put(b"true", out);
            }
        }
        _ if is_native_marker(given.name) => return Err(invalid("is no marker")),
        // A bare word would be taken for a custom text.
        Carried::Nothing if is_capitalised(given.name) => {
            put(b"{", out);
            copy(text, out)?;
            put(b":null}", out);
        }
        Carried::Value(_) if is_capitalised(given.name) => copy(text, out)?,
        _ => return Err(invalid("is no marker")),
    }
    Ok(())
}

fn marker_to_native(text: &[u8], is_custom: bool, out: &mut Vec<u8>) -> Done {
    let given = Given::read(text, false)?;
    if let Carried::Value(_) = given.carried {
        return if is_capitalised(given.name) && !is_native_marker(given.name) {
            copy(text, out)
        } else {
            Err(inexpressible())
        };
    }
    let decoded = given.name.decode().unwrap_or_default();
    match plain_marker(&decoded).filter(|_| !is_custom) {
        Some("") => put(b"\"Dash\"", out),
        Some(number) => {
            put(b"{\"Numbered\":", out);
            put(number.as_bytes(), out);
            put(b"}", out);
        }
        None => {
            put(b"{\"Custom\":", out);
            copy(text, out)?;
            put(b"}", out);
        }
    }
    Ok(())
}

fn is_native_marker(name: RawStr<'_>) -> bool {
    ["Dash", "Numbered", "Custom"]
        .iter()
        .any(|known| name.eq_str(known))
}

/// The number of a marker `N.`, nothing for `-`; `None` for a custom one.
fn plain_marker(marker: &str) -> Option<&str> {
    if marker == "-" {
        return Some("");
    }
    let number = marker.strip_suffix('.')?;
    let is_canonical = numbers::whole(number.as_bytes(), 32).is_ok()
        && (number == "0" || !number.starts_with('0'));
    is_canonical.then_some(number)
}
