//! A histogram of sample values.

use std::collections::BTreeMap;

/// Most bins that are kept. With more distinct values, bins become wider.
const MOST: usize = 64;

/// Sample counts by value: exact while there are few distinct values, otherwise in bins of equal width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    width: i64,
    bins: BTreeMap<i64, u64>,
}

impl Histogram {
    /// A histogram of one sample.
    pub fn of(value: i64) -> Histogram {
        Histogram {
            width: 1,
            bins: BTreeMap::from([(value, 1)]),
        }
    }

    /// Adds `count` samples of `value`.
    pub fn add(&mut self, value: i64, count: u64) {
        *self.bins.entry(first(value, self.width)).or_default() += count;
        while self.bins.len() > MOST {
            self.widen();
        }
    }

    /// Adds the samples of another histogram.
    pub fn join(&mut self, other: &Histogram) {
        while self.width < other.width {
            self.widen();
        }
        for (&value, &count) in &other.bins {
            self.add(value, count);
        }
    }

    /// Number of values per bin: 1, or a larger power of two.
    pub fn width(&self) -> i64 {
        self.width
    }

    /// Each non-empty bin in ascending order: its least value, and its number of samples.
    pub fn bins(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        self.bins.iter().map(|(&value, &count)| (value, count))
    }

    fn widen(&mut self) {
        self.width = self.width.saturating_mul(2);
        for (value, count) in std::mem::take(&mut self.bins) {
            *self.bins.entry(first(value, self.width)).or_default() += count;
        }
    }
}

/// The least value of a value's bin.
fn first(value: i64, width: i64) -> i64 {
    value.div_euclid(width).saturating_mul(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_kept_exactly_and_many_in_bins() {
        let mut few = Histogram::of(-3);
        few.add(7, 2);
        few.add(-3, 1);
        assert_eq!(
            (few.width(), few.bins().collect::<Vec<_>>()),
            (1, vec![(-3, 2), (7, 2)])
        );
        let mut many = Histogram::of(0);
        (1..1000).for_each(|value| many.add(value, 1));
        assert_eq!(many.width(), 16);
        assert!(many.bins().all(|(value, count)| value % 16 == 0 && count <= 16));
        assert_eq!(many.bins().map(|(_, count)| count).sum::<u64>(), 1000);
        few.join(&many);
        assert_eq!((few.width(), few.bins().next()), (16, Some((-16, 2))));
        assert_eq!(few.bins().map(|(_, count)| count).sum::<u64>(), 1004);
    }
}
