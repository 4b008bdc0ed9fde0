//! A decoded instruction: its meaning, without its cost.

/// Whether an instruction that starts with this halfword has a second one (ARMv7-M ARM A5.1).
#[inline]
pub const fn is_wide(first: u16) -> bool {
    first >= 0xe800
}

/// A core register number, 0 to 15; [`Reg::NONE`] if the instruction has no such operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Reg(pub u8);

impl Reg {
    /// The stack pointer, R13.
    pub const SP: Reg = Reg(13);
    /// The link register, R14.
    pub const LR: Reg = Reg(14);
    /// The program counter, R15.
    pub const PC: Reg = Reg(15);
    /// No operand.
    pub const NONE: Reg = Reg(0xff);

    /// Index into a register file of 16; valid only if [`Reg::is_some`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Whether the operand exists.
    pub const fn is_some(self) -> bool {
        self.0 < 16
    }
}

/// A single-precision register number, 0 to 31; a double-precision register has the number of its first half. [`FpReg::NONE`] if the
/// instruction has no such operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FpReg(pub u8);

impl FpReg {
    /// No operand.
    pub const NONE: FpReg = FpReg(0xff);

    /// Whether the operand exists.
    pub const fn is_some(self) -> bool {
        self.0 < 32
    }

    /// Index into a register file of 32; valid only if [`FpReg::is_some`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }
}

/// A set of core registers, bit N for RN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RegSet(pub u16);

impl RegSet {
    /// No register.
    pub const EMPTY: RegSet = RegSet(0);

    /// The set with `reg` added; [`Reg::NONE`] adds nothing.
    #[must_use]
    pub const fn with(self, reg: Reg) -> RegSet {
        if reg.is_some() {
            RegSet(self.0 | 1 << reg.0)
        } else {
            self
        }
    }

    /// The union of both sets.
    #[must_use]
    pub const fn union(self, other: RegSet) -> RegSet {
        RegSet(self.0 | other.0)
    }

    /// Whether `reg` is a member.
    pub const fn contains(self, reg: Reg) -> bool {
        reg.is_some() && self.0 >> reg.0 & 1 != 0
    }

    /// Whether the two sets share a register.
    pub const fn intersects(self, other: RegSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Number of members.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A condition, in the order of its encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the manual's own names
pub enum Cond {
    Eq,
    Ne,
    Cs,
    Cc,
    Mi,
    Pl,
    Vs,
    Vc,
    Hi,
    Ls,
    Ge,
    Lt,
    Gt,
    Le,
    Al,
}

impl Cond {
    /// The condition with this four-bit encoding; 15 reads as "always", as in an IT block's state.
    pub const fn from_bits(bits: u32) -> Cond {
        use Cond::{Al, Cc, Cs, Eq, Ge, Gt, Hi, Le, Ls, Lt, Mi, Ne, Pl, Vc, Vs};
        const ALL: [Cond; 16] = [Eq, Ne, Cs, Cc, Mi, Pl, Vs, Vc, Hi, Ls, Ge, Lt, Gt, Le, Al, Al];
        ALL[(bits & 15) as usize]
    }

    /// The suffix as assembly writes it; empty for "always".
    pub const fn suffix(self) -> &'static str {
        const NAMES: [&str; 15] = [
            "eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "",
        ];
        NAMES[self as usize]
    }
}

/// The shift applied to a register operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the manual's own names
pub enum Shift {
    Lsl,
    Lsr,
    Asr,
    Ror,
    Rrx,
}

/// When an instruction writes the condition flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetFlags {
    /// Never.
    Never,
    /// Always: `S` is part of the instruction, or it is a comparison.
    Always,
    /// Outside an IT block only, as 16-bit data-processing encodings do.
    OutsideIt,
}

/// The second operand of a data-processing instruction, or the offset of a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// No operand.
    None,
    /// [`Insn::imm`]; for a load or store a signed byte offset.
    Imm,
    /// [`Insn::rm`], shifted by [`Insn::shift`] and [`Insn::amount`].
    Reg,
}

/// How a load or store uses its base register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// `[rn, #offset]`: the base keeps its value.
    Offset,
    /// `[rn, #offset]!`: the base is set to the address used.
    Pre,
    /// `[rn], #offset`: the base is the address used and is updated afterwards.
    Post,
}

/// The size of a load or store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Width {
    /// 8 bits.
    Byte = 1,
    /// 16 bits.
    Half = 2,
    /// 32 bits.
    Word = 4,
}

/// Where an instruction may be relative to an IT block; elsewhere it is unpredictable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ItRule {
    /// Anywhere.
    Any,
    /// Outside, or last in a block: instructions that write the PC.
    OutsideOrLast,
    /// Outside only.
    Outside,
}

/// An operation. Encodings that differ only in width or operand form share one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the manual's own mnemonics
pub enum Op {
    // Data processing: rd ← rn op operand (Mov, Mvn: no rn; Tst, Teq, Cmp, Cmn: no rd). Arithmetic with SP uses the same operations with
    // rn = SP.
    And,
    Eor,
    Adc,
    Sbc,
    Orr,
    Orn,
    Bic,
    Add,
    Sub,
    Rsb,
    Mov,
    Mvn,
    Tst,
    Teq,
    Cmp,
    Cmn,
    /// rd ← rn shifted by the operand: an immediate (1 to 32 as the manual decodes it) or the low byte of rm.
    /// Rrx has no operand.
    Lsl,
    Lsr,
    Asr,
    Ror,
    Rrx,
    /// rd ← Align(PC, 4) + imm (signed).
    Adr,
    /// rd ← imm, 16 bits.
    Movw,
    /// rd\[31:16\] ← imm.
    Movt,
    // Multiply and divide.
    Mul,
    Mla,
    Mls,
    /// ra:rd (high:low) ← rn × rm. `RdLo` is `rd`, `RdHi` is `ra`, here and in the three below.
    Umull,
    Smull,
    Umlal,
    Smlal,
    Sdiv,
    Udiv,
    // Bits. `imm` is the lsb, `amount` the width where there is one.
    Bfi,
    Bfc,
    Sbfx,
    Ubfx,
    Clz,
    Rbit,
    Rev,
    Rev16,
    Revsh,
    /// rd ← extend(rm rotated right by `amount`: 0, 8, 16 or 24). In all of Clz to Uxth the operand is rm.
    Sxtb,
    Sxth,
    Uxtb,
    Uxth,
    /// rd ← saturate(rn shifted by `shift` and `amount`) to `imm` bits.
    Ssat,
    Usat,
    // Memory. rd is the data register; ra the second one of LDRD/STRD; STREX's status register is rm. A literal is a
    // load whose rn is PC: its base is Align(PC, 4), as with Adr.
    Ldr,
    Str,
    Ldrd,
    Strd,
    /// The base of LDM/STM is rn, the registers are `list`; `index` selects IA (`Post`) or DB (`Pre`), `writeback` whether rn is updated.
    /// PUSH and POP are LDM/STM with SP.
    Ldm,
    Stm,
    Ldrex,
    Strex,
    Clrex,
    /// Table branch by bytes or halfwords (`width`): the entry at rn + rm shifted left by `amount`, doubled, is the
    /// distance from PC.
    Tbb,
    /// PLD, PLI, and the unallocated memory hints; they have no effect.
    Pld,
    // Branches. `imm` is the signed offset from PC (= address + 4); the target of Bx and Blx is rm.
    B,
    Bl,
    Bx,
    Blx,
    /// Compare rn with zero and branch forward; `Cbnz` on non-zero.
    Cbz,
    Cbnz,
    /// Sets ITSTATE to the eight bits of `imm`.
    It,
    // System.
    Svc,
    Bkpt,
    /// `imm` bit 4: 1 disables (CPSID); bit 1: PRIMASK (I); bit 0: FAULTMASK (F).
    Cps,
    /// rd ← special register `imm` (`SYSm`).
    Mrs,
    /// Special register `imm` (`SYSm`) ← rn; `amount` is the write mask: bit 1 for the flags, bit 0 for GE, which can
    /// only be set with the DSP extension.
    Msr,
    /// NOP and unallocated hints.
    Nop,
    Yield,
    Wfe,
    Wfi,
    Sev,
    Dbg,
    Dsb,
    Dmb,
    Isb,
    /// Permanently undefined.
    Udf,
    // The DSP extension. rd ← halves of rn and of rm shifted.
    Pkhbt,
    Pkhtb,
    /// rd ← both halves of rn saturated to `imm` bits.
    Ssat16,
    Usat16,
    /// rd ← rn + extend(rm rotated right by `amount`); the `16` ones extend two bytes, and may have no rn.
    Sxtah,
    Uxtah,
    Sxtab16,
    Uxtab16,
    Sxtab,
    Uxtab,
    // Parallel arithmetic. `amount` bit 2: unsigned; then 0 modular (sets GE), 1 saturating, 2 halving.
    Add8,
    Add16,
    Asx,
    Sub8,
    Sub16,
    Sax,
    /// rd ← saturate(rm + rn); the `d` ones double rn first. Q is set if it saturated.
    Qadd,
    Qdadd,
    Qsub,
    Qdsub,
    /// rd ← bytes of rn where GE is set, of rm where not.
    Sel,
    // Multiplications; the encoding table defines `amount`.
    Smlaxy,
    Smulxy,
    Smlaw,
    Smulw,
    Smlalxy,
    Smlad,
    Smuad,
    Smlsd,
    Smusd,
    Smlald,
    Smlsld,
    Smmla,
    Smmul,
    Smmls,
    Usada8,
    Usad8,
    /// ra:rd ← rn × rm + ra + rd.
    Umaal,
    // Floating point. Registers are `vd`, `vn`, `vm`; a core register that takes part is rd, a second one ra.
    /// Load or store `vd` (two words if `double`).
    Vldr,
    Vstr,
    /// Load or store `amount` words from single register `vd` on; the base as with LDM.
    Vldm,
    Vstm,
    /// vn ← rd.
    VmovFromCore,
    /// rd ← vn.
    VmovToCore,
    /// vm and the single after it ← rd and ra.
    VmovPairFromCore,
    /// rd and ra ← vm and the single after it.
    VmovPairToCore,
    Vmsr,
    /// rd ← FPSCR; rd = 15 means the flags of APSR.
    Vmrs,
    Vmla,
    Vmls,
    Vnmls,
    Vnmla,
    Vmul,
    Vnmul,
    Vadd,
    Vsub,
    Vdiv,
    Vfnms,
    Vfnma,
    Vfma,
    Vfms,
    /// vd ← imm.
    VmovImm,
    VmovReg,
    Vabs,
    Vneg,
    Vsqrt,
    /// Compare vd with vm, or with zero if there is no vm.
    Vcmp,
    Vcmpe,
    /// Conversion from or to half precision, in the upper half of a register if `amount` is 1.
    VcvtFromHalf,
    VcvtToHalf,
    /// Conversion from or to an integer, `signed` or not; `Vcvtr` rounds by FPSCR's mode, the others towards zero.
    VcvtFromInt,
    VcvtrToInt,
    VcvtToInt,
    /// Conversion of vd from or to a fixed-point number of `width`, `signed` or not, with `amount` fraction bits.
    VcvtFromFixed,
    VcvtToFixed,
    /// A coprocessor instruction; `amount` is the coprocessor's number. It raises `UsageFault` NOCP if the coprocessor is missing.
    Coproc,
}

impl Op {
    /// Whether it belongs to the DSP extension.
    pub const fn is_dsp(self) -> bool {
        self as u8 >= Op::Pkhbt as u8 && self as u8 <= Op::Umaal as u8
    }

    /// Whether it belongs to the floating-point extension.
    pub const fn is_float(self) -> bool {
        self as u8 >= Op::Vldr as u8 && self as u8 <= Op::VcvtToFixed as u8
    }
}

/// A decoded instruction. Fields that an operation does not use hold their neutral value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)] // each says one thing of its own
pub struct Insn {
    /// The operation.
    pub op: Op,
    /// Length in bytes, 2 or 4.
    pub size: u8,
    /// Condition in the encoding, which only `B<c>` has; an IT block's conditions are run-time state.
    pub cond: Cond,
    /// When it writes the flags.
    pub set_flags: SetFlags,
    /// Destination, or data register.
    pub rd: Reg,
    /// First operand, or base register.
    pub rn: Reg,
    /// Second operand, or index register.
    pub rm: Reg,
    /// Third operand: accumulator, `RdHi`, or second data register.
    pub ra: Reg,
    /// Kind of the second operand.
    pub operand: Operand,
    /// Shift of `rm`.
    pub shift: Shift,
    /// Shift amount, width, rotation or mask; `op` documents which.
    pub amount: u8,
    /// Immediate value; signed ones as two's complement.
    pub imm: u32,
    /// Carry out of a rotated modified immediate; `None` if C keeps its value.
    pub imm_carry: Option<bool>,
    /// Size of a load or store.
    pub width: Width,
    /// A load that extends the sign.
    pub signed: bool,
    /// LDRT, STRT and similar: checked as an unprivileged access.
    pub unprivileged: bool,
    /// How the base register is used.
    pub index: Index,
    /// Whether LDM/STM, or a pre- or post-indexed access, updates the base.
    pub writeback: bool,
    /// Registers of LDM, STM, PUSH, POP.
    pub list: RegSet,
    /// Floating-point destination or data register.
    pub vd: FpReg,
    /// First floating-point operand.
    pub vn: FpReg,
    /// Second floating-point operand.
    pub vm: FpReg,
    /// Whether the floating-point registers are double-precision.
    pub double: bool,
    /// Where it may be relative to an IT block.
    pub it: ItRule,
    /// The encoding: 16 bits, or 32 with the first halfword in the upper half.
    pub raw: u32,
    /// Its row in the encoding table, [`table::rows`](crate::table::rows).
    pub row: u16,
}
