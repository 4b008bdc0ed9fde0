//! Who waits for what a thread hands over, found at once: all that decides is loaded before anything is stored.

use mainspring_core::threads::{Scheduler, Set, Waiting, top};

use crate::model::Threaded;

/// The most urgent of those who wait in a set, and what else decides whether it is gone to.
#[derive(Clone, Copy)]
pub(crate) struct First {
    /// Its rank.
    pub rank: usize,
    /// What else [`release_plain`](Scheduler::release_plain) decides by.
    pub waiting: Waiting,
    /// Its stack.
    pub stack: usize,
    /// What its word says.
    pub word: usize,
}

impl First {
    /// Whether it is more urgent than `T`.
    #[inline(always)]
    pub(super) fn is_before<T: Threaded>(&self) -> bool {
        self.rank < const { top(T::GROUP) }
    }

    /// Whether it needs no special treatment.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        !self.waiting.is_special(self.rank)
    }

    /// Releases it from `set`.
    #[inline(always)]
    pub(super) fn release(&self, kernel: &Scheduler, set: &Set) {
        kernel.release_plain(set, self.waiting, self.rank);
    }
}
