//! Data processing: rd ← rn operation second operand (ARMv7-M ARM A5.3.1, A5.3.11).
//!
//! One generic function, compiled for each operation, form of the second operand, and use of flags.

use std::marker::PhantomData;

use isa_thumb::{Op, Operand, Shift};

use super::operand::{read, write};
use super::shift::{Asr, Lsl, Lsr, Ror, Rrx, Shifter};
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};
use crate::regs::Flags;

/// A form of the second operand.
trait Second {
    fn value(core: &Core, op: &MicroOp) -> u32;

    /// With the carry out of the shifter, as bitwise operations want it.
    fn with_carry(core: &Core, op: &MicroOp) -> (u32, bool);
}

struct Immediate;
struct Register;
struct Shifted<S>(PhantomData<S>);

impl Second for Immediate {
    #[inline(always)]
    fn value(_: &Core, op: &MicroOp) -> u32 {
        op.imm
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &MicroOp) -> (u32, bool) {
        let carry = match op.imm_carry {
            0 => false,
            1 => true,
            _ => core.regs.flags.c,
        };
        (op.imm, carry)
    }
}

impl Second for Register {
    #[inline(always)]
    fn value(core: &Core, op: &MicroOp) -> u32 {
        read(core, op.rm)
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &MicroOp) -> (u32, bool) {
        (read(core, op.rm), core.regs.flags.c)
    }
}

impl<S: Shifter> Second for Shifted<S> {
    #[inline(always)]
    fn value(core: &Core, op: &MicroOp) -> u32 {
        S::shift(read(core, op.rm), u32::from(op.amount), core.regs.flags)
    }

    #[inline(always)]
    fn with_carry(core: &Core, op: &MicroOp) -> (u32, bool) {
        S::shift_c(read(core, op.rm), u32::from(op.amount), core.regs.flags)
    }
}

/// An operation of the ALU.
trait Operation {
    /// Its result; `c` is the carry flag.
    fn result(a: u32, b: u32, c: bool) -> u32;

    /// Its result, carry and overflow. By default those of a bitwise operation: C from the shifter, V as it was.
    #[inline(always)]
    fn flagged(a: u32, (b, shifter): (u32, bool), flags: Flags) -> (u32, bool, bool) {
        (Self::result(a, b, flags.c), shifter, flags.v)
    }
}

struct And;
struct Eor;
struct Orr;
struct Orn;
struct Bic;
struct Mov;
struct Mvn;
struct Add;
struct Adc;
struct Sub;
struct Sbc;
struct Rsb;

impl Operation for And {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a & b
    }
}

impl Operation for Eor {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a ^ b
    }
}

impl Operation for Orr {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a | b
    }
}

impl Operation for Orn {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a | !b
    }
}

impl Operation for Bic {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a & !b
    }
}

impl Operation for Mov {
    #[inline(always)]
    fn result(_: u32, b: u32, _: bool) -> u32 {
        b
    }
}

impl Operation for Mvn {
    #[inline(always)]
    fn result(_: u32, b: u32, _: bool) -> u32 {
        !b
    }
}

/// `AddWithCarry()` of the manual: result, carry, overflow.
#[inline(always)]
fn add_with_carry(a: u32, b: u32, c: bool) -> (u32, bool, bool) {
    let wide = u64::from(a) + u64::from(b) + u64::from(c);
    let result = wide as u32;
    (result, wide >> 32 != 0, ((a ^ result) & (b ^ result)) >> 31 != 0)
}

/// a - b, where carry means "no borrow".
#[inline(always)]
fn subtract(a: u32, b: u32) -> (u32, bool, bool) {
    (a.wrapping_sub(b), a >= b, (a as i32).overflowing_sub(b as i32).1)
}

impl Operation for Add {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn flagged(a: u32, (b, _): (u32, bool), _: Flags) -> (u32, bool, bool) {
        let (result, carry) = a.overflowing_add(b);
        (result, carry, (a as i32).overflowing_add(b as i32).1)
    }
}

impl Operation for Adc {
    #[inline(always)]
    fn result(a: u32, b: u32, c: bool) -> u32 {
        a.wrapping_add(b).wrapping_add(u32::from(c))
    }

    #[inline(always)]
    fn flagged(a: u32, (b, _): (u32, bool), flags: Flags) -> (u32, bool, bool) {
        add_with_carry(a, b, flags.c)
    }
}

impl Operation for Sub {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        a.wrapping_sub(b)
    }

    #[inline(always)]
    fn flagged(a: u32, (b, _): (u32, bool), _: Flags) -> (u32, bool, bool) {
        subtract(a, b)
    }
}

impl Operation for Sbc {
    #[inline(always)]
    fn result(a: u32, b: u32, c: bool) -> u32 {
        a.wrapping_add(!b).wrapping_add(u32::from(c))
    }

    #[inline(always)]
    fn flagged(a: u32, (b, _): (u32, bool), flags: Flags) -> (u32, bool, bool) {
        add_with_carry(a, !b, flags.c)
    }
}

impl Operation for Rsb {
    #[inline(always)]
    fn result(a: u32, b: u32, _: bool) -> u32 {
        b.wrapping_sub(a)
    }

    #[inline(always)]
    fn flagged(a: u32, (b, _): (u32, bool), _: Flags) -> (u32, bool, bool) {
        subtract(b, a)
    }
}

fn process<O: Operation, S: Second, const FLAGS: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let a = read(core, op.rn);
    let result = if FLAGS {
        with_flags::<O, S>(core, op, a)
    } else {
        O::result(a, S::value(core, op), core.regs.flags.c)
    };
    write(core, op.rd, result);
    Step::Next
}

/// SP ← SP - constant: a stack that grows.
pub(super) fn sub_from_sp(core: &mut Core, op: &MicroOp) -> Step {
    let before = core.regs.r[13];
    let sp = before.wrapping_sub(op.imm);
    core.regs.r[13] = sp;
    if core.floors.is_below(sp) {
        core.stack_grew(op, before);
    }
    Step::Next
}

/// A comparison: the flags alone.
fn compare<O: Operation, S: Second>(core: &mut Core, op: &MicroOp) -> Step {
    with_flags::<O, S>(core, op, read(core, op.rn));
    Step::Next
}

#[inline(always)]
fn with_flags<O: Operation, S: Second>(core: &mut Core, op: &MicroOp, a: u32) -> u32 {
    let flags = core.regs.flags;
    let (result, c, v) = O::flagged(a, S::with_carry(core, op), flags);
    core.regs.flags = Flags {
        n: result,
        z: result,
        c,
        v,
        q: flags.q,
        ge: flags.ge,
    };
    result
}

/// rd\[31:16\] ← imm.
fn movt(core: &mut Core, op: &MicroOp) -> Step {
    let low = read(core, op.rd) & 0xffff;
    write(core, op.rd, op.imm << 16 | low);
    Step::Next
}

/// rd ← imm, flags unchanged.
fn constant(core: &mut Core, op: &MicroOp) -> Step {
    write(core, op.rd, op.imm);
    Step::Next
}

/// The shape of a second operand, as the choice of a handler needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Immediate,
    Register,
    Shifted(Shift),
}

impl Kind {
    pub(super) fn new(operand: Operand, shift: Shift, amount: u8) -> Self {
        match (operand, shift, amount) {
            (Operand::Imm, ..) => Kind::Immediate,
            (_, Shift::Lsl | Shift::Lsr | Shift::Asr | Shift::Ror, 0) => Kind::Register,
            _ => Kind::Shifted(shift),
        }
    }
}

/// The handler of a data-processing instruction, or `None` if `op` is not one.
pub(super) fn handler(op: Op, kind: Kind, sets_flags: bool) -> Option<Handler> {
    Some(match op {
        Op::And => process_handler::<And>(kind, sets_flags),
        Op::Eor => process_handler::<Eor>(kind, sets_flags),
        Op::Orr => process_handler::<Orr>(kind, sets_flags),
        Op::Orn => process_handler::<Orn>(kind, sets_flags),
        Op::Bic => process_handler::<Bic>(kind, sets_flags),
        Op::Mov => process_handler::<Mov>(kind, sets_flags),
        Op::Mvn => process_handler::<Mvn>(kind, sets_flags),
        Op::Add => process_handler::<Add>(kind, sets_flags),
        Op::Adc => process_handler::<Adc>(kind, sets_flags),
        Op::Sub => process_handler::<Sub>(kind, sets_flags),
        Op::Sbc => process_handler::<Sbc>(kind, sets_flags),
        Op::Rsb => process_handler::<Rsb>(kind, sets_flags),
        Op::Tst => compare_handler::<And>(kind),
        Op::Teq => compare_handler::<Eor>(kind),
        Op::Cmp => compare_handler::<Sub>(kind),
        Op::Cmn => compare_handler::<Add>(kind),
        Op::Movt => movt,
        Op::Movw | Op::Adr => constant,
        _ => return None,
    })
}

fn process_handler<O: Operation>(kind: Kind, sets_flags: bool) -> Handler {
    if sets_flags {
        process_with::<O, true>(kind)
    } else {
        process_with::<O, false>(kind)
    }
}

fn process_with<O: Operation, const FLAGS: bool>(kind: Kind) -> Handler {
    match kind {
        Kind::Immediate => process::<O, Immediate, FLAGS>,
        Kind::Register => process::<O, Register, FLAGS>,
        Kind::Shifted(Shift::Lsl) => process::<O, Shifted<Lsl>, FLAGS>,
        Kind::Shifted(Shift::Lsr) => process::<O, Shifted<Lsr>, FLAGS>,
        Kind::Shifted(Shift::Asr) => process::<O, Shifted<Asr>, FLAGS>,
        Kind::Shifted(Shift::Ror) => process::<O, Shifted<Ror>, FLAGS>,
        Kind::Shifted(Shift::Rrx) => process::<O, Shifted<Rrx>, FLAGS>,
    }
}

fn compare_handler<O: Operation>(kind: Kind) -> Handler {
    match kind {
        Kind::Immediate => compare::<O, Immediate>,
        Kind::Register => compare::<O, Register>,
        Kind::Shifted(Shift::Lsl) => compare::<O, Shifted<Lsl>>,
        Kind::Shifted(Shift::Lsr) => compare::<O, Shifted<Lsr>>,
        Kind::Shifted(Shift::Asr) => compare::<O, Shifted<Asr>>,
        Kind::Shifted(Shift::Ror) => compare::<O, Shifted<Ror>>,
        Kind::Shifted(Shift::Rrx) => compare::<O, Shifted<Rrx>>,
    }
}
