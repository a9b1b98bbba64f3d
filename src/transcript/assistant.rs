//! The assistant's streams and the messages they become (spec 3-transcript.md, 3.4).

use super::deltas;
use super::error::TranscriptError;
use super::lookup::key;
use super::mutation::Mutation;
use super::object::{self, Object};
use super::open::DELTAS;
use super::pieces::{DELTA_NAMES, fields};
use super::record::Draft;
use super::schema::{DELTA, METADATA, USAGE};
use super::shape::Shape::Text;
use super::shape::{Field, natural, optional, required, values};
use super::state::HistoryState;
use super::time::{UnixTime, write_rfc3339};
use crate::json::check_grammar;

static UPSERT: [Field; 4] = [
    required("stream_id", Text),
    required("preview_markdown", Text),
    optional("delta", DELTA),
    optional("metadata", METADATA),
];

static FINALIZE: [Field; 4] = [
    optional("stream_id", Text),
    required("markdown", Text),
    optional("metadata", METADATA),
    optional("token_usage", USAGE),
];

impl HistoryState {
    /// Adds to the first stream with this id, or begins one at the end, and gives its id:
    /// `{stream_id, preview_markdown, delta?, metadata?}`.
    ///
    /// # Errors
    /// `not_json`, or `invalid` with the path in the text.
    pub fn upsert_assistant_stream(
        &mut self,
        stream: &[u8],
        now: UnixTime,
    ) -> Result<u64, TranscriptError> {
        check_grammar(stream)?;
        Ok(match self.upsert(stream, now)? {
            Mutation::Inserted { id, .. } | Mutation::Replaced { id, .. } => id,
            Mutation::Removed { .. } | Mutation::Noop => 0,
        })
    }

    pub(super) fn upsert(
        &mut self,
        event: &[u8],
        now: UnixTime,
    ) -> Result<Mutation, TranscriptError> {
        let [stream_id, preview, delta, metadata] = values(event, &UPSERT)?;
        let now = timestamp(now);
        let key = stream_id.and_then(key).unwrap_or_default();
        if let Some(index) = self.records.first_stream(&key) {
            self.add_delta(index, delta);
            if let Some(record) = self.records.get_mut(index) {
                let payload = &mut record.open().payload;
                payload.set("preview_markdown", preview.unwrap_or(br#""""#));
                if let Some(metadata) = metadata {
                    payload.set("citations", &citations(metadata));
                    payload.set("metadata", metadata);
                }
                payload.set("in_progress", b"true");
                payload.set("last_updated_at", &now);
            }
            return Ok(self.replaced(index));
        }
        let citations = metadata.map(citations);
        let payload = [
            ("stream_id", stream_id),
            ("preview_markdown", preview),
            ("deltas", Some(&b"[]"[..])),
            ("citations", Some(citations.as_deref().unwrap_or(b"[]"))),
            ("metadata", metadata),
            ("in_progress", Some(b"true")),
            ("last_updated_at", Some(&now)),
        ];
        let draft = Draft::read(&object::record("assistant_stream", &payload))?;
        let index = self.len();
        let mutation = self.insert_clamped(index, draft);
        self.add_delta(index, delta);
        Ok(mutation)
    }

    /// Adds a delta to a stream, and drops the oldest text beyond the limit.
    fn add_delta(&mut self, index: usize, delta: Option<&[u8]>) {
        let (Some(delta), Some(record)) = (delta, self.records.get_mut(index)) else {
            return;
        };
        let open = record.open();
        let Some(deltas) = open.streams.get_mut(DELTAS) else {
            return;
        };
        let (sequence, text) = fields(delta, &DELTA_NAMES);
        let text = text.map(|text| text.to_wtf8()).unwrap_or_default();
        deltas::add(deltas, delta, sequence, &text);
        let dropped = deltas::prune(deltas);
        if dropped > 0 {
            let before = open.payload.get("truncated_prefix_bytes").and_then(natural);
            let all = before.unwrap_or_default().saturating_add(dropped);
            let all = all.to_string();
            open.payload.set("truncated_prefix_bytes", all.as_bytes());
        }
    }

    /// Makes the stream with this id a message, and gives the message's position:
    /// `{stream_id?, markdown, metadata?, token_usage?}`.
    ///
    /// The stream is taken out and the message stands at the end under a new id; or the last message that has the stream id
    /// already is written anew in its place.
    ///
    /// # Errors
    /// `not_json`, or `invalid` with the path in the text. The state is then as it was.
    pub fn finalize_assistant_stream(
        &mut self,
        message: &[u8],
        now: UnixTime,
    ) -> Result<usize, TranscriptError> {
        check_grammar(message)?;
        let [stream_id, markdown, metadata, token_usage] = values(message, &FINALIZE)?;
        let now = timestamp(now);
        let key = stream_id.and_then(key);
        let stream = key.as_ref().and_then(|key| self.records.first_stream(key));
        let carried = stream.and_then(|index| self.records.get_mut(index));
        let carried = carried.map(|record| &record.open().payload);
        let carry = |name| {
            let value = carried.and_then(|payload| payload.get(name));
            value.filter(|value| *value != b"null").map(<[u8]>::to_vec)
        };
        let citations = metadata.map(citations).or_else(|| carry("citations"));
        let metadata = metadata.map(<[u8]>::to_vec).or_else(|| carry("metadata"));
        let own_usage = metadata.as_deref().map(Object::read);
        let own_usage = own_usage.as_ref().and_then(|own| own.get("token_usage"));
        let payload = [
            ("stream_id", stream_id),
            ("markdown", markdown),
            ("citations", Some(citations.as_deref().unwrap_or(b"[]"))),
            ("metadata", metadata.as_deref()),
            ("token_usage", token_usage.or(own_usage)),
            ("created_at", Some(&now)),
        ];
        let draft = Draft::read(&object::record("assistant_message", &payload))?;
        if let Some(index) = stream {
            self.remove(index);
        }
        let existing = key.and_then(|key| self.records.last_message(&key));
        if let Some(index) = existing
            && let Some(record) = self.records.get_mut(index)
        {
            let [_, changed @ ..] = payload;
            for (name, value) in changed {
                record.open().payload.set(name, value.unwrap_or(b"null"));
            }
            record.close();
            return Ok(index);
        }
        let index = self.len();
        self.insert_draft(index, draft);
        Ok(index)
    }
}

/// The citations in a metadata object.
fn citations(metadata: &[u8]) -> Vec<u8> {
    let metadata = Object::read(metadata);
    metadata.get("citations").unwrap_or(b"[]").to_vec()
}

/// A time as JSON: RFC 3339, or `{unix_secs, nanos}` for years behind 9999, which have no such text. A clock that stands
/// before the year 0 is taken to stand at its beginning.
fn timestamp(time: UnixTime) -> Vec<u8> {
    let mut out = vec![b'"'];
    if write_rfc3339(&mut out, time) {
        out.push(b'"');
        return out;
    }
    let UnixTime { secs, nanos } = time;
    if secs < 0 {
        return br#""0000-01-01T00:00:00Z""#.to_vec();
    }
    format!("{{\"unix_secs\":{secs},\"nanos\":{nanos}}}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixTime = UnixTime {
        secs: 1_767_323_045,
        nanos: 5,
    };

    fn text(state: &HistoryState, index: usize) -> String {
        String::from_utf8(state.get(index).unwrap().text().into_owned()).unwrap()
    }

    #[test]
    fn a_stream_becomes_a_message_at_the_end_under_a_new_id() {
        // The example of 3.4.
        let mut state = HistoryState::default();
        state.push(br#"{"type":"later","payload":0}"#).unwrap();
        let stream = r#"{"stream_id":"s","preview_markdown":"He","delta":{"delta":"He","received_at":"2026-01-02T03:04:05Z"},"metadata":{"citations":["c"],"token_usage":{"prompt":1,"completion":2,"total":9},"x":0}}"#;
        assert_eq!(state.upsert_assistant_stream(stream.as_bytes(), NOW), Ok(2));
        state.push(br#"{"type":"later","payload":1}"#).unwrap();
        let expected = r#"{"id":2,"type":"assistant_stream","payload":{"stream_id":"s","preview_markdown":"He","deltas":[{"delta":"He","received_at":"2026-01-02T03:04:05Z"}],"citations":["c"],"metadata":{"citations":["c"],"token_usage":{"prompt":1,"completion":2,"total":9},"x":0},"in_progress":true,"last_updated_at":"2026-01-02T03:04:05.000000005Z"}}"#;
        assert_eq!(text(&state, 1), expected);

        let message = br#"{"stream_id":"s","markdown":"Hello"}"#;
        assert_eq!(state.finalize_assistant_stream(message, NOW), Ok(2));
        let expected = r#"{"id":4,"type":"assistant_message","payload":{"stream_id":"s","markdown":"Hello","citations":["c"],"metadata":{"citations":["c"],"token_usage":{"prompt":1,"completion":2,"total":9},"x":0},"token_usage":{"prompt":1,"completion":2,"total":9},"created_at":"2026-01-02T03:04:05.000000005Z"}}"#;
        assert_eq!(text(&state, 2), expected);
        assert_eq!((state.len(), state.stream(br#""s""#)), (3, None));

        // The second call has nothing to carry.
        assert_eq!(state.finalize_assistant_stream(message, NOW), Ok(2));
        let expected = r#"{"id":4,"type":"assistant_message","payload":{"stream_id":"s","markdown":"Hello","citations":[],"metadata":null,"token_usage":null,"created_at":"2026-01-02T03:04:05.000000005Z"}}"#;
        assert_eq!(text(&state, 2), expected);
        assert_eq!(state.next_id(), 5);
    }

    #[test]
    fn deltas_join_by_sequence_and_keep_the_rest_of_the_first() {
        let mut state = HistoryState::default();
        for (delta, sequence) in [
            ("a", "1"),
            ("b\\n", "1"),
            ("c", "null"),
            ("", "null"),
            ("d", "1"),
        ] {
            let stream = format!(
                r#"{{"stream_id":"","preview_markdown":"","delta":{{"received_at":"2026-01-02T03:04:05Z","n":"{delta}","sequence":{sequence},"delta":"{delta}"}}}}"#
            );
            state
                .upsert_assistant_stream(stream.as_bytes(), NOW)
                .unwrap();
        }
        let entry = |first: &str, sequence, all: &str| {
            format!(
                r#"{{"received_at":"2026-01-02T03:04:05Z","n":"{first}","sequence":{sequence},"delta":"{all}"}}"#
            )
        };
        let deltas = [
            entry("a", "1", "ab\\n"),
            entry("c", "null", "c"),
            entry("d", "1", "d"),
        ];
        let expected = format!(r#""deltas":[{}]"#, deltas.join(","));
        assert!(text(&state, 0).contains(&expected), "{}", text(&state, 0));
    }

    #[test]
    fn a_year_without_rfc_3339_is_written_in_seconds() {
        let far = UnixTime {
            secs: 253_402_300_800,
            nanos: 7,
        };
        assert_eq!(timestamp(far), br#"{"unix_secs":253402300800,"nanos":7}"#);
        let before = UnixTime {
            secs: i64::MIN,
            nanos: 0,
        };
        assert_eq!(timestamp(before), br#""0000-01-01T00:00:00Z""#);
        assert_eq!(timestamp(NOW), br#""2026-01-02T03:04:05.000000005Z""#);
    }
}
