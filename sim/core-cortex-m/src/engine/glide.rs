//! Block chaining: executes cached runs back to back while no listener, interrupt or deadline needs attention.
//!
//! It handles the usual cases: a run is executed to its end, to a jump, or to an instruction that is skipped or takes another time, and the
//! next run is known. [`super::fast`] handles everything else, at the instruction concerned.

use events::{RuleSet, Sink};

use super::again::Limits;
use crate::core::{Core, Facts};
use crate::microop::Step;
use crate::run::{Decoded, Exit, REQUEST, Run, Way};
use crate::timing::Cycle;

/// A place from which runs go on.
pub(super) struct Within {
    pub(super) run: u32,
    /// The next instruction of the run.
    pub(super) first: usize,
    /// When its time begins.
    pub(super) base: Cycle,
    /// The value of [`Slot::skipped`] for the run, if it was just entered.
    pub(super) skipped: Option<u16>,
}

/// Where chaining ended.
pub(super) enum Glided {
    /// Before anything of its run was executed, from [`Within::first`] on.
    Before,
    /// At this instruction of its run, which did more than is known here.
    At(usize, Step),
    /// The program changed something on which it depends how execution goes on, at R15.
    Changed,
}

impl Core {
    /// Whether this way can be taken: the MPU forbids no fetch.
    pub(super) fn glides(&self) -> bool {
        !self.told.paused && !self.sys.checks_fetches()
    }

    /// Executes runs from `at` on, in this epoch of the flash. `TIMED`: it has wait states, and runs are executed that its cache
    /// has as a whole.
    #[inline(never)]
    pub(super) fn glide<const TIMED: bool>(
        &mut self,
        decoded: &mut Decoded,
        at: &mut Within,
        epoch: u64,
        limits: &mut Limits,
        sink: &mut dyn Sink,
    ) -> Glided {
        let Within {
            run: mut id,
            mut first,
            mut base,
            mut skipped,
        } = *at;
        let left = loop {
            let slot = decoded.slot(id);
            if slot.epoch != epoch {
                slot.look_up(self.bus.flash());
            }
            if TIMED && let Some(skipped) = skipped {
                slot.skipped = skipped;
                slot.begin_at(first);
            }
            let run = &*slot.run;
            let heard = run.halts || self.hears_first_of(run);
            if heard || TIMED && !slot.is_whole() || base + run.span >= limits.horizon {
                break Glided::Before;
            }
            let Some(ops) = run.ops.get(first..) else {
                break Glided::Before;
            };
            // Not before: whoever hears of what is next hears of what came before it.
            self.forget_carried();
            self.base = base as u64;
            let (count, step) = self.straight(ops);
            let index = first + count;
            self.told.instructions += count as u64;
            if slot.counted != self.told.round && self.rely_on(slot, first..index) {
                slot.counted = self.told.round;
            }
            let limit = (base, limits.horizon);
            let next = self.next_block::<TIMED>(decoded, (id, index), step, limit, (false, &mut *sink));
            let Some(next) = next else {
                break Glided::At(index, step);
            };
            if step == Step::Attention
                && !self.goes_on_behind(decoded.run(next.run), next.first, next.base, limits)
            {
                break Glided::Changed;
            }
            (id, first, base, skipped) = (next.run, next.first, next.base, next.skipped);
            if step == Step::Attention && self.told.paused {
                break Glided::Before;
            }
        };
        *at = Within {
            run: id,
            first,
            base,
            skipped,
        };
        left
    }

    /// The next block after the instruction at this place of a run, if that did more than continue, or after the run; `None` if unknown.
    /// `told`: emits the instruction.
    #[inline(always)]
    pub(super) fn next_block<const TIMED: bool>(
        &mut self,
        decoded: &mut Decoded,
        (id, index): (u32, usize),
        step: Step,
        (base, horizon): (Cycle, Cycle),
        (told, sink): (bool, &mut (dyn Sink + '_)),
    ) -> Option<Within> {
        if step == Step::Branch {
            let jumps = self.jumps::<TIMED>(decoded, (id, index), base, told.then_some(&mut *sink));
            if jumps.is_some() {
                return jumps;
            }
        }
        let slot = decoded.slot(id);
        if step == Step::Next && slot.run.open {
            return None;
        }
        let way = self.way(&slot.run, index, step)?;
        if let Way::Read(served) = way
            && slot.reads_otherwise(index, served)
        {
            return None;
        }
        let slot = &*slot;
        let exit = slot.exits.get(index, way, TIMED)?;
        if base + exit.told.end >= horizon {
            return None;
        }
        if TIMED {
            // A run's requests are counted when it is left: the order of its lines is then the same.
            if exit.next == id && exit.from == index + 1 {
                if let Way::Read(_) = way {
                    self.read_foreseen(&slot.run.ops[index]);
                }
            } else if !self.fetches_on_the_way(slot, exit, index) {
                return None;
            }
        }
        if way != Way::End {
            self.go_out(&slot.run, (index, exit), base, told, sink);
        }
        Some(Within {
            run: exit.next,
            first: exit.from,
            base: base + exit.later,
            skipped: exit.skipped,
        })
    }

    /// The next block after a jump with nothing else under way.
    #[inline(always)]
    fn jumps<const TIMED: bool>(
        &mut self,
        decoded: &Decoded,
        (id, index): (u32, usize),
        base: Cycle,
        sink: Option<&mut (dyn Sink + '_)>,
    ) -> Option<Within> {
        let slot = decoded.known(id);
        let jump = self.jump_of(&slot.run, index, Step::Branch)?;
        let run = decoded.at_target(self.regs.r[15], jump.early)?;
        self.jumped_as_worked_out::<TIMED>(slot, index, base, sink);
        Some(Within {
            run,
            first: 0,
            base: base + jump.request - REQUEST,
            skipped: Some(0),
        })
    }

    /// Leaves a run by a cached exit. Its side effects then take effect, except their consequences.
    #[inline(always)]
    fn go_out(
        &mut self,
        run: &Run,
        (index, exit): (usize, &Exit),
        base: Cycle,
        told: bool,
        sink: &mut dyn Sink,
    ) {
        self.facts = Facts::NONE;
        self.told.instructions += 1;
        if told {
            self.announce_as(run, index, base, (&exit.told, RuleSet::EMPTY), sink);
        } else {
            self.told.since = self.told.since.union(exit.told.rules);
        }
        match exit.way {
            Way::Jumped(_) => self.jumped_again(),
            Way::Attended(_) => {
                let op = &run.ops[index];
                (self.regs.r[15], self.regs.it) = (op.pc.wrapping_add(u32::from(op.size)), op.it_after);
                self.attend(op.pc, base + exit.told.start, exit.seen.since(-base), sink);
            }
            _ => {}
        }
    }
}
