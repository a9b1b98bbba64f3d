//! Reading a list of entries by the engine's rules: the prior context, and what a write cuts.

use super::document::Document;
use super::entry::{Entry, read_entry};
use super::projection::{message_units, messages_units, write_messages, write_wire};
use super::rules::{Prior, Rules};
use super::truncation::{Bounds, Cut, cut};
use crate::json::Reader;
use crate::protocol::{Error, ErrorCode};

/// Entries of one session, oldest first, wherever they are kept.
pub trait EntryList<D: Document> {
    /// How many entries there are.
    fn len(&self) -> usize;
    /// Hands the text of one entry to `look`.
    fn with_text<R>(&self, index: usize, look: impl FnOnce(&[u8]) -> R) -> R;
    /// One entry with its live form.
    fn document(&self, index: usize) -> D;
    /// The cut by character counts the list keeps itself, for lists that keep them.
    fn known_cut(&self, _bounds: Bounds) -> Option<Cut> {
        None
    }
}

impl<D: Document> EntryList<D> for [D] {
    fn len(&self) -> usize {
        <[D]>::len(self)
    }

    fn with_text<R>(&self, index: usize, look: impl FnOnce(&[u8]) -> R) -> R {
        look(&self[index].text())
    }

    fn document(&self, index: usize) -> D {
        self[index].clone()
    }
}

/// What a write with these rules leaves of the list. A hook is asked once for each entry looked at.
///
/// # Errors
/// What the hook threw; `corrupt` for an entry that cannot be read.
pub fn cut_on_write<D: Document, L: EntryList<D> + ?Sized>(
    list: &L,
    rules: &Rules<D>,
) -> Result<Cut, Error> {
    cut_list(list, rules, rules.write_bounds(), |_, _| {})
}

/// The context a model is sent, by these rules. A hook is asked once for each entry that is kept.
///
/// # Errors
/// What the hook threw; `corrupt` for an entry that cannot be read.
pub fn prior<D: Document, L: EntryList<D> + ?Sized>(
    list: &L,
    rules: &Rules<D>,
) -> Result<Prior<D>, Error> {
    let len = list.len();
    let mut derived_newest_first = Vec::new();
    let cut = cut_list(list, rules, rules.read_bounds(), |_, messages| {
        derived_newest_first.push(messages)
    })?;
    let mut over_budget = cut.over_budget;
    let mut messages = vec![b'['];
    for index in len - cut.keep..len {
        if rules.hooks.derives() {
            let age = len - 1 - index;
            let derived = match derived_newest_first.get(age) {
                Some(derived) => D::clone(derived),
                None => rules.hooks.derive(&list.document(index))?,
            };
            if age == 0 {
                over_budget |= exceeds(messages_units(&derived.text())?, rules.bounds);
            }
            append_items(&derived.text(), &mut messages)?;
        } else {
            with_entry(list, index, |entry| {
                if index + 1 == len {
                    over_budget |= exceeds_budget(entry, rules.bounds);
                }
                write_messages(entry, &mut messages);
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
pub fn wire<D: Document, L: EntryList<D> + ?Sized>(list: &L) -> Result<D, Error> {
    let mut out = vec![b'['];
    for index in 0..list.len() {
        if index > 0 {
            out.push(b',');
        }
        with_entry(list, index, |entry| write_wire(entry, &mut out))?;
    }
    out.push(b']');
    Ok(D::from_text(out))
}

fn cut_list<D: Document, L: EntryList<D> + ?Sized>(
    list: &L,
    rules: &Rules<D>,
    bounds: Bounds,
    mut keep_derived: impl FnMut(usize, D),
) -> Result<Cut, Error> {
    let len = list.len();
    if rules.hooks.derives() {
        return cut(len, bounds, |age| {
            let derived = rules.hooks.derive(&list.document(len - 1 - age))?;
            let units = messages_units(&derived.text())?;
            keep_derived(age, derived);
            Ok(units)
        });
    }
    match list.known_cut(bounds) {
        Some(cut) => Ok(cut),
        None => cut(len, bounds, |age| {
            with_entry(list, len - 1 - age, message_units)
        }),
    }
}

fn with_entry<D: Document, L: EntryList<D> + ?Sized, R>(
    list: &L,
    index: usize,
    look: impl FnOnce(&Entry<'_>) -> R,
) -> Result<R, Error> {
    list.with_text(index, |text| read_entry(text).map(|entry| look(&entry)))
        .ok_or_else(|| {
            Error::store(ErrorCode::Corrupt, "a stored entry cannot be read")
                .below(&format!("[{index}]"))
        })
}

/// Counting characters of every entry is only worth it where a budget is set.
fn exceeds_budget(entry: &Entry<'_>, bounds: Bounds) -> bool {
    bounds.max_chars.is_some() && exceeds(message_units(entry), bounds)
}

fn exceeds(units: u64, bounds: Bounds) -> bool {
    bounds.max_chars.is_some_and(|max| units > max)
}

/// Appends the items of a JSON array to the inside of another.
fn append_items(array: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    // Counting the units also checks that it is a message list.
    messages_units(array)?;
    let mut reader = Reader::new(array);
    reader.begin_array();
    while reader.next_item() {
        let Some(item) = reader.skip() else { break };
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&array[item]);
    }
    Ok(())
}
