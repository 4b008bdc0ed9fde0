// Shared by the scenarios of all kernels, so that only the kernel differs.

use core::arch::asm;
use core::panic::PanicInfo;
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

/// A point that a price list names: `bkpt:N` for the N-th one met. No access of memory moves across it.
#[inline(always)]
pub fn mark() {
    // SAFETY: under the simulator a breakpoint only marks a point in time.
    unsafe { asm!("bkpt 0", options(nostack, preserves_flags)) }
}

/// Marks a point, and makes the interrupt pending with the very next instruction, as a peripheral would.
#[inline(always)]
pub fn request(interrupt: u16) {
    let (register, bit) = (
        0xe000_e200_u32 + u32::from(interrupt / 32) * 4,
        1_u32 << (interrupt % 32),
    );
    // SAFETY: as `mark`; NVIC_ISPR is there on every Cortex-M, and the interrupt has a task.
    unsafe {
        asm!(
            "bkpt 0",
            "str {bit}, [{register}]",
            bit = in(reg) bit,
            register = in(reg) register,
            options(nostack, preserves_flags)
        )
    }
}

/// A point with a number of its own: `bkpt:#N`.
#[inline(always)]
#[allow(dead_code)] // Where one operation is done several times.
pub fn point<const N: u8>() {
    // SAFETY: as `mark`.
    unsafe { asm!("bkpt {}", const N, options(nostack, preserves_flags)) }
}

/// As [`request`], at a point with a number of its own.
#[inline(always)]
#[allow(dead_code)] // As above.
pub fn request_at<const N: u8>(interrupt: u16) {
    // SAFETY: as `request`, of the first 32 interrupts.
    unsafe {
        asm!(
            "bkpt {}",
            "str {bit}, [{register}]",
            const N,
            bit = in(reg) 1_u32 << interrupt,
            register = in(reg) 0xe000_e200_u32,
            options(nostack, preserves_flags)
        )
    }
}

static INPUT: u32 = 7;
static mut OUTPUT: u32 = 0;

/// A number that the compiler cannot know.
#[inline(always)]
pub fn input() -> u32 {
    // SAFETY: reads a static that is never written.
    unsafe { read_volatile(addr_of!(INPUT)) }
}

/// Makes use of a number.
#[inline(always)]
pub fn output(number: u32) {
    // SAFETY: one task of each program uses this.
    unsafe { write_volatile(addr_of_mut!(OUTPUT), number) }
}

/// Ends the program through semihosting (SYS_EXIT); the host sees exit code 0.
pub fn exit() -> ! {
    loop {
        // SAFETY: SYS_EXIT (0x18) with ADP_Stopped_ApplicationExit (0x20026) touches no memory.
        unsafe { asm!("bkpt 0xab", inout("r0") 0x18 => _, in("r1") 0x2_0026, options(nostack)) }
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {}
}

/// Ends the program as one that failed; the host sees exit code 1.
#[allow(dead_code)] // The scenarios of one kernel have something that can fail.
pub fn fail() -> ! {
    loop {
        // SAFETY: as `exit`, with ADP_Stopped_RunTimeErrorUnknown (0x20023).
        unsafe { asm!("bkpt 0xab", inout("r0") 0x18 => _, in("r1") 0x2_0023, options(nostack)) }
    }
}

#[allow(dead_code)] // For kernels with `async` tasks.
#[path = "event.rs"]
pub mod event;
