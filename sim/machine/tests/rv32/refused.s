# A register that no device has, an ordinary instruction, and another access: the first one is where the run stops.
    .globl _start, asked
_start:
    # Where Ibex begins.
    .rept 32
    nop
    .endr
    la a1, device
asked:
    sw a0, 1000(a1)
    nop
    sw a0, 0(a1)
1:  j 1b

    .data
device:
