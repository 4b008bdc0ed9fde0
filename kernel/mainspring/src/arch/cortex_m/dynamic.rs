//! The switch as a function, for threads that are no rows of a table. It saves the registers that a called function must preserve, and
//! then a frame of the first kind (`switch`).

use core::arch::{asm, naked_asm};

use super::registers::{ICSR, ICSR_PENDSVSET, SHPR3, write};
#[cfg(enable_bits)]
use super::switch::change_stacks;
use super::switch::{align_frames, begin_ticks};

/// The text of [`leave`], with what follows it.
#[cfg(basepri)]
macro_rules! leave {
    ($behind:literal) => {
        concat!(
            "push {{r3-r5, r8-r11, lr}}\n",
            "adr.w lr, 2f\n",
            "push {{r6, r7, lr}}\n",
            "ldmia r1!, {{r6, r7, lr}}\n",
            "str sp, [r0]\n",
            "mov sp, r1\n",
            "mov pc, lr\n",
            ".p2align 2\n",
            $behind,
        )
    };
}

/// Leaves the running thread, keeps its stack at `place`, and goes on at the frame `stack`; comes back when another thread continues the
/// frame that is kept.
///
/// # Safety
///
/// Interrupts are disabled, and the thread that continues enables them. `place` is the running thread's; `stack` is a frame of the first kind
/// ([`can_switch`](super::can_switch)).
#[cfg(basepri)]
#[unsafe(naked)]
pub unsafe extern "C" fn leave(place: *mut usize, stack: usize) {
    naked_asm!(leave!("2: pop {{r3-r5, r8-r11, pc}}"))
}

/// As [`leave`], and lets interrupts through when it comes back: for a caller that does nothing after it, and so need not save what
/// this saves. Returns 0.
///
/// # Safety
///
/// As for [`leave`].
#[cfg(basepri)]
#[unsafe(naked)]
pub unsafe extern "C" fn leave_at_last(place: *mut usize, stack: usize) -> i32 {
    naked_asm!(leave!("2: cpsie i\nmovs r0, #0\npop {{r3-r5, r8-r11, pc}}"))
}

/// As above, where the upper registers can be reached by moves alone.
///
/// # Safety
///
/// As above.
#[cfg(enable_bits)]
#[unsafe(naked)]
pub unsafe extern "C" fn leave(place: *mut usize, stack: usize) {
    naked_asm!(
        "push {{r3, r4, r5, lr}}",
        change_stacks!(""),
        "2: pop {{r3, r4, r5, pc}}",
    )
}

/// As above, for a caller that does nothing after it.
///
/// # Safety
///
/// As above.
#[cfg(enable_bits)]
#[unsafe(naked)]
pub unsafe extern "C" fn leave_at_last(place: *mut usize, stack: usize) -> i32 {
    naked_asm!(
        "push {{r3, r4, r5, lr}}",
        change_stacks!(""),
        "2: cpsie i",
        "movs r0, #0",
        "pop {{r3, r4, r5, pc}}",
    )
}

/// Other than 0 if interrupts are held back by BASEPRI, the least urgent first, or by FAULTMASK, all of them. 0 where there is neither.
#[inline(always)]
pub fn other_masks() -> u32 {
    #[cfg(basepri)]
    {
        let (threshold, faults): (u32, u32);
        // SAFETY: reading these has no effect.
        unsafe {
            asm!("mrs {}, BASEPRI", out(reg) threshold, options(nomem, nostack, preserves_flags));
            asm!("mrs {}, FAULTMASK", out(reg) faults, options(nomem, nostack, preserves_flags));
        }
        threshold | faults
    }
    #[cfg(not(basepri))]
    0
}

/// See [`dynamic::start`](crate::threads::dynamic::start).
///
/// # Safety
///
/// As there.
pub(crate) unsafe fn start_dynamic(stack: *mut u64, period: u32, idle: extern "C" fn() -> !) -> ! {
    // SAFETY: the caller's promise. PendSV and SysTick get the least urgent priority, however many bits of it there are.
    unsafe {
        align_frames();
        let priorities = core::ptr::with_exposed_provenance::<u32>(SHPR3).read_volatile();
        write(SHPR3, priorities | 0xffff_0000);
        begin_ticks(period);
        write(ICSR, ICSR_PENDSVSET);
        asm!(
            "msr PSP, {stack}",
            "msr CONTROL, {psp}",
            "isb",
            "cpsie i",
            "bx {idle}",
            stack = in(reg) stack,
            psp = in(reg) 2,
            idle = in(reg) idle,
            options(noreturn)
        )
    }
}
