//! The owner of a mutex, and its next owner.
//!
//! The word says all that a thread needs which takes a mutex that is free, or gives one back that nobody wants: [`FREE`], or the owner. In
//! every other state it is 0, and and that case is handled here: no thread has owned the mutex yet, a thread waits for it, or its last owner
//! returned without giving it back.

use core::cell::Cell;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use super::scheduler::{Outcome, Scheduler};
use super::set::Set;

/// The word of a free mutex that has had an owner.
const FREE: u32 = 1;

/// Whether the word of an owner is negative: then RV32 tells all three kinds of words apart by a branch that compares with zero. Cortex-M
/// loads a small positive number with less.
const NEGATIVE: bool = cfg!(target_arch = "riscv32");

/// [`Ownership::owner`] before anybody had it.
const NEVER: u8 = 0;
/// [`Ownership::owner`] after a thread returned without giving it back.
const ABANDONED: u8 = u8::MAX;

/// A mutex without what it protects.
#[derive(Debug, Default)]
pub struct Ownership {
    /// See the module.
    pub word: AtomicU32,
    /// While the word is 0: the owner's rank and one, [`NEVER`] or [`ABANDONED`].
    owner: Cell<u8>,
    pub(super) waiting: Set,
    /// The next in [`Mutexes`].
    next: Cell<Option<&'static Ownership>>,
}

/// The result of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locking {
    /// It is the thread's now.
    Taken,
    /// It is the thread's now; the last owner returned without giving it back.
    Abandoned,
    /// It has an owner: the thread waits.
    Waits,
    /// The thread has it already, and would wait for itself.
    Own,
}

/// The holder of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    /// Any thread may take it.
    Nobody,
    /// As [`Nobody`](Holder::Nobody); the last owner returned without giving it back.
    Abandoned,
    /// The thread of this rank.
    Thread(usize),
}

/// The word of a mutex that `rank` has and no thread waits for.
#[inline(always)]
const fn held_by(rank: usize) -> u32 {
    if NEGATIVE {
        !(rank as u32)
    } else {
        rank as u32 + 1 + FREE
    }
}

impl Ownership {
    /// Free.
    #[must_use]
    pub const fn new() -> Self {
        Ownership {
            word: AtomicU32::new(0),
            owner: Cell::new(NEVER),
            waiting: Set::new(),
            next: Cell::new(None),
        }
    }

    /// The word while it is free, once it has had an owner.
    pub const FREE: u32 = FREE;

    /// The word while `rank` has it and no thread waits.
    #[must_use]
    #[inline(always)]
    pub const fn held_by(rank: usize) -> u32 {
        held_by(rank)
    }

    /// Whether a mutex with this word may be taken without further checks.
    #[must_use]
    #[inline(always)]
    pub const fn is_free(word: u32) -> bool {
        if NEGATIVE { word as i32 > 0 } else { word == FREE }
    }

    /// Whether the owner of a mutex with this word may make it [`FREE`](Self::FREE) without further checks.
    #[must_use]
    #[inline(always)]
    pub const fn is_unwanted(word: u32) -> bool {
        word != 0
    }

    /// Its holder.
    #[must_use]
    pub fn holder(&self) -> Holder {
        match self.word.load(Relaxed) {
            0 => match self.owner.get() {
                NEVER => Holder::Nobody,
                ABANDONED => Holder::Abandoned,
                owner => Holder::Thread(usize::from(owner) - 1),
            },
            FREE => Holder::Nobody,
            word if NEGATIVE => Holder::Thread(!word as usize),
            word => Holder::Thread((word - 1 - FREE) as usize),
        }
    }

    fn hold(&self, rank: usize) {
        if self.waiting.is_empty() {
            self.word.store(held_by(rank), Relaxed);
        } else {
            self.hold_wanted(rank);
        }
    }

    /// `rank` has it, and a thread waits or is about to.
    fn hold_wanted(&self, rank: usize) {
        self.owner.set(rank as u8 + 1);
        self.word.store(0, Relaxed);
    }

    /// Its owner has the rank that `rank` gives for the present one.
    pub(super) fn renumber(&self, rank: impl Fn(usize) -> usize) {
        if let Holder::Thread(owner) = self.holder() {
            if self.word.load(Relaxed) == 0 {
                self.hold_wanted(rank(owner));
            } else {
                self.word.store(held_by(rank(owner)), Relaxed);
            }
        }
    }
}

/// The mutexes that any thread has had: those that a thread may still hold when it returns.
#[derive(Debug, Default)]
pub struct Mutexes(Cell<Option<&'static Ownership>>);

impl Mutexes {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Mutexes(Cell::new(None))
    }

    /// `mutex` is one of them from now on. For a thread that is about to take it where the word does not allow that.
    pub fn add(&self, mutex: &'static Ownership) {
        if mutex.word.load(Relaxed) == 0 && mutex.owner.get() == NEVER {
            mutex.next.set(self.0.replace(Some(mutex)));
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'static Ownership> {
        core::iter::successors(self.0.get(), |mutex| mutex.next.get())
    }
}

impl Scheduler {
    /// `rank`, which runs, wants `mutex`, and waits if it must, for at most that many ticks if there is a limit.
    pub fn lock(&self, rank: usize, mutex: &'static Ownership, until: Option<u32>) -> Locking {
        match mutex.holder() {
            Holder::Nobody => {
                mutex.hold(rank);
                Locking::Taken
            }
            Holder::Abandoned => {
                mutex.hold(rank);
                Locking::Abandoned
            }
            Holder::Thread(owner) if owner == rank => Locking::Own,
            Holder::Thread(owner) => {
                mutex.hold_wanted(owner);
                let slot = &self.slots[rank];
                slot.outcome.set(Outcome::Came);
                slot.within.set(Some(&mutex.waiting));
                slot.mutex.set(Some(mutex));
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
        match mutex.holder() {
            Holder::Thread(_) => Locking::Waits,
            _ => self.lock(rank, mutex, None),
        }
    }

    /// The owner gives `mutex` back. The first thread that waits has it now, and is returned.
    pub fn unlock(&self, mutex: &'static Ownership) -> Option<usize> {
        let next = self.first(&mutex.waiting);
        match next {
            None => mutex.word.store(FREE, Relaxed),
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

    /// `rank`, which has returned, may have had some of `mutexes`: each goes to the first of those who wait for it, or to whoever wants it
    /// next. A number of steps that grows with theirs.
    pub fn leave_mutexes(&self, rank: usize, mutexes: &Mutexes) {
        let left = |mutex: &&Ownership| mutex.holder() == Holder::Thread(rank);
        for mutex in mutexes.iter().filter(left) {
            if let Some(next) = self.unlock(mutex) {
                self.slots[next].outcome.set(Outcome::Abandoned);
            } else {
                mutex.owner.set(ABANDONED);
                mutex.word.store(0, Relaxed);
            }
        }
    }
}
