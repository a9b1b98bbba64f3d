//! Bodies of requests: one table a provider, and what they share in writing messages.
//!
//! What is written is copied from the escaped text of the log. Where the tables' facts come from is said in each.

pub(super) mod ai_sdk;
pub(super) mod anthropic;
pub(super) mod gemini;
pub(super) mod openai_chat;
pub(super) mod openai_responses;

use xxhash_rust::xxh64::xxh64;

use super::addressed::Addressed;
use super::escaped::{escape_str, replace_halves, units, well_formed};
use super::hashed::Hashed;
use super::ids::CallIds;
use super::model::{Block, Call, Message, Part, Role, ToolResult};
use super::provider::Law;
use super::repair::{Repair, Rule};
use super::write::pairs;
use crate::json::{Kind, check_grammar};
use crate::session::{kind_of, member, string};

/// The message list of a body under construction.
pub(super) struct Body<'s> {
    pub out: Vec<u8>,
    pub repairs: Vec<Repair>,
    pub law: &'static Law,
    addressed: &'s Addressed<'s>,
    given: Given<'s>,
    /// The calls that wait for their results: id and name.
    due: Vec<(Vec<u8>, Vec<u8>)>,
    /// How many of them have theirs.
    answered: usize,
}

/// What was given out behind a [`Given`].
pub(super) struct Added {
    used: Hashed,
    replaced: Hashed,
    items: Hashed,
}

/// What a body has given out that may occur once.
#[derive(Default)]
pub(super) struct Given<'s> {
    /// Ids of calls; none where the API has none.
    ids: Option<CallIds<'s>>,
    /// Ids of items, by their hashes.
    items: Hashed,
    /// Likewise, those of what was written before and stays as it is.
    items_before: Option<&'s Hashed>,
}

impl<'s> Given<'s> {
    pub(super) fn new(law: &Law) -> Self {
        Self {
            ids: law.ids.map(CallIds::new),
            ..Self::default()
        }
    }

    /// What was given out behind something, to be added to that.
    pub(super) fn into_added(self) -> Added {
        let (used, replaced) = self.ids.map(CallIds::into_parts).unwrap_or_default();
        Added {
            used,
            replaced,
            items: self.items,
        }
    }

    /// Adds what was given out behind this: it stays too.
    pub(super) fn add(&mut self, added: Added) {
        if let Some(ids) = &mut self.ids {
            ids.add(&added.used, &added.replaced);
        }
        self.items.add(&added.items);
    }

    /// For what is written behind something that stays.
    pub(super) fn behind(before: &'s Given<'s>) -> Self {
        Self {
            ids: before.ids.as_ref().map(CallIds::behind),
            items: Hashed::default(),
            items_before: Some(&before.items),
        }
    }
}

impl<'s> Body<'s> {
    /// Goes on behind `out`.
    pub(super) fn new(addressed: &'s Addressed<'s>, out: Vec<u8>, given: Given<'s>) -> Self {
        Self {
            out,
            repairs: Vec::new(),
            law: addressed.law,
            addressed,
            given,
            due: Vec::new(),
            answered: 0,
        }
    }

    /// What was written and given out, and what was changed for it.
    pub(super) fn into_parts(self) -> (Vec<u8>, Given<'s>, Vec<Repair>) {
        (self.out, self.given, self.repairs)
    }

    /// Writes messages, without the system's.
    pub(super) fn write(&mut self, messages: &[Message<'_>]) {
        for message in messages.iter().filter(|it| it.role != Role::System) {
            let from = self.out.len();
            (self.law.write_message)(self, message);
            if replace_halves(&mut self.out, from) {
                let repair = Repair::new(Rule::LoneSurrogate, message.source);
                self.repairs.push(repair);
            }
        }
    }

    /// Takes an item's id, unless an item had it before: the API refuses a second one.
    pub(super) fn take_item(&mut self, id: &[u8]) -> bool {
        let hash = xxh64(id, 0);
        let before = self.given.items_before;
        !before.is_some_and(|before| before.has(hash)) && self.given.items.set(hash, 0).is_none()
    }

    /// Gives the calls of a message the ids they have in this body.
    pub(super) fn open_calls(&mut self, message: &Message<'_>) {
        for block in &message.blocks {
            let Some(call) = block.call() else { continue };
            let id = match &mut self.given.ids {
                Some(ids) => {
                    let (id, is_new) = ids.next(&call.id);
                    if is_new {
                        let repair = Repair::of_call(Rule::CallId, block.source, &call.id);
                        self.repairs.push(repair);
                    }
                    id.into_owned()
                }
                None => Vec::new(),
            };
            self.due.push((id, call.name.to_vec()));
        }
    }

    /// The id that the `index`th of the calls opened last has here. Results take it with [`Self::answer`].
    pub(super) fn call_id(&self, index: usize) -> Vec<u8> {
        self.due
            .get(self.answered + index)
            .map(|(id, _)| id.clone())
            .unwrap_or_default()
    }

    /// The id and the name of the call that the next result answers: results come in the order of their calls.
    pub(super) fn answer(&mut self) -> (Vec<u8>, Vec<u8>) {
        let due = self.due.get_mut(self.answered).map(core::mem::take);
        self.answered += 1;
        due.unwrap_or_default()
    }

    /// A comma, unless the list or the object has just begun.
    pub(super) fn comma(&mut self) {
        if !matches!(self.out.last(), None | Some(b'[' | b'{')) {
            self.out.push(b',');
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// The state of a block of the model that is addressed.
    pub(super) fn state<'b>(&self, block: &Block<'b>) -> Option<&'b [u8]> {
        let origin = block
            .origin
            .filter(|origin| self.addressed.is_own(origin))?;
        origin.state
    }

    /// Adds to an object that is open what the API wants back with a text or a call.
    pub(super) fn add_state(&mut self, block: &Block<'_>) {
        let state = self.state(block).unwrap_or_default();
        for name in self.law.state {
            if let Some(value) = member(state, name) {
                self.push(&format!(",\"{name}\":"));
                self.out.extend_from_slice(value);
            }
        }
    }

    /// Strings that are escaped already, as members of an object that stays open.
    pub(super) fn strings(&mut self, members: &[(&str, &[u8])]) {
        pairs(&mut self.out, members);
    }

    /// A call's arguments as an object. What is no object's text becomes the member `arguments` of one.
    pub(super) fn arguments_object(&mut self, block: &Block<'_>, call: &Call<'_>) {
        let escaped = call.arguments.as_deref().unwrap_or(b"{}");
        let text = well_formed(units(escaped));
        if check_grammar(&text).is_ok() && kind_of(&text) == Some(Kind::Object) {
            return self.out.extend_from_slice(text.trim_ascii());
        }
        let repair = Repair::of_call(Rule::Arguments, block.source, &call.id);
        self.repairs.push(repair);
        self.strings(&[("arguments", escaped)]);
        self.out.push(b'}');
    }
}

/// What a result says if that is one text: an empty one if it says nothing.
pub(super) fn only_text<'r>(result: &'r ToolResult<'_>) -> Option<&'r [u8]> {
    match result.parts.as_slice() {
        [] => Some(b""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

/// All texts of a result, with a line feed between them; blocks of unknown types as their JSON text.
pub(super) fn joined_text(result: &ToolResult<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for part in &result.parts {
        if !out.is_empty() {
            out.extend_from_slice(b"\\n");
        }
        match part {
            Part::Text(text) => out.extend_from_slice(text),
            Part::Unknown(raw) => {
                out.extend_from_slice(&escape_str(&String::from_utf8_lossy(raw)));
            }
        }
    }
    out
}

/// Texts as one, with a blank line between them.
pub(super) fn paragraphs(texts: &[&[u8]]) -> Vec<u8> {
    texts.join(&b"\\n\\n"[..])
}

/// Whether a state's `type` is one of these.
pub(super) fn is_typed(state: Option<&[u8]>, kinds: &[&str]) -> bool {
    state
        .and_then(|state| string(member(state, "type")?))
        .is_some_and(|kind| kinds.iter().any(|known| kind.eq_str(known)))
}

/// An object of the members that are there, whose values are JSON text.
pub(super) fn write_members(out: &mut Vec<u8>, members: &[(&str, Option<&[u8]>)]) {
    out.push(b'{');
    for (name, value) in members {
        let Some(value) = value else { continue };
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        out.extend_from_slice(format!("\"{name}\":").as_bytes());
        out.extend_from_slice(value);
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests;
