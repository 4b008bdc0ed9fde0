//! The state that decides which waiting thread is let go.

use super::order::{is_member, top};

/// The threads that wait in a set, and what else decides which is let go. All of it is loaded before anything is stored, because a
/// load after a store has to wait.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub(super) members: u32,
    pub(super) contending: u32,
    pub(super) special: u32,
}

impl Waiting {
    /// No thread waits.
    #[inline(always)]
    #[must_use]
    pub fn is_nobody(self) -> bool {
        self.members == 0
    }

    /// The state that decides, where its words were loaded one by one: the waiting, the ready and the special threads.
    #[inline(always)]
    #[must_use]
    pub fn of(members: u32, contending: u32, special: u32) -> Self {
        Waiting {
            members,
            contending,
            special,
        }
    }

    /// The special threads.
    #[inline(always)]
    #[must_use]
    pub fn special(self) -> u32 {
        self.special
    }

    /// The most urgent, if anybody waits.
    #[inline(always)]
    #[must_use]
    pub fn top(self) -> usize {
        top(self.members)
    }

    /// Whether `top` needs special treatment; then [`release_special`](Scheduler::release_special) decides which thread is released.
    #[inline(always)]
    #[must_use]
    pub fn is_special(self, top: usize) -> bool {
        is_member(self.special, top)
    }
}
