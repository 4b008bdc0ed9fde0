//! Behind a platform-level interrupt controller.
//!
//! Such a core has no bit for each source, so the mask is a word of memory, and exclusion does not hang on the controller at all: an
//! interrupt whose task is held back is noted in [`ASKED`], as if software had asked for it, and starts where that would. Until the task
//! has run it does not come again: a source is *claimed* so long, and the bit of another line in `mie` cleared.
//!
//! So that what is less urgent does not even trap, the task of a line runs with the controller's threshold at its level, and the sources
//! have the order of the levels for their priorities. Of those that wait, the controller hands out the most urgent first.

use core::arch::asm;
use core::ptr::{with_exposed_provenance as at, with_exposed_provenance_mut as at_mut};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring_core::Vector;

use super::bits::bit;
use super::requests::ASKED;
use super::sources::{FIRST, of, source};
use crate::device::Plic;
use crate::model::{App, PlanOf, Task};

/// `mip.MEIP`, `mie.MEIE`.
const EXTERNAL: u32 = 1 << 11;
/// The numbers up to 31 that can come by themselves: the software interrupt, the timer, and a core's own lines.
const LOCAL: u32 = 0xffff_0088;
/// Sources that a controller can have, and no source, which is number 0.
const SOURCES: u16 = 1024;

const ENABLES: usize = 0x2000;
const ENABLES_STEP: usize = 0x80;
const CONTEXTS: usize = 0x20_0000;
const CONTEXTS_STEP: usize = 0x1000;

/// The interrupts that came and whose tasks did not start yet, by their bits: claimed sources, lines whose bit in `mie` is cleared.
/// Changed with interrupts held back.
static CAME: AtomicU32 = AtomicU32::new(0);
/// The threshold. Changed with interrupts held back.
static THRESHOLD: AtomicU32 = AtomicU32::new(0);

/// How many levels up to `to` have a source.
const fn rank<A: App>(to: u8) -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut levels, mut i) = (0_u128, 0);
    while i < tasks.len() {
        if let Some(vector) = tasks[i].vector
            && source(vector) != 0
            && tasks[i].priority <= to
        {
            levels |= 1 << (tasks[i].priority - 1);
        }
        i += 1;
    }
    levels.count_ones()
}

/// The priority of the sources of a level, which is above 0.
const fn priority<A: App>(level: u8, plic: Plic) -> u32 {
    let (rank, highest) = (rank::<A>(level), plic.priorities as u32);
    if rank < highest { rank } else { highest }
}

/// The threshold of a level: no source above it is held off.
const fn threshold<A: App>(level: u8, plic: Plic) -> u32 {
    let is_shared = rank::<A>(level) >= plic.priorities as u32 && rank::<A>(level) < rank::<A>(u8::MAX);
    priority::<A>(level, plic) - is_shared as u32
}

/// The bits of the tasks that have a line of their own.
const fn local<A: App>() -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut bits, mut i) = (0, 0);
    while i < tasks.len() {
        if let Some(Vector::Interrupt(number)) = tasks[i].vector
            && number < FIRST
        {
            bits |= 1 << number;
        }
        i += 1;
    }
    bits & LOCAL
}

const fn context(plic: Plic) -> usize {
    plic.base + CONTEXTS + plic.context as usize * CONTEXTS_STEP
}

/// The register that claims a source and completes it.
const fn claim_of<A: App>() -> usize {
    match of::<A>() {
        Some(plic) => context(plic) + 4,
        None => 0,
    }
}

/// # Safety
///
/// The register is the kernel's to write: `Device` says where the controller is.
#[inline(always)]
unsafe fn write(register: usize, value: u32) {
    // SAFETY: the caller's promise.
    unsafe { at_mut::<u32>(register).write_volatile(value) };
}

/// # Safety
///
/// As for [`write`].
#[inline(always)]
unsafe fn read(register: usize) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { at::<u32>(register).read_volatile() }
}

/// Gives the table's sources their priorities, lets them through and no others, and sets `mie`.
///
/// # Safety
///
/// `A` is being started, and interrupts are held back.
pub(super) unsafe fn begin<A: App>(plic: Plic) {
    let enables = plic.base + ENABLES + usize::from(plic.context) * ENABLES_STEP;
    // SAFETY: the caller's promise, and that of the `Device`.
    unsafe {
        for task in PlanOf::<A>::PLAN.tasks {
            // The whole word: earlier requests there are no longer wanted.
            write(enables + usize::from(task.vector.map_or(0, source) / 32) * 4, 0);
        }
        write(context(plic), 0);
        for task in PlanOf::<A>::PLAN.tasks {
            let source = usize::from(task.vector.map_or(0, source));
            if source == 0 {
                continue;
            }
            let (own, priority) = (plic.base + 4 * source, priority::<A>(task.priority, plic));
            write(own, priority);
            let (word, bit) = (enables + source / 32 * 4, 1 << (source % 32));
            write(word, read(word) | bit);
            assert!(
                read(own) == priority && read(word) & bit != 0,
                "the PLIC has fewer sources or priorities than the table says"
            );
        }
        asm!("csrw mie, {}", in(reg) const { local::<A>() | EXTERNAL }, options(nostack, preserves_flags));
    }
}

/// Notes what wants to come, of the sources one: the most urgent, and of those above the threshold only.
///
/// # Safety
///
/// Interrupts are held back.
#[inline(always)]
pub(super) unsafe fn collect<A: App>() {
    if const { of::<A>().is_none() } {
        return;
    }
    let (lines, may): (u32, u32);
    // SAFETY: reading them has no effect.
    unsafe {
        asm!("csrr {}, mip", "csrr {}, mie", out(reg) lines, out(reg) may, options(nostack, preserves_flags));
    }
    // The line of a task that runs is up until that lowers it: it has come already, and its bit is cleared.
    let wants = lines & may;
    let mut came = 0;
    if const { local::<A>() } != 0 {
        came = wants & const { local::<A>() };
        if came != 0 {
            // SAFETY: holds back what has come, until its task has run.
            unsafe { asm!("csrc mie, {}", in(reg) came, options(nostack, preserves_flags)) };
        }
    }
    if const { rank::<A>(u8::MAX) } != 0 && wants & EXTERNAL != 0 {
        // SAFETY: a register of the context, which is the kernel's.
        let source = unsafe { read(const { claim_of::<A>() }) };
        came |= bit_of::<A>(source);
    }
    CAME.store(CAME.load(Relaxed) | came, Relaxed);
    ASKED.store(ASKED.load(Relaxed) | came, Relaxed);
}

/// The bit of a source that was claimed; 0 for none, which the controller says when another one was faster.
#[inline(always)]
fn bit_of<A: App>(source: u32) -> u32 {
    let shift = match const { highest::<A>() } {
        ..64 => const { &table::<A, 64>() }.get(source as usize),
        64..256 => const { &table::<A, 256>() }.get(source as usize),
        _ => const { &table::<A, { SOURCES as usize }>() }.get(source as usize),
    };
    shift.map_or(0, |&shift| 1_u32.checked_shl(u32::from(shift)).unwrap_or(0))
}

/// No bit.
const NONE: u8 = 32;

const fn highest<A: App>() -> u16 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut highest, mut i) = (0, 0);
    while i < tasks.len() {
        if let Some(vector) = tasks[i].vector
            && source(vector) > highest
        {
            highest = source(vector);
        }
        i += 1;
    }
    highest
}

/// By source, the number of its bit.
const fn table<A: App, const N: usize>() -> [u8; N] {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut table, mut i) = ([NONE; N], 0);
    while i < tasks.len() {
        if let Some(vector) = tasks[i].vector
            && source(vector) != 0
            && (source(vector) as usize) < N
        {
            table[source(vector) as usize] = bit::<A>(vector).trailing_zeros() as u8;
        }
        i += 1;
    }
    table
}

/// How a task was started.
#[derive(Clone, Copy)]
pub(super) struct Entered {
    /// Its interrupt came.
    came: bool,
    /// The threshold before.
    threshold: u32,
}

/// Whether a task has a line, of the core or of the controller.
const fn has_line<T: Task>() -> bool {
    source(T::VECTOR) != 0 || bit::<T::App>(T::VECTOR) & LOCAL != 0
}

/// `T` starts.
///
/// # Safety
///
/// Interrupts are held back, and the mask is that of its level.
#[inline(always)]
pub(super) unsafe fn enter<T: Task>() -> Entered {
    let mut entered = Entered {
        came: false,
        threshold: 0,
    };
    let Some(plic) = (const { of::<T::App>() }) else {
        return entered;
    };
    if const { !has_line::<T>() } {
        return entered;
    }
    let (own, came) = (const { bit::<T::App>(T::VECTOR) }, CAME.load(Relaxed));
    entered.came = came & own != 0;
    CAME.store(came & !own, Relaxed);
    if const { rank::<T::App>(T::PRIORITY) } != 0 {
        entered.threshold = THRESHOLD.load(Relaxed);
        // SAFETY: the level begins.
        unsafe { set_threshold(plic, const { threshold_of::<T>() }) };
    }
    entered
}

const fn threshold_of<T: Task>() -> u32 {
    match of::<T::App>() {
        Some(plic) => threshold::<T::App>(T::PRIORITY, plic),
        None => 0,
    }
}

/// # Safety
///
/// Interrupts are held back, and this is the level's.
#[inline(always)]
unsafe fn set_threshold(plic: Plic, threshold: u32) {
    THRESHOLD.store(threshold, Relaxed);
    // SAFETY: the register is the kernel's.
    unsafe { write(context(plic), threshold) };
}

/// `T` has ended: its interrupt may come again.
///
/// # Safety
///
/// Interrupts are held back, and `entered` is what [`enter`] said when it started.
#[inline(always)]
pub(super) unsafe fn leave<T: Task>(entered: Entered) {
    let Some(plic) = (const { of::<T::App>() }) else {
        return;
    };
    if const { !has_line::<T>() } {
        return;
    }
    if entered.came {
        let source = const { source(T::VECTOR) };
        // SAFETY: it was claimed, or its bit cleared, when it came.
        unsafe {
            if source == 0 {
                asm!("csrs mie, {}", in(reg) const { bit::<T::App>(T::VECTOR) }, options(nostack, preserves_flags));
            } else {
                write(const { claim_of::<T::App>() }, u32::from(source));
            }
        }
    }
    if const { rank::<T::App>(T::PRIORITY) } != 0 {
        // SAFETY: as it was before this level.
        unsafe { set_threshold(plic, entered.threshold) };
    }
}
