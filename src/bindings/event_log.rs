//! Stored events as JavaScript's places hand them in and take them.

use super::errors::to_js;
use super::part_errors::session_error;
use super::session::{RawSession, items, thrown};
use crate::protocol::{Error, ErrorCode};
use crate::session::seed::check_read;
use crate::session::{Event, SessionCode, SessionError, interrupted_turn_closers, lines, rules};
use crate::store::chunk::{MAX_PART, Owner, Unreadable};
use crate::store::event_log::{
    Segment, StoredLog, Texts, check_whole, seal, seal_header, segments, unseal, unseal_header,
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

/// Text as it is stored beside a session of this key.
#[wasm_bindgen(js_name = sealText)]
pub fn seal_text(key: &str, text: &[u8]) -> Vec<u8> {
    seal(text, Owner::of_log(key.as_bytes()))
}

/// The text that is stored.
#[wasm_bindgen(js_name = unsealText)]
pub fn unseal_text(key: &str, value: &[u8]) -> Result<Vec<u8>, JsValue> {
    let text = unseal(value, Owner::of_log(key.as_bytes())).map_err(unreadable)?;
    Ok(text.to_vec())
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
        self.0.texts().len()
    }

    /// Positions of values that are damaged, or behind damage.
    pub fn apart(&self) -> Vec<u32> {
        self.0.apart.iter().map(|&at| at as u32).collect()
    }

    /// Positions of values that another writer was before.
    pub fn doubles(&self) -> Vec<u32> {
        self.0.doubles.iter().map(|&at| at as u32).collect()
    }

    /// Refuses logs of the format before version 0 and, unless what is behind it is given up (`salvage`), damage that
    /// complete turns stand behind.
    pub fn check(&self, salvage: bool) -> Result<(), JsValue> {
        if !salvage {
            thrown(check_whole(&self.0))?;
        }
        thrown(lines::check_legacy(
            &self.0.texts().iter().collect::<Vec<_>>(),
        ))
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
        let mut texts = log.0.into_texts();
        for closer in interrupted_turn_closers(&texts.iter().collect::<Vec<_>>()) {
            texts.push(&closer);
        }
        self.seed_texts(texts)
    }

    /// Takes over a log of JSON lines as the seed; its header.
    #[wasm_bindgen(js_name = seedLines)]
    pub fn seed_lines(&self, text: Vec<u8>) -> Result<Vec<u8>, JsValue> {
        let mut refused = Ok(());
        let log = thrown(lines::scan_log_with(&text, &mut |_, event| {
            if refused.is_ok() {
                refused = self.seed_next(event);
            }
        }))?;
        thrown(lines::check_version(&log.header))?;
        thrown(refused)?;
        let start = text.as_ptr() as usize;
        let ranges = log.events.iter().map(|event| {
            let from = event.as_ptr() as usize - start;
            (from as u32, (from + event.len()) as u32)
        });
        let (ranges, header) = (ranges.collect(), log.header);
        self.stored.replace(Texts::within(text, ranges));
        Ok(header)
    }

    /// How many events were taken over as texts.
    #[wasm_bindgen(js_name = storedLength)]
    pub fn stored_length(&self) -> usize {
        self.stored.borrow().len()
    }

    /// The texts of events that were taken over, from one number to another, as one JSON array.
    #[wasm_bindgen(js_name = eventTexts)]
    pub fn event_texts(&self, from: usize, to: usize) -> Vec<u8> {
        let stored = self.stored.borrow();
        joined((from..to.min(stored.len())).map(|seq| stored.get(seq)))
    }

    /// The same for some of them.
    #[wasm_bindgen(js_name = eventTextsOf)]
    pub fn event_texts_of(&self, seqs: Vec<u32>) -> Vec<u8> {
        let stored = self.stored.borrow();
        joined(seqs.iter().map(|&seq| stored.get(seq as usize)))
    }

    /// The number of the last request header among them.
    #[wasm_bindgen(js_name = lastHeader)]
    pub fn last_header(&self) -> Option<usize> {
        self.last_header.get()
    }
}

impl RawSession {
    fn seed_texts(&self, texts: Texts) -> Result<usize, JsValue> {
        for event in texts.iter() {
            thrown(self.seed_next(&Event::read(event).unwrap_or_default()))?;
        }
        let taken = texts.len();
        self.stored.replace(texts);
        Ok(taken)
    }

    fn seed_next(&self, event: &Event<'_>) -> Result<(), SessionError> {
        let seq = *self.len.borrow();
        let effect = check_read(event, seq, &self.surface.borrow())?;
        rules::apply(&mut self.surface.borrow_mut(), seq, &effect);
        *self.len.borrow_mut() += 1;
        if event.is("request/header") {
            self.last_header.set(Some(seq as usize));
        }
        Ok(())
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = vec![b'['];
    for text in texts {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(text);
    }
    out.push(b']');
    out
}

fn unreadable(why: Unreadable) -> JsValue {
    match why {
        Unreadable::Damaged => session_error(&SessionError::new(
            SessionCode::CorruptLog,
            "what is stored of the session cannot be read",
        )),
        Unreadable::TooNew => to_js(&Error::store(
            ErrorCode::VersionTooNew,
            "the stored data was written by a newer version of this package",
        )),
    }
}
