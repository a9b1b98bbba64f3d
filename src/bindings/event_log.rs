//! Stored events as JavaScript's places hand them in and take them.

use super::errors::{session_error, to_js};
use super::session::{RawSession, items, thrown};
use crate::protocol::{Error, ErrorCode};
use crate::session::seed::check_element;
use crate::session::{SessionError, interrupted_turn_closers, lines, rules};
use crate::store::chunk::{MAX_PART, Owner, Unreadable};
use crate::store::event_log::{
    Segment, StoredLog, check_whole, seal_header, segments, unseal_header,
};
use js_sys::{Array, Float64Array, Uint8Array};
use wasm_bindgen::prelude::*;

/// Packs events, one JSON array, the first of which has the number `first`: `[keys, values]` with the number of each value's
/// last event and of its part.
#[wasm_bindgen(js_name = packEvents)]
pub fn pack_events(key: &str, first: f64, events: &[u8]) -> Array {
    let mut next = first;
    let (mut keys, values) = (Vec::new(), Array::new());
    for Segment { count, value } in segments(&items(events), Owner::of_log(key.as_bytes())) {
        next += count as f64;
        for (part, bytes) in value.chunks(MAX_PART).enumerate() {
            keys.extend([next - 1.0, part as f64]);
            values.push(&Uint8Array::from(bytes));
        }
    }
    Array::of2(&Float64Array::from(&*keys), &values)
}

/// A header as it is stored.
#[wasm_bindgen(js_name = sealHeader)]
pub fn sealed_header(key: &str, header: &[u8], mark: &str) -> Vec<u8> {
    seal_header(header, mark, Owner::of_log(key.as_bytes()))
}

/// The header that is stored.
#[wasm_bindgen(js_name = unsealHeader)]
pub fn unsealed_header(key: &str, value: &[u8]) -> Result<Vec<u8>, JsValue> {
    let header = unseal_header(value, Owner::of_log(key.as_bytes())).map_err(unreadable)?;
    Ok(header.to_vec())
}

/// Refuses a header of another version than 0.
#[wasm_bindgen(js_name = checkHeaderVersion)]
pub fn check_header_version(header: &[u8]) -> Result<(), JsValue> {
    thrown(lines::check_version(header))
}

/// What the stored segments of a session hold.
#[wasm_bindgen]
pub struct RawStoredLog(StoredLog);

#[wasm_bindgen]
impl RawStoredLog {
    /// Reads the values of segments in the order of their events, each in one piece.
    #[wasm_bindgen(constructor)]
    pub fn new(key: &str, values: &Array) -> Result<Self, JsValue> {
        // Something else than bytes reads as damage.
        let values: Vec<_> = values
            .iter()
            .map(|value| {
                let bytes = value.dyn_into::<Uint8Array>();
                bytes.map_or_else(|_| Vec::new(), |bytes| bytes.to_vec())
            })
            .collect();
        let read = StoredLog::read(
            values.iter().map(Vec::as_slice),
            Owner::of_log(key.as_bytes()),
        );
        read.map(Self).map_err(unreadable)
    }

    /// How many events are readable from the first on.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Positions of values that are damaged, or behind damage.
    pub fn apart(&self) -> Vec<u32> {
        self.0.apart.iter().map(|&at| at as u32).collect()
    }

    /// Positions of values that another writer was before.
    pub fn doubles(&self) -> Vec<u32> {
        self.0.doubles.iter().map(|&at| at as u32).collect()
    }

    /// Refuses damage that complete turns stand behind, and logs of the format before version 0.
    pub fn check(&self) -> Result<(), JsValue> {
        thrown(check_whole(&self.0))?;
        thrown(lines::check_legacy(&self.0.events()))
    }

    /// How many of these events, one JSON array, are stored from number `first` on.
    pub fn matching(&self, first: usize, events: &[u8]) -> usize {
        self.0.matching(first, &items(events))
    }
}

#[wasm_bindgen]
impl RawSession {
    /// Takes over what is stored as the seed, and the events that close what a crash left open; how many events these are.
    #[wasm_bindgen(js_name = seedStored)]
    pub fn seed_stored(&self, log: RawStoredLog) -> Result<usize, JsValue> {
        let RawStoredLog(log) = log;
        let closers = interrupted_turn_closers(&log.events());
        let stored = (0..log.len()).map(|seq| log.event(seq));
        for event in stored.chain(closers.iter().map(Vec::as_slice)) {
            thrown(self.seed_next(event))?;
        }
        let taken = log.len() + closers.len();
        self.stored.replace(log);
        self.closers.replace(closers);
        Ok(taken)
    }

    /// The texts of events that were taken over that way, from one number to another, as one JSON array.
    #[wasm_bindgen(js_name = eventTexts)]
    pub fn event_texts(&self, from: usize, to: usize) -> Vec<u8> {
        let (stored, closers) = (self.stored.borrow(), self.closers.borrow());
        let between = stored.len().clamp(from, to.max(from));
        let mut out = vec![b'['];
        let texts = (from..between.min(stored.len())).map(|seq| stored.event(seq));
        let behind = from.saturating_sub(stored.len())..to.saturating_sub(stored.len());
        let closing = closers.get(behind).unwrap_or_default();
        for text in texts.chain(closing.iter().map(Vec::as_slice)) {
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend_from_slice(text);
        }
        out.push(b']');
        out
    }

    /// The number of the last request header among them.
    #[wasm_bindgen(js_name = lastHeader)]
    pub fn last_header(&self) -> Option<usize> {
        self.last_header.get()
    }
}

impl RawSession {
    fn seed_next(&self, event: &[u8]) -> Result<(), SessionError> {
        let seq = *self.len.borrow();
        let effect = check_element(event, seq, &self.surface.borrow())?;
        rules::apply(&mut self.surface.borrow_mut(), seq, &effect);
        *self.len.borrow_mut() += 1;
        if crate::session::Event::read(event).is_some_and(|event| event.is("request/header")) {
            self.last_header.set(Some(seq as usize));
        }
        Ok(())
    }
}

fn unreadable(why: Unreadable) -> JsValue {
    match why {
        Unreadable::Damaged => session_error(&SessionError::new(
            crate::session::SessionCode::CorruptLog,
            "what is stored of the session cannot be read",
        )),
        Unreadable::TooNew => to_js(&Error::store(
            ErrorCode::VersionTooNew,
            "the stored data was written by a newer version of this package",
        )),
    }
}
