//! Priorities as people count them, and as the hardware does.
//!
//! People count upwards: 0 is the idle loop, 1 the least urgent task, and a chip with `bits` priority bits has 2^bits
//! levels for tasks. The hardware counts downwards, in the upper bits of a byte (ARMv7-M ARM B3.4.9): level 2^bits
//! becomes 0, the most urgent.

/// The priority of the idle loop: every task pre-empts it.
pub const IDLE: u8 = 0;

/// The priority of the switch between threads: that of the least urgent task, so that it happens when no task runs.
pub const SWITCH: u8 = 1;

/// The level inside a section that holds every interrupt: above every task.
pub const GLOBAL: u8 = u8::MAX;

/// How many levels there are for tasks, with `bits` priority bits (2 to 7): tasks have the priorities 1 to this.
#[must_use]
pub const fn levels(bits: u8) -> u8 {
    1 << bits
}

/// The priority register's value for level `level`, 1 to 2^`bits`; written to BASEPRI it holds back every task at
/// this level or below, except at the highest level, whose value 0 means "hold back nothing" there.
#[must_use]
pub const fn threshold(level: u8, bits: u8) -> u8 {
    (levels(bits) - level) << (8 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_is_zero_and_the_lowest_is_all_ones() {
        assert_eq!((threshold(16, 4), threshold(1, 4)), (0x00, 0xf0));
        assert_eq!((threshold(8, 3), threshold(1, 3)), (0x00, 0xe0));
        assert_eq!((threshold(4, 2), threshold(1, 2)), (0x00, 0xc0));
    }

    #[test]
    fn a_higher_level_is_a_lower_number_and_uses_only_implemented_bits() {
        for bits in 2..=7 {
            for level in 1..levels(bits) {
                assert!(threshold(level, bits) > threshold(level + 1, bits));
                assert_eq!(
                    threshold(level, bits).trailing_zeros().min(8 - u32::from(bits)),
                    8 - u32::from(bits)
                );
            }
        }
    }
}
