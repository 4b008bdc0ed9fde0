//! Compares random RV32IMAC instructions on our core and on Unicorn in short runs: registers and memory must agree after each.
//! `DIFFERENTIAL_SEED` repeats a run, `DIFFERENTIAL_INSTRUCTIONS` is the number of instructions to compare (default one million).
//!
//! Not compared: Zba, Zbb and Zbs, which Unicorn's QEMU lacks; calls, returns, and control registers other than plain storage, since its
//! machine mode has other bits; SC without its own LR, since QEMU compares the value instead of the reservation; compressed jumps, which
//! the comparison with the Verilog covers.

use std::fmt::Write as _;

use bus::{Bus, Memory, Region};
use core_rv32::{Core, Step, manual};
use fastrand::Rng;
use isa_rv32::table::{Row, rows};
use isa_rv32::{Extension, Insn, Isa, Op, decode};
use unicorn_engine::{Arch, Mode, Prot, RegisterRISCV, Unicorn};

const CODE: u32 = 0x100;
const MEMORY: u32 = 0x4000;
/// Address of the data; x2 and x8 point into it.
const DATA: u32 = 0x2000;
const KEPT: [u8; 2] = [2, 8];
/// Instructions per run.
const RUN: usize = 64;
/// Executions per run, each with other values, since Unicorn's translation takes the most time.
const ROUNDS: usize = 16;

const ISA: Isa = Isa::RV32I
    .with(Extension::M)
    .with(Extension::Zalrsc)
    .with(Extension::Zaamo)
    .with(Extension::C)
    .with(Extension::Zicsr)
    .with(Extension::Zifencei);

/// Registers that are plain storage: mscratch, mtval, sscratch, stval.
const SETTLED: [u32; 4] = [0x340, 0x343, 0x140, 0x143];

const REGISTERS: [RegisterRISCV; 32] = {
    use RegisterRISCV::{
        X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X16, X17, X18, X19, X20, X21,
        X22, X23, X24, X25, X26, X27, X28, X29, X30, X31,
    };
    [
        X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15, X16, X17, X18, X19, X20, X21,
        X22, X23, X24, X25, X26, X27, X28, X29, X30, X31,
    ]
};

fn number(variable: &str, default: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is a number, not {text:?}"))
    })
}

fn random(row: &Row, rng: &mut Rng) -> u32 {
    let fields = (b'A'..=b'z').map(|letter| row.pattern.field_mask(letter));
    fields.fold(row.pattern.select.value, |raw, field| raw | rng.u32(..) & field)
}

/// Appends an instruction and whatever must follow it.
fn append(code: &mut Vec<u8>, rng: &mut Rng) {
    loop {
        let row = rng.choice(rows()).expect("there are rows");
        let Ok(insn) = decode(random(row, rng), ISA) else {
            continue;
        };
        if let Some(words) = fitted(&insn, CODE + code.len() as u32, rng) {
            let size = usize::from(insn.size);
            code.extend(&words[0].to_le_bytes()[..size]);
            code.extend(words[1..].iter().flat_map(|word| word.to_le_bytes()));
            return;
        }
    }
}

fn fitted(insn: &Insn, pc: u32, rng: &mut Rng) -> Option<Vec<u32>> {
    let raw = insn.raw;
    let no_result = insn.is_branch() || insn.is_store() && !insn.is_amo() && insn.op != Op::ScW;
    if !no_result && KEPT.contains(&insn.rd.0) {
        return None;
    }
    // addi x5,x6,imm
    let skipped = rng.u32(..) & 0xfff0_0000 | 6 << 15 | 5 << 7 | 0x13;
    let based = raw & !(31 << 15) | 8 << 15;
    let jumps = insn.is_branch() || matches!(insn.op, Op::Jal | Op::Jalr);
    match insn.op {
        Op::Ecall | Op::Ebreak | Op::Mret | Op::Sret | Op::Wfi | Op::SfenceVma => None,
        _ if insn.size == 2 && jumps => None,
        _ if insn.size == 2 && insn.access_size() != 0 => KEPT.contains(&insn.rs1.0).then(|| vec![raw]),
        Op::Jal => Some(vec![raw & 0xfff | 8 << 20, skipped]),
        Op::Jalr => Some(vec![raw & 0xfff | (pc + 8) << 20, skipped]),
        _ if insn.is_branch() => Some(vec![raw & 0x01ff_f07f | 8 << 7, skipped]),
        // Followed by an SC of the same word.
        Op::LrW => Some(vec![
            based,
            0x1800_202f | 8 << 15 | rng.u32(9..32) << 7 | rng.u32(..32) << 20,
        ]),
        _ if insn.access_size() != 0 => Some(vec![based]),
        _ if insn.is_csr() => {
            let register = *rng.choice(&SETTLED).expect("there are some");
            Some(vec![raw & 0xf_ffff | register << 20])
        }
        _ => Some(vec![raw]),
    }
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

fn our_core() -> Core {
    let mut bus = Bus::new();
    bus.add_memory(Memory::ram(Region::new("RAM", 0, MEMORY)));
    Core::new(manual::RV32, bus, CODE)
}

/// The initial state of both sides: code, data and registers.
struct Run {
    code: Vec<u8>,
    count: usize,
    data: Vec<u8>,
    registers: [u32; 32],
}

impl Run {
    fn random(rng: &mut Rng) -> Run {
        let mut code = Vec::new();
        for _ in 0..RUN {
            append(&mut code, rng);
        }
        let mut run = Run {
            code,
            count: RUN,
            data: vec![0; (MEMORY - DATA) as usize],
            registers: [0; 32],
        };
        run.renew(rng);
        run
    }

    /// Keeps the instructions and changes the values.
    fn renew(&mut self, rng: &mut Rng) {
        rng.fill(&mut self.data);
        let middle = DATA + (MEMORY - DATA) / 2;
        self.registers = std::array::from_fn(|place| match place {
            0 => 0,
            2 => DATA,
            8 => middle,
            _ => interesting(rng),
        });
    }

    fn end(&self) -> u32 {
        CODE + self.code.len() as u32
    }

    /// Registers and data after the run, and the number of instructions.
    fn ours(&self, core: &mut Core) -> ([u32; 32], Vec<u8>, u64) {
        assert!(core.bus.load(CODE, &self.code) && core.bus.load(DATA, &self.data));
        (core.regs, core.pc) = (self.registers, CODE);
        let mut done = 0;
        while core.pc != self.end() {
            let step = core.step(done).unwrap();
            assert!(matches!(step, Step::Retired { .. }), "{step:?} at {:#x}", core.pc);
            done += 1;
        }
        let mut data = vec![0; self.data.len()];
        assert!(core.bus.peek(DATA, &mut data));
        (core.regs, data, done)
    }

    fn load(&self, unicorn: &mut Unicorn<()>) {
        unicorn.mem_write(CODE.into(), &self.code).unwrap();
        unicorn.ctl_flush_tb().unwrap();
    }

    fn theirs(&self, unicorn: &mut Unicorn<()>) -> ([u32; 32], Vec<u8>) {
        unicorn.mem_write(DATA.into(), &self.data).unwrap();
        for (register, value) in REGISTERS.into_iter().zip(self.registers).skip(1) {
            unicorn.reg_write(register, value.into()).unwrap();
        }
        let (begin, end) = (u64::from(CODE), u64::from(self.end()));
        unicorn.emu_start(begin, end, 0, 4 * self.count).unwrap();
        let registers = REGISTERS.map(|register| unicorn.reg_read(register).unwrap() as u32);
        let data = unicorn.mem_read_as_vec(DATA.into(), self.data.len()).unwrap();
        (registers, data)
    }

    fn listing(&self) -> String {
        let mut lines = String::new();
        let mut at = 0;
        while at < self.code.len() {
            let mut bytes = [0; 4];
            let length = (self.code.len() - at).min(4);
            bytes[..length].copy_from_slice(&self.code[at..at + length]);
            let insn = decode(u32::from_le_bytes(bytes), ISA).expect("it was made so");
            let pc = CODE + at as u32;
            writeln!(lines, "{pc:#x}: {}", insn.disassemble(pc)).expect("a string takes everything");
            at += usize::from(insn.size);
        }
        lines
    }
}

#[test]
fn random_instructions_of_rv32_agree_with_unicorn() {
    let seed = number("DIFFERENTIAL_SEED", Rng::new().u64(..));
    let wanted = number("DIFFERENTIAL_INSTRUCTIONS", 1_000_000);
    let mut rng = Rng::with_seed(seed);
    let mut unicorn = Unicorn::new(Arch::RISCV, Mode::RISCV32).expect("Unicorn starts");
    unicorn.mem_map(0, MEMORY.into(), Prot::ALL).unwrap();
    let mut core = our_core();
    let (mut done, mut runs) = (0, 0);
    while done < wanted {
        let mut run = Run::random(&mut rng);
        run.load(&mut unicorn);
        runs += 1;
        for _ in 0..ROUNDS {
            let theirs = run.theirs(&mut unicorn);
            let (registers, data, count) = run.ours(&mut core);
            done += count;
            let same = (&registers, &data) == (&theirs.0, &theirs.1);
            assert!(
                same,
                "after {done} instructions of DIFFERENTIAL_SEED={seed}: ours {registers:x?}, theirs {:x?}, from {:x?}\n{}",
                theirs.0,
                run.registers,
                run.listing()
            );
            run.renew(&mut rng);
        }
    }
    differential::tell("Unicorn", "rv32imac", seed, [runs, done, 0]);
}
