    @ The same stretch of code once for each number of wait states: `ready_plain_N` with the flash as slow as that, and
    @ `ready_cached_N` with prefetch and both caches of the chip on, warmed up. `ACR` is the flash's control register;
    @ more wait states than the clock needs are always allowed.
    .equ ACCELERATED, 0x700     @ PRFTEN, ICEN, DCEN

    .macro stretch kind, states, settings
    ldr r0, =ACR
    ldr r1, =\settings + \states
    str r1, [r0]
    ldr r1, [r0]
    isb
    bl run_handler
    ready \kind\()_\states
    bl mix
    .endm

    .section .text.measure, "ax", %progbits
    function measure
    ldr r4, =scratch
    .irp states, 0, 1, 2, 3, 4, 5, 6, 7
    stretch plain, \states, 0
    .endr
    .irp states, 0, 1, 2, 3, 4, 5, 6, 7
    stretch cached, \states, ACCELERATED
    .endr
    bl measured
    .ltorg
    .size measure, . - measure
