//! Pipelines whose registers come round: clocked once along a run of instructions, they need not be clocked again when the
//! same registers meet the same run.

use std::hash::Hash;

use super::Supply;
use super::arbiter::Stages;
use super::passage::{Kind, Passage};
use super::rules::Rule;

/// An access that is under way.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Place {
    /// The word's address.
    pub address: u32,
    /// Its bus address.
    pub physical: u32,
    /// The bytes of the word.
    pub mask: u8,
}

impl Place {
    /// Puts it into its instruction.
    pub(crate) fn put(self, passage: &mut Passage) {
        (passage.address, passage.physical, passage.mask) = (self.address, self.physical, self.mask);
    }
}

/// The operands that decide how long an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Matters {
    /// No operand.
    Nothing,
    /// The amount of a shift.
    Amount,
    /// Whether a divisor is zero.
    Divisor,
}

/// The behaviour of a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Load {
    /// Straight through the pipeline.
    AtOnce,
    /// Its line is loaded first; then it and all younger instructions execute again.
    Misses,
    /// Any other behaviour.
    Else,
}

/// A pipeline whose behaviour can be cached.
pub(crate) trait Recurrent: Clone + Eq + Hash + Send + Sync + 'static {
    /// Cycles of an instruction that nothing keeps waiting.
    const PACE: u32 = 1;

    /// Whether a store and a following load can collide in the cache, so that the load is retried.
    const STORES_COLLIDE: bool = false;

    /// Its data port asks for stores and for lines that loads miss, in the order of the program, so that it is known which address
    /// is asked for when a run comes round.
    const ASKS_IN_ORDER: bool = false;

    /// By which operands an instruction takes longer or shorter.
    const MATTERS: Matters;

    /// Clocks one cycle. Returns the instruction that retires in it.
    fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage>;

    /// The rule by which the cycle that was clocked last was lost; none if something retired in it.
    fn lost(&self) -> Option<Rule>;

    /// The address that is fetched in the next cycle.
    fn fetch_pc(&self) -> u32;

    /// The address whose fetch shows in the cycle that was clocked last, if its register held `held` in it, and `before` was announced
    /// last.
    fn announces(&self, held: u32, before: Option<u32>) -> Option<u32> {
        Some(held).filter(|&held| before != Some(held))
    }

    /// Instructions that left the decode stage and have not retired.
    fn under_way(&self) -> usize;

    /// Nothing is under way but instructions that go straight through, stores on their way to memory, and lines: of instructions, or
    /// of data for which all that comes next waits.
    fn is_quiet(&self) -> bool;

    /// No cache is emptied, and no table walked.
    fn is_calm(&self) -> bool {
        true
    }

    /// Its registers, without what depends on data: of an address only its class remains.
    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self;

    /// Has these registers from now on; the accesses under way are at these places, the youngest first, and the line that is
    /// loaded, if there is one, is `loading`.
    fn resume(&mut self, stripped: &Self, places: &[Place], loading: u32);

    /// The line that the data cache loads.
    fn loading(&self) -> Option<u32> {
        None
    }

    /// Inserts a line into the data cache at once: accesses to it wait anyway while it is loaded.
    fn hold(&mut self, _line: u32) {}

    /// Whether the instruction cache has this line.
    fn fetches(&self, _line: u32) -> bool {
        true
    }

    /// How often the instruction cache had other lines.
    fn fetch_changes(&self) -> u64 {
        0
    }

    /// The address of data that waits to be asked for at the bus.
    fn waiting(&self) -> Option<u32> {
        None
    }

    /// If some data do, it is this address.
    fn wait_for(&mut self, _address: u32) {}

    /// The line that the instruction cache loads.
    fn loading_fetched(&self) -> Option<u32> {
        None
    }

    /// Inserts a line into the instruction cache, as of `_later` turns after this cycle.
    fn hold_fetched(&mut self, _line: u32, _later: u8) {}

    /// Turns after the cycle with turn count `_turns` at which the instruction cache received this line, as far as its way shows.
    fn came_later(&self, _line: u32, _turns: u64) -> u8 {
        0
    }

    /// Whether two lines of the instruction cache may make room for each other in a way that depends on when they come.
    fn compete(&self, _one: u32, _other: u32) -> bool {
        false
    }

    /// Cycles in which no line was loaded, of instructions and of data: which way the next one goes to.
    fn turns(&self) -> [u64; 2] {
        [0; 2]
    }

    /// Advances the turn counters.
    fn turn_by(&mut self, _turns: [u32; 2]) {}

    /// The fetched address whose line was not looked up yet.
    fn fetched(&self) -> Option<u32> {
        None
    }

    /// How a load from there goes.
    fn load(&self, _address: u32) -> Load {
        Load::AtOnce
    }

    /// Whether a store to there does.
    fn stores_at_once(&self, _address: u32) -> bool {
        true
    }
}

/// Whether nothing in the stages is anything special.
pub(super) fn goes_straight(stages: &Stages) -> bool {
    let under_way = [stages.execute, stages.memory, stages.write_back];
    let excepted = stages.exceptions.contains(&true) || stages.had_exception;
    let refused = stages.decode.is_some_and(|decode| decode.kind == Kind::Illegal);
    !excepted && !refused && under_way.iter().flatten().all(is_plain)
}

/// Whether an instruction is nothing special.
pub(super) fn is_plain(passage: &Passage) -> bool {
    let special = matches!(
        passage.kind,
        Kind::Csr
            | Kind::IllegalCsr
            | Kind::FlushTranslations
            | Kind::Return
            | Kind::Wait
            | Kind::FlushData
            | Kind::Call
            | Kind::Illegal
    );
    !special && !passage.misaligned && !passage.reserves && !passage.modifies
}

/// Number of instructions after the decode stage.
pub(super) fn under_way(stages: &Stages) -> usize {
    let behind = [stages.execute, stages.memory, stages.write_back];
    behind.iter().flatten().count()
}

/// Replaces the addresses in the stages by their classes, and the operands by 0 that do not matter.
pub(super) fn strip(stages: &mut Stages, matters: Matters, class: &impl Fn(u32) -> u32) {
    let all = [
        &mut stages.decode,
        &mut stages.execute,
        &mut stages.memory,
        &mut stages.write_back,
    ];
    for passage in all.into_iter().flatten() {
        strip_passage(passage, matters, class);
    }
    if let Some(decode) = &mut stages.decode {
        (decode.address, decode.physical) = (0, 0);
    }
}

/// Removes from one instruction everything that does not matter.
pub(super) fn strip_passage(passage: &mut Passage, matters: Matters, class: &impl Fn(u32) -> u32) {
    passage.address = if passage.accesses() {
        class(passage.physical)
    } else {
        0
    };
    (passage.physical, passage.mask) = (passage.address, 0);
    passage.by_zero &= matters == Matters::Divisor;
    if let Kind::Shift(amount) = &mut passage.kind
        && matters != Matters::Amount
    {
        *amount = 0;
    }
}

/// Puts the addresses back: the youngest is in the execute stage.
pub(super) fn restore(stages: &mut Stages, places: &[Place]) {
    let under_way = [&mut stages.execute, &mut stages.memory, &mut stages.write_back];
    for (passage, place) in under_way.into_iter().flatten().zip(places) {
        place.put(passage);
    }
}
