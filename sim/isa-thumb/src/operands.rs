//! The registers that an instruction reads and writes, for pipeline models.

use crate::{Insn, Op, Operand, Reg, RegSet};

impl Insn {
    /// Registers that it reads, including PC as an operand.
    pub fn reads(&self) -> RegSet {
        let mut set = RegSet::EMPTY.with(self.rn);
        if self.op == Op::Adr {
            set = set.with(Reg::PC);
        }
        if self.op != Op::Strex {
            set = set.with(self.rm);
        }
        if self.reads_rd() {
            set = set.with(self.rd);
        }
        if !matches!(self.op, Op::Umull | Op::Smull | Op::Ldrd | Op::VmovPairToCore) {
            set = set.with(self.ra);
        }
        if self.op == Op::Stm {
            set.union(self.list)
        } else {
            set
        }
    }

    /// Registers that it writes: results, an updated base, LR of a call, and PC of a branch.
    pub fn writes(&self) -> RegSet {
        let mut set = RegSet::EMPTY;
        if self.writes_rd() {
            set = set.with(self.rd);
        }
        let pair = matches!(self.op, Op::Umull | Op::Smull | Op::Ldrd | Op::VmovPairToCore);
        if pair || self.accumulates_long() {
            set = set.with(self.ra);
        }
        match self.op {
            Op::Strex => set = set.with(self.rm),
            Op::Ldm => set = set.union(self.list),
            Op::Bl | Op::Blx => set = set.with(Reg::LR),
            _ => {}
        }
        if self.writeback {
            set = set.with(self.rn);
        }
        if self.is_branch() { set.with(Reg::PC) } else { set }
    }

    /// Registers that form the address of a load, store, table branch or memory hint.
    pub fn address_regs(&self) -> RegSet {
        if !(self.is_load() || self.is_store() || self.op == Op::Pld) {
            return RegSet::EMPTY;
        }
        let base = RegSet::EMPTY.with(self.rn);
        if self.operand == Operand::Reg {
            base.with(self.rm)
        } else {
            base
        }
    }

    /// Whether it may change the control flow: a branch, or PC as its result. Exceptions do not count.
    pub fn writes_pc(&self) -> bool {
        self.is_branch() || self.list.contains(Reg::PC) || self.rd == Reg::PC && self.writes_rd()
    }

    /// Whether it is a branch by name: B, BL, BX, BLX, CBZ, CBNZ, TBB, TBH.
    pub fn is_branch(&self) -> bool {
        matches!(
            self.op,
            Op::B | Op::Bl | Op::Bx | Op::Blx | Op::Cbz | Op::Cbnz | Op::Tbb
        )
    }

    /// Whether it reads memory as data; a table branch does, a memory hint does not.
    pub fn is_load(&self) -> bool {
        matches!(
            self.op,
            Op::Ldr | Op::Ldrd | Op::Ldm | Op::Ldrex | Op::Tbb | Op::Vldr | Op::Vldm
        )
    }

    /// Whether it writes memory.
    pub fn is_store(&self) -> bool {
        matches!(
            self.op,
            Op::Str | Op::Strd | Op::Stm | Op::Strex | Op::Vstr | Op::Vstm
        )
    }

    /// Whether `rd` is the destination; in VMRS, rd = 15 means the flags.
    fn writes_rd(&self) -> bool {
        let source = matches!(
            self.op,
            Op::Str | Op::Strd | Op::Strex | Op::VmovFromCore | Op::VmovPairFromCore | Op::Vmsr
        );
        !(source || self.op == Op::Vmrs && self.rd == Reg::PC)
    }

    /// Whether it reads the old value of `rd`: to store it, accumulate to it, or replace only part of it.
    fn reads_rd(&self) -> bool {
        self.is_store()
            || self.accumulates_long()
            || matches!(
                self.op,
                Op::Movt | Op::Bfi | Op::Bfc | Op::VmovFromCore | Op::VmovPairFromCore | Op::Vmsr
            )
    }

    /// Whether it accumulates to the 64-bit value in `ra` and `rd`.
    fn accumulates_long(&self) -> bool {
        matches!(
            self.op,
            Op::Umlal | Op::Smlal | Op::Umaal | Op::Smlalxy | Op::Smlald | Op::Smlsld
        )
    }
}
