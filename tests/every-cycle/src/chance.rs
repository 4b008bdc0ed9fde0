//! Pseudo-random numbers that depend on the seed only.

/// A generator (xorshift64*, Marsaglia and Vigna).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// A generator with this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Chance(seed | 1 << 63)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number in `0..end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A random element of `all`.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// `count` numbers in `0..end`, in ascending order.
    pub fn ascending(&mut self, count: usize, end: u64) -> Vec<u64> {
        let mut numbers: Vec<_> = (0..count).map(|_| self.below(end)).collect();
        numbers.sort_unstable();
        numbers
    }
}

#[test]
fn numbers_are_the_same_for_the_same_seed_and_fill_their_range() {
    let numbers = |seed| Chance::new(seed).ascending(1000, 10);
    assert_eq!(numbers(1), numbers(1));
    assert_ne!(numbers(1), numbers(2));
    assert!((0..10).all(|n| numbers(1).contains(&n)));
}
