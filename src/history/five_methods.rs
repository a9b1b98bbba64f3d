//! History on top of any store with the five methods of the contract (spec 1, Entries, stores).
//!
//! Such a store can append and replace but not cut, so the cut is read, decide, replace. Everything
//! that writes under a bound goes through one lock for each session, within this engine and, where the
//! store offers `withLock`, across processes: what is dropped is decided where nobody else can add.

use super::context::{EntryList, cut_on_write};
use super::document::Document;
use super::engine::{History, Item, Recorded, Response, SameAs, Task};
use super::lock::Locks;
use super::rules::Rules;
use crate::protocol::{Error, MessageId, SessionId};
use std::rc::Rc;

/// The answer of `append`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Append {
    /// The entry was added.
    Inserted,
    /// An entry of that id was there; nothing changed.
    Deduped,
}

/// A store that a caller brings, or one of ours seen from outside. Spec 1 states each contract.
#[allow(
    async_fn_in_trait,
    reason = "single-threaded on purpose: JavaScript values are not Send"
)]
pub trait HistoryStore<D: Document> {
    /// What holds the store's own lock.
    type Held;
    /// Atomic check-and-insert on `input.id` within the session.
    async fn append(&self, session: &SessionId, entry: &D) -> Result<Append, Error>;
    /// Every retained entry, in insertion order.
    async fn get(&self, session: &SessionId) -> Result<Vec<D>, Error>;
    /// All entries at once; readers see the old list or the new one.
    async fn replace(&self, session: &SessionId, entries: &[D]) -> Result<(), Error>;
    /// The stored response of a turn.
    async fn response_by_id(&self, session: &SessionId, id: &MessageId)
    -> Result<Option<D>, Error>;
    /// Takes the store's lock across processes; `None` when it has none.
    async fn hold(&self, session: &SessionId) -> Result<Option<Self::Held>, Error>;
    /// Gives it back and waits until that is done.
    async fn release(&self, held: Self::Held) -> Result<(), Error>;
}

/// See the module's head.
pub struct FiveMethods<S> {
    store: S,
    writers: Locks,
}

impl<S> FiveMethods<S> {
    /// History in `store`.
    pub fn new(store: S) -> Self {
        Self {
            store,
            writers: Locks::default(),
        }
    }

    /// Runs `work` as the only writer of the session.
    async fn alone<D: Document, T>(
        &self,
        session: &SessionId,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error>
    where
        S: HistoryStore<D>,
    {
        self.writers
            .with(session.as_str(), async {
                let held = self.store.hold(session).await?;
                let result = work.await;
                if let Some(held) = held {
                    let released = self.store.release(held).await;
                    return result.and_then(|value| released.map(|()| value));
                }
                result
            })
            .await
    }

    async fn append_all<D: Document>(
        &self,
        session: &SessionId,
        items: &[Item<D>],
    ) -> Result<Vec<Recorded>, Error>
    where
        S: HistoryStore<D>,
    {
        let mut outcomes = Vec::with_capacity(items.len());
        for item in items {
            let inserted = self.store.append(session, &item.entry).await? == Append::Inserted;
            outcomes.push(Recorded {
                inserted,
                conflict: false,
            });
        }
        Ok(outcomes)
    }

    /// A hook that throws must throw before anything is written, so where it decides the cut, the cut
    /// is planned on the list as it will be. Gives that list's length and what to keep of it.
    async fn plan_cut<D: Document>(
        &self,
        session: &SessionId,
        items: &[Item<D>],
        rules: &Rules<D>,
    ) -> Result<Option<(usize, usize)>, Error>
    where
        S: HistoryStore<D>,
    {
        if !rules.hooks.derives() || rules.bounds.max_chars.is_none() {
            return Ok(None);
        }
        let mut entries = self.store.get(session).await?;
        entries.extend(items.iter().map(|item| item.entry.clone()));
        Ok(Some((entries.len(), cut_on_write(&entries, rules)?.keep)))
    }

    /// Cuts the session. `planned` is a list length with what to keep of such a list.
    async fn truncate<D: Document>(
        &self,
        session: &SessionId,
        rules: &Rules<D>,
        planned: Option<(usize, usize)>,
    ) -> Result<(), Error>
    where
        S: HistoryStore<D>,
    {
        if planned.is_some_and(|(len, keep)| len == keep) {
            return Ok(());
        }
        let entries = self.store.get(session).await?;
        let keep = match planned {
            Some((len, keep)) if len == entries.len() => keep,
            _ => cut_on_write(&entries, rules)?.keep,
        };
        if keep < entries.len() {
            self.store
                .replace(session, &entries[entries.len() - keep..])
                .await?;
        }
        Ok(())
    }
}

impl<D: Document, S: HistoryStore<D>> History<D> for FiveMethods<S> {
    fn list<'a>(&'a self, session: &'a SessionId) -> Task<'a, Rc<dyn EntryList<D>>> {
        Box::pin(async { Ok(Rc::new(self.store.get(session).await?) as Rc<dyn EntryList<D>>) })
    }

    fn response<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a MessageId,
    ) -> Task<'a, Option<Response<D>>> {
        Box::pin(async {
            let output = self.store.response_by_id(session, id).await?;
            Ok(output.map(|output| Response {
                output,
                request: None,
            }))
        })
    }

    fn write<'a>(
        &'a self,
        session: &'a SessionId,
        items: Vec<Item<D>>,
        _same: SameAs,
        rules: &'a Rules<D>,
    ) -> Task<'a, Vec<Recorded>> {
        Box::pin(async move {
            if rules.write_bounds().is_unbounded() {
                return self.append_all(session, &items).await;
            }
            self.alone(session, async {
                let planned = self.plan_cut(session, &items, rules).await?;
                let outcomes = self.append_all(session, &items).await?;
                if outcomes.iter().any(|outcome| outcome.inserted) {
                    self.truncate(session, rules, planned).await?;
                }
                Ok(outcomes)
            })
            .await
        })
    }
}
