//! The properties of an instruction that matter for timing, independent of its operands' values.

use isa_thumb::{Insn, Op, Operand, Reg, RegSet};

use super::Model;
use super::m4::float::{FloatUse, accumulates};
use super::rule::Rule;

/// The kinds of instruction that a pipeline treats alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Class {
    /// One pass through the ALU.
    Data,
    Multiply,
    Saturate,
    MultiplyAccumulate,
    LongMultiply,
    LongMultiplyAccumulate,
    Divide,
    It,
    Nop,
    /// Hints and other instructions that only take their turn.
    Hint,
    /// WFE and WFI.
    Wait,
    Load,
    /// A load to PC.
    LoadPc,
    /// A store with an immediate offset.
    Store,
    /// A store with a register offset.
    StoreIndexed,
    LoadDouble,
    StoreDouble,
    LoadMultiple,
    /// POP or LDM that loads PC.
    LoadMultiplePc,
    StoreMultiple,
    TableBranch,
    /// B and BL.
    Branch,
    /// B with a condition.
    BranchConditional,
    /// CBZ and CBNZ.
    CompareBranch,
    /// A branch to LR.
    BranchLr,
    /// A branch to another register.
    BranchRegister,
    /// A data-processing instruction other than MOV that writes PC.
    WriteToPc,
    MoveFromSpecial,
    MoveToSpecial,
    Barrier,
    InstructionBarrier,
    /// Floating-point arithmetic of one cycle.
    Float,
    FloatMultiplyAccumulate,
    /// VDIV and VSQRT.
    FloatDivide,
    /// Between a core register and one of the floating-point unit.
    FloatMove,
    /// Between two of each.
    FloatMovePair,
    /// BKPT.
    Halt,
    /// SVC, UDF and what does not decode: an exception follows.
    Exceptional,
}

impl Class {
    /// Whether execution never continues after it.
    pub(crate) fn always_jumps(self) -> bool {
        use Class::{
            Branch, BranchLr, BranchRegister, Exceptional, Halt, LoadMultiplePc, LoadPc, TableBranch,
            WriteToPc,
        };
        let branches = matches!(self, Branch | BranchLr | BranchRegister | WriteToPc);
        branches || matches!(self, Exceptional | Halt | LoadMultiplePc | LoadPc | TableBranch)
    }

    /// Whether execution may continue elsewhere, or refetch, after it.
    pub(crate) fn may_jump(self) -> bool {
        use Class::{BranchConditional, CompareBranch, InstructionBarrier};
        self.always_jumps() || matches!(self, BranchConditional | CompareBranch | InstructionBarrier)
    }

    /// Whether it changes nothing but the PC, so that one that jumps to itself does so for ever.
    pub(crate) fn only_branches(self) -> bool {
        use Class::{Branch, BranchConditional, BranchLr, BranchRegister, CompareBranch};
        matches!(
            self,
            Branch | BranchConditional | BranchLr | BranchRegister | CompareBranch
        )
    }

    /// Whether it asks for its target while it is decoded.
    pub(crate) fn asks_in_decode(self) -> bool {
        matches!(self, Class::Branch | Class::BranchConditional | Class::BranchLr)
    }

    /// Whether what is decoded while it executes leaves its word only behind it.
    pub(crate) fn delays_slots(self, model: Model) -> bool {
        use Class::{
            CompareBranch, Divide, FloatMultiplyAccumulate, Load, LoadDouble, LoadMultiple, LongMultiply,
            LongMultiplyAccumulate, MoveFromSpecial, MoveToSpecial, MultiplyAccumulate,
        };
        match self {
            MultiplyAccumulate | LongMultiply | LongMultiplyAccumulate => model.has(Rule::MultiplyAccumulate),
            CompareBranch => model.has(Rule::JumpBehindFetch),
            Divide
            | FloatMultiplyAccumulate
            | Load
            | LoadDouble
            | LoadMultiple
            | MoveFromSpecial
            | MoveToSpecial => true,
            _ => self.writes_memory(),
        }
    }

    /// Whether its data accesses are writes.
    pub(crate) fn writes_memory(self) -> bool {
        use Class::{Store, StoreDouble, StoreIndexed, StoreMultiple};
        matches!(self, Store | StoreDouble | StoreIndexed | StoreMultiple)
    }

    fn single_access(self) -> bool {
        use Class::{Load, LoadPc, Store, StoreIndexed, TableBranch};
        matches!(self, Load | LoadPc | Store | StoreIndexed | TableBranch)
    }
}

/// Which halfwords near a NOP look like IT (rule `it-looks`).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NearIt {
    /// The one behind it.
    pub next: bool,
    /// The one three words before that, in whose place that comes.
    pub word_before_last: bool,
}

impl NearIt {
    /// Of the NOP at `pc`, by what is in memory.
    pub(crate) fn around(pc: u32, halfword: impl Fn(u32) -> Option<u16>) -> Self {
        let looks = |address| halfword(address).is_some_and(looks_like_it);
        let [next, word_before_last] = NearIt::looks_at(pc).map(looks);
        NearIt {
            next,
            word_before_last,
        }
    }

    /// The addresses of the halfwords that decide it.
    pub(crate) fn looks_at(pc: u32) -> [u32; 2] {
        let next = pc.wrapping_add(2);
        [next, next.wrapping_sub(12)]
    }
}

/// Whether a halfword is the encoding of an IT.
pub(crate) fn looks_like_it(halfword: u16) -> bool {
    halfword >> 8 == 0xbf && halfword & 15 != 0
}

/// Whether an IT right after an instruction is decoded together with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Folds {
    Never,
    Always,
    /// Its destination, or the first operand of its comparison, is the stack pointer (rule `it-behind-stack`).
    BehindStack,
    /// It is a MUL (rule `it-behind-multiply`).
    BehindMultiply,
}

impl Folds {
    /// Whether it is, by the rules of a core.
    pub(super) fn on(self, model: Model) -> bool {
        match self {
            Folds::Never => false,
            Folds::Always => true,
            Folds::BehindStack => !model.has(Rule::ItBehindStack),
            Folds::BehindMultiply => model.has(Rule::ItBehindMultiply),
        }
    }
}

/// An instruction as the pipeline sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Its kind.
    pub class: Class,
    /// Its address.
    pub pc: u32,
    /// Its length in bytes.
    pub size: u8,
    /// Data transfers: the registers of LDM, STM and the like, 1 for a single access, 0 for none.
    pub words: u8,
    /// Registers that form its address, or a branch's target.
    pub address: RegSet,
    /// Registers that it writes.
    pub writes: RegSet,
    /// Of these, the registers that reach the next instruction's address a cycle late.
    pub late: RegSet,
    /// The accumulator of an MLA that is not one of its factors.
    pub accumulator: RegSet,
    /// A load or store that moves its base register.
    pub writes_base: bool,
    /// The base that a single load moves.
    pub moved: RegSet,
    /// A long multiply or divide of signed numbers.
    pub signed: bool,
    /// Whether a following IT is decoded together with it.
    pub folds: Folds,
    /// Which halfwords near it look like IT, if it is a NOP of 16 bits.
    pub near_it: NearIt,
    /// Its use of floating-point registers.
    pub float: FloatUse,
    /// The target of an immediate branch.
    pub target: Option<u32>,
}

impl Shape {
    /// Of a decoded instruction, which stands in an IT block if `in_block`.
    pub(crate) fn of(insn: &Insn, pc: u32, in_block: bool) -> Self {
        let class = class_of(insn);
        let words = match class {
            Class::LoadDouble | Class::StoreDouble => 2,
            Class::LoadMultiple | Class::StoreMultiple if insn.op.is_float() => insn.amount,
            Class::LoadMultiple | Class::LoadMultiplePc | Class::StoreMultiple => insn.list.len() as u8,
            single => u8::from(single.single_access()),
        };
        let branches = matches!(class, Class::BranchLr | Class::BranchRegister);
        let free = insn.op == Op::Mla && insn.ra != insn.rn && insn.ra != insn.rm;
        Shape {
            class,
            pc,
            size: insn.size,
            words,
            address: if branches {
                RegSet::EMPTY.with(insn.rm)
            } else {
                insn.address_regs()
            },
            writes: insn.writes(),
            late: late(insn, class),
            accumulator: if free {
                RegSet::EMPTY.with(insn.ra)
            } else {
                RegSet::EMPTY
            },
            writes_base: insn.writeback,
            moved: if class == Class::Load && insn.writeback {
                RegSet::EMPTY.with(insn.rn)
            } else {
                RegSet::EMPTY
            },
            signed: matches!(insn.op, Op::Smull | Op::Smlal | Op::Sdiv),
            folds: folds(insn, class, in_block),
            near_it: NearIt::default(),
            float: FloatUse::of(insn),
            target: matches!(insn.op, Op::B | Op::Bl | Op::Cbz | Op::Cbnz)
                .then(|| pc.wrapping_add(4).wrapping_add(insn.imm)),
        }
    }

    /// Of bytes that decode to nothing: executing them is an exception.
    pub(crate) fn undecodable(pc: u32, size: u8) -> Self {
        let none = RegSet::EMPTY;
        Shape {
            class: Class::Exceptional,
            pc,
            size,
            words: 0,
            address: none,
            writes: none,
            late: none,
            accumulator: none,
            writes_base: false,
            moved: none,
            signed: false,
            folds: Folds::Never,
            near_it: NearIt::default(),
            float: FloatUse::default(),
            target: None,
        }
    }
}

/// Whether a following IT is decoded together with it (rule `it-folded`).
fn folds(insn: &Insn, class: Class, in_block: bool) -> Folds {
    let first = if insn.op == Op::Cmp { insn.rn } else { insn.rd };
    match class {
        _ if in_block || insn.size != 2 => Folds::Never,
        Class::Data if first == Reg::SP => Folds::BehindStack,
        Class::Data | Class::Nop => Folds::Always,
        Class::Multiply => Folds::BehindMultiply,
        _ => Folds::Never,
    }
}

/// The registers that an instruction writes too late for the address of the next one (rule `address-dependency`).
fn late(insn: &Insn, class: Class) -> RegSet {
    let one = |reg: Reg| RegSet::EMPTY.with(reg);
    let last_loaded = || one(Reg(insn.list.0.ilog2() as u8));
    match class {
        Class::Data
        | Class::Multiply
        | Class::Saturate
        | Class::MultiplyAccumulate
        | Class::Divide
        | Class::FloatMove
        | Class::FloatMovePair
        | Class::MoveFromSpecial => insn.writes(),
        Class::LongMultiply | Class::LongMultiplyAccumulate => one(insn.ra),
        Class::Load if insn.writeback => one(insn.rd),
        Class::Store if insn.writeback => one(insn.rn),
        Class::LoadMultiple if insn.op.is_float() => RegSet::EMPTY,
        Class::LoadMultiple if insn.writeback || insn.size == 2 => last_loaded(),
        Class::LoadDouble if insn.writeback => one(insn.ra),
        _ => RegSet::EMPTY,
    }
}

fn class_of(insn: &Insn) -> Class {
    match insn.op {
        Op::Ldr if insn.rd == Reg::PC => Class::LoadPc,
        // STREX returns a status as a load returns data (DDI 0337I 3.3.2).
        Op::Ldr | Op::Ldrex | Op::Strex => Class::Load,
        Op::Str if insn.operand == Operand::Reg => Class::StoreIndexed,
        Op::Str => Class::Store,
        Op::Ldrd => Class::LoadDouble,
        Op::Strd => Class::StoreDouble,
        Op::Ldm if insn.list.contains(Reg::PC) => Class::LoadMultiplePc,
        Op::Ldm => Class::LoadMultiple,
        Op::Stm => Class::StoreMultiple,
        Op::Tbb => Class::TableBranch,
        Op::B if insn.cond != isa_thumb::Cond::Al => Class::BranchConditional,
        Op::Cbz | Op::Cbnz => Class::CompareBranch,
        Op::B | Op::Bl => Class::Branch,
        Op::Bx | Op::Blx => branch_to(insn),
        Op::Mov if insn.rd == Reg::PC => branch_to(insn),
        Op::Mul => Class::Multiply,
        Op::Mla | Op::Mls => Class::MultiplyAccumulate,
        Op::Umull | Op::Smull => Class::LongMultiply,
        Op::Umlal | Op::Smlal => Class::LongMultiplyAccumulate,
        Op::Sdiv | Op::Udiv => Class::Divide,
        Op::Ssat | Op::Usat => Class::Saturate,
        Op::It => Class::It,
        Op::Nop => Class::Nop,
        Op::Yield | Op::Sev | Op::Dbg | Op::Pld | Op::Clrex => Class::Hint,
        Op::Wfe | Op::Wfi => Class::Wait,
        Op::Mrs => Class::MoveFromSpecial,
        Op::Msr | Op::Cps => Class::MoveToSpecial,
        Op::Dmb | Op::Dsb => Class::Barrier,
        Op::Isb => Class::InstructionBarrier,
        Op::Bkpt => Class::Halt,
        Op::Svc | Op::Udf | Op::Coproc => Class::Exceptional,
        _ if insn.op.is_float() => float_class(insn),
        op if op.is_dsp() && op as u8 >= Op::Smlaxy as u8 => Class::Multiply,
        _ if insn.rd == Reg::PC => Class::WriteToPc,
        _ => Class::Data,
    }
}

/// Between registers and memory as other loads and stores.
fn float_class(insn: &Insn) -> Class {
    match (insn.op, insn.double) {
        (Op::Vldr, true) => Class::LoadDouble,
        (Op::Vldr, false) => Class::Load,
        (Op::Vstr, true) => Class::StoreDouble,
        (Op::Vstr, false) => Class::Store,
        (Op::Vldm, _) => Class::LoadMultiple,
        (Op::Vstm, _) => Class::StoreMultiple,
        (Op::Vdiv | Op::Vsqrt, _) => Class::FloatDivide,
        (Op::VmovFromCore | Op::VmovToCore | Op::Vmrs | Op::Vmsr, _) => Class::FloatMove,
        (Op::VmovPairFromCore | Op::VmovPairToCore, _) => Class::FloatMovePair,
        (op, _) if accumulates(op) => Class::FloatMultiplyAccumulate,
        _ => Class::Float,
    }
}

fn branch_to(insn: &Insn) -> Class {
    if insn.rm == Reg::LR {
        Class::BranchLr
    } else {
        Class::BranchRegister
    }
}
