//! The fastest way: from run to run, as long as nobody listens and nothing is to be looked at.
//!
//! It knows what happens nearly always: a run is executed to its end, to a jump, or to an instruction that is skipped or takes another
//! time, and another run goes on that was found there before. All else is left to [`super::fast`], at the instruction that did it.

use events::Sink;

use super::again::Limits;
use crate::core::{Core, Facts};
use crate::microop::Step;
use crate::run::{Decoded, REQUEST, Slot, Way};
use crate::timing::Cycle;

/// A place from which runs go on.
pub(super) struct Within {
    pub(super) run: u32,
    /// The instruction of it that is next.
    pub(super) first: usize,
    /// When its time begins.
    pub(super) base: Cycle,
    /// What [`Slot::skipped`] is of it, if it was just entered.
    pub(super) skipped: Option<u16>,
}

/// Where it ended.
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
            let next = match step {
                Step::Branch => self.jumps::<TIMED>(decoded, (id, index), base),
                Step::Attention => self.changes::<TIMED>(slot, (id, index), base, limits.horizon, sink),
                _ => self.links::<TIMED>(slot, (id, index), step, base, limits.horizon),
            };
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

    /// Where a run goes on whose instruction at this index jumped, if that is known.
    #[inline(always)]
    fn jumps<const TIMED: bool>(
        &mut self,
        decoded: &Decoded,
        (id, index): (u32, usize),
        base: Cycle,
    ) -> Option<Within> {
        let slot = decoded.known(id);
        let jump = self.jump_of(&slot.run, index, Step::Branch)?;
        let run = decoded.at_target(self.regs.r[15], jump.early)?;
        let side = &slot.run.sides[index];
        self.told.instructions += 1;
        self.told.since = self.told.since.union(side.jumped.rules);
        if TIMED {
            self.told.since = self.told.since.union(slot.served_by(side.asked[2]));
            slot.touch(side.next_word, self.bus.flash_mut());
        }
        self.jumped_again();
        Some(Within {
            run,
            first: 0,
            base: base + jump.request - REQUEST,
            skipped: Some(0),
        })
    }

    /// Where a run goes on that ends, or whose instruction at this index met something that its run does not expect; if that is
    /// known.
    #[inline(always)]
    fn links<const TIMED: bool>(
        &mut self,
        slot: &mut Slot,
        (id, index): (u32, usize),
        step: Step,
        base: Cycle,
        horizon: Cycle,
    ) -> Option<Within> {
        let way = match (step, &self.facts) {
            (Step::Next, _) if slot.run.open => return None,
            (Step::Next, _) => Way::End,
            // What multiplies or divides is neither skipped, nor does it read.
            (Step::Irregular, Facts { cycles: 1.., .. }) => Way::Slow(self.facts.cycles),
            (Step::Irregular, Facts { skipped: true, .. }) => Way::Skipped(self.facts.aside),
            (Step::Irregular, Facts { flash: Some(_), .. }) if TIMED => self.read(&slot.run.ops[index])?,
            _ => return None,
        };
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
            // What a run requests is counted when it is left: the order of its lines is then the same.
            if exit.next == id && exit.from == index + 1 {
                if let Way::Read(_) = way {
                    self.read_foreseen(&slot.run.ops[index]);
                }
            } else if !self.fetches_on_the_way(slot, exit, index) {
                return None;
            }
        }
        if way != Way::End {
            self.facts = Facts::NONE;
            self.told.instructions += 1;
            self.told.since = self.told.since.union(exit.told.rules);
        }
        Some(Within {
            run: exit.next,
            first: exit.from,
            base: base + exit.later,
            skipped: exit.skipped,
        })
    }

    /// Where a run goes on whose instruction at this index changed what the rest of the core must see, if that is known. It is seen
    /// then, but for what follows from it.
    #[inline(never)]
    fn changes<const TIMED: bool>(
        &mut self,
        slot: &Slot,
        (id, index): (u32, usize),
        base: Cycle,
        horizon: Cycle,
        sink: &mut dyn Sink,
    ) -> Option<Within> {
        let exit = slot.exits.get(index, self.attended()?, TIMED)?;
        let in_itself = exit.next == id && exit.from == index + 1;
        let late = base + exit.told.end >= horizon;
        if late || TIMED && !in_itself && !self.fetches_on_the_way(slot, exit, index) {
            return None;
        }
        let op = &slot.run.ops[index];
        (self.regs.r[15], self.regs.it) = (op.pc.wrapping_add(u32::from(op.size)), op.it_after);
        self.told.instructions += 1;
        self.told.since = self.told.since.union(exit.told.rules);
        self.attend(op.pc, base + exit.told.start, exit.seen.since(-base), sink);
        Some(Within {
            run: exit.next,
            first: exit.from,
            base: base + exit.later,
            skipped: exit.skipped,
        })
    }
}
