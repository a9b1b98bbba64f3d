//! turnlog's own stores as a JavaScript class: what the package's stores and the database's driver call.

use super::document::{JsDocument, message_id, session_id};
use super::errors::to_js;
use super::glue;
use super::own_store::{Driver, OwnStore};
use super::types::{ImportReport, SessionInfo};
use crate::history::{Document, Imported, Item, check_entry, imported, same_content};
use crate::protocol::Error;
use crate::store::chunk::Owner;
use crate::store::plan::{Activity, Plan};
use crate::store::{Group, Session, Summary, lines, read_head};
use js_sys::{Array, Float64Array, Uint8Array};
use std::rc::Rc;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

/// How much memory the sessions that can be read again may take, and how many they may be.
const RESIDENT_BYTES: usize = 64 << 20;
const RESIDENT_SESSIONS: usize = 256;

/// A store as the package's JavaScript holds it. Every call is synchronous.
#[wasm_bindgen]
#[derive(Default)]
pub struct RawStore(OwnStore);

#[wasm_bindgen]
impl RawStore {
    /// An empty store.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a database behind the store.
    pub fn drive(&self, driver: Driver) {
        self.0.driver.replace(Some(driver));
    }

    /// The newest `count` entries, oldest first, in a fresh array.
    pub fn newest(&self, session: &JsValue, count: usize) -> Result<Array, JsValue> {
        let session = self.peek(session)?;
        Ok(session
            .resident
            .newest(count)
            .iter()
            .map(JsDocument::live)
            .collect())
    }

    /// The stored response of a turn, or undefined.
    pub fn response(&self, session: &JsValue, id: &JsValue) -> Result<JsValue, JsValue> {
        let entry = self.peek(session)?.resident.find(&thrown(message_id(id))?);
        Ok(entry.map_or(JsValue::UNDEFINED, |entry| glue::output_of(entry.live())))
    }

    /// Whether the session holds an entry of this id.
    pub fn has(&self, session: &JsValue, id: &JsValue) -> Result<bool, JsValue> {
        Ok(self
            .peek(session)?
            .resident
            .find(&thrown(message_id(id))?)
            .is_some())
    }

    /// A session as JSON lines.
    #[wasm_bindgen(js_name = exportLines)]
    pub fn export_lines(&self, session: &JsValue) -> Result<Uint8Array, JsValue> {
        let id = thrown(session_id(session))?;
        let session = self.0.sessions.peek(&id);
        Ok(Uint8Array::from(&*session.resident.with_log(|log| {
            lines::write(&id, log, session.resident.durable_len())
        })))
    }

    /// What is known of each session without a database behind.
    pub fn summaries(&self) -> Result<Array, JsValue> {
        self.0.sessions.summaries().into_iter().map(info).collect()
    }

    /// What a stored head says of its session.
    #[wasm_bindgen(js_name = headInfo)]
    pub fn head_info(&self, session: &JsValue, head: &[u8]) -> Result<JsValue, JsValue> {
        let id = thrown(session_id(session))?;
        let head = thrown(read_head(Some(head), Owner::of(&id)))?;
        head.map_or(Ok(JsValue::UNDEFINED), |head| {
            let activity = Activity {
                first: head.first_activity,
                last: head.last_activity,
            };
            info(Summary {
                id,
                entries: head.entries(),
                bytes: head.text_bytes,
                activity,
            })
        })
    }

    /// Appends a checked, frozen entry at once, its text to be made when it is needed; whether it is new.
    #[wasm_bindgen(js_name = appendLive)]
    pub fn append_live(
        &self,
        session: &JsValue,
        id: &JsValue,
        entry: JsValue,
    ) -> Result<bool, JsValue> {
        let session = self.0.sessions.session(&thrown(session_id(session))?);
        let id = thrown(message_id(id).map_err(|e| e.below("input")))?;
        Ok(session
            .resident
            .push_live(id.as_str().as_bytes(), JsDocument::of_frozen(entry)))
    }

    /// A ticket for appending a frozen entry.
    pub fn enqueue(&self, entry: JsValue) -> Result<u32, JsValue> {
        let entry = JsDocument::of_frozen(entry);
        thrown(check_entry(&entry.text()).map(drop))?;
        let items = vec![thrown(Item::of(entry))?];
        Ok(self.0.enqueue(Group::new(items, same_content, None)).0)
    }

    /// `[sessionId, ticket]` for adding what an export holds.
    #[wasm_bindgen(js_name = enqueueLines)]
    pub fn enqueue_lines(&self, bytes: &[u8]) -> Result<Array, JsValue> {
        let (session, texts) = thrown(lines::read(bytes))?;
        let items = texts
            .into_iter()
            .map(|text| Item::of(JsDocument::from_text(text.to_vec())));
        let group = Group::new(thrown(items.collect())?, same_content, None);
        Ok(Array::of2(
            &session.as_str().into(),
            &self.0.enqueue(group).0.into(),
        ))
    }

    /// Writes the group of a ticket in memory alone.
    #[wasm_bindgen(js_name = writeNow)]
    pub fn write_now(&self, session: &JsValue, ticket: u32) -> Result<(), JsValue> {
        let id = thrown(session_id(session))?;
        let Some(group) = self.0.group(ticket) else {
            return Ok(());
        };
        let outcome = thrown(self.0.sessions.write(&id, Rc::clone(&group)))?;
        group.outcome.replace(outcome);
        Ok(())
    }

    /// What became of a ticket's group: an `ImportReport`. The ticket is used up.
    pub fn settle(&self, ticket: u32) -> Result<JsValue, JsValue> {
        let group = self.0.take_group(ticket);
        let report = group.map_or_else(Imported::default, |group| {
            let ids: Vec<_> = group.items.iter().map(|item| item.id.clone()).collect();
            imported(&ids, &group.outcome.borrow())
        });
        thrown(to_value(ImportReport::from(report)))
    }

    /// Whether the session was read, whole.
    #[wasm_bindgen(js_name = isKnown)]
    pub fn is_known(&self, session: &JsValue) -> Result<bool, JsValue> {
        Ok(self.peek(session)?.is_known())
    }

    /// Whether these are the bytes of the head that the records here belong to.
    #[wasm_bindgen(js_name = isCurrent)]
    pub fn is_current(&self, session: &JsValue, head: Option<Vec<u8>>) -> Result<bool, JsValue> {
        thrown(self.session(session)?.is_current(head.as_deref()))
    }

    /// The number of the first record that is missing here, given the values of the stored heads, the newest one last;
    /// undefined if none is.
    #[wasm_bindgen(js_name = catchUp)]
    pub fn catch_up(&self, session: &JsValue, heads: &Array) -> Result<Option<f64>, JsValue> {
        let missing = thrown(self.session(session)?.catch_up(&all_bytes(heads)))?;
        Ok(missing.map(|next| next as f64))
    }

    /// Prepares for loading only the newest `count` records; the number of the first of them.
    #[wasm_bindgen(js_name = catchUpTail)]
    pub fn catch_up_tail(
        &self,
        session: &JsValue,
        heads: &Array,
        count: u32,
    ) -> Result<Option<f64>, JsValue> {
        let from = thrown(
            self.session(session)?
                .catch_up_tail(&all_bytes(heads), count.into()),
        )?;
        Ok(from.map(|from| from as f64))
    }

    /// Takes in stored chunk values, in key order; gives the number of the next record.
    pub fn load(&self, session: &JsValue, values: &Array) -> Result<f64, JsValue> {
        let bytes = values.iter().map(bytes_of);
        let sizes = values
            .iter()
            .map(|value| value.dyn_ref::<Uint8Array>().map_or(0, Uint8Array::length) as usize);
        thrown(self.session(session)?.load(bytes, sizes.sum())).map(|next| next as f64)
    }

    /// Stages the groups of these tickets; the write to make, or undefined when nothing is new.
    pub fn begin(&self, session: &JsValue, tickets: Vec<u32>) -> Result<JsValue, JsValue> {
        let groups = tickets
            .iter()
            .filter_map(|&ticket| self.0.group(ticket))
            .collect();
        let session = self.session(session)?;
        let plan = thrown(session.begin(groups, random()))?;
        Ok(plan.map_or(JsValue::UNDEFINED, |plan| {
            plan_value(&plan, session.owner())
        }))
    }

    /// Decides a replacement by these frozen entries; the write to make.
    #[wasm_bindgen(js_name = beginReplace)]
    pub fn begin_replace(&self, session: &JsValue, entries: &Array) -> Result<JsValue, JsValue> {
        let documents: Vec<_> = entries.iter().map(JsDocument::of_frozen).collect();
        for (index, entry) in documents.iter().enumerate() {
            thrown(
                check_entry(&entry.text())
                    .map(drop)
                    .map_err(|e| e.below(&format!("[{index}]"))),
            )?;
        }
        let items = documents
            .into_iter()
            .map(Item::of)
            .collect::<Result<Vec<_>, _>>();
        let session = self.session(session)?;
        let plan = thrown(session.begin_replace(&thrown(items)?, random()))?;
        Ok(plan_value(&plan, session.owner()))
    }

    /// Decides how a damaged session goes on, given its stored heads, the newest one last, and all keys and values of its chunks:
    /// `[plan, keepHead, damaged, heads, lost]`, with the positions of damaged values and heads and how many records are lost; undefined when nothing is wrong.
    #[wasm_bindgen(js_name = beginSalvage)]
    pub fn begin_salvage(
        &self,
        session: &JsValue,
        heads: &Array,
        last_seqs: Vec<f64>,
        values: &Array,
    ) -> Result<JsValue, JsValue> {
        let values: Vec<_> = last_seqs
            .into_iter()
            .map(|last| last as u64)
            .zip(values.iter().map(bytes_of))
            .collect();
        let session = self.session(session)?;
        let repair = session.begin_salvage(&all_bytes(heads), &values, random());
        Ok(thrown(repair)?.map_or(JsValue::UNDEFINED, |repair| {
            let numbers = |positions: &[usize]| -> Array {
                positions
                    .iter()
                    .map(|&at| JsValue::from(at as u32))
                    .collect()
            };
            Array::of5(
                &plan_value(&repair.plan, session.owner()),
                &(!repair.is_empty).into(),
                &numbers(&repair.damaged),
                &numbers(&repair.heads),
                &(repair.lost as f64).into(),
            )
            .into()
        }))
    }

    /// The salvage begun last could not be written; what it found can be read all the same.
    #[wasm_bindgen(js_name = keepUnwritten)]
    pub fn keep_unwritten(&self, session: &JsValue) -> Result<(), JsValue> {
        self.session(session)?.keep_unwritten();
        Ok(())
    }

    /// The entries of a ticket's group as JSON lines, in the form of an export.
    #[wasm_bindgen(js_name = ticketLines)]
    pub fn ticket_lines(&self, session: &JsValue, ticket: u32) -> Result<Uint8Array, JsValue> {
        let id = thrown(session_id(session))?;
        let texts: Vec<_> = self.0.group(ticket).map_or_else(Vec::new, |group| {
            group.items.iter().map(|item| item.entry.text()).collect()
        });
        Ok(Uint8Array::from(&*lines::write_texts(
            &id,
            texts.iter().map(|text| text.as_slice()),
        )))
    }

    /// The write begun last is durable.
    pub fn commit(&self, session: &JsValue) -> Result<(), JsValue> {
        self.session(session)?.commit();
        Ok(())
    }

    /// The write begun last did not happen.
    pub fn rollback(&self, session: &JsValue) -> Result<(), JsValue> {
        self.session(session)?.rollback();
        Ok(())
    }

    /// Forgets a session.
    pub fn forget(&self, session: &JsValue) -> Result<(), JsValue> {
        self.0.sessions.forget(&thrown(session_id(session))?);
        Ok(())
    }

    /// Forgets everything, once nothing is under way any more.
    pub fn release(&self) {
        self.0.sessions.forget_all();
    }

    /// Forgets what was not used for long; to be called while nothing is under way.
    pub fn trim(&self) {
        self.0.sessions.trim(RESIDENT_BYTES, RESIDENT_SESSIONS);
    }

    fn session(&self, session: &JsValue) -> Result<Rc<Session<JsDocument>>, JsValue> {
        thrown(session_id(session)).map(|id| self.0.sessions.session(&id))
    }

    fn peek(&self, session: &JsValue) -> Result<Rc<Session<JsDocument>>, JsValue> {
        thrown(session_id(session)).map(|id| self.0.sessions.peek(&id))
    }
}

impl RawStore {
    /// The store behind the handle.
    pub fn own(&self) -> OwnStore {
        self.0.clone()
    }
}

/// A stored value. One that is no bytes reads as no chunk, and is refused as damaged.
fn bytes_of(value: JsValue) -> Vec<u8> {
    value
        .dyn_into::<Uint8Array>()
        .map_or_else(|_| Vec::new(), |bytes| bytes.to_vec())
}

fn all_bytes(values: &Array) -> Vec<Vec<u8>> {
    values.iter().map(bytes_of).collect()
}

/// `[deletes, keys, values, head, sweeps]`: ranges and keys as number pairs; values and head as bytes; whether the heads
/// before it go.
fn plan_value(plan: &Plan, owner: Owner) -> JsValue {
    let bound = |seq: u64| {
        if seq == u64::MAX {
            f64::INFINITY
        } else {
            seq as f64
        }
    };
    let deletes: Vec<f64> = plan
        .deletes
        .iter()
        .flat_map(|&(from, to)| [bound(from), bound(to)])
        .collect();
    let keys: Vec<f64> = plan
        .puts
        .iter()
        .flat_map(|put| [put.last_seq as f64, f64::from(put.part)])
        .collect();
    let values: Array = plan
        .puts
        .iter()
        .map(|put| Uint8Array::from(&*put.bytes))
        .collect();
    let head = Uint8Array::from(&*plan.head_value(owner));
    Array::of5(
        &Float64Array::from(&*deletes),
        &Float64Array::from(&*keys),
        &values,
        &head,
        &plan.sweeps.into(),
    )
    .into()
}

fn info(summary: Summary) -> Result<JsValue, JsValue> {
    thrown(to_value(SessionInfo::from(summary)))
}

/// A serialised value.
pub fn to_value<T: Tsify + serde::Serialize>(value: T) -> Result<JsValue, Error> {
    match value.into_ts() {
        Ok(ts) => Ok(ts.js_value()),
        Err(_) => Err(Error::invalid("", "cannot be handed to JavaScript")),
    }
}

fn thrown<T>(result: Result<T, Error>) -> Result<T, JsValue> {
    result.map_err(|error| to_js(&error))
}

fn random() -> u64 {
    let mut bytes = [0; 8];
    glue::random_bytes(8).copy_to(&mut bytes);
    u64::from_le_bytes(bytes)
}
