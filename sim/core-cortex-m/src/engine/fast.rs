//! The fast way: whole runs, whose cost is known.

use bus::Flash;
use events::Sink;

use crate::access::executable_by_default;
use crate::core::{Core, Facts};
use crate::engine::{Flow, Place};
use crate::microop::{MicroOp, Step};
use crate::run::{Decoded, Entry, REQUEST, Run, Slot};
use crate::timing::{Cycle, Jump, Supply, catch_up};

/// Where the fast way ended: the instruction at `place` was executed, with this outcome, and is not accounted yet.
pub(super) struct Left {
    pub(super) place: Place,
    pub(super) step: Step,
}

impl Core {
    /// Executes runs as long as each ends before anything is due. `None`: the careful way must do what comes next, at
    /// R15 by `Core::flow`.
    pub(super) fn fast(&mut self, decoded: &mut Decoded, until: Cycle, sink: &mut dyn Sink) -> Option<Left> {
        if !self.may_go_fast() {
            return None;
        }
        let horizon = self.horizon(until);
        self.hurries = true;
        let left = if self.told.all() {
            self.hurry::<true>(decoded, horizon, sink)
        } else {
            self.hurry::<false>(decoded, horizon, sink)
        };
        self.hurries = false;
        left
    }

    /// `ALL`: every instruction is told.
    fn hurry<const ALL: bool>(
        &mut self,
        decoded: &mut Decoded,
        horizon: Cycle,
        sink: &mut dyn Sink,
    ) -> Option<Left> {
        loop {
            if !may_hurry_from(self.regs.r[15]) || self.waits_for_flash() {
                return None;
            }
            let (mut id, mut base) = self.enter(decoded);
            if !ALL && !decoded.run(id).watched {
                self.forget_carried();
            }
            let epoch = self.bus.flash().map_or(0, Flash::epoch);
            let timed = self.bus.flash().is_some_and(Flash::is_timed);
            loop {
                let slot = decoded.slot(id);
                if slot.epoch != epoch {
                    slot.look_up(self.bus.flash());
                }
                let (run, at_once) = (&*slot.run, slot.at_once as usize);
                // A BKPT takes no time: the last instruction may start where the run ends.
                if base + run.span >= horizon || at_once == 0 || run.halts || self.told.paused {
                    self.flow = run.entered(base);
                    return None;
                }
                self.base = base as u64;
                let (index, step) = if ALL {
                    self.straight_telling(run, at_once, base, sink)
                } else if run.watched {
                    self.straight_watched(run, at_once, base, sink)
                } else {
                    self.straight(&run.ops[..at_once])
                };
                self.told.instructions += index as u64;
                if !ALL {
                    let relied = run.sides.get(index).map_or(run.relied, |side| side.relied);
                    self.told.since = self.told.since.union(relied);
                }
                if ALL && self.told.paused && step == Step::Next && index < run.ops.len() {
                    self.stand_before(&run.ops[index], run.sides[index].before.moved_by(base));
                    return None;
                }
                if index == at_once && at_once < run.ops.len() {
                    self.fetches_before(slot, index, base);
                    return None;
                }
                let Some(side) = run.sides.get(index) else {
                    if timed {
                        slot.touch(run.after.next_word(), self.bus.flash_mut());
                        self.told.since = self.told.since.union(slot.served_by());
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
                        self.told.since = self.told.since.union(slot.served_by());
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
                self.told.instructions += 1;
                if ALL || run.watched && index == 0 {
                    self.announce_worked_out(run, index, base, true, sink);
                } else {
                    self.told.since = self.told.since.union(side.jumped.rules);
                }
                if timed {
                    slot.touch(side.next_word, self.bus.flash_mut());
                    self.told.since = self.told.since.union(slot.served_by());
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

    /// As [`Core::straight`] of the first `length` instructions of a run, telling of each; ends where the sink pauses.
    fn straight_telling(
        &mut self,
        run: &Run,
        length: usize,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        for (index, op) in run.ops[..length].iter().enumerate() {
            self.remember_frame();
            let step = (op.exec)(self, op);
            if step != Step::Next {
                return (index, step);
            }
            self.announce_worked_out(run, index, base, false, sink);
            if self.told.paused {
                return (index + 1, Step::Next);
            }
        }
        (length, Step::Next)
    }

    /// The same, telling of the first one only.
    fn straight_watched(
        &mut self,
        run: &Run,
        length: usize,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let (_, step) = self.straight_telling(run, 1, base, sink);
        if step != Step::Next {
            return (0, step);
        }
        let (index, step) = self.straight(&run.ops[1..length]);
        (index + 1, step)
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
