//! Who has a mutex, and to whom it goes.
//!
//! The word is 0 while nobody has it, else the owner's rank and one; its highest bit is set while somebody waits. So
//! whoever finds 0 there may take it, and whoever finds its own number there may give it back, without a look at
//! anything else; the rest is here.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use super::order::{bit, top};
use super::scheduler::{Outcome, Scheduler};
use super::set::Set;

/// Somebody waits.
const WANTED: u32 = 1 << 31;

/// A mutex without what it protects.
#[derive(Debug, Default)]
pub struct Ownership {
    /// See the module.
    pub word: AtomicU32,
    pub(super) waiting: Set,
}

/// What became of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locking {
    /// It is the thread's now.
    Taken,
    /// It is the thread's now; who had it before has returned without giving it back.
    Abandoned,
    /// Somebody has it: the thread waits.
    Waits,
    /// The thread has it already, and would wait for itself.
    Own,
}

/// The word of a mutex that `rank` has and nobody waits for.
#[inline(always)]
const fn held_by(rank: usize) -> u32 {
    rank as u32 + 1
}

/// Who has the mutex with this word.
pub(super) fn owner(word: u32) -> Option<usize> {
    ((word & !WANTED) as usize).checked_sub(1)
}

impl Ownership {
    /// Nobody's.
    #[must_use]
    pub const fn new() -> Self {
        Ownership {
            word: AtomicU32::new(0),
            waiting: Set::new(),
        }
    }

    /// The word while `rank` has it and nobody waits.
    #[must_use]
    #[inline(always)]
    pub const fn held_by(rank: usize) -> u32 {
        held_by(rank)
    }

    fn hold(&self, rank: usize) {
        let wanted = if self.waiting.is_empty() { 0 } else { WANTED };
        self.word.store(held_by(rank) | wanted, Relaxed);
    }
}

impl Scheduler {
    /// `rank`, which runs, wants `mutex`, and waits if it must, for so many ticks at the most if there is an end.
    pub fn lock(&self, rank: usize, mutex: &'static Ownership, until: Option<u32>) -> Locking {
        match owner(mutex.word.load(Relaxed)) {
            None => {
                mutex.hold(rank);
                Locking::Taken
            }
            Some(owner) if owner == rank => Locking::Own,
            Some(owner) if self.is_finished(owner) => {
                mutex.hold(rank);
                Locking::Abandoned
            }
            Some(_) => {
                mutex.word.store(mutex.word.load(Relaxed) | WANTED, Relaxed);
                let slot = &self.slots[rank];
                slot.outcome.set(Outcome::Came);
                slot.within.set(Some(&mutex.waiting));
                slot.mutex.set(Some(&mutex.word));
                mutex.waiting.insert(rank);
                self.lend(rank, true);
                if let Some(ticks) = until {
                    self.end_after(rank, Some(&mutex.waiting), ticks);
                }
                Locking::Waits
            }
        }
    }

    /// `rank` wants `mutex` if that needs no waiting.
    pub fn try_lock(&self, rank: usize, mutex: &'static Ownership) -> Locking {
        match owner(mutex.word.load(Relaxed)) {
            Some(owner) if owner != rank && !self.is_finished(owner) => Locking::Waits,
            _ => self.lock(rank, mutex, None),
        }
    }

    /// The owner gives `mutex` back: the first of those who wait has it now, and is the result.
    pub fn unlock(&self, mutex: &'static Ownership) -> Option<usize> {
        let next = self.first(&mutex.waiting);
        match next {
            None => mutex.word.store(0, Relaxed),
            Some(next) => {
                self.release_member(&mutex.waiting, next);
                self.end_lending(next);
                mutex.hold(next);
            }
        }
        next
    }

    pub(super) fn end_lending(&self, rank: usize) {
        self.slots[rank].mutex.set(None);
        self.lend(rank, false);
    }

    /// `rank`, which has returned, may have had mutexes: each goes to the first of those who wait for it. A number of
    /// steps that grows with theirs.
    pub fn leave_mutexes(&self, rank: usize) {
        let mut left = self.lending.get();
        while left != 0 {
            let waits = top(left);
            left &= !bit(waits);
            if self.owner_for(waits) == Some(rank)
                && let Some(word) = self.slots[waits].mutex.get()
            {
                // It has no name here but its word; the most urgent of those who wait takes it.
                if let Some(set) = self.slots[waits].within.take() {
                    set.remove(waits);
                }
                self.wake(waits);
                self.end_lending(waits);
                self.slots[waits].outcome.set(Outcome::Abandoned);
                word.store(held_by(waits) | WANTED, Relaxed);
            }
        }
    }
}
