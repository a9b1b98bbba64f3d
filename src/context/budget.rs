//! What of a legal list fits into a budget (spec 4-context.md, "Budget").
//!
//! Units are kept newest first, up to the first that does not fit. Two are kept always: the newest word of the user, and the
//! newest unit where that is a step whose results the model waits for. So what is kept is the end of the list, and before a gap
//! the user's word if it was not in that end.
//!
//! A step that alone exceeds the budget has the bodies of its results clipped to half of the budget, or what the user's word
//! leaves of it. Half is a size that does not depend on what else there is, so that its bytes stay the same in later requests.

use super::clip::{SHORTEST, clip};
use super::escaped::len;
use super::model::{Block, BlockKind, Message, Part, Role};
use super::units::{Cost, TokenCounter, Unit, units_of};

/// The most that may be sent. 0 is a limit like any other: nothing but what is always kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Messages, without system ones.
    pub max_messages: Option<u64>,
    /// UTF-16 code units of what is said, called and answered, without system texts.
    pub max_chars: Option<u64>,
    /// Tokens of the same; what an API adds for each message is not counted.
    pub max_tokens: Option<u64>,
    /// Where a limit is exceeded, so many percent of it are dropped at once, so that the next requests begin alike until
    /// that much has been added. 0 drops no more than has to go.
    pub step_percent: u64,
}

impl Limits {
    /// Whether there is a limit at all.
    pub(super) fn is_limited(&self) -> bool {
        self.max_messages.is_some() || self.max_chars.is_some() || self.max_tokens.is_some()
    }

    /// Whether something costs more than is allowed.
    pub(super) fn is_exceeded(&self, cost: Cost) -> bool {
        let exceeds = |cost: u64, limit: Option<u64>| limit.is_some_and(|limit| cost > limit);
        exceeds(cost.messages, self.max_messages)
            || exceeds(cost.chars, self.max_chars)
            || exceeds(cost.tokens, self.max_tokens)
    }

    /// How much has to be dropped at least of something that costs this.
    pub(super) fn excess(&self, cost: Cost) -> Cost {
        let excess = |cost: u64, limit: Option<u64>| {
            let limit = limit.unwrap_or(u64::MAX);
            let step = (limit.saturating_mul(self.step_percent) / 100).max(1);
            let over = cost.saturating_sub(limit);
            over.div_ceil(step).saturating_mul(step)
        };
        Cost {
            messages: excess(cost.messages, self.max_messages),
            chars: excess(cost.chars, self.max_chars),
            tokens: excess(cost.tokens, self.max_tokens),
        }
    }
}

/// What came of a budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    /// The messages that were dropped, wholly or in part, as indices into the list that was read; in order.
    pub dropped: Vec<usize>,
    /// The messages that held results which were clipped, likewise.
    pub clipped: Vec<usize>,
    /// What is kept costs, with what is added afterwards.
    pub cost: Cost,
}

/// What there is besides a list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// What is added to the list afterwards costs that.
    pub fixed: Cost,
    /// What was dropped before it, older than all of it; none if nothing was.
    pub dropped: Option<Cost>,
}

/// Cuts a legal list to its budget. Linear in what is looked at: all of it, or what is kept where there are limits and no steps.
///
/// With `starts_on_user` a list that is cut begins with a word of the user where one is left.
pub(super) fn cut(
    messages: &mut Vec<Message<'_>>,
    limits: &Limits,
    starts_on_user: bool,
    before: Before,
    counter: Option<&mut TokenCounter<'_>>,
) -> Cut {
    let units = units_of(messages);
    let word = units.iter().rposition(|unit| !unit.is_step);
    let newest = units.len().checked_sub(1).filter(|&last| {
        let is_waiting = messages[units[last].message].calls().next().is_some();
        units[last].is_step && (is_waiting || word.is_none())
    });
    let mut budget = Budget {
        limits,
        counter,
        kept: vec![None; units.len()],
        total: before.fixed,
        clipped: Vec::new(),
    };
    if let Some(word) = word {
        let cost = budget.cost(units[word], messages);
        budget.keep(word, cost);
    }
    if let Some(newest) = newest {
        let mut cost = budget.cost(units[newest], messages);
        if limits.is_exceeded(budget.total.plus(cost)) {
            cost = budget.clip(units[newest], messages, cost);
        }
        budget.keep(newest, cost);
    }
    if limits.step_percent == 0 {
        budget.keep_newest(&units, messages);
    } else {
        budget.drop_in_steps(&units, messages, before.dropped.unwrap_or_default());
    }
    let is_cut = before.dropped.is_some() || budget.kept.contains(&None);
    if starts_on_user && is_cut {
        budget.begin_with_word(&units, newest);
    }
    let keeps: Vec<bool> = budget.kept.iter().map(Option::is_some).collect();
    let cost = budget.total;
    let is_kept = |(unit, _): &(Unit, usize)| {
        units
            .iter()
            .zip(&keeps)
            .any(|(it, keeps)| it == unit && *keeps)
    };
    let clipped = budget.clipped.into_iter().filter(is_kept);
    let mut clipped: Vec<usize> = clipped.map(|(_, source)| source).collect();
    clipped.sort_unstable();
    Cut {
        dropped: keep_units(messages, &units, &keeps),
        clipped,
        cost,
    }
}

/// What each unit of a legal list costs by itself, clipped where it exceeds the budget alone, and whether it was clipped. Results
/// are clipped in the list.
pub(super) fn own_costs(
    messages: &mut [Message<'_>],
    limits: &Limits,
    counter: Option<&mut TokenCounter<'_>>,
) -> Vec<(Cost, bool)> {
    let mut budget = Budget {
        limits,
        counter,
        kept: Vec::new(),
        total: Cost::default(),
        clipped: Vec::new(),
    };
    let units = units_of(messages);
    let costs = units.iter().map(|unit| {
        let clipped = budget.clipped.len();
        let cost = budget.own_cost(*unit, messages);
        (cost, budget.clipped.len() > clipped)
    });
    costs.collect()
}

/// A budget that is being spent.
struct Budget<'b, 'o> {
    limits: &'b Limits,
    counter: Option<&'b mut TokenCounter<'o>>,
    /// What each unit costs that is kept.
    kept: Vec<Option<Cost>>,
    total: Cost,
    /// The units that were clipped, with the messages their results came from.
    clipped: Vec<(Unit, usize)>,
}

impl Budget<'_, '_> {
    fn cost(&mut self, unit: Unit, messages: &[Message<'_>]) -> Cost {
        unit.cost(
            messages,
            self.counter.as_deref_mut(),
            self.limits.max_tokens.is_some(),
        )
    }

    fn keep(&mut self, unit: usize, cost: Cost) {
        self.kept[unit] = Some(cost);
        self.total = self.total.plus(cost);
    }

    fn drop(&mut self, unit: usize) {
        if let Some(cost) = self.kept[unit].take() {
            self.total = self.total.minus(cost);
        }
    }

    /// What a unit costs that may be dropped; if it exceeds the budget by itself, once its results are clipped.
    fn own_cost(&mut self, unit: Unit, messages: &mut [Message<'_>]) -> Cost {
        let cost = self.cost(unit, messages);
        if unit.is_step && self.limits.is_exceeded(cost) {
            let total = core::mem::take(&mut self.total);
            let cost = self.clip(unit, messages, cost);
            self.total = total;
            return cost;
        }
        cost
    }

    /// Newest first, up to the first that does not fit.
    fn keep_newest(&mut self, units: &[Unit], messages: &mut [Message<'_>]) {
        for (index, unit) in units.iter().enumerate().rev() {
            if self.kept[index].is_some() {
                continue;
            }
            let cost = self.own_cost(*unit, messages);
            if self.limits.is_exceeded(self.total.plus(cost)) {
                break;
            }
            self.keep(index, cost);
        }
    }

    /// Oldest first, until the excess is gone, rounded up to whole steps. What there is before a unit never changes, so the
    /// same units are dropped until the excess reaches the next step.
    fn drop_in_steps(&mut self, units: &[Unit], messages: &mut [Message<'_>], older: Cost) {
        let is_fixed: Vec<bool> = self.kept.iter().map(Option::is_some).collect();
        for (index, unit) in units.iter().enumerate() {
            if !is_fixed[index] {
                let cost = self.own_cost(*unit, messages);
                self.keep(index, cost);
            }
        }
        let all = self.total.plus(older);
        let excess = self.limits.excess(all);
        for (index, _) in is_fixed.iter().enumerate().filter(|(_, fixed)| !**fixed) {
            if all.minus(self.total).covers(excess) {
                break;
            }
            self.drop(index);
        }
    }

    /// Drops steps that a cut has left in front.
    fn begin_with_word(&mut self, units: &[Unit], newest: Option<usize>) {
        for (index, unit) in units.iter().enumerate() {
            if self.kept[index].is_some() {
                if !unit.is_step || Some(index) == newest {
                    break;
                }
                self.drop(index);
            }
        }
    }

    /// Clips the results of a step so that it fits beside what is kept, and gives what it costs then.
    ///
    /// How many characters so many tokens are is found by trying, a few times.
    fn clip(&mut self, unit: Unit, messages: &mut [Message<'_>], cost: Cost) -> Cost {
        const TRIES: usize = 8;
        let room = |cost: u64, total: u64, limit: Option<u64>| {
            let limit = limit?;
            let most = if cost > limit { limit / 2 } else { limit };
            Some(most.min(limit.saturating_sub(total)))
        };
        let chars = room(cost.chars, self.total.chars, self.limits.max_chars);
        let tokens = room(cost.tokens, self.total.tokens, self.limits.max_tokens);
        let Some(results) = messages.get(unit.message + 1).map(|it| it.blocks.clone()) else {
            return cost;
        };
        let mut goal = chars.unwrap_or(u64::MAX).min(cost.chars);
        let mut new = cost;
        for _ in 0..TRIES {
            if goal < cost.chars {
                let message = &mut messages[unit.message + 1];
                message.blocks = results.clone();
                if !clip_results(message, cost.chars, goal) {
                    break;
                }
                new = self.cost(unit, messages);
            }
            match tokens {
                Some(most) if new.tokens > most => {
                    goal = (goal as f64 * 0.9 * most as f64 / new.tokens as f64) as u64;
                }
                _ => break,
            }
        }
        if new != cost {
            self.clipped.push((unit, messages[unit.message + 1].source));
        }
        new
    }
}

/// Clips results so that a step of so many characters has `goal` of them; says whether that changed something.
fn clip_results(message: &mut Message<'_>, chars: u64, goal: u64) -> bool {
    let texts = |block: &Block<'_>| -> Vec<u64> {
        let parts = block
            .result()
            .map(|result| &result.parts[..])
            .unwrap_or_default();
        let len = |part: &Part<'_>| match part {
            Part::Text(text) => len(text),
            Part::Unknown(_) => 0,
        };
        parts.iter().map(len).collect()
    };
    let lens: Vec<u64> = message.blocks.iter().flat_map(texts).collect();
    let others = chars.saturating_sub(lens.iter().sum());
    let most = level(lens, goal.saturating_sub(others)).max(SHORTEST);
    let mut is_changed = false;
    for block in &mut message.blocks {
        let BlockKind::Result(result) = &mut block.kind else {
            continue;
        };
        for part in &mut result.parts {
            if let Part::Text(text) = part
                && let Some(short) = clip(text, most)
            {
                *text = short.into();
                block.raw = None;
                is_changed = true;
            }
        }
    }
    if is_changed {
        message.raw = None;
    }
    is_changed
}

/// The length to cut all to that are longer, so that they have `sum` together.
fn level(mut lens: Vec<u64>, sum: u64) -> u64 {
    lens.sort_unstable();
    let mut left = sum;
    for (index, len) in lens.iter().enumerate() {
        let share = left / (lens.len() - index) as u64;
        if *len > share {
            return share;
        }
        left -= len;
    }
    u64::MAX
}

/// Takes out of the list what belongs to units that are not kept; gives the messages it stood in.
fn keep_units(messages: &mut Vec<Message<'_>>, units: &[Unit], keeps: &[bool]) -> Vec<usize> {
    let mut dropped = Vec::new();
    let mut fates = units.iter().zip(keeps).peekable();
    // The fate of the results in the message to come: that of the step before.
    let mut keeps_results = true;
    let mut index = 0;
    messages.retain_mut(|message| {
        let unit = fates.next_if(|(unit, _)| unit.message == index);
        let keeps = unit.is_none_or(|(_, keeps)| *keeps);
        index += 1;
        let with_results = core::mem::replace(&mut keeps_results, keeps);
        if message.role != Role::User {
            if !keeps {
                dropped.extend(message.blocks.iter().map(|block| block.source));
            }
            return keeps;
        }
        message.blocks.retain(|block| {
            let stays = if block.result().is_some() {
                with_results
            } else {
                keeps
            };
            if !stays {
                message.raw = None;
                dropped.push(block.source);
            }
            stays
        });
        !message.blocks.is_empty()
    });
    dropped.sort_unstable();
    dropped.dedup();
    dropped
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
