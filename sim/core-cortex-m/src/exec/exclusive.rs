//! The exclusive monitor: LDREX, STREX, CLREX (ARMv7-M ARM A3.4).
//!
//! The local monitor remembers that there was a LDREX, and not its address: on Cortex-M3 and M4 the reservation
//! granule is the whole address space. Any exception entry or return opens the monitor.

use bus::ProfileId;
use isa_thumb::{Op, Width};

use super::operand::{fault, read, write};
use crate::core::Core;
use crate::fault::Fault;
use crate::microop::{Handler, MicroOp, Step};

fn load<const SIZE: usize>(core: &mut Core, op: &MicroOp) -> Step {
    let address = read(core, op.rn).wrapping_add(op.imm);
    if !aligned::<SIZE>(address) {
        return fault(core, Fault::Unaligned(address));
    }
    let (value, step) = core.load::<SIZE>(op, address);
    if step != Step::Trap {
        core.exclusive = Some(address);
        write(core, op.rd, value);
    }
    step
}

/// rm ← 0 if it stored, 1 if the monitor was open.
fn store<const SIZE: usize>(core: &mut Core, op: &MicroOp) -> Step {
    let address = read(core, op.rn).wrapping_add(op.imm);
    if !aligned::<SIZE>(address) {
        return fault(core, Fault::Unaligned(address));
    }
    if core.exclusive.is_none() {
        write(core, op.rm, 1);
        return no_access(core, op);
    }
    let step = core.store::<SIZE>(op, address, read(core, op.rd));
    if step == Step::Trap {
        return step;
    }
    core.exclusive = None;
    write(core, op.rm, 0);
    step.and(timed_as_a_load(core, op))
}

/// Timing takes it for a load: its wait states count against those that a load was expected to meet.
fn timed_as_a_load(core: &mut Core, op: &MicroOp) -> Step {
    let expected = core.bus.profile(op.profile).wait;
    let difference = i32::from(expected.write) - i32::from(expected.read);
    core.deviation.extra_wait += difference;
    if difference == 0 {
        Step::Next
    } else {
        Step::Irregular
    }
}

/// The instruction made no access, whatever memory its run expected.
fn no_access(core: &mut Core, op: &MicroOp) -> Step {
    core.deviation.extra_wait -= i32::from(core.bus.profile(op.profile).wait.read);
    core.deviation.profile = Some(ProfileId::PRIVATE);
    Step::Irregular
}

fn aligned<const SIZE: usize>(address: u32) -> bool {
    (address as usize).is_multiple_of(SIZE)
}

fn clear(core: &mut Core, _: &MicroOp) -> Step {
    core.exclusive = None;
    Step::Next
}

/// The handler of an operation on the monitor, or `None` if `op` is not one.
pub(super) fn handler(op: Op, width: Width) -> Option<Handler> {
    Some(match (op, width) {
        (Op::Ldrex, Width::Byte) => load::<1>,
        (Op::Ldrex, Width::Half) => load::<2>,
        (Op::Ldrex, Width::Word) => load::<4>,
        (Op::Strex, Width::Byte) => store::<1>,
        (Op::Strex, Width::Half) => store::<2>,
        (Op::Strex, Width::Word) => store::<4>,
        (Op::Clrex, _) => clear,
        _ => return None,
    })
}
