//! RV32 in machine mode: software levels, made of the bits that let interrupts through.
//!
//! Each task has a bit: that of its interrupt, in the register that masks them ([`Lines`](crate::Lines)). Code at level `l` runs with the
//! bits of all tasks up to `l` cleared, so a section is a CSRRC of a constant and a CSRRS of what it found, as BASEPRI up and
//! back is elsewhere; what it does not hold back can still come. Trap, mask and tasks' bits are the only state: where the code
//! stands is in the register, and in the types.
//!
//! What software asks for is a bit of [`ASKED`], the same one. A task may start when its line or that bit is set, and its mask
//! bit too. The hardware looks at the lines; at `ASKED` everybody looks who sets mask bits (the end of a section, of a task, of
//! the start) and who asks for a task that is more urgent than itself: that one is *called*, at once, on the way through no trap.
//!
//! Behind a PLIC the mask is a word of memory, and an interrupt asks as software does: see [`plic`].

#![allow(unsafe_code)] // Assembly, and the stack of a trap.

use core::arch::asm;
use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring_core::{Restore, Text, Vector};

use crate::app::{App, PlanOf};
use crate::device::{Device, Lines};
use crate::level::{By, Level, Way};
use crate::task::{Task, Tasks};

mod bits;
mod csr;
mod guard;
mod plic;
mod threads;
mod trap;

pub(crate) use crate::pool::sharing::Plain as Shared;
pub(crate) use bits::{bit, problem};
use csr::MIE;
pub(crate) use guard::{begin_guards, put_guard};
pub(crate) use threads::*;

/// Levels are software's: as many as fit the type of a constant that is not a mask.
pub(crate) const LEAST_PRIORITY_BITS: u8 = 7;

/// The tasks that software asked for and that did not start yet, each by the bit of its interrupt. Changed with interrupts
/// held back; there is one application in a program.
static ASKED: AtomicU32 = AtomicU32::new(0);

/// The requests. Nothing changes them meanwhile, so the compiler need not load them twice.
///
/// # Safety
///
/// Interrupts are held back.
#[inline(always)]
unsafe fn asked() -> u32 {
    // SAFETY: the caller's promise: no other code accesses it.
    unsafe { ASKED.as_ptr().read() }
}

/// `T` is not asked for any more.
///
/// # Safety
///
/// Interrupts are held back.
#[inline(always)]
unsafe fn forget<T: Task>() {
    // SAFETY: as above.
    unsafe {
        ASKED
            .as_ptr()
            .write(asked() & !const { bit::<T::App>(T::VECTOR) });
    };
}

/// Holds back every interrupt, and says whether they were held back before.
#[inline(always)]
pub(crate) fn hold() -> u32 {
    csr::hold()
}

/// Lets interrupts through again, if they were when [`hold`] held them back.
///
/// # Safety
///
/// `before` is what the [`hold`] found that this ends.
#[inline(always)]
pub(crate) unsafe fn release(before: u32) {
    // SAFETY: the caller's promise.
    unsafe { csr::release(before) };
}

/// As [`release`], and starts the tasks that were asked for meanwhile by code that could not start them.
///
/// # Safety
///
/// As for [`release`].
#[inline(always)]
#[cfg(feature = "critical-section")]
pub(crate) unsafe fn release_and_start(before: u32) {
    // SAFETY: the caller's promise.
    unsafe { release(before) };
    if ASKED.load(Relaxed) != 0 && before & MIE != 0 {
        cold_path();
        let start = START.load(Relaxed);
        if !start.is_null() {
            // SAFETY: `enable_all` has put `start_all` of the application there; the mask says at which level the code runs.
            unsafe { core::mem::transmute::<*mut (), unsafe fn()>(start)() };
        }
    }
}

/// `start_all` of the application that was started, for code that does not know it by its type.
#[cfg(feature = "critical-section")]
static START: core::sync::atomic::AtomicPtr<()> = core::sync::atomic::AtomicPtr::new(ptr::null_mut());

/// Runs `f` while every interrupt is held back.
///
/// # Safety
///
/// The code runs at the level at which the way `W` starts.
#[inline(always)]
pub(crate) unsafe fn global_section<W: Way, O>(f: impl FnOnce() -> O) -> O {
    let before = hold();
    let out = f();
    // Loaded here, where it costs less than after the write of `mstatus`: an interrupt that comes later looks for itself.
    // SAFETY: interrupts are held back.
    let wanted = unsafe { asked() } & const { threads::mask::<W::App>(W::FROM.priority, u8::MAX) };
    // SAFETY: this is what it found.
    unsafe { release(before) };
    if wanted != 0 {
        cold_path();
        // SAFETY: the code is back at that level, above which alone a task may start.
        unsafe { start_all::<W::App>() };
    }
    out
}

/// Runs `f` while the bits of the tasks above the level and up to the ceiling are cleared.
///
/// # Safety
///
/// The code runs at the level at which the way `W` starts.
#[inline(always)]
pub(crate) unsafe fn threshold_section<W: Way, O>(
    _raised: u8,
    _restore: Restore,
    f: impl FnOnce() -> O,
) -> O {
    let bits = const { threads::mask::<W::App>(W::FROM.priority, W::CEILING) };
    let were = csr::clear::<W::App>(bits) & bits;
    let out = f();
    // SAFETY: these were set when the section began, and no other code may use them meanwhile.
    unsafe { csr::set::<W::App>(were) };
    // SAFETY: these tasks are above the level.
    unsafe { start_asked::<W::App>(were) };
    out
}

/// Starts those that were asked for, if one of `bits` is among them.
///
/// # Safety
///
/// The code runs at a level below all of `bits`, and the mask says which.
#[inline(always)]
unsafe fn start_asked<A: App>(bits: u32) {
    if ASKED.load(Relaxed) & bits != 0 {
        cold_path();
        // SAFETY: the caller's promise.
        unsafe { start_all::<A>() };
    }
}

/// Starts all tasks that may start, the most urgent first; where interrupts are held back by somebody else, nothing does,
/// and what was asked for waits for the next one to look.
///
/// # Safety
///
/// The mask says at which level the code runs.
#[cold]
#[inline(never)]
unsafe fn start_all<A: App>() {
    let before = hold();
    if before & MIE != 0 {
        // SAFETY: interrupts are held back; the rest is the caller's promise.
        unsafe {
            if const { threads::has_threads::<A>() } {
                threads::serve_on_the_handlers_stack::<A>();
                threads::switch_if_asked::<A>();
            } else {
                serve::<A>();
            }
        }
    }
    // SAFETY: this is what it found.
    unsafe { release(before) };
}

/// Starts all tasks that may start, the most urgent first, with interrupts held back in between.
///
/// # Safety
///
/// Interrupts are held back, by the caller alone, and the mask says at which level the code runs.
#[inline(never)]
pub(crate) unsafe extern "C" fn serve<A: App>() {
    loop {
        // SAFETY: interrupts are held back.
        unsafe { plic::collect::<A>() };
        let wanted = (csr::lines::<A>() | ASKED.load(Relaxed))
            & csr::mask::<A>()
            & const { !threads::switch_bit::<A>() };
        if wanted == 0 {
            return;
        }
        // SAFETY: these tasks are above the level, which is what a set bit means, and wanted.
        unsafe { A::Tasks::start_most_urgent(wanted) };
    }
}

/// The bits that are cleared while `T` runs: those of all tasks up to its level, its own among them.
const fn bits_below<T: Task>() -> u32 {
    threads::mask::<T::App>(0, T::PRIORITY)
}

/// Runs `T` at its level, and comes back with interrupts held back.
///
/// # Safety
///
/// The code runs below the level of `T`, which is enabled, with interrupts held back by the caller alone.
#[inline(always)]
pub(crate) unsafe fn start<T: Task>() {
    if const { threads::has_threads::<T::App>() } {
        // SAFETY: the caller's promise.
        return unsafe { start_apart::<T>() };
    }
    // SAFETY: the caller's promise.
    unsafe { start_here::<T, false>() };
}

/// As [`start`], as a function of its own: it keeps the registers of the loop around it few, and a trap that switches short.
///
/// # Safety
///
/// As for [`start`].
#[inline(never)]
unsafe fn start_apart<T: Task>() {
    // SAFETY: the caller's promise.
    unsafe { start_here::<T, true>() };
}

/// # Safety
///
/// As for [`start`].
#[inline(always)]
unsafe fn start_here<T: Task, const APART: bool>() {
    let bits = const { bits_below::<T>() };
    let mut were = csr::clear::<T::App>(bits) & bits;
    // SAFETY: no instruction: the bits are worked out here, and not after the task, while a woken thread waits.
    unsafe { asm!("/* {} */", inout(reg) were, options(nomem, nostack, preserves_flags)) };
    // SAFETY: the caller's promise, and the bits are cleared.
    unsafe { start_at_level::<T, APART>(were) };
}

/// Runs `T`, and comes back with interrupts held back and the bits `were` set again.
///
/// # Safety
///
/// The code ran below the level of `T`, which is enabled, and just cleared its bits, of which `were` were set; interrupts are
/// held back by the caller alone.
#[inline(always)]
unsafe fn start_at_level<T: Task, const APART: bool>(were: u32) {
    // SAFETY: the level of `T` begins; its bit was set, so it does not run already.
    unsafe {
        if APART {
            run_asked_here::<T>();
        } else {
            run_asked::<T>();
        }
    }
    let level = const { bits::mask::<T::App>(T::PRIORITY - 1, T::PRIORITY) };
    if const { PlanOf::<T::App>::PLAN.is_shared(T::PRIORITY) } {
        // Those of the same level that were asked for: the mask is theirs too.
        loop {
            // SAFETY: interrupts are held back.
            let wanted = unsafe { asked() } & were & level;
            if wanted == 0 {
                break;
            }
            if APART {
                cold_path();
            }
            // SAFETY: as above, for each of them; they are of the level, and there is one.
            unsafe { <T::App as App>::Tasks::run_first::<T>(wanted) };
        }
    }
    // SAFETY: these were set before, and no other code may use them meanwhile.
    unsafe { csr::set::<T::App>(were) };
}

/// The task that has just run was asked for again. This comes after a branch that is not taken otherwise. The assembly is no instruction,
/// but it keeps the compiler from making a branch back to the task, which cores that predict such branches as taken would fetch.
#[inline(always)]
pub(crate) fn again() {
    // SAFETY: no instruction.
    unsafe { asm!("", options(nomem, nostack, preserves_flags)) };
}

/// Runs `T`, and comes back with interrupts held back.
///
/// # Safety
///
/// The code is at the level of `T`, which is enabled and does not run; interrupts are held back by the caller alone.
#[inline(always)]
pub(crate) unsafe fn run_asked<T: Task>() {
    // SAFETY: interrupts are held back.
    unsafe { forget::<T>() };
    // SAFETY: interrupts are held back, and `T` starts.
    let came = unsafe { plic::enter::<T>() };
    // SAFETY: the mask is that of the level.
    unsafe { csr::allow() };
    // SAFETY: the caller's promise; while it runs its bit is cleared.
    unsafe { run::<T>() };
    let _ = hold();
    // SAFETY: interrupts are held back, and `T` has ended.
    unsafe { plic::leave::<T>(came) };
}

/// As [`run_asked`], where `T` starts in one place alone that is no part of anything else.
///
/// # Safety
///
/// As for [`run_asked`].
#[inline(always)]
unsafe fn run_asked_here<T: Task>() {
    // SAFETY: interrupts are held back.
    unsafe { forget::<T>() };
    // SAFETY: interrupts are held back, and `T` starts.
    let came = unsafe { plic::enter::<T>() };
    // SAFETY: the mask is that of the level.
    unsafe { csr::allow() };
    // SAFETY: the caller's promise; while it runs its bit is cleared.
    unsafe { crate::handle::<T>() };
    let _ = hold();
    // SAFETY: interrupts are held back, and `T` has ended.
    unsafe { plic::leave::<T>(came) };
}

/// Runs `T`. A function of its own: its code is there once, and who comes from a trap saves no register that only `T` uses.
///
/// # Safety
///
/// As for [`handle`](crate::handle).
#[inline(never)]
unsafe fn run<T: Task>() {
    // SAFETY: the caller's promise.
    unsafe { crate::handle::<T>() };
}

/// Asks for `T`: calls it, if it is more urgent than the code and nothing else holds it back.
///
/// # Safety
///
/// The code runs at `L`.
#[inline(always)]
pub(crate) unsafe fn pend<L: Level, T: Task<App = L::App>>() {
    let before = hold();
    let bit = const { bit::<T::App>(T::VECTOR) };
    if const { threads::is_of_thread::<L>() } {
        ASKED.store(ASKED.load(Relaxed) | bit, Relaxed);
        // SAFETY: this is what `hold` found; the mask says which tasks may start, on a stack that is large enough.
        return unsafe {
            release(before);
            start_asked::<T::App>(bit);
        };
    }
    if const { T::PRIORITY > L::FACTS.priority } && before & MIE != 0 {
        let bits = const { bits_below::<T>() };
        let were = csr::clear::<T::App>(bits) & bits;
        if were & bit != 0 {
            // SAFETY: `T` is above the level, enabled, and its bits were cleared just now.
            unsafe { start_at_level::<T, false>(were) };
            if ASKED.load(Relaxed) & were != 0 {
                // SAFETY: interrupts are held back here alone; those that `T` asked for and that are above the level too.
                unsafe { serve::<T::App>() };
            }
            // SAFETY: this is what `hold` found.
            return unsafe { csr::allow() };
        }
        // SAFETY: as they were.
        unsafe { csr::set::<T::App>(were) };
    }
    ASKED.store(ASKED.load(Relaxed) | bit, Relaxed);
    // SAFETY: this is what `hold` found.
    unsafe { release(before) };
}

/// The preparation for asking for a task: there is nothing to prepare.
pub(crate) struct Asking;

#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam.
pub(crate) fn asking<T: Task>(_first: *const ()) -> Asking {
    Asking
}

/// Asks for `T`.
///
/// # Safety
///
/// As for [`pend`].
#[inline(always)]
pub(crate) unsafe fn ask<L: Level, T: Task<App = L::App>>(_: Asking) {
    // SAFETY: the caller's promise.
    unsafe { pend::<L, T>() };
}

/// Asks for `T`, from wherever: the mask says whether it is above that.
#[inline(always)]
pub(crate) fn wake<T: Task>() {
    let before = hold();
    let bit = const { bit::<T::App>(T::VECTOR) };
    ASKED.store(ASKED.load(Relaxed) | bit, Relaxed);
    if const { threads::has_threads::<T::App>() } {
        // SAFETY: as in `pend`.
        return unsafe {
            release(before);
            start_asked::<T::App>(bit);
        };
    }
    if before & MIE != 0 && csr::mask::<T::App>() & bit != 0 {
        // SAFETY: interrupts are held back here alone, and the mask is that of the code's level.
        unsafe { serve::<T::App>() };
    }
    // SAFETY: this is what `hold` found.
    unsafe { release(before) };
}

/// Asks for `T` while nothing runs yet.
#[inline(always)]
pub(crate) fn pend_first<T: Task>() {
    ASKED.store(ASKED.load(Relaxed) | const { bit::<T::App>(T::VECTOR) }, Relaxed);
}

/// Lets `T` through.
///
/// # Safety
///
/// The code runs at `L`, and no section holds `T` back.
#[inline(always)]
pub(crate) unsafe fn enable<L: Level, T: Task<App = L::App>>() {
    let bit = const { bit::<T::App>(T::VECTOR) };
    // SAFETY: `T` is above the level (`check_enable`).
    unsafe { csr::set::<T::App>(bit) };
    // SAFETY: as above.
    unsafe { start_asked::<T::App>(bit) };
}

/// Stops `T`.
#[inline(always)]
pub(crate) fn disable<T: Task>() {
    let _ = csr::clear::<T::App>(const { bit::<T::App>(T::VECTOR) });
}

/// Holds back every interrupt until [`release_all`].
#[inline(always)]
pub(crate) fn hold_all() {
    let _ = hold();
}

/// Sets the bits of all tasks that may run from the start, and has traps come here.
///
/// # Safety
///
/// `A` is being started, and its tasks have their states.
#[inline(always)]
pub(crate) unsafe fn enable_all<A: App>() {
    // SAFETY: the caller's promise; interrupts are held back.
    unsafe {
        trap::install::<A>();
        #[cfg(feature = "critical-section")]
        START.store(start_all::<A> as *mut (), Relaxed);
        csr::begin::<A>(const { bits::enabled::<A>() | threads::switch_bit::<A>() });
    }
}

/// Lets interrupts through, and starts what `init` asked for.
///
/// # Safety
///
/// Every task may run.
#[inline(always)]
pub(crate) unsafe fn release_all<A: App>() {
    // SAFETY: the caller's promise.
    unsafe { csr::allow() };
    // SAFETY: this is the idle loop's level, below all.
    unsafe { start_asked::<A>(u32::MAX) };
}

/// Priorities are what the masks are made of, while compiling.
///
/// # Safety
///
/// None is needed here.
#[inline(always)]
pub(crate) unsafe fn set_priority(_vector: Vector, _value: u8) {}

pub(crate) fn has_priority_bits(bits: u8) -> bool {
    bits <= LEAST_PRIORITY_BITS
}

/// Sleeps until an interrupt comes.
#[inline(always)]
pub fn wait() {
    // SAFETY: `WFI` changes no register and no memory; tasks that run meanwhile may, which the declaration allows.
    unsafe { asm!("wfi", options(nostack, preserves_flags)) };
}

/// Whether the running code may let `task` through or stop it: only what is more urgent than the code. The bits of all others
/// are cleared while it runs, and come back as they were found.
pub(crate) const fn check_enable(by: &By, name: &str, _vector: Vector, task: u8) {
    if task <= by.level.priority {
        let text = Text::of("task ").name(name).and(
            " cannot be enabled or disabled here: on RV32 the bits of all tasks up to this level are cleared while the code \
             runs, and set again as they were; do it in the idle loop, or in a task that is less urgent, outside of locks",
        );
        panic!("{}", text.as_str());
    }
}

/// The same reference, which the compiler may know: an address takes two instructions at the most.
#[inline(always)]
pub(crate) fn opaque<T>(reference: &'static T) -> &'static T {
    reference
}

/// Holds every interrupt back until it is dropped: a pool's words are changed by loads and stores. LR and SC would do it
/// without, but not in bounded time: between the two lies the load of a link, and for such a loop the architecture
/// promises no progress (Unprivileged ISA, 13.3); and not every core has them.
pub(crate) struct SharedSection {
    before: u32,
}

impl SharedSection {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        SharedSection { before: hold() }
    }
}

impl Drop for SharedSection {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: this is what `hold` found when the section began.
        unsafe { release(self.before) };
    }
}

/// Writes `value`.
///
/// # Safety
///
/// As for [`core::ptr::write`].
#[inline(always)]
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { place.write(value) }
}

/// The link at `place`.
///
/// # Safety
///
/// A link lies there, and no other context can write it meanwhile.
#[inline(always)]
pub(crate) unsafe fn load(place: *const u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { ptr::read(place) }
}
