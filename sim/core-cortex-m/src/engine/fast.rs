//! The fast way: whole runs, whose cost is known.

use crate::core::{Core, Facts};
use crate::engine::{Flow, Place};
use crate::microop::Step;
use crate::run::{Context, Decoded, REQUEST, Run};
use crate::timing::Cycle;

/// Where the fast way ended: the instruction at `place` was executed, with this outcome, and is not accounted yet.
pub(super) struct Left {
    pub(super) place: Place,
    pub(super) step: Step,
}

impl Core {
    /// Executes runs from the target of a jump as long as each ends before `horizon`. `None`: the next instruction
    /// is at R15, reached by `self.flow`.
    pub(super) fn fast(&mut self, decoded: &mut Decoded, request: Cycle, horizon: Cycle) -> Option<Left> {
        let mut base = request - REQUEST;
        let mut id = decoded.at_target(self.regs.r[15])?;
        loop {
            let run = decoded.run(id);
            if base + run.span > horizon {
                self.flow = run.entered(base);
                return None;
            }
            self.base = base as u64;
            let (index, step) = self.straight(run);
            let Some(side) = run.sides.get(index) else {
                (base, id) = self.beyond(decoded, id, base)?;
                continue;
            };
            let nominal = step == Step::Branch && self.facts == Facts::default() && self.regs.thumb;
            if !nominal || !side.clean_jump {
                let pipe = side.before.moved_by(base);
                return Some(Left { place: Place { run: id, index, pipe }, step });
            }
            base += side.request - REQUEST;
            self.flow = Flow::Jumped(base + REQUEST);
            self.regs.it = 0;
            id = decoded.at_target(self.regs.r[15])?;
        }
    }

    /// Executes a run up to the first instruction that does more than go on; its length if none does.
    #[inline(always)]
    fn straight(&mut self, run: &Run) -> (usize, Step) {
        for (index, op) in run.ops.iter().enumerate() {
            let step = (op.exec)(self, op);
            if step != Step::Next {
                return (index, step);
            }
        }
        (run.ops.len(), Step::Next)
    }

    /// A run was executed to its end: the one that continues it, and its base.
    #[cold]
    fn beyond(&mut self, decoded: &mut Decoded, id: u32, base: Cycle) -> Option<(Cycle, u32)> {
        let run = decoded.run(id);
        let (entry, end) = (run.continuation(), base + run.span);
        self.regs.r[15] = entry.pc;
        self.regs.it = entry.it;
        self.flow = Flow::Through(entry.pipe.moved_by(end));
        let context = Context { bus: &self.bus, model: self.config.model, sp: self.regs.r[13] };
        (!self.bus.region(entry.pc).is_none()).then(|| (end, decoded.at(&entry, false, &context)))
    }
}
