//! Bringing each call's result behind it, and no other.
//!
//! A result answers the call of its id in the latest message before it that has one, the first there that is still open. So an id
//! that a later turn uses again belongs to that turn, and a late result still finds its call where no later turn did.

use std::borrow::Cow;

use super::escaped::{Escaped, units};
use super::hashed::Hashed;
use super::legality::{MissingResult, made};
use super::model::{Block, BlockKind, Call, Message, Part, Role, ToolResult};
use super::repair::{Repair, Rule};
use xxhash_rust::xxh64::xxh64;

/// What a call without a result is answered with.
const INTERRUPTED: &[u8] = b"interrupted";

/// Where a block stood: its message and its place there.
type Place = (usize, usize);

/// The calls of one id in one message, by their numbers in the list.
struct Open<'m> {
    id: Cow<'m, [u8]>,
    message: usize,
    calls: Vec<usize>,
    /// How many of them are answered.
    answered: usize,
}

/// Pairs calls with results. Messages that are as they should be keep their text; one whose results were all moved away is left
/// without blocks.
pub(super) fn pair<'a>(
    messages: Vec<Message<'a>>,
    missing: MissingResult,
    repairs: &mut Vec<Repair>,
) -> Vec<Message<'a>> {
    let answers = answers(&messages);
    let mut results = take_results(messages, &answers, repairs);
    let mut out: Vec<Message<'a>> = Vec::with_capacity(results.messages.len());
    // The results that belong in front of the message to come.
    let mut due: Vec<(Place, Block<'a>)> = Vec::new();
    let mut number = 0;
    for (index, mut message) in core::mem::take(&mut results.messages)
        .into_iter()
        .enumerate()
    {
        let count = message.calls().count();
        let answered = &mut results.of_call[number..number + count];
        number += count;
        if message.role == Role::User && !(due.is_empty() && results.lost[index].is_empty()) {
            restore(
                &mut message,
                index,
                core::mem::take(&mut due),
                &results.lost[index],
                repairs,
            );
        } else if !results.lost[index].is_empty() {
            message.raw = None;
        }
        if !due.is_empty() {
            out.push(results_message(core::mem::take(&mut due), repairs));
        }
        if missing == MissingResult::DropStep && answered.iter().any(Option::is_none) {
            let ids = message.calls().zip(answered.iter());
            for (call, _) in ids.filter(|(_, answer)| answer.is_none()) {
                repairs.push(Repair::of_call(
                    Rule::MissingResult,
                    message.source,
                    &call.id,
                ));
            }
            continue;
        }
        let calls = message.calls().zip(answered.iter_mut());
        due.extend(calls.map(|(call, answer)| {
            answer.take().unwrap_or_else(|| {
                repairs.push(Repair::of_call(
                    Rule::MissingResult,
                    message.source,
                    &call.id,
                ));
                (NOWHERE, interrupted(call, message.source))
            })
        }));
        out.push(message);
    }
    if !due.is_empty() {
        out.push(results_message(due, repairs));
    }
    out
}

/// The place of a result that was not in the list.
const NOWHERE: Place = (usize::MAX, usize::MAX);

/// Which call each result answers: for each result in list order the call's number, if there is one.
fn answers(messages: &[Message<'_>]) -> Vec<Option<usize>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut places = Hashed::default();
    let mut answers = Vec::new();
    let mut number = 0;
    for (message, block) in blocks(messages) {
        match &block.kind {
            BlockKind::Call(call) => {
                let id = units(&call.id);
                let place = find(&open, &places, &id).unwrap_or_else(|| {
                    places.set(xxh64(&id, 0), open.len() as u64);
                    open.push(Open {
                        id,
                        message,
                        calls: Vec::new(),
                        answered: 0,
                    });
                    open.len() - 1
                });
                let calls = &mut open[place];
                if calls.message != message {
                    calls.message = message;
                    calls.calls.clear();
                    calls.answered = 0;
                }
                calls.calls.push(number);
                number += 1;
            }
            BlockKind::Result(result) => {
                let place = find(&open, &places, &units(&result.call_id));
                answers.push(place.and_then(|place| open[place].answer()));
            }
            _ => {}
        }
    }
    answers
}

/// The calls of an id. Where ids share a hash, the table has one of them.
fn find(open: &[Open<'_>], places: &Hashed, id: &[u8]) -> Option<usize> {
    let place = places.get(xxh64(id, 0))? as usize;
    if open[place].id == id {
        return Some(place);
    }
    open.iter().position(|other| other.id == id)
}

impl Open<'_> {
    /// The next call that waits.
    fn answer(&mut self) -> Option<usize> {
        let call = self.calls.get(self.answered).copied();
        self.answered += usize::from(call.is_some());
        call
    }
}

fn blocks<'m, 'a>(messages: &'m [Message<'a>]) -> impl Iterator<Item = (usize, &'m Block<'a>)> {
    messages
        .iter()
        .enumerate()
        .flat_map(|(index, message)| message.blocks.iter().map(move |block| (index, block)))
}

/// The messages without results, and the results by the number of their call.
struct Taken<'a> {
    messages: Vec<Message<'a>>,
    of_call: Vec<Option<(Place, Block<'a>)>>,
    /// For each message the places its results had.
    lost: Vec<Vec<usize>>,
}

fn take_results<'a>(
    mut messages: Vec<Message<'a>>,
    answers: &[Option<usize>],
    repairs: &mut Vec<Repair>,
) -> Taken<'a> {
    let calls = messages.iter().map(|message| message.calls().count()).sum();
    let mut of_call: Vec<Option<(Place, Block<'a>)>> = Vec::new();
    of_call.resize_with(calls, || None);
    let mut answers = answers.iter();
    let mut lost = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter_mut().enumerate() {
        let mut places = Vec::new();
        if message.results().next().is_some() {
            for (at, block) in core::mem::take(&mut message.blocks).into_iter().enumerate() {
                let BlockKind::Result(result) = &block.kind else {
                    message.blocks.push(block);
                    continue;
                };
                places.push(at);
                match answers.next().copied().flatten() {
                    Some(call) => of_call[call] = Some(((index, at), block)),
                    None => repairs.push(Repair::of_call(
                        Rule::OrphanResult,
                        block.source,
                        &result.call_id,
                    )),
                }
            }
        }
        lost.push(places);
    }
    Taken {
        messages,
        of_call,
        lost,
    }
}

/// Puts results in front of a user message; it keeps its text if they are the ones that stood there.
fn restore<'a>(
    message: &mut Message<'a>,
    index: usize,
    due: Vec<(Place, Block<'a>)>,
    lost: &[usize],
    repairs: &mut Vec<Repair>,
) {
    let is_same = due.len() == lost.len()
        && due
            .iter()
            .enumerate()
            .all(|(at, (place, _))| *place == (index, at));
    let raw = message.raw.filter(|_| is_same);
    // Only where the results stood in front of this very message, in order, were they where they belong.
    let mut blocks = Vec::with_capacity(due.len() + message.blocks.len());
    let mut at = 0;
    for (place, block) in due {
        if place != NOWHERE {
            if !is_in_order(place, index, at, lost) {
                report_move(&block, repairs);
            }
            at += 1;
        }
        blocks.push(block);
    }
    blocks.append(&mut message.blocks);
    message.blocks = blocks;
    message.raw = raw;
}

/// Whether a result stood in this message, with none but other results before it, as many as now stand before it or more: then
/// it was not moved, others were dropped or added around it.
fn is_in_order(place: Place, index: usize, at: usize, lost: &[usize]) -> bool {
    place.0 == index && place.1 >= at && lost.get(place.1) == Some(&place.1)
}

fn report_move(block: &Block<'_>, repairs: &mut Vec<Repair>) {
    if let Some(result) = block.result() {
        repairs.push(Repair::of_call(
            Rule::ResultOrder,
            block.source,
            &result.call_id,
        ));
    }
}

/// A user message of results whose calls nothing of the user follows.
fn results_message<'a>(due: Vec<(Place, Block<'a>)>, repairs: &mut Vec<Repair>) -> Message<'a> {
    let source = due.first().map_or(0, |(_, block)| block.source);
    let moved = due.iter().filter(|(place, _)| *place != NOWHERE);
    for (_, block) in moved {
        report_move(block, repairs);
    }
    let blocks = due.into_iter().map(|(_, block)| block).collect();
    Message::rebuilt(Role::User, source, blocks)
}

fn interrupted<'a>(call: &Call<'a>, source: usize) -> Block<'a> {
    let text: Escaped<'a> = Cow::Borrowed(INTERRUPTED);
    made(
        BlockKind::Result(ToolResult {
            call_id: call.id.clone(),
            parts: vec![Part::Text(text)],
            is_error: true,
        }),
        source,
    )
}

#[cfg(test)]
#[path = "pairing_tests.rs"]
mod tests;
