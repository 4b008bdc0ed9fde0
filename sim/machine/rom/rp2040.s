@ What a program calls in the boot ROM of an RP2040, as its datasheet describes it (2.8.2 and 2.8.3): the tables, and the functions of bits and of
@ memory. It is not Raspberry Pi's code, and takes other cycles. The rest reads where the board has nothing but a name for what is missing.
@
@   arm-none-eabi-as -mcpu=cortex-m0plus rp2040.s -o rp2040.o; arm-none-eabi-ld -Ttext=0 -e 0 rp2040.o -o rp2040.elf;
@   arm-none-eabi-objcopy -O binary rp2040.elf rp2040.bin

        .syntax unified
        .thumb
        .equ    NO_FLOAT, 0x00010000
        .equ    NO_FLASH, 0x00010100
        .equ    NO_BOOT,  0x00010200

        @ Programs begin with their own vectors, not here.
        .word   0x20042000
        .word   no_boot + 1
        .word   no_boot + 1
        .word   no_boot + 1
        @ 0x10: 'M', 'u', 1, the version of the ROM.
        .byte   'M', 'u', 1, 3
        .hword  functions
        .hword  data
        .hword  lookup + 1
        .hword  0

@ r0: a table of pairs of a code and a pointer, r1: a code; r0: the pointer, or 0.
        .thumb_func
lookup: ldrh    r2, [r0]
        ldrh    r3, [r0, #2]
        adds    r0, #4
        cmp     r2, r1
        beq     1f
        cmp     r2, #0
        bne     lookup
        movs    r3, #0
1:      mov     r0, r3
        bx      lr

        .thumb_func
popcount: movs  r1, #0
1:      cmp     r0, #0
        beq     2f
        subs    r2, r0, #1
        ands    r0, r2
        adds    r1, #1
        b       1b
2:      mov     r0, r1
        bx      lr

        .thumb_func
clz:    movs    r1, #32
1:      cmp     r0, #0
        beq     2f
        lsrs    r0, r0, #1
        subs    r1, #1
        b       1b
2:      mov     r0, r1
        bx      lr

        .thumb_func
ctz:    movs    r1, #0
        cmp     r0, #0
        bne     1f
        movs    r0, #32
        bx      lr
1:      lsrs    r0, r0, #1
        bcs     2f
        adds    r1, #1
        b       1b
2:      mov     r0, r1
        bx      lr

        .thumb_func
reverse: movs   r1, #0
        movs    r2, #32
1:      lsrs    r0, r0, #1
        adcs    r1, r1
        subs    r2, #1
        bne     1b
        mov     r0, r1
        bx      lr

@ r0: to, r1: byte, r2: how many; r0: to.
        .thumb_func
memset: uxtb    r1, r1
        mov     r3, r0
1:      subs    r2, #1
        bcc     2f
        strb    r1, [r3]
        adds    r3, #1
        b       1b
2:      bx      lr

@ The same for whole words.
        .thumb_func
memset4: uxtb   r1, r1
        lsls    r3, r1, #8
        orrs    r1, r3
        lsls    r3, r1, #16
        orrs    r1, r3
        mov     r3, r0
1:      subs    r2, #4
        bcc     2f
        stmia   r3!, {r1}
        b       1b
2:      bx      lr

@ r0: to, r1: from, r2: how many; r0: to.
        .thumb_func
memcpy: push    {r4, lr}
        mov     r4, r0
1:      subs    r2, #1
        bcc     2f
        ldrb    r3, [r1]
        adds    r1, #1
        strb    r3, [r4]
        adds    r4, #1
        b       1b
2:      pop     {r4, pc}

@ The same for whole words.
        .thumb_func
memcpy44: push  {r4, lr}
        mov     r4, r0
1:      subs    r2, #4
        bcc     2f
        ldmia   r1!, {r3}
        stmia   r4!, {r3}
        b       1b
2:      pop     {r4, pc}

        .thumb_func
no_float: ldr   r0, =NO_FLOAT
        ldr     r0, [r0]
        b       no_float
        .thumb_func
no_flash: ldr   r0, =NO_FLASH
        ldr     r0, [r0]
        b       no_flash
        .thumb_func
no_boot: ldr    r0, =NO_BOOT
        ldr     r0, [r0]
        b       no_boot
        .pool

        .macro  entry code, place
        .ascii  "\code"
        .hword  \place
        .endm

        .balign 4
functions:
        entry   P3, popcount + 1
        entry   R3, reverse + 1
        entry   L3, clz + 1
        entry   T3, ctz + 1
        entry   MS, memset + 1
        entry   S4, memset4 + 1
        entry   MC, memcpy + 1
        entry   C4, memcpy44 + 1
        entry   IF, no_flash + 1
        entry   EX, no_flash + 1
        entry   RE, no_flash + 1
        entry   RP, no_flash + 1
        entry   FC, no_flash + 1
        entry   CX, no_flash + 1
        entry   UB, no_boot + 1
        entry   DT, no_boot + 1
        entry   DE, no_boot + 1
        entry   WV, no_boot + 1
        .word   0
data:
        entry   CR, copyright
        entry   GR, revision
        entry   FS, floats
        entry   SF, floats
        entry   SD, floats
        entry   FE, floats_end
        .word   0
revision:
        .word   0
@ The functions of floating point, as many as the tables have; right before them, how many (2.8.3.2): start-up code asks.
        .hword  0
        .byte   (floats_end - floats) / 4, 0
floats: .rept   32
        .word   no_float + 1
        .endr
floats_end:
copyright:
        .asciz  "Cyclescope's stand-in for the boot ROM"
        .balign 4
