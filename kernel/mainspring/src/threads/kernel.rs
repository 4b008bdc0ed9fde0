//! The kernel's own part: from one thread to another.

#![allow(unsafe_code)] // Shared state that is touched in sections, and the calls of the switch.

use core::ptr::with_exposed_provenance;

use mainspring_core::threads::{Outcome, Scheduler, Set, Woken, bit, top};

use super::first::First;
use super::state::{Section, name_of, of, order, overflowed, slot, slot_of};
use super::time::{self, Ticks, TimedOut};
use crate::arch;
use crate::guard;
use crate::level::Level;
use crate::model::{App, PlanOf, Threaded};

/// Switches to the thread that should run now, if that is not `T`. Returns when `T` runs again.
///
/// # Safety
///
/// In the kernel's section of the thread `T`, outside of every other section.
pub(super) unsafe fn give_way<T: Threaded>() -> Section {
    let kernel = of::<T::App>();
    kernel.keep_turn(T::RANK);
    let next = kernel.select();
    if next == T::RANK {
        return Section::Held;
    }
    // SAFETY: the caller's promise; `next` runs from now on.
    unsafe { switch_to::<T>(next) }
}

/// `woken` was woken by `T`, and runs if it is more urgent, on `stack`.
///
/// # Safety
///
/// As for [`give_way`].
#[inline(always)]
pub unsafe fn give_way_to<T: Threaded>(woken: Woken, stack: usize) -> Section {
    if !woken.is_plain {
        // SAFETY: the caller's promise.
        return unsafe { give_way::<T>() };
    }
    // No thread lends its priority, so the running `T` is the most urgent thread, or one of several.
    if woken.rank >= const { top(T::GROUP) } {
        return Section::Held;
    }
    if const { T::GROUP.count_ones() > 1 } {
        of::<T::App>().give_turn(T::RANK);
    }
    // SAFETY: the caller's promise.
    unsafe { switch_onto::<T>(of::<T::App>(), woken.rank, stack) }
}

/// # Safety
///
/// As for [`give_way`], and `next` is what was selected.
#[inline(always)]
pub(super) unsafe fn switch_to<T: Threaded>(next: usize) -> Section {
    // SAFETY: the caller's promise.
    unsafe { switch_onto::<T>(of::<T::App>(), next, slot::<T::App>(next).stack.get()) }
}

/// As [`switch_to`], where the stack of `next` is known.
///
/// # Safety
///
/// As there.
#[inline(always)]
unsafe fn switch_onto<T: Threaded>(kernel: &Scheduler, next: usize, stack: usize) -> Section {
    // SAFETY: the section is held; a stack that `switch` can go to is that of a thread that left by itself.
    unsafe {
        let to = match arch::may_switch::<T::App>(stack) {
            Some(leave) => Some((next, stack, leave)),
            None => arch::wait_for_exception::<T>(),
        };
        let Some((next, stack, leave)) = to else {
            return switch_otherwise::<T::App>();
        };
        arch::switch::<T>(kernel, next, stack, leave);
        arch::BEHIND_SWITCH
    }
}

/// Lets the exception switch, unless code outside the kernel holds interrupts back: then it switches when that ends.
///
/// # Safety
///
/// As for [`give_way`].
#[inline(always)]
unsafe fn switch_otherwise<A: App>() -> Section {
    if arch::is_held::<A>() {
        switch_later::<A>();
        return Section::Held;
    }
    // SAFETY: the caller's promise.
    unsafe { arch::switch_by_exception::<A>() };
    arch::BEHIND_SWITCH
}

/// Asks for the switch, which a section of other code around this one holds back: no other thread runs inside it.
///
/// # Panics
///
/// If the thread that runs has to wait: it can neither go on nor let anybody else run.
#[cold]
#[inline(never)]
fn switch_later<A: App>() {
    let running = of::<A>().running.get() as usize;
    assert!(
        of::<A>().can_go_on(running),
        "thread `{}` waits where interrupts are held back, inside of a critical section",
        name_of::<A>(running).unwrap_or("idle")
    );
    arch::pend_switch::<A>();
}

/// Ends the turn of the running thread: the exception finds the next.
///
/// # Safety
///
/// As for [`give_way`].
#[cold]
#[inline(never)]
pub(super) unsafe fn pass_by_exception<A: App>() -> Section {
    if !of::<A>().end_turn() {
        return Section::Held;
    }
    // SAFETY: the caller's promise.
    unsafe { switch_otherwise::<A>() }
}

/// As [`switch_to`], where it is the turn of `next` after that of `T`.
///
/// # Safety
///
/// As there.
pub(super) unsafe fn pass_to<T: Threaded>(next: usize) -> Section {
    let stack = slot::<T::App>(next).stack.get();
    // SAFETY: the caller's promise.
    unsafe {
        let to = match arch::may_switch::<T::App>(stack) {
            Some(leave) => Some((next, stack, leave)),
            None => arch::leave_to_exception::<T>(),
        };
        let Some((next, stack, leave)) = to else {
            // The exception stops `T` where it is, which would keep its turn then.
            return pass_by_exception::<T::App>();
        };
        arch::switch::<T>(of::<T::App>(), next, stack, leave);
        arch::BEHIND_SWITCH
    }
}

/// `T` waits, in `set` if there is one. Comes back when it has been woken, or the time is up.
///
/// # Safety
///
/// As for [`give_way`].
#[inline(always)]
pub(super) unsafe fn wait<T: Threaded>(
    set: Option<&'static Set>,
    until: Option<Ticks>,
) -> (Result<(), TimedOut>, Section) {
    // SAFETY: the caller's promise.
    unsafe { wait_with::<T>(set, until, |_| ()) }
}

/// As [`wait`], with more to store, after the loads.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn wait_with<T: Threaded>(
    set: Option<&'static Set>,
    until: Option<Ticks>,
    store: impl FnOnce(&Scheduler),
) -> (Result<(), TimedOut>, Section) {
    let kernel = arch::here(of::<T::App>());
    if const { T::GROUP.count_ones() > 1 } {
        kernel.give_turn(T::RANK); // Those behind it are next.
    }
    // With an end, others may be let go before the next one is chosen.
    let is_ahead = arch::CHOOSES_AHEAD && until.is_none();
    let (contending, special) = if is_ahead {
        words(kernel)
    } else {
        (kernel.contending.get(), 0)
    };
    let left = contending & const { !bit(T::RANK) };
    if let Some(set) = set {
        set.insert(T::RANK);
    }
    kernel.contending.set(left);
    store(kernel);
    // SAFETY: the caller's promise. Somebody else is ready, the idle loop if nobody.
    let section = unsafe {
        if is_ahead {
            core::hint::assert_unchecked(left != 0);
            let next = top(left);
            let stack = slot_of(kernel, next).stack.get();
            if let Some(leave) = arch::may_switch_to::<T::App>(stack, special, next) {
                arch::switch::<T>(kernel, next, stack, leave);
                arch::BEHIND_SWITCH
            } else {
                switch_to_first::<T>(kernel)
            }
        } else {
            if let Some(Ticks(ticks)) = until {
                time::begin_wait::<T::App, _>(kernel, T::RANK, ticks, |ticks| {
                    kernel.end_after(T::RANK, set, ticks);
                });
            }
            switch_to_first::<T>(kernel)
        }
    };
    // Nobody but `T` itself begins another wait of it.
    if until.is_some() && kernel.outcome(T::RANK) == Outcome::TimedOut {
        return (Err(TimedOut), section);
    }
    (Ok(()), section)
}

/// Switches to the thread that should run, which is not `T`.
///
/// # Safety
///
/// As for [`give_way`]; `T` waits.
#[inline(always)]
unsafe fn switch_to_first<T: Threaded>(kernel: &Scheduler) -> Section {
    let next = kernel.select();
    // SAFETY: the caller's promise.
    unsafe { switch_onto::<T>(kernel, next, slot_of(kernel, next).stack.get()) }
}

/// The threads that contend, and the special ones. They are loaded one right after the other, which costs less.
#[inline(always)]
pub(super) fn words(kernel: &Scheduler) -> (u32, u32) {
    // SAFETY: words of the kernel's, in its section.
    unsafe {
        (
            kernel.contending.as_ptr().read_volatile(),
            kernel.special.as_ptr().read_volatile(),
        )
    }
}

/// Stops the compiler where a thread waits for a time in an application without a clock.
pub(super) const fn check_time<A: App>() {
    assert!(
        A::TICK > 0 || A::TICKED.is_some(),
        "this application has no time: say `threads (tick CYCLES)`, or `threads (ticked TASK)`, with a clock or without"
    );
}

/// `woken` was woken at level `L`. If it is more urgent it runs now, or as soon as it may.
///
/// # Safety
///
/// In the kernel's section, begun at level `L`.
#[inline(always)]
pub(super) unsafe fn woke<L: Level>(woken: Woken) -> Section {
    // SAFETY: the caller's promise.
    unsafe { woke_with::<L>(woken, slot::<L::App>(woken.rank).stack.get()) }
}

/// As [`woke`], where the stack of `woken` is known.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn woke_with<L: Level>(woken: Woken, stack: usize) -> Section {
    if let Some(give_way) = L::GIVES_WAY {
        // SAFETY: the level is a thread's own, outside of every section but the kernel's.
        return unsafe { give_way(woken, stack) };
    }
    if woken.is_first {
        arch::pend_switch_to::<L::App>(woken.rank);
    }
    Section::Held
}

/// Several were woken at level `L`.
///
/// # Safety
///
/// As for [`woke`].
pub(super) unsafe fn woke_some<L: Level>() -> Section {
    // SAFETY: the caller's promise.
    unsafe { woke::<L>(of::<L::App>().first_woken()) }
}

/// The thread that runs in place of the running one. For the switch.
///
/// # Safety
///
/// Called by PendSV alone, in the application `A`.
pub unsafe extern "C" fn preempt<A: App>() -> usize {
    of::<A>().preempt()
}

/// The work of SysTick.
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
    // SAFETY: SysTick has the priority of the switch; in the kernel's section.
    unsafe { arch::kernel_section_of_tick::<A, _>(|| time_passes::<A>()) };
    check_stack::<A>();
}

/// There is no SysTick: a table that wants one does not compile.
///
/// # Safety
///
/// None is needed.
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
pub unsafe fn tick<A: App>() {}

/// A tick has passed, or the clock came.
///
/// # Safety
///
/// In the kernel's section.
#[inline(always)]
pub(super) unsafe fn time_passes<A: App>() {
    if let Some(clock) = const { A::CLOCK } {
        // SAFETY: the caller's promise.
        if let Some(woken) = unsafe { time::pass::<A>(clock) } {
            arch::pend_switch_to::<A>(woken);
        }
        return;
    }
    let kernel = of::<A>();
    let ended = kernel.tick();
    let is_over = const { order::<A>().equals() != 0 } && kernel.end_turn();
    if let Some(woken) = ended {
        arch::pend_minded_switch_to::<A>(woken);
    } else if is_over {
        arch::pend_minded_switch::<A>();
    }
}

/// Stops the program if the stack of the thread that runs has overflowed: if its stack pointer is below its end, which a frame that goes
/// over the guard leaves as it was, or if the guard is not what it was. Only for what does not interrupt a switch, in which the thread
/// and the stack pointer do not belong together.
#[cfg(not(all(target_os = "none", target_arch = "riscv32")))]
fn check_stack<A: App>() {
    let running = of::<A>().running.get() as usize;
    if arch::stack_of_thread() < slot::<A>(running).guard.get() {
        overflowed::<A>(running);
    }
    check_guard::<A>();
}

/// Stops the program if the guard of the stack of the thread that runs is not what it was.
pub(super) fn check_guard<A: App>() {
    if const { guard::is_wanted::<A>() } {
        return;
    }
    let running = of::<A>().running.get() as usize;
    let guard = slot::<A>(running).guard.get();
    // SAFETY: the lowest word of the stack, which nobody else writes.
    if unsafe { with_exposed_provenance::<usize>(guard).read_volatile() } != guard {
        overflowed::<A>(running);
    }
}

/// Guards the idle loop's stack, which begins at `lowest`.
///
/// # Safety
///
/// The stack is the idle loop's, and not in use yet.
pub(crate) unsafe fn guard_idle<A: App>(lowest: *mut u64, bytes: usize) {
    let kernel = of::<A>();
    // SAFETY: the caller's promise.
    let guard = unsafe { guarded::<A>(lowest, bytes) };
    let idle = const { PlanOf::<A>::PLAN.threads.len() };
    kernel.slots[idle].guard.set(guard);
    if let Some(nobody) = kernel.slots.get(idle + 1) {
        // SAFETY: the caller's promise: no thread runs while the idle loop's stack is not in use yet.
        nobody.guard.set(unsafe { arch::guard_of_nobody() });
    }
}

/// Where the guard of the stack is that begins at `lowest`: a region of the protection unit's, or a word that ticks look at. That word is
/// its own address, which a core compares with nothing that it would have to load.
///
/// # Safety
///
/// The stack is not in use.
pub(super) unsafe fn guarded<A: App>(lowest: *mut u64, bytes: usize) -> usize {
    if const { guard::is_wanted::<A>() } {
        assert!(
            bytes >= arch::LEAST_STACK + 2 * guard::BYTES,
            "the stack of a thread is too small for a guard: it takes up to 64 bytes of it"
        );
        return guard::place(lowest.expose_provenance());
    }
    let guard = lowest.expose_provenance();
    // SAFETY: the caller's promise.
    unsafe { lowest.cast::<usize>().write(guard) };
    guard
}

/// How many bytes from `lowest` on are the guard's.
pub(super) fn guard_bytes<A: App>(lowest: *mut u64) -> usize {
    if const { guard::is_wanted::<A>() } {
        guard::place(lowest.addr()) + guard::BYTES - lowest.addr()
    } else {
        size_of::<usize>()
    }
}

impl First {
    /// Whether `T` may switch to it directly, and it needs no special treatment.
    #[inline(always)]
    pub(super) fn may_switch<T: Threaded>(&self) -> Option<arch::Leave> {
        arch::may_switch_to::<T::App>(self.stack, self.waiting.special(), self.rank)
    }

    /// Goes to it from `T`, which is less urgent.
    ///
    /// # Safety
    ///
    /// As for [`give_way`](give_way); it has been let go, and nothing else has changed since `T` was said to be able to.
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
