//! Instructions that only compute: functions of two operands.

use isa_rv32::Op;

pub(crate) type Operation = fn(u32, u32) -> u32;

/// The function of an operation, and whether its second operand is the immediate; `None` if it does more than compute.
pub(crate) fn operation(op: Op) -> Option<(Operation, bool)> {
    with_immediate(op)
        .map(|function| (function, true))
        .or_else(|| with_register(op).map(|function| (function, false)))
}

fn with_immediate(op: Op) -> Option<Operation> {
    Some(match op {
        Op::Addi => u32::wrapping_add,
        Op::Slti => less,
        Op::Sltiu => below,
        Op::Xori => |a, b| a ^ b,
        Op::Ori => |a, b| a | b,
        Op::Andi => |a, b| a & b,
        Op::Slli => u32::wrapping_shl,
        Op::Srli => u32::wrapping_shr,
        Op::Srai => shift_arithmetic,
        Op::Rori => |a, b| a.rotate_right(b & 31),
        Op::Bclri => |a, b| a & !bit(b),
        Op::Bexti => |a, b| a >> (b & 31) & 1,
        Op::Binvi => |a, b| a ^ bit(b),
        Op::Bseti => |a, b| a | bit(b),
        _ => return None,
    })
}

fn with_register(op: Op) -> Option<Operation> {
    Some(match op {
        Op::Add => u32::wrapping_add,
        Op::Sub => u32::wrapping_sub,
        Op::Sll => u32::wrapping_shl,
        Op::Slt => less,
        Op::Sltu => below,
        Op::Xor => |a, b| a ^ b,
        Op::Srl => u32::wrapping_shr,
        Op::Sra => shift_arithmetic,
        Op::Or => |a, b| a | b,
        Op::And => |a, b| a & b,
        _ => return multiplication(op).or_else(|| bits(op)),
    })
}

fn multiplication(op: Op) -> Option<Operation> {
    Some(match op {
        Op::Mul => u32::wrapping_mul,
        Op::Mulh => |a, b| high(i64::from(a as i32) * i64::from(b as i32)),
        Op::Mulhsu => |a, b| high(i64::from(a as i32) * i64::from(b)),
        Op::Mulhu => |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::Div => |a, b| {
            if b == 0 {
                u32::MAX
            } else {
                (a as i32).wrapping_div(b as i32) as u32
            }
        },
        Op::Divu => |a, b| a.checked_div(b).unwrap_or(u32::MAX),
        Op::Rem => |a, b| {
            if b == 0 {
                a
            } else {
                (a as i32).wrapping_rem(b as i32) as u32
            }
        },
        Op::Remu => |a, b| a.checked_rem(b).unwrap_or(a),
        _ => return None,
    })
}

fn bits(op: Op) -> Option<Operation> {
    Some(match op {
        Op::Sh1add => |a, b| (a << 1).wrapping_add(b),
        Op::Sh2add => |a, b| (a << 2).wrapping_add(b),
        Op::Sh3add => |a, b| (a << 3).wrapping_add(b),
        Op::Andn => |a, b| a & !b,
        Op::Orn => |a, b| a | !b,
        Op::Xnor => |a, b| !(a ^ b),
        Op::Clz => |a, _| a.leading_zeros(),
        Op::Ctz => |a, _| a.trailing_zeros(),
        Op::Cpop => |a, _| a.count_ones(),
        Op::Max => |a, b| (a as i32).max(b as i32) as u32,
        Op::Maxu => u32::max,
        Op::Min => |a, b| (a as i32).min(b as i32) as u32,
        Op::Minu => u32::min,
        Op::SextB => |a, _| i32::from(a as i8) as u32,
        Op::SextH => |a, _| i32::from(a as i16) as u32,
        Op::ZextH => |a, _| a & 0xffff,
        Op::Rol => |a, b| a.rotate_left(b & 31),
        Op::Ror => |a, b| a.rotate_right(b & 31),
        Op::OrcB => |a, _| u32::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff })),
        Op::Rev8 => |a, _| a.swap_bytes(),
        Op::Bclr => |a, b| a & !bit(b),
        Op::Bext => |a, b| a >> (b & 31) & 1,
        Op::Binv => |a, b| a ^ bit(b),
        Op::Bset => |a, b| a | bit(b),
        _ => return None,
    })
}

fn less(a: u32, b: u32) -> u32 {
    u32::from((a as i32) < b as i32)
}

fn below(a: u32, b: u32) -> u32 {
    u32::from(a < b)
}

fn shift_arithmetic(a: u32, b: u32) -> u32 {
    (a as i32).wrapping_shr(b) as u32
}

fn bit(number: u32) -> u32 {
    1 << (number & 31)
}

fn high(product: i64) -> u32 {
    (product >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(op: Op, a: u32, b: u32) -> u32 {
        operation(op).expect("it computes").0(a, b)
    }

    #[test]
    fn division_has_a_result_for_every_operand() {
        assert_eq!((of(Op::Div, 7, 0), of(Op::Rem, 7, 0)), (u32::MAX, 7));
        assert_eq!((of(Op::Divu, 7, 0), of(Op::Remu, 7, 0)), (u32::MAX, 7));
        assert_eq!(
            (of(Op::Div, 1 << 31, u32::MAX), of(Op::Rem, 1 << 31, u32::MAX)),
            (1 << 31, 0)
        );
        assert_eq!(
            (of(Op::Div, -7i32 as u32, 2), of(Op::Rem, -7i32 as u32, 2)),
            (-3i32 as u32, -1i32 as u32)
        );
    }

    #[test]
    fn upper_products_have_the_sign_that_they_name() {
        let minus = u32::MAX;
        assert_eq!(of(Op::Mulh, minus, minus), 0);
        assert_eq!(of(Op::Mulhu, minus, minus), 0xffff_fffe);
        assert_eq!(of(Op::Mulhsu, minus, minus), minus);
    }

    #[test]
    fn shifts_take_five_bits() {
        assert_eq!(of(Op::Sll, 1, 33), 2);
        assert_eq!(of(Op::Sra, 1 << 31, 32), 1 << 31);
        assert_eq!(of(Op::Ror, 1, 33), 1 << 31);
        assert_eq!(of(Op::Bset, 0, 63), 1 << 31);
    }

    #[test]
    fn bytes_are_or_combined() {
        assert_eq!(of(Op::OrcB, 0x0100_8000, 0), 0xff00_ff00);
    }
}
