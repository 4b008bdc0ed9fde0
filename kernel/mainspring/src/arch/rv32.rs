//! RV32 in machine mode: software levels, made of the bits that let interrupts through.
//!
//! Each task has a bit: that of its interrupt, in the register that masks them ([`Lines`](crate::Lines)). Code at level `l` runs with the
//! bits of all tasks up to `l` cleared, so a section is a CSRRC of a constant and a CSRRS of what it found, as BASEPRI up and
//! back is elsewhere; what it does not hold back can still come. Trap, mask and tasks' bits are the only state: where the code
//! stands is in the register, and in the types.
//!
//! What software asks for is a bit of [`ASKED`](requests::ASKED), the same one. A task may start when its line or that bit is set, and its mask
//! bit too. The hardware looks at the lines; at `ASKED` everybody looks who sets mask bits (the end of a section, of a task, of
//! the start) and who asks for a task that is more urgent than itself: that one is *called*, at once, on the way through no trap.
//!
//! Behind a PLIC the mask is a word of memory, and an interrupt asks as software does: see [`plic`].

#![allow(unsafe_code)] // Assembly, and the stack of a trap.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::{Text, Vector};

use crate::level::{By, Level};
use crate::model::{App, Task};

mod bits;
mod csr;
mod entry;
mod guard;
mod plic;
mod problem;
mod requests;
mod sources;
mod start;
mod threads;
mod trap;

pub(crate) use crate::pool::word::Plain as Shared;
pub(crate) use bits::bit;
use csr::MIE;
pub(crate) use guard::put_guard;
pub(crate) use problem::problem;
use requests::ASKED;
pub(crate) use requests::{hold, release};
pub(crate) use start::*;
pub(crate) use threads::*;
pub(crate) use trap::begin_guards;

/// Levels are software's: as many as fit the type of a constant that is not a mask.
pub(crate) const LEAST_PRIORITY_BITS: u8 = 7;

/// Asks for `T`: calls it, if it is more urgent than the code and nothing else holds it back.
///
/// # Safety
///
/// The code runs at `L`.
#[inline(always)]
pub(crate) unsafe fn pend<L: Level, T: Task<App = L::App>>() {
    let before = hold();
    let bit = const { bit::<T::App>(T::VECTOR) };
    if const { bits::is_of_thread::<L>() } {
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

/// Pends `T` from any level: the mask says whether it is above that level.
#[inline(always)]
pub(crate) fn wake<T: Task>() {
    let before = hold();
    let bit = const { bit::<T::App>(T::VECTOR) };
    ASKED.store(ASKED.load(Relaxed) | bit, Relaxed);
    if const { bits::has_threads::<T::App>() } {
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
        start::START.store(start::start_all::<A> as *mut (), Relaxed);
        csr::begin::<A>(const { bits::enabled::<A>() | bits::switch_bit::<A>() });
        if let Some(plic) = const { sources::of::<A>() } {
            plic::begin::<A>(plic);
        }
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
