//! The engine: a planner and, where history is configured, the place that remembers (seed 001).

use super::document::Document;
use super::entry::check_entry;
use super::identity::put_identity_back;
use super::lock::Locks;
use super::projection::from_wire;
use super::rules::{Prior, Rules};
use crate::json::Reader;
use crate::protocol::{
    Error, Message, MessageId, MessageKind, SessionId, check_message, check_output,
    check_wire_entry,
};

/// What the engine asks of the place that keeps the entries.
///
/// Implemented by turnlog's own stores, which cut in the same transaction that appends, and by
/// [`super::FiveMethods`] for any store with the five methods of the contract.
#[allow(
    async_fn_in_trait,
    reason = "single-threaded on purpose: JavaScript values are not Send"
)]
pub trait History<D: Document> {
    /// The stored response to a message id, with whether it was given to another request.
    async fn replay(
        &self,
        session: &SessionId,
        id: &MessageId,
        request: &D,
    ) -> Result<Option<Replay<D>>, Error>;
    /// What a model is sent before the next request. Waits for no writer.
    async fn prior(&self, session: &SessionId, rules: &Rules<D>) -> Result<Prior<D>, Error>;
    /// Adds an entry unless its id is there, and cuts by the rules, in one critical section.
    async fn record(
        &self,
        session: &SessionId,
        entry: &D,
        rules: &Rules<D>,
    ) -> Result<Recorded, Error>;
    /// Adds many entries, in order, each unless its id is there, then cuts once.
    async fn import(
        &self,
        session: &SessionId,
        entries: &[D],
        rules: &Rules<D>,
    ) -> Result<Imported, Error>;
    /// Every retained entry in wire form, oldest first: a JSON array.
    async fn wire(&self, session: &SessionId) -> Result<D, Error>;
}

/// Makes a response. One value of it serves one request.
#[allow(
    async_fn_in_trait,
    reason = "single-threaded on purpose: JavaScript values are not Send"
)]
pub trait Planner<D: Document> {
    /// The chart response, as lossless JSON; its shape is checked by the engine.
    async fn plan(&self, request: &D, context: PlannerContext<D>) -> Result<D, Error>;
}

/// What a planner is told besides the request.
#[derive(Clone, Debug)]
pub struct PlannerContext<D> {
    /// The session the request belongs to.
    pub session_id: SessionId,
    /// What was said before; an empty list without history.
    pub prior: Prior<D>,
}

/// A stored response.
#[derive(Clone, Debug)]
pub struct Replay<D> {
    /// The response.
    pub output: D,
    /// Whether the request it answered said something else.
    pub conflict: bool,
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
pub struct Engine<D: Document, H> {
    history: Option<(H, Rules<D>)>,
    /// Requests of one id wait for each other, so that a double click asks the planner once.
    requests: Locks,
}

impl<D: Document, H: History<D>> Engine<D, H> {
    /// An engine; without history every request runs in isolation.
    pub fn new(history: Option<(H, Rules<D>)>) -> Self {
        Self {
            history,
            requests: Locks::default(),
        }
    }

    /// Handles a request or an injection given as lossless JSON.
    ///
    /// # Errors
    /// `invalid` for a message the protocol does not take, what the planner failed with, or what the
    /// store failed with; nothing is stored then.
    pub async fn handle(
        &self,
        message: &D,
        planner: &impl Planner<D>,
    ) -> Result<Handled<D>, Error> {
        let checked = check_message(&message.text())?;
        match checked.kind {
            MessageKind::AssistantInjection => {
                self.inject(message, &checked).await.map(Handled::Injected)
            }
            MessageKind::ChartRequest => match &self.history {
                None => self.answer_alone(message, &checked, planner).await,
                Some((history, rules)) => {
                    let key = format!("{}\n{}", checked.id.as_str(), checked.session_id.as_str());
                    self.requests
                        .with(&key, answer(message, &checked, planner, history, rules))
                        .await
                }
            },
        }
    }

    /// Every retained entry in wire form, oldest first: a JSON array.
    ///
    /// # Errors
    /// What the store failed with.
    pub async fn wire_history(&self, session: &SessionId) -> Result<D, Error> {
        match &self.history {
            None => Ok(D::from_text(b"[]".to_vec())),
            Some((history, _)) => history.wire(session).await,
        }
    }

    /// What a model would be sent before the next request.
    ///
    /// # Errors
    /// What the store or the hook failed with.
    pub async fn llm_context(&self, session: &SessionId) -> Result<Prior<D>, Error> {
        match &self.history {
            None => Ok(nothing_prior()),
            Some((history, rules)) => history.prior(session, rules).await,
        }
    }

    /// Merges wire entries (a JSON array) fetched elsewhere, deduped by id, in their order.
    ///
    /// # Errors
    /// `invalid` with a path such as `[3].sessionId`; nothing is imported then.
    pub async fn import(&self, session: &SessionId, entries: &[u8]) -> Result<Imported, Error> {
        let (history, rules) = self.need_history()?;
        let mut list = Vec::new();
        let mut reader = Reader::new(entries);
        if !reader.begin_array() {
            return Err(Error::invalid("", "must be an array of history entries"));
        }
        while reader.next_item() {
            let Some(item) = reader.skip() else { break };
            let entry = imported_entry(&entries[item], session, rules);
            list.push(entry.map_err(|e| e.below(&format!("[{}]", list.len())))?);
        }
        history.import(session, &list, rules).await
    }

    async fn inject(&self, message: &D, checked: &Message) -> Result<Recorded, Error> {
        let (history, rules) = self.need_history()?;
        if rules
            .bounds
            .max_chars
            .is_some_and(|max| checked.content_units as u64 > max)
        {
            return Err(Error::invalid("content", "is longer than maxChars"));
        }
        let entry = transformed(D::injection(message), b"injection", rules)?;
        history.record(&checked.session_id, &entry, rules).await
    }

    async fn answer_alone(
        &self,
        request: &D,
        checked: &Message,
        planner: &impl Planner<D>,
    ) -> Result<Handled<D>, Error> {
        let context = PlannerContext {
            session_id: checked.session_id.clone(),
            prior: nothing_prior(),
        };
        let output = planned(request, context, planner).await?;
        Ok(Handled::Response {
            output,
            replayed: false,
            conflict: false,
        })
    }

    fn need_history(&self) -> Result<&(H, Rules<D>), Error> {
        self.history
            .as_ref()
            .ok_or_else(|| Error::invalid("history", "the engine was made without history"))
    }
}

async fn answer<D: Document>(
    request: &D,
    checked: &Message,
    planner: &impl Planner<D>,
    history: &impl History<D>,
    rules: &Rules<D>,
) -> Result<Handled<D>, Error> {
    let session = &checked.session_id;
    let replayed = |replay: Replay<D>, conflict| Handled::Response {
        output: replay.output,
        replayed: true,
        conflict: replay.conflict || conflict,
    };
    if let Some(replay) = history.replay(session, &checked.id, request).await? {
        return Ok(replayed(replay, false));
    }
    let prior = history.prior(session, rules).await?;
    let output = planned(
        request,
        PlannerContext {
            session_id: session.clone(),
            prior,
        },
        planner,
    )
    .await?;
    let entry = transformed(D::turn(request, &output), b"turn", rules)?;
    let recorded = history.record(session, &entry, rules).await?;
    if !recorded.inserted {
        // Another tab answered the same request meanwhile: what is stored is what everybody shows.
        if let Some(replay) = history.replay(session, &checked.id, request).await? {
            return Ok(replayed(replay, recorded.conflict));
        }
    }
    Ok(Handled::Response {
        output,
        replayed: false,
        conflict: recorded.conflict,
    })
}

async fn planned<D: Document>(
    request: &D,
    context: PlannerContext<D>,
    planner: &impl Planner<D>,
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
) -> Result<D, Error> {
    let wire = check_wire_entry(wire)?;
    if wire.session_id != *session {
        return Err(Error::invalid("sessionId", "belongs to another session"));
    }
    let kind: &[u8] = match wire.body {
        crate::protocol::WireBody::Turn { .. } => b"turn",
        crate::protocol::WireBody::Injection { .. } => b"injection",
    };
    transformed(D::from_text(from_wire(&wire)), kind, rules)
}

fn nothing_prior<D: Document>() -> Prior<D> {
    Prior {
        messages: D::from_text(b"[]".to_vec()),
        over_budget: false,
    }
}
