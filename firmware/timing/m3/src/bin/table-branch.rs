//! TBB and TBH: two cycles for the load, one for the addition, three for the refill.
//!
//! mark: B
//! evidence: DDI 0337I 3.3.2
//! cycles: 6 TBB
//! cycles: 6 TBH
//! mark m4: B

#![no_std]
#![no_main]

use core::arch::global_asm;

use timing_m3 as _;

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    .balign 8
    .global measure
    .type measure, %function
measure:
    movs r1, #0
    bkpt
    tbb [pc, r1]
    .byte (1f - . ) / 2, 0
1:
    bkpt

    bkpt
    tbh [pc, r1, lsl #1]
    .hword (2f - .) / 2
2:
    bkpt

    b measured
    .size measure, . - measure
"#,
    options(raw)
);
