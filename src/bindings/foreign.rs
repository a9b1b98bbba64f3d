//! A caller's own store: any object with the five async methods.

use super::document::JsDocument;
use super::errors::of_store;
use super::glue;
use crate::history::{Append, HistoryStore};
use crate::protocol::{Error, ErrorCode, MessageId, SessionId};
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// See the module's head.
pub struct JsStore {
    object: JsValue,
}

/// How to let go of a store's lock.
pub struct Held(Function);

impl JsStore {
    /// A store, whose methods are looked up at each call, as JavaScript would.
    ///
    /// # Errors
    /// `invalid` with path `history.store` when one of the five methods is missing.
    pub fn new(object: JsValue) -> Result<Self, Error> {
        for method in ["append", "get", "replace", "clear", "getResponseById"] {
            if !Reflect::get(&object, &method.into()).is_ok_and(|value| value.is_function()) {
                return Err(Error::invalid(
                    "history.store",
                    format!("must have the method {method}"),
                ));
            }
        }
        Ok(Self { object })
    }

    async fn call(
        &self,
        method: &str,
        session: &SessionId,
        more: Option<&JsValue>,
    ) -> Result<JsValue, Error> {
        let function: Function = Reflect::get(&self.object, &method.into())
            .map_err(of_store)?
            .unchecked_into();
        let session = JsValue::from_str(session.as_str());
        let returned = match more {
            None => function.call1(&self.object, &session),
            Some(more) => function.call2(&self.object, &session, more),
        };
        let promise = Promise::resolve(&returned.map_err(of_store)?);
        JsFuture::from(promise).await.map_err(of_store)
    }
}

impl HistoryStore<JsDocument> for JsStore {
    type Held = Held;

    async fn append(&self, session: &SessionId, entry: &JsDocument) -> Result<Append, Error> {
        let outcome = self.call("append", session, Some(entry.live())).await?;
        match outcome.as_string().as_deref() {
            Some("inserted") => Ok(Append::Inserted),
            Some("deduped") => Ok(Append::Deduped),
            _ => Err(Error::store(
                ErrorCode::Failed,
                "the store's append gave neither 'inserted' nor 'deduped'",
            )),
        }
    }

    async fn get(&self, session: &SessionId) -> Result<Vec<JsDocument>, Error> {
        let list = self.call("get", session, None).await?;
        let Some(list) = list.dyn_ref::<Array>() else {
            return Err(Error::store(
                ErrorCode::Failed,
                "the store's get gave no array",
            ));
        };
        list.iter()
            .map(|entry| JsDocument::of_value(&entry))
            .collect()
    }

    async fn replace(&self, session: &SessionId, entries: &[JsDocument]) -> Result<(), Error> {
        let list: Array = entries.iter().map(JsDocument::live).collect();
        self.call("replace", session, Some(&list)).await.map(drop)
    }

    async fn response_by_id(
        &self,
        session: &SessionId,
        id: &MessageId,
    ) -> Result<Option<JsDocument>, Error> {
        let output = self
            .call("getResponseById", session, Some(&id.as_str().into()))
            .await?;
        // A database driver's word for nothing is null.
        if output.is_undefined() || output.is_null() {
            return Ok(None);
        }
        JsDocument::of_value(&output).map(Some)
    }

    async fn hold(&self, session: &SessionId) -> Result<Option<Held>, Error> {
        if !Reflect::get(&self.object, &"withLock".into()).is_ok_and(|value| value.is_function()) {
            return Ok(None);
        }
        let pair = glue::hold(&self.object, session.as_str()).map_err(of_store)?;
        JsFuture::from(pair.get(0).unchecked_into::<Promise>())
            .await
            .map_err(of_store)?;
        Ok(Some(Held(pair.get(1).unchecked_into())))
    }

    async fn release(&self, held: Held) -> Result<(), Error> {
        let over = held.0.call0(&JsValue::UNDEFINED).map_err(of_store)?;
        JsFuture::from(Promise::resolve(&over))
            .await
            .map(drop)
            .map_err(of_store)
    }
}
