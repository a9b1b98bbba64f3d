//! A store of this package, as the engine uses it: sessions in memory and, where there is one, the
//! driver of the database behind them.
//!
//! A driver is JavaScript: it runs transactions and nothing else. It asks here what to read and what
//! to write, and says here when a write is durable.

use super::document::JsDocument;
use super::errors::as_thrown;
use super::glue;
use crate::history::{EntryList, History, Item, Recorded, Response, Rules, SameAs, Task};
use crate::protocol::{Error, MessageId, SessionId};
use crate::store::{Group, MemoryStore, Session, SessionList, stored_response};
use js_sys::Promise;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// What runs the transactions of a database.
    #[derive(Clone)]
    pub type Driver;

    /// Makes the session's records here those that are stored now.
    #[wasm_bindgen(method)]
    fn refresh(this: &Driver, session: &str) -> Promise;

    /// Writes the group of this ticket; resolves when it is durable.
    #[wasm_bindgen(method)]
    fn append(this: &Driver, session: &str, ticket: u32) -> Promise;
}

/// An append under way and the ticket JavaScript knows it by.
type Ticketed = (u32, Rc<Group<JsDocument>>);

/// A store of this package, shared by its JavaScript handle and the engines that use it.
#[derive(Clone, Default)]
pub struct OwnStore {
    pub(super) sessions: MemoryStore<JsDocument>,
    pub(super) driver: Rc<RefCell<Option<Driver>>>,
    /// Appends under way, by ticket.
    groups: Rc<RefCell<Vec<Ticketed>>>,
    tickets: Rc<Cell<u32>>,
}

impl OwnStore {
    pub(super) fn enqueue(&self, group: Group<JsDocument>) -> (u32, Rc<Group<JsDocument>>) {
        let (ticket, group) = (self.tickets.get(), Rc::new(group));
        self.tickets.set(ticket.wrapping_add(1));
        self.groups.borrow_mut().push((ticket, Rc::clone(&group)));
        (ticket, group)
    }

    pub(super) fn group(&self, ticket: u32) -> Option<Rc<Group<JsDocument>>> {
        self.groups
            .borrow()
            .iter()
            .find(|(other, _)| *other == ticket)
            .map(|(_, group)| Rc::clone(group))
    }

    pub(super) fn take_group(&self, ticket: u32) -> Option<Rc<Group<JsDocument>>> {
        let group = self.group(ticket);
        self.groups
            .borrow_mut()
            .retain(|(other, _)| *other != ticket);
        group
    }

    /// The session as it is stored now.
    async fn fresh(&self, id: &SessionId) -> Result<Rc<Session<JsDocument>>, Error> {
        let refreshed = self
            .driver
            .borrow()
            .as_ref()
            .map(|driver| driver.refresh(id.as_str()));
        if let Some(refreshed) = refreshed {
            JsFuture::from(refreshed).await.map_err(as_thrown)?;
        }
        Ok(self.sessions.peek(id))
    }

    async fn write_group(
        &self,
        id: &SessionId,
        group: Group<JsDocument>,
    ) -> Result<Vec<Recorded>, Error> {
        let (ticket, group) = self.enqueue(group);
        let written = self
            .driver
            .borrow()
            .as_ref()
            .map(|driver| driver.append(id.as_str(), ticket));
        let result = match written {
            Some(written) => JsFuture::from(written)
                .await
                .map(|_| group.outcome.take())
                .map_err(as_thrown),
            None => self.sessions.write(id, group),
        };
        self.take_group(ticket);
        result
    }
}

impl History<JsDocument> for OwnStore {
    fn list<'a>(&'a self, session: &'a SessionId) -> Task<'a, Rc<dyn EntryList<JsDocument>>> {
        Box::pin(async {
            let session = self.fresh(session).await?;
            Ok(Rc::new(SessionList(session)) as Rc<dyn EntryList<JsDocument>>)
        })
    }

    fn response<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a MessageId,
    ) -> Task<'a, Option<Response<JsDocument>>> {
        Box::pin(async {
            let entry = self.fresh(session).await?.resident.find(id);
            Ok(entry.and_then(|entry| {
                let response = stored_response(&entry)?;
                Some(Response {
                    output: JsDocument::of_frozen(glue::output_of(entry.live())),
                    ..response
                })
            }))
        })
    }

    fn write<'a>(
        &'a self,
        session: &'a SessionId,
        items: Vec<Item<JsDocument>>,
        same: SameAs,
        rules: &'a Rules<JsDocument>,
    ) -> Task<'a, Vec<Recorded>> {
        Box::pin(self.write_group(session, Group::new(items, same, Some(rules.clone()))))
    }
}
