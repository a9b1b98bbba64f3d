//! Call ids that an API takes, each for one call.
//!
//! An id that the API takes stays, unless a call before had it: logs use ids again, APIs want them unique. Any other becomes
//! `call_` and a hash, and a number where that is taken. What a call gets depends on the calls before it only, so that a
//! list that grows keeps the ids it had.
//!
//! Ids are known by their hashes. Two that share one would count as one that came again, and be replaced: still each its own.

use super::escaped::{Escaped, len, units};
use super::hashed::Hashed;
use xxhash_rust::xxh64::xxh64;

/// What ids an API takes.
#[derive(Clone, Copy, Debug)]
pub struct IdLaw {
    /// The most UTF-16 code units.
    pub max_len: u64,
    /// Whether only ASCII letters, digits, `_` and `-` may occur.
    pub is_word: bool,
}

/// The ids given out so far.
pub(super) struct CallIds<'b> {
    law: IdLaw,
    used: Hashed,
    /// How many calls of an id got another one.
    replaced: Hashed,
    /// Those that were given out before, which stay as they are.
    before: Option<&'b CallIds<'b>>,
}

impl<'b> CallIds<'b> {
    pub(super) fn new(law: IdLaw) -> Self {
        Self {
            law,
            used: Hashed::default(),
            replaced: Hashed::default(),
            before: None,
        }
    }

    /// More ids behind others, of which nothing is left where those go on.
    pub(super) fn behind(before: &'b CallIds<'b>) -> Self {
        Self {
            before: Some(before),
            ..Self::new(before.law)
        }
    }

    /// The hashes of the ids that were given out here, and how often ids were replaced.
    pub(super) fn into_parts(self) -> (Hashed, Hashed) {
        (self.used, self.replaced)
    }

    /// Adds what was given out behind these.
    pub(super) fn add(&mut self, used: &Hashed, replaced: &Hashed) {
        self.used.add(used);
        self.replaced.add(replaced);
    }

    /// Takes an id, unless it is taken.
    fn take(&mut self, id: &[u8]) -> bool {
        let hash = xxh64(id, 0);
        let is_taken = self.before.is_some_and(|it| it.used.has(hash));
        !is_taken && self.used.set(hash, 0).is_none()
    }

    /// The id for the next call, escaped, and whether it is another one than the call's own.
    pub(super) fn next<'a>(&mut self, own: &Escaped<'a>) -> (Escaped<'a>, bool) {
        let id = units(own);
        if self.law.takes(own, &id) && self.take(&id) {
            return (own.clone(), false);
        }
        let hash = xxh64(&id, 0);
        let before = self.before.and_then(|it| it.replaced.get(hash));
        let mut times = self.replaced.get(hash).or(before).unwrap_or(0);
        loop {
            times += 1;
            let new = match times {
                1 => format!("call_{hash:016x}"),
                times => format!("call_{hash:016x}_{times}"),
            };
            if self.take(new.as_bytes()) {
                self.replaced.set(hash, times);
                return (Escaped::Owned(new.into_bytes()), true);
            }
        }
    }
}

impl IdLaw {
    fn takes(self, escaped: &[u8], id: &[u8]) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !id.is_empty()
            && len(escaped) <= self.max_len
            && if self.is_word {
                id.iter().all(is_word)
            } else {
                // Halves of surrogate pairs would all become the same character.
                core::str::from_utf8(id).is_ok()
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const WORDS: IdLaw = IdLaw {
        max_len: 40,
        is_word: true,
    };

    fn ids(law: IdLaw, own: &[&str]) -> Vec<String> {
        let mut ids = CallIds::new(law);
        own.iter()
            .map(|own| {
                let own = Escaped::Borrowed(own.as_bytes());
                let (id, is_new) = ids.next(&own);
                assert_eq!(is_new, id != own);
                String::from_utf8(id.into_owned()).unwrap()
            })
            .collect()
    }

    #[test]
    fn ids_that_the_api_takes_stay() {
        let longest = "x".repeat(40);
        assert_eq!(
            ids(WORDS, &["a", "toolu_1-B", &longest]),
            ["a", "toolu_1-B", &longest]
        );
        let any = IdLaw {
            max_len: u64::MAX,
            is_word: false,
        };
        assert_eq!(ids(any, &["functions.f:0", "é"]), ["functions.f:0", "é"]);
    }

    #[test]
    fn all_others_become_different_ones_that_it_takes() {
        let long = "x".repeat(41);
        let longer = "x".repeat(42);
        let odd = [
            &long, &longer, "", "a|b", "a.b", r"\ud83d", r"\ud83e", "a", "a", "a",
        ];
        let ids = ids(WORDS, &odd);
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), odd.len());
        for id in &ids {
            assert!(WORDS.takes(id.as_bytes(), id.as_bytes()), "{id}");
        }
        assert_eq!(ids[7], "a");
        assert_eq!(ids[9], format!("{}_2", ids[8]));
    }

    #[test]
    fn ids_behind_others_are_those_of_one_list() {
        let own = ["a", "b|", "a", "a", "b|", "call_1", "b|"];
        let whole = ids(WORDS, &own);
        for at in 0..own.len() {
            let mut before = CallIds::new(WORDS);
            let mut given = Vec::new();
            let mut behind;
            let (first, rest) = own.split_at(at);
            for id in first {
                given.push(
                    before
                        .next(&Escaped::Borrowed(id.as_bytes()))
                        .0
                        .into_owned(),
                );
            }
            behind = CallIds::behind(&before);
            for id in rest {
                given.push(
                    behind
                        .next(&Escaped::Borrowed(id.as_bytes()))
                        .0
                        .into_owned(),
                );
            }
            let given: Vec<String> = given
                .into_iter()
                .map(|id| String::from_utf8(id).unwrap())
                .collect();
            assert_eq!(given, whole);
        }
    }

    #[test]
    fn an_id_that_looks_like_a_replacement_is_replaced_itself() {
        let first = ids(WORDS, &["a|b"]);
        let both = ids(WORDS, &["a|b", &first[0]]);
        assert_ne!(both[0], both[1]);
        let turned = ids(WORDS, &[&first[0], "a|b"]);
        assert_eq!(turned[1], format!("{}_2", first[0]));
    }
}
