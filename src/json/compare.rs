//! Whether two texts are the same JSON value.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::number::parse_number;
use super::reader::{Kind, Reader};
use super::string::RawStr;

/// Whether two checked texts are the same value to `JSON.parse`.
///
/// Whitespace, the order of keys and the spelling of strings and numbers do not matter; of duplicate keys the
/// last counts; numbers are compared as doubles and strings as UTF-16 code units. The time is
/// that of sorting the keys of each object. A text that is not JSON is the same only as its own bytes.
pub fn same_value(a: &[u8], b: &[u8]) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (Tree::read(a), Tree::read(b)) else {
        return false;
    };
    let mut pending = vec![(0, 0)];
    while let Some((x, y)) = pending.pop() {
        if !same_node(&a, x, &b, y, &mut pending) {
            return false;
        }
    }
    true
}

/// Compares two nodes but for the children, which it leaves in `pending` as pairs.
fn same_node(
    a: &Tree<'_>,
    x: usize,
    b: &Tree<'_>,
    y: usize,
    pending: &mut Vec<(usize, usize)>,
) -> bool {
    match (&a.nodes[x].value, &b.nodes[y].value) {
        (Value::Literal(x), Value::Literal(y)) => x == y,
        (Value::Number(x), Value::Number(y)) => {
            x == y || parse_number(x).is_some_and(|x| parse_number(y) == Some(x))
        }
        (Value::String(x), Value::String(y)) => x.same_units(y),
        (Value::Array, Value::Array) => {
            let from = pending.len();
            pending.extend(a.children(x).zip(b.children(y)));
            let pairs = pending.len() - from;
            a.children(x).count() == pairs && b.children(y).count() == pairs
        }
        (Value::Object, Value::Object) => {
            let (fields, others) = (a.fields(x), b.fields(y));
            pending.extend(
                fields
                    .iter()
                    .zip(&others)
                    .map(|(x, y)| (x.value.0, y.value.0)),
            );
            fields.len() == others.len() && fields.iter().zip(&others).all(|(x, y)| x.key == y.key)
        }
        _ => false,
    }
}

/// A value as a list of nodes, each container followed by what it contains.
///
/// Reading it once is what keeps the comparison linear: no subtree is searched for its end again at
/// each level above it.
pub(super) struct Tree<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

pub(super) struct Node<'a> {
    pub(super) value: Value<'a>,
    /// Index of the first node behind this one and all it contains.
    next: usize,
}

pub(super) enum Value<'a> {
    Literal(Kind),
    Number(&'a [u8]),
    String(RawStr<'a>),
    Array,
    /// Its children are keys (strings) and values in turn.
    Object,
}

/// A field of an object, its key decoded for comparing. Ordered by key, the later of equals first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Field<'a> {
    key: Cow<'a, [u8]>,
    value: Reverse<usize>,
}

impl<'a> Tree<'a> {
    /// Reads the one value of `text`.
    pub(super) fn read(text: &'a [u8]) -> Option<Self> {
        let mut tree = Self { nodes: Vec::new() };
        let mut reader = Reader::new(text);
        let mut open: Vec<usize> = Vec::new();
        loop {
            let index = tree.nodes.len();
            let value = read_value(&mut reader, text)?;
            if matches!(value, Value::Array | Value::Object) {
                open.push(index);
            }
            tree.push(value);
            if !tree.next_value(&mut reader, &mut open) {
                return (!reader.is_broken()).then_some(tree);
            }
        }
    }

    /// Goes to the next value, closing containers that end; false when the outermost value has ended.
    fn next_value(&mut self, reader: &mut Reader<'a>, open: &mut Vec<usize>) -> bool {
        while let Some(&container) = open.last() {
            if matches!(self.nodes[container].value, Value::Object) {
                if let Some(key) = reader.next_key() {
                    self.push(Value::String(key));
                    return true;
                }
            } else if reader.next_item() {
                return true;
            }
            self.nodes[container].next = self.nodes.len();
            open.pop();
        }
        false
    }

    fn push(&mut self, value: Value<'a>) {
        let next = self.nodes.len() + 1;
        self.nodes.push(Node { value, next });
    }

    /// Indices of the nodes directly in a container.
    pub(super) fn children(&self, container: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[container].next;
        let first = Some(container + 1).filter(|&child| child < end);
        core::iter::successors(first, move |&child| {
            Some(self.nodes[child].next).filter(|&next| next < end)
        })
    }

    /// The fields of an object by key, only the last of those with the same key.
    fn fields(&self, object: usize) -> Vec<Field<'a>> {
        let mut fields = Vec::new();
        let mut children = self.children(object);
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            if let Value::String(key) = &self.nodes[key].value {
                fields.push(Field {
                    key: key.to_wtf8(),
                    value: Reverse(value),
                });
            }
        }
        // Later fields have larger indices, and of equal keys the last one comes first and is kept.
        // A heap sorts in a tenth of the code that `sort_unstable` brings along.
        let mut fields = BinaryHeap::from(fields).into_sorted_vec();
        fields.dedup_by(|later, kept| later.key == kept.key);
        fields
    }
}

/// Consumes a scalar, or the opening of a container.
fn read_value<'a>(reader: &mut Reader<'a>, text: &'a [u8]) -> Option<Value<'a>> {
    Some(match reader.kind()? {
        Kind::Object => {
            reader.begin_object();
            Value::Object
        }
        Kind::Array => {
            reader.begin_array();
            Value::Array
        }
        Kind::String => Value::String(reader.string()?),
        Kind::Number => Value::Number(text.get(reader.skip()?)?),
        literal => {
            reader.skip()?;
            Value::Literal(literal)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        let (there, back) = (
            same_value(a.as_bytes(), b.as_bytes()),
            same_value(b.as_bytes(), a.as_bytes()),
        );
        assert_eq!(there, back, "{a} {b}");
        there
    }

    #[test]
    fn spelling_does_not_matter() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0", "0e5"),
            ("0.1", "0.1000000000000000055511151231257827"),
            (r#""A/""#, r#""\u0041\/""#),
            (r#""😀""#, r#""\ud83d\uDE00""#),
            (r#""\ud83d""#, r#""\uD83D""#),
            ("[1,[]]", " [ 1 , [ ] ] "),
            (
                r#"{"a":1,"b":{"c":2,"d":3}}"#,
                r#"{"b":{"d":3,"c":2.0},"\u0061":1}"#,
            ),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"a":1,"b":0,"\u0061":2}"#, r#"{"a":3,"a":2,"b":0}"#),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn different_values_are_told_apart() {
        for (a, b) in [
            ("1", "2"),
            ("1", "\"1\""),
            ("true", "false"),
            ("null", "false"),
            ("[]", "{}"),
            ("[1]", "[1,2]"),
            ("[]", "[1]"),
            ("[1,2]", "[2,1]"),
            ("[[1],2]", "[[1,2]]"),
            (r#"{"a":1}"#, r#"{"a":2}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":1}"#),
            (r#""\n""#, r#""\\n""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn garbage_is_the_same_only_as_itself() {
        assert!(same("[1", "[1"));
        assert!(!same("[1", "[1]"));
        assert!(!same("", " "));
        assert!(!same("{\"a\"", "{\"a\":"));
    }

    #[test]
    fn a_hundred_thousand_levels_are_compared() {
        let nested = |inner: &str, colon: &str| {
            format!(
                "{}{inner}{}",
                format!("[{{\"a\"{colon}").repeat(50_000),
                "}]".repeat(50_000)
            )
        };
        assert!(same(&nested("1", ":"), &nested("1.0", " : ")));
        assert!(!same(&nested("1", ":"), &nested("2", " : ")));
    }

    #[test]
    fn an_object_with_many_keys_is_compared_in_any_order() {
        let object = |keys: &mut dyn Iterator<Item = u32>| {
            let fields: Vec<_> = keys.map(|key| format!("\"key{key}\":{key}")).collect();
            format!("{{{}}}", fields.join(","))
        };
        assert!(same(
            &object(&mut (0..20_000)),
            &object(&mut (0..20_000).rev())
        ));
        assert!(!same(&object(&mut (0..20_000)), &object(&mut (1..20_001))));
    }
}
