//! Records: `{"Exec": {id, …}}` natively, `{id, type: "exec", payload}` in the document.

use super::convert::{Converter, Done, Written, copy, put, write_name};
use super::fault::{Fault, invalid};
use super::members::{Members, kind_of, shown, string};
use super::numbers;
use super::shape::{Body, Fields, Form, Variant};
use super::tables::RECORDS;
use crate::json::{Kind, RawStr, write_string};
use crate::transcript::error::TranscriptCode;
use crate::transcript::shape::is_capitalised;

impl Converter {
    /// Appends a record. One of a type that only the document has cannot be written.
    pub fn record(&mut self, text: &[u8], out: &mut Vec<u8>) -> Written {
        let mut members = Members::read(text)?;
        let is_document = members.peek("type").is_some() && members.peek("payload").is_some();
        match self.from {
            Form::Native if is_document => Err(Fault::new(
                TranscriptCode::DocumentForm,
                "is a record of the document form, where a native one is read",
            )),
            Form::Native => {
                let only = members.only();
                let only =
                    only.ok_or_else(|| invalid("must have the type's name as its one key"))?;
                self.record_to_document(only.name, only.value, out)
                    .map_err(|fault| fault.in_member(&shown(only.name)))?;
                Ok(true)
            }
            Form::Document if !is_document && has_native_key(&members) => Err(Fault::new(
                TranscriptCode::NativeForm,
                "is a record of the native form, where one of the document is read",
            )),
            Form::Document => self.record_to_native(&mut members, out),
        }
    }

    fn record_to_document(&mut self, name: RawStr<'_>, body: &[u8], out: &mut Vec<u8>) -> Done {
        put(b"{", out);
        let Some((variant, fields)) = find(|variant| name.eq_str(variant.native)) else {
            return unknown_to_document(name, body, out);
        };
        let mut source = Members::read_struct(body, fields, self.from)?;
        let (id, payload) = split(fields);
        self.fields(id, &mut source, out)?;
        write_name("type", out);
        write_string(out, variant.document);
        write_name("payload", out);
        put(b"{", out);
        self.fields(payload, &mut source, out)?;
        self.carry_over(fields, false, &source, out)?;
        put(b"}}", out);
        Ok(())
    }

    /// What stands beside `id`, `type` and `payload` has no place natively.
    fn record_to_native(&mut self, envelope: &mut Members<'_>, out: &mut Vec<u8>) -> Written {
        let mut member = |name| {
            let found = envelope.take(name)?;
            found.ok_or_else(|| invalid("is missing").in_member(name))
        };
        let (id, kind, body) = (member("id")?, member("type")?, member("payload")?);
        let name = string(kind).map_err(|fault| fault.in_member("type"))?;
        numbers::whole(id, 64).map_err(|fault| fault.in_member("id"))?;
        let in_payload = |fault: Fault| fault.in_member("payload");
        let Some((variant, fields)) = find(|variant| name.eq_str(variant.document)) else {
            // A capital: it is a native type, and one that no table knows.
            let is_known = find(|variant| name.eq_str(variant.native)).is_some();
            if is_capitalised(name) && !is_known {
                put(b"{", out);
                copy(kind, out)?;
                put(b":", out);
                unknown_to_native(id, body, out).map_err(in_payload)?;
                put(b"}", out);
                return Ok(true);
            }
            return Ok(false);
        };
        let mut source = Members::read(body).map_err(in_payload)?;
        put(b"{", out);
        write_name(variant.native, out);
        put(b"{", out);
        write_name("id", out);
        put(id, out);
        let (_, payload) = split(fields);
        self.fields(payload, &mut source, out).map_err(in_payload)?;
        self.carry_over(fields, false, &source, out)
            .map_err(in_payload)?;
        put(b"}}", out);
        Ok(true)
    }
}

/// The first type that matches, with its fields.
fn find(matches: impl Fn(&Variant) -> bool) -> Option<(&'static Variant, Fields)> {
    let variant = RECORDS.iter().find(|variant| matches(variant))?;
    match variant.body {
        Body::Fields(fields) => Some((variant, fields)),
        _ => None,
    }
}

/// The id, which is the first field, and the others.
fn split(fields: Fields) -> (Fields, Fields) {
    fields.split_at(1.min(fields.len()))
}

fn has_native_key(members: &Members<'_>) -> bool {
    members.only().is_some_and(|only| is_capitalised(only.name))
}

/// Appends the rest of a record of a type that no table knows: its name as the type and its body as the payload, both
/// untouched. Without an id in it, it has none yet: 0.
fn unknown_to_document(name: RawStr<'_>, body: &[u8], out: &mut Vec<u8>) -> Done {
    if !is_capitalised(name) {
        return Err(invalid("is no native type"));
    }
    write_name("id", out);
    put(own_id(body).unwrap_or(b"0"), out);
    write_name("type", out);
    put(b"\"", out);
    copy(name.escaped(), out)?;
    put(b"\"", out);
    write_name("payload", out);
    copy(body, out)?;
    put(b"}", out);
    Ok(())
}

/// The inverse. The record may have been given another id since.
fn unknown_to_native(id: &[u8], body: &[u8], out: &mut Vec<u8>) -> Done {
    let Some(own) = own_id(body) else {
        return copy(body, out);
    };
    // Where it stands: `own` is a slice of `body`.
    let at = own.as_ptr().addr() - body.as_ptr().addr();
    copy(&body[..at], out)?;
    put(id, out);
    copy(&body[at + own.len()..], out)
}

/// The id inside of a body.
fn own_id(body: &[u8]) -> Option<&[u8]> {
    if kind_of(body) != Some(Kind::Object) {
        return None;
    }
    let id = Members::read(body).ok()?.peek("id")?;
    numbers::whole(id, 64).is_ok().then_some(id)
}
