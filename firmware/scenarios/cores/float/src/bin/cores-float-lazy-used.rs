//! As `cores-float-lazy`, but the handler uses floating point as well, so that the registers are saved after all.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(include_str!("../../../macros.s"), options(raw));

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    function measure
    ldr r4, =0xe000e200         @ NVIC_ISPR
    movs r5, #1                 @ interrupt 0
    vmov s0, r5                 @ the state is in use from here on
    from preempt
    str r5, [r4]
    nop
    nop
    nop
    nop
    bl measured
    .ltorg
    .size measure, . - measure

    handler handler, IRQ0
    .global in_handler
in_handler:
    bkpt
    vadd.f32 s0, s0, s0
    .global used
used:
    bkpt
    bx lr
    .size handler, . - handler
"#,
    options(raw)
);
