//! The state of all threads, and the choice of the next.

use core::cell::Cell;

use super::mutex::Holder;
use super::order::{LENT, MOST, bit, is_before, is_member, is_top, top};
use super::set::{Set, first_behind};
use super::slot::Slot;
use super::waiting::Waiting;

/// Whether who switches may look at the next one alone. Where it cannot find that one without a call (ARMv6-M), it always calls
/// [`preempt`](Scheduler::preempt), and none is marked.
const MARKS: bool = !cfg!(all(target_arch = "arm", not(target_has_atomic = "32")));

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The thread got what it waited for.
    Came,
    /// The time was up before.
    TimedOut,
    /// The mutex came, from a thread that returned without giving it back.
    Abandoned,
}

/// The thread that was let go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Woken {
    /// Its rank.
    pub rank: usize,
    /// It is not special, and no thread lends: it wants the processor now, and has no equals.
    pub is_plain: bool,
    /// It is the most urgent contending thread, by its place in the table.
    pub is_first: bool,
}

/// The state of all threads. The first words are where assembly finds them.
#[repr(C)]
pub struct Scheduler<S: ?Sized = [Slot]> {
    /// The threads that want the processor: the ready ones, and those that lend their priority to a mutex's owner. Never the
    /// suspended, always the idle loop. The bit [`LENT`], which belongs to no thread, is set while any thread lends.
    pub contending: Cell<u32>,
    /// Those of whom [`select`](Scheduler::select) and [`release`](Scheduler::release) have to think: who has equals, is
    /// suspended, or waits for a time; everyone, while anybody lends.
    pub special: Cell<u32>,
    /// The rank of the running thread.
    pub running: Cell<u32>,
    pub(super) lending: Cell<u32>,
    /// In each group with several members, whose turn it is.
    pub(super) turn: Cell<u32>,
    pub(super) suspended: Cell<u32>,
    /// The suspended threads that would otherwise contend.
    pub(super) stalled: Cell<u32>,
    pub(super) finished: Cell<u32>,
    /// Those with equals.
    pub(super) equals: Cell<u32>,
    /// The turn of the running thread is over, whatever switches next.
    over: Cell<bool>,
    /// The threads that the switching exception must check because of the running thread: see [`mind_turn`](Scheduler::mind_turn).
    pub(super) marked: Cell<u32>,
    /// What the core's mask of interrupts was when the thread that runs began the kernel's section: whoever begins it there writes
    /// this, in the core's own words, and no other code reads it.
    pub around: Cell<u32>,
    pub(super) timed: Cell<u32>,
    /// Ticks since the start, wrapping.
    pub now: Cell<u32>,
    /// The tick at which the first wait ends, if anybody is in `timed`.
    pub(super) next: Cell<u32>,
    /// One for each rank, the idle loop's last.
    pub slots: S,
}

impl<const N: usize> Scheduler<[Slot; N]> {
    /// All threads are ready, of which `equals` have equals; none runs yet.
    ///
    /// # Panics
    /// If there are more than [`MOST`] threads and the idle loop.
    #[must_use]
    pub const fn new(slots: [Slot; N], equals: u32) -> Self {
        Self::of(slots, equals, N)
    }

    /// As [`new`](Self::new); the last slot belongs to no thread, and the one before it to the idle loop.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub const fn with_nobody(slots: [Slot; N], equals: u32) -> Self {
        Self::of(slots, equals, N - 1)
    }

    const fn of(slots: [Slot; N], equals: u32, ranks: usize) -> Self {
        assert!(ranks > 0 && ranks <= MOST + 1);
        let mut all = 0;
        let mut i = 0;
        while i < ranks {
            all |= bit(i);
            i += 1;
        }
        Scheduler {
            contending: Cell::new(all),
            special: Cell::new(equals),
            running: Cell::new(ranks as u32 - 1),
            lending: Cell::new(0),
            turn: Cell::new(0),
            suspended: Cell::new(0),
            stalled: Cell::new(0),
            finished: Cell::new(0),
            equals: Cell::new(equals),
            over: Cell::new(false),
            marked: Cell::new(0),
            around: Cell::new(0),
            timed: Cell::new(0),
            now: Cell::new(0),
            next: Cell::new(0),
            slots,
        }
    }
}

impl Scheduler {
    /// The thread that should run now: the most urgent ready one, by its own priority or one that it is lent.
    #[inline(always)]
    pub fn select(&self) -> usize {
        let top = top(self.contending.get());
        if is_member(self.special.get(), top) {
            core::hint::cold_path();
            return self.select_among_equals();
        }
        top
    }

    /// As [`select`](Scheduler::select), where the most urgent has equals, or lends.
    #[cold]
    #[inline(never)]
    pub fn select_among_equals(&self) -> usize {
        let mut left = self.contending.get() & !LENT;
        loop {
            let top = top(left);
            let equals = left & self.slots[top].group.get();
            // The one whose turn it is, or the first after it.
            let turn = self.turn.get() & self.slots[top].group.get();
            let pick = if equals & turn != 0 {
                super::order::top(turn)
            } else {
                first_behind(equals, turn)
            };
            if let Some(runner) = self.runner(pick) {
                return runner;
            }
            left &= !bit(pick);
        }
    }

    /// The thread that runs when `rank` is the most urgent: itself, or the one that it lends its priority to, over one mutex after
    /// another. None, if that one waits for something else, or for itself.
    fn runner(&self, rank: usize) -> Option<usize> {
        let mut at = rank;
        // A chain without a circle has each thread once at the most.
        for _ in 0..self.slots.len() {
            if self.lending.get() & bit(at) == 0 {
                return (self.contending.get() & bit(at) != 0).then_some(at);
            }
            at = self.owner_for(at)?;
        }
        None
    }

    /// The owner of the mutex that `rank` waits for.
    pub(super) fn owner_for(&self, rank: usize) -> Option<usize> {
        match self.slots[rank].mutex.get()?.holder() {
            Holder::Thread(owner) => Some(owner),
            _ => None,
        }
    }

    /// `next` runs from now on. A pre-empted thread keeps its turn.
    #[inline(always)]
    pub fn switch_to(&self, next: usize) {
        self.running.set(next as u32);
    }

    /// `rank` is pre-empted by a more urgent thread, and will continue before its equals.
    #[inline(always)]
    pub fn keep_turn(&self, rank: usize) {
        if self.equals.get() & bit(rank) != 0 {
            self.give_turn(rank);
        }
    }

    /// Among its equals it is the turn of `rank`.
    pub fn give_turn(&self, rank: usize) {
        self.turn
            .set(self.turn.get() & !self.slots[rank].group.get() | bit(rank));
    }

    /// `rank` has had its turn. Returns the thread that runs next: an equal, if one is ready.
    pub fn pass_turn(&self, rank: usize) -> usize {
        let equals = self.contending.get() & self.slots[rank].group.get();
        self.give_turn(first_behind(equals | bit(rank), bit(rank)));
        self.select()
    }

    /// Ends the running thread's turn. Returns whether an equal is ready, so that the caller must request the switch; if there are
    /// equals at all, [`mind_turn`](Scheduler::mind_turn) has been.
    #[inline(always)]
    pub fn end_turn(&self) -> bool {
        let running = self.running.get() as usize;
        let others = self.slots[running].group.get() & !bit(running);
        if others == 0 {
            self.over.set(false);
            return false;
        }
        core::hint::cold_path();
        self.end_turn_among(others)
    }

    #[cold]
    #[inline(never)]
    fn end_turn_among(&self, others: u32) -> bool {
        let is_over = self.contending.get() & others != 0;
        self.over.set(is_over);
        self.mark_first();
        is_over
    }

    /// Who runs instead of the one who runs now, which was stopped where it is: it goes on there before its equals, unless
    /// its turn is over.
    pub fn preempt(&self) -> usize {
        let running = self.running.get() as usize;
        if MARKS && self.marked.replace(0) != 0 {
            self.renew();
        }
        if self.over.replace(false) {
            return self.pass_turn(running);
        }
        self.keep_turn(running);
        self.select()
    }

    /// The switch is asked for. Whoever switches then looks at the next one alone, so that one is marked if the one who runs has
    /// equals, of whom these are all: its turn is to be kept, or to be passed.
    #[inline(always)]
    pub fn mind_turn(&self, equals: u32) {
        if MARKS && is_member(equals, self.running.get() as usize) {
            core::hint::cold_path();
            self.mark_first();
        }
    }

    #[cold]
    #[inline(never)]
    fn mark_first(&self) {
        if !MARKS {
            return;
        }
        let first = bit(top(self.contending.get()));
        self.marked.set(self.marked.get() | first);
        self.special.set(self.special.get() | first);
    }

    /// Those with equals.
    #[inline(always)]
    pub fn with_equals(&self) -> u32 {
        self.equals.get()
    }

    /// Whether `rank`, which runs, may go on: it waits for nothing.
    #[must_use]
    pub fn can_go_on(&self, rank: usize) -> bool {
        self.contending.get() & !self.lending.get() & bit(rank) != 0
    }

    /// `rank`, which runs, waits, in `set` if there is one.
    #[inline(always)]
    pub fn wait(&self, rank: usize, set: Option<&'static Set>) {
        let contending = self.contending.get();
        if let Some(set) = set {
            set.insert(rank);
        }
        self.contending.set(contending & !bit(rank));
    }

    /// `rank` got what it waits for. It is in no set any more, and wants the processor unless it is suspended.
    #[inline(always)]
    pub fn wake(&self, rank: usize) {
        if !is_member(self.special.get(), rank) || self.odd() & bit(rank) == 0 {
            self.contending.set(self.contending.get() | bit(rank));
        } else {
            self.wake_odd(rank);
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_odd(&self, rank: usize) {
        self.timed.set(self.timed.get() & !bit(rank));
        self.renew();
        let stalls = bit(rank) & self.suspended.get();
        self.stalled.set(self.stalled.get() | stalls);
        self.contending.set(self.contending.get() | bit(rank) & !stalls);
    }

    /// Lets the first of `set` go, and returns it.
    #[inline(always)]
    pub fn release(&self, set: &Set) -> Option<Woken> {
        let waiting = self.waiting(set);
        if waiting.is_nobody() {
            return None;
        }
        let top = waiting.top();
        if waiting.is_special(top) {
            core::hint::cold_path();
            let rank = self.release_special(set, top);
            return Some(self.woken(rank));
        }
        Some(self.release_plain(set, waiting, top))
    }

    /// The state that [`release`](Self::release) depends on.
    #[inline(always)]
    pub fn waiting(&self, set: &Set) -> Waiting {
        Waiting {
            members: set.members.get(),
            contending: self.contending.get(),
            special: self.special.get(),
        }
    }

    /// Lets the first of `set` go, of which this is `waiting`, and this the most urgent, which is not special.
    #[inline(always)]
    pub fn release_plain(&self, set: &Set, waiting: Waiting, top: usize) -> Woken {
        let contending = waiting.contending | bit(top);
        set.members.set(waiting.members & !bit(top));
        self.contending.set(contending);
        Woken {
            rank: top,
            is_plain: true,
            is_first: is_before(bit(top), waiting.contending),
        }
    }

    /// Lets the first of `set` go, whose most urgent is `top`, and returns it.
    #[cold]
    #[inline(never)]
    pub fn release_special(&self, set: &Set, top: usize) -> usize {
        let rank = self.first_among(set, top);
        self.release_member(set, rank);
        rank
    }

    /// `rank`, which is special, was let go.
    #[must_use]
    pub fn woken(&self, rank: usize) -> Woken {
        Woken {
            rank,
            is_plain: false,
            is_first: self.is_top(rank),
        }
    }

    /// The most urgent contending thread, as if it had been woken just now.
    #[inline(always)]
    pub fn first_woken(&self) -> Woken {
        let rank = top(self.contending.get());
        Woken {
            rank,
            is_plain: self.special.get() & bit(rank) == 0,
            is_first: true,
        }
    }

    /// Lets `rank`, which is in `set`, go.
    #[inline(always)]
    pub fn release_member(&self, set: &Set, rank: usize) {
        set.remove(rank);
        self.wake(rank);
    }

    /// Takes `rank` out of `set`, and lets it wait on.
    #[inline(always)]
    pub fn take_out(&self, set: &Set, rank: usize) {
        set.remove(rank);
    }

    /// Whether no contending thread is more urgent than `rank`, or as urgent and before it in the table.
    #[inline(always)]
    pub fn is_top(&self, rank: usize) -> bool {
        is_top(self.contending.get(), rank)
    }

    /// The wait of `rank`, which has begun in `set` (or in none), has an end.
    pub(super) fn is_timed(&self, rank: usize, set: Option<&'static Set>) {
        let slot = &self.slots[rank];
        slot.within.set(set);
        slot.outcome.set(Outcome::Came);
        self.timed.set(self.timed.get() | bit(rank));
        self.is_odd(rank);
    }

    /// How the last wait of `rank` ended.
    #[inline(always)]
    pub fn outcome(&self, rank: usize) -> Outcome {
        self.slots[rank].outcome.get()
    }

    /// The thread of `set` that is let go first: the most urgent, by its own priority or one that it is lent; among equals the one
    /// after the last. The number of steps grows with the number of threads that wait for mutexes.
    #[inline(always)]
    pub fn first(&self, set: &Set) -> Option<usize> {
        if set.is_empty() {
            return None;
        }
        let top = top(set.members());
        if self.special.get() & bit(top) == 0 {
            return Some(top);
        }
        Some(self.first_among(set, top))
    }

    #[cold]
    #[inline(never)]
    fn first_among(&self, set: &Set, top: usize) -> usize {
        let mut left = self.lending.get() & self.contending.get();
        while left != 0 {
            let lender = super::order::top(left);
            if lender >= top {
                break;
            }
            if let Some(member) = self.lent_within(set, lender)
                && self.slots[lender].group.get() != self.slots[top].group.get()
            {
                return member;
            }
            left &= !bit(lender);
        }
        set.next_of(set.members() & self.slots[top].group.get())
    }

    /// The member of `set` that `lender` lends its urgency to.
    fn lent_within(&self, set: &Set, lender: usize) -> Option<usize> {
        let mut at = lender;
        for _ in 0..self.slots.len() {
            if set.members() & bit(at) != 0 {
                return Some(at);
            }
            if self.lending.get() & bit(at) == 0 {
                return None;
            }
            at = self.owner_for(at)?;
        }
        None
    }

    /// `rank` does not run until it is resumed, whatever comes meanwhile.
    pub fn suspend(&self, rank: usize) {
        if self.suspended.get() & bit(rank) == 0 {
            self.suspended.set(self.suspended.get() | bit(rank));
            self.is_odd(rank);
            self.stalled
                .set(self.stalled.get() | self.contending.get() & bit(rank));
            self.contending.set(self.contending.get() & !bit(rank));
        }
    }

    /// Ends [`suspend`](Scheduler::suspend). What `rank` waited for and came meanwhile is not lost. Who that is, if it wants the
    /// processor now that it could not have before.
    pub fn resume(&self, rank: usize) -> Option<Woken> {
        self.suspended.set(self.suspended.get() & !bit(rank));
        self.renew();
        let wants = self.stalled.get() & bit(rank);
        self.stalled.set(self.stalled.get() & !wants);
        self.contending.set(self.contending.get() | wants);
        (wants != 0).then(|| Woken {
            rank,
            is_plain: self.special.get() & bit(rank) == 0,
            is_first: self.is_top(rank),
        })
    }

    /// `rank`, which runs, has returned.
    pub fn finish(&self, rank: usize) {
        self.finished.set(self.finished.get() | bit(rank));
        self.contending.set(self.contending.get() & !bit(rank));
    }

    /// Whether `rank` has returned.
    #[inline(always)]
    pub fn is_finished(&self, rank: usize) -> bool {
        self.finished.get() & bit(rank) != 0
    }

    /// `rank`, which had returned, starts from its beginning. Whether it had.
    pub fn restart(&self, rank: usize) -> bool {
        let was = self.is_finished(rank);
        if was {
            self.finished.set(self.finished.get() & !bit(rank));
            self.wake(rank);
        }
        was
    }

    pub(super) fn lend(&self, rank: usize, lends: bool) {
        let others = self.lending.get() & !bit(rank);
        let now = if lends { others | bit(rank) } else { others };
        self.lending.set(now);
        let contending = self.contending.get() & !LENT;
        self.contending
            .set(if now == 0 { contending } else { contending | LENT });
        self.renew();
    }

    /// Marks `rank` as special from now on.
    #[inline(always)]
    fn is_odd(&self, rank: usize) {
        self.special.set(self.special.get() | bit(rank));
    }

    /// The suspended, and those whose wait has an end.
    #[inline(always)]
    fn odd(&self) -> u32 {
        self.timed.get() | self.suspended.get()
    }

    /// The threads that are special whatever they do: those with equals, and marked ones.
    #[inline(always)]
    pub(super) fn always_special(&self) -> u32 {
        let marked = if MARKS { self.marked.get() } else { 0 };
        self.equals.get() | marked
    }

    /// Recomputes the special threads, where those may be fewer.
    pub(super) fn renew(&self) {
        let lends = self.lending.get() != 0;
        let special = self.always_special() | self.odd();
        self.special.set(if lends { u32::MAX } else { special });
    }
}
