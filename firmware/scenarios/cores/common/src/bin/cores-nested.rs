//! A handler that is pre-empted itself, by a more urgent interrupt that it asks for.

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
    movs r6, #2                 @ interrupt 1
    str r5, [r4]
    nop
    nop
    nop
    nop
    bl measured
    .ltorg
    .size measure, . - measure

    handler outer, IRQ0
    from nested
    str r6, [r4]
    nop
    nop
    nop
    nop
    bx lr
    .size outer, . - outer

    handler in_inner, IRQ1
    bkpt
    bx lr
    .size in_inner, . - in_inner
"#,
    options(raw)
);
