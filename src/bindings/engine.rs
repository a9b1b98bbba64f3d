//! The engine as a JavaScript class: results instead of exceptions.

use super::document::{JsDocument, session_id};
use super::errors::to_js;
use super::foreign::JsStore;
use super::glue;
use super::hooks::{JsHooks, JsPlanner};
use super::store::{OwnStore, RawStore, to_value};
use super::types::ImportReport;
use crate::history::{
    Bounds, Document, Engine, FiveMethods, Handled, History, Imported, Prior, Recorded, Replay,
    Retention, Rules,
};
use crate::protocol::{Error, MessageId, SessionId};
use js_sys::{Function, Promise, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

/// Where an engine keeps its entries.
pub enum AnyHistory {
    /// A store of this package.
    Own(OwnStore),
    /// A caller's own.
    Foreign(FiveMethods<JsStore>),
}

/// Checked limits and what they cut.
#[wasm_bindgen]
pub struct RawBounds {
    bounds: Bounds,
    retention: Retention,
}

#[wasm_bindgen]
impl RawBounds {
    /// Checks the limits; `keep` cuts only what a model is sent.
    #[wasm_bindgen(constructor)]
    pub fn new(max_entries: Option<f64>, max_chars: Option<f64>, keep: bool) -> Result<Self, JsValue> {
        let bounds = Bounds::new(max_entries, max_chars).map_err(|error| to_js(&error.below("history")))?;
        Ok(Self { bounds, retention: if keep { Retention::Keep } else { Retention::Truncate } })
    }
}

/// An engine as the package's JavaScript holds it.
#[wasm_bindgen]
pub struct RawEngine {
    engine: Rc<Engine<JsDocument, AnyHistory>>,
    plan: Function,
}

#[wasm_bindgen]
impl RawEngine {
    /// An engine without history.
    pub fn alone(plan: Function) -> Self {
        Self {
            engine: Rc::new(Engine::new(None)),
            plan,
        }
    }

    /// An engine whose history is in a store of this package.
    pub fn own(
        plan: Function,
        store: &RawStore,
        bounds: RawBounds,
        transform: Option<Function>,
        derive: Option<Function>,
    ) -> Self {
        Self::with(plan, AnyHistory::Own(store.own()), bounds, JsHooks { transform, derive })
    }

    /// An engine whose history is in a caller's own store.
    pub fn foreign(
        plan: Function,
        store: JsValue,
        bounds: RawBounds,
        transform: Option<Function>,
        derive: Option<Function>,
    ) -> Result<Self, JsValue> {
        let store = JsStore::new(store).map_err(|error| to_js(&error))?;
        let history = AnyHistory::Foreign(FiveMethods::new(store));
        Ok(Self::with(plan, history, bounds, JsHooks { transform, derive }))
    }

    fn with(plan: Function, history: AnyHistory, bounds: RawBounds, hooks: JsHooks) -> Self {
        let rules = Rules { bounds: bounds.bounds, retention: bounds.retention, hooks: Rc::new(hooks) };
        Self { engine: Rc::new(Engine::new(Some((history, rules)))), plan }
    }

    /// Resolves to the result of a request or an injection.
    pub fn handle(&self, message: JsValue, signal: Option<AbortSignal>) -> Promise {
        let engine = Rc::clone(&self.engine);
        let planner = JsPlanner {
            plan: self.plan.clone(),
            signal,
        };
        result(async move {
            let message = JsDocument::of_value(&message)?;
            Ok(match engine.handle(&message, &planner).await? {
                Handled::Response {
                    output,
                    replayed,
                    conflict,
                } => glue::chart_response(output.live(), replayed, conflict),
                Handled::Injected(Recorded { inserted, conflict }) => {
                    glue::injection_result(inserted, conflict)
                }
            })
        })
    }

    /// Resolves to the result of `getHistory`.
    #[wasm_bindgen(js_name = getHistory)]
    pub fn get_history(&self, session: JsValue) -> Promise {
        let engine = Rc::clone(&self.engine);
        result(async move {
            Ok(engine
                .wire_history(&session_id(&session)?)
                .await?
                .to_value())
        })
    }

    /// Resolves to the result of `getLLMContext`.
    #[wasm_bindgen(js_name = getLLMContext)]
    pub fn get_llm_context(&self, session: JsValue) -> Promise {
        let engine = Rc::clone(&self.engine);
        result(async move {
            Ok(engine
                .llm_context(&session_id(&session)?)
                .await?
                .messages
                .to_value())
        })
    }

    /// Resolves to the result of `getLLMContextBytes`.
    #[wasm_bindgen(js_name = getLLMContextBytes)]
    pub fn get_llm_context_bytes(&self, session: JsValue) -> Promise {
        let engine = Rc::clone(&self.engine);
        result(async move {
            let messages = engine.llm_context(&session_id(&session)?).await?.messages;
            Ok(Uint8Array::from(&*messages.text()).into())
        })
    }

    /// Resolves to the result of `importHistory`.
    #[wasm_bindgen(js_name = importHistory)]
    pub fn import_history(&self, session: JsValue, entries: JsValue) -> Promise {
        let engine = Rc::clone(&self.engine);
        result(async move {
            let session = session_id(&session)?;
            let entries = JsDocument::of_value(&entries)?;
            let imported = engine.import(&session, &entries.text()).await?;
            to_value(ImportReport::from(imported))
        })
    }
}

/// A promise of a `Result` that never rejects.
fn result(work: impl Future<Output = Result<JsValue, Error>> + 'static) -> Promise {
    future_to_promise(async move {
        Ok(match work.await {
            Ok(value) => glue::ok_result(&value),
            Err(error) => glue::err_result(&to_js(&error)),
        })
    })
}

macro_rules! either {
    ($self:ident, $history:ident => $call:expr) => {
        match $self {
            Self::Own($history) => $call,
            Self::Foreign($history) => $call,
        }
    };
}

impl History<JsDocument> for AnyHistory {
    async fn replay(
        &self,
        session: &SessionId,
        id: &MessageId,
        request: &JsDocument,
    ) -> Result<Option<Replay<JsDocument>>, Error> {
        either!(self, history => history.replay(session, id, request).await)
    }

    async fn prior(
        &self,
        session: &SessionId,
        rules: &Rules<JsDocument>,
    ) -> Result<Prior<JsDocument>, Error> {
        either!(self, history => history.prior(session, rules).await)
    }

    async fn record(
        &self,
        session: &SessionId,
        entry: &JsDocument,
        rules: &Rules<JsDocument>,
    ) -> Result<Recorded, Error> {
        either!(self, history => history.record(session, entry, rules).await)
    }

    async fn import(
        &self,
        session: &SessionId,
        entries: &[JsDocument],
        rules: &Rules<JsDocument>,
    ) -> Result<Imported, Error> {
        either!(self, history => history.import(session, entries, rules).await)
    }

    async fn wire(&self, session: &SessionId) -> Result<JsDocument, Error> {
        either!(self, history => history.wire(session).await)
    }
}
