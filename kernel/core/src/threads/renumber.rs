//! Threads that come, go and change their urgency while others run: ranks are given anew.
//!
//! Ranks are stored in the scheduler, in the wait sets, and in the words of mutexes. An interface that renumbers threads
//! passes each [`Move`] on to all of its sets and mutexes; nobody keeps a rank of its own from before. Each takes a number of steps
//! that grows with the number of threads.

use core::cell::Cell;

use super::mutex::Ownership;
use super::order::{LENT, bit, top};
use super::scheduler::Scheduler;
use super::set::Set;
use super::slot::Slot;

/// The thread of rank `from` gets the rank `to`; those in between move up or down by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The rank before.
    pub from: usize,
    /// The rank after.
    pub to: usize,
}

impl Move {
    /// The rank after this of the one that had `rank` before.
    #[must_use]
    pub const fn of(self, rank: usize) -> usize {
        let Move { from, to } = self;
        if rank == from {
            to
        } else if from < rank && rank <= to {
            rank - 1
        } else if to <= rank && rank < from {
            rank + 1
        } else {
            rank
        }
    }

    /// The same members.
    #[must_use]
    pub fn word(self, members: u32) -> u32 {
        let (mut left, mut moved) = (members & !LENT, members & LENT);
        while left != 0 {
            let rank = top(left);
            left &= !bit(rank);
            moved |= bit(self.of(rank));
        }
        moved
    }

    fn cell(self, word: &Cell<u32>) {
        word.set(self.word(word.get()));
    }

    /// The same threads wait in `set`.
    pub fn set(self, set: &Set) {
        self.cell(&set.members);
        self.cell(&set.last);
    }

    /// The same thread has `mutex`, and the same ones wait for it.
    pub fn mutex(self, mutex: &Ownership) {
        self.set(&mutex.waiting);
        mutex.renumber(|owner| self.of(owner));
    }
}

impl Slot {
    fn swap(&self, other: &Slot) {
        self.stack.swap(&other.stack);
        self.word.swap(&other.word);
        self.within.swap(&other.within);
        self.mutex.swap(&other.mutex);
        self.until.swap(&other.until);
        self.outcome.swap(&other.outcome);
        self.guard.swap(&other.guard);
    }
}

impl Scheduler {
    /// Gives ranks anew. The groups are wrong until [`regroup`](Self::regroup). Among its equals of then it is not the turn of the one who
    /// moved: it may be somebody's among them, and it is one's at the most.
    pub fn renumber(&self, change: Move) {
        for word in [
            &self.contending,
            &self.lending,
            &self.turn,
            &self.suspended,
            &self.stalled,
            &self.finished,
            &self.timed,
            &self.marked,
        ] {
            change.cell(word);
        }
        self.turn.set(self.turn.get() & !bit(change.to));
        self.running.set(change.of(self.running.get() as usize) as u32);
        let Move { from, to } = change;
        if from < to {
            (from..to).for_each(|rank| self.slots[rank].swap(&self.slots[rank + 1]));
        } else {
            (to..from)
                .rev()
                .for_each(|rank| self.slots[rank].swap(&self.slots[rank + 1]));
        }
    }

    /// Recomputes which threads have equals: adjacent ones with the same `urgency`. Ranks are in its order already.
    pub fn regroup(&self, urgency: impl Fn(usize) -> u32) {
        let (mut equals, mut first) = (0, 0);
        while first < self.slots.len() {
            let (of_first, mut group, mut end) = (urgency(first), bit(first), first + 1);
            while end < self.slots.len() && urgency(end) == of_first {
                group |= bit(end);
                end += 1;
            }
            for slot in &self.slots[first..end] {
                slot.group.set(group);
            }
            if end - first > 1 {
                equals |= group;
            }
            first = end;
        }
        self.equals.set(equals);
        self.renew();
    }

    /// Everyone as urgent as `rank`, itself among them.
    #[must_use]
    #[inline(always)]
    pub fn equals_of(&self, rank: usize) -> u32 {
        self.slots[rank].group.get()
    }

    /// `rank` waits no more, in `set` if it did so there, and has not got what it waited for.
    pub fn withdraw(&self, rank: usize, set: Option<&Set>) {
        if let Some(set) = set {
            set.remove(rank);
        }
        let slot = &self.slots[rank];
        if self.timed.get() & bit(rank) == 0 && slot.mutex.get().is_none() {
            // The set of its last timed wait, which may no longer exist.
            slot.within.set(None);
        }
        self.give_up(rank);
    }
}
