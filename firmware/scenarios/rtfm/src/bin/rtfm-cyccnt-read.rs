//! A `nop` between two reads of the cycle counter: the method that disturbs.
//!
//! The task leaves the difference of the two values in `elapsed`; the figure is that word, as the program saw it. It
//! comes out one cycle more expensive than the `nop`, because it includes a read of the counter.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    rtfm::enable_cycle_counter();
    rtfm::run_t1()
}

global_asm!(
    r#"
    .section .text.listing, "ax", %progbits
    .balign 8
    .skip 6

    .global t1
    .type t1, %function
t1:
    movw r0, #0x1004
    movt r0, #0xe000
    ldr r1, [r0]
    nop
    ldr r0, [r0]
    subs r0, r0, r1
    mov.w r1, #0x20000000       @ `elapsed`
    str r0, [r1]
    bkpt
    bx lr
    .size t1, . - t1
    .global IRQ6
    .thumb_set IRQ6, t1

    .section .bss.elapsed, "awR", %nobits@ R: kept, though no relocation names it
    .balign 4
    .global elapsed
    .type elapsed, %object
elapsed:                        @ the first word of RAM
    .skip 4
    .size elapsed, 4
"#,
    options(raw)
);
