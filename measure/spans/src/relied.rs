//! What was relied on since when.

/// A moment between two records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Moment(u64);

/// For each bit of [`Record::Relied`](crate::Record::Relied), when it was last told: what a span relied on is what was told
/// after it was opened, however many spans are open.
#[derive(Clone, Debug)]
pub(crate) struct Relied {
    /// How many records came.
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

    /// The bits that were told after `moment`.
    pub(crate) fn since(&self, moment: Moment) -> u128 {
        let later = |(bit, &last): (usize, &u64)| u128::from(last > moment.0) << bit;
        self.last.iter().enumerate().map(later).sum()
    }
}
