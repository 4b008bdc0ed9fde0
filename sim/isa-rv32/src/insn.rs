//! A decoded instruction.

/// An operation. A compressed encoding has the operation of its uncompressed equivalent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the manual's names say what they do
#[rustfmt::skip] // by extension, a line each
pub enum Op {
    Lui, Auipc, Jal, Jalr,
    Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Lb, Lh, Lw, Lbu, Lhu, Sb, Sh, Sw,
    Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai,
    Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And,
    Fence, FenceI, Ecall, Ebreak, Mret, Sret, Wfi, SfenceVma,
    Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci,
    Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu,
    LrW, ScW, AmoswapW, AmoaddW, AmoxorW, AmoandW, AmoorW, AmominW, AmomaxW, AmominuW, AmomaxuW,
    Sh1add, Sh2add, Sh3add,
    Andn, Orn, Xnor, Clz, Ctz, Cpop, Max, Maxu, Min, Minu, SextB, SextH, ZextH, Rol, Ror, Rori, OrcB, Rev8,
    Bclr, Bclri, Bext, Bexti, Binv, Binvi, Bset, Bseti,
}

/// Number of a register, 0 to 31; register 0 is always 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Reg(pub u8);

impl Reg {
    /// Always 0.
    pub const ZERO: Reg = Reg(0);
    /// The return address.
    pub const RA: Reg = Reg(1);
    /// The stack pointer.
    pub const SP: Reg = Reg(2);

    /// Its name in the calling convention.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 32] = [
            "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
            "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
        ];
        NAMES[self.0 as usize & 31]
    }
}

/// A decoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Insn {
    /// The operation.
    pub op: Op,
    /// Length in bytes, 2 or 4.
    pub size: u8,
    /// Destination; `x0` if it has none.
    pub rd: Reg,
    /// First source; `x0` if it has none.
    pub rs1: Reg,
    /// Second source; `x0` if it has none.
    pub rs2: Reg,
    /// The sign-extended immediate: an operand, an offset in bytes, or a shift amount.
    pub imm: i32,
    /// Number of its control and status register.
    pub csr: u16,
    /// The encoding, in the low half if it is compressed.
    pub raw: u32,
    /// Its row in [`crate::table::rows`].
    pub row: u16,
}

impl Insn {
    /// Whether it reads memory, as AMOs do too.
    pub fn is_load(&self) -> bool {
        matches!(self.op, Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::LrW) || self.is_amo()
    }

    /// Whether it writes memory: stores, AMOs, and SC, which may fail.
    pub fn is_store(&self) -> bool {
        matches!(self.op, Op::Sb | Op::Sh | Op::Sw | Op::ScW) || self.is_amo()
    }

    /// Whether it is a division or remainder.
    pub fn is_division(&self) -> bool {
        matches!(self.op, Op::Div | Op::Divu | Op::Rem | Op::Remu)
    }

    /// Whether it is an atomic read-modify-write of a word.
    pub fn is_amo(&self) -> bool {
        use Op::{AmoaddW, AmoandW, AmomaxW, AmomaxuW, AmominW, AmominuW, AmoorW, AmoswapW, AmoxorW};
        matches!(
            self.op,
            AmoswapW | AmoaddW | AmoxorW | AmoandW | AmoorW | AmominW | AmomaxW | AmominuW | AmomaxuW
        )
    }

    /// Whether it is an atomic access: an AMO, LR or SC.
    pub fn is_atomic(&self) -> bool {
        self.is_amo() || matches!(self.op, Op::LrW | Op::ScW)
    }

    /// Whether it is a plain store: neither an AMO nor SC, which also write a register.
    pub fn only_stores(&self) -> bool {
        self.is_store() && !self.is_atomic()
    }

    /// The low bytes of rs2 that a store writes. The instruction must access memory.
    pub fn stored(&self, rs2: u32) -> u32 {
        rs2 & (u32::MAX >> (32 - 8 * self.access_size()))
    }

    /// Whether it is a conditional branch.
    pub fn is_branch(&self) -> bool {
        matches!(
            self.op,
            Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu
        )
    }

    /// Whether a conditional branch is taken with these values of rs1 and rs2.
    pub fn is_taken(&self, rs1: u32, rs2: u32) -> bool {
        match self.op {
            Op::Beq => rs1 == rs2,
            Op::Bne => rs1 != rs2,
            Op::Blt => (rs1 as i32) < rs2 as i32,
            Op::Bge => rs1 as i32 >= rs2 as i32,
            Op::Bltu => rs1 < rs2,
            Op::Bgeu => rs1 >= rs2,
            _ => false,
        }
    }

    /// Target of a jump from `pc` with these values of rs1 and rs2: JAL, JALR, or a taken branch.
    pub fn target(&self, pc: u32, rs1: u32, rs2: u32) -> Option<u32> {
        match self.op {
            Op::Jalr => Some(rs1.wrapping_add(self.imm as u32) & !1),
            Op::Jal => Some(pc.wrapping_add(self.imm as u32)),
            _ => self.is_taken(rs1, rs2).then(|| pc.wrapping_add(self.imm as u32)),
        }
    }

    /// Whether it reads or writes a control and status register.
    pub fn is_csr(&self) -> bool {
        use Op::{Csrrc, Csrrci, Csrrs, Csrrsi, Csrrw, Csrrwi};
        matches!(self.op, Csrrw | Csrrs | Csrrc | Csrrwi | Csrrsi | Csrrci)
    }

    /// Bytes of its memory access; 0 if it has none.
    pub fn access_size(&self) -> u32 {
        match self.op {
            Op::Lb | Op::Lbu | Op::Sb => 1,
            Op::Lh | Op::Lhu | Op::Sh => 2,
            _ if self.is_load() || self.is_store() => 4,
            _ => 0,
        }
    }
}
