//! Closing segments: finding the safe points, and what makes a message reach across them.

use super::{Running, Segment, Way};
use crate::context::addressed::Addressed;
use crate::context::bodies::{Body, Given};
use crate::context::build::begins_with_assistant;
use crate::context::error::ContextError;
use crate::context::escaped::{is_blank, units, well_formed};
use crate::context::hashed::Hashed;
use crate::context::legality::settle;
use crate::context::model::{Block, BlockKind, Message, Role};
use crate::context::repair::{Repair, Rule};
use crate::context::texts::Texts;
use crate::context::units::units_of;
use xxhash_rust::xxh64::xxh64;

/// A segment has so many messages at most, if there is a safe point among them: what is cut through is settled again.
const SEGMENT: usize = 64;
/// So many points that look safe are tried in vain.
const TRIES: usize = 8;

impl Running {
    /// Closes what can be closed of the messages that are open.
    pub(super) fn close(&mut self, texts: &Texts, way: &Way<'_, '_>) -> Result<(), ContextError> {
        if self.seen == texts.message_count() || self.is_irregular {
            return Ok(());
        }
        let pending = texts.read_from(self.open)?;
        if self.seen == 0 {
            self.leading = pending
                .iter()
                .take_while(|it| it.role == Role::System)
                .count();
        }
        for (index, message) in pending
            .iter()
            .enumerate()
            .skip(self.seen.saturating_sub(self.open))
        {
            let is_late = !self.unanswered.passes(message);
            let is_leading = self.open + index < self.leading;
            self.is_irregular |= is_late || message.role == Role::System && !is_leading;
        }
        if self.is_irregular {
            return Ok(());
        }
        let safe: Vec<usize> = (1..pending.len())
            .filter(|&at| looks_safe(&pending[at - 1], &pending[at]))
            .collect();
        if way.addressed.is_some() {
            self.body.reserve(texts.byte_count(self.open));
        }
        let (mut from, mut fails) = (0, 0);
        while fails < TRIES {
            // The last one within the length of a segment, or else the next one.
            let near = safe.partition_point(|&at| at <= from + SEGMENT);
            let next = safe.partition_point(|&at| at <= from);
            let Some(&to) = safe.get(near.max(next + 1 + fails) - 1) else {
                break;
            };
            if self.close_segment(&pending, from, to, way)? {
                (from, fails) = (to, 0);
            } else {
                fails += 1;
            }
        }
        self.seen = texts.message_count();
        Ok(())
    }

    /// Closes the messages from one place to another, if nothing behind reaches into them.
    fn close_segment(
        &mut self,
        pending: &[Message<'_>],
        from: usize,
        to: usize,
        way: &Way<'_, '_>,
    ) -> Result<bool, ContextError> {
        let mut repairs = Vec::new();
        let settled = settle(pending[from..to].to_vec(), way.rules, &mut repairs)?;
        let is_over = settled
            .last()
            .is_some_and(|it| it.role == Role::Assistant && it.calls().next().is_none());
        if !is_over {
            return Ok(false);
        }
        let missing = repairs.iter().filter(|it| it.rule == Rule::MissingResult);
        let mut unanswered = Unanswered::default();
        for id in missing.filter_map(|repair| repair.call_id.as_ref()) {
            unanswered.hashes.set(xxh64(id.as_bytes(), 0), WAITS);
            unanswered.is_any = true;
        }
        let mut behind = pending[to..].iter();
        if !behind.all(|message| unanswered.passes(message)) {
            return Ok(false);
        }
        if unanswered.is_any {
            self.unanswered.is_any = true;
            self.unanswered.hashes.add(&unanswered.hashes);
        }
        if self.segments.is_empty() {
            self.begins_with_assistant = begins_with_assistant(&settled);
            self.first_source = settled[0].source;
        }
        let units = units_of(&settled).len();
        self.costs.resize(self.costs.len() + units, None);
        let said = settled.iter().filter(|it| it.role != Role::System);
        let mut sources: Vec<usize> = said
            .flat_map(|message| message.blocks.iter().map(|block| block.source))
            .collect();
        sources.sort_unstable();
        sources.dedup();
        let written = self.write_segment(&settled, way.addressed);
        self.segments.push(Segment {
            first: self.open,
            units: self.costs.len(),
            sources,
            settled: repairs,
            written,
        });
        self.open += to - from;
        Ok(true)
    }

    fn write_segment(
        &mut self,
        settled: &[Message<'_>],
        addressed: Option<&Addressed<'_>>,
    ) -> Vec<Repair> {
        let Some(addressed) = addressed else {
            return Vec::new();
        };
        if self.segments.is_empty() {
            self.given = Given::new(addressed.law);
        }
        self.body.truncate(self.head + self.written);
        let out = std::mem::take(&mut self.body);
        let mut body = Body::new(addressed, out, Given::behind(&self.given));
        body.write(settled);
        let (out, given, repairs) = body.into_parts();
        let added = given.into_added();
        self.given.add(added);
        self.written = out.len() - self.head;
        self.body = out;
        repairs
    }
}

/// Whether a message looks as if a segment could begin with it: what both say stays, so that no rule makes neighbours of others.
fn looks_safe(before: &Message<'_>, message: &Message<'_>) -> bool {
    let is_word =
        |block: &Block<'_>| matches!(&block.kind, BlockKind::Text(text) if !is_blank(text));
    before.role == Role::Assistant
        && message.role == Role::User
        && message.results().next().is_none()
        && message.blocks.iter().any(is_word)
        && before.blocks.iter().any(is_word)
        && before.calls().next().is_none()
}

/// The calls in segments that have no result, by the hashes of their ids.
#[derive(Default)]
pub(super) struct Unanswered {
    hashes: Hashed,
    is_any: bool,
}

const WAITS: u64 = 1;
const CALLED_AGAIN: u64 = 0;

impl Unanswered {
    /// Whether a message answers none of them. What is called again is answered there.
    fn passes(&mut self, message: &Message<'_>) -> bool {
        if !self.is_any {
            return true;
        }
        let hash = |id: &[u8]| xxh64(&well_formed(units(id)), 0);
        for block in &message.blocks {
            // A call that somebody else makes is none.
            if let Some(call) = block.call().filter(|_| message.role == Role::Assistant) {
                self.hashes.set(hash(&call.id), CALLED_AGAIN);
            }
            let waiting = block.result().map(|it| self.hashes.get(hash(&it.call_id)));
            if waiting == Some(Some(WAITS)) {
                return false;
            }
        }
        true
    }
}
