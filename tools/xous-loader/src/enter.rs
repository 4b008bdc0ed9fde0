//! The instructions that enter the kernel: what the loader ends with.

use crate::Start;
use crate::structures::Registers;

/// Control and status registers.
const SATP: u32 = 0x180;
const MSTATUS: u32 = 0x300;
const MEDELEG: u32 = 0x302;
const MIDELEG: u32 = 0x303;
const MTVEC: u32 = 0x305;
const MEPC: u32 = 0x341;

/// `mstatus`: the mode that MRET enters is supervisor mode, without interrupts.
const FROM_SUPERVISOR: u32 = 1 << 11;

const SFENCE_VMA: u32 = 0x1200_0073;
const MRET: u32 = 0x3020_0073;
/// A jump to itself: where machine mode ends, if anything comes there.
const STOP: u32 = 0x0000_006f;

/// Numbers of registers: `sp`, `t0`, and `a0` to `a7`.
const SP: u32 = 2;
const T0: u32 = 5;
const A0: u32 = 10;
const A7: u32 = 17;

/// The code at `at`, which enters the process `kernel` with `registers`.
pub(super) fn code(registers: &Registers, kernel: &Start, at: u32) -> Vec<u8> {
    let mut words = vec![jump(8), STOP];
    let mut set = |csr: u32, value: u32| {
        words.extend(load(T0, value));
        words.push(csr << 20 | T0 << 15 | 1 << 12 | 0x73);
    };
    set(MTVEC, at + 4);
    set(MIDELEG, u32::MAX);
    set(MEDELEG, u32::MAX);
    set(MSTATUS, FROM_SUPERVISOR);
    set(SATP, kernel.satp);
    set(MEPC, kernel.entry);
    words.push(SFENCE_VMA);
    words.extend(load(SP, kernel.stack));
    // `a6`: no debugging; `a7`: no resume.
    for register in A0..=A7 {
        let value = registers.0.get((register - A0) as usize).copied();
        words.extend(load(register, value.unwrap_or(0)));
    }
    words.push(MRET);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// LUI and ADDI: any value.
fn load(register: u32, value: u32) -> [u32; 2] {
    let upper = value.wrapping_add(0x800) & 0xffff_f000;
    let lower = value.wrapping_sub(upper) & 0xfff;
    [
        upper | register << 7 | 0x37,
        lower << 20 | register << 15 | register << 7 | 0x13,
    ]
}

/// JAL to less than 2 KiB ahead.
fn jump(ahead: u32) -> u32 {
    (ahead >> 1 & 0x3ff) << 21 | 0x6f
}
