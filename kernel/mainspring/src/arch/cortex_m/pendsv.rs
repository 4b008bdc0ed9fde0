//! PendSV, which switches where a thread is pre-empted. The application has the vector, so the text is a macro.
//!
//! It is not in the kernel's section: it reads who contends and who is special, and whoever changes those afterwards asks for the
//! switch again. Where turns are to be kept or passed, [`preempt`](mainspring_core::threads::Scheduler::preempt) also writes the turn and
//! `special`. A task in the midst of that only adds to who contends, and to marks: what makes a thread special for longer (suspending one,
//! a time of its own, lending) is for threads alone, which do not run meanwhile.

use crate::threads::state::offset;

/// Offsets for the assembly, which loads three words at once.
pub const RUNNING: usize = {
    assert!(offset::CONTENDING == 0 && offset::SPECIAL == 4 && offset::RUNNING == 8);
    offset::RUNNING
};
/// As above.
pub const SLOTS: usize = offset::SLOTS;
/// As above.
pub const SHIFT: u32 = offset::SLOT_SHIFT;

/// The vector, for the application `$app`.
#[cfg(all(basepri, not(float)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __switch {
    ($unsafe:tt $app:ident $kernel:ident) => {
        $crate::__switch_v7!($unsafe $app $kernel
            ["stmdb r0!, {{r4-r11}}"]
            ["ldmia r0!, {{r4-r11}}"]
            [""]);
    };
}

/// The vector, for the application `$app`: with the floating-point registers of those who have used any. In a library the
/// assembler does not know by itself that there are any.
#[cfg(all(basepri, float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __switch {
    ($unsafe:tt $app:ident $kernel:ident) => {
        $crate::__switch_v7!($unsafe $app $kernel
            [".fpu fpv4-sp-d16" "tst lr, #0x10" "it eq" "vstmdbeq r0!, {{s16-s31}}" "stmdb r0!, {{r3-r11, lr}}"]
            ["ldmia r0!, {{r3-r11, lr}}" "tst lr, #0x10" "it eq" "vldmiaeq r0!, {{s16-s31}}"]
            ["mvn lr, #2"]);
    };
}

/// The vector on ARMv7-M: what it saves, what it loads, and what it does beside that for a thread that left by itself: an exception
/// frame of which only the address and xPSR count. Whether the next is special, or was pre-empted, is one branch (3): the code that asked
/// for the switch has made the next one special if the running one has equals. Then one that was pre-empted has its registers after its
/// own (4), and a special one is looked at more closely (5).
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __switch_v7 {
    ($unsafe:tt $app:ident $kernel:ident [$($save:literal)*] [$($load:literal)*] [$($plain:literal)*]) => {
        #[$unsafe(naked)]
        #[$unsafe(no_mangle)]
        #[allow(non_snake_case)] // The vector's own name.
        extern "C" fn PendSV() {
            $crate::__core::arch::naked_asm!(
                "mrs r0, psp",
                "movw r3, #:lower16:{kernel}",
                "movt r3, #:upper16:{kernel}",
                $($save,)*
                "ldm r3, {{r1, r2, r12}}",
                "clz r4, r1",
                "add r5, r3, r12, lsl #{shift}",
                "add r7, r3, r4, lsl #{shift}",
                "str r0, [r5, #{slots}]",
                "lsls r2, r4",
                "ldr r0, [r7, #{slots}]",
                "str r4, [r3, #{running}]",
                "orns r5, r2, r0, lsl #29",
                "bmi 3f",
                "2:",
                "ldm r0, {{r6, r7, r8}}",
                "subs r0, #20",
                "mov r2, #0x01000000",
                "str r8, [r0, #24]",
                "str r2, [r0, #28]",
                $($plain,)*
                "msr psp, r0",
                "bx lr",
                "3:",
                "cmp r2, #0",
                "bmi 5f",
                "4:",
                $($load,)*
                "msr psp, r0",
                "bx lr",
                "5:",
                "str r12, [r3, #{running}]",
                "mov r6, lr",
                "mov r7, r3",
                "bl {preempt}",
                "add r4, r7, r0, lsl #{shift}",
                "str r0, [r7, #{running}]",
                "ldr r0, [r4, #{slots}]",
                "mov lr, r6",
                "lsls r1, r0, #29",
                "bmi 2b",
                "b 4b",
                kernel = sym $kernel,
                preempt = sym $crate::threads::preempt::<$app>,
                running = const $crate::__offset::RUNNING,
                slots = const $crate::__offset::SLOTS,
                shift = const $crate::__offset::SHIFT,
            )
        }
    };
}

/// The vector, for the application `$app`.
#[cfg(enable_bits)]
#[doc(hidden)]
#[macro_export]
macro_rules! __switch {
    ($unsafe:tt $app:ident $kernel:ident) => {
        #[$unsafe(naked)]
        #[$unsafe(no_mangle)]
        #[allow(non_snake_case)] // The vector's own name.
        extern "C" fn PendSV() {
            $crate::__core::arch::naked_asm!(
                "mrs r0, psp",
                "subs r0, #32",
                "stmia r0!, {{r4-r7}}",
                "mov r4, r8",
                "mov r5, r9",
                "mov r6, r10",
                "mov r7, r11",
                "stmia r0!, {{r4-r7}}",
                "subs r0, #32",
                "ldr r5, 5f",
                "ldr r2, [r5, #{running}]",
                "lsls r2, r2, #{shift}",
                "adds r2, r2, r5",
                "str r0, [r2, #{slots}]",
                "mov r4, lr",
                "bl {preempt}",
                "mov lr, r4",
                "str r0, [r5, #{running}]",
                "lsls r0, r0, #{shift}",
                "adds r0, r0, r5",
                "ldr r0, [r0, #{slots}]",
                "lsls r1, r0, #29",
                "bmi 4f",
                "adds r0, #16",
                "ldmia r0!, {{r4-r7}}",
                "mov r8, r4",
                "mov r9, r5",
                "mov r10, r6",
                "mov r11, r7",
                "msr psp, r0",
                "subs r0, #32",
                "ldmia r0!, {{r4-r7}}",
                "bx lr",
                // One that left by itself: an exception frame of which only the address counts.
                "4:",
                "ldmia r0!, {{r4-r7}}",
                "mov r8, r4",
                "mov r9, r5",
                "mov r10, r6",
                "mov r11, r7",
                "ldmia r0!, {{r5-r7}}",
                "subs r0, #32",
                "lsrs r7, r7, #1",
                "lsls r7, r7, #1",
                "str r7, [r0, #24]",
                "movs r7, #1",
                "lsls r7, r7, #24",
                "str r7, [r0, #28]",
                "mov r7, r6",
                "mov r6, r5",
                "msr psp, r0",
                "bx lr",
                ".p2align 2",
                "5: .word {kernel}",
                kernel = sym $kernel,
                preempt = sym $crate::threads::preempt::<$app>,
                running = const $crate::__offset::RUNNING,
                slots = const $crate::__offset::SLOTS,
                shift = const $crate::__offset::SHIFT,
            )
        }
    };
}
