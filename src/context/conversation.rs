//! A conversation of which requests are made again and again.

use std::borrow::Cow;

use super::addressed::Addressed;
use super::build::{Context, ContextOptions, build_context};
use super::error::ContextError;
use super::legality::{MissingResult, UnknownBlocks};
use super::model::Message;
use super::provider::Provider;
use super::report::Report;
use super::request::{Asked, build_request};
use super::running::{Built, Running, Way};
use super::texts::Texts;
use super::units::TokenMemo;

/// So many ways of asking are remembered.
const WAYS: usize = 4;

/// A conversation, and what was made of it for earlier requests.
#[derive(Default)]
pub struct Conversation {
    texts: Texts,
    /// What was counted before; see [`TokenMemo`].
    pub memo: TokenMemo,
    /// What was made for earlier requests, the newest last.
    running: Vec<(Key, Running)>,
}

/// A way of asking: what is settled and written depends on that and the messages alone.
#[derive(PartialEq, Eq)]
struct Key {
    provider: Option<Provider>,
    by: Option<Vec<u8>>,
    model: Option<Vec<u8>>,
    missing: MissingResult,
    unknown: UnknownBlocks,
}

impl Conversation {
    /// How many items were added: messages, entries and events, whether they say something or not.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all items but the first `count`, and what was made for earlier requests.
    pub fn truncate(&mut self, count: usize) {
        if count < self.len() {
            self.texts.truncate(count);
            self.running.clear();
        }
    }

    /// Adds the items of a list of checked JSON text: messages, or history entries in either form.
    ///
    /// # Errors
    /// [`Invalid`](super::ContextCode::Invalid) with the path of what is no list, or neither; nothing is added then.
    pub fn extend(&mut self, list: &[u8]) -> Result<(), ContextError> {
        self.texts.extend(list)
    }

    /// Adds one item, which is known by this place.
    ///
    /// # Errors
    /// As [`Self::extend`].
    pub fn push(&mut self, item: &[u8], source: usize) -> Result<(), ContextError> {
        self.texts.push(item, source)
    }

    /// Adds an event of checked JSON text, which is known by its number.
    pub fn push_event(&mut self, event: &[u8], seq: usize) {
        self.texts.push_event(event, seq);
    }

    /// Forgets what was counted: from now on somebody else counts.
    pub fn forget_counts(&mut self) {
        self.memo = TokenMemo::default();
        self.running.clear();
    }

    /// Makes room for so many more bytes of text: long texts that grow are copied often.
    pub fn reserve(&mut self, bytes: usize) {
        self.texts.reserve(bytes);
    }

    /// Adds what events of these numbers say: a list of their messages of checked JSON text, `null` for one that says nothing.
    pub fn extend_said(&mut self, messages: &[u8], seqs: &[u32]) {
        self.texts.extend_said(messages, seqs);
    }

    /// All messages, taken apart. Linear in their texts.
    ///
    /// # Errors
    /// As [`read_message`](super::read_message), for what came from a session.
    pub fn read(&self) -> Result<Vec<Message<'_>>, ContextError> {
        self.texts.read_from(0)
    }

    /// What [`build_context`] makes of the messages. Where the budget drops older ones, and a context or a request was built
    /// before, those are not looked at again.
    ///
    /// # Errors
    /// As there.
    pub fn context(
        &mut self,
        api: Option<Provider>,
        options: &mut ContextOptions<'_>,
    ) -> Result<Context<'_>, ContextError> {
        let rules = api.map_or(options.rules, |api| api.rules(options.rules));
        let (limits, counter) = (options.limits, &mut options.counter);
        let mut running = self.take_running(Key {
            provider: None,
            by: None,
            model: None,
            missing: rules.missing_result,
            unknown: rules.unknown,
        });
        let way = Way {
            rules: &rules,
            addressed: None,
            limits,
        };
        let cut = running.1.context(&self.texts, &way, counter.as_mut());
        self.running.push(running);
        match cut? {
            Some(context) => Ok(context),
            None => build_context(self.read()?, &rules, &limits, counter.as_mut()),
        }
    }

    /// What [`build_request`] makes of the messages, byte for byte. After an earlier request of the same kind it takes the time
    /// of what came since, or of what the budget keeps. The report is complete if it is `wanted`; else it may leave out what
    /// takes time alone.
    ///
    /// # Errors
    /// As there.
    pub fn request(
        &mut self,
        provider: Provider,
        asked: &Asked<'_>,
        options: &mut ContextOptions<'_>,
        wanted: bool,
    ) -> Result<(Cow<'_, [u8]>, Report), ContextError> {
        let addressed = Addressed::new(provider, asked)?;
        let text = |text: crate::json::RawStr<'_>| text.to_wtf8().into_owned();
        let mut running = self.take_running(Key {
            provider: Some(provider),
            by: addressed.by.map(text),
            model: addressed.model.map(text),
            missing: options.rules.missing_result,
            unknown: options.rules.unknown,
        });
        let (limits, counter) = (options.limits, options.counter.as_mut());
        let built = addressed.with_rules(&options.rules, |rules| {
            let way = Way {
                rules,
                addressed: Some(&addressed),
                limits,
            };
            running.1.request(&self.texts, &way, asked, counter, wanted)
        });
        self.running.push(running);
        match built? {
            Some(Built { body, report }) => {
                let left_here = self.running.last().map(|(_, running)| running.body());
                let left_here = || Cow::Borrowed(left_here.unwrap_or_default());
                Ok((body.map_or_else(left_here, Cow::Owned), report))
            }
            None => {
                let request = build_request(provider, self.read()?, asked, options)?;
                Ok((Cow::Owned(request.body), request.report))
            }
        }
    }

    /// What was made for earlier requests of this kind. It is put back behind the others.
    fn take_running(&mut self, key: Key) -> (Key, Running) {
        let known = self.running.iter().position(|(known, _)| *known == key);
        if let Some(at) = known {
            return self.running.remove(at);
        }
        if self.running.len() == WAYS {
            self.running.remove(0);
        }
        (key, Running::default())
    }
}
