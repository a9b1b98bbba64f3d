//! How far a session was drawn, as a field of the transcript's snapshot: so that whoever restores it can go on.
//!
//! ```text
//! "session_view":{"seen":12,"stream":["1:2","Hel"],"reasoning":[7,"why",3],"plan":5,"calls":[["c",8,"ls",[…],1000]]}
//! ```

use super::records::quoted;
use super::tools::Call;
use super::{Reasoning, SessionView, object};
use crate::json::{RawStr, Reader};
use crate::session::{items, member, safe_integer, string};
use crate::transcript::{TranscriptCode, TranscriptError};

/// The name of the field.
pub const FIELD: &str = "session_view";

impl SessionView {
    /// The snapshot of a transcript with how far the session was drawn; as it is where none was.
    pub fn save(&self, mut snapshot: Vec<u8>) -> Vec<u8> {
        if self.seen == 0 {
            return snapshot;
        }
        // The brace at its end.
        snapshot.pop();
        snapshot.extend_from_slice(format!(",\"{FIELD}\":").as_bytes());
        snapshot.extend_from_slice(&self.text());
        snapshot.push(b'}');
        snapshot
    }

    fn text(&self) -> Vec<u8> {
        let none = || b"null".to_vec();
        let number = |number: u64| number.to_string().into_bytes();
        let stream = self.stream.as_ref();
        let stream = stream.map_or_else(none, |(id, text)| list(&[id.clone(), quoted(text)]));
        let reasoning = self.reasoning.as_ref().map_or_else(none, |it| {
            list(&[number(it.id), quoted(&it.text), number(it.shown as u64)])
        });
        let calls: Vec<_> = self.calls.iter().map(|call| list(&call.fields())).collect();
        object(&[
            ("seen", &number(self.seen)),
            ("stream", &stream),
            ("reasoning", &reasoning),
            ("plan", &self.plan.map_or_else(none, number)),
            ("calls", &list(&calls)),
        ])
    }

    /// Reads it from a snapshot that the transcript took; of one without it nothing was drawn.
    ///
    /// # Errors
    /// `invalid` with the path `session_view`.
    pub fn of_snapshot(snapshot: &[u8]) -> Result<Self, TranscriptError> {
        let Some(saved) = member(snapshot, FIELD) else {
            return Ok(Self::default());
        };
        Self::read(saved).ok_or_else(|| {
            let message = "does not say how far a session was drawn";
            TranscriptError::new(TranscriptCode::Invalid, message).in_member(FIELD)
        })
    }

    fn read(saved: &[u8]) -> Option<Self> {
        let field = |name| member(saved, name).filter(|value| *value != b"null");
        let stream = field("stream").map(|stream| {
            let [id, text] = fields(stream)?;
            string(id)?;
            Some((id.to_vec(), wtf8(text)?))
        });
        let reasoning = field("reasoning").map(|reasoning| {
            let [id, text, shown] = fields(reasoning)?;
            let (text, shown) = (wtf8(text)?, safe_integer(shown)? as usize);
            let id = safe_integer(id)?;
            (shown <= text.len()).then_some(Reasoning { id, text, shown })
        });
        let calls = items(field("calls")?).map(|call| Call::read(fields(call)?));
        Some(Self {
            seen: safe_integer(field("seen")?)?,
            // A value that is there and cannot be read spoils the whole.
            stream: stream.map_or(Some(None), |it| it.map(Some))?,
            reasoning: reasoning.map_or(Some(None), |it| it.map(Some))?,
            calls: calls.collect::<Option<_>>()?,
            plan: field("plan").map_or(Some(None), |id| safe_integer(id).map(Some))?,
        })
    }
}

impl Call {
    fn fields(&self) -> [Vec<u8>; 5] {
        [
            self.call_id.clone(),
            self.record.to_string().into_bytes(),
            quoted(&self.title),
            self.arguments.clone(),
            (self.started as u64).to_string().into_bytes(),
        ]
    }

    fn read([call_id, record, title, arguments, started]: [&[u8]; 5]) -> Option<Self> {
        string(call_id)?;
        Reader::new(arguments).begin_array().then_some(())?;
        Some(Self {
            call_id: call_id.to_vec(),
            record: safe_integer(record)?,
            title: wtf8(title)?,
            arguments: arguments.to_vec(),
            started: safe_integer(started)? as f64,
        })
    }
}

/// The items of an array that has so many.
fn fields<const N: usize>(list: &[u8]) -> Option<[&[u8]; N]> {
    let all: Vec<_> = items(list).take(N + 1).collect();
    all.try_into().ok()
}

fn wtf8(text: &[u8]) -> Option<Vec<u8>> {
    Some(string(text).map(RawStr::to_wtf8)?.into_owned())
}

fn list(texts: &[Vec<u8>]) -> Vec<u8> {
    [b"[", &texts.join(&b","[..])[..], b"]"].concat()
}
