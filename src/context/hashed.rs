//! Numbers by hash: a table of 16 bytes a cell, open addressing with linear probing. (The standard maps are an order of
//! magnitude more code in the wasm file.)

/// See the module's head. A number is 0 until it is set.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashed {
    /// `(hash, number + 1)`, or zeros where nothing is. A power of two long, at most three quarters full.
    cells: Vec<(u64, u64)>,
    used: usize,
}

impl Hashed {
    /// The number under a hash; none if none was set.
    pub(super) fn get(&self, hash: u64) -> Option<u64> {
        let (_, number) = self.cells.get(self.place(hash)?)?;
        number.checked_sub(1)
    }

    /// Whether a number was set.
    pub(super) fn has(&self, hash: u64) -> bool {
        self.get(hash).is_some()
    }

    /// Sets a number; the one that was there before. `u64::MAX` counts as one less.
    pub(super) fn set(&mut self, hash: u64, number: u64) -> Option<u64> {
        if (self.used + 1) * 4 > self.cells.len() * 3 {
            self.grow();
        }
        let cell = self.place(hash).and_then(|at| self.cells.get_mut(at))?;
        let before = cell.1.checked_sub(1);
        *cell = (hash, number.saturating_add(1));
        self.used += usize::from(before.is_none());
        before
    }

    /// Sets what another table has.
    pub(super) fn add(&mut self, other: &Self) {
        for &(hash, number) in &other.cells {
            if let Some(number) = number.checked_sub(1) {
                self.set(hash, number);
            }
        }
    }

    /// The cell of a hash, or the one where it would go; none in a table without cells.
    fn place(&self, hash: u64) -> Option<usize> {
        let mask = self.cells.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        while self.cells[at].1 != 0 && self.cells[at].0 != hash {
            at = (at + 1) & mask;
        }
        Some(at)
    }

    fn grow(&mut self) {
        let cells = vec![(0, 0); (self.cells.len() * 2).max(16)];
        let old = Self {
            cells: core::mem::replace(&mut self.cells, cells),
            used: 0,
        };
        self.used = 0;
        self.add(&old);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0..40u64, any::<u64>()), 0..200)) {
            let (mut table, mut map) = (Hashed::default(), BTreeMap::new());
            for (hash, number) in steps {
                // Many that want the same cell.
                let hash = ((hash % 7) << 32) | (hash / 7);
                let number = number >> 1;
                prop_assert_eq!(table.set(hash, number), map.insert(hash, number));
            }
            let mut copy = Hashed::default();
            copy.add(&table);
            for hash in (0..40).map(|hash| ((hash % 7) << 32) | (hash / 7)) {
                prop_assert_eq!(table.get(hash), map.get(&hash).copied());
                prop_assert_eq!(copy.get(hash), map.get(&hash).copied());
            }
        }
    }
}
