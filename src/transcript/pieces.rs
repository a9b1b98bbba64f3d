//! The list of pieces that a stream's text came in: chunks `{offset, content}`, or deltas `{delta, sequence, …}`.
//!
//! A piece that was not touched is its JSON text. One that text is added to or cut from is opened: its text is then kept
//! decoded, so that adding costs what is added, and cutting at either end costs next to nothing. Lengths count bytes of UTF-8
//! (a half of a surrogate pair counts three, and two halves that meet are one character of four).

use std::collections::VecDeque;

use super::object::Object;
use super::shape::natural;
use crate::json::{RawStr, Reader, append_wtf8, write_wtf8};

/// What the fields of a piece are called.
#[derive(Clone, Debug)]
pub(super) struct Names {
    text: &'static str,
    number: &'static str,
}

/// Of a chunk of output.
pub(super) static CHUNK_NAMES: Names = Names {
    text: "content",
    number: "offset",
};

/// Of a delta of an assistant's stream.
pub(super) static DELTA_NAMES: Names = Names {
    text: "delta",
    number: "sequence",
};

/// See the module's head.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    names: &'static Names,
    list: VecDeque<Piece>,
    /// Bytes of text in all pieces.
    bytes: u64,
    /// Whether each chunk is known to begin at or behind the end of the one before. Restored ones need not.
    is_ordered: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// A chunk's offset, a delta's sequence.
    pub number: Option<u64>,
    /// Bytes of text.
    len: usize,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Written(Box<[u8]>),
    Open(Box<OpenPiece>),
}

#[derive(Clone, Debug)]
struct OpenPiece {
    fields: Object,
    /// In WTF-8, from `start` on.
    text: Vec<u8>,
    /// What lies before was cut off and is still to be moved out.
    start: usize,
}

impl Pieces {
    /// Reads a list that was checked.
    pub fn read(text: &[u8], names: &'static Names) -> Self {
        let mut pieces = Self {
            names,
            list: VecDeque::new(),
            bytes: 0,
            is_ordered: true,
        };
        let mut reader = Reader::new(text);
        reader.begin_array();
        while reader.next_item()
            && let Some(value) = reader.skip()
        {
            let value = text.get(value).unwrap_or_default();
            let (number, string) = fields(value, names);
            let len = string.map_or(0, |string| string.to_wtf8().len());
            pieces.push(value, number, len);
        }
        pieces
    }

    /// Bytes of text in all pieces.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The pieces from the last to the first.
    pub fn backwards(&self) -> impl Iterator<Item = &Piece> {
        self.list.iter().rev()
    }

    /// The offset behind the last byte of a list of chunks.
    pub fn end(&self) -> u64 {
        let ends = self.list.iter().rev().map(Piece::end);
        let newest = if self.is_ordered { 1 } else { usize::MAX };
        ends.take(newest).max().unwrap_or_default()
    }

    pub fn first(&self) -> Option<&Piece> {
        self.list.front()
    }

    pub fn last(&self) -> Option<&Piece> {
        self.list.back()
    }

    /// Adds a piece at the end: its JSON text, with the number and the bytes of text that stand in it.
    pub fn push(&mut self, text: &[u8], number: Option<u64>, len: usize) {
        self.bytes += len as u64;
        let start = number.unwrap_or_default();
        self.is_ordered &= self.last().is_none_or(|last| last.end() <= start);
        self.list.push_back(Piece {
            number,
            len,
            form: Form::Written(text.into()),
        });
    }

    /// Adds text (in WTF-8) to the last piece.
    pub fn append(&mut self, more: &[u8]) {
        let names = self.names;
        let Some(piece) = self.list.back_mut() else {
            return;
        };
        let open = piece.open(names);
        append_wtf8(&mut open.text, more);
        let len = open.text.len() - open.start;
        self.bytes += (len - piece.len) as u64;
        piece.len = len;
    }

    pub fn pop_last(&mut self) {
        if let Some(piece) = self.list.pop_back() {
            self.bytes -= piece.len as u64;
        }
    }

    pub fn pop_first(&mut self) {
        if let Some(piece) = self.list.pop_front() {
            self.bytes -= piece.len as u64;
        }
    }

    /// Cuts the last piece off behind its first `keep` bytes, which end a character.
    pub fn cut_last(&mut self, keep: usize) {
        let names = self.names;
        let Some(piece) = self.list.back_mut() else {
            return;
        };
        let cut = piece.len.saturating_sub(keep);
        let open = piece.open(names);
        open.text.truncate(open.text.len() - cut);
        piece.len -= cut;
        self.bytes -= cut as u64;
    }

    /// Cuts `cut` bytes off the front of the first piece, and more up to the end of the character that this falls into;
    /// gives how many it were.
    pub fn cut_first(&mut self, cut: usize) -> usize {
        let names = self.names;
        let Some(piece) = self.list.front_mut() else {
            return 0;
        };
        let len = piece.len;
        let open = piece.open(names);
        let cut = open.next_border(cut.min(len));
        open.start += cut;
        // Moving the rest costs as much as was cut since the last time, so that many small cuts stay cheap.
        if open.start > open.text.len() / 2 {
            open.text.drain(..open.start);
            open.start = 0;
        }
        piece.len -= cut;
        self.bytes -= cut as u64;
        cut
    }

    /// Raises the number of the first piece, an offset.
    pub fn raise_first(&mut self, by: u64) {
        let names = self.names;
        if let Some(piece) = self.list.front_mut() {
            let number = piece.number.unwrap_or_default().saturating_add(by);
            piece.number = Some(number);
            let fields = &mut piece.open(names).fields;
            fields.set(names.number, number.to_string().as_bytes());
        }
    }

    /// Whether a piece of this list has the border of a character behind its first `at` bytes. Looks, and opens nothing: what
    /// is refused after that leaves the piece as it was written.
    pub fn is_border(&self, piece: &Piece, at: usize) -> bool {
        let byte = match &piece.form {
            Form::Written(text) => {
                let string = fields(text, self.names).1;
                string.and_then(|string| string.to_wtf8().get(at).copied())
            }
            Form::Open(open) => open.text.get(open.start + at).copied(),
        };
        !matches!(byte, Some(0x80..0xC0))
    }

    /// Appends the list.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, piece) in self.list.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            piece.write(out);
        }
        out.push(b']');
    }
}

impl Piece {
    /// Bytes of text.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A chunk's offset.
    pub fn start(&self) -> u64 {
        self.number.unwrap_or_default()
    }

    /// Where a chunk ends, as an offset.
    pub fn end(&self) -> u64 {
        self.start().saturating_add(self.len as u64)
    }

    fn open(&mut self, names: &Names) -> &mut OpenPiece {
        if let Form::Written(text) = &self.form {
            let string = fields(text, names).1.map(RawStr::to_wtf8);
            let mut fields = Object::read(text);
            fields.take(names.text, 0);
            self.form = Form::Open(Box::new(OpenPiece {
                fields,
                text: string.unwrap_or_default().into_owned(),
                start: 0,
            }));
        }
        match &mut self.form {
            Form::Open(open) => open,
            // Not reached: the piece was opened just now.
            Form::Written(_) => unreachable!(),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match &self.form {
            Form::Written(text) => out.extend_from_slice(text),
            Form::Open(open) => open.fields.write(out, &|_, out| {
                write_wtf8(out, open.text.get(open.start..).unwrap_or_default());
            }),
        }
    }
}

impl OpenPiece {
    /// The first border of a character at or behind `at`.
    fn next_border(&self, mut at: usize) -> usize {
        while let Some(0x80..0xC0) = self.text.get(self.start + at) {
            at += 1;
        }
        at
    }
}

/// The number and the text of a piece.
pub(super) fn fields<'a>(piece: &'a [u8], names: &Names) -> (Option<u64>, Option<RawStr<'a>>) {
    let (mut number, mut text) = (None, None);
    let mut reader = Reader::new(piece);
    reader.begin_object();
    while let Some(name) = reader.next_key()
        && let Some(value) = reader.skip()
    {
        let value = piece.get(value).unwrap_or_default();
        if name.eq_str(names.number) {
            number = natural(value);
        } else if name.eq_str(names.text) {
            text = Reader::new(value).string();
        }
    }
    (number, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &Pieces) -> String {
        let mut out = Vec::new();
        pieces.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn chunks(text: &str) -> Pieces {
        Pieces::read(text.as_bytes(), &CHUNK_NAMES)
    }

    #[test]
    fn untouched_pieces_keep_their_spelling_and_touched_ones_their_fields() {
        let text = r#"[{ "offset" : 0, "content":"\u0061" },{"x":[1.0],"offset":1,"content":"b\n","y":null}]"#;
        let mut pieces = chunks(text);
        assert_eq!(written(&pieces), text);
        assert_eq!(pieces.bytes(), 3);
        pieces.append("é".as_bytes());
        assert_eq!(pieces.bytes(), 5);
        let touched = r#"[{ "offset" : 0, "content":"\u0061" },{"x":[1.0],"offset":1,"content":"b\né","y":null}]"#;
        assert_eq!(written(&pieces), touched);
    }

    #[test]
    fn a_cut_at_the_front_goes_on_to_the_next_character_and_one_at_the_back_is_exact() {
        let mut pieces = chunks(r#"[{"offset":4,"content":"aé🚀b"}]"#);
        for is_open in [false, true] {
            if is_open {
                pieces.append(b"");
            }
            let first = pieces.first().unwrap();
            assert!(pieces.is_border(first, 1) && !pieces.is_border(first, 2));
        }
        pieces.cut_last(7);
        assert_eq!(pieces.cut_first(2), 3);
        pieces.raise_first(3);
        assert_eq!(written(&pieces), r#"[{"offset":7,"content":"🚀"}]"#);
        assert_eq!((pieces.bytes(), pieces.first().unwrap().end()), (4, 11));
        assert_eq!(pieces.cut_first(9), 4);
        assert_eq!(written(&pieces), r#"[{"offset":7,"content":""}]"#);
    }

    #[test]
    fn many_small_cuts_leave_the_same_as_one() {
        let text = "0123456789".repeat(50);
        let list = format!(r#"[{{"offset":0,"content":"{text}"}}]"#);
        let (mut small, mut large) = (chunks(&list), chunks(&list));
        for _ in 0..130 {
            small.cut_first(3);
            small.append(b"xyz");
        }
        for _ in 0..130 {
            large.append(b"xyz");
        }
        large.cut_first(390);
        assert_eq!(written(&small), written(&large));
    }
}
