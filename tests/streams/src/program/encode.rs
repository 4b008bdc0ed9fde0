//! Random instructions that do no harm: each from the table of encodings.

use std::sync::LazyLock;

use fastrand::Rng;
use isa_thumb::table::{Row, rows};
use isa_thumb::{Insn, Isa, ItRule, ItState, Op, Operand, Reg, RegSet};

const INDEX: Reg = Reg(3);
/// Bases of loads and stores.
const BASES: [Reg; 3] = [Reg(4), Reg(5), Reg::SP];
/// A base that the instructions right before have formed.
pub(super) const FORMED: Reg = Reg(2);
/// R3 to R7, SP, LR and PC.
const RESERVED: RegSet = RegSet(0xe0f8);

/// The instructions that programs of an instruction set are made of: some of each row of the table that has harmless ones.
pub(super) struct Pool {
    /// For any place.
    any: Vec<Vec<Insn>>,
    /// Loads and stores by [`FORMED`].
    formed: Vec<Vec<Insn>>,
}

impl Pool {
    /// Of the instructions that a core has.
    pub(super) fn of(isa: Isa) -> &'static Pool {
        static POOLS: LazyLock<[Pool; Isa::ALL.len()]> = LazyLock::new(|| Isa::ALL.map(Pool::new));
        let place = Isa::ALL.iter().position(|other| *other == isa);
        &POOLS[place.expect("it is one of them")]
    }

    fn new(isa: Isa) -> Pool {
        let mut rng = Rng::with_seed(1);
        let here = |row: &&Row| {
            let float = row.is_float() && !isa.has_float();
            row.is_of(isa) && !float && row.op.is_some_and(|op| !is_left_out(op))
        };
        let mut of = |bases: &[Reg]| {
            let rows = rows().iter().filter(here);
            let samples = rows.map(|row| samples(isa, row, bases, &mut rng));
            samples.filter(|samples| !samples.is_empty()).collect::<Vec<_>>()
        };
        let any = of(&BASES);
        let mut formed = of(&[FORMED]);
        formed.retain(|samples| samples[0].rn == FORMED && (samples[0].is_load() || samples[0].is_store()));
        Pool { any, formed }
    }

    /// A load or store by [`FORMED`].
    pub(super) fn by_formed(&self, rng: &mut Rng) -> Insn {
        let row = &self.formed[rng.usize(..self.formed.len())];
        row[rng.usize(..row.len())]
    }

    /// An instruction for outside of IT blocks. Any row is as likely as any other.
    pub(super) fn instruction(&self, rng: &mut Rng) -> Insn {
        self.random(rng, |insn| insn.op != Op::It)
    }

    /// An IT block; some are of loads and stores alone.
    pub(super) fn block(&self, rng: &mut Rng) -> Vec<Insn> {
        let accesses = rng.u32(..4) == 0;
        let fits = |insn: &Insn| insn.it == ItRule::Any && (!accesses || insn.is_load() || insn.is_store());
        let mut block = vec![self.random(rng, |insn| insn.op == Op::It)];
        let mut state = ItState::OUTSIDE.after(&block[0]);
        while state.in_block() {
            block.push(self.random(rng, fits));
            state = state.advance();
        }
        block
    }

    fn random(&self, rng: &mut Rng, wanted: impl Fn(&Insn) -> bool) -> Insn {
        loop {
            let row = &self.any[rng.usize(..self.any.len())];
            let insn = row[rng.usize(..row.len())];
            if wanted(&insn) {
                return insn;
            }
        }
    }
}

/// Harmless instructions of a row.
fn samples(isa: Isa, row: &Row, bases: &[Reg], rng: &mut Rng) -> Vec<Insn> {
    const TRIES: usize = 1000;
    const MOST: usize = 40;
    let fixed = row.pattern.select.mask | row.pattern.should_be.mask;
    let set = row.pattern.select.value | row.pattern.should_be.value;
    // Half of the lists have none of R3 to R7, so that a load of several is not a rare one.
    let list = row.pattern.field_mask(b'r') & u32::from(RESERVED.0);
    // Half of the arithmetic of floating point is with S0 to S3, so that results are needed.
    let moves = row
        .op
        .is_none_or(|op| matches!(op, Op::Vldr | Op::Vstr | Op::Vldm | Op::Vstm));
    let few = if row.is_float() && !moves { 0x000e_e00e } else { 0 };
    let random = (0..TRIES).filter_map(|_| {
        let random = rng.u32(..) & if row.pattern.size == 2 { 0xffff } else { u32::MAX };
        let random = if rng.bool() {
            random & !(list | few)
        } else {
            random
        };
        let raw = set | random & !fixed;
        row.matches(raw).then(|| isa.decode(raw).ok()).flatten()
    });
    random
        .filter(|insn| is_harmless(insn, bases))
        .take(MOST)
        .collect()
}

/// What stands in programs on purpose only.
fn is_left_out(op: Op) -> bool {
    let jumps = matches!(
        op,
        Op::B | Op::Bl | Op::Bx | Op::Blx | Op::Cbz | Op::Cbnz | Op::Tbb
    );
    let traps = matches!(op, Op::Svc | Op::Bkpt | Op::Udf | Op::Coproc);
    jumps || traps || matches!(op, Op::Wfi | Op::Wfe | Op::Cps)
}

fn is_harmless(insn: &Insn, bases: &[Reg]) -> bool {
    if insn.is_load() || insn.is_store() || insn.op == Op::Pld {
        return accesses_ram(insn, bases);
    }
    let of_stack = matches!(insn.op, Op::Add | Op::Sub) && insn.rn == Reg::SP && insn.operand == Operand::Imm;
    match insn.op {
        // By a small multiple of 4.
        _ if insn.rd == Reg::SP => of_stack && insn.imm.is_multiple_of(4) && insn.imm <= 64,
        // To the flags, PRIMASK, BASEPRI and BASEPRI_MAX.
        Op::Msr => matches!(insn.imm, 0..=3 | 16..=18),
        _ => !insn.writes_pc() && !insn.writes().intersects(RESERVED),
    }
}

/// Whether its address is well inside of a memory, and what it writes is free.
fn accesses_ram(insn: &Insn, bases: &[Reg]) -> bool {
    let moves = insn.writeback;
    let multiple = matches!(insn.op, Op::Ldm | Op::Stm | Op::Vldm | Op::Vstm);
    let literal = insn.rn == Reg::PC && !moves && !insn.is_store();
    let by_index = insn.operand == Operand::Reg;
    let offset = insn.imm as i32;
    // A base that moves stays a multiple of four, and does not go far.
    let near = match (multiple || by_index, moves) {
        (true, _) => true,
        (false, false) => (-255..=2047).contains(&offset),
        (false, true) => offset % 4 == 0 && offset.abs() <= 64,
    };
    let mut results = insn.writes();
    if moves {
        results.0 &= !(1 << insn.rn.0);
    }
    (literal || bases.contains(&insn.rn))
        && (!by_index || insn.rm == INDEX)
        && near
        && !insn.writes_pc()
        && !results.intersects(RESERVED)
}
