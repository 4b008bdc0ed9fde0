//! Tracks when each thing was last relied on.

/// A moment between two records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Moment(u64);

/// When each bit of [`Record::Relied`](crate::Record::Relied) was last recorded. A span relied on the bits recorded after it opened, so
/// the cost does not depend on the number of open spans.
#[derive(Clone, Debug)]
pub(crate) struct Relied {
    /// Number of records so far.
    told: u64,
    last: [u64; u128::BITS as usize],
}

impl Default for Relied {
    fn default() -> Relied {
        Relied {
            told: 0,
            last: [0; u128::BITS as usize],
        }
    }
}

impl Relied {
    pub(crate) fn told(&mut self, mut on: u128) {
        self.told += 1;
        while on != 0 {
            self.last[on.trailing_zeros() as usize] = self.told;
            on &= on - 1;
        }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment(self.told)
    }

    /// The bits recorded after `moment`.
    pub(crate) fn since(&self, moment: Moment) -> u128 {
        let later = |(bit, &last): (usize, &u64)| u128::from(last > moment.0) << bit;
        self.last.iter().enumerate().map(later).sum()
    }
}
