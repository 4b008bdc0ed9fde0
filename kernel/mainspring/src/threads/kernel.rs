//! The kernel's own part: the state of all threads, and the way from one to another.

#![allow(unsafe_code)] // Shared state that is touched in sections, and the calls of the switch.

use core::ops::Deref;

use mainspring_core::threads::{Order, Outcome, Scheduler, Set, Slot, bit, top};

use super::thread::{Threaded, Ticks, TimedOut};
use crate::app::{App, PlanOf};
use crate::arch;
use crate::level::Level;

/// The state of all threads of one application.
#[repr(transparent)]
pub struct Kernel<S: ?Sized = [Slot]>(Scheduler<S>);

// SAFETY: one core, and every use is in the kernel's section, or in PendSV, which that section holds back.
unsafe impl<S: ?Sized> Sync for Kernel<S> {}

impl<const N: usize> Kernel<[Slot; N]> {
    /// For the threads of `A`, and the idle loop.
    #[must_use]
    pub const fn new<A: App>() -> Self {
        let order: Order = PlanOf::<A>::PLAN.order();
        let mut slots = [const { Slot::new(0) }; N];
        let mut rank = 0;
        while rank < N {
            slots[rank] = Slot::new(order.group_at(rank));
            rank += 1;
        }
        Kernel(Scheduler::new(slots, order.equals()))
    }
}

impl Deref for Kernel {
    type Target = Scheduler;

    #[inline(always)]
    fn deref(&self) -> &Scheduler {
        &self.0
    }
}

/// Where in the kernel's state assembly finds what: the words, and the slots (a power of two each, the stack first).
#[cfg(target_os = "none")]
pub(crate) mod offset {
    use core::mem::offset_of;

    use mainspring_core::threads::{Scheduler, Slot};

    #[cfg(target_arch = "arm")]
    pub(crate) const CONTENDING: usize = offset_of!(Scheduler<[Slot; 1]>, contending);
    #[cfg(target_arch = "arm")]
    pub(crate) const SPECIAL: usize = offset_of!(Scheduler<[Slot; 1]>, special);
    pub(crate) const RUNNING: usize = offset_of!(Scheduler<[Slot; 1]>, running);
    pub(crate) const SLOTS: usize = offset_of!(Scheduler<[Slot; 1]>, slots);
    pub(crate) const SLOT_SHIFT: u32 = {
        let size = size_of::<Slot>();
        assert!(size.is_power_of_two() && offset_of!(Slot, stack) == 0);
        size.trailing_zeros()
    };
}

/// The slot of `rank`.
#[inline(always)]
pub(crate) fn slot<A: App>(rank: usize) -> &'static Slot {
    // SAFETY: ranks come from the table or from words that have bits for the ranks alone; there is a slot for each.
    unsafe { A::KERNEL.slots.get_unchecked(rank) }
}

/// Lets whoever should run now do so, if that is not `T`. Comes back when `T` runs again; whether
/// the section is held then is open.
///
/// # Safety
///
/// In the kernel's section of the thread `T`, outside of every other section.
pub(super) unsafe fn give_way<T: Threaded>() {
    let kernel = T::App::KERNEL;
    kernel.keep_turn(T::RANK);
    let next = kernel.select();
    if next != T::RANK {
        // SAFETY: the caller's promise; `next` runs from now on.
        unsafe { switch_to::<T>(next) };
    }
}

/// `woken` is the most urgent of all now, by its place in the table: it runs, if it is more urgent than `T`, which woke it.
///
/// # Safety
///
/// As for [`give_way`].
#[inline(always)]
pub unsafe fn give_way_to<T: Threaded>(woken: usize) {
    let kernel = T::App::KERNEL;
    if kernel.special.get() & bit(woken) != 0 {
        // SAFETY: the caller's promise.
        return unsafe { give_way::<T>() };
    }
    if const { T::GROUP.count_ones() > 1 } {
        kernel.give_turn(T::RANK);
    }
    // SAFETY: the caller's promise.
    unsafe { switch_to::<T>(woken) };
}

/// # Safety
///
/// As for [`give_way`], and `next` is what was selected.
#[inline(always)]
pub(super) unsafe fn switch_to<T: Threaded>(next: usize) {
    let stack = slot::<T::App>(next).stack.get();
    if arch::may_switch::<T::App>(stack) {
        // SAFETY: the stack is that of a thread that switched away by itself, and the section is held.
        unsafe { arch::switch::<T>(next, stack) };
    } else {
        // SAFETY: the caller's promise.
        unsafe { switch_otherwise::<T::App>() };
    }
}

/// Lets the exception switch, unless somebody beside the kernel holds interrupts back: then it will when that ends.
///
/// # Safety
///
/// As for [`give_way`].
#[inline(always)]
unsafe fn switch_otherwise<A: App>() {
    if arch::is_held::<A>() {
        switch_later::<A>();
    } else {
        // SAFETY: the caller's promise.
        unsafe { arch::switch_by_exception::<A>() };
    }
}

/// Asks for the switch, which a section of somebody else's around this one holds back: no other thread runs inside of it.
///
/// # Panics
///
/// If the thread that runs has to wait: it can neither go on nor let anybody else run.
#[cold]
#[inline(never)]
fn switch_later<A: App>() {
    let running = A::KERNEL.running.get() as usize;
    assert!(
        A::KERNEL.can_go_on(running),
        "thread `{}` waits where interrupts are held back, inside of a critical section",
        name_of::<A>(running).unwrap_or("idle")
    );
    arch::pend_switch::<A>();
}

/// `T`, which is as urgent as `next`, hands over to it.
///
/// # Safety
///
/// As for [`give_way`]; nobody lends.
#[inline(always)]
pub(super) unsafe fn hand_over<T: Threaded>(next: usize) {
    let stack = slot::<T::App>(next).stack.get();
    if arch::may_switch::<T::App>(stack) {
        // SAFETY: the stack is that of a thread that switched away by itself, and the section is held.
        unsafe { arch::switch::<T>(next, stack) };
    } else {
        // SAFETY: the caller's promise.
        unsafe { pass_by_exception::<T::App>() };
    }
}

/// The turn of the one who runs is over: the exception finds the next.
///
/// # Safety
///
/// As for [`give_way`].
#[cold]
#[inline(never)]
pub(super) unsafe fn pass_by_exception<A: App>() {
    if A::KERNEL.end_turn() {
        // SAFETY: the caller's promise.
        unsafe { switch_otherwise::<A>() };
    }
}

/// `T` waits, in `set` if there is one. Comes back when somebody has woken it, or the time is up; whether the section is
/// held then is open.
///
/// # Safety
///
/// As for [`give_way`].
#[inline(always)]
pub(super) unsafe fn wait<T: Threaded>(
    set: Option<&'static Set>,
    until: Option<Ticks>,
) -> Result<(), TimedOut> {
    let kernel = T::App::KERNEL;
    if const { T::GROUP.count_ones() > 1 } {
        kernel.give_turn(T::RANK); // Those behind it are next.
    }
    kernel.wait(T::RANK, set);
    if let Some(Ticks(ticks)) = until {
        kernel.end_after(T::RANK, set, ticks);
    }
    // SAFETY: the caller's promise. Somebody else is ready, the idle loop if nobody.
    unsafe { switch_to::<T>(kernel.select()) };
    if until.is_some() && kernel.outcome(T::RANK) == Outcome::TimedOut {
        return Err(TimedOut);
    }
    Ok(())
}

/// Stops the compiler where somebody waits for a time in an application without.
pub(super) const fn check_time<A: App>() {
    assert!(
        A::TICK > 0 || A::TICKED.is_some(),
        "this application has no time: say `threads (tick CYCLES)`, or `threads (ticked TASK)`"
    );
}

/// `woken` was woken at level `L`. If it is more urgent it runs now, or as soon as it may.
///
/// # Safety
///
/// In the kernel's section, begun at level `L`.
#[inline(always)]
pub(super) unsafe fn woke<L: Level>(woken: usize) {
    if !L::App::KERNEL.is_top(woken) {
        return;
    }
    if let Some(give_way) = L::GIVES_WAY {
        // SAFETY: the level is a thread's own, outside of every section but the kernel's.
        unsafe { give_way(woken) };
    } else {
        arch::pend_switch::<L::App>();
    }
}

/// Several were woken at level `L`.
///
/// # Safety
///
/// As for [`woke`].
pub(super) unsafe fn woke_some<L: Level>() {
    let top = top(L::App::KERNEL.contending.get());
    if L::GIVES_WAY.is_none() || top != L::App::KERNEL.running.get() as usize {
        // SAFETY: the caller's promise.
        unsafe { woke::<L>(top) };
    }
}

/// Who runs instead of the one who runs now. For the switch.
///
/// # Safety
///
/// Called by PendSV alone, in the application `A`.
pub unsafe extern "C" fn preempt<A: App>() -> usize {
    A::KERNEL.preempt()
}

/// What SysTick does.
///
/// # Panics
///
/// If the stack of the thread that runs has overflowed.
///
/// # Safety
///
/// Called by SysTick alone, in the application `A`.
#[cfg(not(all(target_os = "none", target_arch = "riscv32")))]
pub unsafe fn tick<A: App>() {
    // SAFETY: SysTick has the priority of the switch.
    unsafe { arch::kernel_section_of_tick::<A, _>(|| time_passes::<A>()) };
    check_guard::<A>();
}

/// There is no SysTick: a table that wants one does not compile.
///
/// # Safety
///
/// None is needed.
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
pub unsafe fn tick<A: App>() {}

/// A tick has passed. In the kernel's section.
#[inline(always)]
pub(super) fn time_passes<A: App>() {
    let kernel = A::KERNEL;
    let ended = kernel.tick();
    if kernel.end_turn() || ended {
        arch::pend_switch::<A>();
    }
}

/// Stops the program if the stack of the thread that runs has overflowed.
pub(super) fn check_guard<A: App>() {
    let kernel = A::KERNEL;
    let running = kernel.running.get() as usize;
    let guard = kernel.slots[running].guard.get();
    // SAFETY: the lowest word of the stack, which nobody else writes.
    let is_whole =
        guard == 0 || unsafe { core::ptr::with_exposed_provenance::<u32>(guard).read_volatile() } == GUARD;
    if !is_whole {
        overflowed::<A>(running);
    }
}

#[cold]
#[inline(never)]
fn overflowed<A: App>(rank: usize) -> ! {
    match name_of::<A>(rank) {
        Some(name) => panic!("the stack of thread `{name}` has overflowed"),
        None => panic!("the idle loop's stack has overflowed"),
    }
}

/// What the table calls the thread of this rank; nothing, for the idle loop.
fn name_of<A: App>(rank: usize) -> Option<&'static str> {
    let plan = &PlanOf::<A>::PLAN;
    let mut rows = plan.threads.iter().enumerate();
    rows.find(|&(row, _)| plan.order().rank(row) == rank)
        .map(|(_, thread)| thread.name)
}

/// Guards the idle loop's stack, which begins at `lowest`.
///
/// # Safety
///
/// The stack is the idle loop's, and not in use yet.
pub(crate) unsafe fn guard_idle<A: App>(lowest: *mut u64) {
    let kernel = A::KERNEL;
    // SAFETY: the caller's promise.
    unsafe { lowest.cast::<u32>().write(GUARD) };
    kernel.slots[kernel.slots.len() - 1]
        .guard
        .set(lowest.expose_provenance());
}

/// What stands in the lowest word of a stack while it has not overflowed.
pub(super) const GUARD: u32 = 0x5afe_57ac;
