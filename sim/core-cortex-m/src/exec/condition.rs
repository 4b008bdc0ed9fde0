//! Conditions, and what stands around a handler: the check of an IT block, and the alignment of SP.
//!
//! A handler does only its operation. Where its place or its destination asks for more, `MicroOp::exec` is one of the
//! wrappers here and `MicroOp::inner` the operation.

use isa_thumb::Cond;

use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};
use crate::regs::Flags;

/// `ConditionPassed()` for the condition with the encoding `COND`.
#[inline(always)]
pub(super) fn holds<const COND: u8>(flags: Flags) -> bool {
    let n = (flags.n as i32) < 0;
    let z = flags.z == 0;
    let positive = match COND >> 1 {
        0 => z,
        1 => flags.c,
        2 => n,
        3 => flags.v,
        4 => flags.c && !z,
        5 => n == flags.v,
        6 => !z && n == flags.v,
        _ => return true,
    };
    positive != (COND & 1 != 0)
}

/// Evaluates a condition that is only known at run time.
pub(crate) fn passes(cond: u8, flags: Flags) -> bool {
    const CONDITIONS: [fn(Flags) -> bool; 15] = [
        holds::<0>,
        holds::<1>,
        holds::<2>,
        holds::<3>,
        holds::<4>,
        holds::<5>,
        holds::<6>,
        holds::<7>,
        holds::<8>,
        holds::<9>,
        holds::<10>,
        holds::<11>,
        holds::<12>,
        holds::<13>,
        holds::<14>,
    ];
    CONDITIONS.get(usize::from(cond)).is_none_or(|holds| holds(flags))
}

/// A function that is compiled once for each condition.
pub(super) trait PerCondition {
    fn handler<const COND: u8>() -> Handler;
}

/// The handler of `P` for one condition.
pub(super) fn for_condition<P: PerCondition>(cond: Cond) -> Handler {
    match cond {
        Cond::Eq => P::handler::<0>(),
        Cond::Ne => P::handler::<1>(),
        Cond::Cs => P::handler::<2>(),
        Cond::Cc => P::handler::<3>(),
        Cond::Mi => P::handler::<4>(),
        Cond::Pl => P::handler::<5>(),
        Cond::Vs => P::handler::<6>(),
        Cond::Vc => P::handler::<7>(),
        Cond::Hi => P::handler::<8>(),
        Cond::Ls => P::handler::<9>(),
        Cond::Ge => P::handler::<10>(),
        Cond::Lt => P::handler::<11>(),
        Cond::Gt => P::handler::<12>(),
        Cond::Le => P::handler::<13>(),
        Cond::Al => P::handler::<14>(),
    }
}

/// The operation, if its condition in the IT block holds.
pub(super) struct InItBlock;

impl PerCondition for InItBlock {
    fn handler<const COND: u8>() -> Handler {
        if_holds::<COND>
    }
}

fn if_holds<const COND: u8>(core: &mut Core, op: &MicroOp) -> Step {
    if holds::<COND>(core.regs.flags) {
        return (op.inner)(core, op);
    }
    core.deviation.skipped = true;
    Step::Irregular
}

/// The check of an operation that writes SP.
pub(super) struct InItBlockToSp;

impl PerCondition for InItBlockToSp {
    fn handler<const COND: u8>() -> Handler {
        if_holds_to_sp::<COND>
    }
}

fn if_holds_to_sp<const COND: u8>(core: &mut Core, op: &MicroOp) -> Step {
    let step = if_holds::<COND>(core, op);
    align_sp(core);
    step
}

/// The check of a branch to LR, which has already requested the address in LR.
pub(super) struct InItBlockToLr;

impl PerCondition for InItBlockToLr {
    fn handler<const COND: u8>() -> Handler {
        if_holds_to_lr::<COND>
    }
}

fn if_holds_to_lr<const COND: u8>(core: &mut Core, op: &MicroOp) -> Step {
    let step = if_holds::<COND>(core, op);
    if core.deviation.skipped {
        core.deviation.aside = Some(core.regs.r[14] & !1);
    }
    step
}

/// An operation that writes SP.
pub(super) fn to_sp(core: &mut Core, op: &MicroOp) -> Step {
    let step = (op.inner)(core, op);
    align_sp(core);
    step
}

/// Bits 1 and 0 of SP are always zero (ARMv7-M ARM B1.4.7). Below what is known of its stack, it is in another one; and where that
/// ends, it is at the top of an empty one.
fn align_sp(core: &mut Core) {
    core.regs.r[13] &= !3;
    if !core.floors.is_above(core.regs.r[13]) {
        core.forget_floor(core.regs.uses_process_stack());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_follow_the_table_of_the_manual() {
        for bits in 0..16u32 {
            let flags = Flags::from_bits(bits << 28);
            let (n, z, c, v) = (bits & 8 != 0, bits & 4 != 0, bits & 2 != 0, bits & 1 != 0);
            assert_eq!(holds::<0>(flags), z);
            assert_eq!(holds::<1>(flags), !z);
            assert_eq!(holds::<2>(flags), c);
            assert_eq!(holds::<3>(flags), !c);
            assert_eq!(holds::<4>(flags), n);
            assert_eq!(holds::<5>(flags), !n);
            assert_eq!(holds::<6>(flags), v);
            assert_eq!(holds::<7>(flags), !v);
            assert_eq!(holds::<8>(flags), c && !z);
            assert_eq!(holds::<9>(flags), !c || z);
            assert_eq!(holds::<10>(flags), n == v);
            assert_eq!(holds::<11>(flags), n != v);
            assert_eq!(holds::<12>(flags), !z && n == v);
            assert_eq!(holds::<13>(flags), z || n != v);
            assert!(holds::<14>(flags));
        }
    }
}
