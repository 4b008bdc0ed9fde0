//! As `cores-preempt`, with a handler that keeps a frame, as compilers make it.

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
    from preempt
    str r5, [r4]
    nop
    nop
    nop
    nop
    bl measured
    .ltorg
    .size measure, . - measure

    handler framed, IRQ0
    push {r7, lr}
    mov r7, sp
    .global in_handler
in_handler:
    bkpt
    pop {r7, pc}
    .size framed, . - framed
"#,
    options(raw)
);
