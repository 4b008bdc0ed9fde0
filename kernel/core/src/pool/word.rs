//! The shared word.

/// A word of memory that several contexts change.
pub trait Word {
    /// Its value; from now on a change by another context is noticed.
    fn load_linked(&self) -> u32;

    /// Stores `value`, unless anything happened since this context's last `load_linked`; says whether it did.
    fn store_conditional(&self, value: u32) -> bool;

    /// As [`store_conditional`](Word::store_conditional), in an attempt that follows one that failed: other code where the compiler would
    /// make one of the two, so that the first attempt jumps.
    #[inline(always)]
    fn store_again(&self, value: u32) -> bool {
        self.store_conditional(value)
    }
}

/// Puts `f(value)` in the place of the value, and returns the value before; leaves it alone where `f` says `None`.
#[inline(always)]
pub fn update(word: &impl Word, mut f: impl FnMut(u32) -> Option<u32>) -> Option<u32> {
    loop {
        let before = word.load_linked();
        if word.store_conditional(f(before)?) {
            return Some(before);
        }
    }
}
