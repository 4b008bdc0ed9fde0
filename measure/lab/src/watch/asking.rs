//! Decides whether the interrupted code requested a handler: by a supervisor call, a requested switch, or a fault.
//!
//! A handler's request for a switch (PendSV) takes effect at once: PendSV is tail-chained, or entered before the thread executes an
//! instruction. So a switch is the thread's own if only the thread led to it.

use events::{Enter, Exception, Exit};

/// The active handlers, and the one that ended last.
#[derive(Clone, Default, Debug)]
pub(super) struct Asking {
    /// Whether each was requested; the innermost last.
    active: Vec<(Exception, bool)>,
    /// When the last outermost handler ended, and whether it was requested.
    ended: Option<(u64, bool)>,
}

impl Asking {
    /// Whether the interrupted code requested this entry.
    pub(super) fn enter(&mut self, enter: &Enter) -> bool {
        let follows = self
            .ended
            .filter(|(end, _)| *end == enter.at.from && self.active.is_empty());
        let asked = may_be_asked(enter.exception) && follows.is_none_or(|(_, asked)| asked);
        self.active.push((enter.exception, asked));
        asked
    }

    pub(super) fn exit(&mut self, exit: &Exit) {
        let Some(depth) = self
            .active
            .iter()
            .rposition(|(exception, _)| *exception == exit.exception)
        else {
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
}

/// Whether an instruction can raise it (ARMv7-M ARM B1.5.2), or it is a requested switch: PendSV, or RV32's software interrupt.
fn may_be_asked(exception: Exception) -> bool {
    match exception {
        Exception::System(number) => matches!(number, 3..=6 | 11 | 12) || exception == Exception::PEND_SV,
        Exception::Trap(_) => true,
        _ => exception == Exception::MACHINE_SOFT,
    }
}
