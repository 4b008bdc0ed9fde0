//! From thread to thread.
//!
//! What is asked of an exception elsewhere is here a bit among those of the tasks: `threads (switch NAME)` says which interrupt
//! of the chip nobody uses. It is set in the mask while a thread runs outside of every section, so whoever sets mask bits, or
//! comes back from a trap, finds in [`ASKED`] that a switch is wanted, and in the mask that it may happen.
//!
//! The kernel's own sections hold every interrupt back by `mstatus.MIE`: one instruction at each end, and bounded.
//!
//! Threads have their own stacks, handlers and tasks the one that the program starts on. `mscratch` says which is in use: there
//! the handlers' stack waits while a thread runs, and 0 stands there while a task does. The first word of a frame on the stack
//! of a thread that does not run is where it goes on, so the switch need not know how the thread was left:
//!
//! - *Switched by itself*: that place, and `s0` and `s1`, which inline assembly cannot name as changed. Everything else the
//!   compiler has saved, if it needed it. The section is the thread's to end.
//! - *Pre-empted*: that place, which is in the trap's handler, and all registers.

use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring_core::threads::{LENT, Scheduler, bit as member, is_before, is_member};
use mainspring_core::{Action, IDLE};

use super::bits::switch_bit;
use super::csr::{self, MIE};
use super::requests::{ASKED, hold, release};
use super::start;
use crate::guard;
use crate::level::Transition;
use crate::model::Threaded;
use crate::model::{App, PlanOf};
use crate::threads::state::{of, offset, slot};
use crate::threads::{First, Section};

pub(super) mod interrupt;

/// Bytes of a stack on which every kind of frame has room, and then some.
pub(crate) const LEAST_STACK: usize = 256;

/// Bytes of the frame of a thread that left by itself.
const FRAME: usize = 16;

/// A waiting thread loads the state that decides the next one before it stores anything.
pub(crate) const CHOOSES_AHEAD: bool = true;

/// Nothing: the usual way to a waiting thread takes less here.
#[inline(always)]
pub(crate) fn find_first(_kernel: &Scheduler, _members: u32) -> Option<First> {
    None
}

/// The running thread may leave by [`switch`] now.
#[derive(Clone, Copy)]
pub(crate) struct Leave;

impl Leave {
    /// A 0.
    #[inline(always)]
    #[allow(clippy::unused_self)] // The seam: elsewhere it is in a register.
    pub(crate) fn zero(self) -> usize {
        0
    }
}

/// Every frame can be gone to, unless other code holds interrupts back.
#[inline(always)]
pub(crate) fn may_switch<A: App>(_stack: usize) -> Option<Leave> {
    (!is_held::<A>()).then_some(Leave)
}

/// As [`may_switch`]; not if `next` is among the `special` threads.
#[inline(always)]
pub(crate) fn may_switch_to<A: App>(stack: usize, special: u32, next: usize) -> Option<Leave> {
    if is_member(special, next) {
        return None;
    }
    may_switch::<A>(stack)
}

/// As above; not if `no` is other than 0. One branch for both.
#[inline(always)]
pub(crate) fn may_go_on<A: App>(_stack: usize, no: usize) -> Option<Leave> {
    (no as u32 | (of::<A>().around.get() ^ MIE) == 0).then_some(Leave)
}

/// As above, where `who` is a member more urgent than all of `others`.
#[inline(always)]
pub(crate) fn may_go_on_before<A: App>(stack: usize, who: u32, others: u32) -> Option<Leave> {
    let no = if const { member(0) == 1 } {
        others & (who | who.wrapping_sub(1))
    } else {
        u32::from(!is_before(who, others))
    };
    may_go_on::<A>(stack, no as usize)
}

/// Whether interrupts were held back already when the running thread began the kernel's section: then no other thread may run
/// before that ends.
#[inline(always)]
pub(crate) fn is_held<A: App>() -> bool {
    of::<A>().around.get() == 0
}

/// As [`may_switch`], while the word of those who contend is `contending`: `next` is among them, and nobody lends.
#[inline(always)]
pub(crate) fn may_hand_over<A: App>(stack: usize, contending: u32, next: usize) -> Option<Leave> {
    (contending & (LENT | member(next)) == member(next))
        .then(|| may_switch::<A>(stack))
        .flatten()
}

/// Leaves the thread `T` and continues `next`, on `stack`; comes back when a switch goes to `T`.
///
/// # Safety
///
/// The kernel's section is held by `T`, which runs. `stack` is that of `next`, which does not run. The section is the next
/// one's to end.
#[inline(always)]
pub(crate) unsafe fn switch<T: Threaded>(kernel: &Scheduler, next: usize, stack: usize, _leave: Leave) {
    // SAFETY: the caller's promise. What is not in the list is on the stack.
    unsafe {
        asm!(
            "lw ra, 0({stack})",
            "lla {kept}, 2f",
            "addi sp, sp, -{frame}",
            "sw {kept}, 0(sp)",
            "sw s0, 4(sp)",
            "sw s1, 8(sp)",
            "sw sp, {left}({kernel})",
            "sw {next}, {running}({kernel})",
            "mv sp, {stack}",
            "jr ra",
            "2: lw s0, 4(sp)",
            "lw s1, 8(sp)",
            "addi sp, sp, {frame}",
            frame = const FRAME,
            left = const const { offset::SLOTS + (T::RANK << offset::SLOT_SHIFT) },
            running = const offset::RUNNING,
            kernel = in(reg) core::ptr::from_ref(kernel).cast::<u32>(),
            stack = in(reg) stack,
            next = in(reg) next,
            kept = out(reg) _,
            lateout("ra") _,
            lateout("t0") _, lateout("t1") _, lateout("t2") _, lateout("t3") _, lateout("t4") _, lateout("t5") _, lateout("t6") _,
            lateout("a0") _, lateout("a1") _, lateout("a2") _, lateout("a3") _,
            lateout("a4") _, lateout("a5") _, lateout("a6") _, lateout("a7") _,
            lateout("s2") _, lateout("s3") _, lateout("s4") _, lateout("s5") _, lateout("s6") _,
            lateout("s7") _, lateout("s8") _, lateout("s9") _, lateout("s10") _, lateout("s11") _,
        );
    }
}

/// Continues the thread that should run in place of the running one. Comes back when that one runs again; the section is held.
///
/// # Safety
///
/// The kernel's section is held by the running thread, outside of every other section.
#[cold]
#[inline(never)]
pub(crate) unsafe fn switch_by_exception<A: App>() {
    let kernel = of::<A>();
    let running = kernel.running.get() as usize;
    let next = kernel.preempt();
    if next == running {
        return;
    }
    kernel.switch_to(next);
    // SAFETY: the caller's promise: the slots are those of the two threads.
    unsafe { leave(slot::<A>(running).stack.as_ptr(), slot::<A>(next).stack.get()) };
}

/// Leaves the running thread, keeps its stack at `place`, and goes on at the frame `stack`.
#[unsafe(naked)]
unsafe extern "C" fn leave(place: *mut usize, stack: usize) {
    naked_asm!(
        "addi sp, sp, -64",
        "lla t0, 2f",
        "sw t0, 0(sp)",
        "sw s0, 4(sp)",
        "sw s1, 8(sp)",
        "sw ra, 12(sp)",
        "sw s2, 16(sp)",
        "sw s3, 20(sp)",
        "sw s4, 24(sp)",
        "sw s5, 28(sp)",
        "sw s6, 32(sp)",
        "sw s7, 36(sp)",
        "sw s8, 40(sp)",
        "sw s9, 44(sp)",
        "sw s10, 48(sp)",
        "sw s11, 52(sp)",
        "sw sp, 0(a0)",
        "mv sp, a1",
        "lw t0, 0(sp)",
        "jr t0",
        "2: lw s0, 4(sp)",
        "lw s1, 8(sp)",
        "lw ra, 12(sp)",
        "lw s2, 16(sp)",
        "lw s3, 20(sp)",
        "lw s4, 24(sp)",
        "lw s5, 28(sp)",
        "lw s6, 32(sp)",
        "lw s7, 36(sp)",
        "lw s8, 40(sp)",
        "lw s9, 44(sp)",
        "lw s10, 48(sp)",
        "lw s11, 52(sp)",
        "addi sp, sp, 64",
        "ret",
    )
}

/// A frame for a thread that begins with `entry`, on the stack that ends at `end`.
///
/// # Safety
///
/// There is room, and it is unused.
pub(crate) unsafe fn first_frame(end: *mut u64, entry: extern "C" fn() -> !) -> usize {
    // The calling convention aligns a stack to 16 bytes.
    let end = end.map_addr(|end| end & !15).cast::<usize>();
    // SAFETY: the caller's promise.
    unsafe {
        let frame = end.byte_sub(FRAME);
        frame.write(entry as usize);
        frame.expose_provenance()
    }
}

/// The end of the kernel's section, for a thread that has none on its own stack.
///
/// # Safety
///
/// The running thread is outside of every section but the kernel's.
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam: elsewhere the section is the application's.
pub(crate) unsafe fn end_first_section<A: App>() {
    // SAFETY: the caller's promise.
    unsafe { csr::allow() };
}

/// After a switch the section is held, and no other section is around it.
pub(crate) const BEHIND_SWITCH: Section = Section::Over;

/// The same reference.
#[inline(always)]
pub(crate) fn here(kernel: &'static Scheduler) -> &'static Scheduler {
    kernel
}

/// Every frame can be gone to: there is no other way.
///
/// # Safety
///
/// None is needed: nothing is done.
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam.
pub(crate) unsafe fn leave_to_exception<T: Threaded>() -> Option<(usize, usize, Leave)> {
    None
}

pub(crate) use leave_to_exception as wait_for_exception;

/// Whether a thread goes to a pre-empted one as to any other.
pub(crate) const GOES_TO_PREEMPTED: bool = true;

/// Begins the kernel's section of a thread again that has waited in it. It is held already: the code that switches hands it over.
#[inline(always)]
pub(crate) fn begin_section_again<A: App>(section: Section) {
    if section == Section::Over {
        of::<A>().around.set(MIE); // Else it could not have waited.
    }
}

/// The kernel's section of a thread.
///
/// # Safety
///
/// The code is that of a thread, outside of every section of the kernel's.
#[inline(always)]
pub(crate) unsafe fn section_of_thread<A: App, O>(f: impl FnOnce() -> (O, Section)) -> O {
    let before = hold() & MIE;
    of::<A>().around.set(before);
    let (out, section) = f();
    // SAFETY: this is what it found; interrupts came then, if it has switched.
    unsafe {
        match section {
            Section::Held => csr::release(before),
            Section::Over => csr::allow(),
        }
    }
    out
}

/// The same: the code that switches hands the section over.
///
/// # Safety
///
/// As for [`section_of_thread`].
#[inline(always)]
pub(crate) unsafe fn section_of_waiter<A: App, O>(f: impl FnOnce() -> (O, Section)) -> O {
    // SAFETY: the caller's promise.
    unsafe { section_of_thread::<A, O>(f) }
}

/// Asks for the switch: it happens when nothing holds it back. In the kernel's section.
#[inline(always)]
pub(crate) fn pend_switch<A: App>() {
    let equals = const { PlanOf::<A>::PLAN.order().equals() };
    if equals != 0 {
        of::<A>().mind_turn(equals);
    }
    pend_minded_switch::<A>();
}

/// As [`pend_switch`], where the running thread's turn has already been dealt with.
#[inline(always)]
pub(crate) fn pend_minded_switch<A: App>() {
    // A task at the kernel's ceiling has no section of its own around this, and more urgent ones change the word, too.
    let before = hold();
    ASKED.store(ASKED.load(Relaxed) | const { switch_bit::<A>() }, Relaxed);
    // SAFETY: this is what it found.
    unsafe { release(before) };
}

/// As [`pend_switch`], for the thread of this rank, which was woken and is the most urgent.
#[inline(always)]
pub(crate) fn pend_switch_to<A: App>(rank: usize) {
    be_first(rank);
    pend_switch::<A>();
}

/// As [`pend_switch`], where the running thread's turn has already been dealt with.
#[inline(always)]
pub(crate) fn pend_minded_switch_to<A: App>(rank: usize) {
    be_first(rank);
    pend_minded_switch::<A>();
}

#[inline(always)]
fn be_first(rank: usize) {
    FIRST[0].store(member(rank), Relaxed);
    FIRST[1].store(rank as u32, Relaxed);
}

/// Who was the most urgent when a switch was last asked for, as a member of a word and as a rank: whoever chooses may find that it still
/// is, which takes less than to find out who is. Before that it is a pair like any other: a word without a member would look like one that all
/// have.
static FIRST: [AtomicU32; 2] = [AtomicU32::new(member(0)), AtomicU32::new(0)];

/// The kernel's section: no other code that may wake threads runs meanwhile.
///
/// # Safety
///
/// The code runs at the level at which the way `W` starts.
#[inline(always)]
pub(crate) unsafe fn kernel_section<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    if const { matches!(W::ACTION, Action::Nothing) } {
        return f();
    }
    let before = hold() & MIE;
    if const { !W::ASKS } {
        of::<W::App>().around.set(before);
    }
    let out = f();
    // SAFETY: this is what it found.
    unsafe { csr::release(before) };
    // A thread has switched by itself, and inside of a section its end looks; the idle loop can do neither.
    if const { W::ASKS && W::FROM.priority == IDLE } {
        // SAFETY: the mask says whether the code is below the switch.
        unsafe { start::start_asked::<W::App>(const { switch_bit::<W::App>() }) };
    }
    out
}

/// The kernel's section, in a thread, inside of other sections or not.
#[inline(always)]
pub(crate) fn kernel_section_anywhere<A: App, O>(f: impl FnOnce() -> O) -> O {
    let before = hold();
    let out = f();
    // SAFETY: this is what it found; the mask says whether the code is below the switch.
    unsafe {
        release(before);
        start::start_asked::<A>(const { switch_bit::<A>() });
    }
    out
}

/// Makes this the idle loop, on the stack that ends at `stack`; the present one is the handlers' from now on. The threads
/// begin when interrupts are let through.
///
/// # Safety
///
/// Interrupts are off, the application is being started, and nothing else uses the stack.
pub(crate) unsafe fn start_threads<A: App>(stack: *mut u64, idle: extern "C" fn() -> !) -> ! {
    pend_switch::<A>();
    if const { guard::is_wanted::<A>() } {
        // SAFETY: as below. The trap has to know what it finds in `mscratch`.
        unsafe {
            asm!(
                "csrw mscratch, sp",
                "sw sp, 0({handlers})",
                "andi sp, {stack}, -16",
                "jr {idle}",
                handlers = in(reg) super::guard::HANDLERS.as_ptr(),
                stack = in(reg) stack,
                idle = in(reg) idle,
                options(noreturn)
            )
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "csrw mscratch, sp",
            "andi sp, {stack}, -16",
            "jr {idle}",
            stack = in(reg) stack,
            idle = in(reg) idle,
            options(noreturn)
        )
    }
}

/// Starts all tasks that may start, on the handlers' stack, wherever the code is.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn serve_on_the_handlers_stack<A: App>() {
    naked_asm!(
        "csrrw t0, mscratch, zero",
        "beqz t0, {serve}",
        "addi t1, t0, -16",
        "sw sp, 0(t1)",
        "sw ra, 4(t1)",
        "sw t0, 8(t1)",
        "mv sp, t1",
        "call {serve}",
        "lw t0, 8(sp)",
        "lw ra, 4(sp)",
        "lw sp, 0(sp)",
        "csrw mscratch, t0",
        "ret",
        serve = sym start::serve::<A>,
    )
}

/// Switches, if that was asked for and nothing holds it back.
///
/// # Safety
///
/// Interrupts are held back, by the caller alone, and the mask says at which level the code runs.
#[inline(always)]
pub(super) unsafe fn switch_if_asked<A: App>() {
    let switch = const { switch_bit::<A>() };
    if ASKED.load(Relaxed) & csr::mask::<A>() & switch != 0 {
        ASKED.store(ASKED.load(Relaxed) & !switch, Relaxed);
        // SAFETY: a thread outside of every section, as its bit in the mask says.
        unsafe { switch_by_exception::<A>() };
    }
}

/// There is no such thread.
///
/// # Safety
///
/// None is needed.
pub(crate) unsafe fn guard_of_nobody() -> usize {
    0
}
