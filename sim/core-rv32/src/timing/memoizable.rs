//! Pipelines whose behaviour is memoised: the same registers at the same block need to be clocked only once.

use std::hash::Hash;

use super::Supply;
use super::arbiter::Stages;
use super::in_flight::{InFlight, Kind};
use super::rules::Rule;

/// Where an access in flight goes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct AccessPlace {
    /// Address of its word.
    pub address: u32,
    /// Bus address of its word.
    pub physical: u32,
    /// Its bytes in the word.
    pub mask: u8,
}

impl AccessPlace {
    /// Puts it into its instruction.
    pub(crate) fn put(self, in_flight: &mut InFlight) {
        (in_flight.address, in_flight.physical, in_flight.mask) = (self.address, self.physical, self.mask);
    }
}

/// The operand that decides how long an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RelevantOperand {
    /// No operand.
    Nothing,
    /// The amount of a shift.
    Amount,
    /// Whether a divisor is zero.
    Divisor,
}

/// What a load does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Load {
    /// Passes through the pipeline.
    AtOnce,
    /// Waits for its line; then it and all younger instructions execute again.
    Misses,
    /// Anything else.
    Else,
}

/// A pipeline whose behaviour can be memoised.
pub(crate) trait Memoizable: Clone + Eq + Hash + Send + Sync + 'static {
    /// Cycles of an instruction that does not wait.
    const PACE: u32 = 1;

    /// Whether a load may collide in the cache with a store before it, and is then retried.
    const STORES_COLLIDE: bool = false;

    /// Whether its data port requests stores, and lines of loads that miss, in program order. The addresses of a memoised block are then
    /// known.
    const ASKS_IN_ORDER: bool = false;

    /// The operand that decides how long an instruction takes.
    const RELEVANT_OPERAND: RelevantOperand;

    /// Clocks one cycle. Returns the instruction that retires in it.
    fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight>;

    /// The rule that accounts for the last cycle, if nothing retired in it.
    fn lost(&self) -> Option<Rule>;

    /// The address that is fetched in the next cycle.
    fn fetch_pc(&self) -> u32;

    /// The address whose fetch shows in the last cycle, if the fetch register held `held` in it and `before` was emitted last.
    fn announces(&self, held: u32, before: Option<u32>) -> Option<u32> {
        Some(held).filter(|&held| before != Some(held))
    }

    /// Instructions that left the decode stage and have not retired.
    fn under_way(&self) -> usize;

    /// Whether only ordinary instructions, stores on their way to memory, and lines are in flight: lines of instructions, or of data that
    /// all younger instructions wait for.
    fn is_quiet(&self) -> bool;

    /// Whether no cache is being emptied and no table walked.
    fn is_calm(&self) -> bool {
        true
    }

    /// Its registers without what depends on data: addresses are replaced by their class.
    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self;

    /// Sets these registers. `places`: the accesses in flight, youngest first. `loading`: the line that is being loaded, if one is.
    fn resume(&mut self, stripped: &Self, places: &[AccessPlace], loading: u32);

    /// The line that the data cache is loading.
    fn loading(&self) -> Option<u32> {
        None
    }

    /// Inserts a line into the data cache at once: accesses to it wait anyway while it is loaded.
    fn hold(&mut self, _line: u32) {}

    /// Whether the instruction cache has this line.
    fn fetches(&self, _line: u32) -> bool {
        true
    }

    /// Counts changes of the instruction cache's lines.
    fn fetch_changes(&self) -> u64 {
        0
    }

    /// The address of data that waits to be requested at the bus.
    fn waiting(&self) -> Option<u32> {
        None
    }

    /// Sets the address of the data that waits, if some does.
    fn wait_for(&mut self, _address: u32) {}

    /// The line that the instruction cache is loading.
    fn loading_fetched(&self) -> Option<u32> {
        None
    }

    /// Inserts a line into the instruction cache, as if `_later` turns from now.
    fn hold_fetched(&mut self, _line: u32, _later: u8) {}

    /// Turns from `_turns` until the instruction cache received this line, as far as its way shows.
    fn came_later(&self, _line: u32, _turns: u64) -> u8 {
        0
    }

    /// Whether the order in which two lines arrive decides which one the instruction cache keeps.
    fn compete(&self, _one: u32, _other: u32) -> bool {
        false
    }

    /// Cycles in which no line was loaded, of instructions and of data. They select the way of the next line.
    fn turns(&self) -> [u64; 2] {
        [0; 2]
    }

    /// Advances these counters.
    fn turn_by(&mut self, _turns: [u32; 2]) {}

    /// A fetched address whose line was not looked up yet.
    fn fetched(&self) -> Option<u32> {
        None
    }

    /// What a load from this address does.
    fn load(&self, _address: u32) -> Load {
        Load::AtOnce
    }

    /// Whether a store to this address passes through the pipeline.
    fn stores_at_once(&self, _address: u32) -> bool {
        true
    }
}

/// Whether all instructions in the stages are ordinary.
pub(super) fn goes_straight(stages: &Stages) -> bool {
    let under_way = [stages.execute, stages.memory, stages.write_back];
    let excepted = stages.exceptions.contains(&true) || stages.had_exception;
    let refused = stages.decode.is_some_and(|decode| decode.kind == Kind::Illegal);
    !excepted && !refused && under_way.iter().flatten().all(is_plain)
}

/// Whether an instruction is ordinary.
pub(super) fn is_plain(in_flight: &InFlight) -> bool {
    let special = matches!(
        in_flight.kind,
        Kind::Csr
            | Kind::IllegalCsr
            | Kind::FlushTranslations
            | Kind::Return
            | Kind::Wait
            | Kind::FlushData
            | Kind::Call
            | Kind::Illegal
    );
    !special && !in_flight.misaligned && !in_flight.reserves && !in_flight.modifies
}

/// Number of instructions after the decode stage.
pub(super) fn under_way(stages: &Stages) -> usize {
    let behind = [stages.execute, stages.memory, stages.write_back];
    behind.iter().flatten().count()
}

/// Replaces addresses in the stages by their classes, and operands that do not matter by 0.
pub(super) fn strip(stages: &mut Stages, relevant: RelevantOperand, class: &impl Fn(u32) -> u32) {
    let all = [
        &mut stages.decode,
        &mut stages.execute,
        &mut stages.memory,
        &mut stages.write_back,
    ];
    for in_flight in all.into_iter().flatten() {
        strip_insn(in_flight, relevant, class);
    }
    if let Some(decode) = &mut stages.decode {
        (decode.address, decode.physical) = (0, 0);
    }
}

/// Removes everything that does not matter from one instruction.
pub(super) fn strip_insn(in_flight: &mut InFlight, relevant: RelevantOperand, class: &impl Fn(u32) -> u32) {
    in_flight.address = if in_flight.accesses() {
        class(in_flight.physical)
    } else {
        0
    };
    (in_flight.physical, in_flight.mask) = (in_flight.address, 0);
    in_flight.by_zero &= relevant == RelevantOperand::Divisor;
    if let Kind::Shift(amount) = &mut in_flight.kind
        && relevant != RelevantOperand::Amount
    {
        *amount = 0;
    }
}

/// Restores the addresses in the stages; the youngest is in the execute stage.
pub(super) fn restore(stages: &mut Stages, places: &[AccessPlace]) {
    let under_way = [&mut stages.execute, &mut stages.memory, &mut stages.write_back];
    for (in_flight, place) in under_way.into_iter().flatten().zip(places) {
        place.put(in_flight);
    }
}
