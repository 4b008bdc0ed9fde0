//! Compares random programs that change privilege, page tables and protected regions: the same instructions retire at the same privilege
//! and write the same registers as on the Verilog.
//!
//! A program is a sequence of segments. Each sets control registers, tables or regions in machine mode, then enters some mode and does
//! there what may trap: accesses to all kinds of pages, control registers, calls. After a trap, execution continues with the next
//! instruction, or with the next segment if that is impossible. Interrupts are raised in machine mode and taken after the MRET that
//! enables them, where the core's interrupt latency does not matter.

use core_rv32::{Config, Protection, Step, Translation};
use fastrand::Rng;
use isa_rv32::Extension;
use rtl::{Core, Job, ports};

use crate::common::{FINISH, machine, oracle, vexriscv};
use crate::programs::{MEMORY, number};

/// Memory layout. Handlers and segments are in the pages below [`DATA`].
const HANDLER: u32 = 0x40;
const SUPERVISOR_HANDLER: u32 = 0xc0;
const START: u32 = 0x200;
const SEGMENTS: u32 = 0x1000;
const SEGMENT: u32 = 0x400;
const COUNT: u32 = 24;
/// Offset of a segment's part in another mode.
const BODY: u32 = 0x200;
const DATA: u32 = 0x8000;
const ROOT: u32 = 0xc000;
const TABLES: [u32; 2] = [0xd000, 0xe000];
/// Virtual address of the code in user mode.
const USER_CODE: u32 = 0x40_0000;

/// Numbers of the data pages, without code and tables.
const PAGES: [u32; 5] = [8, 9, 10, 11, 15];

/// Register use: scratch, whether to leave the mode, the next segment, and three for the handlers.
const SCRATCH: u32 = 5;
const LEAVES: u32 = 26;
const NEXT: u32 = 27;

const MSTATUS: u32 = 0x300;
const MPRV: u32 = 1 << 17;
const SUM_AND_MXR: u32 = 0xc_0000;
const SATP: u32 = 0x180;
const SFENCE: u32 = 0x1200_0073;
const ECALL: u32 = 0x73;
const MRET: u32 = 0x3020_0073;
const SRET: u32 = 0x1020_0073;
const NOP: u32 = 0x13;
const FLUSH: u32 = 0x500f;

fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | rd << 7 | 0x13
}

fn load_immediate(rd: u32, value: u32) -> [u32; 2] {
    let upper = value.wrapping_add(0x800) & 0xffff_f000;
    [upper | rd << 7 | 0x37, addi(rd, rd, (value & 0xfff) as i32)]
}

/// CSRRW, CSRRS or CSRRC, for function 1, 2 or 3.
fn csr(function: u32, rd: u32, number: u32, rs1: u32) -> u32 {
    number << 20 | rs1 << 15 | function << 12 | rd << 7 | 0x73
}

fn branch(function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    let (high, low) = (offset >> 5 & 0x3f, offset >> 1 & 0xf);
    high << 25 | rs2 << 20 | rs1 << 15 | function << 12 | low << 8 | 0x63
}

fn set(code: &mut Vec<u32>, number: u32, value: u32) {
    code.extend(load_immediate(SCRATCH, value));
    code.push(csr(1, 0, number, SCRATCH));
}

/// A mode's handler, given its cause, value and return address registers. It continues after the trapping instruction, or leaves the mode
/// by `leave`.
fn handler(cause: u32, value: u32, epc: u32, pending: u32, back: u32, leave: &[u32]) -> Vec<u32> {
    let (saved_cause, saved_value, saved_epc) = (30, 29, 28);
    let head = [
        csr(2, saved_cause, cause, 0),
        csr(2, saved_value, value, 0),
        csr(2, saved_epc, epc, 0),
        // An interrupt: skip 9 instructions.
        branch(4, saved_cause, 0, 4 * 9),
        // The program wants to leave, or the fetch failed: skip 10, 8 and 6 instructions.
        branch(1, LEAVES, 0, 4 * 10),
        addi(saved_value, 0, 12),
        branch(0, saved_cause, saved_value, 4 * 8),
        addi(saved_value, 0, 1),
        branch(0, saved_cause, saved_value, 4 * 6),
        addi(saved_epc, saved_epc, 4),
        csr(1, 0, epc, saved_epc),
        back,
        csr(1, 0, pending, 0),
        back,
    ];
    [&head, leave].concat()
}

fn handlers() -> Vec<u32> {
    let to_next = [
        csr(1, 0, 0x341, NEXT),
        0x0000_2eb7,
        addi(29, 29, -2048),
        csr(2, 0, MSTATUS, 29),
        addi(LEAVES, 0, 0),
        MRET,
    ];
    let mut code = vec![(START << 20) | 0x6f];
    code.resize(HANDLER as usize / 4, NOP);
    code.extend(handler(0x342, 0x343, 0x341, 0x344, MRET, &to_next));
    code.resize(SUPERVISOR_HANDLER as usize / 4, NOP);
    code.extend(handler(
        0x142,
        0x143,
        0x141,
        0x144,
        SRET,
        &[addi(LEAVES, 0, 1), ECALL],
    ));
    code.resize(START as usize / 4, NOP);
    code
}

/// Random page flags, but not those of a pointer, with which `VexRiscv` would walk forever.
fn flags(rng: &mut Rng) -> u32 {
    let flags = rng.u32(..) & 0xff | u32::from(rng.u8(..8) != 0);
    if flags & 0xe == 0 { flags & !1 } else { flags }
}

/// Writes the page tables: code at its own address for supervisor mode and at [`USER_CODE`] for user mode; data with any rights; large
/// pages, aligned and misaligned; and reserved entries.
fn write_tables(memory: &mut [u8], rng: &mut Rng) {
    let mut put = |place: u32, entry: u32| {
        memory[place as usize..][..4].copy_from_slice(&entry.to_le_bytes());
    };
    (ROOT..ROOT + 0x3000).step_by(4).for_each(|place| put(place, 0));
    let large = [1, 0x401, 0x0005].map(|base| base & !0xff | flags(rng));
    let roots = [
        TABLES[0] >> 2 | 1,
        TABLES[1] >> 2 | 1,
        large[0] | 0xf,
        large[1] | 2 << 10,
        large[2],
        0x45,
    ];
    for (place, entry) in (ROOT..).step_by(4).zip(roots) {
        put(place, entry);
    }
    for (table, code) in TABLES.into_iter().zip([0xcb, 0xdb]) {
        for page in 0..16 {
            let flags = if page < 8 { code } else { flags(rng) };
            put(table + 4 * page, page << 10 | flags);
        }
    }
}

/// The features of a core that the programs use.
struct Generator<'a> {
    config: Config,
    rng: &'a mut Rng,
    paging: bool,
    /// Whether values read may depend on time.
    timed: bool,
}

impl Generator<'_> {
    fn supervisor(&self) -> bool {
        self.config.supervisor
    }

    fn register(&mut self) -> u32 {
        self.rng.u32(6..26)
    }

    /// A data address for a mode with or without translation.
    fn address(&mut self, translated: bool) -> u32 {
        let page = *self.rng.choice(&PAGES).expect("there are some") << 12;
        let area = if translated { self.rng.u32(..6) << 22 } else { 0 };
        area | page | self.rng.u32(..0x1000) & if self.rng.u8(..8) == 0 { !0 } else { !3 }
    }

    fn access(&mut self, code: &mut Vec<u32>, translated: bool) {
        if !translated && self.rng.u8(..8) == 0 {
            return self.access_port(code);
        }
        let address = self.address(translated);
        code.extend(load_immediate(SCRATCH, address));
        let register = self.register();
        let atomics = [
            0x1000_202f,
            0x1800_202f,
            0x0800_202f,
            0x0000_202f,
            0x4000_202f,
            0xe000_202f,
        ];
        code.push(match self.rng.u8(..3) {
            0 => {
                *self
                    .rng
                    .choice(&[0x3, 0x1003, 0x2003, 0x4003, 0x5003])
                    .expect("some")
                    | register << 7
            }
            1 => *self.rng.choice(&[0x23, 0x1023, 0x2023]).expect("some") | register << 20,
            _ if self.supervisor() => {
                let atomic = *self.rng.choice(&atomics).expect("some");
                let source = if atomic == atomics[0] {
                    0
                } else {
                    self.register() << 20
                };
                atomic | source | register << 7
            }
            _ => 0x2003 | register << 7,
        });
        *code.last_mut().expect("the access") |= SCRATCH << 15;
    }

    /// Writes one uncached port, or reads another one, which returns 0.
    fn access_port(&mut self, code: &mut Vec<u32>) {
        let register = self.register();
        let (port, access) = if self.rng.bool() {
            (ports::FINISH, 0x2003 | register << 7)
        } else {
            (ports::CONSOLE, 0x2023 | register << 20)
        };
        code.extend(load_immediate(SCRATCH, port));
        code.push(access | SCRATCH << 15);
    }

    /// Whether the flush encoding 0x500f has the same effect on both sides; not on Precursor's core.
    fn flushes(&self) -> bool {
        !self.config.isa.has(Extension::C) || !self.supervisor()
    }

    /// Flushes the data cache, sometimes after a division, whose operands then decide what stays cached.
    fn flush(&mut self, code: &mut Vec<u32>, [a, b, c]: [u32; 3]) {
        if self.rng.u8(..4) == 0 {
            let function = self.rng.u32(4..8);
            code.push(0x0200_0033 | c << 20 | b << 15 | function << 12 | a << 7);
        }
        code.push(FLUSH | self.rng.u32(..) & 0xfe0f_8f80);
    }

    /// A control register to read: one of the core's, or another number.
    fn readable(&mut self) -> u32 {
        let &(number, _) = self.rng.choice(self.config.csrs).expect("some");
        let counts = matches!(number >> 4, 0xb0 | 0xb8 | 0xc0 | 0xc8) || number == 0x344 || number == 0xfc0;
        if self.rng.bool() || counts && !self.timed {
            *self.rng.choice(&READ).expect("some")
        } else {
            number.into()
        }
    }

    /// One random action of a program in a mode.
    fn act(&mut self, code: &mut Vec<u32>, mode: u32, translated: bool) {
        let (a, b, c) = (self.register(), self.register(), self.register());
        match self.rng.u8(..16) {
            0..=7 => self.access(code, translated),
            8 if self.rng.u8(..4) == 0 => code.push(0x100f),
            8 | 9 => code.push(b << 15 | c << 20 | a << 7 | 0x33),
            10 => code.extend([branch(1, a, b, 8), addi(a, b, 1)]),
            11 => {
                let number = self.readable();
                code.push(csr(2, a, number, 0));
            }
            12 if self.flushes() && self.rng.bool() => self.flush(code, [a, b, c]),
            12 if self.supervisor() => {
                let number = *self.rng.choice(&[0x140, 0x142, 0x143, 0x340]).expect("some");
                code.push(csr(1, a, number, b));
            }
            13 if self.supervisor() => {
                code.extend(load_immediate(SCRATCH, self.rng.u32(..) & SUM_AND_MXR));
                let function = self.rng.u32(2..4);
                code.push(csr(function, a, 0x100, SCRATCH));
            }
            14 if self.supervisor() && mode > 0 => code.push(SFENCE),
            _ => {
                let traps = [ECALL, 0x0010_0073, 0, MRET, SRET];
                let those = if mode == 0 { 5 } else { 3 };
                code.push(*self.rng.choice(&traps[..those]).expect("some"));
            }
        }
    }

    /// Sets up tables and delegation, in machine mode.
    fn arrange_supervisor(&mut self, code: &mut Vec<u32>) {
        let exceptions = self.rng.u32(..) & !(1 << 9);
        set(code, 0x302, exceptions);
        set(code, 0x303, self.rng.u32(..));
        set(code, 0x304, self.rng.u32(..));
        set(
            code,
            0x344,
            self.rng.u32(..) & 0x222 & if self.rng.bool() { 0 } else { !0 },
        );
        for _ in 0..self.rng.u8(..3) {
            let page = *self.rng.choice(&PAGES).expect("some");
            let table = *self.rng.choice(&TABLES).expect("some");
            code.extend(load_immediate(SCRATCH, table + 4 * page));
            code.extend(load_immediate(6, page << 10 | flags(self.rng)));
            code.push(0x0062_a023);
        }
        self.paging = self.rng.u8(..4) != 0;
        set(code, SATP, if self.paging { 1 << 31 | ROOT >> 12 } else { 0 });
        code.push(SFENCE);
    }

    /// Sets up protection regions, in machine mode. The first one covers the code.
    fn arrange_protection(&mut self, code: &mut Vec<u32>) {
        let place = self.rng.u32(1..16);
        self.place_region(code, place);
        let number = self.rng.u32(..4);
        let lock = if self.rng.u8(..6) == 0 {
            0x9f9f_9f9f
        } else {
            0x1f1f_1f1f
        };
        let first = |rest: u32| if number == 0 { rest & !0xff | 0x1d } else { rest };
        set(code, 0x3a0 + number, first(self.rng.u32(..) & lock | 0x1818_1818));
    }

    /// Sets up a region over data.
    fn place_region(&mut self, code: &mut Vec<u32>, place: u32) {
        let ones = (1 << self.rng.u32(3..13)) - 1;
        let address = (DATA + self.rng.u32(..0x8000)) >> 2;
        set(code, 0x3b0 + place, address & !(ones << 1) | ones);
    }

    fn segment(&mut self, at: u32) -> Vec<u32> {
        let mut code = vec![csr(7, 0, MSTATUS, 8)];
        code.extend(load_immediate(NEXT, at + SEGMENT));
        if self.supervisor() {
            self.arrange_supervisor(&mut code);
        }
        if self.config.protection != Protection::None {
            self.arrange_protection(&mut code);
        }
        let modes: &[u32] = if self.supervisor() { &[0, 1, 3] } else { &[0, 3] };
        let mode = *self.rng.choice(modes).expect("some");
        let status = self.rng.u32(..) & (SUM_AND_MXR | 0x1a2) | mode << 11;
        set(&mut code, MSTATUS, status);
        if self.paging && self.rng.bool() {
            set(&mut code, MSTATUS, status | MPRV);
            for _ in 0..4 {
                self.access(&mut code, mode != 3);
            }
        }
        // A trap in between has left its mode in mstatus.
        set(&mut code, MSTATUS, status);
        let body = at + BODY;
        let alias = if mode == 0 && self.paging { USER_CODE } else { 0 };
        // A misaligned address.
        let beside = if self.rng.u8(..4) == 0 {
            self.rng.u32(..4)
        } else {
            0
        };
        // With compressed instructions `VexRiscv` jumps there, and reports addresses with the lowest bit set.
        let odd = u32::from(self.config.isa.has(Extension::C));
        let beside = beside & !odd;
        set(&mut code, 0x341, body | alias | beside);
        code.push(MRET);
        assert!(code.len() < BODY as usize / 4, "room for what is arranged");
        // An exception in the first instruction would precede an interrupt.
        code.resize(BODY as usize / 4 + 4, NOP);
        while code.len() < SEGMENT as usize / 4 - 8 {
            self.act(&mut code, mode, self.paging && mode != 3);
        }
        code.extend([NOP, NOP, addi(LEAVES, 0, 1), ECALL]);
        code.resize(SEGMENT as usize / 4, NOP);
        code
    }

    fn program(&mut self) -> Vec<u8> {
        let mut code = handlers();
        set(&mut code, 0x305, HANDLER);
        if self.supervisor() {
            set(&mut code, 0x105, SUPERVISOR_HANDLER);
        }
        // A region locked without an address would match everything.
        if self.config.protection != Protection::None {
            set(&mut code, 0x3b0, 0x3fff);
            (1..16).for_each(|place| self.place_region(&mut code, place));
        }
        for register in 1..31 {
            let value = if register == LEAVES { 0 } else { self.rng.u32(..) };
            code.extend(load_immediate(register, value));
        }
        code.resize(SEGMENTS as usize / 4, NOP);
        for number in 0..COUNT {
            code.extend(self.segment(SEGMENTS + number * SEGMENT));
        }
        code.push(csr(7, 0, MSTATUS, 8));
        code.extend(FINISH);
        code.push(0x6f);
        let mut memory: Vec<u8> = code.into_iter().flat_map(u32::to_le_bytes).collect();
        assert!(memory.len() <= DATA as usize, "code ends before the data");
        memory.resize(DATA as usize, 0);
        memory.extend((DATA..MEMORY).map(|_| self.rng.u8(..)));
        write_tables(&mut memory, self.rng);
        memory
    }
}

/// A program of this kind, starting at 0.
pub(crate) fn program(config: &Config, rng: &mut Rng) -> Vec<u8> {
    generated(config, false, rng)
}

/// A program that also reads counters and depends on interrupt lines.
pub(crate) fn timed(config: &Config, rng: &mut Rng) -> Vec<u8> {
    generated(config, true, rng)
}

fn generated(config: &Config, timed: bool, rng: &mut Rng) -> Vec<u8> {
    let mut generator = Generator {
        config: *config,
        rng,
        paging: false,
        timed,
    };
    generator.program()
}

/// Control registers that are read: those of every mode, and some that do not exist.
const READ: [u32; 18] = [
    0x100, 0x104, 0x105, 0x140, 0x141, 0x142, 0x143, 0x144, 0x180, 0x300, 0x340, 0x341, 0x342, 0x343, 0x3a1,
    0x3b1, 0xf11, 0x7c0,
];

/// A retired instruction: address, privilege, register written.
type Retired = (u32, u8, Option<(u8, u32)>);

fn ours(config: Config, memory: &[u8], count: usize) -> Vec<Retired> {
    let mut core = machine(config, memory);
    let mut stream = Vec::new();
    for now in 0..10 * count as u64 {
        if stream.len() == count {
            break;
        }
        let privilege = core.privilege as u8;
        if let Step::Retired { pc, insn } = core.step(now).unwrap() {
            let rd = insn.rd.0;
            let writes = rd != 0
                && !insn.is_branch()
                && (!insn.is_store() || insn.is_amo() || insn.raw & 0x7f == 0x2f);
            stream.push((pc, privilege, writes.then(|| (rd, core.regs[usize::from(rd)]))));
        }
    }
    stream
}

pub(crate) fn compare(config: Config, seed: u64, programs: u64) {
    let rtl = Core::named(config.name).expect("the oracle has it");
    let Some(oracle) = oracle(rtl) else { return };
    let mut rng = Rng::with_seed(seed);
    let mut below = 0;
    for round in 0..programs {
        let latency = rng.u32(..4);
        let memory = program(&config, &mut rng);
        let job = Job {
            memory: memory.clone(),
            latency,
            limit: 400_000,
            ..Job::default()
        };
        let outcome = oracle.run(&job).unwrap();
        assert!(
            outcome.exit.is_some(),
            "{}, RTL_SEED={seed}, program {round}: no end",
            config.name
        );
        let theirs: Vec<Retired> = outcome
            .stream
            .iter()
            .map(|one| (one.pc, one.privilege, one.written))
            .collect();
        let ours = ours(config, &memory, theirs.len());
        below += theirs.iter().filter(|one| one.1 < 3).count();
        let first = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
        if let Some(at) = first {
            let from = at.saturating_sub(8);
            panic!(
                "{}, RTL_SEED={seed}, program {round}, instruction {at}:\nours {:x?}\ntheirs {:x?}",
                config.name,
                &ours[from..=at],
                &theirs[from..=at]
            );
        }
        assert_eq!(ours.len(), theirs.len());
    }
    assert!(
        below > 100 * programs as usize,
        "{}: {below} instructions below machine mode",
        config.name
    );
}

#[test]
fn privileged_programs_retire_as_on_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let programs = number("RTL_PROGRAMS", 20);
    for config in vexriscv() {
        if config.translation != Translation::None || config.protection != Protection::None {
            compare(config, seed, programs);
        }
    }
}
