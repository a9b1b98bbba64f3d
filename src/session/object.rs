//! Writing a JSON object as JavaScript would: members that are undefined are left out.

/// The text of an object. Each value is JSON text; names are written as they are, so they need no escapes.
pub(super) fn object(members: &[(&str, Option<&[u8]>)]) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (name, value) in members {
        let Some(value) = value else { continue };
        if out.len() > 1 {
            out.push(b',');
        }
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(value);
    }
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_members_are_left_out() {
        assert_eq!(object(&[]), b"{}");
        let members = [("a", None), ("b", Some(&b"1"[..])), ("c", Some(b"[ ]"))];
        assert_eq!(object(&members), br#"{"b":1,"c":[ ]}"#);
    }
}
