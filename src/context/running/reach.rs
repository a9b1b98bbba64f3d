//! How far back a budget reaches, by what the units of the segments cost.

use super::{Running, Way};
use crate::context::budget::own_costs;
use crate::context::build::{Context, Older, cut_settled};
use crate::context::error::ContextError;
use crate::context::legality::settle;
use crate::context::model::Message;
use crate::context::texts::Texts;
use crate::context::units::{Cost, TokenCounter, units_of};

/// What of the conversation has to be looked at.
pub(super) enum Reach {
    /// All of it is sent.
    All,
    /// What is before this segment is not sent.
    From(usize),
}

impl Running {
    /// How far back the budget reaches. What is kept is never less than it says.
    pub(super) fn reach(
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
        if self.limits != way.limits || self.is_counted != counter.is_some() {
            self.limits = way.limits;
            self.is_counted = counter.is_some();
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

    /// What everything costs.
    pub(super) fn cost_of_all(
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
    pub(super) fn cut_from<'c>(
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
}

fn sum(costs: impl Iterator<Item = Cost>) -> Cost {
    costs.fold(Cost::default(), Cost::plus)
}
