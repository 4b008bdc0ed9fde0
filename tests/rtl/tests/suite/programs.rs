//! Random programs that terminate.

use core_rv32::Config;
use fastrand::Rng;
use isa_rv32::table::{Row, rows};
use isa_rv32::{Extension, Insn, Op, decode};

use crate::common::FINISH;

pub(crate) mod timed;

/// Number of instructions in a program's body.
pub(crate) const LENGTH: usize = 600;
/// Address of the body, after the handler and the register setup.
const BODY: u32 = 0x200;
/// Address of the data that programs access; x8 always points to it.
pub(crate) const DATA: u32 = 0x8000;
pub(crate) const MEMORY: u32 = 0x1_0000;

/// Reserved registers: x8 holds [`DATA`], x9 counts loop rounds, x30 holds a code address, x31 belongs to the handler.
const KEPT: [u8; 4] = [8, 9, 30, 31];
const LINK: u32 = 30;

/// The state that a program's instructions may observe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// State that depends on the program only.
    Settled,
    /// Also counters, which match if every cycle does. `far` data may be uncached, so atomic instructions are left out.
    Timed { far: bool },
}

/// A number from an environment variable.
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is a number, not {text:?}"))
    })
}

/// The start of every program: a jump over the handler, which skips trapping instructions, and registers with interesting values.
pub(crate) fn prologue(config: &Config, rng: &mut Rng) -> Vec<u32> {
    prologue_at(config, DATA, rng)
}

/// A prologue with the data at `data`.
fn prologue_at(config: &Config, data: u32, rng: &mut Rng) -> Vec<u32> {
    let load = |rd: u32, value: u32| {
        let upper = value.wrapping_add(0x800) & 0xffff_f000;
        [
            upper | rd << 7 | 0x37,
            (value & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13,
        ]
    };
    let mut code = if config.halts {
        vec![0x13; 16]
    } else if config.vectored {
        vectored_set_up(rng.bool())
    } else {
        set_up()
    };
    for rd in 1..31 {
        code.extend(load(rd, if rd == 8 { data } else { interesting(rng) }));
    }
    code.resize(BODY as usize / 4, 0x13);
    code
}

/// csrr x31,mcause; bltz x31,1f; csrr x31,mepc; addi x31,x31,4; csrw mepc,x31; 1: mret
const HANDLER: [u32; 6] = [
    0x3420_2ff3,
    0x000f_c863,
    0x3410_2ff3,
    0x004f_8f93,
    0x341f_9073,
    0x3020_0073,
];

/// The handler, and the code that enables interrupts.
fn set_up() -> Vec<u32> {
    // j 0x40; nops; handler at 0x10
    let mut code = vec![0x0400_006f, 0x13, 0x13, 0x13];
    code.extend(HANDLER);
    code.resize(16, 0x13);
    // li x1,0x10; csrw mtvec,x1; li x1,-1; csrw mie,x1; csrw 0xbc0,x1; csrsi mstatus,8
    code.extend([
        0x0100_0093,
        0x3050_9073,
        0xfff0_0093,
        0x3040_9073,
        0xbc00_9073,
        0x3004_6073,
    ]);
    code
}

/// The set-up for a core with a vector table at 0, which starts after it ([`entry`]). The program continues in machine or user mode.
fn vectored_set_up(user: bool) -> Vec<u32> {
    let mut code = handlers(0x9c);
    // csrw mtvec,x0; li x1,-1; csrw mie,x1; csrsi mstatus,8
    code.extend([0x3050_1073, 0xfff0_0093, 0x3040_9073, 0x3004_6073]);
    code.extend(if user {
        // li x1,0xb4; csrw mepc,x1; mret: `mstatus.MPP` is user after reset.
        [0x0b40_0093, 0x3410_9073, 0x3020_0073]
    } else {
        // j 0xb4
        [0x0240_006f, 0x13, 0x13]
    });
    code.extend(HANDLER);
    code
}

/// A vector table at 0: 32 jumps to a handler.
pub(crate) fn handlers(handler: u32) -> Vec<u32> {
    (0..32).map(|place| (handler - 4 * place) << 20 | 0x6f).collect()
}

/// A program's start address.
pub(crate) fn entry(config: &Config) -> u32 {
    if config.vectored { 0x80 } else { 0 }
}

fn interesting(rng: &mut Rng) -> u32 {
    let random = rng.u32(..);
    match rng.u8(..6) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << (random & 31),
        3 => random as i8 as u32,
        _ => random,
    }
}

/// Whether a body may contain an instruction of this row, possibly with adapted fields.
fn comparable(row: &Row) -> bool {
    let leaves = matches!(row.op, Op::Mret | Op::Sret | Op::Wfi | Op::Jalr | Op::SfenceVma);
    row.pattern.size == 4 && !leaves
}

/// Whether it would halt a core without traps.
fn traps(row: &Row) -> bool {
    row.extension == Extension::Zicsr || matches!(row.op, Op::Ecall | Op::Ebreak)
}

/// A random encoding of a row that accesses only the data, jumps only nearby, and keeps the program's reserved registers.
fn instruction(config: &Config, sight: Sight, left: usize, rng: &mut Rng) -> u32 {
    loop {
        let row = rng.choice(rows()).expect("there are rows");
        if !comparable(row) || !config.isa.has(row.extension) || config.halts && traps(row) {
            continue;
        }
        let fields = (b'A'..=b'z').map(|letter| row.pattern.field_mask(letter));
        let raw = fields.fold(row.pattern.select.value, |raw, field| raw | rng.u32(..) & field);
        let Ok(insn) = decode(raw, config.isa) else {
            continue;
        };
        if let Some(raw) = fitted(&insn, raw, config, sight, left, rng) {
            return raw;
        }
    }
}

/// A compressed instruction that computes, accesses the data, or jumps; [`laid_out`] sets its target.
fn narrow(config: &Config, rng: &mut Rng) -> u32 {
    loop {
        let row = rng.choice(rows()).expect("there are rows");
        let raw = row.pattern.select.value | rng.u32(..) & 0xffff & !row.pattern.select.mask;
        let fits = |insn: &Insn| {
            let returns = matches!(insn.op, Op::Jalr | Op::Ebreak);
            let elsewhere = insn.access_size() != 0 && insn.rs1.0 != 8;
            let kept = KEPT.contains(&insn.rd.0) && !insn.is_store() && !insn.is_branch();
            !returns && !elsewhere && !kept
        };
        if row.pattern.size == 2 && decode(raw, config.isa).is_ok_and(|insn| fits(&insn)) {
            return raw;
        }
    }
}

/// A forward jump by register from address `pc`: jalr rd,target(x0), if the offset reaches.
fn call(pc: u32, rng: &mut Rng) -> Option<u32> {
    let rd = *rng.choice(&[0, 1, 5, 10]).expect("there are some");
    let target = pc + 4 + 4 * rng.u32(..4);
    (target < 0x800).then_some(target << 20 | rd << 7 | 0x67)
}

/// A random instruction that does not jump.
fn straight(config: &Config, sight: Sight, rng: &mut Rng) -> u32 {
    loop {
        let raw = instruction(config, sight, 1, rng);
        if decode(raw, config.isa).is_ok_and(|insn| !insn.is_branch() && insn.op != Op::Jal) {
            return raw;
        }
    }
}

/// A loop: li x9,count; the body; addi x9,x9,-1; bgtz x9, back to the body.
fn repeated(config: &Config, sight: Sight, rng: &mut Rng) -> Vec<u32> {
    let mut code = vec![(1 + rng.u32(..4)) << 20 | 9 << 7 | 0x13];
    code.extend((0..=rng.u8(..8)).map(|_| straight(config, sight, rng)));
    let back = (-4 * code.len() as i32) as u32;
    let offset =
        (back >> 12 & 1) << 31 | (back >> 5 & 0x3f) << 25 | (back >> 1 & 0xf) << 8 | (back >> 11 & 1) << 7;
    code.extend([0xfff4_8493, offset | 9 << 20 | 4 << 12 | 0x63]);
    code
}

fn fitted(insn: &Insn, raw: u32, config: &Config, sight: Sight, left: usize, rng: &mut Rng) -> Option<u32> {
    let no_result = insn.is_branch() || insn.only_stores();
    if !no_result && KEPT.contains(&insn.rd.0) {
        return None;
    }
    if insn.is_csr() {
        let csr = match rng.u8(..4) {
            0 | 1 => *rng.choice(SETTLED).expect("there are some"),
            2 if sight != Sight::Settled => *rng.choice(COUNTERS).expect("there are some"),
            _ => insn.csr,
        };
        let raw = raw & 0x000f_ffff | u32::from(csr) << 20;
        return usable(csr, config, sight).then_some(raw);
    }
    if insn.access_size() != 0 {
        let apart = sight == Sight::Timed { far: true } && insn.is_atomic();
        return (!apart).then(|| access(insn, raw, config, rng));
    }
    // Forward over a few instructions, but not past the end.
    let distance = 4 * (1 + rng.u32(..6)).min(left as u32);
    match insn.op {
        Op::Jal => Some(raw & 0xfff | distance << 20),
        _ if insn.is_branch() => Some(raw & 0x01ff_f07f | distance << 7),
        _ => Some(raw),
    }
}

/// Makes an access relative to x8, usually word-aligned.
fn access(insn: &Insn, raw: u32, config: &Config, rng: &mut Rng) -> u32 {
    let based = raw & !(31 << 15) | 8 << 15;
    let atomic = insn.is_atomic();
    let offset = if insn.is_store() { 3 << 7 } else { 3 << 20 };
    let odd = !config.halts && rng.u8(..8) == 0;
    if atomic || odd { based } else { based & !offset }
}

/// Control registers whose value depends on the program only, and that the program may overwrite.
const SETTLED: &[u16] = &[
    0x300, 0x301, 0x304, 0x340, 0x341, 0x342, 0x343, 0x344, 0xbc0, 0xfc0, 0xf11, 0xf12, 0xf13, 0xf14, 0xcc0,
    0x7c0,
];

/// Counters, and the registers that stop them.
const COUNTERS: &[u16] = &[
    0xb00, 0xb02, 0xb80, 0xb82, 0xc00, 0xc01, 0xc02, 0xc80, 0xc81, 0xc82, 0x320, 0x306, 0xb03, 0x7c1,
];

fn usable(csr: u16, config: &Config, sight: Sight) -> bool {
    // A self-raised interrupt is taken one or two instructions later.
    let raises = config.supervisor && csr == 0x344 && sight == Sight::Settled;
    let counts = sight != Sight::Settled && COUNTERS.contains(&csr);
    (SETTLED.contains(&csr) || counts) && !raises && (config.access(csr).is_some() || config.checks_csrs)
}

/// Whether an instruction jumps by a distance that the program counts in instructions.
fn is_relative(insn: &Insn) -> bool {
    insn.op == Op::Jal || insn.is_branch() || insn.op == Op::Jalr && insn.rs1.0 == 0
}

/// The jump with another offset (for JALR, another target).
fn redirected(insn: &Insn, offset: u32, config: &Config) -> u32 {
    let (raw, bits) = (insn.raw, |low: u32, count: u32| {
        offset >> low & ((1 << count) - 1)
    });
    match insn.op {
        _ if insn.size == 2 => redirected_narrow(insn, offset as i32, config),
        Op::Jalr => raw & 0xf_ffff | bits(0, 12) << 20,
        Op::Jal => {
            raw & 0xfff | bits(20, 1) << 31 | bits(1, 10) << 21 | bits(11, 1) << 20 | bits(12, 8) << 12
        }
        _ => raw & 0x01ff_f07f | bits(12, 1) << 31 | bits(5, 6) << 25 | bits(1, 4) << 8 | bits(11, 1) << 7,
    }
}

/// Sets a compressed offset by trying all values of its bits, at most eleven.
fn redirected_narrow(insn: &Insn, offset: i32, config: &Config) -> u32 {
    let free = 0xffff & !rows()[usize::from(insn.row)].pattern.select.mask;
    let same = |raw: &u32| {
        decode(*raw, config.isa).is_ok_and(|other| {
            (other.op, other.rs1, other.rd, other.imm) == (insn.op, insn.rs1, insn.rd, offset)
        })
    };
    // Every subset of the free bits.
    let subsets = std::iter::successors(Some(free), |&bits| (bits != 0).then(|| (bits - 1) & free));
    let mut encodings = subsets.map(|bits| insn.raw & !free | bits);
    encodings.find(same).expect("a short jump has an encoding")
}

/// Concatenates instructions. Distances in `code` count words, one per instruction.
fn laid_out(code: &[u32], config: &Config, rng: &mut Rng) -> Vec<u8> {
    let sizes = code.iter().map(|&raw| if raw & 3 == 3 { 4 } else { 2 });
    let places: Vec<u32> = sizes
        .scan(0, |next, size| {
            *next += size;
            Some(*next - size)
        })
        .collect();
    let mut bytes = Vec::new();
    for (at, &raw) in code.iter().enumerate() {
        let narrow = raw & 3 != 3;
        let jump = decode(raw, config.isa).ok().filter(is_relative);
        let laid = jump.map_or(raw, |insn| {
            let last = code.len() - 1;
            let target = match insn.op {
                _ if narrow => (at + rng.usize(1..7)).min(last),
                Op::Jalr => insn.imm as usize / 4,
                _ => (at as i32 + insn.imm / 4) as usize,
            };
            let from = if insn.op == Op::Jalr { 0 } else { places[at] };
            redirected(&insn, places[target.min(last)].wrapping_sub(from), config)
        });
        let length = if narrow { 2 } else { 4 };
        bytes.extend(&laid.to_le_bytes()[..length]);
    }
    bytes
}

/// A program and its data.
pub(crate) fn program(config: &Config, rng: &mut Rng) -> Vec<u8> {
    let mut memory = laid_out(&body(config, Sight::Settled, DATA, rng), config, rng);
    memory.resize(DATA as usize, 0);
    memory.extend((DATA..MEMORY).map(|_| rng.u8(..)));
    memory
}

fn body(config: &Config, sight: Sight, data: u32, rng: &mut Rng) -> Vec<u32> {
    let mut code = prologue_at(config, data, rng);
    while code.len() < BODY as usize / 4 + LENGTH {
        match rng.u8(..20) {
            0 => code.extend(call(4 * code.len() as u32, rng)),
            1 => code.extend(repeated(config, sight, rng)),
            // The flush of VexRiscv's data cache.
            2 if config.decode(0x500f).is_ok() && rng.bool() => code.push(0x500f | rng.u32(..) & 0xfe0f_8f80),
            3 if sight != Sight::Settled && rng.bool() => code.extend(timed::item(config, sight, rng)),
            2..=9 if config.isa.has(Extension::C) => {
                code.push(narrow(config, rng));
            }
            _ => code.push(instruction(config, sight, 6, rng)),
        }
    }
    code.extend([0x13; 8]);
    code.extend(FINISH);
    code.push(0x0000_006f);
    code
}
