//! Loops around one instruction of the floating-point unit each: load its operands, execute it, store the result, then
//! FPSCR. Such loops were published with their cycles on a Cortex-M4F; `firmware/prices/checks.toml` names the source. Where those
//! loops began is not known: each stands here twice, begun at a word and across two. Their data was on a stack at the end of the chip's RAM,
//! which is its CCM SRAM: so it is here.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(
    r#"
    @ Twenty turns around an instruction with so many operands in memory. The first turns fill the cache of a flash.
    .macro around name, operands, instruction:vararg
    .balign 16
    movs r3, #20
    nop
    turns \name, \operands, \instruction
    .balign 16
    movs r3, #20
    turns \name\()_across, \operands, \instruction
    .endm

    .macro turns name, operands, instruction:vararg
    .global \name
\name:
    vldr s0, [r4]
    .if \operands > 1
    vldr s1, [r4, #4]
    .endif
    .if \operands > 2
    vldr s2, [r4, #8]
    .endif
    \instruction
    vstr s0, [r5]
    vmrs r0, fpscr
    str r0, [r5, #4]
    subs r3, #1
    bne \name
    .endm

    .section .text.measure, "ax", %progbits
    .balign 16
    .global measure
    .type measure, %function
measure:
    ldr r4, =operands
    ldr r5, =results
    vmov.f32 s0, #1.5
    vstr s0, [r4]
    vmov.f32 s0, #2.25
    vstr s0, [r4, #4]
    vmov.f32 s0, #3.0
    vstr s0, [r4, #8]
    movs r0, #0
    vmsr fpscr, r0

    around vadd, 2, vadd.f32 s0, s0, s1
    around vsub, 2, vsub.f32 s0, s0, s1
    around vmul, 2, vmul.f32 s0, s0, s1
    around vnmul, 2, vnmul.f32 s0, s0, s1
    around vabs, 2, vabs.f32 s0, s1
    around vneg, 2, vneg.f32 s0, s1
    around vcvt, 1, vcvt.f32.s32 s0, s0
    around vfma, 3, vfma.f32 s0, s1, s2
    around vmla, 3, vmla.f32 s0, s1, s2
    around vdiv, 2, vdiv.f32 s0, s0, s1
    around vsqrt, 2, vsqrt.f32 s0, s1
    bl measured
    .ltorg

    @ Near the end of the CCM SRAM.
    .equ operands, 0x2001b000
    .equ results, 0x2001b020
"#,
    options(raw)
);
