//! Where things stand, by a name in bytes: a sorted list, since there are few of them and a tree would be more code.

/// A map from names to positions. A look-up takes a binary search; an insertion moves what is behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places(Vec<(Vec<u8>, usize)>);

impl Places {
    /// The position of a name.
    pub fn get(&self, name: &[u8]) -> Option<usize> {
        self.find(name).ok().map(|at| self.0[at].1)
    }

    /// The position of a name; `new` becomes that of one that has none.
    pub fn get_or_insert(&mut self, name: Vec<u8>, new: usize) -> usize {
        match self.find(&name) {
            Ok(at) => self.0[at].1,
            Err(at) => {
                self.0.insert(at, (name, new));
                new
            }
        }
    }

    /// Takes a name out, and gives its position.
    pub fn remove(&mut self, name: &[u8]) -> Option<usize> {
        self.find(name).ok().map(|at| self.0.remove(at).1)
    }

    /// Takes all names out.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn find(&self, name: &[u8]) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_slice().cmp(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_first_position_until_they_are_removed() {
        let mut places = Places::default();
        assert_eq!(places.get_or_insert(b"b".to_vec(), 0), 0);
        assert_eq!(places.get_or_insert(b"a".to_vec(), 1), 1);
        assert_eq!(places.get_or_insert(b"b".to_vec(), 2), 0);
        assert_eq!((places.get(b"a"), places.get(b"c")), (Some(1), None));
        assert_eq!((places.remove(b"b"), places.remove(b"b")), (Some(0), None));
        places.clear();
        assert_eq!(places.get(b"a"), None);
    }
}
