//! Processes on RV32 with PMP or Sv32: the kernel in machine mode, processes in user mode.
//!
//! The entries of the PMP keep their rights; what changes from process to process is addresses, one write for each: what a process does
//! not have is nowhere. Entry 0 is its memory, 1 its frame or device, 2 and 3 what is lent to it, 4 the program's code.
//!
//! With Sv32 each process has a table of pages of its own ([`pages`]). Machine mode, the kernel's, translates nothing.
//!
//! `mscratch` has the context of the process that runs, and 0 while the kernel does what it can fail in.

use core::arch::asm;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mainspring_core::processes::{Context, Region};

use super::buffer::name;
use super::kernel;
use super::protection::Protection;
use super::table::{Chip, Processes, Tick};
use crate::Lines;

#[path = "rv32/pages.rs"]
mod pages;
#[path = "rv32/trap.rs"]
mod trap;

pub use pages::{DeviceTables, Table};
pub(super) use trap::{answer, ask as trap, leave, switch};

/// The kernel's stack: where it was when the processes were started.
static STACK: AtomicUsize = AtomicUsize::new(0);

/// An address beyond all that there is: on cores by the manual above 4 GiB, on a `VexRiscv` the last bytes of the address space.
const NOWHERE_WORD: usize = 0xffff_ffbf;
pub(super) const NOWHERE: Region = [NOWHERE_WORD, 0];

/// Whether the table's processes have page tables.
const fn paged<S: Processes>() -> bool {
    S::Chip::PROTECTION.is_paged()
}

/// The memory of a process: by PMP its entry, by Sv32 its tables.
pub(super) fn own<S: Processes>(index: usize, context: &mut Context) {
    if paged::<S>() {
        (context.data, context.place) = pages::build::<S>(index);
    } else {
        let row = &S::ROWS[index];
        context.data = name(S::Chip::PROTECTION, (row.memory)() as usize, row.size);
    }
}

pub(super) fn frame<S: Processes>(address: usize, size: usize) -> Region {
    if paged::<S>() {
        return [address, size];
    }
    name(S::Chip::PROTECTION, address, size)
}

/// By Sv32 it is in the process's tables, and in nobody's way.
pub(super) fn device<S: Processes>(address: usize, size: usize) -> Option<Region> {
    (!paged::<S>()).then(|| name(S::Chip::PROTECTION, address, size))
}

/// Lets a process reach pages; what PMP shows is in its context alone.
pub(super) fn open<S: Processes>(index: usize, region: Region, writes: bool) {
    if paged::<S>() {
        pages::show::<S>(
            index,
            region,
            if writes { pages::READ_WRITE } else { pages::READ },
        );
    }
}

pub(super) fn close<S: Processes>(index: usize, region: Region) {
    if paged::<S>() {
        pages::show::<S>(index, region, 0);
    }
}

/// What is lent is where a word of the table of pages leads: that is no more.
pub(super) fn close_entry<S: Processes>(entry: usize) {
    if paged::<S>() {
        // SAFETY: an entry of a receiver's table, of which the fast way kept the place.
        unsafe { (entry as *mut usize).write(0) };
    }
}

/// Whether the fast way closes what is lent by its entry.
pub(super) const fn by_entry<S: Processes>() -> bool {
    paged::<S>()
}

/// By PMP, what `pmpaddr` of lent memory is, but for the bits in which it may differ, and these bits; by Sv32 address and size.
pub(super) fn within<S: Processes>(address: usize, size: usize) -> [usize; 2] {
    if paged::<S>() {
        return [address, size];
    }
    let mask = size / 4 - 1;
    [address >> 2 | mask, mask]
}

/// Whether the name that has all of these bits set is of more than the process's memory: by the manual of twice as much, on a `VexRiscv`
/// of half.
const fn doubles<S: Processes>() -> bool {
    matches!(S::Chip::PROTECTION, Protection::Pmp)
}

pub(super) fn lendable<S: Processes>(context: &Context, _writes: bool) -> Option<Region> {
    let word = context.message[3];
    let [base, limit] = context.within;
    if paged::<S>() {
        // How many pages follow the first one is in the low bits.
        let (address, size) = (
            word & !(pages::PAGE - 1),
            ((word & (pages::PAGE - 1)) + 1) * pages::PAGE,
        );
        let offset = address.wrapping_sub(base);
        let good = offset < limit && size <= limit - offset;
        return good.then_some([address, size]);
    }
    let inside = word | limit == base && !(doubles::<S>() && word & limit == limit);
    inside.then_some([word, 0])
}

pub(super) fn described(region: Region) -> [usize; 2] {
    region
}

pub(super) fn begin(context: &mut Context, entry: *const (), stack: usize) {
    (context.pc, context.sp) = (entry as usize, stack);
}

/// There is no floating-point unit.
#[doc(hidden)]
pub const HAS_FLOATS: bool = false;

pub(super) fn forget_floats<S: Processes>(_: *const Context, _: usize) {}

/// `mstatus.MIE`.
pub(super) fn hold() {
    // SAFETY: clearing it breaks no promise of other code.
    unsafe { asm!("csrci mstatus, 8", options(nostack)) };
}

/// Waits until an interrupt wants to come.
pub(super) fn sleep() {
    crate::arch::wait();
}

macro_rules! on_lines {
    ($processes:ty, $template:literal, $($operand:tt)*) => {
        match const { <<$processes as Processes>::Chip as Chip>::LINES } {
            // SAFETY: the mask holds back interrupts of processes, which the kernel decides about. There is no `Plic`: `prepare`.
            Lines::Standard | Lines::Plic(_) => unsafe {
                asm!($template, $($operand)*, mask = const 0x304, lines = const 0x344, options(nostack));
            },
            // SAFETY: as above; the chip has these registers.
            Lines::VexRiscv => unsafe {
                asm!($template, $($operand)*, mask = const 0xbc0, lines = const 0xfc0, options(nostack));
            },
        }
    };
}

/// Whether an interrupt came that was let through; it is held back from now on.
pub(super) fn take<S: Processes>(line: u16) -> bool {
    let (pending, mask, bit): (usize, usize, usize);
    bit = 1 << line;
    on_lines!(S, "csrr {}, {lines}\n csrr {}, {mask}", out(reg) pending, out(reg) mask);
    let came = pending & mask & bit != 0;
    if came {
        on_lines!(S, "csrc {mask}, {} # {lines}", in(reg) bit);
    }
    came
}

/// Lets an interrupt of the kernel's come.
pub(super) fn listen<S: Processes>(line: u16) {
    let bit = 1_usize << line;
    on_lines!(S, "csrs {mask}, {} # {lines}", in(reg) bit);
}

/// Whether the machine timer's interrupt is there, if that is the table's tick.
pub(super) fn take_tick<S: Processes>() -> bool {
    if !matches!(S::Chip::TICK, Tick::Core) {
        return false;
    }
    let pending: usize;
    // SAFETY: reading it has no effect.
    unsafe { asm!("csrr {}, mip", out(reg) pending, options(nomem, nostack)) };
    pending & TIMER != 0
}

/// The machine timer's bit of `mip` and `mie`.
const TIMER: usize = 1 << 7;

/// NAPOT, and read, write, execute as said.
const ENTRY: usize = 3 << 3;
const READ: usize = 1;
const WRITE: usize = 1 << 1;
const EXECUTE: usize = 1 << 2;

/// Sets up the core: its protection, and where traps go.
///
/// # Safety
///
/// Processes are being started, with interrupts held back.
#[inline(always)]
pub(super) unsafe fn prepare<S: Processes>() {
    const {
        assert!(
            !matches!(S::Chip::LINES, Lines::Plic(_)),
            "processes hear lines of the core: say `Lines::Standard`, and 11 for all of a PLIC's sources"
        );
    }
    let external = match S::Chip::LINES {
        Lines::Standard | Lines::Plic(_) => 0,
        Lines::VexRiscv => 1 << 11,
    };
    let timer = if matches!(S::Chip::TICK, Tick::Core) {
        TIMER
    } else {
        0
    };
    // SAFETY: the trap is the kernel's; MPP becomes user mode, to which MRET returns; nothing is done in another's name, and nothing that
    // can only be executed is read (MPRV, MXR).
    unsafe {
        let stack: usize;
        asm!("mv {}, sp", out(reg) stack, options(nomem, nostack));
        STACK.store(stack & !15, Relaxed);
        protect::<S>();
        asm!(
            "csrw mtvec, {trap}",
            "csrw mscratch, zero",
            "csrc mstatus, {status}",
            "csrw mie, {enabled}",
            trap = in(reg) trap::address::<S>(),
            status = in(reg) 1 << 19 | 1 << 17 | 0x1800,
            enabled = in(reg) external | timer,
            options(nostack)
        );
        if matches!(S::Chip::LINES, Lines::VexRiscv) {
            asm!("csrw 0xbc0, zero", options(nostack));
        }
    }
}

/// Sets up what of the core's protection no process changes.
///
/// # Safety
///
/// As for [`prepare`].
unsafe fn protect<S: Processes>() {
    // SAFETY: machine mode heeds no entry. Where there is supervisor mode, nobody is in it, and all traps come to the kernel.
    unsafe {
        if paged::<S>() {
            asm!("csrw medeleg, zero", "csrw mideleg, zero", options(nostack));
            if matches!(S::Chip::PROTECTION, Protection::Sv32) {
                // The pages alone decide.
                asm!("csrw pmpaddr0, {}", "csrw pmpcfg0, {}", in(reg) usize::MAX, in(reg) ENTRY | READ | WRITE | EXECUTE, options(nostack));
            }
            return;
        }
        let (code, size) = S::Chip::CODE;
        let code = name(S::Chip::PROTECTION, code, size)[0];
        let all = ENTRY | READ | WRITE;
        asm!(
            "csrw pmpaddr0, {nowhere}",
            "csrw pmpaddr1, {nowhere}",
            "csrw pmpaddr2, {nowhere}",
            "csrw pmpaddr3, {nowhere}",
            "csrw pmpaddr4, {code}",
            "csrw pmpcfg0, {first}",
            "csrw pmpcfg1, {second}",
            nowhere = in(reg) NOWHERE_WORD,
            code = in(reg) code,
            first = in(reg) all | all << 8 | (ENTRY | READ) << 16 | all << 24,
            second = in(reg) ENTRY | READ | EXECUTE,
            options(nostack)
        );
    }
}

/// An exception in the kernel.
extern "C" fn failed<S: Processes>() -> ! {
    S::Chip::failed()
}

/// Handles what the fast path does not: other operations, interrupts and faults. Returns the context of the process that runs next.
///
/// # Safety
///
/// For the trap alone: `context` is the one of the process that ran, with all of it in there.
unsafe extern "C" fn slow<S: Processes>(context: *mut Context) -> *mut Context {
    let cause: usize;
    // SAFETY: reading it has no effect.
    unsafe { asm!("csrr {}, mcause", out(reg) cause, options(nomem, nostack)) };
    // SAFETY: the kernel runs, once at a time, as interrupts are held back in it.
    let next = unsafe {
        let running = kernel::with::<S, _>(|system| system.index(context as usize));
        let Some(running) = running else { S::Chip::failed() };
        let goes_on = if (cause as isize) < 0 {
            kernel::interrupts::<S>();
            true
        } else {
            kernel::with::<S, _>(|system| match cause {
                8 => system.operate(running),
                _ => system.fault(running),
            })
        };
        kernel::next::<S>(goes_on.then_some(running))
    };
    next as *mut Context
}
