//! The engine: a planner and, where history is configured, the place that remembers (seed 001).

use super::context::{EntryList, prior, wire};
use super::document::Document;
use super::entry::{Entry, check_entry, read_entry};
use super::identity::put_identity_back;
use super::lock::Locks;
use super::projection::{from_wire, same_content, same_message, same_wire};
use super::rules::{Prior, Rules};
use crate::json::Reader;
use crate::protocol::{
    Error, ErrorCode, Message, MessageId, MessageKind, SessionId, WireBody, check_message,
    check_output, check_wire_entry,
};
use std::pin::Pin;
use std::rc::Rc;

/// A future of one thread. Boxed, so that the engine is compiled once for every kind of history.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// What the engine asks of the place that keeps the entries.
///
/// Implemented by turnlog's own stores, which cut in the same transaction that appends, and by
/// [`super::FiveMethods`] for any store with the five methods of the contract.
pub trait History<D: Document> {
    /// Every retained entry, as it is stored now. Waits for no request that is under way.
    fn list<'a>(&'a self, session: &'a SessionId) -> Task<'a, Rc<dyn EntryList<D>>>;
    /// The stored response to a message id.
    fn response<'a>(
        &'a self,
        session: &'a SessionId,
        id: &'a MessageId,
    ) -> Task<'a, Option<Response<D>>>;
    /// Adds the entries, in order, each unless its id is there, then cuts by the rules, in one critical
    /// section. Says for each what became of it; `same` tells whether one that was there says the same.
    fn write<'a>(
        &'a self,
        session: &'a SessionId,
        items: Vec<Item<D>>,
        same: SameAs,
        rules: &'a Rules<D>,
    ) -> Task<'a, Vec<Recorded>>;
}

/// Makes a response. One value of it serves one request.
pub trait Planner<D: Document> {
    /// The chart response, as lossless JSON; its shape is checked by the engine.
    fn plan<'a>(&'a self, request: &'a D, context: PlannerContext<D>) -> Task<'a, D>;
}

/// An entry to append, with the id it is known by.
#[derive(Clone, Debug)]
pub struct Item<D> {
    /// `input.id`.
    pub id: MessageId,
    /// The entry.
    pub entry: D,
}

impl<D: Document> Item<D> {
    /// An item of a checked entry, its id read from the text.
    ///
    /// # Errors
    /// `invalid` when the text is no entry or its id is none.
    pub fn of(entry: D) -> Result<Self, Error> {
        let text = entry.text();
        let id = read_entry(&text)
            .ok_or_else(|| Error::invalid("", "is not a history entry"))?
            .id;
        let id = MessageId::from_json(id).map_err(|e| e.below("input.id"))?;
        Ok(Self { id, entry })
    }
}

/// Tells whether an entry that is there says the same as one that was refused.
pub type SameAs = fn(&Entry<'_>, &Entry<'_>) -> bool;

/// A stored response.
#[derive(Clone, Debug)]
pub struct Response<D> {
    /// What was answered.
    pub output: D,
    /// The request, where the store tells.
    pub request: Option<D>,
}

/// What a planner is told besides the request.
#[derive(Clone, Debug)]
pub struct PlannerContext<D> {
    /// The session the request belongs to.
    pub session_id: SessionId,
    /// What was said before; an empty list without history.
    pub prior: Prior<D>,
}

/// What became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// `false` when the id was there already, and nothing changed.
    pub inserted: bool,
    /// Whether the entry that was there already says something else.
    pub conflict: bool,
}

/// What became of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// How many entries were added.
    pub inserted: usize,
    /// How many were there already.
    pub deduped: usize,
    /// The ids of those that were there already with other content.
    pub conflicts: Vec<MessageId>,
}

/// What `handle` resolves to.
#[derive(Clone, Debug)]
pub enum Handled<D> {
    /// `chart_response`.
    Response {
        /// The response.
        output: D,
        /// Whether it comes from the store and the planner was not asked.
        replayed: bool,
        /// Whether the id had been used for something else.
        conflict: bool,
    },
    /// `assistant_message_result`.
    Injected(Recorded),
}

/// See the module's head.
pub struct Engine<D: Document> {
    history: Option<Remembering<D>>,
    /// Requests of one id wait for each other, so that a double click asks the planner once.
    requests: Locks,
}

/// Where the engine remembers, and by which rules.
struct Remembering<D> {
    history: Rc<dyn History<D>>,
    rules: Rules<D>,
}

impl<D: Document> Engine<D> {
    /// An engine that runs every request in isolation.
    pub fn stateless() -> Self {
        Self {
            history: None,
            requests: Locks::default(),
        }
    }

    /// An engine that remembers.
    pub fn remembering(history: Rc<dyn History<D>>, rules: Rules<D>) -> Self {
        Self {
            history: Some(Remembering { history, rules }),
            requests: Locks::default(),
        }
    }

    /// Handles a request or an injection given as lossless JSON.
    ///
    /// # Errors
    /// `invalid` for a message the protocol does not take, what the planner failed with, or what the
    /// store failed with; nothing is stored then.
    pub async fn handle(&self, message: &D, planner: &dyn Planner<D>) -> Result<Handled<D>, Error> {
        let checked = check_message(&message.text())?;
        match (checked.kind, &self.history) {
            (MessageKind::AssistantInjection, _) => self.inject(message, &checked).await,
            (MessageKind::ChartRequest, None) => {
                let context = PlannerContext {
                    session_id: checked.session_id,
                    prior: nothing_prior(),
                };
                let output = planned(message, context, planner).await?;
                Ok(Handled::Response {
                    output,
                    replayed: false,
                    conflict: false,
                })
            }
            (MessageKind::ChartRequest, Some(memory)) => {
                let key = format!("{}\n{}", checked.id.as_str(), checked.session_id.as_str());
                self.requests
                    .with(&key, memory.answer(message, &checked, planner))
                    .await
            }
        }
    }

    /// Every retained entry in wire form, oldest first: a JSON array.
    ///
    /// # Errors
    /// What the store failed with.
    pub async fn wire_history(&self, session: &SessionId) -> Result<D, Error> {
        match &self.history {
            None => Ok(D::from_text(b"[]".to_vec())),
            Some(memory) => wire(&*memory.history.list(session).await?),
        }
    }

    /// What a model would be sent before the next request.
    ///
    /// # Errors
    /// What the store or the hook failed with.
    pub async fn llm_context(&self, session: &SessionId) -> Result<Prior<D>, Error> {
        match &self.history {
            None => Ok(nothing_prior()),
            Some(memory) => prior(&*memory.history.list(session).await?, &memory.rules),
        }
    }

    /// Merges wire entries (a JSON array) fetched elsewhere, deduped by id, in their order.
    ///
    /// # Errors
    /// `invalid` with a path such as `[3].sessionId`; nothing is imported then.
    pub async fn import(&self, session: &SessionId, entries: &[u8]) -> Result<Imported, Error> {
        let memory = self.need_history()?;
        let mut items = Vec::new();
        let mut reader = Reader::new(entries);
        if !reader.begin_array() {
            return Err(Error::invalid("", "must be an array of history entries"));
        }
        while reader.next_item() {
            let Some(item) = reader.skip() else { break };
            let entry = imported_entry(&entries[item], session, &memory.rules);
            items.push(entry.map_err(|e| e.below(&format!("[{}]", items.len())))?);
        }
        let ids: Vec<_> = items.iter().map(|item| item.id.clone()).collect();
        let outcomes = memory
            .history
            .write(session, items, same_wire, &memory.rules)
            .await?;
        Ok(imported(&ids, &outcomes))
    }

    async fn inject(&self, message: &D, checked: &Message) -> Result<Handled<D>, Error> {
        let memory = self.need_history()?;
        if memory
            .rules
            .bounds
            .max_chars
            .is_some_and(|max| checked.content_units as u64 > max)
        {
            return Err(Error::invalid("content", "is longer than maxChars"));
        }
        memory
            .record(&checked.session_id, D::injection(message), b"injection")
            .await
            .map(Handled::Injected)
    }

    fn need_history(&self) -> Result<&Remembering<D>, Error> {
        self.history
            .as_ref()
            .ok_or_else(|| Error::invalid("history", "the engine was made without history"))
    }
}

impl<D: Document> Remembering<D> {
    async fn answer(
        &self,
        request: &D,
        checked: &Message,
        planner: &dyn Planner<D>,
    ) -> Result<Handled<D>, Error> {
        let session = &checked.session_id;
        if let Some(stored) = self.history.response(session, &checked.id).await? {
            return Ok(replayed(stored, request, false));
        }
        let prior = prior(&*self.history.list(session).await?, &self.rules)?;
        let context = PlannerContext {
            session_id: session.clone(),
            prior,
        };
        let output = planned(request, context, planner).await?;
        let recorded = self
            .record(session, D::turn(request, &output), b"turn")
            .await?;
        if !recorded.inserted {
            // Another tab answered the same request meanwhile: what is stored is what everybody shows.
            if let Some(stored) = self.history.response(session, &checked.id).await? {
                return Ok(replayed(stored, request, recorded.conflict));
            }
        }
        Ok(Handled::Response {
            output,
            replayed: false,
            conflict: recorded.conflict,
        })
    }

    async fn record(&self, session: &SessionId, entry: D, kind: &[u8]) -> Result<Recorded, Error> {
        let item = Item::of(transformed(entry, kind, &self.rules)?)?;
        let outcomes = self
            .history
            .write(session, vec![item], same_content, &self.rules)
            .await?;
        outcomes.first().copied().ok_or_else(|| {
            Error::store(ErrorCode::Failed, "the store did not say what became of it")
        })
    }
}

fn replayed<D: Document>(stored: Response<D>, request: &D, conflict: bool) -> Handled<D> {
    let other = stored
        .request
        .is_some_and(|first| !same_message(&first.text(), &request.text()));
    Handled::Response {
        output: stored.output,
        replayed: true,
        conflict: conflict || other,
    }
}

async fn planned<D: Document>(
    request: &D,
    context: PlannerContext<D>,
    planner: &dyn Planner<D>,
) -> Result<D, Error> {
    let output = planner.plan(request, context).await?;
    check_output(&output.text()).map_err(|e| e.below("output"))?;
    Ok(output)
}

/// The entry after `transformEntry`, its identity as it was.
fn transformed<D: Document>(entry: D, kind: &[u8], rules: &Rules<D>) -> Result<D, Error> {
    let Some(returned) = rules.hooks.transform(&entry) else {
        return Ok(entry);
    };
    let returned = returned?;
    let (before, after) = (entry.text(), returned.text());
    let original = check_entry(&before)?;
    let restored = match put_identity_back(&original, kind, &after) {
        Some(text) => D::from_text(text),
        None => returned,
    };
    check_entry(&restored.text()).map_err(|e| e.below("transformEntry"))?;
    Ok(restored)
}

fn imported_entry<D: Document>(
    wire: &[u8],
    session: &SessionId,
    rules: &Rules<D>,
) -> Result<Item<D>, Error> {
    let wire = check_wire_entry(wire)?;
    if wire.session_id != *session {
        return Err(Error::invalid("sessionId", "belongs to another session"));
    }
    let kind: &[u8] = match wire.body {
        WireBody::Turn { .. } => b"turn",
        WireBody::Injection { .. } => b"injection",
    };
    Item::of(transformed(D::from_text(from_wire(&wire)), kind, rules)?)
}

/// What an import of entries with these ids comes to.
pub fn imported(ids: &[MessageId], outcomes: &[Recorded]) -> Imported {
    let mut report = Imported::default();
    for (id, outcome) in ids.iter().zip(outcomes) {
        if outcome.inserted {
            report.inserted += 1;
        } else {
            report.deduped += 1;
        }
        if outcome.conflict {
            report.conflicts.push(id.clone());
        }
    }
    report
}

fn nothing_prior<D: Document>() -> Prior<D> {
    Prior {
        messages: D::from_text(b"[]".to_vec()),
        over_budget: false,
    }
}
