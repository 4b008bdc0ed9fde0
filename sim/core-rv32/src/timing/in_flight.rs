//! The properties of an instruction that matter to a pipeline.

use super::rules::RuleSet;
use isa_rv32::{Insn, Op};

use crate::reserved::empties_data;

/// The kind of an instruction, as pipelines distinguish them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// One cycle in each stage.
    Plain,
    /// JAL or JALR.
    Link,
    /// A shift by this amount; by 0 as long as it is not known.
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
    /// An access to a control and status register.
    Csr,
    /// SFENCE.VMA.
    FlushTranslations,
    /// MRET or SRET.
    Return,
    /// A flush of the data cache.
    Wait,
    /// The data cache is emptied.
    FlushData,
    /// ECALL, or a trap return that may not be executed.
    Call,
    /// A forbidden access to a control and status register.
    IllegalCsr,
    /// An illegal instruction.
    Illegal,
}

/// A jump that will be taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Jump {
    /// The target address.
    pub target: u32,
    /// Whether no instruction can be there: the jump is an exception.
    pub misaligned: bool,
}

/// An instruction on its way through a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is one thing that some stage asks
pub struct InFlight {
    /// The instruction's address.
    pub pc: u32,
    /// Its length in bytes.
    pub size: u8,
    /// Its kind.
    pub kind: Kind,
    /// The registers that it reads; 0 for none.
    pub reads: [u8; 2],
    /// The register that it writes; 0 for none.
    pub writes: u8,
    /// The jump that it takes. Known when it is executed.
    pub jump: Option<Jump>,
    /// The target that a static predictor assumes: for JAL, and for backward branches.
    pub predicted: Option<u32>,
    /// The address that it accesses; of a division, what `VexRiscv` has in the place of one. Known when it is executed.
    pub address: u32,
    /// Its bus address. Known when it is executed.
    pub physical: u32,
    /// The bus address of the instruction itself.
    pub fetched: u32,
    /// Whether it is LR or SC.
    pub reserves: bool,
    /// Whether it is an AMO.
    pub modifies: bool,
    /// The bytes of its word that it accesses, a bit for each. Known when it is executed.
    pub mask: u8,
    /// Whether the address is misaligned, which is an exception.
    pub misaligned: bool,
    /// Whether it writes a register on which it depends what may be executed next: `mstatus` or `mie`, except to clear bits.
    pub unsettles: bool,
    /// Whether it empties the instruction cache as soon as it is in the decode stage: FENCE.I, and to `VexRiscv` some that are
    /// illegal.
    pub flushes: bool,
    /// Whether younger instructions are fetched again, since addresses may map differently.
    pub reschedules: bool,
    /// Cycles that its write takes in the execute stage, of a register of what protects memory.
    pub protects: u8,
    /// Whether it is a conditional branch.
    pub branches: bool,
    /// Whether it is the upper half of a product that it computes.
    pub upper: bool,
    /// Whether it divides by zero. Known when it is executed.
    pub by_zero: bool,
    /// Why it had to wait so far.
    pub waits: RuleSet,
}

impl InFlight {
    /// The properties of an instruction before its execution. `halves`: jumps to the upper half of a word are possible.
    pub fn new(pc: u32, insn: &Insn, halves: bool) -> InFlight {
        InFlight {
            pc,
            size: insn.size,
            reserves: matches!(insn.op, Op::LrW | Op::ScW),
            modifies: insn.is_amo(),
            kind: kind(insn),
            reads: reads(insn),
            writes: if writes(insn) { insn.rd.0 } else { 0 },
            jump: None,
            predicted: predicted(pc, insn, halves),
            address: 0,
            physical: 0,
            fetched: pc,
            mask: 0,
            misaligned: false,
            unsettles: unsettles(insn),
            flushes: insn.op == Op::FenceI,
            reschedules: insn.op == Op::SfenceVma || changes(insn) && insn.csr == SATP,
            protects: if changes(insn) { protection(insn.csr) } else { 0 },
            branches: insn.is_branch(),
            upper: matches!(insn.op, Op::Mulh | Op::Mulhsu | Op::Mulhu),
            by_zero: false,
            waits: RuleSet::NONE,
        }
    }

    /// Adds these values of rs1 and rs2.
    #[must_use]
    pub fn with_operands(self, insn: &Insn, rs1: u32, rs2: u32) -> InFlight {
        let size = insn.access_size();
        // The output of the adder, or for a division of the gates beside it.
        let address = match insn.op {
            Op::Div => rs1 ^ rs2,
            Op::Rem => rs1 | rs2,
            Op::Divu | Op::Remu => rs1 & rs2,
            _ => rs1.wrapping_add(insn.imm as u32),
        };
        let kind = match insn.op {
            Op::Sll | Op::Srl | Op::Sra => Kind::Shift(rs2 as u8 & 31),
            _ => self.kind,
        };
        InFlight {
            kind,
            address,
            physical: address,
            mask: (((1 << size) - 1) << (address & 3)) as u8,
            misaligned: size != 0 && address & (size - 1) != 0,
            by_zero: self.kind == Kind::Divide && rs2 == 0,
            ..self
        }
    }

    /// Changes its kind.
    #[must_use]
    pub fn of_kind(self, kind: Kind) -> InFlight {
        InFlight { kind, ..self }
    }

    /// An illegal instruction.
    pub fn illegal(pc: u32) -> InFlight {
        InFlight {
            pc,
            size: 4,
            reserves: false,
            modifies: false,
            kind: Kind::Illegal,
            reads: [0; 2],
            writes: 0,
            jump: None,
            predicted: None,
            address: 0,
            physical: 0,
            fetched: pc,
            mask: 0,
            misaligned: false,
            unsettles: false,
            flushes: false,
            reschedules: false,
            protects: 0,
            branches: false,
            upper: false,
            by_zero: false,
            waits: RuleSet::NONE,
        }
    }

    /// Moves it to this address, with the same bus address.
    #[must_use]
    pub(crate) fn at(self, pc: u32) -> InFlight {
        let moved = |target: u32| target.wrapping_sub(self.pc).wrapping_add(pc);
        InFlight {
            pc,
            predicted: self.predicted.map(moved),
            ..self
        }
    }

    /// With the jump that is left for the stage where branches are decided: none if it was predicted, back if it was
    /// predicted and is not taken.
    pub(crate) fn corrected(self) -> InFlight {
        let jump = match (self.predicted, self.jump) {
            (Some(_), Some(jump)) if !jump.misaligned => None,
            (Some(_), None) => Some(Jump {
                target: self.pc.wrapping_add(u32::from(self.size)),
                misaligned: false,
            }),
            (_, jump) => jump,
        };
        InFlight { jump, ..self }
    }

    /// Whether execution goes on elsewhere than the fetch does by itself.
    pub(crate) fn leaves(&self) -> bool {
        self.jump.is_some()
            || self.misaligned
            || matches!(
                self.kind,
                Kind::Return | Kind::Call | Kind::IllegalCsr | Kind::Illegal
            )
    }

    /// Whether it meets an exception. Known when it is executed.
    pub(crate) fn is_refused(&self) -> bool {
        self.misaligned
            || self.jump.is_some_and(|jump| jump.misaligned)
            || matches!(self.kind, Kind::Call | Kind::IllegalCsr | Kind::Illegal)
    }

    /// Whether its access reaches over the end of a word.
    pub(crate) fn is_split(&self) -> bool {
        self.mask > 0xf
    }

    pub(crate) fn accesses(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Store)
    }
}

fn predicted(pc: u32, insn: &Insn, halves: bool) -> Option<u32> {
    let target = pc.wrapping_add(insn.imm as u32);
    let jumps = insn.op == Op::Jal || insn.is_branch() && insn.imm < 0;
    (jumps && (halves || target & 2 == 0)).then_some(target)
}

fn kind(insn: &Insn) -> Kind {
    match insn.op {
        Op::Slli | Op::Srli | Op::Srai => Kind::Shift(insn.imm as u8 & 31),
        Op::Sll | Op::Srl | Op::Sra => Kind::Shift(0),
        Op::Mret | Op::Sret => Kind::Return,
        Op::Jal | Op::Jalr => Kind::Link,
        Op::Wfi => Kind::Wait,
        Op::Ecall => Kind::Call,
        Op::FenceI => Kind::FlushInstructions,
        Op::Fence if empties_data(insn.raw) => Kind::FlushData,
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => Kind::Multiply,
        Op::Ebreak => Kind::Illegal,
        Op::SfenceVma => Kind::FlushTranslations,
        _ if insn.is_division() => Kind::Divide,
        _ if insn.is_amo() => Kind::Store,
        _ if insn.is_csr() => Kind::Csr,
        _ if insn.is_load() => Kind::Load,
        _ if insn.is_store() => Kind::Store,
        _ => Kind::Plain,
    }
}

/// Cycles that writing a register of `PmpPlugin` takes: `execute_PmpPlugin_fsm` looks at one entry, or at the four of a `pmpcfg`.
fn protection(csr: u16) -> u8 {
    match csr {
        0x3a0..=0x3af => 6,
        0x3b0..=0x3bf => 3,
        _ => 0,
    }
}

/// `satp`.
const SATP: u16 = 0x180;

fn unsettles(insn: &Insn) -> bool {
    let clears = matches!(insn.op, Op::Csrrc | Op::Csrrci);
    changes(insn) && !clears && matches!(insn.csr, 0x300 | 0x304)
}

/// Whether it writes a control and status register.
fn changes(insn: &Insn) -> bool {
    match insn.op {
        Op::Csrrw | Op::Csrrwi => true,
        Op::Csrrs | Op::Csrrc => insn.rs1.0 != 0,
        Op::Csrrsi | Op::Csrrci => insn.imm != 0,
        _ => false,
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
    !insn.only_stores() && !insn.is_branch()
}
