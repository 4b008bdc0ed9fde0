//! What timing needs to know of an instruction, whatever its operands hold.

use isa_thumb::{Insn, Op, Operand, Reg, RegSet};

/// The kinds of instruction that a pipeline treats alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Class {
    /// One pass through the ALU.
    Data,
    Saturate,
    MultiplyAccumulate,
    LongMultiply,
    LongMultiplyAccumulate,
    Divide,
    It,
    Nop,
    /// Hints and other instructions that only take their turn.
    Hint,
    Load,
    /// A load relative to PC.
    Literal,
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
    /// A branch whose target is known when it is decoded: an immediate, or LR.
    Branch,
    /// The same with a condition.
    BranchConditional,
    /// A branch to another register.
    BranchRegister,
    /// A data-processing write to PC.
    WriteToPc,
    MoveFromSpecial,
    MoveToSpecial,
    Barrier,
    InstructionBarrier,
    /// BKPT.
    Halt,
    /// SVC, UDF and what does not decode: an exception follows.
    Exceptional,
}

impl Class {
    /// Whether execution never goes on behind it.
    pub(crate) fn always_jumps(self) -> bool {
        use Class::{Branch, BranchRegister, Exceptional, Halt, LoadMultiplePc, LoadPc, TableBranch, WriteToPc};
        matches!(self, Branch | BranchRegister | Exceptional | Halt | LoadMultiplePc | LoadPc | TableBranch | WriteToPc)
    }

    /// Whether it changes nothing but the PC, so that one that jumps to itself does so for ever.
    pub(crate) fn only_branches(self) -> bool {
        matches!(self, Class::Branch | Class::BranchConditional | Class::BranchRegister)
    }

    /// Whether its data accesses are writes.
    pub(crate) fn writes_memory(self) -> bool {
        use Class::{Store, StoreDouble, StoreIndexed, StoreMultiple};
        matches!(self, Store | StoreDouble | StoreIndexed | StoreMultiple)
    }

    fn single_access(self) -> bool {
        use Class::{Literal, Load, LoadPc, Store, StoreIndexed, TableBranch};
        matches!(self, Literal | Load | LoadPc | Store | StoreIndexed | TableBranch)
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
    /// A load or store that moves its base register.
    pub writes_base: bool,
    /// A long multiply or divide of signed numbers.
    pub signed: bool,
}

impl Shape {
    /// Of a decoded instruction.
    pub(crate) fn of(insn: &Insn, pc: u32) -> Self {
        let class = class_of(insn);
        let words = match class {
            Class::LoadDouble | Class::StoreDouble => 2,
            Class::LoadMultiple | Class::LoadMultiplePc | Class::StoreMultiple => insn.list.len() as u8,
            single => u8::from(single.single_access()),
        };
        let signed = matches!(insn.op, Op::Smull | Op::Smlal | Op::Sdiv);
        let target = matches!(insn.op, Op::Bx | Op::Blx).then(|| RegSet::EMPTY.with(insn.rm));
        let address = target.unwrap_or_else(|| insn.address_regs());
        Shape { class, pc, size: insn.size, words, address, writes: insn.writes(), writes_base: insn.writeback, signed }
    }

    /// Of bytes that decode to nothing: executing them is an exception.
    pub(crate) fn undecodable(pc: u32, size: u8) -> Self {
        let none = RegSet::EMPTY;
        Shape { class: Class::Exceptional, pc, size, words: 0, address: none, writes: none, writes_base: false, signed: false }
    }
}

fn class_of(insn: &Insn) -> Class {
    match insn.op {
        Op::Ldr if insn.rd == Reg::PC => Class::LoadPc,
        Op::Ldr if insn.rn == Reg::PC => Class::Literal,
        Op::Ldr | Op::Ldrex => Class::Load,
        // STREX returns a status as a load returns data (DDI 0337I 3.3.2).
        Op::Strex => Class::Load,
        Op::Str if insn.operand == Operand::Reg => Class::StoreIndexed,
        Op::Str => Class::Store,
        Op::Ldrd => Class::LoadDouble,
        Op::Strd => Class::StoreDouble,
        Op::Ldm if insn.list.contains(Reg::PC) => Class::LoadMultiplePc,
        Op::Ldm => Class::LoadMultiple,
        Op::Stm => Class::StoreMultiple,
        Op::Tbb => Class::TableBranch,
        Op::B if insn.cond != isa_thumb::Cond::Al => Class::BranchConditional,
        Op::Cbz | Op::Cbnz => Class::BranchConditional,
        Op::B | Op::Bl => Class::Branch,
        Op::Bx | Op::Blx if insn.rm == Reg::LR => Class::Branch,
        Op::Bx | Op::Blx => Class::BranchRegister,
        Op::Mla | Op::Mls => Class::MultiplyAccumulate,
        Op::Umull | Op::Smull => Class::LongMultiply,
        Op::Umlal | Op::Smlal => Class::LongMultiplyAccumulate,
        Op::Sdiv | Op::Udiv => Class::Divide,
        Op::Ssat | Op::Usat => Class::Saturate,
        Op::It => Class::It,
        Op::Nop => Class::Nop,
        Op::Yield | Op::Sev | Op::Dbg | Op::Pld | Op::Clrex | Op::Wfe | Op::Wfi => Class::Hint,
        Op::Mrs => Class::MoveFromSpecial,
        Op::Msr | Op::Cps => Class::MoveToSpecial,
        Op::Dmb | Op::Dsb => Class::Barrier,
        Op::Isb => Class::InstructionBarrier,
        Op::Bkpt => Class::Halt,
        Op::Svc | Op::Udf | Op::Coproc => Class::Exceptional,
        _ if insn.rd == Reg::PC => Class::WriteToPc,
        _ => Class::Data,
    }
}
