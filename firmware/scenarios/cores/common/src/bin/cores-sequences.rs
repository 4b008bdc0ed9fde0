//! The sequences of study 000 that every core can run, in ARMv6-M instructions, and a few that every program is made of.

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
    ldr r4, =scratch

    from nop
    nop
    to nop

    from call_entry
    bl callee
    to call_return

    from call_entry_prologue
    bl framed
    to call_return_prologue

    from atomic_enter
    mrs r0, PRIMASK
    cpsid i
    to atomic_enter
    cmp r0, #0
    bne 1f
    cpsie i
1:
    to atomic_exit

    from counter
    ldr r1, [r4]
    adds r1, #1
    str r1, [r4]
    to counter

    from counter_byte
    ldrb r1, [r4, #1]
    adds r1, #1
    strb r1, [r4, #1]
    to counter_byte

    from literal
    ldr r0, =0x12345678
    to literal

    from loads
    ldr r0, [r4]
    ldr r1, [r4, #4]
    ldr r2, [r4, #8]
    ldr r3, [r4, #12]
    to loads

    from stores
    str r0, [r4]
    str r1, [r4, #4]
    str r2, [r4, #8]
    str r3, [r4, #12]
    to stores

    from chase
    str r4, [r4]
    ldr r0, [r4]
    ldr r0, [r0]
    ldr r0, [r0]
    to chase

    mov r6, r4
    from copy
    ldmia r4!, {r0-r3}
    stmia r6!, {r0-r3}
    to copy

    from push_pop
    push {r0-r3, r7}
    pop {r0-r3, r7}
    to push_pop

    movs r0, #4
    from loop
2:
    subs r0, #1
    bne 2b
    to loop

    movs r0, #4
    from not_taken
    subs r0, #1
    beq 3f
    subs r0, #1
    beq 3f
    to not_taken
3:

    ldr r0, =callee             @ a function's address, with the bit that says Thumb
    from call_by_register
    blx r0
    to call_by_register_return

    bl measured
    .ltorg
    .size measure, . - measure

    function callee
    .global in_callee
in_callee:
    bkpt
    bx lr
    .size callee, . - callee

    function framed
    push {r7, lr}
    mov r7, sp
    .global in_framed
in_framed:
    bkpt
    pop {r7, pc}
    .size framed, . - framed

    .section .bss.scratch, "aw", %nobits
    .balign 16
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
"#,
    options(raw)
);
