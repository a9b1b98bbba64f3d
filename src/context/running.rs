//! Requests of a conversation that grows: what is behind a safe point is settled, written and counted once.
//!
//! A point is safe before a message in which the user speaks, behind a settled message of the assistant that calls nothing. No
//! rule reaches across it: neighbours there have different roles, and results behind it answer no calls before it, which have
//! their own. Where a call before it has none, a late result would reach across: then all is built anew. So what a segment, the
//! messages between two safe points, becomes never changes, and the body of the next request is what was written of the
//! segments, and the messages behind the last safe point, which are open.
//!
//! Where a budget drops something, the segments it drops wholly are not looked at again. The rest is cut as a list of its own,
//! which remembers what lies before it.
//!
//! What comes out is what a list that is read anew gives, byte for byte; `tests/context_running.rs` holds the two against each
//! other.

use xxhash_rust::xxh64::xxh64;

use super::addressed::Addressed;
use super::bodies::{Body, Given};
use super::budget::{Limits, own_costs};
use super::build::{Context, Older, begins_with_assistant, cut_settled};
use super::error::ContextError;
use super::escaped::{is_blank, units, well_formed};
use super::hashed::Hashed;
use super::legality::{Rules, settle, settle_ends};
use super::model::{Block, BlockKind, Message, Role};
use super::repair::{Repair, Rule};
use super::report::Report;
use super::request::{Asked, end, trim_end, write_head, write_request};
use super::texts::Texts;
use super::units::{Cost, TokenCounter, units_of};

/// A segment has so many messages at most, if there is a safe point among them: what is cut through is settled again.
const SEGMENT: usize = 64;
/// So many points that look safe are tried in vain.
const TRIES: usize = 8;

/// See the module's head. It belongs to one way of asking: the rules, the API and the model stay the same.
#[derive(Default)]
pub(super) struct Running {
    segments: Vec<Segment>,
    /// What the units of the segments cost under `limits`, and whether they are clipped for that; none where nobody asked.
    costs: Vec<Option<(Cost, bool)>>,
    limits: Limits,
    /// What stands before the messages, the segments' messages behind each other, and what was written behind them last.
    body: Vec<u8>,
    head: usize,
    written: usize,
    given: Given<'static>,
    /// How many messages in front are the system's.
    leading: usize,
    begins_with_assistant: bool,
    first_source: usize,
    unanswered: Unanswered,
    /// The first message that is open, and how many were looked at.
    open: usize,
    seen: usize,
    /// A message was seen that reaches across segments.
    is_irregular: bool,
}

/// See the module's head.
struct Segment {
    first: usize,
    /// How many units there are up to its end.
    units: usize,
    /// What its blocks came from, in order.
    sources: Vec<usize>,
    /// What was changed to make it legal, and to write it.
    settled: Vec<Repair>,
    written: Vec<Repair>,
}

/// A request.
pub(super) struct Built {
    /// None where it is left in [`Running::body`].
    pub body: Option<Vec<u8>>,
    pub report: Report,
}

/// How a conversation is asked for.
pub(super) struct Way<'w, 'o> {
    pub rules: &'w Rules<'o>,
    /// None where a list is wanted.
    pub addressed: Option<&'w Addressed<'o>>,
    pub limits: Limits,
}

/// What of the conversation has to be looked at.
enum Reach {
    /// All of it is sent.
    All,
    /// What is before this segment is not sent.
    From(usize),
}

impl Running {
    /// The request's body and what was done for it; none where the conversation has to be read anew. The report says what costs
    /// no time alone unless it is `wanted`.
    pub(super) fn request(
        &mut self,
        texts: &Texts,
        way: &Way<'_, '_>,
        asked: &Asked<'_>,
        mut counter: Option<&mut TokenCounter<'_>>,
        wanted: bool,
    ) -> Result<Option<Built>, ContextError> {
        let Some(addressed) = way.addressed else {
            return Ok(None);
        };
        if !self.is_usable(texts, way)? {
            return Ok(None);
        }
        let mut repairs = Vec::new();
        let open = texts.read_from(self.open)?;
        let mut open = settle(open, way.rules, &mut repairs)?;
        let limits = way.limits;
        let counts = limits.is_limited() || wanted;
        match self.reach(texts, way, &open, counter.as_deref_mut())? {
            Reach::From(0) => Ok(None),
            Reach::From(segment) => {
                let context = self.cut_from(segment, texts, way, counter, wanted)?;
                let request = write_request(addressed, asked, context)?;
                Ok(Some(Built {
                    body: Some(request.body),
                    report: request.report,
                }))
            }
            Reach::All => {
                settle_ends(&mut open, way.rules, &mut repairs)?;
                let cost = match counts {
                    true => self.cost_of_all(texts, way, &open, counter)?,
                    false => Cost::default(),
                };
                let report = Report {
                    chars: cost.chars,
                    tokens: limits.max_tokens.map(|_| cost.tokens),
                    ..Report::default()
                };
                let mut context = Context {
                    messages: open,
                    report,
                };
                context.report.add_repairs(repairs);
                if addressed.law.trims_end {
                    trim_end(&mut context);
                }
                let mut report = self.write_open(texts, way, addressed, asked, context)?;
                if wanted {
                    report.add_repairs(self.repairs_before(self.segments.len(), true));
                }
                Ok(Some(Built { body: None, report }))
            }
        }
    }

    /// The context, where what is before a segment is not sent; none where the conversation has to be read anew.
    pub(super) fn context<'c>(
        &mut self,
        texts: &'c Texts,
        way: &Way<'_, '_>,
        mut counter: Option<&mut TokenCounter<'_>>,
    ) -> Result<Option<Context<'c>>, ContextError> {
        if !way.limits.is_limited() || !self.is_usable(texts, way)? {
            return Ok(None);
        }
        let open = texts.read_from(self.open)?;
        let open = settle(open, way.rules, &mut Vec::new())?;
        match self.reach(texts, way, &open, counter.as_deref_mut())? {
            Reach::All | Reach::From(0) => Ok(None),
            Reach::From(segment) => self.cut_from(segment, texts, way, counter, true).map(Some),
        }
    }

    /// The body, where the last request left it here.
    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Closes what can be closed, and says whether the rest can be built on that.
    fn is_usable(&mut self, texts: &Texts, way: &Way<'_, '_>) -> Result<bool, ContextError> {
        self.close(texts, way)?;
        let needs_opening = self.begins_with_assistant && way.rules.starts_on_user;
        Ok(!self.segments.is_empty() && !self.is_irregular && !needs_opening)
    }

    fn close(&mut self, texts: &Texts, way: &Way<'_, '_>) -> Result<(), ContextError> {
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

    /// Puts the head before the segments, and the open messages behind them.
    fn write_open(
        &mut self,
        texts: &Texts,
        way: &Way<'_, '_>,
        addressed: &Addressed<'_>,
        asked: &Asked<'_>,
        context: Context<'_>,
    ) -> Result<Report, ContextError> {
        let mut report = context.report;
        let leading = texts.read_range(0..self.leading)?;
        // What is changed in these was reported with their segment.
        let leading = settle(leading, way.rules, &mut Vec::new())?;
        let mut head = Body::new(addressed, Vec::new(), Given::new(addressed.law));
        write_head(&mut head, asked, &leading, self.first_source);
        if !head.out.ends_with(b"[") {
            head.push(",");
        }
        let (head, _, repairs) = head.into_parts();
        report.add_repairs(repairs);
        self.body.truncate(self.head + self.written);
        if self.body[..self.head] != head {
            self.body.splice(..self.head, head.iter().copied());
            self.head = head.len();
        }
        let out = std::mem::take(&mut self.body);
        let mut body = Body::new(addressed, out, Given::behind(&self.given));
        body.write(&context.messages);
        body.push(end(addressed.law));
        let (out, _, repairs) = body.into_parts();
        self.body = out;
        report.add_repairs(repairs);
        Ok(report)
    }

    /// How far back the budget reaches. What is kept is never less than it says.
    fn reach(
        &mut self,
        texts: &Texts,
        way: &Way<'_, '_>,
        open: &[Message<'_>],
        mut counter: Option<&mut TokenCounter<'_>>,
    ) -> Result<Reach, ContextError> {
        let limits = way.limits;
        if !limits.is_limited() {
            return Ok(Reach::All);
        }
        let own = own_costs(&mut open.to_vec(), &limits, counter.as_deref_mut());
        let mut is_clipped = own.iter().any(|(_, is_clipped)| *is_clipped);
        let mut sum = sum(own.iter().map(|(cost, _)| *cost));
        let is_waiting = units_of(open)
            .last()
            .is_some_and(|unit| open[unit.message].calls().next().is_some());
        if is_waiting && limits.is_exceeded(sum) {
            // It is kept and clipped to what is left: who knows to how much.
            sum = sum.minus(own.last().map_or(Cost::default(), |(cost, _)| *cost));
            is_clipped = true;
        }
        for segment in (0..self.segments.len()).rev() {
            for unit in self.units_of(segment).rev() {
                let (cost, clipped) =
                    self.cost(segment, unit, texts, way, counter.as_deref_mut())?;
                is_clipped |= clipped;
                sum = sum.plus(cost);
                if limits.step_percent == 0 && limits.is_exceeded(sum) {
                    return Ok(Reach::From(segment));
                }
            }
        }
        if !limits.is_exceeded(sum) {
            return Ok(if is_clipped {
                Reach::From(0)
            } else {
                Reach::All
            });
        }
        let excess = limits.excess(sum);
        let mut dropped = Cost::default();
        for segment in 0..self.segments.len() {
            for unit in self.units_of(segment) {
                if dropped.covers(excess) {
                    return Ok(Reach::From(segment));
                }
                let (cost, _) = self.cost(segment, unit, texts, way, counter.as_deref_mut())?;
                dropped = dropped.plus(cost);
            }
        }
        Ok(Reach::From(self.segments.len() - 1))
    }

    fn units_of(&self, segment: usize) -> std::ops::Range<usize> {
        let from = segment
            .checked_sub(1)
            .map_or(0, |it| self.segments[it].units);
        from..self.segments[segment].units
    }

    /// What a unit costs; the segment's units are counted together.
    fn cost(
        &mut self,
        segment: usize,
        unit: usize,
        texts: &Texts,
        way: &Way<'_, '_>,
        counter: Option<&mut TokenCounter<'_>>,
    ) -> Result<(Cost, bool), ContextError> {
        if self.limits != way.limits {
            self.limits = way.limits;
            self.costs.fill(None);
        }
        if let Some(cost) = self.costs[unit] {
            return Ok(cost);
        }
        let first = self.segments[segment].first;
        let next = self.segments.get(segment + 1);
        let messages = texts.read_range(first..next.map_or(self.open, |it| it.first))?;
        let mut settled = settle(messages, way.rules, &mut Vec::new())?;
        let costs = own_costs(&mut settled, &way.limits, counter);
        let units = self.units_of(segment);
        for (at, cost) in units.zip(costs) {
            self.costs[at] = Some(cost);
        }
        Ok(self.costs[unit].unwrap_or_default())
    }

    fn cost_of_all(
        &mut self,
        texts: &Texts,
        way: &Way<'_, '_>,
        open: &[Message<'_>],
        mut counter: Option<&mut TokenCounter<'_>>,
    ) -> Result<Cost, ContextError> {
        let own = own_costs(&mut open.to_vec(), &way.limits, counter.as_deref_mut());
        let mut all = sum(own.into_iter().map(|(cost, _)| cost));
        for segment in 0..self.segments.len() {
            for unit in self.units_of(segment) {
                let cost = self.cost(segment, unit, texts, way, counter.as_deref_mut())?;
                all = all.plus(cost.0);
            }
        }
        Ok(all)
    }

    /// Cuts what there is from a segment on.
    fn cut_from<'c>(
        &mut self,
        segment: usize,
        texts: &'c Texts,
        way: &Way<'_, '_>,
        counter: Option<&mut TokenCounter<'_>>,
        wanted: bool,
    ) -> Result<Context<'c>, ContextError> {
        let mut messages = texts.read_range(0..self.leading)?;
        let leading: Vec<usize> = messages.iter().map(|message| message.source).collect();
        messages.append(&mut texts.read_from(self.segments[segment].first)?);
        let mut repairs = Vec::new();
        let settled = settle(messages, way.rules, &mut repairs)?;
        let units = self.units_of(segment).start;
        let dropped = self.costs[..units].iter().flatten().map(|(cost, _)| *cost);
        let older = Older {
            cost: Some(sum(dropped)),
            begins_with_assistant: self.begins_with_assistant,
        };
        let mut context = cut_settled(settled, &older, way.rules, &way.limits, counter, repairs)?;
        if wanted {
            let older = self.segments[..segment].iter();
            let mut dropped: Vec<usize> = older.flat_map(|it| it.sources.clone()).collect();
            dropped.append(&mut context.report.dropped);
            dropped.sort_unstable();
            dropped.dedup();
            context.report.dropped = dropped;
            let mut repairs = self.repairs_before(segment, false);
            // The system's messages were settled once more.
            repairs.retain(|repair| !leading.contains(&repair.message));
            context.report.add_repairs(repairs);
        }
        Ok(context)
    }

    /// What was changed in the segments before one, to make them legal and to write them.
    fn repairs_before(&self, segment: usize, is_sent: bool) -> Vec<Repair> {
        let mut repairs = Vec::new();
        for it in &self.segments[..segment] {
            repairs.extend_from_slice(&it.settled);
            if is_sent {
                repairs.extend_from_slice(&it.written);
            }
        }
        repairs
    }
}

/// Whether a message looks as if a segment could begin with it.
fn looks_safe(before: &Message<'_>, message: &Message<'_>) -> bool {
    let is_word =
        |block: &Block<'_>| matches!(&block.kind, BlockKind::Text(text) if !is_blank(text));
    before.role == Role::Assistant
        && message.role == Role::User
        && message.results().next().is_none()
        && message.blocks.iter().any(is_word)
        && before.calls().next().is_none()
}

/// The calls in segments that have no result, by the hashes of their ids.
#[derive(Default)]
struct Unanswered {
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
            if let Some(call) = block.call() {
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

fn sum(costs: impl Iterator<Item = Cost>) -> Cost {
    costs.fold(Cost::default(), Cost::plus)
}
