//! From an interrupted thread to the tasks, and on to whoever runs then.

use core::arch::{asm, naked_asm};
use core::hint::cold_path;
use core::ptr;
use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::threads::{bit as member, is_top, top};

use super::super::{ASKED, csr, guard, plic, trap};
use super::{FIRST, switch_bit};
use crate::app::App;
use crate::task::Tasks;
use crate::threads::kernel::{of, slot};

/// Where a trap goes on.
#[repr(C)]
struct Next {
    /// The frame of another thread; 0 for the same one.
    frame: usize,
    /// Where the frame of the interrupted thread is to be kept then.
    place: *mut usize,
}

/// What a trap does beside saving: starts the tasks, and says where to go on.
///
/// # Safety
///
/// Called by the trap's handler alone, with interrupts held back; the mask is the interrupted code's.
unsafe extern "C" fn serve_and_choose<A: App>() -> Next {
    const SAME: Next = Next {
        frame: 0,
        place: ptr::null_mut(),
    };
    let switch = const { switch_bit::<A>() };
    let look = || {
        // SAFETY: interrupts are held back.
        unsafe { plic::collect::<A>() };
        let asked = ASKED.load(Relaxed);
        (asked, (csr::lines::<A>() | asked) & csr::mask::<A>())
    };
    let (mut asked, mut wanted) = look();
    while wanted & !switch != 0 {
        // SAFETY: these tasks are above the level, which is what a set bit means, and wanted.
        unsafe { A::Tasks::start_most_urgent(wanted) };
        (asked, wanted) = look();
        // SAFETY: no instruction: else the compiler would have both looks in one place, behind a jump.
        unsafe { asm!("/* {} */", inout(reg) wanted, options(nomem, nostack, preserves_flags)) };
    }
    if wanted == 0 {
        cold_path();
        return SAME;
    }
    // The bit is set in the mask of a thread outside of every section: that one was interrupted.
    ASKED.store(asked & !switch, Relaxed);
    let kernel = of::<A>();
    let (running, contending) = (kernel.running.get() as usize, kernel.contending.get());
    let woken = FIRST.load(Relaxed) as usize;
    let first = if is_top(contending, woken) {
        woken
    } else {
        cold_path();
        top(contending)
    };
    // Who has equals, and everybody while somebody lends, is thought of.
    let next = if kernel.special.get() & (member(running) | member(first)) == 0 {
        first
    } else {
        preempt::<A>()
    };
    if next == running {
        cold_path();
        return SAME;
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

trap::ways_to_the_interrupt!();

// With guards `t0` waits in `mscratch`, and what was there comes back from where it is noted: the handlers' stack or, in a task, 0.
trap::ways_to_the_interrupt! {
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

/// An interrupt, where there are threads. As without them (`trap::interrupt`), and: a thread's registers lie on its own stack,
/// everything else is done on the handlers'; and if another thread is to run, what the frame lacks is saved.
#[unsafe(naked)]
extern "C" fn interrupt<A: App>() {
    naked_asm!(
        "   addi sp, sp, -128",
        "   sw ra, 4(sp)",
        "   sw t0, 8(sp)",
        "   sw t1, 12(sp)",
        "   sw t2, 16(sp)",
        "   sw a0, 20(sp)",
        "   sw a1, 24(sp)",
        "   sw a2, 28(sp)",
        "   sw a3, 32(sp)",
        "   sw a4, 36(sp)",
        "   sw a5, 40(sp)",
        "   sw a6, 44(sp)",
        "   sw a7, 48(sp)",
        "   sw t3, 52(sp)",
        "   sw t4, 56(sp)",
        "   sw t5, 60(sp)",
        "   sw t6, 64(sp)",
        "   sw s0, 68(sp)",
        "   sw s1, 72(sp)",
        "   csrr t0, mepc",
        "   sw t0, 76(sp)",
        "   mv s0, sp",
        "   csrrw s1, mscratch, zero",
        "   beqz s1, 1f",
        "   mv sp, s1",
        "1: call {serve}",
        "   csrw mscratch, s1",
        "   bnez a0, 3f",
        "   mv sp, s0",
        "2: lw t0, 76(sp)",
        "   csrw mepc, t0",
        "   li t0, 0x1880",
        "   csrs mstatus, t0",
        "   lw ra, 4(sp)",
        "   lw t0, 8(sp)",
        "   lw t1, 12(sp)",
        "   lw t2, 16(sp)",
        "   lw a0, 20(sp)",
        "   lw a1, 24(sp)",
        "   lw a2, 28(sp)",
        "   lw a3, 32(sp)",
        "   lw a4, 36(sp)",
        "   lw a5, 40(sp)",
        "   lw a6, 44(sp)",
        "   lw a7, 48(sp)",
        "   lw t3, 52(sp)",
        "   lw t4, 56(sp)",
        "   lw t5, 60(sp)",
        "   lw t6, 64(sp)",
        "   lw s0, 68(sp)",
        "   lw s1, 72(sp)",
        "   addi sp, sp, 128",
        "   mret",
        // Another thread: the one that goes, then the one that comes.
        "3: lw t1, 0(a0)",
        "   mv sp, a0",
        "   lla t0, 4f",
        "   sw s0, 0(a1)",
        "   sw t0, 0(s0)",
        "   sw s2, 80(s0)",
        "   sw s3, 84(s0)",
        "   sw s4, 88(s0)",
        "   sw s5, 92(s0)",
        "   sw s6, 96(s0)",
        "   sw s7, 100(s0)",
        "   sw s8, 104(s0)",
        "   sw s9, 108(s0)",
        "   sw s10, 112(s0)",
        "   sw s11, 116(s0)",
        "   jr t1",
        "4: lw s2, 80(sp)",
        "   lw s3, 84(sp)",
        "   lw s4, 88(sp)",
        "   lw s5, 92(sp)",
        "   lw s6, 96(sp)",
        "   lw s7, 100(sp)",
        "   lw s8, 104(sp)",
        "   lw s9, 108(sp)",
        "   lw s10, 112(sp)",
        "   lw s11, 116(sp)",
        "   j 2b",
        serve = sym serve_and_choose::<A>,
    )
}
