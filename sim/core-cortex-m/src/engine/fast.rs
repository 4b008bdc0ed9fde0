//! The fast way: whole runs, whose cost is known.

use bus::{Flash, Served};
use events::{RuleSet, Sink};

use crate::access::executable_by_default;
use crate::core::{Core, Facts};
use crate::engine::again::{Again, Executed, Limits, Standing};
use crate::engine::glide::{Glided, Within};
use crate::engine::{Flow, Place, Stop};
use crate::microop::{MicroOp, Step};
use crate::run::{Decoded, Exit, Leaving, REQUEST, Run, Slot, Way};
use crate::timing::{Cycle, Jump};

/// The position where the fast path ended: the instruction at `place` was executed, with this outcome, but not accounted.
pub(super) struct Left {
    pub(super) place: Place,
    pub(super) step: Step,
}

/// Why runs do not go on.
#[expect(
    clippy::large_enum_variant,
    reason = "it is looked at once and dropped; a box would allocate on the way of an instruction"
)]
enum Out {
    /// The instruction at R15 is not one for a run.
    Otherwise,
    /// An instruction of a run did something else than its run expects.
    Left(Left),
    /// The instruction at this place of a run, whose time began in this cycle, is to be executed by itself.
    Single(u32, usize, Cycle),
    /// The MPU may forbid to fetch what comes next, at R15.
    Checked,
    /// The program changed something on which it depends how execution goes on, at R15.
    Changed,
}

/// Why no run is executed: as of [`Out`].
enum Stays {
    /// The instruction that is next is to be executed by itself.
    Before,
    Checked,
    Changed,
}

/// The next action.
pub(super) enum Then {
    /// The careful way executes the instruction at R15, reached by `Core::flow`.
    Careful,
    /// The slow path accounts for an executed instruction.
    Account(Box<Left>),
    /// A due event was handled: execution continues at R15.
    Look,
}

impl Core {
    /// Executes runs, and single instructions as they went before, as long as nothing is due.
    pub(super) fn fast(
        &mut self,
        decoded: &mut Decoded,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<Then, Stop> {
        if !self.may_go_fast() {
            return Ok(Then::Careful);
        }
        let horizon = self.horizon(until);
        let mut limits = Limits { until, horizon };
        self.fetched_by = RuleSet::EMPTY;
        if decoded.forgets(self.bus.flash().is_some_and(Flash::is_timed)) {
            self.leaving = None;
        }
        let mut from = None;
        loop {
            self.hurries = true;
            let out = if self.told.all() {
                self.hurry::<true>(decoded, from.take(), &mut limits, sink)
            } else {
                self.hurry::<false>(decoded, from.take(), &mut limits, sink)
            };
            self.hurries = false;
            let standing = match out {
                Out::Left(left) if self.told.paused => return Ok(Then::Account(Box::new(left))),
                _ if self.told.paused => return Ok(Then::Careful),
                Out::Changed => return Ok(Then::Look),
                Out::Checked => return Ok(Then::Careful),
                Out::Otherwise => self.standing(decoded),
                Out::Single(run, index, base) => self.single(decoded, run, index, base),
                Out::Left(left) => match self.executed(decoded, &left) {
                    Some(standing) => Some(standing),
                    None => return Ok(Then::Account(Box::new(left))),
                },
            };
            let Some(standing) = standing else {
                return Ok(Then::Careful);
            };
            match self.again(decoded, standing, &mut limits, sink)? {
                Again::Run(run, place, base) => from = Some((run, place, base)),
                Again::Elsewhere => return Ok(Then::Look),
                Again::Checked => return Ok(Then::Careful),
            }
        }
    }

    /// The stand before an instruction of a run whose time began in cycle `base`.
    fn single(&mut self, decoded: &mut Decoded, run: u32, index: usize, base: Cycle) -> Option<Standing> {
        let (op, before) = decoded.run(run).before(index);
        if let Some(stand) = decoded.stand_in(run, index, &self.context()) {
            let base = base + before.free();
            let executed = None;
            return Some(Standing {
                stand,
                base,
                executed,
            });
        }
        self.stand_before(&op, before.moved_by(base));
        self.standing(decoded)
    }

    /// The stand before an instruction that was executed.
    fn executed(&mut self, decoded: &mut Decoded, left: &Left) -> Option<Standing> {
        let usual = matches!(left.step, Step::Irregular | Step::Branch | Step::Attention);
        let usual = usual && self.facts.profile.is_none();
        if !usual {
            return None;
        }
        let Place { run, index, pipe } = &left.place;
        let stand = decoded.stand_in(*run, *index, &self.context())?;
        // Its facts are stored as differences from the run's expectation.
        let expected = decoded.run(*run).ops[*index].profile;
        if !decoded.tree.expects(stand, expected) {
            return None;
        }
        Some(Standing {
            stand,
            base: pipe.free(),
            executed: Some(Executed {
                step: left.step,
                key: None,
            }),
        })
    }

    /// Executes runs as long as each ends before an event is due. The first run, if given, starts at this instruction, with its time
    /// beginning in that cycle. `ALL`: emits every instruction.
    fn hurry<const ALL: bool>(
        &mut self,
        decoded: &mut Decoded,
        mut from: Option<(u32, usize, Cycle)>,
        limits: &mut Limits,
        sink: &mut dyn Sink,
    ) -> Out {
        loop {
            // Behind the instructions of the run that were executed already.
            let (id, done, base) = match from.take() {
                Some((id, place, base)) => (id, place, base),
                None if !may_hurry_from(self.regs.r[15]) || self.waits_for_flash() => return Out::Otherwise,
                None => self.enter(decoded),
            };
            if let Some(left) = self.leaving.take() {
                decoded.leads_to(&left, (id, done), base, &self.context_at(left.base));
            }
            decoded.enter_at(id, done, self.bus.flash());
            let epoch = self.bus.flash().map_or(0, Flash::epoch);
            let timed = self.bus.flash().is_some_and(Flash::is_timed);
            let mut at = Within {
                run: id,
                first: done,
                base,
                skipped: None,
            };
            loop {
                let (index, step) = match self.go::<ALL>(decoded, &mut at, (timed, epoch), limits, sink) {
                    Ok(left) => left,
                    Err(Stays::Changed) => return Out::Changed,
                    Err(Stays::Checked) => return Out::Checked,
                    Err(Stays::Before) => return Out::Single(at.run, at.first, at.base),
                };
                let Within { run: id, base, .. } = at;
                let slot = decoded.slot(id);
                let run = &*slot.run;
                if step == Step::Next {
                    if index < run.ops.len() {
                        return self.single_in(slot, (id, index), base);
                    }
                    if run.open && !self.told.paused {
                        decoded.grow(id, &self.context_at(base));
                        (at.first, at.skipped) = (index, None);
                        continue;
                    }
                }
                let told = ALL || index == 0 && self.hears_first_of(run);
                let (limit, tells) = ((base, limits.horizon), (told, &mut *sink));
                let next = if timed {
                    self.next_block::<true>(decoded, (id, index), step, limit, tells)
                } else {
                    self.next_block::<false>(decoded, (id, index), step, limit, tells)
                };
                if let Some(next) = next {
                    at = next;
                    if let Some(skipped) = at.skipped.take() {
                        decoded.slot(at.run).skipped = skipped;
                    }
                    let attends = step == Step::Attention;
                    if attends && !self.goes_on_behind(decoded.run(at.run), at.first, at.base, limits) {
                        return Out::Changed;
                    }
                    continue;
                }
                let slot = decoded.slot(id);
                if let Some(jump) = self.jump_of(&slot.run, index, step) {
                    let sink = told.then_some(&mut *sink);
                    if timed {
                        self.jumped_as_worked_out::<true>(slot, index, base, sink);
                    } else {
                        self.jumped_as_worked_out::<false>(slot, index, base, sink);
                    }
                    self.cycle = (base + jump.end()) as u64;
                    self.flow = Flow::Jumped(Jump {
                        request: base + jump.request,
                        ..jump
                    });
                    break;
                }
                let way = self.way(&slot.run, index, step);
                if let Some(Way::Read(served)) = way
                    && slot.reads_otherwise(index, served)
                {
                    return Out::Left(self.expect_read(decoded, (id, index), served, base));
                }
                let run = &*slot.run;
                let since = timed.then_some(epoch);
                self.leaving = way.map(|way| Leaving::new(id, index, way, base, since));
                let Some(side) = run.sides.get(index) else {
                    self.stand_behind_run(slot, base);
                    break;
                };
                if timed {
                    slot.touch(side.before.next_word(), self.bus.flash_mut());
                }
                let pipe = side.before.moved_by(base);
                let place = Place { run: id, index, pipe };
                return Out::Left(Left { place, step });
            }
        }
    }

    /// Continues after a run whose time began in cycle `base`.
    fn stand_behind_run(&mut self, slot: &Slot, base: Cycle) {
        let run = &*slot.run;
        slot.touch(run.after.next_word(), self.bus.flash_mut());
        (self.regs.r[15], self.regs.it) = (run.end, run.end_it);
        self.flow = Flow::Through(run.after.moved_by(base));
        self.cycle = (base + run.span) as u64;
    }

    /// Executes runs from `at` on, if that can be done. Gives the instruction of the one at `at` that did more than go on, and what, or
    /// its end.
    #[inline]
    fn go<const ALL: bool>(
        &mut self,
        decoded: &mut Decoded,
        at: &mut Within,
        (timed, epoch): (bool, u64),
        limits: &mut Limits,
        sink: &mut dyn Sink,
    ) -> Result<(usize, Step), Stays> {
        decoded.slot(at.run).begin_at(at.first);
        let glided = match (!ALL && self.glides(), timed) {
            (false, _) => Glided::Before,
            (true, false) => self.glide::<false>(decoded, at, epoch, limits, sink),
            (true, true) => self.glide::<true>(decoded, at, epoch, limits, sink),
        };
        match glided {
            Glided::At(index, step) => return Ok((index, step)),
            Glided::Changed => return Err(Stays::Changed),
            Glided::Before => {}
        }
        let Within {
            run: id,
            first,
            base,
            skipped,
        } = *at;
        let slot = decoded.slot(id);
        slot.skipped = skipped.unwrap_or(slot.skipped);
        if slot.epoch != epoch {
            slot.look_up(self.bus.flash());
        }
        if !self.may_run(slot.run.pc, slot.run.end, &mut slot.checked) {
            self.stand_in(slot, first, base);
            return Err(Stays::Checked);
        }
        let (run, at_once) = (&*slot.run, slot.at_once as usize);
        // A BKPT takes no time: the last instruction may start where the run ends.
        if base + run.span >= limits.horizon || at_once <= first || run.halts || self.told.paused {
            self.stop_in(slot, first, base);
            return Err(Stays::Before);
        }
        self.base = base as u64;
        Ok(self.through::<ALL>(slot, first..at_once, base, sink))
    }

    /// An instruction of a run whose time began in cycle `base` read from a flash, and will be expected to do so in this way.
    fn expect_read(
        &mut self,
        decoded: &mut Decoded,
        (run, index): (u32, usize),
        served: Served,
        base: Cycle,
    ) -> Left {
        let slot = decoded.slot(run);
        let before = slot.run.sides[index].before;
        slot.touch(before.next_word(), self.bus.flash_mut());
        decoded.expect_read(run, index, served, &self.context());
        self.leaving = None;
        let pipe = before.moved_by(base);
        Left {
            place: Place { run, index, pipe },
            step: Step::Irregular,
        }
    }

    /// The instruction at a place of a run, whose time began in cycle `base`, is to be executed by itself; unless the sink pauses.
    fn single_in(&mut self, slot: &Slot, (run, index): (u32, usize), base: Cycle) -> Out {
        if self.told.paused {
            let before = slot.run.sides[index].before.moved_by(base);
            self.stand_before(&slot.run.ops[index], before);
            return Out::Otherwise;
        }
        slot.touch(slot.run.sides[index].before.next_word(), self.bus.flash_mut());
        Out::Single(run, index, base)
    }

    /// The target of a jump in a run, if nothing else is then under way and nothing else needs to be emitted.
    #[inline]
    pub(super) fn jump_of(&self, run: &Run, index: usize, step: Step) -> Option<Jump> {
        if step != Step::Branch {
            return None;
        }
        let jump = run.sides[index]
            .jump
            .filter(|_| run.sides[index].is_clean(self.regs.r[15]));
        jump.filter(|_| self.jumps_as_worked_out(run, index, step))
    }

    /// A run whose time begins in cycle `base` does not go on at this instruction, to which it went at once.
    fn stop_in(&mut self, slot: &Slot, first: usize, base: Cycle) {
        if first == 0 || self.told.paused {
            return self.stand_in(slot, first, base);
        }
        slot.touch(slot.run.sides[first].before.next_word(), self.bus.flash_mut());
    }

    /// The next instruction is this one of a run whose time begins in cycle `base`.
    fn stand_in(&mut self, slot: &Slot, first: usize, base: Cycle) {
        let run = &*slot.run;
        if first != 0 {
            let before = run.sides[first].before;
            slot.touch(before.next_word(), self.bus.flash_mut());
            return self.stand_before(&run.ops[first], before.moved_by(base));
        }
        self.flow = run.entered(base);
        self.cycle = (base + run.begins()) as u64;
        (self.regs.r[15], self.regs.it) = (run.pc, run.it());
    }

    /// Whether an instruction jumped and nothing else needs to be emitted. (A jump to itself may loop for ever.)
    #[inline]
    fn jumps_as_worked_out(&self, run: &Run, index: usize, step: Step) -> bool {
        // Only what accesses memory can meet more than its target.
        let as_expected = run.sides[index].shape.words == 0 || self.facts == Facts::NONE;
        let jumps = step == Step::Branch && as_expected && self.regs.thumb;
        jumps && self.regs.r[15] != run.ops[index].pc
    }

    /// How a run is left that ends with this instruction, if it is a way that can be remembered, and not the usual one.
    #[inline]
    pub(super) fn way(&mut self, run: &Run, index: usize, step: Step) -> Option<Way> {
        let Some(side) = run.sides.get(index) else {
            return Some(Way::End);
        };
        match step {
            Step::Branch if !side.is_clean(self.regs.r[15]) && self.jumps_as_worked_out(run, index, step) => {
                Some(Way::Jumped(self.regs.r[15]))
            }
            Step::Attention => self.attended(),
            Step::Irregular if self.facts.skipped => Some(Way::Skipped(self.facts.aside)),
            Step::Irregular if self.facts.flash.is_some() => self.read(&run.ops[index]),
            // A multiplication or division meets no other facts.
            Step::Irregular => self.facts.operands.map(|_| Way::Slow(self.facts.cycles)),
            _ => None,
        }
    }

    /// How a run is left by an instruction that read from a flash with wait states, if it met nothing else.
    #[inline(never)]
    pub(super) fn read(&mut self, op: &MicroOp) -> Option<Way> {
        let read = self.facts.flash.filter(|_| self.config.model.foresees_reads())?;
        let only = Facts {
            flash: Some(read),
            ..Facts::NONE
        };
        let at = self.access_cycle(op) as Cycle;
        let flash = self.bus.flash().filter(|_| self.facts == only)?;
        self.foreseen = flash.foresee(read.address, read.bytes, at);
        Way::reading(self.foreseen?.served)
    }

    /// The flash reads what was foreseen of the instruction under way.
    #[inline]
    pub(super) fn read_foreseen(&mut self, op: &MicroOp) {
        let at = self.access_cycle(op) as Cycle;
        if let (Some(read), Some(flash)) = (self.foreseen, self.bus.flash_mut()) {
            flash.read_foreseen(read, at);
        }
    }

    /// How a run is left by an instruction that changed what the rest of the core must see, if it met nothing else.
    pub(super) fn attended(&self) -> Option<Way> {
        let usual = self.facts == Facts::NONE && !self.runs.is_stale() && self.ended().is_none();
        usual.then(|| Way::Attended(self.raised_a_mask()))
    }

    /// Sees what the program changed, before this instruction of a run whose time begins in cycle `base`. Says whether runs still go
    /// on; otherwise stands there.
    #[inline]
    pub(super) fn goes_on_behind(
        &mut self,
        run: &Run,
        index: usize,
        base: Cycle,
        limits: &mut Limits,
    ) -> bool {
        let before = run.pipe_at(index);
        self.see_own_changes(base + before.free(), limits);
        let goes_on = self.may_go_fast();
        if !goes_on {
            self.flow = Flow::Through(before.moved_by(base));
            self.cycle = (base + before.free()) as u64;
        }
        goes_on
    }

    /// Whether the next word to request may have to wait for the flash.
    fn waits_for_flash(&self) -> bool {
        let Some(flash) = self.bus.flash().filter(|flash| flash.is_timed()) else {
            return false;
        };
        let address = match &self.flow {
            Flow::Jumped(_) => self.regs.r[15],
            Flow::Through(pipe) if pipe.lags() || !self.caught.is_empty() => return true,
            Flow::Through(pipe) => pipe.next_word() << 2,
        };
        !flash.serves_at_once(address)
    }

    /// Makes the requests while a run is left by this exit, if the flash's cache has all the words.
    pub(super) fn fetches_on_the_way(&mut self, slot: &Slot, exit: &Exit, index: usize) -> bool {
        if let Some(lines) = exit.lines.filter(|_| slot.is_whole()) {
            if let Some(flash) = self.bus.flash_mut() {
                slot.touch_lines(lines.into(), flash);
            }
            if let (Way::Read(_), Some(op)) = (exit.way, slot.run.ops.get(index)) {
                self.read_foreseen(op);
            }
            return true;
        }
        self.fetches_elsewhere(slot, exit, index)
    }

    /// Makes the requests, if there are more than the run's own.
    fn fetches_elsewhere(&mut self, slot: &Slot, exit: &Exit, index: usize) -> bool {
        let requested = match (exit.way, slot.run.sides.get(index)) {
            (Way::Jumped(_), Some(side)) => side.next_word,
            (_, Some(side)) => side.before.next_word(),
            (_, None) => slot.run.after.next_word(),
        };
        let Some(flash) = self.bus.flash_mut() else {
            return false;
        };
        let (first, end) = exit.words;
        // The run's own later requests are known to hit.
        let known = first == requested && slot.has_words(first, end);
        if !known && !flash.holds(first, end) {
            return false;
        }
        slot.touch(
            if known { requested.max(end) } else { requested },
            Some(&mut *flash),
        );
        if let (Way::Read(_), Some(op)) = (exit.way, slot.run.ops.get(index)) {
            self.read_foreseen(op);
        }
        if let Some(flash) = self.bus.flash_mut().filter(|_| !known) {
            flash.touch_words(first, end);
        }
        true
    }

    /// The run that begins with the next instruction and the present state of the pipeline, or has it in its midst; where; and its base.
    fn enter(&mut self, decoded: &mut Decoded) -> (u32, usize, Cycle) {
        match self.flow {
            Flow::Jumped(jump) => {
                let entry = self.jumped(self.regs.r[15], self.regs.it, jump.early);
                let id = self.decode(decoded, &entry);
                decoded.set_target(&entry, jump.early, id);
                (id, 0, jump.request - REQUEST)
            }
            Flow::Through(pipe) => {
                let base = pipe.free();
                let (pc, it) = (self.regs.r[15], self.regs.it);
                self.bus.mark_code(pc);
                let entry = decoded.entry(pc, it, &pipe, &self.context());
                let midst = decoded.midst(&entry, base, &self.context_at(base));
                midst.unwrap_or_else(|| (self.decode(decoded, &entry), 0, base))
            }
        }
    }
}

/// Whether an instruction at `pc` surely comes from where the default memory map lets code be executed.
pub(super) fn may_hurry_from(pc: u32) -> bool {
    executable_by_default(pc) && executable_by_default(pc.wrapping_add(2))
}
