//! Shifts and rotations (ARMv7-M ARM A2.2.1), as operands and as instructions of their own.

use isa_thumb::Op;

use super::operand::{read, write};
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};
use crate::regs::Flags;

/// A kind of shift. `amount` is 1 or more; shifts by more than 32 follow the manual.
pub(super) trait Shifter {
    /// The shifted value.
    fn shift(value: u32, amount: u32, flags: Flags) -> u32;

    /// The shifted value and the last bit shifted out.
    fn shift_c(value: u32, amount: u32, flags: Flags) -> (u32, bool);
}

pub(super) struct Lsl;
pub(super) struct Lsr;
pub(super) struct Asr;
pub(super) struct Ror;
pub(super) struct Rrx;

impl Shifter for Lsl {
    #[inline(always)]
    fn shift(value: u32, amount: u32, _: Flags) -> u32 {
        value.checked_shl(amount).unwrap_or(0)
    }

    #[inline(always)]
    fn shift_c(value: u32, amount: u32, _: Flags) -> (u32, bool) {
        let wide = u64::from(value) << amount.min(33);
        (wide as u32, wide >> 32 & 1 != 0)
    }
}

impl Shifter for Lsr {
    #[inline(always)]
    fn shift(value: u32, amount: u32, _: Flags) -> u32 {
        value.checked_shr(amount).unwrap_or(0)
    }

    #[inline(always)]
    fn shift_c(value: u32, amount: u32, _: Flags) -> (u32, bool) {
        let with_carry_below = u64::from(value) << 1 >> amount.min(33);
        ((with_carry_below >> 1) as u32, with_carry_below & 1 != 0)
    }
}

impl Shifter for Asr {
    #[inline(always)]
    fn shift(value: u32, amount: u32, _: Flags) -> u32 {
        (value as i32 >> amount.min(31)) as u32
    }

    #[inline(always)]
    fn shift_c(value: u32, amount: u32, _: Flags) -> (u32, bool) {
        let with_carry_below = i64::from(value as i32) << 1 >> amount.min(32);
        ((with_carry_below >> 1) as u32, with_carry_below & 1 != 0)
    }
}

impl Shifter for Ror {
    #[inline(always)]
    fn shift(value: u32, amount: u32, _: Flags) -> u32 {
        value.rotate_right(amount)
    }

    #[inline(always)]
    fn shift_c(value: u32, amount: u32, _: Flags) -> (u32, bool) {
        let result = value.rotate_right(amount);
        (result, result >> 31 != 0)
    }
}

impl Shifter for Rrx {
    #[inline(always)]
    fn shift(value: u32, _: u32, flags: Flags) -> u32 {
        u32::from(flags.c) << 31 | value >> 1
    }

    #[inline(always)]
    fn shift_c(value: u32, amount: u32, flags: Flags) -> (u32, bool) {
        (Self::shift(value, amount, flags), value & 1 != 0)
    }
}

/// rd ← rn shifted by the low byte of rm; a shift by zero leaves C alone.
fn by_register<S: Shifter, const FLAGS: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (value, amount) = (read(core, op.rn), read(core, op.rm) & 0xff);
    let flags = core.regs.flags;
    let (result, carry) = if amount == 0 {
        (value, flags.c)
    } else {
        S::shift_c(value, amount, flags)
    };
    if FLAGS {
        core.regs.flags.set_nz(result);
        core.regs.flags.c = carry;
    }
    write(core, op.rd, result);
    Step::Next
}

/// The handler of a shift by a register, or `None` for anything else.
pub(super) fn by_register_handler(op: Op, sets_flags: bool) -> Option<Handler> {
    Some(match (op, sets_flags) {
        (Op::Lsl, false) => by_register::<Lsl, false>,
        (Op::Lsl, true) => by_register::<Lsl, true>,
        (Op::Lsr, false) => by_register::<Lsr, false>,
        (Op::Lsr, true) => by_register::<Lsr, true>,
        (Op::Asr, false) => by_register::<Asr, false>,
        (Op::Asr, true) => by_register::<Asr, true>,
        (Op::Ror, false) => by_register::<Ror, false>,
        (Op::Ror, true) => by_register::<Ror, true>,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carry(c: bool) -> Flags {
        Flags {
            c,
            ..Flags::default()
        }
    }

    #[test]
    fn shifts_at_and_beyond_the_width_follow_the_manual() {
        let v = 0x8000_0001;
        assert_eq!(Lsl::shift_c(v, 32, carry(false)), (0, true));
        assert_eq!(Lsl::shift_c(v, 33, carry(true)), (0, false));
        assert_eq!(Lsl::shift_c(v, 255, carry(true)), (0, false));
        assert_eq!(Lsr::shift_c(v, 32, carry(false)), (0, true));
        assert_eq!(Lsr::shift_c(v, 33, carry(true)), (0, false));
        assert_eq!(Asr::shift_c(v, 32, carry(false)), (u32::MAX, true));
        assert_eq!(Asr::shift_c(v, 200, carry(false)), (u32::MAX, true));
        assert_eq!(Ror::shift_c(v, 32, carry(false)), (v, true));
        assert_eq!(Rrx::shift_c(v, 1, carry(true)), (0xc000_0000, true));
    }

    #[test]
    fn the_shift_without_carry_gives_the_same_value() {
        fn same<S: Shifter>(value: u32, amount: u32) {
            let flags = carry(true);
            assert_eq!(S::shift(value, amount, flags), S::shift_c(value, amount, flags).0);
        }
        for value in [0, 1, 0x7fff_ffff, 0x8000_0000, 0x8765_4321] {
            for amount in 1..=40 {
                same::<Lsl>(value, amount);
                same::<Lsr>(value, amount);
                same::<Asr>(value, amount);
                same::<Ror>(value, amount);
                same::<Rrx>(value, amount);
            }
        }
    }
}
