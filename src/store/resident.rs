//! One session in memory: its log, and the live form of each record beside it.
//!
//! Writing goes in two steps, so that memory equals what is durable: [`Resident::stage`] appends what
//! is new and says what became of each entry; when the write behind it fails, [`Resident::unstage`]
//! takes exactly that back.

use super::chunk::{Owner, Unreadable, decode};
use super::log::{Log, Record};
use super::plan::Activity;
use crate::history::{Bounds, Cut, Document, EntryList, Item, Recorded, SameAs, read_entry};
use crate::protocol::MessageId;
use std::cell::{Cell, RefCell};

/// What [`Resident::stage`] did.
#[derive(Clone, Debug)]
pub struct Staged {
    /// For each item, in order.
    pub outcomes: Vec<Recorded>,
    /// How many of them were appended.
    pub added: usize,
    /// Timestamps of the appended ones.
    pub activity: Activity,
}

/// See the module's head.
#[derive(Debug)]
pub struct Resident<D> {
    log: RefCell<Log>,
    /// Parallel to the log's records; `None` until somebody looks at one that was loaded as bytes.
    documents: RefCell<Vec<Option<D>>>,
    /// How many of the newest records are staged: written, and not durable yet. Readers do not see them.
    staged: Cell<usize>,
}

impl<D> Default for Resident<D> {
    fn default() -> Self {
        Self {
            log: RefCell::default(),
            documents: RefCell::default(),
            staged: Cell::default(),
        }
    }
}

impl<D: Document> Resident<D> {
    /// Holds these records, every one with its text.
    pub fn of_log(log: Log) -> Self {
        let documents = (0..log.len()).map(|_| None).collect();
        Self {
            log: RefCell::new(log),
            documents: RefCell::new(documents),
            staged: Cell::default(),
        }
    }

    /// Reads the log, every record with its text.
    pub fn with_log<T>(&self, look: impl FnOnce(&Log) -> T) -> T {
        self.settle();
        look(&self.log.borrow())
    }

    /// About how many bytes of memory are held. A live form takes about what two more copies of its
    /// text would.
    pub fn memory_bytes(&self) -> usize {
        let log = self.log.borrow();
        let live = self.documents.borrow().iter().flatten().count();
        let share = log.text_bytes() as u64 * live as u64 / (log.len() as u64).max(1);
        log.memory_bytes() + 2 * share as usize
    }

    /// Appends one entry whose text stays in its live form until something needs it; `false`, and
    /// nothing changes, when the id is there.
    pub fn push_live(&self, id: &[u8], entry: D) -> bool {
        let mut log = self.log.borrow_mut();
        if log.find(id).is_some() {
            return false;
        }
        log.push_pending(id);
        self.documents.borrow_mut().push(Some(entry));
        true
    }

    /// Appends the items whose ids are not there. `same` is asked about the others.
    pub fn stage(&self, items: &[Item<D>], same: SameAs) -> Staged {
        self.settle();
        let mut staged = Staged {
            outcomes: Vec::with_capacity(items.len()),
            added: 0,
            activity: Activity::NONE,
        };
        for Item { id, entry } in items {
            let text = entry.text();
            let mut log = self.log.borrow_mut();
            let found = log.find(id.as_str().as_bytes());
            let conflict = found.is_some_and(|index| !says_the_same(log.text(index), &text, same));
            if found.is_none() {
                log.push(Record {
                    id: id.as_str().as_bytes(),
                    text: &text,
                });
                self.documents.borrow_mut().push(Some(entry.clone()));
                staged.added += 1;
                staged.activity = read_entry(&text)
                    .map_or(staged.activity, |e| staged.activity.with(e.timestamp));
            }
            staged.outcomes.push(Recorded {
                inserted: found.is_none(),
                conflict,
            });
        }
        self.staged.set(self.staged.get() + staged.added);
        staged
    }

    /// Takes back the `added` entries that [`Self::stage`] appended last.
    pub fn unstage(&self, added: usize) {
        let len = self.len() - added;
        self.staged.set(self.staged.get() - added);
        self.log.borrow_mut().truncate_to(len);
        self.documents.borrow_mut().truncate(len);
    }

    /// Drops the oldest records so that `keep` are left.
    pub fn keep_newest(&self, keep: usize) {
        self.settle();
        self.log.borrow_mut().keep_newest(keep);
        let mut documents = self.documents.borrow_mut();
        let excess = documents.len() - keep.min(documents.len());
        documents.drain(..excess);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.take_over(Self::default());
    }

    /// Holds what `other` held instead.
    pub fn take_over(&self, other: Self) {
        self.log.replace(other.log.into_inner());
        self.documents.replace(other.documents.into_inner());
        self.staged.set(0);
    }

    /// Makes room for about so many more bytes of records at once.
    pub fn reserve(&self, bytes: usize) {
        self.log.borrow_mut().reserve(bytes);
    }

    /// Appends the records of a stored chunk from number `next` on and gives the number that follows
    /// the last one. A chunk that was packed anew also holds records that are here already.
    ///
    /// # Errors
    /// [`Unreadable`], also for a chunk that leaves a gap; nothing is appended then.
    pub fn load(&self, chunk: &[u8], next: u64, owner: Owner) -> Result<u64, Unreadable> {
        let (last_seq, frames) = decode(chunk, owner)?;
        let end = last_seq.saturating_add(1);
        let from = end - frames.len() as u64;
        if from > next {
            return Err(Unreadable::Damaged);
        }
        let skip = ((next - from) as usize).min(frames.len());
        let loaded = frames.len() - skip;
        self.log
            .borrow_mut()
            .push_framed(chunk, frames.into_iter().skip(skip));
        self.documents
            .borrow_mut()
            .extend((0..loaded).map(|_| None));
        Ok(next.max(end))
    }

    /// The entry with this id.
    pub fn find(&self, id: &MessageId) -> Option<D> {
        let index = self.log.borrow_mut().find(id.as_str().as_bytes())?;
        (index < self.durable_len()).then(|| self.document(index))
    }

    /// The newest `count` entries, oldest first.
    pub fn newest(&self, count: usize) -> Vec<D> {
        let len = self.durable_len();
        (len.saturating_sub(count)..len)
            .map(|index| self.document(index))
            .collect()
    }

    /// How many entries there are that readers may see: all but those staged.
    pub fn durable_len(&self) -> usize {
        self.len() - self.staged.get()
    }

    /// What [`Self::stage`] appended is durable.
    pub fn unveil(&self) {
        self.staged.set(0);
    }

    /// How many entries there are, staged ones included.
    pub fn len(&self) -> usize {
        self.log.borrow().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The span of all timestamps.
    pub fn activity(&self) -> Activity {
        self.with_log(|log| {
            (0..log.len())
                .filter_map(|index| read_entry(log.text(index)))
                .fold(Activity::NONE, |span, e| span.with(e.timestamp))
        })
    }

    /// Hands the texts of pending records over to the log.
    fn settle(&self) {
        let pending = self.log.borrow().pending();
        if pending == 0 {
            return;
        }
        let from = self.len() - pending;
        // Making the texts runs the host's code, so nothing may be borrowed meanwhile.
        let documents: Vec<D> = self.documents.borrow()[from..]
            .iter()
            .flatten()
            .cloned()
            .collect();
        let texts: Vec<_> = documents.iter().map(Document::text).collect();
        self.log
            .borrow_mut()
            .settle(texts.iter().map(|text| text.as_slice()));
    }
}

impl<D: Document> EntryList<D> for Resident<D> {
    fn count(&self) -> usize {
        self.len()
    }

    fn look(&self, index: usize, look: &mut dyn FnMut(&[u8])) {
        self.settle();
        look(self.log.borrow().text(index));
    }

    fn text_bytes(&self) -> usize {
        self.with_log(Log::text_bytes)
    }

    fn document(&self, index: usize) -> D {
        if let Some(document) = &self.documents.borrow()[index] {
            return document.clone();
        }
        let document = D::from_text(self.log.borrow().text(index).to_vec());
        self.documents.borrow_mut()[index] = Some(document.clone());
        document
    }

    fn known_cut(&self, bounds: Bounds) -> Option<Cut> {
        self.settle();
        Some(self.log.borrow_mut().cut(bounds))
    }
}

fn says_the_same(there: &[u8], refused: &[u8], same: SameAs) -> bool {
    there == refused
        || match (read_entry(there), read_entry(refused)) {
            (Some(there), Some(refused)) => same(&there, &refused),
            _ => false,
        }
}
