//! Guards below stacks: regions of the MPU that no code may access, and the fault handler that reports them.
//!
//! The fault is left to `HardFault`: it comes in every task and in every section, and the MPU is off in it, so that its handler has
//! a stack where the one that overflowed has none.

use mainspring_core::Vector;

use super::registers;
use crate::guard;
use crate::model::{App, PlanOf};
use crate::threads::state::{self, slot};

/// MPU type, control, region base address, region attribute and size (ARMv7-M ARM B3.5; ARMv6-M ARM B3.5).
const MPU_TYPE: usize = 0xe000_ed90;
const MPU_CTRL: usize = 0xe000_ed94;
const MPU_RBAR: usize = 0xe000_ed9c;
const MPU_RASR: usize = 0xe000_eda0;
/// The region's number is in the low bits.
const VALID: usize = 1 << 4;
/// Code that is privileged sees all other memory as if there were no MPU, and faults above HardFault do so anyway.
const ENABLED_WITH_BACKGROUND: u32 = 1 << 2 | 1;
/// The least region that has subregions: eight, of [`guard::BYTES`] each.
const REGION: usize = 256;
/// Enabled, of that size, without any access or execution.
const NOBODY: u32 = 1 << 28 | (REGION.trailing_zeros() - 1) << 1 | 1;

fn read(register: usize) -> u32 {
    // SAFETY: the registers that are read here are there on every Cortex-M that has this, and reading them has no effect.
    unsafe { core::ptr::with_exposed_provenance::<u32>(register).read_volatile() }
}

/// Makes the guard at `place` inaccessible. Returns whether there is a region for it.
///
/// # Safety
///
/// No code needs that memory.
pub(crate) unsafe fn put_guard(number: usize, place: usize) -> bool {
    if number >= (read(MPU_TYPE) >> 8 & 0xff) as usize {
        return false;
    }
    let others = !(1 << (place / guard::BYTES % 8)) & 0xff;
    // SAFETY: the caller's promise; each guard has a region of its own, which was off.
    unsafe {
        registers::write(MPU_RBAR, (place & !(REGION - 1) | VALID | number) as u32);
        registers::write(MPU_RASR, NOBODY | others << 8);
    }
    true
}

/// From now on guards guard.
///
/// # Safety
///
/// The MPU has no other regions.
#[allow(clippy::extra_unused_type_parameters)] // The seam: RV32 has to know the application.
pub(crate) unsafe fn begin_guards<A: App>() {
    // SAFETY: the caller's promise.
    unsafe {
        registers::write(MPU_CTRL, ENABLED_WITH_BACKGROUND);
        core::arch::asm!("dsb", "isb", options(nostack, preserves_flags));
    }
}

/// The work of `HardFault`: returns if no stack has overflowed.
///
/// # Panics
///
/// If one has.
///
/// # Safety
///
/// Called by `HardFault` alone, in the application `A`, with both stack pointers and EXC_RETURN as it found them.
pub unsafe extern "C" fn fault<A: App>(main: usize, process: usize, returns: usize) {
    if returns & 1 << 2 == 0 {
        let place = guard::tasks::<A>();
        if has_overflowed(main, place) {
            guard::tasks_overflowed(who::<A>(main, place));
        }
        return;
    }
    let running = state::of::<A>().running.get() as usize;
    if has_overflowed(process, slot::<A>(running).guard.get()) {
        state::overflowed::<A>(running);
    }
}

/// Whether what faulted was an access of the guard at `place`: by what the core notes, or by where the stack pointer has come to, with
/// the frame below it. The former does not tell of frames that could not be written, and ARMv6-M notes nothing.
fn has_overflowed(stack: usize, place: usize) -> bool {
    stack < place + guard::BYTES + 8 || is_noted(place)
}

#[cfg(basepri)]
fn is_noted(place: usize) -> bool {
    /// Configurable fault status (B3.2.15), of which DACCVIOL and MMARVALID count, and the address (B3.2.17).
    const CFSR: usize = 0xe000_ed28;
    const ACCESS: u32 = 1 << 7 | 1 << 1;
    const MMFAR: usize = 0xe000_ed34;
    read(CFSR) & ACCESS == ACCESS && guard::is_within(read(MMFAR) as usize, place)
}

#[cfg(not(basepri))]
fn is_noted(_place: usize) -> bool {
    false
}

/// The code that ran on the main stack.
#[cfg(basepri)]
fn who<A: App>(_main: usize, _place: usize) -> Option<&'static str> {
    let plan = &PlanOf::<A>::PLAN;
    let (mut who, mut priority) = (idle::<A>(), 0);
    for task in plan.tasks {
        let Some(vector) = task.vector else { continue };
        if task.priority > priority && is_active(vector) {
            (who, priority) = (Some(task.name), task.priority);
        }
    }
    who
}

/// Whether the exception is active.
#[cfg(basepri)]
fn is_active(vector: Vector) -> bool {
    /// Interrupt active bits (B3.4.8); system handler control and state (B3.2.13).
    const IABR: usize = 0xe000_e300;
    const SHCSR: usize = 0xe000_ed24;
    match vector {
        Vector::Interrupt(number) => read(registers::bank(IABR, number)) & registers::bit(number) != 0,
        Vector::SysTick => read(SHCSR) & 1 << 11 != 0,
        Vector::PendSv => read(SHCSR) & 1 << 10 != 0,
    }
}

/// The code that ran on the main stack. There are no active bits: the frame says which exception the faulting code was in. It could seldom be
/// written; then it is the task that has last begun and not ended. One that has no room for the registers that its vector saves has
/// not begun, and the code that it pre-empted is named.
#[cfg(not(basepri))]
fn who<A: App>(main: usize, place: usize) -> Option<&'static str> {
    /// Where xPSR is in an exception's frame.
    const XPSR: usize = 28;
    if main >= place + guard::BYTES {
        let exception = read(main + XPSR) & 0x1ff;
        let is_its = |vector: &Vector| number(*vector) == exception;
        let mut tasks = PlanOf::<A>::PLAN.tasks.iter();
        if let Some(task) = tasks.find(|task| !task.behind && task.vector.as_ref().is_some_and(is_its)) {
            return Some(task.name);
        }
    }
    guard::running::<A>().or(idle::<A>())
}

/// The number of the exception.
#[cfg(not(basepri))]
fn number(vector: Vector) -> u32 {
    match vector {
        Vector::Interrupt(number) => u32::from(number) + 16,
        Vector::SysTick => 15,
        Vector::PendSv => 14,
    }
}

/// The code that runs on the main stack when no task does, if any.
fn idle<A: App>() -> Option<&'static str> {
    PlanOf::<A>::PLAN.threads.is_empty().then_some("idle")
}

/// The vector of the application `$app`, whose tasks' stack ends at `$end`. Where that stack has no room left it begins again: who is
/// told of it does not come back. Other faults are the default handler's, with everything as it was.
#[doc(hidden)]
#[macro_export]
macro_rules! __guard {
    ($unsafe:tt $app:ident $end:ident) => {
        #[$unsafe(naked)]
        #[$unsafe(no_mangle)]
        #[allow(non_snake_case)] // The vector's own name.
        extern "C" fn HardFault() {
            $crate::__core::arch::naked_asm!(
                "mrs r0, MSP",
                "mrs r1, PSP",
                "mov r2, lr",
                "ldr r3, 3f",
                "cmp r0, r3",
                "bhi 2f",
                // The vector table's first word, where VTOR says that it is.
                "ldr r3, 4f",
                "ldr r3, [r3]",
                "ldr r3, [r3]",
                "mov sp, r3",
                "2: push {{r2, lr}}",
                "bl {fault}",
                "pop {{r2, r3}}",
                "mov lr, r3",
                "ldr r3, 5f",
                "bx r3",
                ".p2align 2",
                $crate::__core::concat!("3: .word ", $crate::__core::stringify!($end), " + 192"),
                "4: .word 0xe000ed08",
                "5: .word DefaultHandler",
                fault = sym $crate::__fault::<$app>,
            )
        }
    };
}
