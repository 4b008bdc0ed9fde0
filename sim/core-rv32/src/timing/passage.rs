//! What a pipeline needs to know of an instruction.

use isa_rv32::{Insn, Op};

/// What kind of instruction it is, as far as pipelines care.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// One cycle in each stage.
    Plain,
    /// JAL or JALR.
    Link,
    /// A shift by this amount.
    Shift(u8),
    /// A multiplication.
    Multiply,
    /// A division.
    Divide,
    /// FENCE.I.
    FlushInstructions,
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
    /// Where a static predictor takes it to jump: JAL, and branches backward.
    pub predicted: Option<u32>,
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
            predicted: predicted(pc, insn),
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
            predicted: None,
            misaligned: false,
        }
    }

    /// Whether execution goes on elsewhere than the fetch does by itself.
    pub(crate) fn leaves(&self) -> bool {
        self.jump.is_some()
            || self.misaligned
            || matches!(self.kind, Kind::Return | Kind::Call | Kind::Illegal)
    }

    pub(crate) fn accesses(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Store)
    }
}

fn predicted(pc: u32, insn: &Insn) -> Option<u32> {
    let target = pc.wrapping_add(insn.imm as u32);
    let jumps = insn.op == Op::Jal || insn.is_branch() && insn.imm < 0;
    (jumps && target & 2 == 0).then_some(target)
}

fn kind(insn: &Insn, rs2: u32) -> Kind {
    match insn.op {
        Op::Slli | Op::Srli | Op::Srai => Kind::Shift(insn.imm as u8 & 31),
        Op::Sll | Op::Srl | Op::Sra => Kind::Shift(rs2 as u8 & 31),
        Op::Mret | Op::Sret => Kind::Return,
        Op::Jal | Op::Jalr => Kind::Link,
        Op::Ecall => Kind::Call,
        Op::FenceI => Kind::FlushInstructions,
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => Kind::Multiply,
        Op::Div | Op::Divu | Op::Rem | Op::Remu => Kind::Divide,
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
