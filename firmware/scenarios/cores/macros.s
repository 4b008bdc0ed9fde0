    @ A sequence to measure: `from_NAME` is the breakpoint before it, `to_NAME` the one after. Each begins at the
    @ same alignment, the start of a word.
    .macro from name
    .balign 16
    nop
    .global from_\name
from_\name:
    bkpt
    .endm

    .macro to name
    .global to_\name
to_\name:
    bkpt
    .endm

    @ Sixteen cycles on every core, of which no other instruction needs anything: what is still under way in front of
    @ them ends meanwhile.
    .macro filler
    .rept 16
    adds r7, #1
    .endr
    .endm

    .macro function name
    .balign 16
    .global \name
    .type \name, %function
\name:
    .endm

    .macro handler name, irq
    function \name
    .global \irq
    .thumb_set \irq, \name
    .endm
