    @ Code to be interrupted. Each function runs for some two thousand cycles, over and over the same few instructions.
    @ R4 is the address of `scratch`.
    .macro ready name
    .global ready_\name
ready_\name:
    .endm

    .section .text.interruptible, "ax", %progbits

    @ A bit of everything: loads, stores, a product, calls, branches either way.
    function mix
    push {r5, lr}
    movs r5, #48
1:
    ldr r0, [r4]
    ldr r1, [r4, #4]
    adds r0, r1
    str r0, [r4, #8]
    muls r1, r0
    bl leaf
    lsls r2, r0, #3
    bcc 2f
    eors r1, r2
2:
    strb r1, [r4, #12]
    ldrh r3, [r4, #12]
    cmp r3, r1
    bne 3f
    adds r3, #1
3:
    push {r0-r3}
    pop {r0-r3}
    subs r5, #1
    bne 1b
    pop {r5, pc}
    .size mix, . - mix

    function leaf
    adds r0, #7
    bx lr
    .size leaf, . - leaf

    function nops
    push {r5, lr}
    movs r5, #48
1:
    .rept 40
    nop
    .endr
    subs r5, #1
    bne 1b
    pop {r5, pc}
    .size nops, . - nops

    @ Transfers of many registers, which an interrupt divides or begins again.
    function transfers
    push {r5-r7, lr}
    movs r5, #48
1:
    mov r6, r4
    ldmia r6!, {r0-r3}
    mov r6, r4
    stmia r6!, {r0-r3}
    push {r0-r7}
    pop {r0-r7}
    subs r5, #1
    bne 1b
    pop {r5-r7, pc}
    .size transfers, . - transfers

    @ Lets the handler run twice, so that whatever keeps code has it.
    function run_handler
    ldr r0, =0xe000e200         @ NVIC_ISPR
    movs r1, #1                 @ interrupt 0
    movs r2, #2
1:
    str r1, [r0]
    nop
    nop
    nop
    nop
    subs r2, #1
    bne 1b
    bx lr
    .ltorg
    .size run_handler, . - run_handler

    handler interrupt, IRQ0
    adds r0, #1
    bx lr
    .size interrupt, . - interrupt

    .section .bss.scratch, "aw", %nobits
    .balign 16
    .type scratch, %object
scratch:
    .skip 64
    .size scratch, 64
