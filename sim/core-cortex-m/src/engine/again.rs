//! The path between the fast and the slow one: memoised steps of single instructions.
//!
//! The engine takes it where a run is of no use. It executes each instruction by itself and looks up the result in [`crate::run::Tree`], by
//! the flash's answers and the facts that the instruction met. For unknown facts the slow path computes the result from the same answers,
//! and the tree keeps it.

use bus::Flash;
use events::{RuleSet, Sink};

use super::careful::Next;
use super::strand::{Recording, keep};
use super::{Flow, Stop};
use crate::core::{Core, Facts};
use crate::exec::passes;
use crate::microop::{MicroOp, Step};
use crate::run::{Decoded, Gone, Instr, Key, Leaf, NO_RUN, NOWHERE, Node, Noted, Stand, Tree, Went};
use crate::timing::{self, Class, Cycle, Pipe, Preview, Request, What, catch_up};

/// So often an instruction is met by itself before a run is decoded that begins with it, where a flash has wait states.
const OFTEN: u8 = 4;
/// More cycles than a transfer of a word takes.
const TRANSFER: Cycle = 1 << 8;
/// Upper bound of the cycles of an instruction that restarts after an exception (a divide or a multiplication), from its start on.
const ABANDONED: Cycle = 1 << 4;

/// The position of the next instruction: a stand, and the cycle in which its time begins.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) stand: u32,
    pub(super) base: Cycle,
    /// The outcome of the instruction, if it was executed already.
    pub(super) executed: Option<Executed>,
}

/// The outcome of an instruction, and the key that decided its start, if that was looked up before.
#[derive(Clone, Copy)]
pub(super) struct Executed {
    pub(super) step: Step,
    pub(super) key: Option<Key>,
}

/// The limits of execution: the argument of [`Core::run`], and the first cycle at which an event may matter.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) until: Cycle,
    pub(super) horizon: Cycle,
}

/// Where this path ended.
pub(super) enum Again {
    /// A run goes on from this instruction, whose time begins in this cycle.
    Run(u32, usize, Cycle),
    /// Execution goes on at R15, by `Core::flow`.
    Elsewhere,
    /// Execution goes on at R15, and the MPU may forbid the fetch.
    Checked,
}

impl Standing {
    /// Before an instruction that was not executed.
    pub(super) fn at(stand: u32, base: Cycle) -> Standing {
        Standing {
            stand,
            base,
            executed: None,
        }
    }
}

/// The successor of a memoised step.
struct Led {
    next: u32,
    later: Cycle,
    /// It changed state that the rest of the core must see.
    attends: bool,
}

impl Core {
    /// Executes instructions until one of them begins a run, or something else is due.
    pub(super) fn again(
        &mut self,
        decoded: &mut Decoded,
        mut at: Standing,
        limits: &mut Limits,
        sink: &mut dyn Sink,
    ) -> Result<Again, Stop> {
        let timed = self.bus.flash().is_some_and(Flash::is_timed);
        let mut recording: Option<Box<Recording>> = None;
        loop {
            if at.executed.is_none() && !self.asked.resumes() {
                if self.told.paused {
                    self.stand_at(&decoded.tree.stands[at.stand as usize], at.base);
                    return Ok(Again::Elsewhere);
                }
                let stand = &decoded.tree.stands[at.stand as usize];
                let end = stand.pc.wrapping_add(u32::from(stand.op.size));
                if !self.may_run(stand.pc, end, &mut 0) {
                    self.stand_at(stand, at.base);
                    return Ok(Again::Checked);
                }
                if let Some(next) = self.strand_at(decoded, at, limits.horizon) {
                    keep(recording.take(), &mut decoded.tree);
                    at = self.next_strands(decoded, next, limits.horizon);
                    continue;
                }
                if recording.is_none() {
                    let run = self.run_at(decoded, at, limits.horizon);
                    if timed && !run.is_some_and(|(run, ..)| decoded.slot(run).is_whole()) {
                        recording = self.begins_strand(&mut decoded.tree, at);
                    }
                    if let Some((run, place, base)) = run.filter(|_| recording.is_none()) {
                        return Ok(Again::Run(run, place, base));
                    }
                }
                self.leaving = None;
            }
            let executed = match self.remembered(&decoded.tree, at, limits, &mut recording, sink) {
                Ok(led) => {
                    at = Standing::at(led.next, at.base + led.later);
                    if recording.as_ref().is_some_and(|begun| begun.is_done()) {
                        keep(recording.take(), &mut decoded.tree);
                    }
                    if led.attends {
                        if self.runs.is_stale() || !self.may_go_fast() {
                            self.stand_at(&decoded.tree.stands[at.stand as usize], at.base);
                            return Ok(Again::Elsewhere);
                        }
                        self.see_own_changes(at.base, limits);
                    }
                    continue;
                }
                Err(executed) => executed,
            };
            keep(recording.take(), &mut decoded.tree);
            let next = self.anew(decoded, Standing { executed, ..at }, limits.until, sink)?;
            let Some(next) = next else {
                return Ok(Again::Elsewhere);
            };
            at = next;
            // A due event may have been handled.
            limits.horizon = self.horizon(limits.until);
        }
    }

    /// The stand of the state in which the next instruction is reached.
    pub(super) fn standing(&mut self, decoded: &mut Decoded) -> Option<Standing> {
        let pc = self.regs.r[15];
        if !super::fast::may_hurry_from(pc) {
            return None;
        }
        let mut pipe = self.pipe();
        let mut early = if let Flow::Jumped(jump) = self.flow {
            Some(jump.early)
        } else {
            None
        };
        if pipe.lags() && self.bus.flash().is_some_and(Flash::is_timed) {
            let (model, mut supply) = (self.config.model, self.supply());
            catch_up(&mut pipe, model, &mut supply);
            let rules = supply.rules();
            self.caught = self.caught.union(rules);
            (self.flow, early) = (Flow::Through(pipe), None);
            if pipe.lags() {
                return None;
            }
        }
        let base = pipe.free();
        self.bus.mark_code(pc);
        let entry = decoded.entry(pc, self.regs.it, &pipe, &self.context());
        let stand = decoded.stand(&entry, self.caught, early, &self.context())?;
        self.caught = RuleSet::EMPTY;
        Some(Standing {
            stand,
            base,
            executed: None,
        })
    }

    /// The pipeline before the next instruction.
    fn pipe(&self) -> Pipe {
        match self.flow {
            Flow::Jumped(jump) => Pipe::refilled(self.regs.r[15], jump, self.fetch_path(self.regs.r[15])),
            Flow::Through(pipe) => pipe,
        }
    }

    /// The next instruction is this one.
    fn stand_at(&mut self, stand: &Stand, base: Cycle) {
        (self.regs.r[15], self.regs.it) = (stand.pc, stand.it);
        self.flow = Flow::Through(stand.pipe.moved_by(base));
        self.caught = stand.fetched;
        self.cycle = base as u64;
    }

    /// The run that begins here, and when its time does, if that surely can be executed to some length.
    fn run_at(&mut self, decoded: &mut Decoded, at: Standing, horizon: Cycle) -> Option<(u32, usize, Cycle)> {
        let flash = self.bus.flash().filter(|flash| flash.is_timed());
        let stand = &mut decoded.tree.stands[at.stand as usize];
        if !stand.fetched.is_empty() {
            return None;
        }
        if stand.run == NO_RUN {
            stand.visits += 1;
            if flash.is_some() && stand.visits < OFTEN {
                return None;
            }
            let (entry, early) = (stand.entry(), stand.early);
            let entry = early.map_or(entry, |early| self.jumped(entry.pc, entry.it, early));
            let known = decoded.comes_to(&entry);
            let (run, place) = known.unwrap_or_else(|| (self.decode(decoded, &entry), 0));
            if let Some(early) = early.filter(|_| place == 0) {
                decoded.set_target(&entry, early, run);
            }
            let stand = &mut decoded.tree.stands[at.stand as usize];
            (stand.run, stand.place) = (run, place);
        }
        let Stand { run, place, .. } = decoded.tree.stands[at.stand as usize];
        let slot = decoded.slot(run);
        let flash = self.bus.flash();
        if slot.epoch != flash.map_or(0, Flash::epoch) {
            slot.look_up(flash);
        }
        let base = at.base - slot.run.pipe_at(place).free();
        let goes = slot.at_once as usize > place && base + slot.run.span < horizon && !slot.run.halts;
        if !goes && let Some(left) = self.leaving.take() {
            decoded.leads_to(&left, (run, place), base, &self.context());
        }
        goes.then_some((run, place, base))
    }

    /// Executes an instruction, unless it was executed, and looks up the result; then emits and counts it, and performs its requests.
    /// Without a result, returns the outcome of the execution, if any; apart from that, only requests to the flash have been made.
    fn remembered(
        &mut self,
        tree: &Tree,
        at: Standing,
        limits: &mut Limits,
        recording: &mut Option<Box<Recording>>,
        sink: &mut dyn Sink,
    ) -> Result<Led, Option<Executed>> {
        let Standing { base, executed, .. } = at;
        let stand = &tree.stands[at.stand as usize];
        let op = &stand.op;
        self.asked.begin();
        let first = self.asks(tree, stand.first, base, 0);
        let key = match executed {
            None => self.key_before(&stand.instr()),
            Some(Executed { key, .. }) => key.unwrap_or_else(|| self.key_behind(&stand.instr())),
        };
        let prepared = self.asked.given();
        let (start, access, outcome) = tree.executes(first, key).ok_or(executed)?;
        let step = if let Some(Executed { step, .. }) = executed {
            step
        } else {
            if self.may_be_held_up(stand, base + start, limits) {
                return Err(None);
            }
            self.base = (base + access) as u64;
            self.remember_frame();
            let step = (op.exec)(self, op);
            self.tell_accesses(op, step, sink)
        };
        let executed = Executed { step, key: Some(key) };
        let target = self.regs.r[15];
        let attends = step == Step::Attention;
        if attends {
            self.facts.raises = self.raised_a_mask();
        }
        // Later requests are made only if no exception comes before its end.
        if self.facts.replaced.is_some() && base + start + ABANDONED > limits.horizon {
            return Err(Some(executed));
        }
        let way = Went::new(step, target, &self.facts, op).ok_or(Some(executed))?;
        let known = tree.behind(outcome, &way);
        let read = self.facts.flash.map_or(0, |read| read.address & !3);
        let end = known.map_or(NOWHERE, |known| self.asks(tree, known, base, read));
        let Some(&Node::Done(leaf)) = tree.nodes.get(end as usize) else {
            return Err(Some(executed));
        };
        let leaf = &tree.leaves[leaf as usize];
        let jumps = step == Step::Branch || self.facts.taken;
        let switches = jumps && (!self.regs.thumb || target == op.pc);
        if switches || attends && self.ended().is_some() {
            return Err(Some(executed));
        }
        if step != Step::Next {
            self.facts = Facts::NONE;
        }
        if jumps {
            self.jumped_again();
        }
        self.tell_again(stand, base, leaf, sink);
        if attends {
            self.attend(op.pc, base + leaf.told.start, leaf.seen.since(-base), sink);
        }
        if let Some(begun) = recording {
            let gone = Gone {
                stand: at.stand,
                base,
                access,
                key,
                way,
                requests: self.asked.requests(),
                prepared,
                leaf,
            };
            self.record(begun, tree, &gone);
        }
        Ok(Led {
            next: leaf.next,
            later: leaf.later,
            attends,
        })
    }

    fn tell_again(&mut self, stand: &Stand, base: Cycle, leaf: &Leaf, sink: &mut dyn Sink) {
        if let Some(leaving) = &mut self.leaving {
            leaving.told = leaf.told.since(leaving.base - base);
            leaving.seen = leaf.seen.since(leaving.base - base);
        }
        self.announce_again(&stand.op, base, &leaf.told, sink);
    }

    /// Repeats the requests to the flash as long as their answers are known. Returns the node after them.
    #[inline(always)]
    fn asks(&mut self, tree: &Tree, first: u32, base: Cycle, data: u32) -> u32 {
        match tree.nodes.get(first as usize) {
            Some(Node::Asks { .. }) => self.asks_on(tree, first, base, data),
            _ => first,
        }
    }

    fn asks_on(&mut self, tree: &Tree, first: u32, base: Cycle, data: u32) -> u32 {
        let mut place = first;
        while let Some(&Node::Asks { what, at, .. }) = tree.nodes.get(place as usize) {
            let at = base + at;
            let Some(flash) = self.bus.flash_mut() else {
                return NOWHERE;
            };
            let answer = self.asked.next().unwrap_or_else(|| {
                let served = match what {
                    What::Fetch(word) => flash.fetch(word << 2, at),
                    What::Read(word) => flash.read(data + 4 * word, at),
                };
                self.asked.add(Request { what, at, served });
                served
            });
            place = loop {
                match tree.nodes.get(place as usize) {
                    Some(&Node::Asks { served, then, .. }) if served == answer => break then,
                    Some(&Node::Asks { other, .. }) => place = other,
                    _ => return NOWHERE,
                }
            };
        }
        place
    }

    /// The key for the start of an instruction that is about to execute.
    #[inline]
    fn key_before(&self, instr: &Instr) -> Key {
        self.key_of(instr.op, instr.shape.words != 0)
    }

    #[inline]
    pub(super) fn key_of(&self, op: &MicroOp, accesses: bool) -> Key {
        Key {
            area: if accesses { self.area(op) } else { 0 },
            skipped: !passes(op.cond, self.regs.flags),
        }
    }

    /// The key for an instruction that a run executed, from the facts that it met.
    fn key_behind(&self, instr: &Instr) -> Key {
        let skipped = self.facts.skipped;
        let area = match self.facts.profile {
            _ if instr.shape.words == 0 => 0,
            _ if skipped => self.area(instr.op),
            profile => self.bus.profile(profile.unwrap_or(instr.op.profile)).area,
        };
        Key { area, skipped }
    }

    /// Whether an event may be due before or during an instruction that starts in this cycle. Handles due events without consequences.
    fn may_be_held_up(&mut self, stand: &Stand, start: Cycle, limits: &mut Limits) -> bool {
        let words = Cycle::from(stand.shape.words);
        let end = match stand.shape.class {
            _ if words > 1 => start + (words + 1) * TRANSFER,
            Class::MultiplyAccumulate => start + timing::Latencies::MULTIPLY_ACCUMULATE,
            _ => start,
        };
        if start >= limits.horizon {
            self.see_changes(start, limits);
        }
        end >= limits.horizon || stand.op.uses_fp && self.fp_to_preserve().is_some()
    }

    /// The next instruction starts in this cycle: does what is due by then, but for an exception that is to be taken. That stays due.
    fn see_changes(&mut self, start: Cycle, limits: &mut Limits) {
        let due = self.next_due();
        let seen = due <= start && start < limits.until.min(self.next_edge());
        if seen && !matches!(self.recognise(start), Ok(None)) {
            self.recognise_from = due as u64;
        }
        limits.horizon = self.horizon(limits.until);
    }

    /// The program changed something, and the next instruction can start in cycle `free`. Where nothing else is due for long, what
    /// is seen by then is all that is seen when it starts.
    #[inline]
    pub(super) fn see_own_changes(&mut self, free: Cycle, limits: &mut Limits) {
        let others = self.pass_void(limits.until, TRANSFER);
        if self.recognise_from == u64::MAX {
            limits.horizon = others.min(self.next_edge());
            return;
        }
        self.see_pending_changes(free, limits);
    }

    #[inline(never)]
    fn see_pending_changes(&mut self, free: Cycle, limits: &mut Limits) {
        let seen_from = std::mem::replace(&mut self.recognise_from, u64::MAX);
        let alone = self.next_due() > free + TRANSFER;
        self.recognise_from = seen_from;
        if alone {
            self.see_changes(free, limits);
        } else {
            limits.horizon = self.horizon(limits.until);
        }
    }

    /// Executes an instruction, if it was not yet, by the careful way, and keeps how it went. `None`: execution goes on at R15,
    /// by `Core::flow`.
    fn anew(
        &mut self,
        decoded: &mut Decoded,
        at: Standing,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<Option<Standing>, Stop> {
        let stand = decoded.tree.stands[at.stand as usize].clone();
        let instr = stand.instr();
        let mut pipe = stand.pipe.moved_by(at.base);
        self.recognise_void(at.base as u64);
        self.noted = Some(Noted::default());
        self.caught = stand.fetched;
        self.asked.repeat();
        let next = match at.executed {
            None => self.one(&instr, &mut pipe, until, sink),
            Some(Executed { step, key }) => {
                let key = key.unwrap_or_else(|| self.key_behind(&instr));
                self.prepare_executed(&instr, key, &mut pipe);
                self.account(&instr, step, &mut pipe, sink)
            }
        };
        let noted = self.noted.take();
        let next = next.inspect_err(|_| self.asked.set_noting(false))?;
        if let Next::Straight = next {
            self.stand_behind(instr.op, pipe);
        }
        let usual = noted.filter(|noted| noted.done.is_some());
        let Some((noted, (_, told, seen))) = usual.and_then(|noted| Some((noted, noted.done?))) else {
            self.asked.set_noting(false);
            return Ok(None);
        };
        let standing = self.standing(decoded);
        self.asked.set_noting(false);
        let Some(next) = standing else {
            return Ok(None);
        };
        let corrected = noted
            .profile
            .is_some_and(|profile| decoded.tree.expect(at.stand, profile));
        if !corrected {
            let leaf = Leaf {
                told: told.since(at.base),
                seen: seen.since(at.base),
                next: next.stand,
                later: next.base - at.base,
            };
            decoded
                .tree
                .keep(at.stand, at.base, &noted, self.asked.requests(), leaf);
        }
        let goes_on = !self.runs.is_stale() && self.may_go_fast();
        Ok(Some(next).filter(|_| goes_on))
    }

    /// Makes the requests before an instruction that the fast path executed.
    fn prepare_executed(&mut self, instr: &Instr, key: Key, pipe: &mut Pipe) {
        let model = self.config.model;
        self.prepare(instr, pipe);
        let preview = timing::preview(pipe, model, instr.shape, key.area, key.skipped);
        self.note(key, &preview);
    }

    /// Notes when an instruction starts that is to be remembered.
    pub(super) fn note_start(&mut self, instr: &Instr, preview: &Preview) {
        if self.noted.is_some() {
            self.note(self.key_before(instr), preview);
        }
    }

    fn note(&mut self, key: Key, preview: &Preview) {
        let prepared = self.asked.given();
        self.noted = Some(Noted {
            prepared,
            key,
            start: preview.start,
            access: preview.access,
            ..Noted::default()
        });
    }
}
