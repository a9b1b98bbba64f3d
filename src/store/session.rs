//! One session as its store sees it: the resident records, the stored head they belong to, and the
//! write under way.
//!
//! Invariant: while no write is under way and nothing is missing, the resident records are those of
//! `head`, no more and no less. A database reads and writes; what is read is handed in here, and what
//! is to be written is decided here ([`Session::begin`]) and becomes true with [`Session::commit`], or never
//! was with [`Session::rollback`].

use super::chunk::{Owner, Unreadable, part_count};
use super::head::{Head, chain};
use super::plan::{Activity, Plan, append, replace};
use super::resident::{Resident, Staged};
use super::salvage::{Stored, salvage};
use crate::history::{Document, Item, Recorded, Rules, SameAs, cut_on_write, same_content};
use crate::protocol::{Error, ErrorCode};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A call that appends: its entries are written all or none, in one transaction with those of others.
pub struct Group<D> {
    /// The entries, in order.
    pub items: Vec<Item<D>>,
    /// When an entry of the same id says the same.
    pub same: SameAs,
    /// Bounds to apply once the entries are in; none for a bare append.
    pub rules: Option<Rules<D>>,
    /// What became of each item, once that is durable.
    pub outcome: RefCell<Vec<Recorded>>,
}

impl<D> Group<D> {
    /// A call that is not written yet.
    pub fn new(items: Vec<Item<D>>, same: SameAs, rules: Option<Rules<D>>) -> Self {
        Self {
            items,
            same,
            rules,
            outcome: RefCell::default(),
        }
    }
}

/// What a salvage writes, and what it leaves out.
#[derive(Debug)]
pub struct Repair {
    /// The write: everything anew.
    pub plan: Plan,
    /// Whether nothing is left, so that there is no head either.
    pub is_empty: bool,
    /// Positions of the values that are damaged, to be kept aside.
    pub damaged: Vec<usize>,
    /// Whether the head was missing or damaged.
    pub head: bool,
    /// Positions of the heads that are damaged, to be kept aside.
    pub heads: Vec<usize>,
    /// How many records are lost, as far as that can be told.
    pub lost: u64,
}

/// See the module's head.
pub struct Session<D> {
    /// The records.
    pub resident: Resident<D>,
    owner: Owner,
    head: Cell<Known>,
    /// The number behind the stored head's last record; `head.next` is behind the last one resident.
    stored_next: Cell<u64>,
    /// The chunks that came with the stored heads, until their records are in.
    inline: RefCell<Vec<Vec<u8>>>,
    writing: RefCell<Option<Writing<D>>>,
}

/// What is known of the stored head.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    Stored(Option<Head>),
}

/// A write under way.
enum Writing<D> {
    Append {
        groups: Vec<(Rc<Group<D>>, Staged)>,
        keep: usize,
        head: Option<Head>,
    },
    Replace {
        fresh: Resident<D>,
        head: Option<Head>,
    },
}

impl<D> Default for Session<D> {
    fn default() -> Self {
        Self::of(Owner::default())
    }
}

impl<D> Session<D> {
    /// A session of which nothing is known.
    pub fn of(owner: Owner) -> Self {
        Self {
            resident: Resident::default(),
            owner,
            head: Cell::new(Known::Nothing),
            stored_next: Cell::new(0),
            inline: RefCell::default(),
            writing: RefCell::new(None),
        }
    }
}

impl<D: Document> Session<D> {
    /// Whose session it is, as check values know it.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// Whether the records were read, and none is missing: reading may have failed half-way.
    pub fn is_known(&self) -> bool {
        match self.head.get() {
            Known::Nothing => false,
            Known::Stored(head) => head.map_or(0, |head| head.next) == self.stored_next.get(),
        }
    }

    /// Whether these are the stored head's bytes.
    ///
    /// # Errors
    /// `corrupt` or `version_too_new` for bytes that are no head.
    pub fn is_current(&self, stored: Option<&[u8]>) -> Result<bool, Error> {
        let stored = read_head(stored, self.owner)?;
        Ok(self.head.get() == Known::Stored(stored))
    }

    /// Drops what is not stored any more and gives the number of the first record that is missing. `heads` are the values of
    /// the session's stored heads, the newest one last; none where there is no head.
    ///
    /// # Errors
    /// As [`Self::is_current`].
    pub fn catch_up(&self, heads: &[Vec<u8>]) -> Result<Option<u64>, Error> {
        let stored = self.adopt(heads)?;
        let known = match self.head.get() {
            Known::Stored(known) => known
                .zip(stored)
                .filter(|(known, stored)| known.epoch == stored.epoch),
            Known::Nothing => None,
        };
        let Some((known, stored)) = known else {
            // Another epoch shares no record with this one.
            self.resident.clear();
            return self.await_from(stored, stored.map(|stored| stored.first));
        };
        self.resident
            .keep_newest(known.next.saturating_sub(stored.first) as usize);
        self.await_from(Some(stored), Some(known.next.max(stored.first)))
    }

    /// Takes note of the stored head; the chunks in the heads' values wait for the records before them.
    fn adopt(&self, heads: &[Vec<u8>]) -> Result<Option<Head>, Error> {
        let newest = heads.last().map(Vec::as_slice);
        let head = read_head(newest, self.owner)?;
        let chunks = head.map_or(Ok(Vec::new()), |head| chain(heads, &head));
        let chunks = chunks.map_err(unreadable)?;
        self.inline
            .replace(chunks.into_iter().map(<[u8]>::to_vec).collect());
        self.stored_next.set(head.map_or(0, |head| head.next));
        Ok(head)
    }

    /// Records are missing from `next` on, unless they are all in the head's value.
    fn await_from(&self, stored: Option<Head>, next: Option<u64>) -> Result<Option<u64>, Error> {
        let known = stored
            .zip(next)
            .map(|(stored, next)| Head { next, ..stored });
        self.head.set(Known::Stored(known));
        let Some((stored, next)) = stored.zip(next) else {
            return Ok(None);
        };
        if next < stored.inline {
            return Ok(Some(next));
        }
        let next = self.load_inline(next)?;
        Ok((next < stored.next).then_some(next))
    }

    /// Takes in what came with the heads, if all before it is in; gives the number of the next record.
    fn load_inline(&self, next: u64) -> Result<u64, Error> {
        let Known::Stored(Some(head)) = self.head.get() else {
            return Ok(next);
        };
        if next < head.inline || self.inline.borrow().is_empty() {
            return Ok(next);
        }
        let load = |next, chunk: Vec<u8>| self.resident.load(&chunk, next, self.owner);
        match self.inline.take().into_iter().try_fold(next, load) {
            Ok(next) => {
                self.head.set(Known::Stored(Some(Head { next, ..head })));
                Ok(next)
            }
            Err(why) => {
                self.forget();
                Err(unreadable(why))
            }
        }
    }

    /// Prepares to load only the newest `count` records, and gives the number of the first of them. `heads` as in
    /// [`Self::catch_up`].
    ///
    /// # Errors
    /// As [`Self::is_current`].
    pub fn catch_up_tail(&self, heads: &[Vec<u8>], count: u64) -> Result<Option<u64>, Error> {
        let stored = self.adopt(if count > 0 { heads } else { &[] })?;
        self.resident.clear();
        self.await_from(
            stored,
            stored.map(|stored| stored.next - stored.entries().min(count)),
        )
    }

    /// Takes in stored values, in the order of their keys, `bytes` in all; those of an incomplete last chunk are left
    /// out. Gives the number of the next record.
    ///
    /// # Errors
    /// As [`Self::is_current`].
    pub fn load(
        &self,
        values: impl IntoIterator<Item = Vec<u8>>,
        bytes: usize,
    ) -> Result<u64, Error> {
        let Known::Stored(Some(head)) = self.head.get() else {
            return Ok(0);
        };
        // Growing step by step would copy a long session several times over.
        self.resident.reserve(bytes);
        match self.load_all(values, head.next) {
            Ok(next) => {
                self.head.set(Known::Stored(Some(Head { next, ..head })));
                self.load_inline(next)
            }
            Err(why) => {
                // Some values before the damaged one are in already.
                self.forget();
                Err(unreadable(why))
            }
        }
    }

    fn load_all(
        &self,
        values: impl IntoIterator<Item = Vec<u8>>,
        mut next: u64,
    ) -> Result<u64, Unreadable> {
        let (mut chunk, mut parts) = (Vec::new(), 0);
        for value in values {
            if parts == 0 {
                parts = part_count(&value);
                chunk = value;
            } else {
                chunk.extend_from_slice(&value);
            }
            parts -= 1;
            if parts == 0 {
                next = self.resident.load(&chunk, next, self.owner)?;
            }
        }
        Ok(next)
    }

    /// As if it had never been read.
    fn forget(&self) {
        self.resident.clear();
        self.head.set(Known::Nothing);
    }

    /// Stages the groups' new entries and decides the cut. Gives the plan of the write; `None` when
    /// every id is there already. `epoch` is used for a session that is not stored yet.
    ///
    /// # Errors
    /// What a hook threw while the cut was decided; nothing stays staged then.
    pub fn begin(&self, groups: Vec<Rc<Group<D>>>, epoch: u64) -> Result<Option<Plan>, Error> {
        let base = match self.head.get() {
            Known::Stored(Some(head)) => head,
            _ => Head::empty(epoch),
        };
        if base.next != self.stored_next.get() {
            return Err(unreadable(Unreadable::Damaged));
        }
        let (added, activity) = self.stage(groups)?;
        if added == 0 {
            return Ok(None);
        }
        let mut writing = self.writing.borrow_mut();
        let Some(Writing::Append { keep, head, .. }) = &mut *writing else {
            return Ok(None);
        };
        let plan = self
            .resident
            .with_log(|log| append(log, &base, added, *keep, activity, self.owner));
        *head = Some(plan.head);
        Ok(Some(plan))
    }

    /// The first half of [`Self::begin`], for a store that has nothing to write to. Gives how many
    /// entries are new.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn stage(&self, groups: Vec<Rc<Group<D>>>) -> Result<(usize, Activity), Error> {
        let (mut added, mut activity) = (0, Activity::NONE);
        let mut staged = Vec::with_capacity(groups.len());
        for group in groups {
            let outcome = self.resident.stage(&group.items, group.same);
            added += outcome.added;
            activity = activity.joined(outcome.activity);
            staged.push((group, outcome));
        }
        // Cutting once behind the newest entry keeps what cutting after each one would have kept.
        let mut keep = self.resident.len();
        let bounded = staged.iter().filter(|(_, outcome)| outcome.added > 0);
        for rules in bounded.filter_map(|(group, _)| group.rules.as_ref()) {
            match cut_on_write(&self.resident, rules) {
                Ok(cut) => keep = keep.min(cut.keep),
                Err(error) => {
                    self.resident.unstage(added);
                    return Err(error);
                }
            }
        }
        let head = match self.head.get() {
            Known::Stored(head) => head,
            Known::Nothing => None,
        };
        *self.writing.borrow_mut() = Some(Writing::Append {
            groups: staged,
            keep,
            head,
        });
        Ok((added, activity))
    }

    /// How many of the oldest records the staged append is about to drop.
    pub fn staged_excess(&self) -> usize {
        match &*self.writing.borrow() {
            Some(Writing::Append { keep, .. }) => self.resident.len() - keep,
            _ => 0,
        }
    }

    /// Decides a replacement of everything by these entries, under a new epoch.
    ///
    /// # Errors
    /// `invalid` when an id occurs twice.
    pub fn begin_replace(&self, items: &[Item<D>], epoch: u64) -> Result<Plan, Error> {
        let fresh = Resident::default();
        let staged = fresh.stage(items, same_content);
        if let Some(index) = staged.outcomes.iter().position(|outcome| !outcome.inserted) {
            return Err(Error::invalid(
                format!("[{index}].input.id"),
                "occurs twice",
            ));
        }
        let plan = fresh.with_log(|log| replace(log, epoch, staged.activity, self.owner));
        // An empty session has no head: it is as if it had never been.
        let head = (!items.is_empty()).then_some(plan.head);
        *self.writing.borrow_mut() = Some(Writing::Replace { fresh, head });
        Ok(plan)
    }

    /// Decides how a damaged session goes on: with what is sound among all its stored values, given in the order
    /// of their keys, and all heads, the newest one last, under a new epoch. `None` when nothing is wrong with them.
    ///
    /// # Errors
    /// `version_too_new` when any of it was written by a newer version.
    pub fn begin_salvage(
        &self,
        heads: &[Vec<u8>],
        values: &[Stored],
        epoch: u64,
    ) -> Result<Option<Repair>, Error> {
        let found = salvage(heads, values, self.owner).map_err(unreadable)?;
        if !found.is_damage() {
            return Ok(None);
        }
        let fresh = Resident::of_log(found.log);
        let activity = fresh.activity();
        let plan = fresh.with_log(|log| replace(log, epoch, activity, self.owner));
        let head = (!fresh.is_empty()).then_some(plan.head);
        *self.writing.borrow_mut() = Some(Writing::Replace { fresh, head });
        Ok(Some(Repair {
            plan,
            is_empty: head.is_none(),
            damaged: found.damaged,
            head: found.head,
            heads: found.heads,
            lost: found.lost,
        }))
    }

    /// The salvage begun last could not be written: what it found can be read, and the next one to read the
    /// database starts over.
    pub fn keep_unwritten(&self) {
        if let Some(Writing::Replace { fresh, .. }) = self.writing.take() {
            self.resident.take_over(fresh);
            self.head.set(Known::Nothing);
        }
    }

    /// The write is durable.
    pub fn commit(&self) {
        match self.writing.take() {
            None => {}
            Some(Writing::Append { groups, keep, head }) => {
                self.resident.unveil();
                self.resident.keep_newest(keep);
                self.set_head(head);
                for (group, staged) in groups {
                    group.outcome.replace(staged.outcomes);
                }
            }
            Some(Writing::Replace { fresh, head }) => {
                self.resident.take_over(fresh);
                self.set_head(head);
            }
        }
    }

    fn set_head(&self, head: Option<Head>) {
        self.head.set(Known::Stored(head));
        self.stored_next.set(head.map_or(0, |head| head.next));
    }

    /// The write did not happen.
    pub fn rollback(&self) {
        if let Some(Writing::Append { groups, .. }) = self.writing.take() {
            self.resident
                .unstage(groups.iter().map(|(_, staged)| staged.added).sum());
        }
    }
}

/// A stored head; `None` where there is none.
///
/// # Errors
/// `corrupt` or `version_too_new` for bytes that are no head.
pub fn read_head(stored: Option<&[u8]>, owner: Owner) -> Result<Option<Head>, Error> {
    stored
        .map(|bytes| Head::decode(bytes, owner).map_err(unreadable))
        .transpose()
        .map(|stored| stored.map(|stored| stored.head))
}

fn unreadable(why: Unreadable) -> Error {
    match why {
        Unreadable::Damaged => Error::store(
            ErrorCode::Corrupt,
            "stored bytes do not match their check value",
        ),
        Unreadable::TooNew => Error::store(
            ErrorCode::VersionTooNew,
            "the stored data was written by a newer version of this package",
        ),
    }
}
