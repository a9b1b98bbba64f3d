//! The part of `RawStore` for a place that keeps one text for each entry: localStorage.

use super::document::{JsDocument, session_id};
use super::errors::to_js;
use super::glue;
use super::store::RawStore;
use crate::history::{Document, Item, check_entry};
use crate::protocol::Error;
use crate::store::Session;
use crate::store::texts::{begin_texts, load_text};
use js_sys::{Array, JsString};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl RawStore {
    /// Appends stored texts to the records; for each 0: loaded, 1: its id is there already, 2: no entry.
    #[wasm_bindgen(js_name = loadTexts)]
    pub fn load_texts(&self, session: &JsValue, texts: &Array) -> Result<Array, JsValue> {
        let session = self.texts_of(session)?;
        let code = |text: JsValue| JsValue::from(load_text(&session.resident, utf8(&text)) as u32);
        Ok(texts.iter().map(code).collect())
    }

    /// Drops the oldest `count` records.
    #[wasm_bindgen(js_name = dropOldest)]
    pub fn drop_oldest(&self, session: &JsValue, count: usize) -> Result<(), JsValue> {
        let resident = &self.texts_of(session)?.resident;
        resident.keep_newest(resident.len().saturating_sub(count));
        Ok(())
    }

    /// Stages the group of a ticket: `[texts, drop]`, what to add and how many of the oldest to delete then.
    #[wasm_bindgen(js_name = beginTexts)]
    pub fn begin_texts(&self, session: &JsValue, ticket: u32) -> Result<Array, JsValue> {
        let Some(group) = self.own().group(ticket) else {
            return Ok(Array::of2(&Array::new(), &0.into()));
        };
        let session = self.texts_of(session)?;
        let write = begin_texts(&session, group).map_err(|e| to_js(&e))?;
        let texts: Array = session
            .resident
            .with_log(|log| write.add.map(|index| string(log.text(index))).collect());
        Ok(Array::of2(&texts, &(write.drop as u32).into()))
    }

    /// Decides a replacement by these frozen entries; their texts.
    #[wasm_bindgen(js_name = beginReplaceTexts)]
    pub fn begin_replace_texts(
        &self,
        session: &JsValue,
        entries: &Array,
    ) -> Result<Array, JsValue> {
        let session = self.texts_of(session)?;
        let items = entries.iter().enumerate().map(|(index, entry)| {
            let entry = JsDocument::of_frozen(entry);
            check_entry(&entry.text())
                .map(drop)
                .and_then(|()| Item::of(entry))
                .map_err(|e| e.below(&format!("[{index}]")))
        });
        let replaced = items
            .collect::<Result<Vec<_>, Error>>()
            .and_then(|items| session.begin_replace(&items, 0).map(|_| items));
        let items = replaced.map_err(|e| to_js(&e))?;
        Ok(items
            .iter()
            .map(|item| string(&item.entry.text()))
            .collect())
    }

    fn texts_of(&self, session: &JsValue) -> Result<Rc<Session<JsDocument>>, JsValue> {
        let id = session_id(session).map_err(|e| to_js(&e))?;
        Ok(self.own().sessions.session(&id))
    }
}

/// An entry's text, which is UTF-8.
fn string(text: &[u8]) -> JsValue {
    JsValue::from_str(str::from_utf8(text).unwrap_or_default())
}

/// A stored text in UTF-8. Nothing, which is no entry, for one that cannot be had in it without loss.
fn utf8(text: &JsValue) -> Vec<u8> {
    text.dyn_ref::<JsString>()
        .filter(|text| glue::is_well_formed(text))
        .map_or_else(Vec::new, |text| String::from(text).into_bytes())
}
