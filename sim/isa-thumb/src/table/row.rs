//! One row of the table, and the words that rows are written in.

use isa_pattern::{Cube, Exceptions, Pattern, check_template};

use super::Rule;
use crate::disasm;
use crate::{Index, Isa, ItRule, Op, Reg, SetFlags, Shift, Width};

/// What a row's non-register fields mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Nothing.
    None,
    /// `i`, shifted left by this much.
    Imm(u8),
    /// This value; no field.
    Const(u32),
    /// `i`, to be subtracted.
    Negative,
    /// `j` above `i`, which has this many bits.
    Joined(u8),
    /// `i` is a modified immediate (ARMv7-M ARM A5.3.2).
    Modified,
    /// `rm`, shifted left by `i`; unshifted without such a field.
    Reg,
    /// `rm`, doubled: the index into a table of halfwords.
    Doubled,
    /// `rm`, shifted as `y` (type) and `i` (amount) say (ARMv7-M ARM A7.4.2).
    Shifted,
    /// A shift of `rn` by the constant `i`; a right shift by 0 means by 32.
    ShiftBy,
    /// An offset: `i` shifted left by this much, negative if there is a `U` that is zero.
    Offset(u8),
    /// The same, with pre- or post-indexing by `P` and `W`.
    Indexed(u8),
    /// A branch by `i` halfwords, signed.
    Branch,
    /// The range of 1 MiB: sign `g`, `q` (J2), `p` (J1), `i`.
    BranchFar,
    /// The range of 16 MiB: sign `g`, `p` (J1) and `q` (J2), each inverted unless equal to the sign, `i`.
    BranchLong,
    /// A bit field: lowest bit `i`, width `w` + 1.
    FieldByWidth,
    /// A bit field: lowest bit `i`, highest bit `w`.
    FieldByMsb,
    /// Saturation to `w` bits (one more if signed) after a shift of `rn` by `y` (left, arithmetic right) and `i`.
    Saturate,
    /// A rotation of `rm` by `i` bytes.
    Rotate,
    /// `rm`, shifted this way by `i`; a right shift by 0 means by 32.
    ShiftedBy(Shift),
    /// Saturation of both halves to `w` bits (one more if signed).
    SaturateHalves,
    /// `p` says which of an operation's variants it is.
    Variant,
    /// The same for parallel arithmetic: bit 2 unsigned, then 0 modular, 1 saturating, 2 halving.
    Parallel,
    /// The register list `r`, with LR if `M` and PC if `P`; the base moves if `W`.
    List,
    /// The same, and the base moves unless it is in the list: LDM's 16-bit encoding.
    ListUnlessBase,
    /// CPS: `i` above bits 1 and 0.
    Interrupts,
    /// A special register: number `i`, write mask `w`.
    Special,
    /// A coprocessor: its number is `z`.
    Coproc,
    /// Floating-point registers `v`:`V`, `b`:`B`, `f`:`F`.
    Float,
    /// The same, and a word address as [`Form::Offset`] has it.
    FloatAddress,
    /// Consecutive registers from `v`:`V` on, `i` words of them; the base moves if `W`.
    FloatList,
    /// Half `x` of the double register `b`.
    FloatScalar,
    /// A constant: `i` is expanded (ARMv7-M ARM A6.4.1).
    FloatConstant,
    /// The lower (`x` = 0) or upper half of a register.
    FloatHalf,
    /// A fixed-point number of `width`, with that width less `i`:`k` fraction bits.
    FloatFixed,
}

/// One encoding.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a word of the table
pub struct Row {
    /// The manual's name for it; for undefined space, why it is undefined.
    pub name: &'static str,
    /// Its bits.
    pub pattern: Pattern,
    /// What it does; `None` for undefined space.
    pub op: Option<Op>,
    /// How it is written, as [`crate::disasm`] explains.
    pub text: &'static str,
    /// What its fields mean.
    pub form: Form,
    /// When it sets the flags, unless there is a field `S`.
    pub set_flags: SetFlags,
    /// Destination that no field names.
    pub rd: Reg,
    /// Base or first operand that no field names.
    pub rn: Reg,
    /// Second operand that no field names.
    pub rm: Reg,
    /// Size of a memory access, or of a fixed-point number.
    pub width: Width,
    /// Whether its floating-point registers are double ones.
    pub double: bool,
    /// A load that extends the sign.
    pub signed: bool,
    /// An unprivileged access.
    pub unprivileged: bool,
    /// How the base register is used, unless there are fields `P` and `W`.
    pub index: Index,
    /// Whether the base always moves.
    pub writeback: bool,
    /// Where it may stand with respect to an IT block, beyond the rule for what writes the PC.
    pub it: ItRule,
    /// What makes it unpredictable.
    pub rules: &'static [Rule],
    /// Whether the row is there only on a core without the DSP extension.
    pub without_dsp: bool,
    exceptions: Exceptions<6>,
}

impl Row {
    /// Whether `raw`, of this row's size, belongs to it.
    #[inline]
    pub fn matches(&self, raw: u32) -> bool {
        self.pattern.select.contains(raw) && !self.exceptions().any(|exception| exception.contains(raw))
    }

    /// Encodings within the pattern that other rows define: the manual's "SEE …".
    pub fn exceptions(&self) -> impl Iterator<Item = Cube> {
        self.exceptions.iter()
    }

    /// Whether a core with `isa` knows it, as an instruction or as undefined.
    pub fn is_of(&self, isa: Isa) -> bool {
        let dsp = self.op.is_some_and(Op::is_dsp);
        (!dsp || isa.has_dsp()) && !(self.without_dsp && isa.has_dsp())
    }

    /// Whether it is an instruction of the floating-point extension.
    pub fn is_float(&self) -> bool {
        self.op.is_some_and(Op::is_float)
    }

    /// The value of a field of this row in `raw`.
    pub fn field(&self, letter: u8, raw: u32) -> u32 {
        self.pattern.field(letter, raw)
    }
}

/// A row for a defined encoding.
pub(super) const fn row(pattern: &str, name: &'static str, op: Op, text: &'static str) -> Row {
    check_template(text, disasm::CODES);
    Row {
        name,
        pattern: Pattern::parse(pattern),
        op: Some(op),
        text,
        form: Form::None,
        set_flags: SetFlags::Never,
        rd: Reg::NONE,
        rn: Reg::NONE,
        rm: Reg::NONE,
        width: Width::Word,
        double: false,
        signed: false,
        unprivileged: false,
        index: Index::Offset,
        writeback: false,
        it: ItRule::Any,
        rules: &[],
        without_dsp: false,
        exceptions: Exceptions::NONE,
    }
}

/// A row for undefined space.
pub(super) const fn undefined(pattern: &str, why: &'static str) -> Row {
    Row {
        op: None,
        ..row(pattern, why, Op::Udf, "")
    }
}

/// The words that complete a row.
impl Row {
    pub(super) const fn form(self, form: Form) -> Row {
        Row { form, ..self }
    }

    /// Sets the flags outside an IT block only.
    pub(super) const fn flags_outside_it(self) -> Row {
        Row {
            set_flags: SetFlags::OutsideIt,
            ..self
        }
    }

    /// Sets the flags always.
    pub(super) const fn flags(self) -> Row {
        Row {
            set_flags: SetFlags::Always,
            ..self
        }
    }

    pub(super) const fn rd(self, rd: Reg) -> Row {
        Row { rd, ..self }
    }

    pub(super) const fn rn(self, rn: Reg) -> Row {
        Row { rn, ..self }
    }

    pub(super) const fn rm(self, rm: Reg) -> Row {
        Row { rm, ..self }
    }

    pub(super) const fn byte(self) -> Row {
        Row {
            width: Width::Byte,
            ..self
        }
    }

    pub(super) const fn half(self) -> Row {
        Row {
            width: Width::Half,
            ..self
        }
    }

    pub(super) const fn without_dsp(self) -> Row {
        Row {
            without_dsp: true,
            ..self
        }
    }

    pub(super) const fn double(self) -> Row {
        Row { double: true, ..self }
    }

    pub(super) const fn signed(self) -> Row {
        Row { signed: true, ..self }
    }

    pub(super) const fn unprivileged(self) -> Row {
        Row {
            unprivileged: true,
            ..self
        }
    }

    pub(super) const fn index(self, index: Index) -> Row {
        Row { index, ..self }
    }

    pub(super) const fn writeback(self) -> Row {
        Row {
            writeback: true,
            ..self
        }
    }

    pub(super) const fn it(self, it: ItRule) -> Row {
        Row { it, ..self }
    }

    pub(super) const fn unpredictable(self, rules: &'static [Rule]) -> Row {
        Row { rules, ..self }
    }

    /// Leaves out the encodings in which all these fields have these values.
    pub(super) const fn except(self, fields: &[(char, u32)]) -> Row {
        Row {
            exceptions: self.exceptions.and(&self.pattern, fields),
            ..self
        }
    }
}
