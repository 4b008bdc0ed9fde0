//! Processes on ARMv7-M with an MPU: the kernel in handler mode, processes unprivileged in thread mode.
//!
//! Regions of the MPU: 0 is the program's code, 1 the process's memory, 2 its frame or device, 3 and 4 what is lent to it.
//!
//! Supervisor calls, interrupts and PendSV have one priority, so none comes into another: the kernel is not entered twice. Faults are more
//! urgent: where a stack pointer leads to nowhere, the fault of its stacking comes before the exception that stacked. What that one asked
//! for is forgotten.

#![allow(clippy::extra_unused_type_parameters)] // The seam: on RV32 the chip says what differs.

use core::arch::asm;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use mainspring_core::processes::{Context, LENT, LENT_MUT, Region};

use super::kernel;
use super::table::{Chip, Processes, Tick};

#[path = "cortex_m/float.rs"]
mod float;
#[path = "cortex_m/trap.rs"]
mod trap;

pub(super) use float::forget as forget_floats;
#[doc(hidden)]
pub use float::{HAS_FLOATS, Table};

pub(super) use trap::{answer, ask as trap, leave, switch};
pub use trap::{first_process, other_exception, supervisor_call};

/// Whose the processor is: contexts, or null.
#[repr(C)]
struct Holders {
    /// The process that runs.
    runs: AtomicPtr<Context>,
    /// The one whose values the registers of the floating-point unit have.
    floats: AtomicPtr<Context>,
}

static CURRENT: Holders = Holders {
    runs: AtomicPtr::new(core::ptr::null_mut()),
    floats: AtomicPtr::new(core::ptr::null_mut()),
};

pub(super) const NOWHERE: Region = [0, 0];

/// There are no pages.
pub enum DeviceTables {}

/// The accesses to a region that a process may make.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Read,
    Write,
    Device,
}

/// `MPU_RASR`: enabled, never executed; normal memory behind a cache, shared, or a device.
const ENABLED: usize = 1;
const NEVER_EXECUTED: usize = 1 << 28;
const READ: usize = 2 << 24;
const WRITE: usize = 3 << 24;
const READ_BY_ALL: usize = 6 << 24;
const NORMAL: usize = 1 << 18 | 1 << 17;
const DEVICE: usize = 1 << 16;

const fn attributes(bits: usize, rights: Rights) -> usize {
    let kind = match rights {
        Rights::Read => READ | NORMAL,
        Rights::Write => WRITE | NORMAL,
        Rights::Device => WRITE | DEVICE,
    };
    // For 0 bits what is added to twice the number of bits.
    (NEVER_EXECUTED | kind | ENABLED) + bits * 2 - 2
}

fn region(address: usize, size: usize, rights: Rights) -> Region {
    [address, attributes(size.trailing_zeros() as usize, rights)]
}

/// The memory of a process.
pub(super) fn own<S: Processes>(index: usize, context: &mut Context) {
    let row = &S::ROWS[index];
    context.data = region((row.memory)() as usize, row.size, Rights::Write);
}

pub(super) fn frame<S: Processes>(address: usize, size: usize) -> Region {
    region(address, size, Rights::Write)
}

#[expect(clippy::unnecessary_wraps, reason = "other cores keep devices elsewhere")]
pub(super) fn device<S: Processes>(address: usize, size: usize) -> Option<Region> {
    Some(region(address, size, Rights::Device))
}

/// The memory that a process reaches is in its context alone.
pub(super) fn open<S: Processes>(_index: usize, _region: Region, _writes: bool) {}
pub(super) fn close<S: Processes>(_index: usize, _region: Region) {}
pub(super) fn close_entry<S: Processes>(_entry: usize) {}

/// Whether the fast way closes what is lent by its entry of a table.
pub(super) const fn by_entry<S: Processes>() -> bool {
    false
}

/// The memory's address, and how many bits of an address are within it.
pub(super) fn within<S: Processes>(address: usize, size: usize) -> [usize; 2] {
    [address, size.trailing_zeros() as usize]
}

pub(super) fn lendable<S: Processes>(context: &Context, writes: bool) -> Option<Region> {
    let [_, _, _, address, bits, ..] = context.message;
    let [base, within] = context.within;
    let good = (5..=within).contains(&bits) && (address ^ base) >> within == 0;
    let rights = if writes { Rights::Write } else { Rights::Read };
    // The low bits do not count: the region is the piece that the address is in.
    good.then(|| [address & !31, attributes(bits, rights)])
}

pub(super) fn described(region: Region) -> [usize; 2] {
    [region[0], (region[1] >> 1 & 31) + 1]
}

/// The frame from which a process begins: words 0 to 3 of its message are arguments.
pub(super) fn begin(context: &mut Context, entry: *const (), stack: usize) {
    let [a, b, c, d, ..] = context.message;
    let frame = [a, b, c, d, 0, usize::MAX, entry as usize & !1, 1 << 24];
    let at = stack - size_of_val(&frame);
    // SAFETY: the memory of a process that does not run, at its end.
    unsafe { (at as *mut [usize; 8]).write(frame) };
    context.message = [0; 8];
    context.sp = at;
}

pub(super) fn hold() {
    // SAFETY: to hold interrupts back breaks no promise of other code.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Nobody can run: a process that nobody sees would, if there were none. Interrupts of the kernel's own priority end the wait, though
/// they are not taken here.
pub(super) fn sleep() {
    // SAFETY: SEVONPEND makes an interrupt that becomes pending an event.
    unsafe {
        let control = 0xe000_ed10 as *mut usize;
        control.write_volatile(control.read_volatile() | 1 << 4);
        asm!("wfe", options(nostack, preserves_flags));
    }
}

/// Whether a tick is pending; it is not any more.
pub(super) fn take_tick<S: Processes>() -> bool {
    let control = 0xe000_ed04 as *mut usize;
    // SAFETY: PENDSTSET and PENDSTCLR of SysTick, which is the kernel's if it is the table's tick.
    unsafe {
        let came = matches!(S::Chip::TICK, Tick::Core) && control.read_volatile() & 1 << 26 != 0;
        if came {
            control.write_volatile(1 << 25);
        }
        came
    }
}

/// The NVIC's register for an interrupt, of the group that begins at `first`.
fn nvic(first: usize, line: u16) -> (*mut u32, u32) {
    let register = first + 4 * usize::from(line / 32);
    (register as *mut u32, 1 << (line % 32))
}

/// Whether an interrupt came that was let through; it is held back from now on.
pub(super) fn take<S: Processes>(line: u16) -> bool {
    let (enable, bit) = nvic(0xe000_e100, line);
    let (disable, _) = nvic(0xe000_e180, line);
    let (pending, _) = nvic(0xe000_e200, line);
    let (active, _) = nvic(0xe000_e300, line);
    let (forget, _) = nvic(0xe000_e280, line);
    // SAFETY: the NVIC is the kernel's.
    unsafe {
        let came = (pending.read_volatile() | active.read_volatile()) & enable.read_volatile() & bit != 0;
        if came {
            disable.write_volatile(bit);
            forget.write_volatile(bit);
        }
        came
    }
}

/// Lets an interrupt of the kernel's come.
pub(super) fn listen<S: Processes>(line: u16) {
    let (enable, bit) = nvic(0xe000_e100, line);
    // SAFETY: the kernel has handlers for it.
    unsafe { enable.write_volatile(bit) };
}

const MPU_CTRL: *mut usize = 0xe000_ed94 as *mut usize;
const MPU_RBAR: *mut usize = 0xe000_ed9c as *mut usize;
const MPU_RASR: *mut usize = 0xe000_eda0 as *mut usize;
/// `MPU_RBAR.VALID`: the region's number is in the low bits.
const VALID: usize = 1 << 4;

fn set_region(number: usize, region: Region) {
    // SAFETY: regions of processes; privileged code sees all memory.
    unsafe {
        MPU_RBAR.write_volatile(region[0] & !31 | VALID | number);
        MPU_RASR.write_volatile(region[1]);
    }
}

/// Opens what a process has.
fn protect(context: &Context) {
    set_region(1, context.data);
    set_region(2, context.extra);
    set_region(3, context.lent);
    set_region(4, context.lent_mut);
    float::permit(context);
}

/// Sets up the core: priorities, faults of their own, protection.
///
/// # Safety
///
/// Processes are being started, with interrupts held back.
pub(super) unsafe fn prepare<S: Processes>() {
    let (code, size) = S::Chip::CODE;
    let bits = size.trailing_zeros() as usize;
    let shpr = 0xe000_ed18 as *mut u8;
    // SAFETY: the caller's promise. SVCall, PendSV and SysTick at the lowest level but one half, faults at the highest.
    unsafe {
        for fault in 0..3 {
            shpr.add(fault).write_volatile(0);
        }
        for same in [7, 10, 11] {
            shpr.add(same).write_volatile(0x80);
        }
        for row in S::ROWS {
            if let Some(line) = row.line {
                (0xe000_e400 as *mut u8).add(line.into()).write_volatile(0x80);
            }
        }
        if let Tick::Line(line) = S::Chip::TICK {
            (0xe000_e400 as *mut u8).add(line.into()).write_volatile(0x80);
        }
        // Memory, bus and usage faults.
        let shcsr = 0xe000_ed24 as *mut usize;
        shcsr.write_volatile(shcsr.read_volatile() | 7 << 16);
        set_region(0, [code, READ_BY_ALL | NORMAL | (bits - 1) << 1 | ENABLED]);
        MPU_CTRL.write_volatile(1 << 2 | ENABLED);
        float::prepare();
        asm!("dsb", "isb", options(nostack, preserves_flags));
    }
}

/// Handles every operation that the fast path does not. Returns the context of the process that runs next.
///
/// # Safety
///
/// For the trap alone: `context` is the one of the process that ran, with all of it in there; `number` is IPSR.
unsafe extern "C" fn slow<S: Processes>(context: *mut Context, number: usize) -> *mut Context {
    // SAFETY: the kernel runs, once at a time; the context is of the table or null.
    let next = unsafe {
        let running = kernel::with::<S, _>(|system| system.index(context as usize));
        let Some(running) = running else { S::Chip::failed() };
        let goes_on = match number {
            11 => kernel::with::<S, _>(|system| system.operate(running)),
            6 if float::wants(context) => {
                float::give::<S>(context, running);
                true
            }
            3..=6 => {
                forget_call();
                kernel::with::<S, _>(|system| system.fault(running))
            }
            _ => {
                if number == 15 && matches!(S::Chip::TICK, Tick::Core) {
                    kernel::tick::<S>();
                }
                kernel::interrupts::<S>();
                true
            }
        };
        kernel::next::<S>(goes_on.then_some(running))
    };
    let next = next as *mut Context;
    CURRENT.runs.store(next, Relaxed);
    // SAFETY: it is one of the table's.
    protect(unsafe { &*next });
    next
}

/// A supervisor call whose stacking failed is pending still, and would be the next process's. What the fault was is cleared.
fn forget_call() {
    // SAFETY: SVCALLPENDED of SHCSR; CFSR and HFSR are cleared by ones.
    unsafe {
        let shcsr = 0xe000_ed24 as *mut usize;
        shcsr.write_volatile(shcsr.read_volatile() & !(1 << 15));
        (0xe000_ed28 as *mut usize).write_volatile(usize::MAX);
        (0xe000_ed2c as *mut usize).write_volatile(usize::MAX);
    }
}

/// The bits of a client's word that say that something is lent.
const LENT_ANY: usize = LENT | LENT_MUT;
