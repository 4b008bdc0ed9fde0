//! Decides whether the interrupted code requested a handler: by a supervisor call, a requested switch, or a fault.
//!
//! A handler's request for a switch (PendSV) takes effect at once: PendSV is tail-chained, or entered before the thread executes an
//! instruction. So a switch is the thread's own if only the thread led to it.

use events::{Enter, Exit};
use machine::Architecture;

/// Exceptions of a Cortex-M that an instruction can raise, and PendSV (ARMv7-M ARM B1.5.2).
const OF_INSTRUCTIONS: [u16; 7] = [3, 4, 5, 6, 11, 12, PENDSV];
const PENDSV: u16 = 14;
/// RV32's software interrupt, its counterpart of PendSV. Interrupt numbers begin at 16.
const SOFTWARE: u16 = 19;
const INTERRUPTS: u16 = 16;

/// The active handlers, and the one that ended last.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    architecture: Architecture,
    /// Their numbers, and whether they were requested; the innermost last.
    active: Vec<(u16, bool)>,
    /// When the last outermost handler ended, and whether it was requested.
    ended: Option<(u64, bool)>,
}

impl Asking {
    pub(super) fn new(architecture: Architecture) -> Asking {
        Asking {
            architecture,
            active: Vec::new(),
            ended: None,
        }
    }

    /// Whether the interrupted code requested this entry.
    pub(super) fn enter(&mut self, enter: &Enter) -> bool {
        let follows = self
            .ended
            .filter(|(end, _)| *end == enter.at.from && self.active.is_empty());
        let asked = self.may_be_asked(enter.number) && follows.is_none_or(|(_, asked)| asked);
        self.active.push((enter.number, asked));
        asked
    }

    pub(super) fn exit(&mut self, exit: &Exit) {
        let Some(depth) = self.active.iter().rposition(|(number, _)| *number == exit.number) else {
            return;
        };
        let (_, asked) = self.active[depth];
        self.active.truncate(depth);
        if depth == 0 {
            self.ended = Some((exit.at.to, asked));
        }
    }

    /// Processes a chip reset.
    pub(super) fn restart(&mut self) {
        self.active.clear();
        self.ended = None;
    }

    fn may_be_asked(&self, number: u16) -> bool {
        match self.architecture {
            Architecture::Arm => OF_INSTRUCTIONS.contains(&number),
            Architecture::RiscV => number < INTERRUPTS || number == SOFTWARE,
        }
    }
}
