//! Waits that one thread alone can end: the owner of a mutex, the thread that is joined, the one that is to answer.
//!
//! Each thread waits for at most one other, so these waits are chains. A chain that comes back to where it began can never end: no thread
//! in it runs again. It is looked for when a wait begins, which is when it closes. A wait with a time limit ends by itself, and is no link.

use super::mutex::Holder;
use super::order::{bit, is_member};
use super::scheduler::Scheduler;

/// An event that only one other thread can cause, awaited by a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// Nothing of the kind.
    Nothing,
    /// This one returns.
    End(u8),
    /// This one answers.
    Answer(u8),
}

impl Scheduler {
    /// `rank` waits for that from now on, or no more.
    pub fn awaits(&self, rank: usize, what: Awaited) {
        self.slots[rank].awaited.set(what);
    }

    /// The thread that alone can end the wait of `rank`, if there is such a one. It says nothing of a thread that does not wait.
    #[must_use]
    pub fn awaited(&self, rank: usize) -> Option<usize> {
        if is_member(self.timed.get(), rank) {
            return None;
        }
        let slot = &self.slots[rank];
        if let Some(mutex) = slot.mutex.get() {
            return match mutex.holder() {
                Holder::Thread(owner) => Some(owner),
                _ => None,
            };
        }
        match slot.awaited.get() {
            Awaited::End(other) | Awaited::Answer(other) if self.still_waits(rank) => {
                Some(usize::from(other))
            }
            _ => None,
        }
    }

    /// Whether what `rank` waits for has not come: it says that it awaits it until it runs again.
    fn still_waits(&self, rank: usize) -> bool {
        (self.contending.get() | self.stalled.get()) & bit(rank) == 0
    }

    /// Whether `rank` would wait for itself if it waited for `other`, where `awaited` says for whom each thread waits.
    #[cold]
    #[inline(never)]
    pub fn closes_circle(&self, rank: usize, other: usize, awaited: impl Fn(usize) -> Option<usize>) -> bool {
        let mut at = other;
        // A chain that has not closed before has each thread once at the most.
        for _ in 0..self.slots.len() {
            if at == rank {
                return true;
            }
            let Some(next) = awaited(at) else { return false };
            at = next;
        }
        false
    }

    /// The first thread that waits for `what`.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn who_awaits(&self, what: Awaited) -> Option<usize> {
        (0..self.slots.len()).find(|&rank| self.slots[rank].awaited.get() == what && self.still_waits(rank))
    }
}
