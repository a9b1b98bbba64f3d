//! Putting an entry's identity back after a hook (seed 001, "Attach typed metadata to every entry").

use super::entry::Entry;
use crate::json::{RawStr, Reader, same_value};

/// The entry a hook returned, with `kind`, `input.id`, `input.sessionId` and `input.timestamp` of the
/// entry it was given; `None` when they are all still in place.
///
/// The hook's other changes stay. A returned value that is no object, or whose `input` is none, is
/// given the original's `input` whole: it has nothing else to keep.
pub fn put_identity_back(original: &Entry<'_>, kind: &[u8], returned: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(returned.len() + 64);
    let mut intact = Intact {
        kind: false,
        input: false,
    };
    out.extend_from_slice(b"{\"kind\":\"");
    out.extend_from_slice(kind);
    out.extend_from_slice(b"\",\"input\":");
    write_input(original, returned, &mut out, &mut intact);
    let mut reader = Reader::new(returned);
    if reader.begin_object() {
        while let Some(key) = reader.next_key() {
            let Some(value) = reader.skip() else { break };
            let value = &returned[value];
            match key.escaped() {
                b"kind" => {
                    intact.kind = value
                        .strip_prefix(b"\"")
                        .and_then(|v| v.strip_suffix(b"\""))
                        == Some(kind)
                }
                b"input" => {}
                _ => write_field(&mut out, key, value),
            }
        }
    }
    out.push(b'}');
    (!(intact.kind && intact.input)).then_some(out)
}

struct Intact {
    kind: bool,
    input: bool,
}

fn write_input(original: &Entry<'_>, returned: &[u8], out: &mut Vec<u8>, intact: &mut Intact) {
    let Some(input) = member(returned, "input").filter(|value| value.first() == Some(&b'{')) else {
        out.extend_from_slice(original.input);
        return;
    };
    let identity = [
        ("id", [b"\"", original.id.escaped(), b"\""].concat()),
        (
            "sessionId",
            [b"\"", original.session_id.escaped(), b"\""].concat(),
        ),
        ("timestamp", original.timestamp_text.to_vec()),
    ];
    out.push(b'{');
    let (mut seen, mut same) = ([false; 3], true);
    let mut reader = Reader::new(input);
    reader.begin_object();
    while let Some(key) = reader.next_key() {
        let Some(value) = reader.skip() else { break };
        match identity.iter().position(|(name, _)| key.eq_str(name)) {
            None => write_field(out, key, &input[value]),
            Some(index) if seen[index] => same = false,
            Some(index) => {
                seen[index] = true;
                same &= same_value(&input[value], &identity[index].1);
                write_field(out, key, &identity[index].1);
            }
        }
    }
    for (index, (name, value)) in identity.iter().enumerate() {
        if !seen[index] {
            same = false;
            write_field(out, RawStr::from_escaped(name.as_bytes()), value);
        }
    }
    out.push(b'}');
    intact.input = same;
}

/// The last value of that name in an object.
fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut reader = Reader::new(object);
    let mut found = None;
    if reader.begin_object() {
        while let Some(key) = reader.next_key() {
            let value = reader.skip()?;
            if key.eq_str(name) {
                found = Some(object[value].trim_ascii());
            }
        }
    }
    found
}

fn write_field(out: &mut Vec<u8>, key: RawStr<'_>, value: &[u8]) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(key.escaped());
    out.extend_from_slice(b"\":");
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::super::check_entry;
    use super::*;

    const ENTRY: &str = r#"{"kind":"injection","input":{"type":"assistant_message","id":"m","sessionId":"s","timestamp":7,"content":"c"}}"#;

    fn after(returned: &str) -> Option<String> {
        let original = check_entry(ENTRY.as_bytes()).unwrap();
        put_identity_back(&original, b"injection", returned.as_bytes())
            .map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn an_honest_hook_keeps_its_own_object() {
        assert_eq!(after(ENTRY), None);
        assert_eq!(
            after(&ENTRY.replace("}}", "},\"metadata\":{\"tenant\":1}}")),
            None
        );
    }

    #[test]
    fn a_rewritten_identity_is_put_back_and_the_rest_stays() {
        let returned = ENTRY
            .replace("\"m\"", "\"other\"")
            .replace("\"timestamp\":7", "\"timestamp\":8")
            .replace("\"s\"", "\"t\"")
            .replace("\"injection\"", "\"turn\"")
            .replace("}}", "},\"metadata\":1}");
        assert_eq!(
            after(&returned).unwrap(),
            ENTRY.replace("}}", "},\"metadata\":1}")
        );
    }

    #[test]
    fn what_a_hook_removed_is_put_back() {
        let text = after(r#"{"metadata":1,"input":{"type":"assistant_message","content":"new"}}"#)
            .unwrap();
        let entry = check_entry(text.as_bytes()).unwrap();
        assert!(
            entry.id.eq_str("m") && entry.session_id.eq_str("s") && entry.assistant.eq_str("new")
        );
        assert_eq!(after("{}").unwrap(), ENTRY);
        assert_eq!(after("3").unwrap(), ENTRY);
        assert_eq!(after(r#"{"input":[]}"#).unwrap(), ENTRY);
    }
}
