//! From an interrupted thread to the tasks, and on to the thread that runs then.

use core::arch::naked_asm;
use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::threads::{bit as member, is_member, top};

use super::super::bits::switch_bit;
use super::super::entry::ways_to_the_interrupt;
use super::super::requests::ASKED;
use super::super::{csr, guard, plic};
use super::FIRST;
use crate::model::{App, Tasks};
use crate::threads::state::{of, offset, slot};

/// Where a trap goes on.
#[repr(C)]
struct Next {
    /// The frame of another thread; 0 for the same one.
    frame: usize,
    /// Where the frame of the interrupted thread is to be kept then.
    place: *mut usize,
}

/// The work of a trap between saving and restoring registers: starts the tasks. The kernel's state, if a thread is to be chosen then, else 0.
///
/// Mostly one task starts and nothing is left: that is the straight way, without a jump.
///
/// # Safety
///
/// Called by the trap's handler alone, with interrupts held back; the mask is the interrupted code's.
unsafe extern "C" fn serve_and_look<A: App>() -> usize {
    let switch = const { switch_bit::<A>() };
    // SAFETY: interrupts are held back.
    let mut wanted = unsafe { look::<A>() };
    if wanted & !switch != 0 {
        // SAFETY: these tasks are above the level, which is what a set bit means, and wanted.
        unsafe { A::Tasks::start_most_urgent(wanted) };
        // SAFETY: as above.
        wanted = unsafe { look::<A>() };
        if wanted & !switch != 0 {
            cold_path();
            // SAFETY: as above.
            wanted = unsafe { serve_others::<A>(wanted) };
        }
    }
    if wanted == 0 {
        return 0;
    }
    // The bit is set in the mask of a thread outside of every section: that one was interrupted.
    ASKED.store(ASKED.load(Relaxed) & !switch, Relaxed);
    ptr::from_ref(of::<A>()).addr()
}

/// The wanted tasks that may start now.
///
/// # Safety
///
/// Interrupts are held back.
#[inline(always)]
unsafe fn look<A: App>() -> u32 {
    // SAFETY: the caller's promise.
    unsafe { plic::collect::<A>() };
    (csr::lines::<A>() | ASKED.load(Relaxed)) & csr::mask::<A>()
}

/// Starts the `wanted` tasks, and those wanted by then. Returns the rest.
///
/// # Safety
///
/// As for [`serve_and_look`].
#[cold]
#[inline(never)]
unsafe fn serve_others<A: App>(mut wanted: u32) -> u32 {
    while wanted & const { !switch_bit::<A>() } != 0 {
        // SAFETY: as there.
        unsafe { A::Tasks::start_most_urgent(wanted) };
        // SAFETY: as there.
        wanted = unsafe { look::<A>() };
    }
    wanted
}

/// The thread to continue, where that is not simply the one woken last.
///
/// # Safety
///
/// As for [`serve_and_look`].
unsafe extern "C" fn choose<A: App>() -> Next {
    let kernel = of::<A>();
    let running = kernel.running.get() as usize;
    let first = top(kernel.contending.get());
    let next = if is_member(kernel.special.get(), first) {
        preempt::<A>()
    } else {
        first
    };
    if next == running {
        return Next {
            frame: 0,
            place: ptr::null_mut(),
        };
    }
    kernel.switch_to(next);
    Next {
        frame: slot::<A>(next).stack.get(),
        place: slot::<A>(running).stack.as_ptr(),
    }
}

#[cold]
#[inline(never)]
fn preempt<A: App>() -> usize {
    of::<A>().preempt()
}

ways_to_the_interrupt!();

// With guards `t0` waits in `mscratch`, and what was there comes back from where it is noted: the handlers' stack or, in a task, 0.
ways_to_the_interrupt! {
    guarded_vectors guarded_interrupt_or_exception
    [
        "csrrw t0, mscratch, t0" "beqz t0, 2f"
        "csrr t0, mcause" "bgez t0, 1f" "lla t0, {handlers}" "lw t0, 0(t0)" "csrrw t0, mscratch, t0" "j {interrupt}"
        "1: lla t0, {emergency}" "sw t1, 4(t0)" "li t1, 1" "j {look}"
        "2: csrr t0, mcause" "bgez t0, 3f" "csrrw t0, mscratch, zero" "j {interrupt}"
        "3: lla t0, {emergency}" "sw t1, 4(t0)" "li t1, 0" "j {look}"
    ]
    emergency = sym guard::EMERGENCY,
    handlers = sym guard::HANDLERS,
    look = sym guard::look::<A>,
}

/// From one less than the bit in `t5` to those that are as urgent and more: those up to it, or from it on (`threads::Word`).
#[cfg(not(target_feature = "zbb"))]
macro_rules! up_to {
    () => {
        "   or t6, t6, t5"
    };
}
#[cfg(target_feature = "zbb")]
macro_rules! up_to {
    () => {
        "   not t6, t6"
    };
}
const _: () = assert!((member(0) == 1) != cfg!(target_feature = "zbb"));

/// Saves the registers that a called function may change, and `mepc`; goes to the handlers' stack.
macro_rules! save {
    () => {
        concat!(
            "   addi sp, sp, -128\n",
            "   sw ra, 4(sp)\n",
            "   sw t0, 8(sp)\n",
            "   sw t1, 12(sp)\n",
            "   sw t2, 16(sp)\n",
            "   sw a0, 20(sp)\n",
            "   sw a1, 24(sp)\n",
            "   sw a2, 28(sp)\n",
            "   sw a3, 32(sp)\n",
            "   sw a4, 36(sp)\n",
            "   sw a5, 40(sp)\n",
            "   sw a6, 44(sp)\n",
            "   sw a7, 48(sp)\n",
            "   sw t3, 52(sp)\n",
            "   sw t4, 56(sp)\n",
            "   sw t5, 60(sp)\n",
            "   sw t6, 64(sp)\n",
            "   sw s0, 68(sp)\n",
            "   sw s1, 72(sp)\n",
            "   csrr t0, mepc\n",
            "   sw t0, 76(sp)\n",
            "   mv s0, sp\n",
            "   csrrw s1, mscratch, zero\n",
            "   beqz s1, 1f\n",
            "   mv sp, s1\n",
        )
    };
}

/// Returns to the interrupted code.
macro_rules! restore {
    () => {
        concat!(
            "2: lw t0, 76(sp)\n",
            "   csrw mepc, t0\n",
            "   li t0, 0x1880\n",
            "   csrs mstatus, t0\n",
            "   lw ra, 4(sp)\n",
            "   lw t0, 8(sp)\n",
            "   lw t1, 12(sp)\n",
            "   lw t2, 16(sp)\n",
            "   lw a0, 20(sp)\n",
            "   lw a1, 24(sp)\n",
            "   lw a2, 28(sp)\n",
            "   lw a3, 32(sp)\n",
            "   lw a4, 36(sp)\n",
            "   lw a5, 40(sp)\n",
            "   lw a6, 44(sp)\n",
            "   lw a7, 48(sp)\n",
            "   lw t3, 52(sp)\n",
            "   lw t4, 56(sp)\n",
            "   lw t5, 60(sp)\n",
            "   lw t6, 64(sp)\n",
            "   lw s0, 68(sp)\n",
            "   lw s1, 72(sp)\n",
            "   addi sp, sp, 128\n",
            "   mret\n",
        )
    };
}

/// Saves the other registers of the interrupted thread, and continues the next one.
macro_rules! change_threads {
    () => {
        concat!(
            // Another thread: the one that goes, then the one that comes.
            "6: lla t0, 4f\n",
            "   sw s0, {slots}(a1)\n",
            "   sw t0, 0(s0)\n",
            "   sw s2, 80(s0)\n",
            "   sw s3, 84(s0)\n",
            "   sw s4, 88(s0)\n",
            "   sw s5, 92(s0)\n",
            "   sw s6, 96(s0)\n",
            "   sw s7, 100(s0)\n",
            "   sw s8, 104(s0)\n",
            "   sw s9, 108(s0)\n",
            "   sw s10, 112(s0)\n",
            "   sw s11, 116(s0)\n",
            "   jr t1\n",
            "4: lw s2, 80(sp)\n",
            "   lw s3, 84(sp)\n",
            "   lw s4, 88(sp)\n",
            "   lw s5, 92(sp)\n",
            "   lw s6, 96(sp)\n",
            "   lw s7, 100(sp)\n",
            "   lw s8, 104(sp)\n",
            "   lw s9, 108(sp)\n",
            "   lw s10, 112(sp)\n",
            "   lw s11, 116(sp)\n",
            "   j 2b\n",
        )
    };
}

/// An interrupt, where there are threads. As without them (`trap::interrupt`), and: a thread's registers lie on its own stack,
/// everything else is done on the handlers'; and if another thread is to run, what the frame lacks is saved.
#[unsafe(naked)]
extern "C" fn interrupt<A: App>() {
    naked_asm!(
        save!(),
        "1: call {serve}",
        "   csrw mscratch, s1",
        "   bnez a0, 3f",
        "   mv sp, s0",
        restore!(),
        // The thread woken last continues, if it is the most urgent and not special.
        "3: lla t4, {first}",
        "   lw t1, {contending}(a0)",
        "   lw t5, 0(t4)",
        "   lw t4, 4(t4)",
        "   lw t2, {special}(a0)",
        "   lw t3, {running}(a0)",
        "   addi t6, t5, -1",
        up_to!(),
        "   and t6, t6, t1",
        "   and t2, t2, t5",
        "   bne t6, t5, 5f",
        "   bnez t2, 5f",
        "   beq t4, t3, 5f",
        "   slli t1, t4, {shift}",
        "   add t1, t1, a0",
        "   lw sp, {slots}(t1)",
        "   slli t3, t3, {shift}",
        "   add a1, t3, a0",
        "   sw t4, {running}(a0)",
        "   lw t1, 0(sp)",
        change_threads!(),
        "5: call {choose}",
        "   beqz a0, 7f",
        "   mv sp, a0",
        "   lw t1, 0(sp)",
        "   addi a1, a1, -{slots}",
        "   j 6b",
        "7: mv sp, s0",
        "   j 2b",
        serve = sym serve_and_look::<A>,
        choose = sym choose::<A>,
        first = sym FIRST,
        contending = const offset::CONTENDING,
        special = const offset::SPECIAL,
        running = const offset::RUNNING,
        slots = const offset::SLOTS,
        shift = const offset::SLOT_SHIFT,
    )
}
