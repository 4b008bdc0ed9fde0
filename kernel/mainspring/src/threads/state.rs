//! The state of all threads of an application, and what names its parts.

#![allow(unsafe_code)] // Shared state that is touched in sections.

use mainspring_core::threads::{Order, Scheduler, Slot, Woken};

use crate::model::{App, PlanOf};

/// The state of all threads of one application. The table makes its place public, so reaching into it takes `unsafe`.
#[repr(transparent)]
pub struct Kernel<S: ?Sized = [Slot]>(Scheduler<S>);

// SAFETY: one core, and every use is in the kernel's section, or in PendSV. A thread's section holds PendSV back; a task's may come in its
// midst, and changes nothing then that PendSV does not look at again (`arch::cortex_m::pendsv`).
unsafe impl<S: ?Sized> Sync for Kernel<S> {}

impl<const N: usize> Kernel<[Slot; N]> {
    /// For the threads of `A`, and the idle loop.
    #[must_use]
    pub const fn new<A: App>() -> Self {
        Kernel(Scheduler::new(slots::<A, N>(), order::<A>().equals()))
    }

    /// As [`new`](Self::new), with one more slot after the idle loop's, which belongs to no thread. A thread that leaves by itself, to one
    /// that was pre-empted, has been saved already when the exception saves the running one.
    #[must_use]
    pub const fn with_nobody<A: App>() -> Self {
        Kernel(Scheduler::with_nobody(slots::<A, N>(), order::<A>().equals()))
    }
}

pub(super) const fn order<A: App>() -> Order<'static> {
    PlanOf::<A>::PLAN.order()
}

const fn slots<A: App, const N: usize>() -> [Slot; N] {
    let mut slots = [const { Slot::new(0) }; N];
    let mut rank = 0;
    while rank < N {
        slots[rank] = Slot::new(order::<A>().group_at(rank));
        rank += 1;
    }
    slots
}

impl Kernel {
    /// What is in it.
    ///
    /// # Safety
    ///
    /// For the one whose application it is, and in the kernel's section: whatever is changed there decides who runs, and on which stack.
    #[inline(always)]
    pub unsafe fn scheduler(&self) -> &Scheduler {
        &self.0
    }
}

/// The state of the threads of `A`.
#[inline(always)]
pub(crate) fn of<A: App>() -> &'static Scheduler {
    &A::KERNEL.0
}

/// Where in the kernel's state assembly finds what: the words, and the slots (a power of two each, the stack first).
#[cfg(target_os = "none")]
pub(crate) mod offset {
    use core::mem::offset_of;

    use mainspring_core::threads::{Scheduler, Slot};

    pub(crate) const CONTENDING: usize = offset_of!(Scheduler<[Slot; 1]>, contending);
    pub(crate) const SPECIAL: usize = offset_of!(Scheduler<[Slot; 1]>, special);
    pub(crate) const RUNNING: usize = offset_of!(Scheduler<[Slot; 1]>, running);
    pub(crate) const SLOTS: usize = offset_of!(Scheduler<[Slot; 1]>, slots);
    /// From a slot.
    #[cfg(basepri)]
    pub(crate) const WORD: usize = offset_of!(Slot, word);
    pub(crate) const SLOT_SHIFT: u32 = {
        let size = size_of::<Slot>();
        assert!(size.is_power_of_two() && offset_of!(Slot, stack) == 0);
        size.trailing_zeros()
    };
}

/// The slot of `rank`.
#[inline(always)]
pub(crate) fn slot<A: App>(rank: usize) -> &'static Slot {
    slot_of(of::<A>(), rank)
}

/// The slot of `rank` in `kernel`.
#[inline(always)]
pub(crate) fn slot_of(kernel: &Scheduler, rank: usize) -> &Slot {
    // SAFETY: ranks come from the table or from words that have bits for the ranks alone; there is a slot for each.
    unsafe { kernel.slots.get_unchecked(rank) }
}

/// Whether the kernel's section of a thread is held, at the end of what was done in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Section {
    /// It is to be ended.
    Held,
    /// The switch has ended it.
    Over,
}

/// Gives way to a woken thread, with its stack, in the kernel's section. Returns whether the section is still held.
#[doc(hidden)]
pub type GiveWay = unsafe fn(Woken, usize) -> Section;

#[cold]
#[inline(never)]
pub(crate) fn overflowed<A: App>(rank: usize) -> ! {
    match name_of::<A>(rank) {
        Some(name) => panic!("the stack of thread `{name}` has overflowed"),
        None => panic!("the idle loop's stack has overflowed"),
    }
}

/// The name in the table of the thread of this rank; none for the idle loop.
pub(crate) fn name_of<A: App>(rank: usize) -> Option<&'static str> {
    let plan = &PlanOf::<A>::PLAN;
    let mut rows = plan.threads.iter().enumerate();
    rows.find(|&(row, _)| plan.order().rank(row) == rank)
        .map(|(_, thread)| thread.name)
}
