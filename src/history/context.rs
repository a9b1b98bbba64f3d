//! Reading a list of entries by the engine's rules: the prior context, and what a write cuts.

use super::document::Document;
use super::entry::read_entry;
use super::projection::{message_units, messages_units, write_messages, write_wire};
use super::rules::{Prior, Rules};
use super::spoken::{Spoken, read_spoken};
use super::truncation::{Bounds, Cut, cut};
use crate::json::Reader;
use crate::protocol::{Error, ErrorCode};

/// Entries of one session, oldest first, wherever they are kept.
pub trait EntryList<D> {
    /// How many entries there are.
    fn count(&self) -> usize;
    /// Hands the text of one entry to `look`, once.
    fn look(&self, index: usize, look: &mut dyn FnMut(&[u8]));
    /// About how many bytes all texts take, for making room in time.
    fn text_bytes(&self) -> usize {
        0
    }
    /// One entry with its live form.
    fn document(&self, index: usize) -> D;
    /// The cut by character counts the list keeps itself, for lists that keep them.
    fn known_cut(&self, _bounds: Bounds) -> Option<Cut> {
        None
    }
}

impl<D: Document> EntryList<D> for Vec<D> {
    fn count(&self) -> usize {
        self.len()
    }

    fn look(&self, index: usize, look: &mut dyn FnMut(&[u8])) {
        look(&self[index].text());
    }

    fn document(&self, index: usize) -> D {
        self[index].clone()
    }
}

/// What a write with these rules leaves of the list. A hook is asked once for each entry looked at.
///
/// # Errors
/// What the hook threw; `corrupt` for an entry that cannot be read.
pub fn cut_on_write<D: Document>(list: &dyn EntryList<D>, rules: &Rules<D>) -> Result<Cut, Error> {
    cut_list(list, rules, rules.write_bounds(), &mut Vec::new())
}

/// The context a model is sent, by these rules. A hook is asked once for each entry that is kept.
///
/// # Errors
/// What the hook threw; `corrupt` for an entry that cannot be read.
pub fn prior<D: Document>(list: &dyn EntryList<D>, rules: &Rules<D>) -> Result<Prior<D>, Error> {
    let len = list.count();
    let mut derived_newest_first = Vec::new();
    let cut = cut_list(list, rules, rules.read_bounds(), &mut derived_newest_first)?;
    let mut over_budget = cut.over_budget;
    // Growing step by step would copy a long context several times over.
    let share = list.text_bytes() as u64 * cut.keep as u64 / (len as u64).max(1);
    let mut messages = Vec::with_capacity(share as usize + 2);
    messages.push(b'[');
    for index in len - cut.keep..len {
        let is_newest = index + 1 == len;
        if rules.hooks.derives() {
            let derived = match derived_newest_first.get(len - 1 - index) {
                Some(derived) => D::clone(derived),
                None => rules.hooks.derive(&list.document(index))?,
            };
            let units = append_items(&derived.text(), &mut messages)?;
            over_budget |= is_newest && exceeds(units, rules.bounds);
        } else {
            with_spoken(list, index, &mut |spoken| {
                // Counting characters is only worth it where a budget is set.
                over_budget |= is_newest
                    && rules.bounds.max_chars.is_some()
                    && exceeds(message_units(spoken), rules.bounds);
                write_messages(spoken, &mut messages);
            })?;
        }
    }
    messages.push(b']');
    Ok(Prior {
        messages: D::from_text(messages),
        over_budget,
    })
}

/// The list in its wire form, a JSON array.
///
/// # Errors
/// `corrupt` for an entry that cannot be read.
pub fn wire<D: Document>(list: &dyn EntryList<D>) -> Result<D, Error> {
    let mut out = vec![b'['];
    for index in 0..list.count() {
        if index > 0 {
            out.push(b',');
        }
        let mut readable = false;
        list.look(index, &mut |text| {
            if let Some(entry) = read_entry(text) {
                readable = true;
                write_wire(&entry, &mut out);
            }
        });
        found(readable, index)?;
    }
    out.push(b']');
    Ok(D::from_text(out))
}

/// Cuts by `bounds`; what a hook derived on the way is kept, newest first.
fn cut_list<D: Document>(
    list: &dyn EntryList<D>,
    rules: &Rules<D>,
    bounds: Bounds,
    derived: &mut Vec<D>,
) -> Result<Cut, Error> {
    let len = list.count();
    let derives = rules.hooks.derives();
    if let Some(cut) = list.known_cut(bounds).filter(|_| !derives) {
        return Ok(cut);
    }
    cut(len, bounds, &mut |age| {
        let index = len - 1 - age;
        if derives {
            let messages = rules.hooks.derive(&list.document(index))?;
            let units = messages_units(&messages.text())?;
            derived.push(messages);
            return Ok(units);
        }
        let mut units = 0;
        with_spoken(list, index, &mut |spoken| units = message_units(spoken))?;
        Ok(units)
    })
}

fn with_spoken<D>(
    list: &dyn EntryList<D>,
    index: usize,
    look: &mut dyn FnMut(&Spoken<'_>),
) -> Result<(), Error> {
    let mut readable = false;
    list.look(index, &mut |text| {
        if let Some(spoken) = read_spoken(text) {
            readable = true;
            look(&spoken);
        }
    });
    found(readable, index)
}

fn found(readable: bool, index: usize) -> Result<(), Error> {
    if readable {
        return Ok(());
    }
    Err(
        Error::store(ErrorCode::Corrupt, "a stored entry cannot be read")
            .below(&format!("[{index}]")),
    )
}

fn exceeds(units: u64, bounds: Bounds) -> bool {
    bounds.max_chars.is_some_and(|max| units > max)
}

/// Appends the items of a message list to the inside of another; gives their characters.
fn append_items(list: &[u8], out: &mut Vec<u8>) -> Result<u64, Error> {
    // Counting also checks that it is a message list.
    let units = messages_units(list)?;
    let mut reader = Reader::new(list);
    reader.begin_array();
    while reader.next_item() {
        let Some(item) = reader.skip() else { break };
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&list[item]);
    }
    Ok(units)
}
