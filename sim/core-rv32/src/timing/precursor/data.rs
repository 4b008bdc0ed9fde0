//! The data cache of several ways: write-through, with two commands buffered on their way to memory. The data do not matter. Source:
//! the Verilog's module `DataCache` and `DBusCachedPlugin_*`.
//!
//! The tags are read as an access enters the memory stage and decide in the last stage. A load that misses is given up there while
//! its line is loaded, and fetched again; until then no other access leaves the execute stage. While the cache is emptied nothing
//! leaves the last stage.

use crate::timing::arbiter::{Decision, Stages};
use crate::timing::in_flight::{InFlight, Kind};
use crate::timing::tags::Tags;
use crate::timing::{Latency, Supply};

const LINES: u8 = 128;
const WORDS: u8 = 8;

/// A command on its way to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct PrecursorCommand {
    address: u32,
    writes: bool,
    /// A whole line is asked for.
    line: bool,
    /// How long it takes: known once it is at the bus, or before where ports do not share a cache.
    latency: Latency,
}

impl PrecursorCommand {
    /// The command with its latency.
    fn begun(self, supply: &mut impl Supply) -> PrecursorCommand {
        let words = if self.line { WORDS } else { 1 };
        PrecursorCommand {
            latency: supply.data_latency(self.address, self.writes, words),
            ..self
        }
    }
}

/// The cache and its way to memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub(super) struct PrecursorDataCache {
    tags: Tags,
    /// Uncached parts of the address space, a bit for each 256 MiB.
    uncached: u16,
    /// The tag that was read for the memory stage: its own, if one of the ways has it.
    read: Option<u32>,
    /// `stage0_colisions_regNextWhen`: a store wrote bytes of that access while it was read.
    collided: bool,
    /// `stageB_waysHits` and `stageB_colisions`, of the last stage.
    hit: bool,
    collision: bool,
    /// `stageB_mmuRsp_refilling`: its translation was not known.
    unknown: bool,
    /// `stageB_amo_resultRegValid`: the last stage waited in the cycle before, when an AMO there computes.
    was_stuck: bool,
    /// `stageB_lrsc_reserved`.
    reserved: bool,
    /// `stageB_memCmdSent`: the command of the last stage was.
    sent: bool,
    /// The line that is loaded.
    loading: Option<u32>,
    /// Words of the line that have arrived.
    arrived: u8,
    /// A command that did not fit into the next.
    waiting: Option<PrecursorCommand>,
    /// The command at the bus.
    posted: Option<PrecursorCommand>,
    /// Cycles that its transfer has waited, and transfers done.
    waited: u32,
    transferred: u8,
    /// A word comes in this cycle.
    responds: bool,
    /// The place that is emptied in this cycle.
    flushing: Option<u8>,
}

/// The outputs of the cache in a cycle.
#[derive(Clone, Copy, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(super) struct PrecursorDataOutputs {
    /// The execute stage waits.
    pub(super) halt_execute: bool,
    /// The last stage waits.
    pub(super) halt_write_back: bool,
    /// The access of the last stage is an exception.
    pub(super) fault: bool,
    /// The access in the last stage, if any, is cancelled and retried; no other access may follow it.
    pub(super) redo: bool,
    /// The memory request of the last stage.
    command: Option<PrecursorCommand>,
    starts_loading: bool,
    /// The bytes that a store writes to the cache: the word's address and a bit for each.
    written: Option<(u32, u8)>,
    flush_ready: bool,
}

impl PrecursorDataCache {
    /// As after reset: all is to be emptied. `uncached` has a bit for each 256 MiB that is not cached.
    pub(super) fn new(uncached: u16, ways: u8) -> PrecursorDataCache {
        PrecursorDataCache {
            tags: Tags::new(LINES, ways),
            uncached,
            read: None,
            collided: false,
            hit: false,
            collision: false,
            unknown: false,
            was_stuck: false,
            reserved: false,
            sent: false,
            loading: None,
            arrived: 0,
            waiting: None,
            posted: None,
            waited: 0,
            transferred: 0,
            responds: false,
            flushing: Some(0),
        }
    }

    /// Of what is in these stages, those of a walk among them.
    pub(super) fn answer(&self, stages: &Stages) -> PrecursorDataOutputs {
        let access = stages.write_back.filter(InFlight::accesses);
        let mut answer = access.map_or(PrecursorDataOutputs::default(), |access| self.last_stage(&access));
        answer.redo |= self.loading.is_some();
        let refused = self.unknown || access.is_some_and(|access| access.misaligned);
        answer.halt_write_back |= self.flushing.is_some() && !refused;
        let flushes = stages
            .execute
            .is_some_and(|execute| execute.kind == Kind::FlushData);
        let accesses = [stages.memory, stages.write_back]
            .iter()
            .flatten()
            .any(InFlight::accesses);
        answer.flush_ready = flushes && !accesses && !answer.redo;
        let follows = stages.execute.is_some_and(|execute| execute.accesses());
        answer.halt_execute = flushes && !answer.flush_ready || follows && answer.redo;
        answer
    }

    fn last_stage(&self, access: &InFlight) -> PrecursorDataOutputs {
        let writes = access.kind == Kind::Store;
        let cached = !self.leaves_alone(access.physical);
        let collides = cached && self.hit && self.collision && (!writes || access.modifies);
        if self.unknown || access.misaligned {
            return PrecursorDataOutputs {
                fault: access.misaligned && !self.unknown,
                redo: self.unknown || collides,
                ..PrecursorDataOutputs::default()
            };
        }
        let fails = access.reserves && !self.reserved;
        let accepted = self.waiting.is_none();
        let command = |line: bool| PrecursorCommand {
            address: access.physical & if line { !31 } else { !0 },
            writes: writes && !line,
            line,
            latency: Latency::default(),
        };
        if !cached {
            let done = fails || if writes { accepted } else { self.responds };
            return PrecursorDataOutputs {
                halt_write_back: !done,
                command: (!self.sent && !fails).then_some(command(false)),
                ..PrecursorDataOutputs::default()
            };
        }
        if !self.hit && (!writes || access.modifies) {
            return PrecursorDataOutputs {
                halt_write_back: true,
                command: (!self.sent).then_some(command(true)),
                starts_loading: accepted,
                ..PrecursorDataOutputs::default()
            };
        }
        let computes = access.modifies && !self.was_stuck;
        let stores = writes && !computes && !fails;
        PrecursorDataOutputs {
            halt_write_back: !fails && (writes && !accepted || computes),
            command: (stores && !collides).then_some(command(false)),
            written: (stores && self.hit).then_some((access.physical & !3, access.mask)),
            redo: collides,
            ..PrecursorDataOutputs::default()
        }
    }

    /// The memory does not answer in this cycle.
    pub(super) fn is_slow(&self) -> bool {
        self.posted
            .is_some_and(|posted| self.waited < posted.latency.word(self.transferred))
    }

    /// The access in the last stage comes again because its translation was not known.
    pub(super) fn lacks_translation(&self) -> bool {
        self.unknown
    }

    /// Whether it is emptied.
    pub(super) fn flushes(&self) -> bool {
        self.flushing.is_some()
    }

    /// The line that is loaded.
    pub(super) fn loading(&self) -> Option<u32> {
        self.loading
    }

    /// Has this line already that is still loaded: until then no access gets as far as to look for one.
    pub(super) fn hold(&mut self, line: u32) {
        self.tags.hold(line);
    }

    /// Cycles in which no line was loaded.
    pub(super) fn turns(&self) -> u64 {
        self.tags.turns()
    }

    pub(super) fn turn_by(&mut self, cycles: u32) {
        self.tags.turn_by(cycles);
    }

    /// Whether the accesses in the stages go straight through, or there are none and a line is loaded.
    pub(super) fn is_quiet(&self, stages: &Stages) -> bool {
        let under_way = [stages.execute, stages.memory, stages.write_back];
        let straight = |place: usize| {
            let Some(access) = under_way[place].filter(InFlight::accesses) else {
                return true;
            };
            let older = under_way[place + 1..].iter().flatten();
            let meets = || {
                older
                    .filter(|older| older.kind == Kind::Store)
                    .any(|store| overlap(store, &access))
            };
            let load = access.kind == Kind::Load;
            !self.leaves_alone(access.physical) && !(load && (!self.holds(access.physical) || meets()))
        };
        let empty = under_way == [None; 3];
        let settled = !self.flushes() && !self.collided && !self.collision && !self.unknown;
        settled && (self.loading.is_none() || empty) && (0..under_way.len()).all(straight)
    }

    /// Whether a load hits.
    pub(super) fn holds(&self, address: u32) -> bool {
        // Of what it leaves alone it has no line.
        self.tags.at(address >> 5) == Some(address >> 5)
    }

    pub(super) fn swap_tags(&mut self, tags: &mut Tags) {
        std::mem::swap(&mut self.tags, tags);
    }

    /// Forgets what depends on addresses.
    pub(super) fn strip(&mut self) {
        self.read = None;
        (self.hit, self.collided, self.collision) = (false, false, false);
        self.was_stuck = false;
        for command in [&mut self.waiting, &mut self.posted].into_iter().flatten() {
            command.address = 0;
        }
        self.loading = self.loading.map(|_| 0);
    }

    /// Finds it out again; `loading` is the line that is loaded, if one is.
    pub(super) fn restore(&mut self, stages: &Stages, loading: u32) {
        self.loading = self.loading.map(|_| loading);
        let line = |in_flight: Option<InFlight>| {
            in_flight
                .filter(InFlight::accesses)
                .map(|access| access.physical >> 5)
        };
        self.read = line(stages.memory).and_then(|line| self.tags.at(line));
        self.hit = line(stages.write_back).is_some_and(|line| self.tags.at(line) == Some(line));
    }

    /// The address of the command that waits for the bus.
    pub(super) fn waiting(&self) -> Option<u32> {
        self.waiting.map(|waiting| waiting.address)
    }

    /// Has this address in the command that waits for the bus, if one does.
    pub(super) fn wait_for(&mut self, address: u32) {
        if let Some(waiting) = &mut self.waiting {
            waiting.address = address;
        }
    }

    /// Whether an address is not cached.
    pub(super) fn leaves_alone(&self, address: u32) -> bool {
        self.uncached >> (address >> 28) & 1 != 0
    }

    /// Ends a cycle. `unknown`: the instruction in the memory stage lacks its translation.
    pub(super) fn clock(
        &mut self,
        answer: &PrecursorDataOutputs,
        decision: &Decision,
        stages: &Stages,
        unknown: bool,
        supply: &mut impl Supply,
    ) {
        let loaded = self.loading.filter(|_| self.responds);
        let written = loaded.map_or(answer.written, |line| {
            Some((line << 5 | u32::from(self.arrived) << 2, 15))
        });
        let refused = self.unknown || answer.fault;
        self.clock_reservation(answer, decision, stages);
        self.clock_stages(decision, stages, written, unknown);
        self.clock_loader(answer, loaded, stages);
        self.clock_flush(answer, refused);
        self.sent |= answer.command.is_some() && self.waiting.is_none();
        self.sent &= decision.write_back_stuck;
        self.was_stuck = decision.write_back_stuck;
        self.clock_commands(answer.command, supply);
    }

    /// An LR that leaves reserves; only a trap or a return from one ends that.
    fn clock_reservation(&mut self, answer: &PrecursorDataOutputs, decision: &Decision, stages: &Stages) {
        let leaves = !decision.write_back_stuck && !answer.redo;
        let reserves = |last: InFlight| last.reserves && last.kind == Kind::Load;
        self.reserved |= leaves && stages.write_back.is_some_and(reserves);
        self.reserved &= decision.traps.is_none();
    }

    fn clock_loader(&mut self, answer: &PrecursorDataOutputs, loaded: Option<u32>, stages: &Stages) {
        if self.loading.is_none() {
            self.tags.turn();
        }
        if let Some(line) = loaded {
            self.arrived = (self.arrived + 1) % WORDS;
            if self.arrived == 0 {
                self.tags.hold(line);
                self.loading = None;
            }
        }
        if answer.starts_loading
            && let Some(access) = stages.write_back
        {
            self.loading = Some(access.physical >> 5);
        }
    }

    /// The access that enters the memory stage has its tags read; the one that enters the last stage takes what was found.
    fn clock_stages(
        &mut self,
        decision: &Decision,
        stages: &Stages,
        written: Option<(u32, u8)>,
        unknown: bool,
    ) {
        let collides = |access: Option<InFlight>| {
            let meets = |access: InFlight| {
                written.is_some_and(|(word, mask)| word == access.physical & !3 && mask & access.mask != 0)
            };
            access.is_some_and(meets)
        };
        if !decision.write_back_stuck {
            self.hit = stages
                .memory
                .is_some_and(|memory| self.read == Some(memory.physical >> 5));
            self.unknown = unknown;
            self.collision = self.collided || collides(stages.memory);
        }
        let [_, _, memory_stuck] = decision.stuck;
        if !memory_stuck {
            self.collided = collides(stages.execute);
            if let Some(execute) = stages.execute.filter(InFlight::accesses) {
                self.read = self.tags.at(execute.physical >> 5);
            }
        }
    }

    fn clock_flush(&mut self, answer: &PrecursorDataOutputs, refused: bool) {
        if let Some(place) = self.flushing {
            if !refused {
                self.tags.empty(place);
            }
            self.flushing = (place + 1 < LINES).then_some(place + 1);
        }
        if answer.flush_ready {
            self.flushing = Some(0);
        }
    }

    /// Commands move on to the bus, and the one at the bus is transferred.
    fn clock_commands(&mut self, command: Option<PrecursorCommand>, supply: &mut impl Supply) {
        let (acknowledged, done) = self.transfer(supply);
        self.responds = acknowledged && self.posted.is_some_and(|posted| !posted.writes);
        let moves = self.posted.is_none() || done;
        let (command, late) = (command.filter(|_| self.waiting.is_none()), supply.shares_memory());
        let command = command.map(|command| if late { command } else { command.begun(supply) });
        let next = self.waiting.or(command);
        if moves {
            self.waiting = None;
            self.posted = next.map(|command| if late { command.begun(supply) } else { command });
        } else {
            self.waiting = next;
        }
    }

    /// Whether a word is acknowledged in this cycle, and with it the whole command.
    fn transfer(&mut self, supply: &mut impl Supply) -> (bool, bool) {
        let Some(posted) = self.posted else {
            return (false, false);
        };
        if self.waited < posted.latency.word(self.transferred) {
            self.waited += 1;
            return (false, false);
        }
        self.waited = 0;
        self.transferred = if posted.line {
            (self.transferred + 1) % WORDS
        } else {
            0
        };
        if !posted.line {
            supply.transferred(posted.address, posted.writes);
        }
        (true, self.transferred == 0)
    }
}

/// Whether two accesses have bytes in common.
fn overlap(one: &InFlight, other: &InFlight) -> bool {
    one.physical >> 2 == other.physical >> 2 && one.mask & other.mask != 0
}
