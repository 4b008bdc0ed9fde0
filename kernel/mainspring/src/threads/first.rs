//! Who waits for what a thread hands over, found at once: all that decides is loaded before anything is stored.

#![allow(unsafe_code)] // The switch.

use mainspring_core::threads::{Scheduler, Set, Waiting, top};

use super::kernel::Section;
use super::thread::Threaded;
use crate::arch;

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

    /// Whether nobody has to think of it.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        !self.waiting.is_special(self.rank)
    }

    /// Whether `T` may go to it by itself, and nobody has to think of it.
    #[inline(always)]
    pub(super) fn may_switch<T: Threaded>(&self) -> Option<arch::Leave> {
        arch::may_switch_to::<T::App>(self.stack, self.waiting.special(), self.rank)
    }

    /// Lets it go, which waits in `set`.
    #[inline(always)]
    pub(super) fn release(&self, kernel: &Scheduler, set: &Set) {
        kernel.release_plain(set, self.waiting, self.rank);
    }

    /// Goes to it from `T`, which is less urgent.
    ///
    /// # Safety
    ///
    /// As for [`give_way`](super::kernel::give_way); it has been let go, and nothing else has changed since `T` was said to be able to.
    #[inline(always)]
    pub(super) unsafe fn switch_from<T: Threaded>(self, kernel: &Scheduler, leave: arch::Leave) -> Section {
        if const { T::GROUP.count_ones() > 1 } {
            kernel.give_turn(T::RANK);
        }
        // SAFETY: the caller's promise. Nobody lends, so `T` was the most urgent, and who waited is now.
        unsafe { arch::switch::<T>(kernel, self.rank, self.stack, leave) };
        arch::BEHIND_SWITCH
    }
}
