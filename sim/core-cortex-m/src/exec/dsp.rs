//! The rest of the DSP extension: packing, extending with addition, saturating arithmetic, products of halfwords
//! (ARMv7-M ARM A7.7, under each instruction's name).

use isa_thumb::Op;

use super::operand::{read, write};
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};

/// The lower or upper halfword, with its sign.
const fn half(value: u32, upper: bool) -> i32 {
    if upper {
        value as i32 >> 16
    } else {
        value as i16 as i32
    }
}

const fn pack(upper: u32, lower: u32) -> u32 {
    upper & 0xffff_0000 | lower & 0xffff
}

/// rd ← the upper half of rm shifted left and the lower one of rn.
fn pkhbt(core: &mut Core, op: &MicroOp) -> Step {
    let result = pack(read(core, op.rm) << op.amount, read(core, op.rn));
    write(core, op.rd, result);
    Step::Next
}

/// rd ← the upper half of rn and the lower one of rm shifted right.
fn pkhtb(core: &mut Core, op: &MicroOp) -> Step {
    let shifted = read(core, op.rm) as i32 >> u32::from(op.amount).min(31);
    let result = pack(read(core, op.rn), shifted as u32);
    write(core, op.rd, result);
    Step::Next
}

/// Both halves of rn, brought into the range of `imm` bits; Q is set if that changed one.
fn saturate_halves<const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = read(core, op.rn);
    let (low, high) = if SIGNED {
        (-(1 << (op.imm - 1)), (1 << (op.imm - 1)) - 1)
    } else {
        (0, (1 << op.imm) - 1)
    };
    let [lower, upper] = [half(value, false), half(value, true)].map(|half| half.clamp(low, high));
    core.regs.flags.q |= lower != half(value, false) || upper != half(value, true);
    write(core, op.rd, pack((upper as u32) << 16, lower as u32));
    Step::Next
}

/// The operand of an extension: rm, rotated.
fn rotated(core: &Core, op: &MicroOp) -> u32 {
    read(core, op.rm).rotate_right(u32::from(op.amount))
}

/// rd ← rn + the low `BITS` of rm rotated, extended.
fn extend_add<const BITS: u32, const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = rotated(core, op) << (32 - BITS);
    let extended = if SIGNED {
        (value as i32 >> (32 - BITS)) as u32
    } else {
        value >> (32 - BITS)
    };
    let result = read(core, op.rn).wrapping_add(extended);
    write(core, op.rd, result);
    Step::Next
}

/// Two bytes of rm rotated, extended to halfwords, and added to those of rn if `ADD`.
fn extend_halves<const SIGNED: bool, const ADD: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = rotated(core, op);
    let extend = |byte: u32| {
        if SIGNED {
            i32::from(byte as i8) as u32
        } else {
            byte & 0xff
        }
    };
    let (lower, upper) = (extend(value), extend(value >> 16));
    let base = if ADD { read(core, op.rn) } else { 0 };
    let result = pack((base >> 16).wrapping_add(upper) << 16, base.wrapping_add(lower));
    write(core, op.rd, result);
    Step::Next
}

/// A value that fits into 32 bits with its sign; Q is set if it had to be changed for that.
fn saturated(core: &mut Core, value: i64) -> i32 {
    let result = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    core.regs.flags.q |= result != value;
    result as i32
}

/// rd ← rm ± rn, each step saturated; rn is doubled first if `DOUBLE`.
fn saturating<const SUBTRACT: bool, const DOUBLE: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (n, m) = (
        i64::from(read(core, op.rn) as i32),
        i64::from(read(core, op.rm) as i32),
    );
    let n = if DOUBLE {
        i64::from(saturated(core, 2 * n))
    } else {
        n
    };
    let result = saturated(core, if SUBTRACT { m - n } else { m + n });
    write(core, op.rd, result as u32);
    Step::Next
}

/// rd ← `value`, added to ra if `ADD`; Q is set if a sum does not fit.
fn accumulate<const ADD: bool>(core: &mut Core, op: &MicroOp, value: i64) -> Step {
    let base = if ADD {
        i64::from(read(core, op.ra) as i32)
    } else {
        0
    };
    let sum = base + value;
    core.regs.flags.q |= sum != i64::from(sum as i32);
    write(core, op.rd, sum as u32);
    Step::Next
}

/// ra:rd ← ra:rd + `value`.
fn accumulate_long(core: &mut Core, op: &MicroOp, value: i64) -> Step {
    let base = u64::from(read(core, op.ra)) << 32 | u64::from(read(core, op.rd));
    let sum = base.wrapping_add(value as u64);
    write(core, op.rd, sum as u32);
    write(core, op.ra, (sum >> 32) as u32);
    Step::Next
}

/// A half of rn times a half of rm.
fn product(core: &Core, op: &MicroOp) -> i64 {
    let n = half(read(core, op.rn), op.amount & 2 != 0);
    let m = half(read(core, op.rm), op.amount & 1 != 0);
    i64::from(n) * i64::from(m)
}

fn multiply_halves<const ADD: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = product(core, op);
    accumulate::<ADD>(core, op, value)
}

fn multiply_halves_long(core: &mut Core, op: &MicroOp) -> Step {
    let value = product(core, op);
    accumulate_long(core, op, value)
}

/// rn times a half of rm, without the lowest 16 bits.
fn multiply_word<const ADD: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let m = half(read(core, op.rm), op.amount != 0);
    let value = (i64::from(read(core, op.rn) as i32) * i64::from(m)) >> 16;
    accumulate::<ADD>(core, op, value)
}

/// The sum or difference of both halves' products; `amount` 1 exchanges the halves of rm.
fn two_products<const SUBTRACT: bool>(core: &Core, op: &MicroOp) -> i64 {
    let n = read(core, op.rn);
    let m = read(core, op.rm).rotate_right(16 * u32::from(op.amount));
    let lower = i64::from(half(n, false)) * i64::from(half(m, false));
    let upper = i64::from(half(n, true)) * i64::from(half(m, true));
    if SUBTRACT { lower - upper } else { lower + upper }
}

fn dual<const SUBTRACT: bool, const ADD: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = two_products::<SUBTRACT>(core, op);
    accumulate::<ADD>(core, op, value)
}

fn dual_long<const SUBTRACT: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = two_products::<SUBTRACT>(core, op);
    accumulate_long(core, op, value)
}

/// The upper word of ra:0 ± rn × rm, rounded if `amount` is 1.
fn upper_word<const SUBTRACT: bool, const ADD: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let product = i64::from(read(core, op.rn) as i32) * i64::from(read(core, op.rm) as i32);
    let base = if ADD {
        i64::from(read(core, op.ra)) << 32
    } else {
        0
    };
    let sum = if SUBTRACT {
        base.wrapping_sub(product)
    } else {
        base.wrapping_add(product)
    };
    let rounded = sum.wrapping_add(i64::from(op.amount) << 31);
    write(core, op.rd, (rounded >> 32) as u32);
    Step::Next
}

/// rd ← the sum of the bytes' absolute differences, added to ra if `ADD`.
fn differences<const ADD: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (n, m) = (read(core, op.rn).to_le_bytes(), read(core, op.rm).to_le_bytes());
    let sum: u32 = n.iter().zip(m).map(|(&n, m)| u32::from(n.abs_diff(m))).sum();
    let base = if ADD { read(core, op.ra) } else { 0 };
    write(core, op.rd, base.wrapping_add(sum));
    Step::Next
}

/// ra:rd ← rn × rm + ra + rd, which always fits.
fn umaal(core: &mut Core, op: &MicroOp) -> Step {
    let wide = |register: u8| u64::from(read(core, register));
    let sum = wide(op.rn) * wide(op.rm) + wide(op.ra) + wide(op.rd);
    write(core, op.rd, sum as u32);
    write(core, op.ra, (sum >> 32) as u32);
    Step::Next
}

/// The handler of one of these, or `None` if `op` is none.
pub(super) fn handler(op: Op, has_addend: bool) -> Option<Handler> {
    Some(match op {
        Op::Pkhbt => pkhbt,
        Op::Pkhtb => pkhtb,
        Op::Ssat16 => saturate_halves::<true>,
        Op::Usat16 => saturate_halves::<false>,
        Op::Sxtah => extend_add::<16, true>,
        Op::Uxtah => extend_add::<16, false>,
        Op::Sxtab => extend_add::<8, true>,
        Op::Uxtab => extend_add::<8, false>,
        Op::Sxtab16 if has_addend => extend_halves::<true, true>,
        Op::Sxtab16 => extend_halves::<true, false>,
        Op::Uxtab16 if has_addend => extend_halves::<false, true>,
        Op::Uxtab16 => extend_halves::<false, false>,
        Op::Qadd => saturating::<false, false>,
        Op::Qdadd => saturating::<false, true>,
        Op::Qsub => saturating::<true, false>,
        Op::Qdsub => saturating::<true, true>,
        _ => return multiplication(op),
    })
}

fn multiplication(op: Op) -> Option<Handler> {
    Some(match op {
        Op::Smlaxy => multiply_halves::<true>,
        Op::Smulxy => multiply_halves::<false>,
        Op::Smlalxy => multiply_halves_long,
        Op::Smlaw => multiply_word::<true>,
        Op::Smulw => multiply_word::<false>,
        Op::Smlad => dual::<false, true>,
        Op::Smuad => dual::<false, false>,
        Op::Smlsd => dual::<true, true>,
        Op::Smusd => dual::<true, false>,
        Op::Smlald => dual_long::<false>,
        Op::Smlsld => dual_long::<true>,
        Op::Smmla => upper_word::<false, true>,
        Op::Smmul => upper_word::<false, false>,
        Op::Smmls => upper_word::<true, true>,
        Op::Usada8 => differences::<true>,
        Op::Usad8 => differences::<false>,
        Op::Umaal => umaal,
        _ => return None,
    })
}
