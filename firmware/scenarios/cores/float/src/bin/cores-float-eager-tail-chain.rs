//! From one handler to the next with lazy saving switched off.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores_float::save_eagerly();
    cores::run()
}

global_asm!(include_str!("../../../macros.s"), options(raw));

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    function measure
    ldr r4, =0xe000e200         @ NVIC_ISPR
    movs r5, #3                 @ interrupts 0 and 1
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

    handler in_first, IRQ1
    bkpt
    bx lr
    .size in_first, . - in_first

    handler in_second, IRQ0
    bkpt
    bx lr
    .size in_second, . - in_second
"#,
    options(raw)
);
