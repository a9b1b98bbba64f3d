//! From an id's hash to the slots that may hold it: a table of 8 bytes a record, open addressing with
//! linear probing. The ids themselves stay in the log's bytes, which is what is compared in the end.
//! (The standard map is an order of magnitude more code in the wasm file.)

/// See the module's head. A slot is a record's position; several may share a hash.
#[derive(Debug, Default)]
pub struct Ids {
    /// `(hash, slot + 1)`, or zeros where nothing is. A power of two long, at most three quarters full.
    cells: Vec<(u32, u32)>,
    used: usize,
}

impl Ids {
    /// The slot under this hash that `is_it`.
    pub fn find(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.cells.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            match self.cells[at] {
                (_, 0) => return None,
                (other, slot) if other == hash && is_it(slot - 1) => return Some(slot - 1),
                _ => at = self.next(at),
            }
        }
    }

    /// Adds a slot.
    pub fn insert(&mut self, hash: u32, slot: u32) {
        if (self.used + 1) * 4 > self.cells.len() * 3 {
            let cells = vec![(0, 0); (self.cells.len() * 2).max(16)];
            let old = std::mem::replace(&mut self.cells, cells);
            old.into_iter()
                .filter(|cell| cell.1 != 0)
                .for_each(|cell| self.place(cell));
        }
        self.place((hash, slot + 1));
        self.used += 1;
    }

    /// Takes a slot out.
    pub fn remove(&mut self, hash: u32, slot: u32) {
        if self.cells.is_empty() {
            return;
        }
        let mut hole = self.home(hash);
        while self.cells[hole] != (hash, slot + 1) {
            if self.cells[hole].1 == 0 {
                return;
            }
            hole = self.next(hole);
        }
        // What follows closes up, unless it would leave its own probing path.
        let mut at = self.next(hole);
        while self.cells[at].1 != 0 {
            let home = self.home(self.cells[at].0);
            let mask = self.cells.len() - 1;
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.cells[hole] = self.cells[at];
                hole = at;
            }
            at = self.next(at);
        }
        self.cells[hole] = (0, 0);
        self.used -= 1;
    }

    /// Moves all slots down, after as many were dropped before them.
    pub fn shift(&mut self, by: u32) {
        for cell in self.cells.iter_mut().filter(|cell| cell.1 != 0) {
            cell.1 -= by;
        }
    }

    /// Bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<(u32, u32)>()
    }

    fn place(&mut self, cell: (u32, u32)) {
        let mut at = self.home(cell.0);
        while self.cells[at].1 != 0 {
            at = self.next(at);
        }
        self.cells[at] = cell;
    }

    fn home(&self, hash: u32) -> usize {
        hash as usize & (self.cells.len() - 1)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.cells.len() - 1)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_agrees_with_a_set_after_any_inserts_removals_and_shifts(
            steps in prop::collection::vec((0u8..5, 0u32..40), 0..400),
            spread in 1u32..50,
        ) {
            // Few distinct hashes: long probing paths, many slots under one hash.
            let hash = |slot: u32, shifted: u32| (slot + shifted) % spread * 7;
            let (mut ids, mut set, mut shifted) = (Ids::default(), BTreeSet::new(), 0u32);
            for (what, slot) in steps {
                match what {
                    0..=2 if !set.contains(&slot) => {
                        ids.insert(hash(slot, shifted), slot);
                        set.insert(slot);
                    }
                    3 => {
                        ids.remove(hash(slot, shifted), slot);
                        set.remove(&slot);
                    }
                    4 => {
                        for low in 0..slot.min(3) {
                            ids.remove(hash(low, shifted), low);
                            set.remove(&low);
                        }
                        ids.shift(slot.min(3));
                        set = set.iter().map(|other| other - slot.min(3)).collect();
                        shifted += slot.min(3);
                    }
                    _ => {}
                }
                for slot in 0..40 {
                    let found = ids.find(hash(slot, shifted), |other| other == slot);
                    prop_assert_eq!(found.is_some(), set.contains(&slot));
                }
            }
        }
    }
}
