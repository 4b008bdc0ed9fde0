//! Processes on RV32 with PMP: the kernel in machine mode, processes in user mode.
//!
//! The entries of the PMP keep their rights; what changes from process to process is addresses, one write for each: what a process does
//! not have is nowhere. Entry 0 is its memory, 1 its frame or device, 2 and 3 what is lent to it, 4 the program's code.

use core::arch::asm;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use mainspring_core::processes::{Context, Region};

use super::buffer::name;
use super::kernel;
use super::table::{Chip, Processes, Protection};
use crate::Lines;

#[path = "rv32/trap.rs"]
mod trap;

pub(super) use trap::{answer, ask as trap, leave};

/// The context of the process that runs.
static CURRENT: AtomicPtr<Context> = AtomicPtr::new(core::ptr::null_mut());
/// The kernel's stack: where it was when the processes were started.
static STACK: AtomicUsize = AtomicUsize::new(0);

/// An address beyond all that there is: on cores by the manual above 4 GiB, on a VexRiscv the last bytes of the address space.
const NOWHERE_WORD: usize = 0xffff_ffbf;
pub(super) const NOWHERE: Region = [NOWHERE_WORD, 0];

/// Rights of a region of this core are those of its entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Write,
    Device,
}

pub(super) fn region<S: Processes>(address: usize, size: usize, _rights: Rights) -> Region {
    name(S::Chip::PROTECTION, address, size)
}

/// What `pmpaddr` of lent memory is, but for the bits in which it may differ; and these bits.
pub(super) fn within(address: usize, size: usize) -> [usize; 2] {
    let mask = size / 4 - 1;
    [address >> 2 | mask, mask]
}

/// Whether the name that has all of these bits set is of more than the process's memory: by the manual of twice as much, on a VexRiscv
/// of half.
const fn doubles<S: Processes>() -> bool {
    matches!(S::Chip::PROTECTION, Protection::Pmp)
}

pub(super) fn lendable<S: Processes>(context: &Context) -> Option<Region> {
    let word = context.message[3];
    let [base, mask] = context.within;
    let inside = word | mask == base && !(doubles::<S>() && word & mask == mask);
    inside.then_some([word, 0])
}

pub(super) fn described(region: Region) -> [usize; 2] {
    region
}

pub(super) fn begin(context: &mut Context, entry: *const (), stack: usize) {
    (context.pc, context.sp) = (entry as usize, stack);
}

/// `mstatus.MIE`.
pub(super) fn hold() {
    // SAFETY: clearing it breaks no promise of anyone else.
    unsafe { asm!("csrci mstatus, 8", options(nostack)) };
}

/// Waits until an interrupt wants to come.
pub(super) fn sleep() {
    crate::arch::wait();
}

macro_rules! on_lines {
    ($processes:ty, $template:literal, $($operand:tt)*) => {
        match const { <<$processes as Processes>::Chip as Chip>::LINES } {
            // SAFETY: the mask holds back interrupts of processes, which the kernel decides about.
            Lines::Standard => unsafe {
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

/// Lets the interrupt of a process come.
pub(super) fn listen<S: Processes>(index: usize) {
    if let Some(line) = S::ROWS[index].line {
        let bit = 1_usize << line;
        on_lines!(S, "csrs {mask}, {} # {lines}", in(reg) bit);
    }
}

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
    let (code, size) = S::Chip::CODE;
    let code = name(S::Chip::PROTECTION, code, size)[0];
    let all = ENTRY | READ | WRITE;
    let first = all | all << 8 | (ENTRY | READ) << 16 | all << 24;
    let external = 1_usize << 11;
    // SAFETY: machine mode heeds no entry; the trap is the kernel's; MPP becomes user mode, to which MRET returns.
    unsafe {
        let stack: usize;
        asm!("mv {}, sp", out(reg) stack, options(nomem, nostack));
        STACK.store(stack & !15, Relaxed);
        asm!(
            "csrw pmpaddr0, {nowhere}",
            "csrw pmpaddr1, {nowhere}",
            "csrw pmpaddr2, {nowhere}",
            "csrw pmpaddr3, {nowhere}",
            "csrw pmpaddr4, {code}",
            "csrw pmpcfg0, {first}",
            "csrw pmpcfg1, {second}",
            "csrw mtvec, {trap}",
            "csrc mstatus, {machine}",
            nowhere = in(reg) NOWHERE_WORD,
            code = in(reg) code,
            first = in(reg) first,
            second = in(reg) ENTRY | READ | EXECUTE,
            trap = in(reg) trap::address::<S>(),
            machine = in(reg) 0x1800,
            options(nostack)
        );
        if matches!(S::Chip::LINES, Lines::VexRiscv) {
            asm!("csrw 0xbc0, zero", "csrw mie, {}", in(reg) external, options(nostack));
        } else {
            asm!("csrw mie, zero", options(nostack));
        }
    }
}

/// What the fast way leaves: operations that it does not do, interrupts, faults. Returns the context of the process that runs next.
///
/// # Safety
///
/// For the trap alone: `context` is the one of the process that ran, with all of it in there.
unsafe extern "C" fn slow<S: Processes>(context: *mut Context) -> *mut Context {
    let (cause, status): (usize, usize);
    // SAFETY: reading these has no effect.
    unsafe {
        asm!("csrr {}, mcause\n csrr {}, mstatus", out(reg) cause, out(reg) status, options(nomem, nostack))
    };
    if status & 0x1800 != 0 {
        S::Chip::failed();
    }
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
    let next = next as *mut Context;
    CURRENT.store(next, Relaxed);
    next
}
