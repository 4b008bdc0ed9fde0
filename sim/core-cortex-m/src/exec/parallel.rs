//! Parallel additions and subtractions of bytes and halfwords, and SEL, which chooses by what they found (ARMv7-M ARM
//! A7.7, under each instruction's name).

use isa_thumb::Op;

use super::operand::{read, write};
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};

/// The treatment of each sum or difference, in `MicroOp::amount`. The others, 2 and 6, halve.
mod kind {
    /// Wraps around; sets GE.
    pub(super) const SIGNED: u8 = 0;
    pub(super) const SIGNED_SATURATING: u8 = 1;
    /// Wraps around; sets GE.
    pub(super) const UNSIGNED: u8 = 4;
    pub(super) const UNSIGNED_SATURATING: u8 = 5;
}

/// One lane of an operand.
const fn lane(value: u32, lane: u32, bits: u32, signed: bool) -> i32 {
    let above = 32 - bits;
    let value = value >> (lane * bits) << above;
    if signed {
        value as i32 >> above
    } else {
        (value >> above) as i32
    }
}

/// The result of a lane, and whether GE is set for it: a signed one is not negative, an unsigned one carries or does
/// not borrow.
const fn combine(n: i32, m: i32, subtract: bool, kind: u8, bits: u32) -> (u32, bool) {
    let exact = if subtract { n - m } else { n + m };
    let (low, high) = if kind < kind::UNSIGNED {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    let ge = if kind >= kind::UNSIGNED && !subtract {
        exact > high
    } else {
        exact >= 0
    };
    let value = match kind {
        kind::SIGNED | kind::UNSIGNED => exact,
        kind::SIGNED_SATURATING | kind::UNSIGNED_SATURATING if exact < low => low,
        kind::SIGNED_SATURATING | kind::UNSIGNED_SATURATING => {
            if exact > high {
                high
            } else {
                exact
            }
        }
        _ => exact >> 1,
    };
    (value as u32 & (u32::MAX >> (32 - bits)), ge)
}

/// Lanes of `BITS`; those of rm are exchanged if `EXCHANGE`, and bit N of `SUBTRACT` says whether lane N is a difference.
fn parallel<const BITS: u32, const SUBTRACT: u8, const EXCHANGE: bool>(
    core: &mut Core,
    op: &MicroOp,
) -> Step {
    let (n, m) = (read(core, op.rn), read(core, op.rm));
    let m = if EXCHANGE { m.rotate_right(16) } else { m };
    let kind = op.amount;
    let signed = kind < kind::UNSIGNED;
    let each = BITS / 8;
    let (mut result, mut ge) = (0, 0);
    for at in 0..32 / BITS {
        let (n, m) = (lane(n, at, BITS, signed), lane(m, at, BITS, signed));
        let (value, set) = combine(n, m, SUBTRACT >> at & 1 != 0, kind, BITS);
        result |= value << (at * BITS);
        ge |= (u8::from(set) * ((1 << each) - 1)) << (at * each);
    }
    if matches!(kind, kind::SIGNED | kind::UNSIGNED) {
        core.regs.flags.ge = ge;
    }
    write(core, op.rd, result);
    Step::Next
}

/// rd ← each byte of rn where its GE bit is set, of rm where it is not.
fn sel(core: &mut Core, op: &MicroOp) -> Step {
    let ge = u32::from(core.regs.flags.ge);
    // A bit of GE becomes a byte of ones.
    let chosen = ((ge * 0x0020_4081) & 0x0101_0101) * 0xff;
    let result = read(core, op.rn) & chosen | read(core, op.rm) & !chosen;
    write(core, op.rd, result);
    Step::Next
}

/// The handler of a parallel operation, or `None` if `op` is none.
pub(super) fn handler(op: Op) -> Option<Handler> {
    Some(match op {
        Op::Add8 => parallel::<8, 0, false>,
        Op::Sub8 => parallel::<8, 0xf, false>,
        Op::Add16 => parallel::<16, 0, false>,
        Op::Sub16 => parallel::<16, 3, false>,
        Op::Asx => parallel::<16, 1, true>,
        Op::Sax => parallel::<16, 2, true>,
        Op::Sel => sel,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The halving sum's own definition: the carry out becomes the highest bit.
    #[test]
    fn lanes_wrap_saturate_and_halve() {
        assert_eq!(combine(0x7f, 1, false, kind::SIGNED, 8), (0x80, true));
        assert_eq!(combine(0x7f, 1, false, kind::SIGNED_SATURATING, 8), (0x7f, true));
        assert_eq!(combine(0x7f, 1, false, 2, 8), (0x40, true));
        assert_eq!(combine(-0x80, 1, true, kind::SIGNED_SATURATING, 8), (0x80, false));
        assert_eq!(combine(-0x80, 1, true, 2, 8), (0xbf, false));
        assert_eq!(combine(0xff, 1, false, kind::UNSIGNED, 8), (0, true));
        assert_eq!(
            combine(0xff, 1, false, kind::UNSIGNED_SATURATING, 8),
            (0xff, true)
        );
        assert_eq!(combine(0xff, 0xff, false, 6, 8), (0xff, true));
        assert_eq!(combine(0, 1, true, kind::UNSIGNED, 16), (0xffff, false));
        assert_eq!(combine(0, 1, true, kind::UNSIGNED_SATURATING, 16), (0, false));
        assert_eq!(combine(0, 1, true, 6, 16), (0xffff, false));
    }

    #[test]
    fn lanes_are_read_with_their_sign() {
        assert_eq!(lane(0x80ff_7f01, 2, 8, true), -1);
        assert_eq!(lane(0x80ff_7f01, 2, 8, false), 0xff);
        assert_eq!(lane(0x80ff_7f01, 1, 16, true), -0x7f01);
    }
}
