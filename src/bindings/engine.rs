//! The engine as a JavaScript class: results instead of exceptions.

use super::document::{JsDocument, session_id};
use super::errors::to_js;
use super::foreign::JsStore;
use super::glue;
use super::hooks::{JsHooks, JsPlanner};
use super::store::{RawStore, to_value};
use super::types::ImportReport;
use crate::history::{
    Bounds, Document, Engine, FiveMethods, Handled, History, Recorded, Retention, Rules,
};
use crate::protocol::Error;
use js_sys::{Function, Promise, Uint8Array};
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

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
    pub fn new(
        max_entries: Option<f64>,
        max_chars: Option<f64>,
        keep: bool,
    ) -> Result<Self, JsValue> {
        let bounds =
            Bounds::new(max_entries, max_chars).map_err(|error| to_js(&error.below("history")))?;
        Ok(Self {
            bounds,
            retention: if keep {
                Retention::Keep
            } else {
                Retention::Truncate
            },
        })
    }
}

/// An engine as the package's JavaScript holds it.
#[wasm_bindgen]
pub struct RawEngine {
    engine: Rc<Engine<JsDocument>>,
    plan: Function,
}

#[wasm_bindgen]
impl RawEngine {
    /// An engine without history.
    pub fn alone(plan: Function) -> Self {
        Self {
            engine: Rc::new(Engine::stateless()),
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
        Self::with(
            plan,
            Rc::new(store.own()),
            bounds,
            JsHooks { transform, derive },
        )
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
        let history = Rc::new(FiveMethods::new(store));
        Ok(Self::with(
            plan,
            history,
            bounds,
            JsHooks { transform, derive },
        ))
    }

    fn with(
        plan: Function,
        history: Rc<dyn History<JsDocument>>,
        bounds: RawBounds,
        hooks: JsHooks,
    ) -> Self {
        let rules = Rules {
            bounds: bounds.bounds,
            retention: bounds.retention,
            hooks: Rc::new(hooks),
        };
        Self {
            engine: Rc::new(Engine::remembering(history, rules)),
            plan,
        }
    }

    /// Resolves to the result of a frozen request or injection.
    pub fn handle(&self, message: JsValue, signal: Option<AbortSignal>) -> Promise {
        let engine = Rc::clone(&self.engine);
        let planner = JsPlanner {
            plan: self.plan.clone(),
            signal,
        };
        result(async move {
            let message = JsDocument::of_frozen(message);
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
            Ok(Uint8Array::from(messages.text().as_slice()).into())
        })
    }

    /// Resolves to the result of `importHistory`; `entries` is frozen.
    #[wasm_bindgen(js_name = importHistory)]
    pub fn import_history(&self, session: JsValue, entries: JsValue) -> Promise {
        let engine = Rc::clone(&self.engine);
        result(async move {
            let session = session_id(&session)?;
            let entries = JsDocument::of_frozen(entries);
            let imported = engine.import(&session, &entries.text()).await?;
            to_value(ImportReport::from(imported))
        })
    }
}

/// A promise of a `Result` that never rejects. Boxed: one copy of the machinery for all methods.
fn result(work: impl Future<Output = Result<JsValue, Error>> + 'static) -> Promise {
    settle(Box::pin(work))
}

fn settle(work: Pin<Box<dyn Future<Output = Result<JsValue, Error>>>>) -> Promise {
    future_to_promise(async move {
        Ok(match work.await {
            Ok(value) => glue::ok_result(&value),
            Err(error) => glue::err_result(&to_js(&error)),
        })
    })
}
