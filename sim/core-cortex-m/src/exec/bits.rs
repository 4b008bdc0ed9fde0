//! Bit fields, extension, reversal, counting and saturation (ARMv7-M ARM A5.3.3, A5.3.12, A5.3.15).

use isa_thumb::{Op, Shift};

use super::operand::{read, write};
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};

/// The lowest `width` (1 to 32) bits.
#[inline(always)]
fn low_bits(width: u8) -> u32 {
    u32::MAX >> (32 - u32::from(width))
}

/// Writes rd with its bit field (lsb `imm`, width `amount`) replaced by the low bits of `from`.
#[inline(always)]
fn insert(core: &mut Core, op: &MicroOp, from: u32) -> Step {
    let mask = low_bits(op.amount) << op.imm;
    let result = read(core, op.rd) & !mask | from << op.imm & mask;
    write(core, op.rd, result);
    Step::Next
}

fn bfi(core: &mut Core, op: &MicroOp) -> Step {
    let from = read(core, op.rn);
    insert(core, op, from)
}

fn bfc(core: &mut Core, op: &MicroOp) -> Step {
    insert(core, op, 0)
}

fn ubfx(core: &mut Core, op: &MicroOp) -> Step {
    let result = read(core, op.rn) >> op.imm & low_bits(op.amount);
    write(core, op.rd, result);
    Step::Next
}

fn sbfx(core: &mut Core, op: &MicroOp) -> Step {
    let above = 32 - u32::from(op.amount);
    let field = (read(core, op.rn) >> op.imm) << above;
    write(core, op.rd, (field as i32 >> above) as u32);
    Step::Next
}

/// A function from word to word.
trait Unary {
    fn apply(value: u32) -> u32;
}

struct Clz;
struct Rbit;
struct Rev;
struct Rev16;
struct Revsh;

impl Unary for Clz {
    #[inline(always)]
    fn apply(value: u32) -> u32 {
        value.leading_zeros()
    }
}

impl Unary for Rbit {
    #[inline(always)]
    fn apply(value: u32) -> u32 {
        value.reverse_bits()
    }
}

impl Unary for Rev {
    #[inline(always)]
    fn apply(value: u32) -> u32 {
        value.swap_bytes()
    }
}

impl Unary for Rev16 {
    #[inline(always)]
    fn apply(value: u32) -> u32 {
        value.swap_bytes().rotate_right(16)
    }
}

impl Unary for Revsh {
    #[inline(always)]
    fn apply(value: u32) -> u32 {
        i32::from((value as u16).swap_bytes() as i16) as u32
    }
}

fn unary<U: Unary>(core: &mut Core, op: &MicroOp) -> Step {
    let result = U::apply(read(core, op.rm));
    write(core, op.rd, result);
    Step::Next
}

/// rd ← the low `BITS` of rm rotated, extended.
fn extend<const BITS: u32, const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let above = 32 - BITS;
    let value = read(core, op.rm).rotate_right(u32::from(op.amount)) << above;
    let result = if SIGNED {
        (value as i32 >> above) as u32
    } else {
        value >> above
    };
    write(core, op.rd, result);
    Step::Next
}

/// rd ← rn, shifted, brought into the range of `imm` bits; Q is set if that changed it.
fn saturate<const SIGNED: bool, const RIGHT: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let value = read(core, op.rn) as i32;
    let amount = u32::from(op.amount);
    let shifted = if RIGHT {
        value >> amount.min(31)
    } else {
        value << amount
    };
    let (low, high) = range::<SIGNED>(op.imm);
    let result = i64::from(shifted).clamp(low, high);
    core.regs.flags.q |= result != i64::from(shifted);
    write(core, op.rd, result as u32);
    Step::Next
}

/// The lowest and the highest number with this many bits.
#[inline(always)]
fn range<const SIGNED: bool>(bits: u32) -> (i64, i64) {
    if SIGNED {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// The handler of an operation on bits, or `None` if `op` is not one.
pub(super) fn handler(op: Op, shift: Shift) -> Option<Handler> {
    let right = shift == Shift::Asr;
    Some(match op {
        Op::Bfi => bfi,
        Op::Bfc => bfc,
        Op::Sbfx => sbfx,
        Op::Ubfx => ubfx,
        Op::Clz => unary::<Clz>,
        Op::Rbit => unary::<Rbit>,
        Op::Rev => unary::<Rev>,
        Op::Rev16 => unary::<Rev16>,
        Op::Revsh => unary::<Revsh>,
        Op::Sxtb => extend::<8, true>,
        Op::Sxth => extend::<16, true>,
        Op::Uxtb => extend::<8, false>,
        Op::Uxth => extend::<16, false>,
        Op::Ssat if right => saturate::<true, true>,
        Op::Ssat => saturate::<true, false>,
        Op::Usat if right => saturate::<false, true>,
        Op::Usat => saturate::<false, false>,
        _ => return None,
    })
}
