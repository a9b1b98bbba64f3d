//! What a model is sent, as JavaScript calls it: lists and options come in as JSON text, bodies and reports go out likewise.

use super::part_errors::{context_error, session_error};
use super::session::{RawSession, items};
use crate::context::{
    Asked, CompactionTarget, ContextError, ContextOptions, Conversation, ListOptions, Provider,
    Report, TokenCounter, estimate_tokens, plan_compaction, write_messages, write_plan,
    write_report,
};
use crate::session::SessionError;
use js_sys::{Array, Function, Uint8Array};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;

/// The most tokens a counter can say: numbers up to here are integers in JavaScript.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// A conversation of which requests are made.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawConversation(RefCell<Conversation>);

#[wasm_bindgen]
impl RawConversation {
    /// One in which nothing was said yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all items but the first `count`.
    pub fn truncate(&self, count: usize) {
        self.0.borrow_mut().truncate(count);
    }

    /// Forgets what was counted, for another way of counting.
    #[wasm_bindgen(js_name = forgetCounts)]
    pub fn forget_counts(&self) {
        self.0.borrow_mut().forget_counts();
    }

    /// Adds the items of a list.
    pub fn extend(&self, list: &[u8]) -> Result<(), JsValue> {
        let added = self.0.borrow_mut().extend(list);
        added.map_err(|error| context_error(&error))
    }

    /// Adds the items of a list that all came from one place.
    #[wasm_bindgen(js_name = extendAs)]
    pub fn extend_as(&self, list: &[u8], place: u32) -> Result<(), JsValue> {
        let mut conversation = self.0.borrow_mut();
        items(list)
            .iter()
            .try_for_each(|item| conversation.push(item, place as usize))
            .map_err(|error| context_error(&error))
    }

    /// Adds events that a session took over as texts.
    #[wasm_bindgen(js_name = extendStored)]
    pub fn extend_stored(&self, session: &RawSession, seqs: &[u32]) {
        let stored = session.stored.borrow();
        let mut conversation = self.0.borrow_mut();
        conversation.reserve(seqs.iter().map(|&seq| stored.get(seq as usize).len()).sum());
        for &seq in seqs {
            conversation.push_event(stored.get(seq as usize), seq as usize);
        }
    }

    /// Adds what events of these numbers say: their messages, one JSON array, `null` for one that says nothing.
    #[wasm_bindgen(js_name = extendSaid)]
    pub fn extend_said(&self, messages: &[u8], seqs: &[u32]) {
        self.0.borrow_mut().extend_said(messages, seqs);
    }

    /// `[messages, report]`: the list, and what was done to it. `api` is that of which API the list is to be legal by.
    pub fn context(
        &self,
        options: &[u8],
        api: Option<String>,
        counter: Option<Function>,
    ) -> Result<Array, JsValue> {
        self.counted(options, true, counter, |conversation, options| {
            let api = api.map(|api| provider(&api, "api")).transpose()?;
            let context = conversation.context(api, options)?;
            let mut list = Vec::new();
            write_messages(&context.messages, &mut list);
            Ok(pair(&list, &context.report))
        })
    }

    /// `[body, report]`: what is sent to an API, and what was done to the list for it. The report is complete if it is `wanted`.
    /// Where a `view` will do, the body may be `[address, length]` in this module's memory, right until the next call.
    #[allow(clippy::too_many_arguments)]
    pub fn request(
        &self,
        api: &str,
        options: &[u8],
        header: Option<Vec<u8>>,
        counter: Option<Function>,
        wanted: bool,
        view: bool,
    ) -> Result<Array, JsValue> {
        self.counted(options, false, counter, |conversation, list_options| {
            let asked = Asked {
                options,
                header: header.as_deref(),
            };
            let (body, report) =
                conversation.request(provider(api, "provider")?, &asked, list_options, wanted)?;
            Ok(match body {
                Cow::Borrowed(body) if view => {
                    let place = (body.as_ptr() as usize as f64).into();
                    let place = Array::of2(&place, &(body.len() as f64).into());
                    Array::of2(&place, &report_of(&report))
                }
                body => pair(&body, &report),
            })
        })
    }
}

impl RawConversation {
    /// Runs `build` with a counter that calls JavaScript. What that throws comes out as it is, and nothing it said is kept.
    fn counted(
        &self,
        options: &[u8],
        is_context: bool,
        counter: Option<Function>,
        build: impl FnOnce(&mut Conversation, &mut ContextOptions<'_>) -> Result<Array, ContextError>,
    ) -> Result<Array, JsValue> {
        let options =
            ListOptions::read(options, is_context).map_err(|error| context_error(&error))?;
        let mut memo = std::mem::take(&mut self.0.borrow_mut().memo);
        let counting = counter.map(Counting::new);
        let count = counting
            .as_ref()
            .map(|counting| |text: &str| counting.count(text));
        let mut context_options = ContextOptions {
            rules: options.rules(),
            limits: options.limits,
            counter: count.as_ref().map(|count| TokenCounter {
                count,
                memo: &mut memo,
            }),
        };
        let built = build(&mut self.0.borrow_mut(), &mut context_options);
        if let Some(thrown) = counting.and_then(|counting| counting.thrown.take()) {
            return Err(thrown);
        }
        self.0.borrow_mut().memo = memo;
        built.map_err(|error| context_error(&error))
    }
}

/// A caller's way of counting tokens.
struct Counting {
    function: Function,
    thrown: Cell<Option<JsValue>>,
}

impl Counting {
    fn new(function: Function) -> Self {
        Self {
            function,
            thrown: Cell::new(None),
        }
    }

    /// 0 once something was thrown: what is built then is thrown away.
    fn count(&self, text: &str) -> u64 {
        let thrown = self.thrown.take();
        if thrown.is_some() {
            self.thrown.set(thrown);
            return 0;
        }
        let counted = self.function.call1(&JsValue::UNDEFINED, &text.into());
        match counted.map(|count| count.as_f64()) {
            Ok(Some(count)) if (0.0..=MAX_SAFE).contains(&count) => count.ceil() as u64,
            Ok(_) => {
                let error = ContextError::not_counted();
                self.thrown.set(Some(context_error(&error)));
                0
            }
            Err(error) => {
                self.thrown.set(Some(error));
                0
            }
        }
    }
}

/// The API of this name, which was given as `path`.
fn provider(api: &str, path: &str) -> Result<Provider, ContextError> {
    Provider::named(api).ok_or_else(|| ContextError {
        path: Some(path.to_owned()),
        ..ContextError::unknown_provider()
    })
}

fn pair(bytes: &[u8], report: &Report) -> Array {
    Array::of2(&Uint8Array::from(bytes), &report_of(report))
}

fn report_of(report: &Report) -> Uint8Array {
    let mut text = Vec::new();
    write_report(report, &mut text);
    Uint8Array::from(&*text)
}

/// About how many tokens a text is.
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimated_tokens(text: &str) -> f64 {
    estimate_tokens(text) as f64
}

/// Which range of a surface to summarise, as JSON text; none where nothing is to be. `events` is the surface's events, one JSON
/// array, `seqs` their numbers.
#[wasm_bindgen(js_name = planCompaction)]
pub fn planned_compaction(
    events: &[u8],
    seqs: &[u32],
    target: &[u8],
    counter: Option<Function>,
) -> Result<Option<Vec<u8>>, JsValue> {
    let target = CompactionTarget::read(target).map_err(|error| context_error(&error))?;
    let counting = counter.map(Counting::new);
    let count = |text: &str| match &counting {
        Some(counting) => counting.count(text),
        None => estimate_tokens(text),
    };
    let events = items(events);
    let places: Vec<u64> = (0..events.len() as u64).collect();
    let plan = plan_compaction(&places, &events, target, &count);
    if let Some(thrown) = counting
        .as_ref()
        .and_then(|counting| counting.thrown.take())
    {
        return Err(thrown);
    }
    let plan = plan.map_err(|error| session_error(&renumbered(error, seqs)))?;
    Ok(plan.map(|plan| write_plan(&plan, seqs)))
}

/// An error that names an event by its place on the surface, with the event's number instead.
fn renumbered(mut error: SessionError, seqs: &[u32]) -> SessionError {
    for (name, value) in &mut error.details {
        if *name == "seq"
            && let Some(&seq) = seqs.get(*value as usize)
        {
            *value = f64::from(seq);
        }
    }
    error
}
