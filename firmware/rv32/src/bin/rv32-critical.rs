//! A critical section: its two functions are adjacent, so that the fetch after the first one's return runs into
//! the second one.

#![no_std]
#![no_main]

use core::arch::global_asm;

use rv32 as _;

global_asm!(
    r#"
    .option norelax
    .text
    .globl measure
measure:
    mv s2, ra
    li s4, 10
1:  jal ra, enter_critical
    nop
    jal ra, exit_critical
    addi s4, s4, -1
    bnez s4, 1b
    jr s2

    .balign 32
    .globl enter_critical, exit_critical
enter_critical:
    csrci mstatus, 8
    addi s3, s3, 1
    ret
exit_critical:
    addi s3, s3, -1
    bnez s3, 1f
    csrsi mstatus, 8
1:  ret
"#,
    options(raw)
);
