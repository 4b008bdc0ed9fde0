//! The addresses where blocks must begin.

use std::sync::Arc;

/// With more addresses than this those of earlier runs are forgotten.
const MOST: usize = 1 << 12;

/// Addresses at each of which a block begins, because a sink has asked for the instruction there: the cost of a block then never needs to
/// be split. Addresses stay when no sink asks for them any more, so that no block is decoded again when the sink asks for others.
#[derive(Clone, Default, Debug)]
pub struct SplitPoints(Arc<[u32]>);

impl SplitPoints {
    /// Whether a block begins at this address.
    #[inline]
    pub fn contains(&self, pc: u32) -> bool {
        self.0.binary_search(&pc).is_ok()
    }

    /// Adds these addresses, ascending. True if there is a new one: blocks that were decoded before may go across it.
    #[must_use]
    pub fn add(&mut self, wanted: &[u32]) -> bool {
        if wanted.iter().all(|&pc| self.contains(pc)) {
            return false;
        }
        let mut both = [wanted, &self.0].concat();
        both.sort_unstable();
        both.dedup();
        self.0 = if both.len() <= MOST {
            both.into()
        } else {
            wanted.into()
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_until_there_are_too_many() {
        let mut points = SplitPoints::default();
        assert!(points.add(&[4, 8]) && !points.add(&[8]) && points.add(&[6, 8]));
        assert!([4, 6, 8].iter().all(|&pc| points.contains(pc)) && !points.contains(5));
        let many: Vec<u32> = (0..MOST as u32).map(|place| 0x100 + 2 * place).collect();
        assert!(points.add(&many));
        assert!(points.contains(0x100) && !points.contains(4));
    }
}
