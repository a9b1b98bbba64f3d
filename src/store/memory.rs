//! Sessions in memory: the in-memory store of seed 001, and what a database's store keeps resident.

use super::chunk::Owner;
use super::plan::Activity;
use super::session::{Group, Session};
use crate::history::{
    Append, Bounds, Cut, Document, EntryList, History, HistoryStore, Item, Recorded, Response,
    Rules, SameAs, Task, read_entry, same_content,
};
use crate::protocol::{Error, MessageId, SessionId};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A session with the count of uses at which it was last used.
struct Slot<D> {
    id: SessionId,
    session: Rc<Session<D>>,
    used: u64,
}

/// See the module's head. Clones share one store.
pub struct MemoryStore<D> {
    /// Sorted by id.
    slots: Rc<RefCell<Vec<Slot<D>>>>,
    uses: Rc<Cell<u64>>,
}

/// What a client shows of a session without opening it.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The session.
    pub id: SessionId,
    /// How many entries are retained.
    pub entries: u64,
    /// UTF-8 bytes of their JSON text.
    pub bytes: u64,
    /// The smallest and largest `timestamp`, in epoch milliseconds.
    pub activity: Activity,
}

impl<D> Clone for MemoryStore<D> {
    fn clone(&self) -> Self {
        Self {
            slots: Rc::clone(&self.slots),
            uses: Rc::clone(&self.uses),
        }
    }
}

impl<D> Default for MemoryStore<D> {
    fn default() -> Self {
        Self {
            slots: Rc::default(),
            uses: Rc::default(),
        }
    }
}

impl<D: Document> MemoryStore<D> {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The session, made when it is not there. Logarithmic in the number of sessions.
    pub fn session(&self, id: &SessionId) -> Rc<Session<D>> {
        let mut slots = self.slots.borrow_mut();
        let at = match slots.binary_search_by(|slot| slot.id.cmp(id)) {
            Ok(at) => at,
            Err(at) => {
                slots.insert(
                    at,
                    Slot {
                        id: id.clone(),
                        session: Rc::new(Session::of(Owner::of(id))),
                        used: 0,
                    },
                );
                at
            }
        };
        self.uses.set(self.uses.get() + 1);
        slots[at].used = self.uses.get();
        Rc::clone(&slots[at].session)
    }

    /// The session, for reading alone: asking for one that is not there leaves no trace.
    pub fn peek(&self, id: &SessionId) -> Rc<Session<D>> {
        let slots = self.slots.borrow();
        let at = slots.binary_search_by(|slot| slot.id.cmp(id));
        at.map_or_else(
            |_| Rc::new(Session::of(Owner::of(id))),
            |at| Rc::clone(&slots[at].session),
        )
    }

    /// Forgets a session.
    pub fn forget(&self, id: &SessionId) {
        self.slots.borrow_mut().retain(|slot| slot.id != *id);
    }

    /// Forgets all sessions.
    pub fn forget_all(&self) {
        self.slots.take();
    }

    /// Forgets the sessions used longest ago until what is left takes at most `max_bytes` of memory
    /// and is at most `max_sessions`. For stores that can read a session again.
    pub fn trim(&self, max_bytes: usize, max_sessions: usize) {
        let mut slots = self.slots.borrow_mut();
        let mut bytes: usize = slots
            .iter()
            .map(|slot| slot.session.resident.memory_bytes())
            .sum();
        while slots.len() > 1 && (bytes > max_bytes || slots.len() > max_sessions) {
            let oldest = (0..slots.len())
                .min_by_key(|&at| slots[at].used)
                .unwrap_or_default();
            bytes -= slots.remove(oldest).session.resident.memory_bytes();
        }
    }

    /// All sessions that hold anything, by id.
    pub fn summaries(&self) -> Vec<Summary> {
        let slots = self.slots.borrow();
        let sessions: Vec<_> = slots
            .iter()
            .map(|slot| (slot.id.clone(), Rc::clone(&slot.session)))
            .collect();
        drop(slots);
        sessions
            .into_iter()
            .filter(|(_, session)| !session.resident.is_empty())
            .map(summary)
            .collect()
    }

    /// Appends and cuts as one step: a hook that fails leaves everything as it was.
    ///
    /// # Errors
    /// What a hook threw.
    pub fn write(&self, id: &SessionId, group: Rc<Group<D>>) -> Result<Vec<Recorded>, Error> {
        let session = self.session(id);
        session.stage(vec![Rc::clone(&group)])?;
        session.commit();
        Ok(group.outcome.take())
    }
}

fn summary<D: Document>((id, session): (SessionId, Rc<Session<D>>)) -> Summary {
    Summary {
        id,
        entries: session.resident.len() as u64,
        bytes: session.resident.with_log(|log| log.text_bytes() as u64),
        activity: session.resident.activity(),
    }
}

/// The response of a stored turn, with the request it answered.
pub fn stored_response<D: Document>(entry: &D) -> Option<Response<D>> {
    let text = entry.text();
    let entry = read_entry(&text)?;
    Some(Response {
        output: D::from_text(entry.output?.to_vec()),
        request: Some(D::from_text(entry.input.to_vec())),
    })
}

impl<D: Document> History<D> for MemoryStore<D> {
    fn list<'a>(&'a self, session: &'a SessionId) -> Task<'a, Rc<dyn EntryList<D>>> {
        let session = self.peek(session);
        Box::pin(async { Ok(Rc::new(SessionList(session)) as Rc<dyn EntryList<D>>) })
    }

    fn response<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a MessageId,
    ) -> Task<'a, Option<Response<D>>> {
        let entry = self.peek(session).resident.find(id);
        Box::pin(async move { Ok(entry.as_ref().and_then(stored_response)) })
    }

    fn write<'a>(
        &'a self,
        session: &'a SessionId,
        items: Vec<Item<D>>,
        same: SameAs,
        rules: &'a Rules<D>,
    ) -> Task<'a, Vec<Recorded>> {
        let group = Rc::new(Group::new(items, same, Some(rules.clone())));
        Box::pin(async move { self.write(session, group) })
    }
}

/// A session's entries, for as long as somebody reads them.
pub struct SessionList<D>(pub Rc<Session<D>>);

impl<D: Document> EntryList<D> for SessionList<D> {
    fn count(&self) -> usize {
        self.0.resident.durable_len()
    }

    fn look(&self, index: usize, look: &mut dyn FnMut(&[u8])) {
        self.0.resident.look(index, look);
    }

    fn text_bytes(&self) -> usize {
        self.0.resident.text_bytes()
    }

    fn document(&self, index: usize) -> D {
        self.0.resident.document(index)
    }

    fn known_cut(&self, bounds: Bounds) -> Option<Cut> {
        // The log's own counts include what is staged.
        let resident = &self.0.resident;
        (resident.durable_len() == resident.len()).then(|| resident.known_cut(bounds))?
    }
}

impl<D: Document> HistoryStore<D> for MemoryStore<D> {
    type Held = ();

    async fn append(&self, session: &SessionId, entry: &D) -> Result<Append, Error> {
        let items = vec![Item::of(entry.clone())?];
        let outcomes = self.write(session, Rc::new(Group::new(items, same_content, None)))?;
        Ok(if outcomes[0].inserted {
            Append::Inserted
        } else {
            Append::Deduped
        })
    }

    async fn get(&self, session: &SessionId) -> Result<Vec<D>, Error> {
        Ok(self.peek(session).resident.newest(usize::MAX))
    }

    async fn replace(&self, session: &SessionId, entries: &[D]) -> Result<(), Error> {
        let items = entries
            .iter()
            .cloned()
            .map(Item::of)
            .collect::<Result<Vec<_>, _>>()?;
        let session = self.session(session);
        session.begin_replace(&items, 0)?;
        session.commit();
        Ok(())
    }

    async fn response_by_id(
        &self,
        session: &SessionId,
        id: &MessageId,
    ) -> Result<Option<D>, Error> {
        let entry = self.peek(session).resident.find(id);
        Ok(entry
            .as_ref()
            .and_then(stored_response)
            .map(|response| response.output))
    }

    async fn hold(&self, _session: &SessionId) -> Result<Option<()>, Error> {
        Ok(None)
    }

    async fn release(&self, _held: ()) -> Result<(), Error> {
        Ok(())
    }
}
