//! A row of the table, and the builder methods that complete it.

use isa_pattern::{Cube, Exceptions, Pattern, check_template};

use super::Rule;
use crate::{Index, Isa, ItRule, Op, Reg, SetFlags, Shift, Width};

/// The second characters of the codes in a text template, as [`crate::disasm`] explains.
const CODES: &[u8] = b"scfdtnmaiDxhwpAL!bTIBR2NKeVYZSGHXPqEr";

/// The meaning of a row's non-register fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// No such fields.
    None,
    /// `i`, shifted left by the given amount.
    Imm(u8),
    /// The given constant; no field.
    Const(u32),
    /// `i`, negated.
    Negative,
    /// `j` above `i`, which has the given number of bits.
    Joined(u8),
    /// `i` is a modified immediate (ARMv7-M ARM A5.3.2).
    Modified,
    /// `rm`, shifted left by `i`, if there is such a field.
    Reg,
    /// `rm`, doubled: an index into a table of halfwords.
    Doubled,
    /// `rm`, shifted by `y` (type) and `i` (amount) (ARMv7-M ARM A7.4.2).
    Shifted,
    /// A shift of `rn` by the constant `i`; a right shift by 0 means by 32.
    ShiftBy,
    /// An offset: `i` shifted left by the given amount, negative if `U` is zero.
    Offset(u8),
    /// An [`Offset`](Form::Offset) with pre- or post-indexing by `P` and `W`.
    Indexed(u8),
    /// A branch by `i` halfwords, signed.
    Branch,
    /// A branch with a range of 1 MiB: sign `g`, `q` (J2), `p` (J1), `i`.
    BranchFar,
    /// A branch with a range of 16 MiB: sign `g`, `p` (J1) and `q` (J2), each inverted unless equal to the sign, `i`.
    BranchLong,
    /// A bit field: lowest bit `i`, width `w` + 1.
    FieldByWidth,
    /// A bit field: lowest bit `i`, highest bit `w`.
    FieldByMsb,
    /// Saturation to `w` bits (one more if signed) after a shift of `rn` by `y` (left, arithmetic right) and `i`.
    Saturate,
    /// A rotation of `rm` by `i` bytes.
    Rotate,
    /// `rm`, shifted by the given type and `i`; a right shift by 0 means by 32.
    ShiftedBy(Shift),
    /// Saturation of both halves to `w` bits (one more if signed).
    SaturateHalves,
    /// `p` selects the operation's variant.
    Variant,
    /// The variant of parallel arithmetic: bit 2 unsigned, then 0 modular, 1 saturating, 2 halving.
    Parallel,
    /// The register list `r`, with LR if `M` and PC if `P`; writeback if `W`.
    List,
    /// A register list with writeback unless the list contains the base: LDM's 16-bit encoding.
    ListUnlessBase,
    /// CPS: bit 2 of `i` moves to bit 4; bits 1 and 0 keep their places.
    Interrupts,
    /// Special register `i`, with write mask `w`.
    Special,
    /// Coprocessor number `z`.
    Coproc,
    /// Floating-point registers `v`:`V`, `b`:`B`, `f`:`F`.
    Float,
    /// The registers of [`Float`](Form::Float), and a word address as in [`Form::Offset`].
    FloatAddress,
    /// `i` words of consecutive registers from `v`:`V` on; writeback if `W`.
    FloatList,
    /// Half `x` of the double register in `b`.
    FloatScalar,
    /// A constant expanded from `i` (ARMv7-M ARM A6.4.1).
    FloatConstant,
    /// The lower (`x` = 0) or upper half of a register.
    FloatHalf,
    /// A fixed-point number of `width` bits, of which `width` − `i`:`k` are fraction bits.
    FloatFixed,
}

/// One encoding.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a word of the table
pub struct Row {
    /// The manual's name for it; for undefined space, the reason.
    pub name: &'static str,
    /// Its bit pattern.
    pub pattern: Pattern,
    /// Its operation; `None` for undefined space.
    pub op: Option<Op>,
    /// Its text template, as [`crate::disasm`] explains.
    pub text: &'static str,
    /// The meaning of its non-register fields.
    pub form: Form,
    /// When it sets the flags, unless it has a field `S`.
    pub set_flags: SetFlags,
    /// Destination, if no field encodes it.
    pub rd: Reg,
    /// Base or first operand, if no field encodes it.
    pub rn: Reg,
    /// Second operand, if no field encodes it.
    pub rm: Reg,
    /// Size of a memory access, or of a fixed-point number.
    pub width: Width,
    /// Whether its floating-point registers are double-precision.
    pub double: bool,
    /// A load that extends the sign.
    pub signed: bool,
    /// An unprivileged access.
    pub unprivileged: bool,
    /// How it uses the base register, unless it has fields `P` and `W`.
    pub index: Index,
    /// Whether it always writes the base back.
    pub writeback: bool,
    /// Where it may be relative to an IT block, in addition to the rule for instructions that write the PC.
    pub it: ItRule,
    /// Its unpredictable cases.
    pub rules: &'static [Rule],
    /// Whether the row exists only on a core without the DSP extension.
    pub without_dsp: bool,
    exceptions: Exceptions<6>,
}

impl Row {
    /// Whether `raw`, which has this row's size, matches it.
    #[inline]
    pub fn matches(&self, raw: u32) -> bool {
        self.pattern.select.contains(raw) && !self.exceptions().any(|exception| exception.contains(raw))
    }

    /// Encodings within the pattern that other rows define: the manual's "SEE …".
    pub fn exceptions(&self) -> impl Iterator<Item = Cube> {
        self.exceptions.iter()
    }

    /// Whether the row exists on a core with `isa`, as an instruction or as undefined space.
    pub fn is_of(&self, isa: Isa) -> bool {
        let dsp = self.op.is_some_and(Op::is_dsp);
        (!dsp || isa.has_dsp()) && !(self.without_dsp && isa.has_dsp())
    }

    /// Whether it is an instruction of the floating-point extension.
    pub fn is_float(&self) -> bool {
        self.op.is_some_and(Op::is_float)
    }

    /// Extracts a field of this row from `raw`.
    pub fn field(&self, letter: u8, raw: u32) -> u32 {
        self.pattern.field(letter, raw)
    }
}

/// A row for a defined encoding.
pub(super) const fn row(pattern: &str, name: &'static str, op: Op, text: &'static str) -> Row {
    check_template(text, CODES);
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

/// Builder methods that complete a row.
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

    /// Excludes the encodings in which all these fields have these values.
    pub(super) const fn except(self, fields: &[(char, u32)]) -> Row {
        Row {
            exceptions: self.exceptions.and(&self.pattern, fields),
            ..self
        }
    }
}
