//! Waits that end by themselves.
//!
//! A wait lasts up to 2^32 - 1 ticks, so two times cannot be compared by the sign of their difference. All of them lie ahead of a common
//! tick by less than a turn of the count: the present one where a wait begins, the first end where several may be over. What is compared
//! is how far ahead of that tick they are.

use super::order::{bit, top};
use super::scheduler::{Outcome, Scheduler};
use super::set::Set;

impl Scheduler {
    /// The wait of `rank`, which has begun in `set` (or in none), ends after `ticks` at the latest. At least one passes: the present one has
    /// begun already, so the wait lasts `ticks` whole ones when it is asked to last one more.
    pub fn end_after(&self, rank: usize, set: Option<&'static Set>, ticks: u32) {
        let (now, ticks) = (self.now.get(), ticks.max(1));
        let at = now.wrapping_add(ticks);
        self.slots[rank].until.set(at);
        if self.timed.get() == 0 || ticks < self.next.get().wrapping_sub(now) {
            self.next.set(at);
        }
        self.is_timed(rank, set);
    }

    /// Ticks until the first wait ends; none, if no wait does.
    pub fn idle_ticks(&self) -> Option<u32> {
        self.ticks_to_next(self.now.get())
    }

    /// As [`idle_ticks`](Self::idle_ticks), from `now` on.
    #[inline(always)]
    pub fn ticks_to_next(&self, now: u32) -> Option<u32> {
        (self.timed.get() != 0).then(|| self.next.get().wrapping_sub(now))
    }

    /// Whether the wait of `rank` has an end, and none ends before.
    #[inline(always)]
    pub fn ends_first(&self, rank: usize) -> bool {
        self.timed.get() & bit(rank) != 0 && self.slots[rank].until.get() == self.next.get()
    }

    /// It is the tick `now`, and nobody was told of those between the last and this. The most urgent whose wait ended; what it takes is as in
    /// [`tick`](Self::tick).
    #[inline(always)]
    pub fn pass(&self, now: u32) -> Option<usize> {
        let before = self.now.get();
        self.pass_from(before, now.wrapping_sub(before))
    }

    /// As [`pass`](Self::pass), where the last tick that was told is known to be `before`, and how many have passed since.
    #[inline(always)]
    pub fn pass_from(&self, before: u32, passed: u32) -> Option<usize> {
        self.now.set(before.wrapping_add(passed));
        if self.timed.get() == 0 || passed < self.next.get().wrapping_sub(before) {
            core::hint::cold_path();
            return None;
        }
        self.end_waits()
    }

    /// A tick has passed. The most urgent whose wait ended. Constant, but where one may have ended: there it grows with the number of
    /// threads whose wait has an end.
    #[inline(always)]
    pub fn tick(&self) -> Option<usize> {
        let now = self.now.get().wrapping_add(1);
        self.now.set(now);
        if self.timed.get() == 0 || now != self.next.get() {
            return None;
        }
        self.end_waits()
    }

    /// The first wait ends now, unless its thread was woken before.
    #[inline(never)]
    fn end_waits(&self) -> Option<usize> {
        let timed = self.timed.get();
        let rank = top(timed);
        let is_only_one = timed == bit(rank) && self.suspended.get() | self.lending.get() == 0;
        let slot = &self.slots[rank];
        if !is_only_one || slot.until.get() != self.now.get() {
            return self.end_several_waits();
        }
        // As `give_up`, where it is the only special thread apart from those with equals: `timed` is its bit.
        if let Some(set) = slot.within.take() {
            set.members.set(set.members.get() & !timed);
        }
        slot.outcome.set(Outcome::TimedOut);
        self.timed.set(0);
        self.special.set(self.always_special());
        self.contending.set(self.contending.get() | timed);
        Some(rank)
    }

    #[cold]
    #[inline(never)]
    fn end_several_waits(&self) -> Option<usize> {
        let (now, first) = (self.now.get(), self.next.get());
        let passed = now.wrapping_sub(first);
        let (mut left, mut ended, mut next) = (self.timed.get(), None, u32::MAX);
        while left != 0 {
            let rank = top(left);
            left &= !bit(rank);
            let behind_first = self.slots[rank].until.get().wrapping_sub(first);
            if behind_first <= passed {
                self.give_up(rank);
                ended = ended.or(Some(rank));
            } else {
                next = next.min(behind_first - passed);
            }
        }
        self.next.set(now.wrapping_add(next));
        ended
    }

    /// The wait of `rank` ends without what it waited for.
    pub fn give_up(&self, rank: usize) {
        let slot = &self.slots[rank];
        if let Some(set) = slot.within.take() {
            set.remove(rank);
        }
        self.wake(rank);
        if slot.mutex.get().is_some() {
            self.end_lending(rank);
        }
        slot.outcome.set(Outcome::TimedOut);
    }
}
