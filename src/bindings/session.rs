//! The session's rules as JavaScript calls them: live objects stay there, what is looked at comes as numbers, or as
//! JSON text that JavaScript wrote of a checked value.

use super::glue::is_well_formed;
use super::part_errors::session_error;
use crate::json::{RawStr, Reader};
use crate::session::fork::copied_events;
use crate::session::rules::{apply, check};
use crate::session::seed::{check_element, check_legacy, check_shape};
use crate::session::{
    Effect, Event, Invariants, Parts, PlacementIndex, SessionError, Sources, Surface, SurfaceOp,
    ToolPairing, canonical_header, check_invariants, fold_surface, header_equals,
    is_surface_eligible, lines, session_header,
};
use crate::store::event_log::Texts;
use js_sys::{Array, Function, JsString, Uint8Array};
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;

/// The surface of a live session, and the event that is about to be in its log.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawSession {
    pub(super) surface: RefCell<Surface>,
    /// How many events there are.
    pub(super) len: RefCell<u64>,
    planned: RefCell<Option<Effect>>,
    /// What was taken over as texts; the events behind that are live objects alone.
    pub(super) stored: RefCell<Texts>,
    pub(super) last_header: Cell<Option<usize>>,
}

#[wasm_bindgen]
impl RawSession {
    /// A session without events.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the next event: 0 if it is only logged, 1 if it is appended to the surface, 2 if it replaces a range. `op`: 0
    /// absent, 1 append, 2 an object that has the keys of a replacement, 3 something else, 4 another object. NaN stands for
    /// what is no number.
    #[allow(clippy::too_many_arguments)]
    pub fn check(
        &self,
        kind: &str,
        seq: f64,
        op: u8,
        start: f64,
        end: f64,
        sources: Option<Vec<f64>>,
        is_no_list: bool,
    ) -> Result<u8, JsValue> {
        let parts = Parts {
            kind,
            seq,
            op: match op {
                0 => None,
                1 => Some(SurfaceOp::Append),
                2 => Some(SurfaceOp::replace(start, end)),
                3 => Some(SurfaceOp::Unknown),
                _ => Some(SurfaceOp::BadReplace),
            },
            sources: match &sources {
                Some(list) => Some(Sources::List(list)),
                None => is_no_list.then_some(Sources::NoArray),
            },
        };
        let effect = check(&self.surface.borrow(), *self.len.borrow(), &parts);
        self.plan(effect)
    }

    /// The same for an element of a seed, given as JSON text.
    #[wasm_bindgen(js_name = checkSeed)]
    pub fn check_seed(&self, event: &[u8]) -> Result<u8, JsValue> {
        let effect = check_element(event, *self.len.borrow(), &self.surface.borrow());
        self.plan(effect)
    }

    /// What the planned event shadows.
    pub fn shadowed(&self) -> Vec<f64> {
        match &*self.planned.borrow() {
            Some(Effect::Replace { shadowed, .. }) => {
                shadowed.iter().map(|&seq| seq as f64).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The event planned last is in the log.
    pub fn apply(&self) {
        let Some(effect) = self.planned.take() else {
            return;
        };
        let mut len = self.len.borrow_mut();
        apply(&mut self.surface.borrow_mut(), *len, &effect);
        *len += 1;
    }

    /// The nodes in surface order.
    pub fn nodes(&self) -> Vec<f64> {
        self.surface
            .borrow()
            .nodes()
            .map(|seq| seq as f64)
            .collect()
    }

    /// How many replacements there were.
    #[wasm_bindgen(js_name = replaceGeneration)]
    pub fn replace_generation(&self) -> f64 {
        self.surface.borrow().replace_generation() as f64
    }
}

impl RawSession {
    fn plan(&self, effect: Result<Effect, SessionError>) -> Result<u8, JsValue> {
        let effect = thrown(effect)?;
        let number = match &effect {
            Effect::LogOnly => 0,
            Effect::Append => 1,
            Effect::Replace { .. } => 2,
        };
        self.planned.replace(Some(effect));
        Ok(number)
    }
}

/// Whether events keep to turns and steps, one after the other.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawInvariants(RefCell<Invariants>);

#[wasm_bindgen]
impl RawInvariants {
    /// Of a session without events.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event in, or refuses it and stays as it was.
    pub fn advance(&self, event: &[u8]) -> Result<(), JsValue> {
        let event = Event::read(event).unwrap_or_default();
        let next = thrown(self.0.borrow().check(&event))?;
        self.0.borrow_mut().advance(next);
        Ok(())
    }
}

/// Which cuts of a log's surface part no tool call from its result.
#[wasm_bindgen]
pub struct RawPairing(ToolPairing);

#[wasm_bindgen]
impl RawPairing {
    /// Of a log, one JSON array.
    #[wasm_bindgen(constructor)]
    pub fn new(events: &[u8]) -> Result<Self, JsValue> {
        let events = items(events);
        let fold = thrown(fold_surface(events.iter().copied()))?;
        thrown(ToolPairing::new(&fold.nodes, &events)).map(Self)
    }

    /// How many calls are open before each node, and behind the last one.
    pub fn balances(&self) -> Vec<f64> {
        self.0.balances().iter().map(|&open| open as f64).collect()
    }

    /// Whether no call is open before a node, or behind it.
    #[wasm_bindgen(js_name = isBalanced)]
    pub fn is_balanced(&self, seq: f64, is_behind: bool) -> Result<bool, JsValue> {
        let seq = position(seq);
        thrown(if is_behind {
            self.0.is_balanced_after(seq)
        } else {
            self.0.is_balanced_before(seq)
        })
    }
}

/// Where the events of a log stand.
#[wasm_bindgen]
pub struct RawTraces(PlacementIndex);

#[wasm_bindgen]
impl RawTraces {
    /// Of a log, one JSON array.
    #[wasm_bindgen(constructor)]
    pub fn new(events: &[u8]) -> Result<Self, JsValue> {
        let events = items(events);
        let fold = thrown(fold_surface(events.iter().copied()))?;
        Ok(Self(PlacementIndex::new(
            &events,
            &fold.nodes,
            &fold.replacements,
        )))
    }

    /// `current`, `shadowed` or `log-only`.
    pub fn placement(&self, seq: f64) -> Result<String, JsValue> {
        thrown(self.0.placement(position(seq))).map(|placement| placement.as_str().to_owned())
    }

    /// What an event has to do with others, as JSON text.
    pub fn trace(&self, seq: f64) -> Result<Vec<u8>, JsValue> {
        thrown(self.0.trace(position(seq))).map(|trace| trace.to_json())
    }
}

/// A sequence number; what is none is behind all of them.
fn position(seq: f64) -> u64 {
    if seq >= 0.0 && seq.fract() == 0.0 {
        seq as u64
    } else {
        u64::MAX
    }
}

/// What the rules say of a type: 1 if it has a place on the surface, 2 if it may be of the format before version 0, 4 if
/// seeds look at its data.
#[wasm_bindgen(js_name = sessionTypeFlags)]
pub fn session_type_flags(kind: &JsString) -> u8 {
    // Half a surrogate pair is in no type that the rules know.
    if !is_well_formed(kind) {
        return 0;
    }
    let kind: String = kind.into();
    let flag = |holds: bool, bit: u8| if holds { bit } else { 0 };
    let is_header = kind == "request/header";
    flag(is_surface_eligible(&kind), 1)
        | flag(is_header || kind == "request/header-delta", 2)
        | flag(is_header || kind == "assistant/message", 4)
}

/// Refuses an event of the format before version 0.
#[wasm_bindgen(js_name = checkLegacyEvent)]
pub fn check_legacy_event(kind: &str, data: &[u8]) -> Result<(), JsValue> {
    thrown(check_legacy(kind, data))
}

/// Refuses an event that does not say which model it is about.
#[wasm_bindgen(js_name = checkEventShape)]
pub fn check_event_shape(kind: &str, data: &[u8]) -> Result<(), JsValue> {
    thrown(check_shape(kind, data))
}

/// The header of a session: the one given, checked, or one of its own. `id` is JSON text.
#[wasm_bindgen(js_name = sessionHeader)]
pub fn session_header(id: &[u8], given: Option<Vec<u8>>, now: f64) -> Result<Vec<u8>, JsValue> {
    match given {
        None => Ok(session_header::synthesised(raw_string(id), now as u64)),
        Some(header) => {
            thrown(session_header::check(&header, raw_string(id)))?;
            Ok(header)
        }
    }
}

/// The header of a session that a store creates, from what its caller said of it.
#[wasm_bindgen(js_name = createdHeader)]
pub fn created_header(id: &[u8], meta: Option<Vec<u8>>, now: f64) -> Result<Vec<u8>, JsValue> {
    thrown(session_header::of_created(
        raw_string(id),
        meta.as_deref(),
        now as u64,
    ))
}

/// How many events a fork copies. `boundary` is NaN for what is no number.
#[wasm_bindgen(js_name = forkLength)]
pub fn fork_length(
    len: f64,
    boundary: Option<f64>,
    is_turn_end: &Function,
) -> Result<f64, JsValue> {
    let ask = |seq: u64| {
        is_turn_end
            .call1(&JsValue::UNDEFINED, &(seq as f64).into())
            .is_ok_and(|answer| answer.is_truthy())
    };
    thrown(copied_events(len as u64, boundary, ask)).map(|copied| copied as f64)
}

/// A request header without what is empty or unknown.
#[wasm_bindgen(js_name = canonicalHeader)]
pub fn canonical(header: &[u8]) -> Result<Vec<u8>, JsValue> {
    thrown(canonical_header(header))
}

/// Whether two request headers say the same.
#[wasm_bindgen(js_name = headerEquals)]
pub fn equals(a: &[u8], b: &[u8]) -> bool {
    header_equals(a, b)
}

/// The events that close what a crash left open, as one JSON array.
#[wasm_bindgen(js_name = interruptedTurnClosers)]
pub fn closers(events: &[u8]) -> Vec<u8> {
    array(&crate::session::interrupted_turn_closers(&items(events)))
}

/// What a stream of chunks comes to.
#[wasm_bindgen(js_name = assembleChunks)]
pub fn assemble(chunks: &[u8]) -> Result<Vec<u8>, JsValue> {
    thrown(crate::session::assemble_chunks(&items(chunks))).map(|assembled| assembled.to_json())
}

/// Refuses a log that does not keep to turns and steps.
#[wasm_bindgen(js_name = checkInvariants)]
pub fn check_all_invariants(events: &[u8]) -> Result<(), JsValue> {
    thrown(check_invariants(items(events)))
}

/// Reads a log's JSON lines: `[texts, committedBytes]`, with the header and the events as one JSON array.
#[wasm_bindgen(js_name = readSessionLog)]
pub fn read_session_log(text: &[u8]) -> Result<Array, JsValue> {
    let log = thrown(lines::scan_log(text))?;
    thrown(lines::check_version(&log.header))?;
    thrown(lines::check_legacy(&log.events))?;
    let mut texts = vec![log.header];
    texts.extend(log.events.iter().map(|event| event.to_vec()));
    Ok(Array::of2(
        &Uint8Array::from(&*array(&texts)),
        &(log.committed_bytes as f64).into(),
    ))
}

/// The first of a log's JSON lines, without its end.
#[wasm_bindgen(js_name = headerLine)]
pub fn first_line(header: &[u8]) -> String {
    String::from_utf8(lines::header_line(header)).unwrap_or_default()
}

/// The inside of a string given as JSON text.
fn raw_string(text: &[u8]) -> RawStr<'_> {
    Reader::new(text)
        .string()
        .unwrap_or(RawStr::from_escaped(b""))
}

/// The items of an array given as JSON text.
pub(super) fn items(text: &[u8]) -> Vec<&[u8]> {
    let mut reader = Reader::new(text);
    let mut found = Vec::new();
    reader.begin_array();
    while reader.next_item() {
        let Some(range) = reader.skip() else { break };
        found.extend(text.get(range));
    }
    found
}

fn array(texts: &[Vec<u8>]) -> Vec<u8> {
    [&b"["[..], &texts.join(&b","[..]), b"]"].concat()
}

pub(super) fn thrown<T>(result: Result<T, SessionError>) -> Result<T, JsValue> {
    result.map_err(|error| session_error(&error))
}
