//! Stretches of code to be interrupted from outside, in any cycle: `ready_NAME` is met once, in front of some two thousand
//! cycles of it. The first stretch is met before the handler ever ran, the others after it.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(
    include_str!("../../../macros.s"),
    include_str!("../../../interruptible.s"),
    options(raw)
);

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    function measure
    ldr r4, =scratch
    ready mix_cold
    bl mix

    bl run_handler
    ready mix
    bl mix

    ready nops
    bl nops

    ready transfers
    bl transfers

    ready sleep
    movs r5, #16
1:
    wfi
    subs r5, #1
    bne 1b
    bl measured
    .ltorg
    .size measure, . - measure
"#,
    options(raw)
);
