//! The caller's functions: planner and hooks.

use super::document::JsDocument;
use super::errors::{as_thrown, of_hook, of_planner};
use super::glue;
use crate::history::{Document, Hooks, Planner, PlannerContext};
use crate::protocol::Error;
use js_sys::{Function, Object, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

/// `transformEntry` and `deriveLLMContext`.
pub struct JsHooks {
    /// `transformEntry`.
    pub transform: Option<Function>,
    /// `deriveLLMContext`.
    pub derive: Option<Function>,
}

impl Hooks<JsDocument> for JsHooks {
    fn transform(&self, entry: &JsDocument) -> Option<Result<JsDocument, Error>> {
        let hook = self.transform.as_ref()?;
        let returned = match hook.call1(&JsValue::UNDEFINED, entry.live()) {
            Ok(returned) => returned,
            Err(thrown) => return Some(Err(of_hook("transformEntry", thrown))),
        };
        if Object::is(&returned, entry.live()) {
            return Some(Ok(entry.clone()));
        }
        Some(JsDocument::of_value(&returned))
    }

    fn derive(&self, entry: &JsDocument) -> Result<JsDocument, Error> {
        let Some(hook) = &self.derive else {
            return Ok(super::functions::default_messages(entry));
        };
        let given = entry.clone();
        let defaults = Closure::<dyn Fn() -> JsValue>::new(move || {
            super::functions::default_messages(&given).to_value()
        });
        let returned = hook
            .call2(&JsValue::UNDEFINED, entry.live(), defaults.as_ref())
            .map_err(|thrown| of_hook("deriveLLMContext", thrown))?;
        let messages = glue::snapshot(&returned, true)
            .map(JsDocument::of_frozen)
            .map_err(as_thrown)?;
        crate::history::messages_units(&messages.text())
            .map_err(|e| e.below("deriveLLMContext"))?;
        Ok(messages)
    }

    fn derives(&self) -> bool {
        self.derive.is_some()
    }
}

/// The caller's planner for one request, with that request's signal.
pub struct JsPlanner {
    /// The plan function, bound to its object.
    pub plan: Function,
    /// The signal of this call.
    pub signal: Option<AbortSignal>,
}

impl JsPlanner {
    fn failed(&self, thrown: JsValue) -> Error {
        of_planner(
            thrown,
            self.signal.as_ref().is_some_and(AbortSignal::aborted),
        )
    }
}

impl Planner<JsDocument> for JsPlanner {
    async fn plan(
        &self,
        request: &JsDocument,
        context: PlannerContext<JsDocument>,
    ) -> Result<JsDocument, Error> {
        if let Some(signal) = self.signal.as_ref().filter(|signal| signal.aborted()) {
            return Err(self.failed(signal.reason()));
        }
        let signal = self
            .signal
            .as_ref()
            .map_or(JsValue::UNDEFINED, JsValue::from);
        let prior = context.prior;
        let context = glue::planner_context(
            &prior.messages.to_value(),
            &signal,
            context.session_id.as_str(),
            prior.over_budget,
        );
        let returned = self
            .plan
            .call2(&JsValue::UNDEFINED, request.live(), &context)
            .map_err(|thrown| self.failed(thrown))?;
        let output = JsFuture::from(Promise::resolve(&returned))
            .await
            .map_err(|thrown| self.failed(thrown))?;
        glue::snapshot(&output, true)
            .map(JsDocument::of_frozen)
            .map_err(|thrown| {
                let refused = as_thrown(thrown);
                Error {
                    path: Some("output".to_owned()),
                    ..refused
                }
            })
    }
}
