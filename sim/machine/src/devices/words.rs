//! Parts of a register, and random numbers.

/// The `size` bytes at `offset` of a word that is at its multiple of four.
pub(crate) fn part(word: u32, offset: u32, size: u32) -> u32 {
    word >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size)
}

/// Random numbers that are the same in every run: Marsaglia, "Xorshift RNGs", 2003.
#[derive(Clone, Debug)]
pub(crate) struct Xorshift(u32);

impl Default for Xorshift {
    fn default() -> Xorshift {
        // Any number but 0.
        Xorshift(0x1234_5678)
    }
}

impl Xorshift {
    /// The next number.
    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_alone() {
        assert_eq!(part(0x1122_3344, 2, 1), 0x22);
        assert_eq!(part(0x1122_3344, 0, 4), 0x1122_3344);
    }
}
