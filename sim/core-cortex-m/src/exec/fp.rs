//! The floating-point extension: FPv4-SP (ARMv7-M ARM A2.5, A6.4 to A6.7).
//!
//! Each of its instructions first checks whether it may execute (`ready`): the extension may be disabled, the registers may belong to code
//! that an exception interrupted, or a new context may begin. Nearly always none of this applies.
//!
//! In a micro-operation of the extension a register number is that of a single-precision register where the operation
//! means one; a double-precision register is two of them. The handlers of `transfer` say which are core registers.

mod compute;
mod convert;
mod lower;
mod transfer;

pub(super) use lower::{handler, operands};

use crate::core::Core;
use crate::microop::Step;

/// [`ready`] for an instruction that goes on where it was interrupted.
pub(crate) fn may_go_on(core: &mut Core) -> bool {
    ready(core) != Step::Trap
}

/// Whether an instruction of the extension may execute; else [`Step::Trap`], and [`Core::trap`] says why not.
#[inline(always)]
fn ready(core: &mut Core) -> Step {
    if core.regs.fp_active && core.sys.fp.is_open() {
        Step::Next
    } else {
        core.prepare_fp()
    }
}

#[inline(always)]
fn s(core: &Core, n: u8) -> u32 {
    core.regs.s[usize::from(n & 31)]
}

#[inline(always)]
fn set_s(core: &mut Core, n: u8, value: u32) {
    core.regs.s[usize::from(n & 31)] = value;
}
