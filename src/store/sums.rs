//! Running character counts of a log, counted lazily from the new end.
//!
//! `marks[k]` is a position on a number line such that the characters of records `i..n` are
//! `marks[n] - marks[i]`. Only the newest part of the line is drawn; it is extended to the old end
//! when a budget reaches that far, and each record is counted once in its life.

use std::collections::VecDeque;

/// See the module's head.
#[derive(Debug)]
pub struct Sums {
    /// Marks of the newest records, oldest first; one more than records counted.
    marks: VecDeque<i64>,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            marks: VecDeque::from([0]),
        }
    }
}

impl Sums {
    /// How many of the newest records are counted.
    pub fn counted(&self) -> usize {
        self.marks.len() - 1
    }

    /// Counts the next older record.
    pub fn extend_old(&mut self, units: u64) {
        let oldest = self.marks.front().copied().unwrap_or_default();
        self.marks.push_front(oldest - units as i64);
    }

    /// Counts a record that was just appended.
    pub fn push(&mut self, units: u64) {
        let newest = self.marks.back().copied().unwrap_or_default();
        self.marks.push_back(newest + units as i64);
    }

    /// Forgets the newest record.
    pub fn pop(&mut self) {
        if self.marks.len() > 1 {
            self.marks.pop_back();
        }
    }

    /// Forgets everything but the newest `keep` records.
    pub fn keep_newest(&mut self, keep: usize) {
        let excess = self.counted().saturating_sub(keep);
        self.marks.drain(..excess);
    }

    /// Characters of the newest `count` records, all of them counted.
    pub fn of_newest(&self, count: usize) -> u64 {
        let newest = self.marks.back().copied().unwrap_or_default();
        let from = self
            .marks
            .get(self.counted() - count)
            .copied()
            .unwrap_or(newest);
        (newest - from) as u64
    }

    /// How many of the newest counted records fit into `max_chars`. Logarithmic.
    pub fn fitting(&self, max_chars: u64) -> usize {
        let newest = self.marks.back().copied().unwrap_or_default();
        let too_old = self
            .marks
            .partition_point(|mark| (newest - mark) as u64 > max_chars);
        self.marks.len() - 1 - too_old.min(self.marks.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_from_either_end_gives_the_same_sums() {
        let sizes = [3u64, 0, 7, 2];
        let mut forward = Sums::default();
        sizes.iter().for_each(|&n| forward.push(n));
        let mut backward = Sums::default();
        sizes.iter().rev().for_each(|&n| backward.extend_old(n));
        for count in 0..=4 {
            let expected: u64 = sizes[4 - count..].iter().sum();
            assert_eq!(
                (forward.of_newest(count), backward.of_newest(count)),
                (expected, expected)
            );
        }
    }

    #[test]
    fn as_many_of_the_newest_fit_as_their_sum_allows() {
        let mut sums = Sums::default();
        [5u64, 0, 4, 3].iter().for_each(|&n| sums.push(n));
        for (budget, fitting) in [
            (0, 0),
            (2, 0),
            (3, 1),
            (6, 1),
            (7, 3),
            (11, 3),
            (12, 4),
            (99, 4),
        ] {
            assert_eq!(sums.fitting(budget), fitting, "budget {budget}");
        }
    }

    #[test]
    fn forgetting_at_either_end_leaves_the_rest_right() {
        let mut sums = Sums::default();
        [5u64, 6, 4, 3].iter().for_each(|&n| sums.push(n));
        sums.pop();
        sums.keep_newest(2);
        assert_eq!(
            (sums.counted(), sums.of_newest(2), sums.of_newest(1)),
            (2, 10, 4)
        );
        sums.keep_newest(0);
        sums.pop();
        assert_eq!((sums.counted(), sums.fitting(100)), (0, 0));
    }
}
