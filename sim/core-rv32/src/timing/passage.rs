//! What a pipeline needs to know of an instruction.

use isa_rv32::{Insn, Op};

/// What kind of instruction it is, as far as pipelines care.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// One cycle in each stage.
    Plain,
    /// A shift by this amount.
    Shift(u8),
    /// A load.
    Load,
    /// A store.
    Store,
    /// It reads or writes a control and status register.
    Csr,
    /// MRET or SRET.
    Return,
    /// ECALL.
    Call,
    /// An illegal instruction.
    Illegal,
}

/// A jump that will be taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Jump {
    /// Where to.
    pub target: u32,
    /// Whether no instruction can be there: the jump is an exception.
    pub misaligned: bool,
}

/// An instruction on its way through a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Passage {
    /// Its address.
    pub pc: u32,
    /// Its kind.
    pub kind: Kind,
    /// The registers that it reads; 0 for none.
    pub reads: [u8; 2],
    /// The register that it writes; 0 for none.
    pub writes: u8,
    /// The jump that it takes.
    pub jump: Option<Jump>,
    /// Whether its access is misaligned, which is an exception.
    pub misaligned: bool,
}

impl Passage {
    /// An instruction whose execution jumps as `jump` says, with these values of rs1 and rs2. What an instruction that is
    /// never executed would have done does not matter.
    pub fn new(pc: u32, insn: &Insn, rs1: u32, rs2: u32, jump: Option<Jump>) -> Passage {
        let size = insn.access_size();
        let address = rs1.wrapping_add(insn.imm as u32);
        Passage {
            pc,
            kind: kind(insn, rs2),
            reads: reads(insn),
            writes: if writes(insn) { insn.rd.0 } else { 0 },
            jump,
            misaligned: size != 0 && address & (size - 1) != 0,
        }
    }

    /// An illegal instruction.
    pub fn illegal(pc: u32) -> Passage {
        Passage {
            pc,
            kind: Kind::Illegal,
            reads: [0; 2],
            writes: 0,
            jump: None,
            misaligned: false,
        }
    }

    pub(crate) fn accesses(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Store)
    }
}

fn kind(insn: &Insn, rs2: u32) -> Kind {
    match insn.op {
        Op::Slli | Op::Srli | Op::Srai => Kind::Shift(insn.imm as u8 & 31),
        Op::Sll | Op::Srl | Op::Sra => Kind::Shift(rs2 as u8 & 31),
        Op::Mret | Op::Sret => Kind::Return,
        Op::Ecall => Kind::Call,
        Op::Ebreak => Kind::Illegal,
        _ if insn.is_csr() => Kind::Csr,
        _ if insn.is_load() => Kind::Load,
        _ if insn.is_store() => Kind::Store,
        _ => Kind::Plain,
    }
}

fn reads(insn: &Insn) -> [u8; 2] {
    let immediate = matches!(insn.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci);
    if immediate {
        return [0; 2];
    }
    [insn.rs1.0, insn.rs2.0]
}

fn writes(insn: &Insn) -> bool {
    let stores = insn.is_store() && !insn.is_amo() && insn.op != Op::ScW;
    !stores && !insn.is_branch()
}
