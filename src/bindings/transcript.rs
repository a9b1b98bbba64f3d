//! The transcript as JavaScript calls it: texts in, texts out. Objects are made and taken apart there.

use super::part_errors::transcript_error;
use super::session::items;
use crate::transcript::of_session::SessionView;
use crate::transcript::time::UnixTime;
use crate::transcript::{
    HistoryState, Record, TranscriptError, document_to_native, has_unsafe_integer,
    native_to_document,
};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A transcript.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawTranscript(RefCell<HistoryState>, RefCell<SessionView>);

#[wasm_bindgen]
impl RawTranscript {
    /// An empty one.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Another one that is the same.
    pub fn copy(&self) -> Self {
        Self(self.0.clone(), self.1.clone())
    }

    /// How many records there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.0.borrow().len()
    }

    /// The next id, in decimal digits.
    #[wasm_bindgen(js_name = nextId)]
    pub fn next_id(&self) -> String {
        self.0.borrow().next_id().to_string()
    }

    /// Adds a record at the end; its id, in decimal digits.
    pub fn push(&self, record: &[u8]) -> Result<String, JsValue> {
        id(self.0.borrow_mut().push(record))
    }

    /// Inserts a record; its id, in decimal digits.
    pub fn insert(&self, index: usize, record: &[u8]) -> Result<String, JsValue> {
        id(self.0.borrow_mut().insert(index, record))
    }

    /// Takes out the record at a position.
    pub fn remove(&self, index: usize) -> Option<Vec<u8>> {
        let removed = self.0.borrow_mut().remove(index);
        removed.map(|record| record.text().into_owned())
    }

    /// The text of the record at a position.
    pub fn get(&self, index: usize) -> Option<Vec<u8>> {
        let state = self.0.borrow();
        state.get(index).map(|record| record.text().into_owned())
    }

    /// The position of an id in decimal digits.
    #[wasm_bindgen(js_name = indexOf)]
    pub fn index_of(&self, id: &str) -> Option<usize> {
        self.0.borrow().index_of(id.parse().ok()?)
    }

    /// What a lookup (0 exec calls, 1 tool calls, 2 streams) has for a key, a JSON string: an id in decimal digits.
    #[wasm_bindgen(js_name = lookUp)]
    pub fn look_up(&self, lookup: u8, key: &[u8]) -> Option<String> {
        let state = self.0.borrow();
        let id = match lookup {
            0 => state.exec_call(key),
            1 => state.tool_call(key),
            _ => state.stream(key),
        };
        id.map(|id| id.to_string())
    }

    /// Applies an event; the text of the mutation.
    pub fn apply(&self, event: &[u8], now: f64) -> Result<Vec<u8>, JsValue> {
        let mut state = self.0.borrow_mut();
        let mutation = thrown(state.apply(event, time(now)))?;
        Ok(mutation.text(&state))
    }

    /// Adds to a stream, or begins it; its id, in decimal digits.
    pub fn upsert(&self, stream: &[u8], now: f64) -> Result<String, JsValue> {
        let mut state = self.0.borrow_mut();
        id(state.upsert_assistant_stream(stream, time(now)))
    }

    /// Makes a stream a message; the text of its record.
    pub fn finalize(&self, message: &[u8], now: f64) -> Result<Vec<u8>, JsValue> {
        let mut state = self.0.borrow_mut();
        let index = thrown(state.finalize_assistant_stream(message, time(now)))?;
        let record = state.get(index).map(|record| record.text().into_owned());
        Ok(record.unwrap_or_default())
    }

    /// Takes out the records behind an id in decimal digits, as one JSON array. What is no id is one that is not there.
    #[wasm_bindgen(js_name = truncateAfter)]
    pub fn truncate_after(&self, id: &str) -> Vec<u8> {
        let removed = match id.parse() {
            Ok(id) => self.0.borrow_mut().truncate_after(id),
            Err(_) => Vec::new(),
        };
        array(&removed)
    }

    /// How many events of a session were drawn.
    pub fn drawn(&self) -> f64 {
        self.1.borrow().seen() as f64
    }

    /// Draws the next events of a session, one JSON array.
    pub fn draw(&self, events: &[u8]) {
        let (mut state, mut view) = (self.0.borrow_mut(), self.1.borrow_mut());
        for event in items(events) {
            view.take(&mut state, event);
        }
    }

    /// The whole state.
    pub fn snapshot(&self) -> Vec<u8> {
        self.1.borrow().save(self.0.borrow().snapshot())
    }

    /// The records from one position to another, as one JSON array.
    pub fn records(&self, from: usize, to: usize) -> Vec<u8> {
        let state = self.0.borrow();
        let records = (from..to.min(state.len())).filter_map(|index| state.get(index));
        array(records)
    }

    /// The whole state but for the records.
    pub fn frame(&self) -> Vec<u8> {
        self.1.borrow().save(self.0.borrow().snapshot_of(0..0))
    }

    /// Takes over a snapshot.
    pub fn restore(&self, snapshot: &[u8]) -> Result<(), JsValue> {
        let mut state = HistoryState::default();
        thrown(state.restore(snapshot))?;
        let view = thrown(SessionView::of_snapshot(snapshot))?;
        self.0.replace(state);
        self.1.replace(view);
        Ok(())
    }
}

/// Where a text has an integer that a JavaScript number may not hold; undefined where it has none.
#[wasm_bindgen(js_name = unsafeIntegerIn)]
pub fn unsafe_integer_in(text: &[u8]) -> Option<String> {
    has_unsafe_integer(text)
}

/// A snapshot in the native form as one in the document form.
#[wasm_bindgen(js_name = nativeToDocument)]
pub fn to_document(text: &[u8]) -> Result<Vec<u8>, JsValue> {
    thrown(native_to_document(text))
}

/// A snapshot in the document form as one in the native form.
#[wasm_bindgen(js_name = documentToNative)]
pub fn to_native(text: &[u8]) -> Result<Vec<u8>, JsValue> {
    thrown(document_to_native(text))
}

fn array<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut out = vec![b'['];
    for record in records {
        if out.len() > 1 {
            out.push(b',');
        }
        record.write(&mut out);
    }
    out.push(b']');
    out
}

/// Epoch milliseconds as the core counts time.
fn time(ms: f64) -> UnixTime {
    let seconds = (ms / 1000.0).floor();
    UnixTime {
        secs: seconds as i64,
        nanos: ((ms - seconds * 1000.0) * 1e6) as u32,
    }
}

fn id(result: Result<u64, TranscriptError>) -> Result<String, JsValue> {
    thrown(result).map(|id| id.to_string())
}

fn thrown<T>(result: Result<T, TranscriptError>) -> Result<T, JsValue> {
    result.map_err(|error| transcript_error(&error))
}
