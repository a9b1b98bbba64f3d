//! A record whose streams grow: the text around them as fields, the streams as [pieces](super::pieces).

use super::object::Object;
use super::pieces::{CHUNK_NAMES, DELTA_NAMES, Pieces};
use super::record::RecordKind;
use crate::json::Reader;

/// An exec or an assistant's stream that can be edited, or any other record whose payload is.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// The envelope up to its payload.
    before: Box<[u8]>,
    pub payload: Object,
    /// The envelope behind its payload.
    after: Box<[u8]>,
    /// stdout and stderr of an exec, the deltas of a stream.
    pub streams: Vec<Pieces>,
}

/// Places in [`Open::streams`].
pub(super) const STDOUT: usize = 0;
pub(super) const STDERR: usize = 1;
pub(super) const DELTAS: usize = 0;

impl Open {
    /// Takes a record apart that was checked.
    pub fn read(text: &[u8], kind: RecordKind) -> Self {
        let mut at = 0..0;
        let mut reader = Reader::new(text);
        reader.begin_object();
        while let Some(name) = reader.next_key()
            && let Some(value) = reader.skip()
        {
            if name.eq_str("payload") {
                at = value;
            }
        }
        let part = |range| text.get(range).unwrap_or_default();
        let mut payload = Object::read(part(at.clone()));
        let names = match kind {
            RecordKind::Exec => &[
                ("stdout_chunks", &CHUNK_NAMES),
                ("stderr_chunks", &CHUNK_NAMES),
            ][..],
            RecordKind::Stream => &[("deltas", &DELTA_NAMES)],
            _ => &[],
        };
        let streams = names.iter().enumerate();
        Self {
            before: part(0..at.start).into(),
            streams: streams
                .map(|(number, (name, names))| Pieces::read(&payload.take(name, number), names))
                .collect(),
            payload,
            after: part(at.end..text.len()).into(),
        }
    }

    /// Bytes of text in all streams.
    pub fn bytes(&self) -> u64 {
        self.streams.iter().map(Pieces::bytes).sum()
    }

    /// Appends the text of the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        self.payload.write(out, &|number, out| {
            if let Some(stream) = self.streams.get(number) {
                stream.write(out);
            }
        });
        out.extend_from_slice(&self.after);
    }
}
