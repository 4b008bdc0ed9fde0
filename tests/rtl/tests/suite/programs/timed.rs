//! Random programs for timed cores: they also access counters, exchange every control and status register, jump to computed addresses,
//! execute illegal instructions of all kinds, and have code and data above `0x80000000`.

use core_rv32::{Config, Protection};
use fastrand::Rng;
use isa_rv32::{Extension, decode};
use rtl::{Around, Ram};

use super::{DATA, LINK, MEMORY, Sight, body, laid_out, straight};
use crate::common::random_wait;

/// Start of far code, in blocks of `BLOCK` bytes.
const FAR_CODE: u32 = 0x9000_0000;
const BLOCK: u32 = 0x40;
const BLOCKS: u32 = 32;
/// Far data outside `VexRiscv`'s cached range; it extends to both sides by the reach of an offset.
const FAR_DATA: u32 = 0x8000_8000;
const FAR: std::ops::Range<u32> = FAR_DATA - 0x1000..FAR_DATA + 0x1000;

/// Number of instructions that a jump can skip.
const REACH: usize = 6;

/// DRET, of a debug mode that no core here has.
const DRET: u32 = 0x7b20_0073;
/// Opcodes that `VexRiscv` predicts as jumps, even in illegal instructions.
const JUMPS: [u32; 9] = [0x07, 0x27, 0x43, 0x4b, 0x4f, 0x5b, 0x63, 0x6b, 0x7b];
const EBREAK: u32 = 0x0010_0073;
const C_EBREAK: u32 = 0x9002;
const C_NOP: u32 = 1;

/// A program with its data and its far code and data.
pub(crate) fn program(config: &Config, rng: &mut Rng) -> (Vec<u8>, Around) {
    let far = rng.u8(..3) == 0;
    let (data, sight) = (if far { FAR_DATA } else { DATA }, Sight::Timed { far });
    let mut memory = laid_out(&body(config, sight, data, rng), config, rng);
    memory.resize(DATA as usize, 0);
    memory.extend((DATA..MEMORY).map(|_| rng.u8(..)));
    let far_data = FAR.map(|_| rng.u8(..)).collect();
    let ram = |base, bytes: Vec<u8>, rng: &mut Rng| Ram {
        base,
        size: bytes.len() as u32,
        bytes,
        wait: random_wait(rng),
    };
    let memories = vec![
        ram(FAR.start, far_data, rng),
        ram(FAR_CODE, far_code(config, sight, rng), rng),
    ];
    let around = Around {
        memories,
        ..Around::default()
    };
    (memory, around)
}

/// Blocks that return through [`LINK`].
fn far_code(config: &Config, sight: Sight, rng: &mut Rng) -> Vec<u8> {
    let mut code = Vec::new();
    for block in 1..=BLOCKS {
        let end = (block * BLOCK / 4) as usize;
        let length = rng.usize(1..8);
        code.extend((0..length).map(|_| straight(config, sight, rng)));
        code.push(LINK << 15 | 0x67);
        code.resize(end, 0x13);
    }
    code.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// An item for timed cores only, after instructions that no jump skips.
pub(super) fn item(config: &Config, sight: Sight, rng: &mut Rng) -> Vec<u32> {
    let mut code: Vec<u32> = (0..REACH).map(|_| straight(config, sight, rng)).collect();
    match rng.u8(..8) {
        0 | 1 => code.extend(computed_jump(config, sight, rng)),
        2 | 3 => {
            // lui x30; jalr x30,block(x30)
            let offset = rng.u32(..BLOCKS) * BLOCK;
            code.extend([
                FAR_CODE | LINK << 7 | 0x37,
                offset << 20 | LINK << 15 | LINK << 7 | 0x67,
            ]);
        }
        _ if config.halts => {}
        4 => code.extend(meaningless(config, rng)),
        _ => code.extend(exchange(config, rng)),
    }
    code
}

/// auipc x30,0; addi x30,x30,k; jalr rd,m(x30), over some of the following instructions; sometimes to a misaligned address.
fn computed_jump(config: &Config, sight: Sight, rng: &mut Rng) -> Vec<u32> {
    let behind: Vec<u32> = (0..rng.usize(1..5))
        .map(|_| straight(config, sight, rng))
        .collect();
    let mut target = 12 + 4 * rng.u32(..=behind.len() as u32);
    target |= u32::from(rng.u8(..4) == 0);
    if !config.halts && !config.isa.has(Extension::C) {
        target |= u32::from(rng.u8(..6) == 0) << 1;
    }
    let part = rng.u32(..2000);
    let rd = *rng.choice(&[0, 1, 5, 10]).expect("there are some");
    let add = part << 20 | LINK << 15 | LINK << 7 | 0x13;
    let jump = target.wrapping_sub(part) << 20 | LINK << 15 | rd << 7 | 0x67;
    [vec![LINK << 7 | 0x17, add, jump], behind].concat()
}

/// An illegal instruction, of the length that the handler assumes.
fn meaningless(config: &Config, rng: &mut Rng) -> Vec<u32> {
    if rng.u8(..4) == 0 {
        return vec![*rng.choice(&[DRET, EBREAK]).expect("there are some")];
    }
    if config.isa.has(Extension::C) && rng.bool() {
        if rng.u8(..8) == 0 {
            return vec![C_EBREAK, C_NOP];
        }
        loop {
            let raw = rng.u32(..0x1_0000);
            if raw & 3 != 3 && config.decode(raw).is_err() {
                return vec![raw, C_NOP];
            }
        }
    }
    loop {
        let raw = rng.u32(..) & rng.u32(..) | 3;
        // `vexriscv-imac` loses the address of an illegal instruction that looks like a jump.
        let lost = config.isa.has(Extension::C) && JUMPS.contains(&(raw & 0x7f));
        let lost = lost || config.is_for_aes(raw);
        if !lost && raw & 0x1f != 0x1f && decode(raw, config.isa).is_err() && config.decode(raw).is_err() {
            return vec![raw];
        }
    }
}

/// A control register that a machine-mode program can change safely, and a value for it.
fn exchanged(config: &Config, rng: &mut Rng) -> (u32, u32) {
    let value = rng.u32(..);
    let handler = if config.vectored { 0 } else { 0x10 };
    let mut all = vec![(0x305, handler), (0x341, value), (0x342, value), (0x343, value)];
    let more: &[u32] = if config.supervisor {
        &[
            0x100, 0x104, 0x105, 0x140, 0x141, 0x142, 0x143, 0x144, 0x302, 0x303, 0x9c0,
        ]
    } else {
        &[0x340, 0x304, 0xf14, 0xdc0, 0x180]
    };
    all.extend(more.iter().map(|&csr| (csr, value)));
    if config.protection == Protection::VexRiscv {
        // Neither locked nor applied to machine mode.
        all.extend((0x3a0..0x3a4).map(|csr| (csr, value & 0x1f1f_1f1f)));
        all.extend((0x3b0..0x3c0).map(|csr| (csr, value)));
    }
    *rng.choice(&all).expect("there are some")
}

/// li rs,value; then CSRRW, CSRRS or CSRRC with it, or a read.
fn exchange(config: &Config, rng: &mut Rng) -> Vec<u32> {
    let (csr, value) = exchanged(config, rng);
    let (rs, rd) = (rng.u32(10..16), rng.u32(..8));
    let upper = value.wrapping_add(0x800) & 0xffff_f000;
    let function = if csr == 0x305 { 1 } else { rng.u32(1..4) };
    let rd = if rng.u8(..4) == 0 { rs } else { rd };
    let mut code = vec![
        upper | rs << 7 | 0x37,
        (value & 0xfff) << 20 | rs << 15 | rs << 7 | 0x13,
        csr << 20 | rs << 15 | function << 12 | rd << 7 | 0x73,
    ];
    if rng.bool() {
        code.push(csr << 20 | 2 << 12 | rng.u32(16..24) << 7 | 0x73);
    }
    code
}
