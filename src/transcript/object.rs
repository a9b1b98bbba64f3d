//! An object that is edited: its fields in their order, each value as its own text.
//!
//! Fields that no operation names are handed through as they were written. Of a key that occurs twice the last one is
//! read and set, as in `JSON.parse`.

use crate::json::{RawStr, Reader};

/// See the module's head.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
struct Field {
    /// As it is written between its quotes.
    name: Box<[u8]>,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    Text(Box<[u8]>),
    /// Kept elsewhere, under this number.
    Live(usize),
}

impl Object {
    /// Reads an object that was checked to be one.
    pub fn read(text: &[u8]) -> Self {
        let mut fields = Vec::new();
        let mut reader = Reader::new(text);
        reader.begin_object();
        while let Some(name) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            fields.push(Field {
                name: name.escaped().into(),
                value: Value::Text(text.get(value).unwrap_or_default().into()),
            });
        }
        Self { fields }
    }

    /// The text of a field, unless it is kept elsewhere.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        match &self.fields.get(self.position(name)?)?.value {
            Value::Text(text) => Some(text),
            Value::Live(_) => None,
        }
    }

    /// Sets a field in its place, or adds it at the end.
    pub fn set(&mut self, name: &str, text: &[u8]) {
        self.put(name, Value::Text(text.into()));
    }

    /// Takes a field out, if it is there.
    pub fn remove(&mut self, name: &str) {
        while let Some(at) = self.position(name) {
            self.fields.remove(at);
        }
    }

    /// Takes the value of a field out, for it to be kept elsewhere under `number`.
    pub fn take(&mut self, name: &str, number: usize) -> Box<[u8]> {
        match self.put(name, Value::Live(number)) {
            Some(Value::Text(text)) => text,
            _ => Box::default(),
        }
    }

    fn put(&mut self, name: &str, value: Value) -> Option<Value> {
        if let Some(at) = self.position(name) {
            return Some(core::mem::replace(&mut self.fields[at].value, value));
        }
        let name = name.as_bytes().into();
        self.fields.push(Field { name, value });
        None
    }

    fn position(&self, name: &str) -> Option<usize> {
        let is_it = |field: &Field| RawStr::from_escaped(&field.name).eq_str(name);
        self.fields.iter().rposition(is_it)
    }

    /// Appends its text. `live` appends what is kept under a number.
    pub fn write(&self, out: &mut Vec<u8>, live: &dyn Fn(usize, &mut Vec<u8>)) {
        out.push(b'{');
        for (index, field) in self.fields.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.push(b'"');
            out.extend_from_slice(&field.name);
            out.extend_from_slice(b"\":");
            match &field.value {
                Value::Text(text) => out.extend_from_slice(text),
                Value::Live(number) => live(*number, out),
            }
        }
        out.push(b'}');
    }
}

/// The text of an object with these fields, whose names need no escapes. A value that is none is null.
pub(super) fn written(fields: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        out.extend_from_slice(if out.is_empty() { b"{\"" } else { b",\"" });
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(value.unwrap_or(b"null"));
    }
    out.push(b'}');
    out
}

/// The text of a record without an id.
pub(super) fn record(kind: &str, payload: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let kind = ["\"", kind, "\""].concat();
    let payload = written(payload);
    written(&[("type", Some(kind.as_bytes())), ("payload", Some(&payload))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(object: &Object) -> String {
        let mut out = Vec::new();
        object.write(&mut out, &|number, out| {
            out.extend_from_slice(format!("<{number}>").as_bytes());
        });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn unknown_fields_keep_their_place_and_spelling() {
        let mut object = Object::read(br#" { "x" : 1.10 , "a":null, "\u0062":[ 1 ],"y":{ } } "#);
        object.set("a", b"2");
        object.set("b", b"3");
        object.set("c", b"4");
        let expected = r#"{"x":1.10,"a":2,"\u0062":3,"y":{ },"c":4}"#;
        assert_eq!(written(&object), expected);
        assert_eq!(object.get("b"), Some(&b"3"[..]));
        object.remove("b");
        assert_eq!(object.get("b"), None);
    }

    #[test]
    fn of_a_repeated_key_the_last_is_meant() {
        let mut object = Object::read(br#"{"a":1,"b":0,"a":2}"#);
        assert_eq!(object.get("a"), Some(&b"2"[..]));
        assert_eq!(*object.take("a", 7), *b"2");
        assert_eq!(object.get("a"), None);
        assert_eq!(written(&object), r#"{"a":1,"b":0,"a":<7>}"#);
    }
}
