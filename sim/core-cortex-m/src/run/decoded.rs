//! The decoded code: runs by their entry, and single instructions.

use std::ops::Range;
use std::sync::Arc;

use bus::{Flash, ProfileId, Served, Usual};
use events::{Pcs, RuleSet};
use exec::BlockCache;
use rustc_hash::FxHashMap;

use crate::exception::continuation;
use crate::microop::MicroOp;
use crate::timing::{self, Class, Cycle, Early, Pipe};

use super::stands::{NOWHERE, Tree};
use super::{CORRECTIONS, Context, Entry, Exits, Lowered, NO_RUN, Run, Slot, TABLE, UNKNOWN, lowered};

/// Everything that was decoded so far.
#[derive(Clone, Default)]
pub(crate) struct Decoded {
    pub(super) runs: BlockCache<Entry, Slot>,
    /// Places within runs by pipeline state: the rest is then computed only once.
    in_midst: FxHashMap<Entry, (u32, usize)>,
    /// Run at a jump's target, by the target's address; empty until there is one.
    by_target: Vec<u32>,
    /// Single instructions, and where runs of them begin.
    pub(super) lowered: Lowered,
    /// How single instructions went.
    pub tree: Tree,
    /// Places in [`Decoded::tree`] by pipeline state, and by the rules by which a flash served earlier requests that belong to the next
    /// instruction.
    stands: FxHashMap<(Entry, RuleSet), u32>,
    /// Whether a flash had wait states when these were entered.
    timed: bool,
}

impl Decoded {
    /// From now on runs are split at these. If they are elsewhere, all of them are forgotten.
    pub(crate) fn split_at(&mut self, pcs: &Pcs, halts: &[u32]) {
        if self.lowered.split_at(pcs, halts) {
            self.forget();
        }
    }

    /// Forgets everything but where runs are split.
    pub(crate) fn forget(&mut self) {
        *self = Decoded {
            lowered: self.lowered.without_instructions(),
            timed: self.timed,
            ..Decoded::default()
        };
    }

    /// The run at the target of a jump, if it is known.
    #[inline(always)]
    pub(crate) fn at_target(&self, pc: u32, early: Early) -> Option<u32> {
        let id = *self.by_target.get(target_slot(pc, early))?;
        let run = &self.runs.get(id)?.run;
        (run.pc == pc && run.early == early).then_some(id)
    }

    /// A run by its number.
    #[inline(always)]
    pub(crate) fn run(&self, id: u32) -> &Arc<Run> {
        &self.runs[id].run
    }

    /// A run, and the cached data about it.
    #[inline(always)]
    pub(crate) fn known(&self, id: u32) -> &Slot {
        &self.runs[id]
    }

    /// A run, and what is known of its fetches.
    #[inline(always)]
    pub(crate) fn slot(&mut self, id: u32) -> &mut Slot {
        &mut self.runs[id]
    }

    /// The run with this entry, if it is known.
    pub(crate) fn at(&self, entry: &Entry) -> Option<u32> {
        self.runs.find(entry)
    }

    /// Decodes the run with this entry.
    pub(crate) fn add(&mut self, entry: &Entry, context: &Context) -> u32 {
        let run = Run::decode(entry, context, &mut self.lowered);
        let id = self.runs.add(*entry, Slot::new(run));
        self.joins(id, context);
        id
    }

    /// A run that was just added to ends where many ways lead and another one has what follows; otherwise others may end there.
    fn joins(&mut self, id: u32, context: &Context) {
        let place = self.runs[id].run.ops.len();
        self.find_midst(id, place - 1..place, context);
        let run = &self.runs[id].run;
        if !run.open || !run.varies_before(place) {
            return;
        }
        let (pc, it, pipe) = (run.end, run.end_it, run.after);
        let entry = self.entry(pc, it, &pipe, context);
        if self.runs.find(&entry).is_some() || self.in_midst.contains_key(&entry) {
            Arc::make_mut(&mut self.runs[id].run).open = false;
        } else {
            self.in_midst.insert(entry, (id, place));
        }
    }

    /// The place within a run where this state occurs without beginning a run, and the cycle in which that run's time begins if the state
    /// occurs in cycle `now`.
    pub(crate) fn midst(
        &mut self,
        entry: &Entry,
        now: Cycle,
        context: &Context,
    ) -> Option<(u32, usize, Cycle)> {
        if self.runs.find(entry).is_some() {
            return None;
        }
        let &(id, place) = self.in_midst.get(entry)?;
        if place == self.run(id).ops.len() {
            if !self.run(id).open {
                return None;
            }
            self.grow(id, context);
        }
        Some((id, place, now - self.run(id).pipe_at(place).free()))
    }

    /// The run that begins in this state, or comes to it: then at which of its instructions.
    pub(crate) fn comes_to(&self, entry: &Entry) -> Option<(u32, usize)> {
        let begins = self.runs.find(entry).map(|id| (id, 0));
        let known = begins.or_else(|| self.in_midst.get(entry).copied());
        known.filter(|&(id, place)| place < self.run(id).ops.len())
    }

    /// How a run or stand is entered at this instruction through this pipeline.
    pub(crate) fn entry(&mut self, pc: u32, it: u8, pipe: &Pipe, context: &Context) -> Entry {
        let timed = context.bus.flash().is_some_and(Flash::is_timed);
        let known = lowered(&mut self.lowered, pc, it, context);
        let pipe = match known {
            Ok((_, shape)) => timing::state_before(pipe, context.model, &shape, timed),
            Err(_) => pipe.relative_to(pipe.free()),
        };
        Entry { pc, it, pipe }
    }

    /// A run is entered at this of its instructions.
    pub(crate) fn enter_at(&mut self, id: u32, index: usize, flash: Option<&Flash>) {
        let slot = &mut self.runs[id];
        slot.skipped = flash.map_or(0, |flash| slot.lines_before(index, flash));
    }

    /// Adds an instruction to a run.
    #[cold]
    pub(crate) fn grow(&mut self, id: u32, context: &Context) {
        self.runs[id].grow(context, &mut self.lowered);
        self.joins(id, context);
    }

    /// The stand in this state of the pipeline, in its own time; `early` if a jump led there and nothing else is under way.
    /// `None` for an instruction that is not to be remembered by itself.
    pub(crate) fn stand(
        &mut self,
        entry: &Entry,
        fetched: RuleSet,
        early: Option<Early>,
        context: &Context,
    ) -> Option<u32> {
        if let Some(&known) = self.stands.get(&(*entry, fetched)) {
            return Some(known).filter(|&known| known != NOWHERE);
        }
        let new = self.new_stand(entry, early, context);
        if let Some(new) = new {
            let stand = &mut self.tree.stands[new as usize];
            (stand.fetched, stand.split) = (fetched, self.lowered.splits(entry.pc));
        }
        self.stands.insert((*entry, fetched), new.unwrap_or(NOWHERE));
        new
    }

    fn new_stand(&mut self, entry: &Entry, early: Option<Early>, context: &Context) -> Option<u32> {
        let code = context.bus.profile_at(entry.pc)?;
        let (mut op, shape) = lowered(&mut self.lowered, entry.pc, entry.it, context).ok()?;
        let slow = shape.class == Class::Multiply && context.model.multiplies_slowly();
        if slow || self.lowered.halts(entry.pc) || continuation(entry.it).is_some() {
            return None;
        }
        if op.profile == ProfileId::NONE {
            op.profile = context.met_by(&op);
        }
        Some(self.tree.add(entry, early, (op, shape), code))
    }

    /// The stand before an instruction of a run.
    pub(crate) fn stand_in(&mut self, run: u32, index: usize, context: &Context) -> Option<u32> {
        let slot = &self.runs[run];
        if let Some(&known) = slot.stands.get(index)
            && known != UNKNOWN
        {
            return Some(known).filter(|&known| known != NOWHERE);
        }
        let (op, pipe) = (&slot.run.ops[index], slot.run.sides[index].before);
        let early = (index == 0 && slot.run.jumped).then_some(slot.run.early);
        let (pc, it) = (op.pc, op.it);
        let entry = self.entry(pc, it, &pipe, context);
        let usual = !self.timed || !pipe.lags();
        let stand = if usual {
            self.stand(&entry, RuleSet::EMPTY, early, context)
        } else {
            None
        };
        let stands = &mut self.runs[run].stands;
        if stands.len() <= index {
            stands.resize(index + 1, UNKNOWN);
        }
        stands[index] = stand.unwrap_or(NOWHERE);
        stand
    }

    /// Forgets what was worked out while a flash had wait states and now has none, or the other way round, and single
    /// instructions where they have become too many. Says whether runs have other numbers now.
    pub(crate) fn forgets(&mut self, timed: bool) -> bool {
        if timed != self.timed {
            self.forget();
            self.timed = timed;
            return true;
        }
        if self.tree.is_full() {
            self.tree = Tree::default();
            self.stands.clear();
            for slot in self.runs.iter_mut() {
                slot.stands.clear();
            }
        }
        false
    }

    /// Lets [`Decoded::at_target`] find a run that is entered by a jump.
    pub(crate) fn set_target(&mut self, entry: &Entry, early: Early, id: u32) {
        if entry.it == 0 {
            self.by_target.resize(TABLE, NO_RUN);
            self.by_target[target_slot(entry.pc, early)] = id;
            if let Some(run) = Arc::get_mut(&mut self.runs[id].run) {
                (run.early, run.jumped) = (early, true);
            }
        }
    }

    /// An instruction met another kind of memory than it expected: from now on it expects that one.
    pub(crate) fn expect(&mut self, id: u32, index: usize, profile: ProfileId, context: &Context) {
        let op = MicroOp {
            profile,
            reads: Usual::NONE,
            ..self.run(id).ops[index]
        };
        self.correct(id, index, op, context);
    }

    /// An instruction read from a flash in this way, and not as it was expected to: from now on that is expected.
    pub(crate) fn expect_read(&mut self, id: u32, index: usize, served: Served, context: &Context) {
        let op = MicroOp {
            reads: Usual::of(served),
            ..self.run(id).ops[index]
        };
        self.correct(id, index, op, context);
    }

    fn correct(&mut self, id: u32, index: usize, op: MicroOp, context: &Context) {
        let slot = &mut self.runs[id];
        if slot.run.corrections < CORRECTIONS {
            *slot = Slot::new(slot.run.corrected(index, op, context));
            self.forget_midst(id);
            let places = 0..self.run(id).ops.len();
            self.find_midst(id, places, context);
        }
    }

    /// Forgets the places within a run.
    fn forget_midst(&mut self, id: u32) {
        self.in_midst.retain(|_, &mut (run, _)| run != id);
        self.tree.forget_midst(id);
        for slot in self.runs.iter_mut() {
            if slot.exits.lead_into(id) {
                slot.exits = Exits::default();
            }
        }
    }

    /// The states before these instructions in the midst of a run are met there, unless they are met elsewhere.
    fn find_midst(&mut self, id: u32, places: Range<usize>, context: &Context) {
        for place in places.start.max(1)..places.end {
            let run = self.run(id);
            let (pc, it, pipe) = (run.ops[place].pc, run.ops[place].it, run.sides[place].before);
            let entry = self.entry(pc, it, &pipe, context);
            self.in_midst.entry(entry).or_insert((id, place));
        }
    }
}

fn target_slot(pc: u32, early: Early) -> usize {
    ((pc >> 1) as usize ^ usize::from(early.cycles) << 10) & (TABLE - 1)
}
