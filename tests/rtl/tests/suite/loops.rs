//! Random loops over more data than a cache holds, some with more code than a cache holds: strided loads and stores, branches on loaded
//! values, and a function call.

use core_rv32::Config;
use fastrand::Rng;
use isa_rv32::Extension;

use crate::programs::{DATA, MEMORY, prologue};

/// Registers of the data offsets, the addresses made of them, the values, and the offset mask.
const OFFSETS: [u32; 3] = [10, 11, 12];
const POINTERS: [u32; 3] = [13, 14, 15];
const VALUES: std::ops::Range<u32> = 16..24;
const MASK: u32 = 24;
/// x8 points to the data.
const BASE: u32 = 8;
const LINK: u32 = 1;

fn immediate(imm: u32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    (imm & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn registers(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33
}

fn store(offset: u32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    (offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (offset & 0x1f) << 7 | 0x23
}

fn branch(offset: u32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    (offset >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (offset >> 1 & 0xf) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

fn jump(offset: u32, rd: u32) -> u32 {
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3ff) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}

/// An instruction, or a few that no jump may split.
fn item(config: &Config, rng: &mut Rng) -> Vec<u32> {
    let at = rng.usize(..OFFSETS.len());
    let (offset, pointer) = (OFFSETS[at], POINTERS[at]);
    let [a, b, c] = [(); 3].map(|()| rng.u32(VALUES));
    let multiplies = config.isa.has(Extension::M);
    match rng.u8(..12) {
        0..=3 => {
            let (size, funct3) = [(4, 2), (2, 1), (2, 5), (1, 0), (1, 4)][rng.usize(..5)];
            vec![immediate(rng.u32(..32 / size) * size, pointer, funct3, a, 0x03)]
        }
        4 | 5 => {
            let size = rng.u32(..3);
            vec![store(rng.u32(..32 >> size) << size, a, pointer, size)]
        }
        6 | 7 => {
            let stride = [4, 4, 8, 32, 36, 64][rng.usize(..6)];
            vec![
                immediate(stride, offset, 0, offset, 0x13),
                registers(0, MASK, offset, 7, offset),
                registers(0, BASE, offset, 0, pointer),
            ]
        }
        // bne, blt over one instruction
        8 => vec![branch(8, a, b, [1, 4][rng.usize(..2)]), registers(0, a, c, 4, c)],
        // sll; mul, mulh, div, rem
        9 => vec![registers(0, a, b, 1, c)],
        10 if multiplies => vec![registers(1, a, b, [0, 1, 4, 6][rng.usize(..4)], c)],
        _ => vec![registers([0, 0x20][rng.usize(..2)], a, b, 0, c)],
    }
}

fn items(config: &Config, rng: &mut Rng, most: usize) -> Vec<u32> {
    let count = rng.usize(1..most);
    (0..count).flat_map(|_| item(config, rng)).collect()
}

/// An endless loop.
pub(crate) fn endless(config: &Config, rng: &mut Rng) -> Vec<u8> {
    let mut code = prologue(config, rng);
    // Of 16 KiB: lui; addi
    code.extend([
        0x4 << 12 | MASK << 7 | 0x37,
        immediate(0xffc, MASK, 0, MASK, 0x13),
    ]);
    for (offset, pointer) in OFFSETS.into_iter().zip(POINTERS) {
        code.extend([
            registers(0, MASK, offset, 7, offset),
            registers(0, BASE, offset, 0, pointer),
        ]);
    }
    let start = code.len();
    let most = if rng.u8(..4) == 0 { 1200 } else { 8 };
    code.extend(items(config, rng, most));
    if rng.bool() {
        // The function is after the jump back.
        let (rest, function) = (items(config, rng, 8), items(config, rng, 6));
        code.push(jump(4 * rest.len() as u32 + 8, LINK));
        code.extend(rest);
        code.push(back(code.len(), start));
        code.extend(function);
        code.push(immediate(0, LINK, 0, 0, 0x67));
    } else {
        code.push(back(code.len(), start));
    }
    let mut memory: Vec<u8> = code.into_iter().flat_map(u32::to_le_bytes).collect();
    memory.resize(DATA as usize, 0);
    memory.extend((DATA..MEMORY).map(|_| rng.u8(..)));
    memory
}

fn back(from: usize, to: usize) -> u32 {
    jump((4 * to as u32).wrapping_sub(4 * from as u32), 0)
}
