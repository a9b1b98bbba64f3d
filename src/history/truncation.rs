//! What is kept when a session outgrows its bounds (seed 001, "How truncation actually runs").
//!
//! Newest first; an entry is dropped as soon as either bound is hit, and every older one with it, so
//! what is kept is a contiguous suffix; the newest entry is kept whatever its size.

use crate::protocol::Error;

/// Limits on what a session retains. Both are optional and independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The most entries.
    pub max_entries: Option<u64>,
    /// The most characters: UTF-16 code units of the derived messages' `content`.
    pub max_chars: Option<u64>,
}

/// What the bounds cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retention {
    /// The stored log itself, on write, as seed 001 has it.
    #[default]
    Truncate,
    /// Only what the model is sent; the log stays whole.
    Keep,
}

/// The outcome of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// How many of the newest entries stay.
    pub keep: usize,
    /// Whether the newest entry alone exceeds `max_chars`, and stays all the same.
    pub over_budget: bool,
}

impl Bounds {
    /// Bounds from two JavaScript numbers.
    ///
    /// # Errors
    /// `invalid` with path `maxEntries` or `maxChars` unless each is absent or a positive integer.
    pub fn new(max_entries: Option<f64>, max_chars: Option<f64>) -> Result<Self, Error> {
        Ok(Self {
            max_entries: positive(max_entries, "maxEntries")?,
            max_chars: positive(max_chars, "maxChars")?,
        })
    }

    /// How many of `entries` the entry bound lets stay.
    pub fn most_entries(&self, entries: usize) -> usize {
        self.max_entries.map_or(entries, |max| {
            usize::try_from(max).unwrap_or(usize::MAX).min(entries)
        })
    }

    /// Whether there is no bound at all.
    pub fn is_unbounded(&self) -> bool {
        self.max_entries.is_none() && self.max_chars.is_none()
    }
}

fn positive(value: Option<f64>, path: &str) -> Result<Option<u64>, Error> {
    const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
    match value {
        None => Ok(None),
        Some(n) if n.fract() == 0.0 && (1.0..=MAX_SAFE_INTEGER).contains(&n) => Ok(Some(n as u64)),
        Some(_) => Err(Error::invalid(path, "must be a positive integer")),
    }
}

/// How many of the newest entries the bounds let stay.
///
/// `units_newest_first` gives each entry's character count and is asked only as far as needed: not at
/// all without `max_chars`. Linear in the entries kept.
///
/// # Errors
/// Whatever the counting fails with.
pub fn cut(
    entries: usize,
    bounds: Bounds,
    units_newest_first: &mut dyn FnMut(usize) -> Result<u64, Error>,
) -> Result<Cut, Error> {
    let most = bounds.most_entries(entries);
    let Some(max_chars) = bounds.max_chars else {
        return Ok(Cut {
            keep: most,
            over_budget: false,
        });
    };
    let (mut used, mut over_budget) = (0u64, false);
    for age in 0..most {
        used = used.saturating_add(units_newest_first(age)?);
        if used <= max_chars {
            continue;
        }
        if age > 0 {
            return Ok(Cut {
                keep: age,
                over_budget,
            });
        }
        over_budget = true;
    }
    Ok(Cut {
        keep: most,
        over_budget,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(
        sizes_oldest_first: &[u64],
        max_entries: Option<u64>,
        max_chars: Option<u64>,
    ) -> (usize, bool) {
        let mut newest_first =
            |age: usize| Ok(sizes_oldest_first[sizes_oldest_first.len() - 1 - age]);
        let cut = cut(
            sizes_oldest_first.len(),
            Bounds {
                max_entries,
                max_chars,
            },
            &mut newest_first,
        )
        .unwrap();
        (cut.keep, cut.over_budget)
    }

    #[test]
    fn each_bound_works_alone_and_both_together() {
        assert_eq!(keep(&[5, 5, 5], None, None), (3, false));
        assert_eq!(keep(&[5, 5, 5], Some(2), None), (2, false));
        assert_eq!(keep(&[5, 5, 5], None, Some(10)), (2, false));
        assert_eq!(keep(&[5, 5, 5], None, Some(9)), (1, false));
        assert_eq!(keep(&[5, 5, 5], Some(1), Some(15)), (1, false));
        assert_eq!(keep(&[], Some(1), Some(1)), (0, false));
    }

    #[test]
    fn the_newest_entry_stays_even_alone_over_the_budget() {
        assert_eq!(keep(&[1, 100], None, Some(10)), (1, true));
        assert_eq!(keep(&[100], None, Some(10)), (1, true));
    }

    #[test]
    fn what_is_kept_is_contiguous_even_where_an_older_entry_would_fit() {
        assert_eq!(keep(&[1, 100, 1], None, Some(10)), (1, false));
    }

    #[test]
    fn entries_without_text_cost_nothing() {
        assert_eq!(keep(&[0, 0, 10, 0], None, Some(10)), (4, false));
    }

    #[test]
    fn bounds_are_positive_integers() {
        for bad in [
            0.0,
            -1.0,
            1.5,
            f64::NAN,
            f64::INFINITY,
            9_007_199_254_740_992.0,
        ] {
            assert_eq!(
                Bounds::new(Some(bad), None).unwrap_err().path.as_deref(),
                Some("maxEntries")
            );
            assert_eq!(
                Bounds::new(None, Some(bad)).unwrap_err().path.as_deref(),
                Some("maxChars")
            );
        }
        assert_eq!(
            Bounds::new(Some(1.0), None).unwrap(),
            Bounds {
                max_entries: Some(1),
                max_chars: None
            }
        );
    }
}
