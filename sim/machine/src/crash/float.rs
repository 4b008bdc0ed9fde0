//! The floating-point registers of the faulting code.

use std::fmt::{self, Formatter};

use super::CortexM;
use super::unwind::Activation;

/// Words of an exception frame before its floating-point registers.
const BASIC_WORDS: u32 = 8;
/// Floating-point registers in an exception frame; FPSCR follows.
const IN_FRAME: u32 = 16;

/// S0 to S31 and FPSCR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatRegisters {
    /// S0 to S31. A handler may have changed S16 to S31 since the fault.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
}

impl FloatRegisters {
    /// The registers of an activation that uses them.
    pub(super) fn of(scene: CortexM<'_>, activation: &Activation) -> Option<Self> {
        let core = scene.core;
        let regs = &core.regs;
        let now = FloatRegisters {
            s: regs.s,
            fpscr: regs.fpscr.bits(),
        };
        let Some(frame) = activation.frame else {
            return regs.fp_active.then_some(now);
        };
        let room = frame.address.wrapping_add(4 * BASIC_WORDS);
        if !frame.extended || core.unsaved_fp() == Some(room) {
            return frame.extended.then_some(now);
        }
        let word = |index: u32| core.bus.peek_word(room.wrapping_add(4 * index));
        let mut saved = FloatRegisters {
            fpscr: word(IN_FRAME)?,
            ..now
        };
        for (register, index) in saved.s.iter_mut().zip(0..IN_FRAME) {
            *register = word(index)?;
        }
        Some(saved)
    }

    pub(super) fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (row, values) in self.s.chunks(4).enumerate() {
            let cells = values.iter().enumerate().map(|(column, value)| {
                let name = format!("s{}", 4 * row + column);
                format!("{name:<3} {value:08x}")
            });
            writeln!(f, "  {:<10} {}", "", cells.collect::<Vec<_>>().join("  "))?;
        }
        writeln!(f, "  {:<10} fpscr {:08x}", "", self.fpscr)
    }
}
