//! From thread to thread.
//!
//! Threads are on the process stack, handlers on the main stack. Two kinds of frames lie on the stack of a thread that does
//! not run, told apart by their address: a stack is aligned to 8 bytes at every call (AAPCS 6.2.1.2) and in every exception
//! frame (CCR.STKALIGN, which the start sets), and the first kind has an odd number of words.
//!
//! - *Switched by itself*: R6, R7 (which inline assembly cannot name as changed) and where to go on. Everything else the
//!   compiler has saved, if it needed it.
//! - *Pre-empted*: the hardware's exception frame, and below it all registers that it does not save.

use core::arch::asm;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use mainspring_core::{IDLE, Level as Facts, SWITCH, Vector, threshold};

use super::{ICSR, ICSR_PENDSVSET, set_priority, write};
use crate::app::{App, PlanOf};
use crate::device::Device;
use crate::level::Way;
use crate::threads::Threaded;
#[cfg(basepri)]
use crate::threads::kernel::offset;
#[cfg(enable_bits)]
use crate::threads::kernel::slot;

/// SysTick control and status (ARMv7-M ARM B3.3.3), reload value, current value.
const SYST_CSR: usize = 0xe000_e010;
const SYST_RVR: usize = 0xe000_e014;
const SYST_CVR: usize = 0xe000_e018;
/// Configuration and control (B3.2.8): frames of exceptions are aligned to 8 bytes.
const CCR: usize = 0xe000_ed14;
const CCR_STKALIGN: u32 = 1 << 9;

/// Bytes of a stack on which a switch has room for what it saves, and then some.
pub(crate) const LEAST_STACK: usize = 128;

/// The kernel's section: nobody else who may wake threads runs meanwhile, and no switch happens but `f`'s own.
///
/// Where a thread begins it, what it does to the masks hides what somebody around it did: that is kept for [`is_held`].
///
/// # Safety
///
/// The code runs at the level at which the way `W` starts.
#[inline(always)]
pub(crate) unsafe fn kernel_section<W: Way, O>(f: impl FnOnce() -> O) -> O {
    if const { !W::ASKS && is_global::<W::App>() } {
        let before = super::hold();
        W::App::KERNEL.around.set(before);
        let out = f();
        // SAFETY: this is what it found.
        unsafe { super::release(before) };
        return out;
    }
    #[cfg(basepri)]
    if const { !W::ASKS && !<W::App as App>::Device::OWNS_BASEPRI } {
        let before = super::basepri::read();
        let inside = || {
            W::App::KERNEL.around.set(before);
            f()
        };
        // SAFETY: the caller's promise.
        return unsafe { crate::context::within::<W, O>(inside) };
    }
    // SAFETY: the caller's promise.
    unsafe { crate::context::within::<W, O>(f) }
}

/// Whether the kernel's section of a thread is PRIMASK's.
const fn is_global<A: App>() -> bool {
    cfg!(enable_bits) || PlanOf::<A>::PLAN.kernel_ceiling() >= PlanOf::<A>::PLAN.levels()
}

/// Whether somebody held interrupts back when the running thread began the kernel's section, such as a `critical_section` around
/// the caller: then no other thread may run before that ends.
#[inline(always)]
pub(crate) fn is_held<A: App>() -> bool {
    let around = || A::KERNEL.around.get();
    #[cfg(basepri)]
    if const { !is_global::<A>() } {
        let by_basepri = const { !A::Device::OWNS_BASEPRI } && around() != 0;
        return by_basepri || primask() != 0;
    }
    #[cfg(basepri)]
    if const { !A::Device::OWNS_BASEPRI } && super::basepri::read() != 0 {
        return true;
    }
    around() != 0
}

#[cfg(basepri)]
#[inline(always)]
fn primask() -> u32 {
    let primask;
    // SAFETY: reading PRIMASK has no effect.
    unsafe { asm!("mrs {}, PRIMASK", out(reg) primask, options(nomem, nostack, preserves_flags)) };
    primask
}

/// Whether [`switch`] can go to this stack, and the running thread may leave by it now.
#[inline(always)]
pub(crate) fn may_switch<A: App>(stack: usize) -> bool {
    can_switch(stack) && !is_held::<A>()
}

/// Whether `switch` can go to this stack, and the running thread may leave by it.
#[inline(always)]
pub fn can_switch(stack: usize) -> bool {
    stack & 4 != 0 && !uses_fpu()
}

/// Whether the running thread has used the floating-point unit: then its registers are the exception's business.
#[cfg(float)]
#[inline(always)]
fn uses_fpu() -> bool {
    let control: u32;
    // SAFETY: reading CONTROL has no effect.
    unsafe { asm!("mrs {}, CONTROL", out(reg) control, options(nomem, nostack, preserves_flags)) };
    control & 4 != 0
}

#[cfg(not(float))]
#[inline(always)]
fn uses_fpu() -> bool {
    false
}

/// Leaves the thread `T` and goes on with `next`, on `stack`; comes back when somebody switches to `T`.
///
/// # Safety
///
/// The kernel's section is held by `T`, which runs. `stack` is that of a thread that left by this function, or has never run; see [`can_switch`]. The section is the next one's to end.
#[cfg(basepri)]
#[inline(always)]
pub(crate) unsafe fn switch<T: Threaded>(next: usize, stack: usize) {
    // SAFETY: the caller's promise. What is not in the list is on the stack.
    unsafe {
        asm!(
            "adr.w lr, 2f + 1",
            "push {{r6, r7, lr}}",
            "str sp, [{kernel}, #{left}]",
            "mov sp, {stack}",
            "str {next}, [{kernel}, #{running}]", // Here, because POP would have to wait for SP.
            "pop {{r6, r7, pc}}",
            ".p2align 2",
            "2:",
            left = const const { offset::SLOTS + (T::RANK << offset::SLOT_SHIFT) },
            running = const offset::RUNNING,
            kernel = in(reg) core::ptr::from_ref(T::App::KERNEL).cast::<u32>(),
            stack = in(reg) stack,
            next = in(reg) next,
            lateout("r0") _, lateout("r1") _, lateout("r2") _, lateout("r3") _, lateout("r4") _, lateout("r5") _,
            lateout("r8") _, lateout("r9") _, lateout("r10") _, lateout("r11") _, lateout("r12") _, out("lr") _,
        );
    }
}

/// The text of a switch by [`switch`] or [`leave`](super::leave), where the upper registers can be reached by moves alone: leaves a
/// frame of the first kind that goes on behind this, keeps its address where R0 says, and goes on at the frame in R1.
#[cfg(enable_bits)]
macro_rules! change_stacks {
    () => {
        concat!(
            "adr r2, 2f\n",
            "adds r2, #1\n",
            "mov lr, r2\n",
            "push {{r6, r7, lr}}\n",
            "mov r2, r8\n",
            "mov r3, r9\n",
            "mov r4, r10\n",
            "mov r5, r11\n",
            "push {{r2, r3, r4, r5}}\n",
            "mov r2, sp\n",
            "str r2, [r0]\n",
            "mov sp, r1\n",
            "pop {{r2, r3, r4, r5}}\n",
            "mov r8, r2\n",
            "mov r9, r3\n",
            "mov r10, r4\n",
            "mov r11, r5\n",
            "pop {{r6, r7, pc}}\n",
            ".p2align 2\n",
        )
    };
}
#[cfg(enable_bits)]
pub(super) use change_stacks;

/// As above, where the upper registers can be reached by moves alone.
///
/// # Safety
///
/// As above.
#[cfg(enable_bits)]
#[inline(always)]
pub(crate) unsafe fn switch<T: Threaded>(next: usize, stack: usize) {
    T::App::KERNEL.switch_to(next);
    // SAFETY: as above.
    unsafe {
        asm!(
            change_stacks!(),
            "2:",
            inout("r0") slot::<T::App>(T::RANK).stack.as_ptr() => _,
            inout("r1") stack => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r12") _, out("lr") _,
        );
    }
}

/// Words of a frame of the first kind.
#[cfg(basepri)]
const FRAME: usize = 3;
#[cfg(enable_bits)]
const FRAME: usize = 7;

/// A frame of the first kind for a thread that begins with `entry`, on the stack that ends at `end`.
///
/// # Safety
///
/// There is room, and nobody uses it.
pub unsafe fn first_frame(end: *mut u64, entry: extern "C" fn() -> !) -> usize {
    // SAFETY: the caller's promise; a stack is aligned to 8.
    unsafe {
        let frame = end.cast::<usize>().sub(FRAME);
        for word in 0..FRAME - 1 {
            frame.add(word).write(0);
        }
        frame.add(FRAME - 1).write(entry as usize);
        frame.expose_provenance()
    }
}

/// Asks for the switch: it happens when nothing holds it back.
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam: on other cores the switch is a bit of the application's.
pub(crate) fn pend_switch<A: App>() {
    pend_any_switch();
}

/// As above, of whatever application.
#[inline(always)]
pub(crate) fn pend_any_switch() {
    compiler_fence(SeqCst);
    // SAFETY: a switch that nobody needs is none.
    unsafe { write(ICSR, ICSR_PENDSVSET) };
    compiler_fence(SeqCst);
}

/// Lets the exception switch, and comes back when this thread runs again. The section is over then.
///
/// # Safety
///
/// The kernel's section is held by the running thread, outside of every other section.
#[inline(always)]
pub(crate) unsafe fn switch_by_exception<A: App>() {
    core::hint::cold_path();
    // SAFETY: the caller's promise: whoever comes now finds a state that is whole. Behind the ISB the switch has been.
    unsafe {
        write(ICSR, ICSR_PENDSVSET);
        end_section_of_thread::<A>();
        asm!("isb", options(nostack, preserves_flags));
    }
}

/// The end of the kernel's section, for a thread that has none on its own stack.
///
/// # Safety
///
/// The running thread is outside of every section but the kernel's.
#[inline(always)]
pub(crate) unsafe fn end_first_section<A: App>() {
    // SAFETY: the caller's promise.
    unsafe { end_section_of_thread::<A>() };
}

/// # Safety
///
/// The running thread is outside of every section but the kernel's.
#[inline(always)]
unsafe fn end_section_of_thread<A: App>() {
    #[cfg(basepri)]
    // SAFETY: the caller's promise.
    unsafe {
        asm!("msr BASEPRI, {}", in(reg) 0, options(nostack, preserves_flags));
    }
    if const { is_global::<A>() } {
        // SAFETY: the caller's promise. Elsewhere nobody has set it.
        unsafe { asm!("cpsie i", options(nostack, preserves_flags)) };
    }
}

/// Begins the kernel's section of a thread again that has waited in it: [`switch`] may have ended it, or not.
#[inline(always)]
pub(crate) fn begin_section_again<A: App>() {
    A::KERNEL.around.set(0); // Else it could not have waited.
    if const { !is_global::<A>() } {
        #[cfg(basepri)]
        // SAFETY: raising holds more back.
        unsafe {
            let value = const {
                threshold(
                    PlanOf::<A>::PLAN.kernel_ceiling() % PlanOf::<A>::PLAN.levels(),
                    A::Device::PRIORITY_BITS,
                )
            };
            asm!("msr BASEPRI_MAX, {}", in(reg) u32::from(value), options(nostack, preserves_flags));
        }
    } else {
        super::hold();
    }
}

/// From SysTick, or from any place of a thread, to the kernel's section.
struct To<A, const TICK: bool>(core::marker::PhantomData<A>);

impl<A: App, const TICK: bool> Way for To<A, TICK> {
    type App = A;
    const FROM: Facts = Facts {
        priority: if TICK { SWITCH } else { IDLE },
        threshold: mainspring_core::Restore::Read,
    };
    const CEILING: u8 = PlanOf::<A>::PLAN.kernel_ceiling();
    const ACTION: mainspring_core::Action = Self::FROM.action(&PlanOf::<A>::PLAN, Self::CEILING);
}

/// The kernel's section, in SysTick.
///
/// # Safety
///
/// Called by SysTick.
#[inline(always)]
pub(crate) unsafe fn kernel_section_of_tick<A: App, O>(f: impl FnOnce() -> O) -> O {
    // SAFETY: SysTick has the priority at which the way starts.
    unsafe { crate::context::within::<To<A, true>, O>(f) }
}

/// The kernel's section, in a thread, inside of other sections or not.
#[inline(always)]
pub(crate) fn kernel_section_anywhere<A: App, O>(f: impl FnOnce() -> O) -> O {
    // SAFETY: a thread is at the lowest level at the least; what is held back already stays so.
    unsafe { crate::context::within::<To<A, false>, O>(f) }
}

/// Exception frames are aligned to 8 bytes. Revisions of the Cortex-M3 before r2p0 do not do so unless they are told.
///
/// # Safety
///
/// Threads are being started.
#[inline(always)]
pub(super) unsafe fn align_frames() {
    // SAFETY: the register is there on every Cortex-M, and reading it has no effect.
    unsafe {
        let before = core::ptr::with_exposed_provenance::<u32>(CCR).read_volatile();
        write(CCR, before | CCR_STKALIGN);
    }
}

/// SysTick comes every `period` cycles.
///
/// # Safety
///
/// It is the threads'.
#[inline(always)]
pub(super) unsafe fn begin_ticks(period: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        write(SYST_RVR, period.wrapping_sub(1));
        write(SYST_CVR, 0);
        write(SYST_CSR, 7);
    }
}

/// Makes this the idle loop, on the stack that ends at `stack`; the present one is the handlers' from now on. The threads
/// begin when interrupts are let through.
///
/// # Safety
///
/// Interrupts are off, the application is being started, and nothing else uses the stack.
pub(crate) unsafe fn start_threads<A: App>(stack: *mut u64, idle: extern "C" fn() -> !) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        align_frames();
        let priority = threshold(SWITCH, A::Device::PRIORITY_BITS);
        set_priority(Vector::PendSv, priority);
        if const { A::TICK > 0 } {
            set_priority(Vector::SysTick, priority);
            begin_ticks(A::TICK);
        }
        write(ICSR, ICSR_PENDSVSET);
        asm!(
            "msr PSP, {stack}",
            "msr CONTROL, {psp}",
            "isb",
            "bx {idle}",
            stack = in(reg) stack,
            psp = in(reg) 2,
            idle = in(reg) idle,
            options(noreturn)
        )
    }
}
