//! The fast way: whole runs, whose cost is known.

use bus::Flash;

use crate::access::executable_by_default;
use crate::core::{Core, Facts};
use crate::engine::{Flow, Place};
use crate::microop::{MicroOp, Step};
use crate::run::{Decoded, Entry, REQUEST, Slot};
use crate::timing::{Cycle, Jump, Supply, catch_up};

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
            if !may_hurry_from(self.regs.r[15]) || self.waits_for_flash() {
                return None;
            }
            let (mut id, mut base) = self.enter(decoded);
            let epoch = self.bus.flash().map_or(0, Flash::epoch);
            let timed = self.bus.flash().is_some_and(Flash::is_timed);
            loop {
                let slot = decoded.slot(id);
                if slot.epoch != epoch {
                    slot.look_up(self.bus.flash());
                }
                let (run, at_once) = (&*slot.run, slot.at_once as usize);
                // A BKPT takes no time: the last instruction may start where the run ends.
                if base + run.span >= horizon || at_once == 0 {
                    self.flow = run.entered(base);
                    return None;
                }
                self.base = base as u64;
                let (index, step) = self.straight(&run.ops[..at_once]);
                if index == at_once && at_once < run.ops.len() {
                    self.fetches_before(slot, index, base);
                    return None;
                }
                let Some(side) = run.sides.get(index) else {
                    if timed {
                        slot.touch(run.after.next_word(), self.bus.flash_mut());
                    }
                    let end = base + run.span;
                    (self.regs.r[15], self.regs.it) = (run.end, run.end_it);
                    self.flow = Flow::Through(run.after.moved_by(base));
                    self.cycle = end as u64;
                    break;
                };
                let nominal = step == Step::Branch && self.facts == Facts::default() && self.regs.thumb;
                let spins = self.regs.r[15] == run.ops[index].pc;
                if !nominal || !side.clean_jump || spins {
                    if timed {
                        slot.touch(side.before.next_word(), self.bus.flash_mut());
                    }
                    let mut pipe = side.before.moved_by(base);
                    catch_up(&mut pipe, self.config.model, &mut self.supply());
                    return Some(Left {
                        place: Place { run: id, index, pipe },
                        step,
                    });
                }
                let Some(jump) = side.jump else {
                    unreachable!("a branch jumps")
                };
                if timed {
                    slot.touch(side.next_word, self.bus.flash_mut());
                }
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

    /// Whether the next word to request may have to wait for the flash.
    fn waits_for_flash(&mut self) -> bool {
        let Some(flash) = self.bus.flash_mut().filter(|flash| flash.is_timed()) else {
            return false;
        };
        let address = match &mut self.flow {
            Flow::Jumped(_) => self.regs.r[15],
            Flow::Through(pipe) => {
                catch_up(pipe, self.config.model, &mut Supply::from(Some(&mut *flash)));
                if pipe.lags() {
                    return true;
                }
                pipe.next_word() << 2
            }
        };
        !flash.serves_at_once(address)
    }

    /// The instruction at `index`, or what is requested meanwhile, may have to wait for the flash.
    fn fetches_before(&mut self, slot: &Slot, index: usize, base: Cycle) {
        let (op, side) = (&slot.run.ops[index], &slot.run.sides[index]);
        slot.touch(side.before.next_word(), self.bus.flash_mut());
        let pipe = side.before.moved_by(base);
        self.stand_before(op, pipe);
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
    fn straight(&mut self, ops: &[MicroOp]) -> (usize, Step) {
        for (index, op) in ops.iter().enumerate() {
            let step = (op.exec)(self, op);
            if step != Step::Next {
                return (index, step);
            }
        }
        (ops.len(), Step::Next)
    }
}

/// Whether an instruction at `pc` surely comes from where the default memory map lets code be executed.
fn may_hurry_from(pc: u32) -> bool {
    executable_by_default(pc) && executable_by_default(pc.wrapping_add(2))
}
