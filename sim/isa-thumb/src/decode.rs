//! The decoder.
//!
//! It finds the row that matches the bits, reads the row's fields by the letters that [`crate::table`] explains, and then checks for
//! unpredictable cases, whose rules are about operands rather than bits.

use isa_pattern::Pattern;

use crate::insn::is_wide;
use crate::table::{self, Form, Row};
use crate::{Cond, DecodeError, FpReg, Index, Insn, Isa, ItRule, Op, Operand, Reg, RegSet, SetFlags, Shift};

/// Decodes one instruction of ARMv7-M: a halfword, or two with the first in the upper half.
///
/// # Errors
///
/// If the encoding is undefined or unpredictable, or if `raw` is not one instruction.
pub fn decode(raw: u32) -> Result<Insn, DecodeError> {
    Isa::ARMV7M.decode(raw)
}

impl Isa {
    /// Decodes one instruction for this architecture: a halfword, or two with the first in the upper half.
    ///
    /// # Errors
    ///
    /// If the encoding is undefined or unpredictable there, or if `raw` is not one instruction.
    pub fn decode(self, raw: u32) -> Result<Insn, DecodeError> {
        decode_for(self, raw)
    }

    /// Decodes the instruction that starts with `first`. `second` is the next halfword if there is one; only a wide instruction reads it.
    ///
    /// # Errors
    ///
    /// As [`Isa::decode`]; [`DecodeError::Truncated`] if a wide instruction has no second halfword.
    pub fn decode_at(self, first: u16, second: Option<u16>) -> Result<Insn, DecodeError> {
        if !is_wide(first) {
            return self.decode(u32::from(first));
        }
        let second = second.ok_or(DecodeError::Truncated { first })?;
        self.decode(u32::from(first) << 16 | u32::from(second))
    }
}

fn decode_for(isa: Isa, raw: u32) -> Result<Insn, DecodeError> {
    let wide = is_wide((raw >> 16) as u16);
    if !wide && (raw >> 16 != 0 || is_wide(raw as u16)) {
        return Err(DecodeError::Truncated { first: raw as u16 });
    }
    let size = if wide { 4 } else { 2 };
    let undefined = |why| DecodeError::Undefined { raw, size, why };
    // Unreachable, since a test proves that the rows fill the space.
    let (index, row) = table::find(raw, size, isa).ok_or(undefined("a reserved encoding of an extension"))?;
    let op = row.op.ok_or(undefined(row.name))?;
    if !isa.has(op, size) {
        return Err(undefined(if wide {
            "not in ARMv6-M"
        } else {
            "IT, CBZ and CBNZ are not in ARMv6-M"
        }));
    }
    let insn = read(row, op, raw, index);
    match unpredictable(&insn, row, isa) {
        Some(why) => Err(DecodeError::Unpredictable { raw, size, why }),
        None => Ok(insn),
    }
}

/// [`Isa::decode_at`] for ARMv7-M.
///
/// # Errors
///
/// As [`Isa::decode_at`].
pub fn decode_at(first: u16, second: Option<u16>) -> Result<Insn, DecodeError> {
    Isa::ARMV7M.decode_at(first, second)
}

/// The reason why `insn` is unpredictable, if it is.
fn unpredictable(insn: &Insn, row: &Row, isa: Isa) -> Option<&'static str> {
    let should_be = row.pattern.should_be;
    if !should_be.contains(insn.raw & should_be.mask) {
        return Some("a bit that should be zero is one, or one that should be one is zero");
    }
    row.rules
        .iter()
        .find(|rule| (rule.holds)(insn, row) && (rule.applies)(isa))
        .map(|rule| rule.why)
}

/// Reads all fields, without checking their combination.
fn read(row: &Row, op: Op, raw: u32, index: u16) -> Insn {
    let mut insn = Insn {
        op,
        size: row.pattern.size,
        cond: Cond::Al,
        set_flags: row.set_flags,
        rd: row.rd,
        rn: row.rn,
        rm: row.rm,
        ra: Reg::NONE,
        operand: Operand::None,
        shift: Shift::Lsl,
        amount: 0,
        imm: 0,
        imm_carry: None,
        width: row.width,
        signed: row.signed,
        unprivileged: row.unprivileged,
        index: row.index,
        writeback: row.writeback,
        list: RegSet::EMPTY,
        vd: FpReg::NONE,
        vn: FpReg::NONE,
        vm: FpReg::NONE,
        double: row.double,
        it: row.it,
        raw,
        row: index,
    };
    read_registers(&mut insn, &row.pattern);
    read_conditions(&mut insn, &row.pattern);
    read_form(&mut insn, row);
    if insn.it == ItRule::Any && insn.writes_pc() {
        insn.it = ItRule::OutsideOrLast;
    }
    insn
}

fn read_registers(insn: &mut Insn, pattern: &Pattern) {
    let raw = insn.raw;
    let read = |operand: &mut Reg, letters: &[u8]| {
        for &letter in letters {
            if pattern.has(letter) {
                *operand = Reg(pattern.field(letter, raw) as u8);
            }
        }
    };
    read(&mut insn.rd, b"dtlDE");
    read(&mut insn.rn, b"nDs");
    read(&mut insn.rm, b"mxE");
    read(&mut insn.ra, b"ahu");
}

fn read_conditions(insn: &mut Insn, pattern: &Pattern) {
    if pattern.has(b'S') {
        let set = pattern.field(b'S', insn.raw) != 0;
        insn.set_flags = if set { SetFlags::Always } else { SetFlags::Never };
    }
    if pattern.has(b'c') {
        insn.cond = Cond::from_bits(pattern.field(b'c', insn.raw));
    }
}

fn read_form(insn: &mut Insn, row: &Row) {
    let field = |letter| row.pattern.field(letter, insn.raw);
    let i = field(b'i');
    let immediate = match row.form {
        Form::Imm(scale) => i << scale,
        Form::Const(value) => value,
        Form::Negative => i.wrapping_neg(),
        Form::Joined(bits) => field(b'j') << bits | i,
        Form::Branch => sign_extend(i << 1, row.pattern.field_mask(b'i').count_ones() + 1),
        Form::BranchFar => sign_extend(
            field(b'g') << 20 | field(b'q') << 19 | field(b'p') << 18 | i << 1,
            21,
        ),
        Form::BranchLong => {
            let (sign, j1, j2) = (field(b'g'), field(b'p'), field(b'q'));
            sign_extend(
                sign << 24 | (j1 ^ sign ^ 1) << 23 | (j2 ^ sign ^ 1) << 22 | i << 1,
                25,
            )
        }
        Form::Interrupts => (i & 4) << 2 | i & 3,
        Form::Offset(scale) | Form::Indexed(scale) => offset(row, insn.raw, scale),
        _ => return read_other_form(insn, row, i),
    };
    insn.operand = Operand::Imm;
    insn.imm = immediate;
    if matches!(row.form, Form::Indexed(_)) {
        insn.writeback = row.field(b'W', insn.raw) != 0;
        insn.index = match (row.field(b'P', insn.raw) != 0, insn.writeback) {
            (true, false) => Index::Offset,
            (true, true) => Index::Pre,
            (false, _) => Index::Post,
        };
    }
}

/// Reads the operands of forms other than a single immediate; `i` is the field of that letter.
fn read_other_form(insn: &mut Insn, row: &Row, i: u32) {
    let raw = insn.raw;
    let field = |letter| row.pattern.field(letter, raw);
    match row.form {
        Form::Modified => {
            insn.operand = Operand::Imm;
            (insn.imm, insn.imm_carry) = expand_modified(i);
        }
        Form::Reg => {
            insn.operand = Operand::Reg;
            insn.amount = i as u8;
        }
        Form::Doubled => {
            insn.operand = Operand::Reg;
            insn.amount = 1;
        }
        Form::Shifted => {
            insn.operand = Operand::Reg;
            (insn.shift, insn.amount) = expand_shift(field(b'y'), i);
        }
        Form::ShiftBy => {
            insn.operand = Operand::Imm;
            let right = matches!(insn.op, Op::Lsr | Op::Asr);
            insn.imm = if right && i == 0 { 32 } else { i };
        }
        Form::FieldByWidth => (insn.imm, insn.amount) = (i, field(b'w') as u8 + 1),
        Form::FieldByMsb => (insn.imm, insn.amount) = (i, (field(b'w') + 1).saturating_sub(i) as u8),
        Form::Saturate => {
            insn.imm = field(b'w') + u32::from(insn.op == Op::Ssat);
            (insn.shift, insn.amount) = expand_shift(field(b'y') << 1, i);
        }
        Form::ShiftedBy(shift) => {
            insn.operand = Operand::Reg;
            (insn.shift, insn.amount) = expand_shift(shift as u32, i);
        }
        Form::SaturateHalves => insn.imm = field(b'w') + u32::from(insn.op == Op::Ssat16),
        Form::Variant | Form::Parallel => insn.amount = field(b'p') as u8,
        Form::Rotate => (insn.shift, insn.amount) = (Shift::Ror, (i * 8) as u8),
        Form::List | Form::ListUnlessBase => read_list(insn, row),
        Form::Float
        | Form::FloatAddress
        | Form::FloatList
        | Form::FloatScalar
        | Form::FloatConstant
        | Form::FloatHalf
        | Form::FloatFixed => read_float(insn, row, i),
        Form::Special => (insn.imm, insn.amount) = (i, field(b'w') as u8),
        Form::Coproc => insn.amount = field(b'z') as u8,
        _ => {}
    }
}

/// Reads floating-point registers and the fields that go with them.
fn read_float(insn: &mut Insn, row: &Row, i: u32) {
    let raw = insn.raw;
    let field = |letter| row.pattern.field(letter, raw);
    let register = |four: u8, one: u8| match (row.pattern.has(four), row.double) {
        (false, _) => FpReg::NONE,
        (true, false) => FpReg((field(four) << 1 | field(one)) as u8),
        (true, true) => FpReg((field(four) << 1) as u8),
    };
    (insn.vd, insn.vn, insn.vm) = (register(b'v', b'V'), register(b'b', b'B'), register(b'f', b'F'));
    match row.form {
        Form::FloatAddress => (insn.operand, insn.imm) = (Operand::Imm, offset(row, raw, 2)),
        Form::FloatList => {
            insn.amount = (i << u8::from(row.double)) as u8;
            insn.writeback |= field(b'W') != 0;
        }
        Form::FloatScalar => insn.vn = FpReg((field(b'b') << 1 | field(b'x')) as u8),
        Form::FloatConstant => (insn.operand, insn.imm) = (Operand::Imm, expand_float(i)),
        Form::FloatHalf => insn.amount = field(b'x') as u8,
        Form::FloatFixed => insn.amount = (8 * row.width as u32).wrapping_sub(i << 1 | field(b'k')) as u8,
        _ => {}
    }
}

/// `VFPExpandImm`: a sign, three bits of exponent, four of fraction.
const fn expand_float(imm8: u32) -> u32 {
    let sign = (imm8 & 0x80) << 24;
    let exponent = if imm8 & 0x40 == 0 {
        0x4000_0000
    } else {
        0x3e00_0000
    };
    sign | exponent | (imm8 & 0x3f) << 19
}

fn read_list(insn: &mut Insn, row: &Row) {
    let field = |letter| row.field(letter, insn.raw);
    insn.list = RegSet((field(b'r') | field(b'M') << 14 | field(b'P') << 15) as u16);
    insn.writeback |= match row.form {
        Form::ListUnlessBase => !insn.list.contains(insn.rn),
        _ => field(b'W') != 0,
    };
}

/// A signed byte offset; negative only if the pattern has a `U` field that is zero.
fn offset(row: &Row, raw: u32, scale: u8) -> u32 {
    let distance = row.field(b'i', raw) << scale;
    let down = row.pattern.has(b'U') && row.field(b'U', raw) == 0;
    if down { distance.wrapping_neg() } else { distance }
}

/// Sign-extends `value`, whose sign is bit `bits - 1`.
const fn sign_extend(value: u32, bits: u32) -> u32 {
    let spare = 32 - bits;
    ((value << spare) as i32 >> spare) as u32
}

/// `ThumbExpandImm_C`: the value of a modified immediate, and its carry if it was rotated.
fn expand_modified(imm12: u32) -> (u32, Option<bool>) {
    let byte = imm12 & 0xff;
    match imm12 >> 8 {
        0 => (byte, None),
        1 => (byte << 16 | byte, None),
        2 => (byte << 24 | byte << 8, None),
        3 => (byte * 0x0101_0101, None),
        _ => {
            let value = (0x80 | imm12 & 0x7f).rotate_right(imm12 >> 7);
            (value, Some(value >> 31 != 0))
        }
    }
}

/// `DecodeImmShift`: type and amount, including the special meanings of amount zero.
const fn expand_shift(kind: u32, amount: u32) -> (Shift, u8) {
    let amount = amount as u8;
    match (kind & 3, amount) {
        (0, _) => (Shift::Lsl, amount),
        (1, 0) => (Shift::Lsr, 32),
        (1, _) => (Shift::Lsr, amount),
        (2, 0) => (Shift::Asr, 32),
        (2, _) => (Shift::Asr, amount),
        (_, 0) => (Shift::Rrx, 1),
        (_, _) => (Shift::Ror, amount),
    }
}
