//! Records that are stored one by one, each as its JSON text: what a place of keys and values asks of a
//! session, which decides as it does for a database.

use super::resident::Resident;
use super::session::{Group, Session};
use crate::history::{Document, Item, check_entry};
use crate::json::check;
use crate::protocol::Error;
use std::ops::Range;
use std::rc::Rc;

/// What became of a stored text. The numbers are what JavaScript is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is the session's newest record now.
    Loaded = 0,
    /// A record of its id is there already; the first one counts.
    Duplicate = 1,
    /// It is no entry.
    Damaged = 2,
}

/// What a staged append writes.
#[derive(Debug, PartialEq, Eq)]
pub struct TextWrite {
    /// The positions of the records whose texts to add.
    pub add: Range<usize>,
    /// How many of the oldest stored records to delete, once those are written.
    pub drop: usize,
}

/// Appends a stored text to the records.
pub fn load_text<D: Document>(resident: &Resident<D>, text: Vec<u8>) -> Taken {
    if check(&text).is_err() || check_entry(&text).is_err() {
        return Taken::Damaged;
    }
    let Ok(Item { id, entry }) = Item::of(D::from_text(text)) else {
        return Taken::Damaged;
    };
    if resident.push_live(id.as_str().as_bytes(), entry) {
        Taken::Loaded
    } else {
        Taken::Duplicate
    }
}

/// Stages a group's new entries and decides the cut; commit or roll back next.
///
/// # Errors
/// As [`Session::stage`].
pub fn begin_texts<D: Document>(
    session: &Session<D>,
    group: Rc<Group<D>>,
) -> Result<TextWrite, Error> {
    let (added, _) = session.stage(vec![group])?;
    let stored = session.resident.len() - added;
    let excess = session.staged_excess();
    Ok(TextWrite {
        add: stored.max(excess)..stored + added,
        drop: excess.min(stored),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Bounds, Hooks, Retention, Rules, TextDocument, same_content};

    struct NoHooks;

    impl Hooks<TextDocument> for NoHooks {
        fn transform(&self, _entry: &TextDocument) -> Option<Result<TextDocument, Error>> {
            None
        }

        fn derive(&self, entry: &TextDocument) -> Result<TextDocument, Error> {
            Ok(entry.clone())
        }

        fn derives(&self) -> bool {
            false
        }
    }

    fn entry(id: &str) -> String {
        format!(
            r#"{{"kind":"injection","input":{{"type":"assistant_message","id":"{id}","sessionId":"s","timestamp":1,"content":"","big":18446744073709551615}}}}"#
        )
    }

    fn group(ids: &[&str], max_entries: Option<u64>) -> Rc<Group<TextDocument>> {
        let items = ids
            .iter()
            .map(|id| Item::of(TextDocument::from(entry(id).as_str())).unwrap());
        let rules = max_entries.map(|max| Rules {
            bounds: Bounds {
                max_entries: Some(max),
                max_chars: None,
            },
            retention: Retention::Truncate,
            hooks: Rc::new(NoHooks) as Rc<dyn Hooks<TextDocument>>,
        });
        Rc::new(Group::new(items.collect(), same_content, rules))
    }

    fn loaded(ids: &[&str]) -> Session<TextDocument> {
        let session = Session::default();
        for id in ids {
            load_text(&session.resident, entry(id).into_bytes());
        }
        session
    }

    #[test]
    fn a_stored_text_is_loaded_once_and_only_if_it_is_an_entry() {
        let session = loaded(&["a"]);
        let take = |text: &str| load_text(&session.resident, text.as_bytes().to_vec());
        assert_eq!(take(&entry("b")), Taken::Loaded);
        assert_eq!(take(&entry("a")), Taken::Duplicate);
        let whole = entry("c");
        for damaged in ["", "null", "{}", &whole[..whole.len() - 1], &entry("")] {
            assert_eq!(take(damaged), Taken::Damaged, "{damaged}");
        }
        assert_eq!(session.resident.newest(9).len(), 2);
        assert_eq!(
            *session.resident.newest(1)[0].text(),
            entry("b").into_bytes()
        );
    }

    #[test]
    fn a_write_is_the_new_texts_and_what_they_push_out() {
        let session = loaded(&["a", "b", "c"]);
        let group = group(&["c", "d", "e"], Some(3));
        let write = begin_texts(&session, Rc::clone(&group)).unwrap();
        assert_eq!(write, TextWrite { add: 3..5, drop: 2 });
        session.rollback();
        assert_eq!(session.resident.len(), 3);
        begin_texts(&session, Rc::clone(&group)).unwrap();
        session.commit();
        let inserted: Vec<_> = group.outcome.borrow().iter().map(|o| o.inserted).collect();
        assert_eq!(
            (inserted, session.resident.len()),
            (vec![false, true, true], 3)
        );
    }

    #[test]
    fn of_a_group_longer_than_the_bound_only_the_end_is_written() {
        let session = loaded(&["a"]);
        let write = begin_texts(&session, group(&["b", "c", "d"], Some(2))).unwrap();
        assert_eq!(write, TextWrite { add: 2..4, drop: 1 });
    }

    #[test]
    fn nothing_new_is_nothing_to_write() {
        let session = loaded(&["a", "b"]);
        let write = begin_texts(&session, group(&["b"], Some(1))).unwrap();
        assert_eq!(write, TextWrite { add: 2..2, drop: 0 });
    }
}
