//! The fast way: whole runs, whose cost is known.

use crate::access::executable_by_default;
use crate::core::{Core, Facts};
use crate::engine::{Flow, Place};
use crate::microop::Step;
use crate::run::{Decoded, Entry, REQUEST, Run};
use crate::timing::{Cycle, Jump};

/// Where the fast way ended: the instruction at `place` was executed, with this outcome, and is not accounted yet.
pub(super) struct Left {
    pub(super) place: Place,
    pub(super) step: Step,
}

impl Core {
    /// Executes runs as long as each ends before anything is due. `None`: the careful way must do what comes next, at
    /// R15 by `Core::flow`.
    pub(super) fn fast(&mut self, decoded: &mut Decoded, until: Cycle) -> Option<Left> {
        if !self.may_go_fast() {
            return None;
        }
        let horizon = self.horizon(until);
        self.hurries = true;
        let left = self.hurry(decoded, horizon);
        self.hurries = false;
        left
    }

    fn hurry(&mut self, decoded: &mut Decoded, horizon: Cycle) -> Option<Left> {
        loop {
            if !may_hurry_from(self.regs.r[15]) {
                return None;
            }
            let (mut id, mut base) = self.enter(decoded);
            loop {
                let run = decoded.run(id);
                // A BKPT takes no time: the last instruction may start where the run ends.
                if base + run.span >= horizon {
                    self.flow = run.entered(base);
                    return None;
                }
                self.base = base as u64;
                let (index, step) = self.straight(run);
                let Some(side) = run.sides.get(index) else {
                    let end = base + run.span;
                    (self.regs.r[15], self.regs.it) = (run.end, run.end_it);
                    self.flow = Flow::Through(run.after.moved_by(base));
                    self.cycle = end as u64;
                    break;
                };
                let nominal = step == Step::Branch && self.facts == Facts::default() && self.regs.thumb;
                let spins = self.regs.r[15] == run.ops[index].pc;
                if !nominal || !side.clean_jump || spins {
                    let pipe = side.before.moved_by(base);
                    return Some(Left {
                        place: Place { run: id, index, pipe },
                        step,
                    });
                }
                let Some(jump) = side.jump else {
                    unreachable!("a branch jumps")
                };
                base += jump.request - REQUEST;
                // The run may have begun inside an IT block, which the jump has left.
                self.regs.it = 0;
                let Some(target) = decoded.at_target(self.regs.r[15], jump.early) else {
                    self.flow = Flow::Jumped(Jump {
                        request: base + REQUEST,
                        ..jump
                    });
                    break;
                };
                id = target;
            }
        }
    }

    /// The run that begins with the next instruction and the present state of the pipeline, and its base.
    fn enter(&mut self, decoded: &mut Decoded) -> (u32, Cycle) {
        match self.flow {
            Flow::Jumped(jump) => {
                let entry = self.jumped(jump.early);
                let id = self.decode(decoded, &entry);
                decoded.set_target(&entry, jump.early, id);
                (id, jump.request - REQUEST)
            }
            Flow::Through(pipe) => {
                let base = pipe.free();
                let (pc, it) = (self.regs.r[15], self.regs.it);
                let entry = Entry {
                    pc,
                    it,
                    pipe: pipe.relative_to(base),
                };
                (self.decode(decoded, &entry), base)
            }
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
}

/// Whether an instruction at `pc` surely comes from where the default memory map lets code be executed.
fn may_hurry_from(pc: u32) -> bool {
    executable_by_default(pc) && executable_by_default(pc.wrapping_add(2))
}
