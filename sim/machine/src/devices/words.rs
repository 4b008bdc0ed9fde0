//! Parts of a register, and random numbers.

/// The `size` bytes at `offset` of a word that is at its multiple of four.
pub(crate) fn part(word: u32, offset: u32, size: u32) -> u32 {
    word >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size)
}

/// PID4 to 7, PID0 to 3 and CID0 to 3 of a part of Arm's Cortex-M System Design Kit, by its number.
pub(crate) fn cmsdk_id(part: u32, place: usize) -> u32 {
    [0x04, 0, 0, 0, part, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1][place]
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
    pub(crate) fn peek(&self) -> u32 {
        let mut next = self.0;
        next ^= next << 13;
        next ^= next >> 17;
        next ^= next << 5;
        next
    }

    /// It is the last one now.
    pub(crate) fn step(&mut self) {
        self.0 = self.peek();
    }

    /// Takes the next number.
    pub(crate) fn next(&mut self) -> u32 {
        self.step();
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
