# Start-up for any RV32 core, and its trap handler. The call frame information is for debuggers, and for what the simulator says of
# a crash.

    .option arch, +zicsr
    .section .text.start, "ax", @progbits
    j _start                    # where a core begins that does not begin at the entry point
    .org 0x80                   # or here
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined ra           # nobody called it
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, trap
    csrw mtvec, t0
    la t0, bss_start
    la t1, bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call main
    call end                    # with the exit code that main returned
    .cfi_endproc
    .size _start, . - _start

# No trap is expected: it stays where it is. The alignment is what `mtvec` asks for.
    .balign 256
    .globl trap
    .type trap, @function
trap:
    j trap
    .size trap, . - trap
