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

mod reach;
mod segments;

use self::reach::Reach;
use self::segments::Unanswered;
use super::addressed::Addressed;
use super::bodies::{Body, Given};
use super::budget::Limits;
use super::build::Context;
use super::error::ContextError;
use super::legality::{Rules, settle, settle_ends};
use super::repair::Repair;
use super::report::Report;
use super::request::{Asked, end, trim_end, write_head, write_request};
use super::texts::Texts;
use super::units::{Cost, TokenCounter};

/// See the module's head. It belongs to one way of asking: the rules, the API and the model stay the same.
#[derive(Default)]
pub(super) struct Running {
    segments: Vec<Segment>,
    /// What the units of the segments cost under `limits`, and whether they are clipped for that; none where nobody asked.
    costs: Vec<Option<(Cost, bool)>>,
    limits: Limits,
    /// Whether somebody else than the estimate counted the tokens for them.
    is_counted: bool,
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
