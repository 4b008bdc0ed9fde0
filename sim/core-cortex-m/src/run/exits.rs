//! Cached exits of runs: the next run, and the cost of the last instruction.
//!
//! The pipeline state after an instruction follows from the state before it and its outcome. A run left by the same exit at the same place
//! therefore leads to the same run, the same number of cycles later.

use bus::{Flash, Served, Usual};

use crate::timing::{self, Cycle, Model};

use super::{Context, Seen, Told};

/// More ways out of a run than this are forgotten together: a return goes to many places.
const MOST: u16 = 1024;

/// How a run is left at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Behind its last instruction, which is none that jumps.
    End,
    /// By a jump to this address that finds the pipeline at something.
    Jumped(u32),
    /// Its IT condition failed; and what LR held, if it is a branch there.
    Skipped(Option<u32>),
    /// It took this number of cycles, given its operands.
    Slow(u8),
    /// It read from a flash with wait states, with this answer.
    Read(Served),
    /// The rest of the core must see what it changed; and whether it raised a mask.
    Attended(bool),
}

impl Way {
    /// Whether the next instruction is the following one.
    fn goes_straight_on(self) -> bool {
        matches!(
            self,
            Way::Skipped(_) | Way::Slow(_) | Way::Read(_) | Way::Attended(_)
        )
    }

    /// In one number, which is quickly compared: it, and whether a flash had wait states.
    #[inline]
    fn code(self, timed: bool) -> u64 {
        let (kind, more) = match self {
            Way::End => (0, 0),
            Way::Jumped(target) => (1, u64::from(target)),
            Way::Skipped(aside) => (2, aside.map_or(0, |target| 1 << 32 | u64::from(target))),
            Way::Slow(cycles) => (3, u64::from(cycles)),
            Way::Read(Served { by, wait, queued }) => {
                (4, (by as u64) << 48 | (wait as u64) << 24 | queued as u64)
            }
            Way::Attended(raised) => (5, u64::from(raised)),
        };
        kind << 56 | u64::from(timed) << 55 | more
    }

    /// An exit after a read from a flash, if it can be cached.
    pub(crate) fn reading(served: Served) -> Option<Way> {
        let few = |cycles: i64| (0..1 << 24).contains(&cycles);
        (few(served.wait) && few(served.queued)).then_some(Way::Read(served))
    }
}

/// A way out of a run.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    pub way: Way,
    /// The run that comes next, from this of its instructions on: often the one that is left itself, if its pipeline is then at what
    /// it expects there.
    pub next: u32,
    pub from: usize,
    /// The value of [`super::Slot::skipped`] for the next run; `None` for a return to the same run.
    pub skipped: Option<u16>,
    /// Number of cycles after which the next run's time begins.
    pub later: Cycle,
    /// Event data of the instruction, in the time of the run that is left; unused for [`Way::End`].
    pub told: Told,
    /// When what it changed is seen, in that time.
    pub seen: Seen,
    /// For a flash with wait states, if its cache had all words: the words requested in between, after those of the run that is left (the
    /// first one, and the one after the last).
    pub words: (u32, u32),
    /// If all those words are among those of the run that is left: the number of its lines that are requested.
    pub lines: Option<u16>,
}

/// Those of one run that were taken so far.
#[derive(Clone, Default)]
pub(crate) struct Exits {
    /// By the instruction, with [`Way::code`].
    taken: exec::Exits<(u64, Exit)>,
    /// How each instruction read that did not read as expected.
    read: Vec<Otherwise>,
}

/// How an instruction read last, not as expected; how much more often so than in other ways; and how often its run had begun when that
/// was counted from.
#[derive(Clone, Copy, Default)]
struct Otherwise {
    usual: Usual,
    times: u32,
    begun: u32,
}

/// Number of unexpected reads after which an instruction's expectation changes, if three out of four reads agree. Leaving a run this often
/// costs about as much as recomputing one and finding its exits.
const OFTEN: u32 = 128;

impl Exits {
    /// The way out at the instruction with this index, if it was taken before.
    #[inline]
    pub(crate) fn get(&self, index: usize, way: Way, timed: bool) -> Option<&Exit> {
        let code = way.code(timed);
        let known = self.taken.find(index, |&(known, _)| known == code)?;
        Some(&known.1)
    }

    /// An instruction read in this way from a flash, when its run had begun so often: whether it mostly does.
    #[inline]
    pub(super) fn read_otherwise(&mut self, index: usize, usual: Usual, begun: u32) -> bool {
        if self.read.len() <= index {
            self.read.resize(index + 1, Otherwise::default());
        }
        let read = &mut self.read[index];
        if read.usual == usual {
            read.times += 1;
        } else if read.times > 1 {
            read.times -= 1;
        } else {
            *read = Otherwise {
                usual,
                times: 1,
                begun,
            };
        }
        if read.times < OFTEN || !usual.is_some() {
            return false;
        }
        let mostly = read.times * 4 > begun.wrapping_sub(read.begun) * 3;
        if !mostly {
            (read.times, read.begun) = (1, begun);
        }
        mostly
    }

    /// Whether one of them leads into the midst of this run.
    pub(super) fn lead_into(&self, run: u32) -> bool {
        let mut exits = self.taken.iter();
        exits.any(|(_, exit)| exit.next == run && exit.from != 0)
    }

    fn add(&mut self, index: usize, timed: bool, exit: Exit) {
        if self.taken.add(index, (exit.way.code(timed), exit), MOST) != 0 {
            self.read.clear();
        }
    }
}

/// A run that was left in a way that is not known yet.
#[derive(Clone, Copy)]
pub(crate) struct Leaving {
    pub run: u32,
    pub index: usize,
    pub way: Way,
    /// When its time began.
    pub base: Cycle,
    /// Event data of its last instruction, in its time.
    pub told: Told,
    /// When what it changed is seen, in its time.
    pub seen: Seen,
    /// [`bus::Flash::epoch`] then, if it is a flash with wait states.
    pub epoch: Option<u64>,
}

impl Leaving {
    /// An exit whose last instruction's result is still to be filled in.
    pub(crate) fn new(run: u32, index: usize, way: Way, base: Cycle, epoch: Option<u64>) -> Leaving {
        Leaving {
            run,
            index,
            way,
            base,
            told: Told::NONE,
            seen: Seen::default(),
            epoch,
        }
    }
}

impl super::Decoded {
    /// A run that was left leads to this one, from this of its instructions on, whose time begins in cycle `base`. From a flash with wait
    /// states that holds again only if all of its words came from the cache, which then was not filled.
    pub(crate) fn leads_to(
        &mut self,
        left: &Leaving,
        (next, from): (u32, usize),
        base: Cycle,
        context: &Context,
    ) {
        self.grows_behind(left, context);
        let flash = context.bus.flash();
        let timed = left.epoch.is_some();
        let words = (
            self.requested(left),
            self.runs[next].run.pipe_at(from).next_word(),
        );
        if timed {
            let filled = flash.map(Flash::epoch) != left.epoch;
            let held = flash.is_some_and(|flash| flash.holds(words.0, words.1));
            if filled || !held {
                return;
            }
        }
        let on = Some(left).filter(|left| left.way.goes_straight_on());
        let on = on.and_then(|left| self.goes_on_in_itself(left, (next, from), context.model));
        let skipped = flash.map_or(0, |flash| self.runs[next].lines_before(from, flash));
        let skipped = on.is_none().then_some(skipped);
        let (next, from, began) = on.map_or((next, from, 0), |(from, began)| (left.run, from, began));
        let exit = Exit {
            way: left.way,
            next,
            from,
            skipped,
            later: base - began - left.base,
            told: left.told,
            seen: left.seen,
            words,
            lines: flash
                .filter(|_| timed)
                .and_then(|flash| self.lines(left, words, flash)),
        };
        let exits = &mut self.runs[left.run].exits;
        exits.add(left.index, timed, exit);
    }

    /// A run that was left at its end by an instruction that goes straight on gets the next one: mostly it goes on in itself then.
    fn grows_behind(&mut self, left: &Leaving, context: &Context) {
        let run = &self.runs[left.run].run;
        if run.open && left.way.goes_straight_on() && left.index + 1 == run.ops.len() {
            self.grow(left.run, context);
        }
    }

    /// Whether the run that comes next, from this of its instructions on, is what follows in the one that was left, at another time.
    /// Gives from which instruction on, and when the time of the one that comes next begins in that of the one that is left.
    fn goes_on_in_itself(
        &self,
        left: &Leaving,
        (next, from): (u32, usize),
        model: Model,
    ) -> Option<(usize, Cycle)> {
        let (run, next) = (&self.runs[left.run].run, &self.runs[next].run);
        let place = left.index + 1;
        let (expected, met) = (run.sides.get(place)?.before, next.sides.get(from)?.before);
        let same = run.ops[place].pc == next.ops[from].pc && run.ops[place].it == next.ops[from].it;
        let same = same && (from != 0 || !next.split && !next.halts);
        let shape = &run.sides[place].shape;
        let timed = left.epoch.is_some();
        let [now, then] = [expected, met].map(|pipe| timing::state_before(&pipe, model, shape, timed));
        (same && now == then).then_some((place, expected.free() - met.free()))
    }

    /// How many of its lines a run that is left so has requested, with these words, if it has all of them.
    fn lines(&self, left: &Leaving, (first, end): (u32, u32), flash: &Flash) -> Option<u16> {
        let slot = &self.runs[left.run];
        let requested = match (left.way, slot.run.sides.get(left.index)) {
            (Way::Jumped(_), Some(side)) => side.next_word,
            _ => self.requested(left),
        };
        let known = first == requested && slot.requests(first, end);
        let lines = slot.lines(requested.max(end), flash.shape().line);
        u16::try_from(lines).ok().filter(|_| known)
    }

    /// The first word that is requested after a run was left, if its last instruction met the expectations except for its duration.
    fn requested(&self, left: &Leaving) -> u32 {
        let run = &self.runs[left.run].run;
        match left.way {
            Way::Jumped(target) => target >> 2,
            Way::End => run.after.next_word(),
            Way::Skipped(_) | Way::Slow(_) | Way::Read(_) | Way::Attended(_) => {
                run.sides[left.index].before.next_word()
            }
        }
    }
}
