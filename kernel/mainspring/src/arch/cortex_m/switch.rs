//! From thread to thread.
//!
//! Threads are on the process stack, handlers on the main stack. Two kinds of frames lie on the stack of a thread that does
//! not run, told apart by their address: a stack is aligned to 8 bytes at every call (AAPCS 6.2.1.2) and in every exception
//! frame (CCR.STKALIGN, which the start sets), and the first kind has an odd number of words.
//!
//! - *Left by itself*: R6, R7 (which inline assembly cannot name as changed) and where to go on, on ARMv7-M without the bit that says
//!   Thumb. Everything else the compiler has saved, if it needed it.
//! - *Pre-empted*: the hardware's exception frame, and below it all registers that it does not save.

use core::arch::asm;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

#[cfg(basepri)]
use mainspring_core::threads::Waiting;
use mainspring_core::threads::{LENT, Scheduler, bit, is_before, is_member};
use mainspring_core::{SWITCH, Vector, threshold};

#[cfg(basepri)]
use super::basepri::set_priority;
#[cfg(enable_bits)]
use super::enable_bits::set_priority;
use super::registers::{ICSR, ICSR_PENDSVSET, write};
use super::section::{end_section_of_thread, is_held};
#[cfg(basepri)]
use super::section::{is_global, primask};
use crate::device::Device;
use crate::model::Threaded;
use crate::model::{App, PlanOf};
use crate::threads::state::of;
#[cfg(basepri)]
use crate::threads::state::offset;
#[cfg(enable_bits)]
use crate::threads::state::slot;
use crate::threads::{First, Section};

/// SysTick control and status (ARMv7-M ARM B3.3.3), reload value, current value.
const SYST_CSR: usize = 0xe000_e010;
const SYST_RVR: usize = 0xe000_e014;
const SYST_CVR: usize = 0xe000_e018;
/// Configuration and control (B3.2.8): frames of exceptions are aligned to 8 bytes.
const CCR: usize = 0xe000_ed14;
const CCR_STKALIGN: u32 = 1 << 9;

/// Bytes of a stack on which a switch has room for what it saves, and then some.
pub(crate) const LEAST_STACK: usize = 128;

/// Whether a waiting thread loads the state that decides the next thread before it stores anything. True where there are enough registers.
pub(crate) const CHOOSES_AHEAD: bool = cfg!(basepri);

/// The running thread may leave by [`switch`] now. Made of what said so: a 0 that is in a register already, for BASEPRI.
#[derive(Clone, Copy)]
pub(crate) struct Leave(pub(super) usize);

impl Leave {
    /// A 0 that is in a register already.
    #[inline(always)]
    pub(crate) fn zero(self) -> usize {
        self.0
    }
}

/// Whether [`switch`] can go to the stack of `next`, and the running thread may leave by it now, while the word of those who contend
/// is `contending`: `next` is among them, and nobody lends. Each is a bit, so that there is one branch.
#[inline(always)]
pub(crate) fn may_hand_over<A: App>(stack: usize, contending: u32, next: usize) -> Option<Leave> {
    // From where a word has its members to where a stack has its bit; whether anybody lends, to the lowest.
    let (right, lent) = if const { LENT == 1 && bit(0) == 1 << 31 } {
        (
            31_u32.wrapping_sub(LEFT_BIT).wrapping_sub(next as u32),
            contending & LENT,
        )
    } else {
        const { assert!(LENT == 1 << 31 && bit(0) == 1 || LENT == 1) };
        ((next as u32).wrapping_sub(LEFT_BIT), contending >> 31)
    };
    unless::<A>(stack & contending.rotate_right(right) as usize, lent as usize)
}

/// Whether [`switch`] can go to this stack, and the running thread may leave by it now.
#[inline(always)]
pub(crate) fn may_switch<A: App>(stack: usize) -> Option<Leave> {
    unless::<A>(stack, 0)
}

/// As [`may_switch`], and `next` is not among the `special` threads.
#[inline(always)]
pub(crate) fn may_switch_to<A: App>(stack: usize, special: u32, next: usize) -> Option<Leave> {
    #[cfg(basepri)]
    if const { !is_global::<A>() && A::Device::OWNS_BASEPRI } {
        // Whatever speaks against it, in the highest bit.
        let primask = primask();
        let left = (stack & !used_fpu()) << (31 - LEFT_BIT);
        let no = shifted_out(special, next) | (primask << 31) as u32 | !(left as u32);
        return (no as i32 >= 0).then_some(Leave(primask));
    }
    if is_member(special, next) {
        return None;
    }
    may_switch::<A>(stack)
}

/// `word`, with the bit of the thread of rank `next` as its highest.
#[cfg(basepri)]
#[inline(always)]
fn shifted_out(word: u32, next: usize) -> u32 {
    const { assert!(bit(0) == 1 << 31) };
    // SAFETY: ranks are below 32.
    unsafe { word.unchecked_shl(next as u32) }
}

/// The most urgent of `members`, of which there is at least one. Loads that follow one another take a cycle each, and the compiler would
/// put something between them.
#[cfg(basepri)]
#[inline(always)]
#[allow(clippy::unnecessary_wraps)] // The seam: other cores find nobody.
pub(crate) fn find_first(kernel: &Scheduler, members: u32) -> Option<First> {
    const { assert!(bit(0) == 1 << 31) };
    let (rank, contending, special, stack, word);
    // SAFETY: there is a slot for every member.
    unsafe {
        asm!(
            "clz {rank}, {members}",
            "add.w {word}, {kernel}, {rank}, lsl #{shift}",
            "ldr {contending}, [{kernel}, #{contending_at}]",
            "ldr {special}, [{kernel}, #{special_at}]",
            "ldr {stack}, [{word}, #{slots}]",
            "ldr {word}, [{word}, #{word_at}]",
            kernel = in(reg) core::ptr::from_ref::<Scheduler>(kernel).cast::<u32>(),
            members = in(reg) members,
            rank = out(reg) rank,
            contending = out(reg) contending,
            special = out(reg) special,
            stack = out(reg) stack,
            word = out(reg) word,
            shift = const offset::SLOT_SHIFT,
            contending_at = const offset::CONTENDING,
            special_at = const offset::SPECIAL,
            slots = const offset::SLOTS,
            word_at = const offset::SLOTS + offset::WORD,
            options(readonly, nostack, preserves_flags)
        );
        core::hint::assert_unchecked(rank < 32);
    }
    Some(First {
        rank,
        waiting: Waiting::of(members, contending, special),
        stack,
        word,
    })
}

/// As above. Nothing: loads take as long wherever they are.
#[cfg(enable_bits)]
#[inline(always)]
pub(crate) fn find_first(_kernel: &Scheduler, _members: u32) -> Option<First> {
    None
}

/// As above, where the thread of this stack waits: it left by itself, unless it has used the floating-point unit. Not if `no` is
/// other than 0.
#[inline(always)]
pub(crate) fn may_go_on<A: App>(stack: usize, no: usize) -> Option<Leave> {
    #[cfg(all(basepri, not(float)))]
    if const { !is_global::<A>() && A::Device::OWNS_BASEPRI } {
        let no = primask() | no;
        let leave = Leave(unknown(no));
        return (no == 0).then_some(leave);
    }
    if no == 0 { may_switch::<A>(stack) } else { None }
}

/// As [`may_go_on`], where `who` is a bit of a word and must be more than `others`.
#[inline(always)]
pub(crate) fn may_go_on_before<A: App>(stack: usize, who: u32, others: u32) -> Option<Leave> {
    #[cfg(all(basepri, not(float)))]
    if const { !is_global::<A>() && A::Device::OWNS_BASEPRI } {
        let primask = primask();
        // Held back by somebody, it is not: no bit is more than the highest.
        return ((others | (primask << 31) as u32) < who).then_some(Leave(primask));
    }
    if is_before(who, others) {
        may_switch::<A>(stack)
    } else {
        None
    }
}

/// The same number, of which the compiler does not know that it is: it would load it anew, or work it out in another order.
#[cfg(basepri)]
#[inline(always)]
fn unknown(mut number: usize) -> usize {
    // SAFETY: no instruction.
    unsafe { asm!("/* {} */", inout(reg) number, options(nomem, nostack, preserves_flags)) };
    number
}

/// As above; not if `no` is 1.
#[inline(always)]
fn unless<A: App>(stack: usize, no: usize) -> Option<Leave> {
    #[cfg(basepri)]
    if const { !is_global::<A>() && A::Device::OWNS_BASEPRI } {
        let primask = primask();
        return can_leave(stack & !((primask | no) << LEFT_BIT), primask);
    }
    can_leave(stack & !(no << LEFT_BIT), 0).filter(|_| !is_held::<A>())
}

/// The bit of a stack's address that says that its thread has left by itself.
const LEFT_BIT: u32 = 2;

/// Whether `switch` can go to this stack, and the running thread may leave by it. The two are one bit of each, so that there is
/// one branch.
#[inline(always)]
fn can_leave(stack: usize, zero: usize) -> Option<Leave> {
    // One bit is cleared after the other (BIC): put together first, they would have to be inverted before.
    #[cfg(all(basepri, float))]
    let stack = unknown(stack);
    (stack & !used_fpu() & (1 << LEFT_BIT) != 0).then_some(Leave(zero))
}

/// Whether `switch` can go to this stack, and the running thread may leave by it, where a register less counts for more than a
/// branch: in a function of its own.
#[inline(always)]
pub fn can_switch_apart(stack: usize) -> bool {
    stack & (1 << LEFT_BIT) != 0 && can_leave_by_itself()
}

/// Whether the running thread may leave by itself: its floating-point registers are the exception's business.
#[inline(always)]
pub fn can_leave_by_itself() -> bool {
    used_fpu() & (1 << LEFT_BIT) == 0
}

/// In bit 2, whether the running thread has used the floating-point unit: then its registers are the exception's business.
#[cfg(float)]
#[inline(always)]
fn used_fpu() -> usize {
    let control;
    // SAFETY: reading CONTROL has no effect.
    unsafe { asm!("mrs {}, CONTROL", out(reg) control, options(nomem, nostack, preserves_flags)) };
    control
}

#[cfg(not(float))]
#[inline(always)]
fn used_fpu() -> usize {
    0
}

/// Behind a switch the section is over: it ends as soon as the next one's stack is in place, which costs nothing there, and
/// nobody has to end it again.
pub(crate) const BEHIND_SWITCH: Section = Section::Over;

/// Leaves a thread by itself: says that `$next` runs, saves what it has to, and goes where the rest says, which keeps the
/// stack's address and may change R1 and R2. Where to go on has no bit that says Thumb, as POP would want it: an exception's frame must
/// not have it, and MOV to PC needs none.
#[cfg(basepri)]
macro_rules! leave {
    ($t:ty, $kernel:expr, $next:ident, $($go:literal),*; $($operand:tt)*) => {
        asm!(
            "str {next}, [r5, #{running}]",
            "adr.w lr, 2f",
            "push {{r6, r7, lr}}",
            $($go,)*
            ".p2align 2",
            "2:",
            left = const const { offset::SLOTS + (<$t as Threaded>::RANK << offset::SLOT_SHIFT) },
            running = const offset::RUNNING,
            inout("r5") core::ptr::from_ref::<Scheduler>($kernel).cast::<u32>() => _,
            next = in(reg) $next,
            $($operand)*
            lateout("r0") _, lateout("r3") _, lateout("r4") _, lateout("r8") _, lateout("r9") _, lateout("r10") _,
            lateout("r11") _, lateout("r12") _, out("lr") _,
        )
    };
}

/// Leaves the thread `T` of `kernel` and continues `next`, on `stack`; comes back when a switch goes to `T`.
///
/// # Safety
///
/// The kernel's section is held by `T`, which runs. `stack` is that of a thread that left by this function, or has never run, of
/// which `leave` was made. The section is over after it.
#[cfg(basepri)]
#[inline(always)]
pub(crate) unsafe fn switch<T: Threaded>(kernel: &Scheduler, next: usize, stack: usize, leave: Leave) {
    let zero = leave.0;
    // SAFETY: the caller's promise. What is not in the list is on the stack. The section ends when the next one's stack is in place:
    // an interrupt that comes then finds that, and below it a frame that has been read. The store comes after the LDM, which would
    // have to wait for it.
    unsafe {
        if const { is_global::<T::App>() } {
            leave!(T, kernel, next, "ldmia r1!, {{r6, r7, lr}}", "str.w sp, [r5, #{left}]", "mov sp, r1", "cpsie i", "mov pc, lr";
                inout("r1") stack => _, lateout("r2") _,);
        } else if cfg!(feature = "unlock-isb") {
            leave!(T, kernel, next, "ldmia r1!, {{r6, r7, lr}}", "str.w sp, [r5, #{left}]", "mov sp, r1", "msr BASEPRI, r2", "isb", "mov pc, lr";
                inout("r1") stack => _, inout("r2") zero => _,);
        } else {
            leave!(T, kernel, next, "ldmia r1!, {{r6, r7, lr}}", "str.w sp, [r5, #{left}]", "mov sp, r1", "msr BASEPRI, r2", "mov pc, lr";
                inout("r1") stack => _, inout("r2") zero => _,);
        }
    }
}

/// The text of a switch by [`switch`] or [`leave`](super::leave), where the upper registers can be reached by moves alone: leaves a
/// frame of the first kind that continues after this, keeps its address where R0 says, and continues with the frame in R1.
#[cfg(enable_bits)]
macro_rules! change_stacks {
    ($end:literal) => {
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
            $end,
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
pub(crate) unsafe fn switch<T: Threaded>(kernel: &Scheduler, next: usize, stack: usize, _leave: Leave) {
    kernel.switch_to(next);
    // SAFETY: as above.
    unsafe {
        asm!(
            change_stacks!("cpsie i\n"),
            "2:",
            inout("r0") slot::<T::App>(T::RANK).stack.as_ptr() => _,
            inout("r1") stack => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r12") _, out("lr") _,
        );
    }
}

/// Words of a frame of the first kind.
pub(super) const FRAME: usize = if cfg!(basepri) { 3 } else { 7 };

/// A frame of the first kind for a thread that begins with `entry`, on the stack that ends at `end`.
///
/// # Safety
///
/// There is room, and it is unused.
pub unsafe fn first_frame(end: *mut u64, entry: extern "C" fn() -> !) -> usize {
    // SAFETY: the caller's promise; a stack is aligned to 8.
    unsafe {
        let frame = end.cast::<usize>().sub(FRAME);
        for word in 0..FRAME - 1 {
            frame.add(word).write(0);
        }
        frame.add(FRAME - 1).write(if cfg!(basepri) {
            entry as usize & !1 // See `leave!`.
        } else {
            entry as usize
        });
        frame.expose_provenance()
    }
}

/// Asks for the switch: it happens when nothing holds it back. In the kernel's section.
#[inline(always)]
pub(crate) fn pend_switch<A: App>() {
    // Where PendSV does not always check the running thread, see `pendsv`.
    if const { cfg!(basepri) && PlanOf::<A>::PLAN.order().equals() != 0 } {
        of::<A>().mind_turn(const { PlanOf::<A>::PLAN.order().equals() });
    }
    pend_any_switch();
}

/// As [`pend_switch`], where the next thread is known: the exception finds it just as fast.
#[inline(always)]
pub(crate) fn pend_switch_to<A: App>(_rank: usize) {
    pend_switch::<A>();
}

/// As [`pend_switch`], where the running thread's turn has already been dealt with.
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam: on other cores the switch is a bit of the application's.
pub(crate) fn pend_minded_switch<A: App>() {
    pend_any_switch();
}

/// As [`pend_switch_to`], where the running thread's turn has already been dealt with.
#[inline(always)]
pub(crate) fn pend_minded_switch_to<A: App>(_rank: usize) {
    pend_minded_switch::<A>();
}

/// As above, of whatever application.
#[inline(always)]
pub(crate) fn pend_any_switch() {
    compiler_fence(SeqCst);
    // SAFETY: a switch that is not needed does nothing.
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
    // SAFETY: the caller's promise: any code that comes now finds a complete state. After the ISB the switch has happened.
    unsafe {
        write(ICSR, ICSR_PENDSVSET);
        end_section_of_thread::<A>();
        asm!("isb", options(nostack, preserves_flags));
    }
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

/// The stack pointer of the thread that an exception stopped: below what the hardware saved there.
#[inline(always)]
pub(crate) fn stack_of_thread() -> usize {
    let stack;
    // SAFETY: reading the stack pointer has no effect.
    unsafe { asm!("mrs {}, PSP", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    stack
}
