//! Transfers that take longer in some cycles, as if another master used the memory. For tests: the core's behaviour then does not become
//! periodic, as it does with memories of constant latency.

/// How much longer: by the cycle in which a transfer begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jitter {
    /// Other numbers are other delays.
    pub seed: u32,
    /// The most cycles that a word takes longer.
    pub most: u8,
}

impl Jitter {
    /// Cycles that a word of a transfer takes longer, which begins in cycle `start` at this port.
    pub(crate) fn delay(self, port: u8, start: u64, word: usize) -> u16 {
        let place = u32::from(port) << 31 ^ (word as u32) << 27;
        // "lowbias32", a mix of 32 bits (C. Wellons, "Prospecting for Hash Functions").
        let mixed = (self.seed ^ place).wrapping_add(start as u32);
        let mixed = (mixed ^ mixed >> 16).wrapping_mul(0x7feb_352d);
        let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x846c_a68b);
        ((mixed >> 16) % (u32::from(self.most) + 1)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_delay_occurs_and_none_beyond_the_most() {
        let jitter = Jitter { seed: 7, most: 3 };
        let mut seen = [0; 4];
        for start in 0..400 {
            seen[usize::from(jitter.delay(1, start, 0))] += 1;
        }
        assert!(seen.iter().all(|&times| times > 50), "{seen:?}");
    }
}
