//! The caller's functions: planner and hooks.

use super::document::JsDocument;
use super::errors::{of_hook, of_planner};
use super::glue;
use crate::history::{Document, Hooks, Planner, PlannerContext, Task};
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
        let messages = JsDocument::of_value(&returned)?;
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
    fn plan<'a>(
        &'a self,
        request: &'a JsDocument,
        context: PlannerContext<JsDocument>,
    ) -> Task<'a, JsDocument> {
        Box::pin(async {
            if let Some(signal) = self.signal.as_ref().filter(|signal| signal.aborted()) {
                return Err(self.failed(signal.reason()));
            }
            let signal = self
                .signal
                .as_ref()
                .map_or(JsValue::UNDEFINED, JsValue::from);
            let (prior, session) = (context.prior, context.session_id);
            let messages = prior.messages.to_value();
            let context =
                glue::planner_context(&messages, &signal, session.as_str(), prior.over_budget);
            let returned = self
                .plan
                .call2(&JsValue::UNDEFINED, request.live(), &context);
            let promise = Promise::resolve(&returned.map_err(|thrown| self.failed(thrown))?);
            let output = JsFuture::from(promise)
                .await
                .map_err(|thrown| self.failed(thrown))?;
            JsDocument::of_value(&output)
        })
    }
}
