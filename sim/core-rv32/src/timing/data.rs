//! `VexRiscv`'s data cache: one way of 128 lines, write-through, with two commands buffered on their way to memory. The
//! data do not matter. Source: the Verilog's module `DataCache` and `DBusCachedPlugin_*`.
//!
//! The tag is read as an access enters the memory stage and decides in the last stage. A load that misses is given up
//! there while its line is loaded, and fetched again; so is one that reads bytes while a store writes them to the cache.

use super::arbiter::{Decision, Stages};
use super::in_flight::{InFlight, Kind};
use super::tags::Tags;
use super::{Latency, Supply};

const LINES: u8 = 128;
const WORDS: u8 = 8;

/// A command on its way to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct DataCommand {
    address: u32,
    writes: bool,
    /// A whole line is asked for.
    line: bool,
    /// How long it takes: known once it is at the bus, or before where ports do not share a cache.
    latency: Latency,
}

impl DataCommand {
    /// The command with its latency.
    fn begun(self, supply: &mut impl Supply) -> DataCommand {
        let words = if self.line { WORDS } else { 1 };
        DataCommand {
            latency: supply.data_latency(self.address, self.writes, words),
            ..self
        }
    }
}

/// The cache and its way to memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub(crate) struct DataCache {
    tags: Tags,
    /// Uncached parts of the address space, a bit for each 256 MiB.
    uncached: u16,
    /// The tag that was read for the memory stage.
    read: Option<u32>,
    /// `stage0_dataColisions`: a store wrote bytes of that access while it was read.
    collided: bool,
    /// `stageB_waysHits` and `stageB_dataColisions`, of the last stage.
    hit: bool,
    collision: bool,
    /// `stageB_mmuRsp_refilling`: its translation was not known.
    unknown: bool,
    /// `unknown` while the cache is flushed: it applies to whatever the memory stage's register holds.
    masked: bool,
    /// The last stage waited in the cycle before, when an AMO there computes (`stageB_amo_internal_resultRegValid`).
    was_stuck: bool,
    /// `stageB_lrSc_reserved`.
    reserved: bool,
    /// `memCmdSent`: the command of the last stage was.
    sent: bool,
    /// The line that is loaded, and the same a cycle ago.
    loading: Option<u32>,
    was_loading: bool,
    /// Words of the line that have arrived.
    arrived: u8,
    /// A command that did not fit into the next.
    waiting: Option<DataCommand>,
    /// The command at the bus.
    posted: Option<DataCommand>,
    /// Cycles that its transfer has waited, and transfers done.
    waited: u32,
    transferred: u8,
    /// A word comes in this cycle.
    responds: bool,
    /// Places emptied so far by a flush.
    flushed: u8,
    starts_flush: bool,
    flushing: bool,
}

/// The outputs of the cache in a cycle.
#[derive(Clone, Copy, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(crate) struct DataCacheOutputs {
    /// The execute stage waits.
    pub halt_execute: bool,
    /// The last stage waits.
    pub halt_write_back: bool,
    /// The access of the last stage is an exception.
    pub fault: bool,
    /// The access of the last stage is given up and comes again.
    pub redo: bool,
    /// The memory request of the last stage.
    command: Option<DataCommand>,
    starts_loading: bool,
    /// The bytes that a store writes to the cache: the word's address and a bit for each.
    written: Option<(u32, u8)>,
    flush_ready: bool,
}

impl DataCache {
    /// As after reset: all is to be emptied. `uncached` has a bit for each 256 MiB that is not cached.
    pub(crate) fn new(uncached: u16) -> DataCache {
        DataCache {
            tags: Tags::new(LINES, 1),
            uncached,
            read: None,
            collided: false,
            hit: false,
            collision: false,
            unknown: false,
            masked: false,
            was_stuck: false,
            reserved: false,
            sent: false,
            loading: None,
            was_loading: false,
            arrived: 0,
            waiting: None,
            posted: None,
            waited: 0,
            transferred: 0,
            responds: false,
            flushed: 0,
            starts_flush: true,
            flushing: false,
        }
    }

    pub(crate) fn answer(&self, stages: &Stages) -> DataCacheOutputs {
        let emptied = self.flushed == LINES;
        let flush_ready = self.flushing && emptied;
        let flushes = stages
            .execute
            .is_some_and(|execute| execute.kind == Kind::FlushData);
        let refilling = self.loading.is_some() && stages.execute.is_some();
        let access = stages.write_back.filter(InFlight::accesses);
        DataCacheOutputs {
            halt_execute: flushes && !flush_ready || !emptied || refilling,
            flush_ready,
            ..access.map_or(DataCacheOutputs::default(), |access| self.last_stage(&access))
        }
    }

    fn last_stage(&self, access: &InFlight) -> DataCacheOutputs {
        if self.unknown {
            return DataCacheOutputs {
                redo: true,
                ..DataCacheOutputs::default()
            };
        }
        if access.misaligned {
            return self.refuse(access);
        }
        let writes = access.kind == Kind::Store;
        let accepted = self.waiting.is_none();
        let command = |line: bool| DataCommand {
            address: access.physical & if line { !31 } else { !0 },
            writes: writes && !line,
            line,
            latency: Latency::default(),
        };
        let redo = self.loading.is_some() && !self.was_loading;
        if access.reserves && writes && !self.reserved {
            return DataCacheOutputs {
                redo,
                ..DataCacheOutputs::default()
            };
        }
        if self.leaves_alone(access.physical) {
            let done = if writes { accepted } else { self.responds };
            return DataCacheOutputs {
                halt_write_back: !done,
                command: (!self.sent).then_some(command(false)),
                redo,
                ..DataCacheOutputs::default()
            };
        }
        if access.modifies && self.hit {
            let computes = !self.was_stuck;
            return DataCacheOutputs {
                halt_write_back: computes || !accepted,
                command: (!computes && !self.collision).then_some(command(false)),
                written: (!computes).then_some((access.physical & !3, access.mask)),
                redo: redo || self.collision,
                ..DataCacheOutputs::default()
            };
        }
        if writes && !access.modifies {
            return DataCacheOutputs {
                halt_write_back: !accepted,
                command: Some(command(false)),
                written: self.hit.then_some((access.physical & !3, access.mask)),
                redo,
                ..DataCacheOutputs::default()
            };
        }
        if self.hit {
            return DataCacheOutputs {
                redo: redo || self.collision,
                ..DataCacheOutputs::default()
            };
        }
        DataCacheOutputs {
            halt_write_back: true,
            command: (!self.sent).then_some(command(true)),
            starts_loading: accepted,
            redo,
            ..DataCacheOutputs::default()
        }
    }

    fn refuse(&self, access: &InFlight) -> DataCacheOutputs {
        // A retry takes precedence over a refusal.
        let reads = access.kind == Kind::Load || access.modifies;
        let collides = reads && self.hit && self.collision && !self.leaves_alone(access.physical);
        DataCacheOutputs {
            fault: !collides,
            redo: collides,
            ..DataCacheOutputs::default()
        }
    }

    /// A line is loaded (`loader_valid`).
    pub(crate) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// The memory does not answer in this cycle.
    pub(crate) fn is_slow(&self) -> bool {
        self.posted
            .is_some_and(|posted| self.waited < posted.latency.word(self.transferred))
    }

    /// The access in the last stage comes again because its translation was not known.
    pub(crate) fn lacks_translation(&self) -> bool {
        self.unknown
    }

    /// Whether it is emptied in the next cycle.
    pub(crate) fn empties(&self) -> bool {
        self.flushed < LINES || self.starts_flush
    }

    /// Whether it is emptied.
    pub(crate) fn flushes(&self) -> bool {
        self.flushed < LINES || self.flushing || self.starts_flush
    }

    /// The line that is loaded.
    pub(crate) fn loading(&self) -> Option<u32> {
        self.loading
    }

    /// Has this line already that is still loaded: until then no access gets as far as to look for one.
    pub(crate) fn hold(&mut self, line: u32) {
        self.tags.hold(line);
    }

    /// Whether the accesses in the stages go straight through, or there are none and a line is loaded.
    pub(crate) fn is_quiet(&self, stages: &Stages) -> bool {
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
        let waits = self.is_loading();
        let empty = under_way == [None; 3];
        let settled = !self.flushes() && !self.collided && !self.collision && !self.unknown;
        settled && (!waits || empty) && (0..under_way.len()).all(straight)
    }

    /// Whether a load hits.
    pub(crate) fn holds(&self, address: u32) -> bool {
        // Of what it leaves alone it has no line.
        self.tags.at(address >> 5) == Some(address >> 5)
    }

    /// Whether an address is not cached.
    pub(crate) fn leaves_alone(&self, address: u32) -> bool {
        self.uncached >> (address >> 28) & 1 != 0
    }

    pub(crate) fn swap_tags(&mut self, tags: &mut Tags) {
        std::mem::swap(&mut self.tags, tags);
    }

    /// Forgets what depends on addresses.
    pub(crate) fn strip(&mut self) {
        self.read = None;
        (self.hit, self.collided, self.collision) = (false, false, false);
        self.was_stuck = false;
        for command in [&mut self.waiting, &mut self.posted].into_iter().flatten() {
            command.address = 0;
        }
        self.loading = self.loading.map(|_| 0);
    }

    /// The address of the command that waits for the bus.
    pub(crate) fn waiting(&self) -> Option<u32> {
        self.waiting.map(|waiting| waiting.address)
    }

    /// Has this address in the command that waits for the bus, if one does.
    pub(crate) fn wait_for(&mut self, address: u32) {
        if let Some(waiting) = &mut self.waiting {
            waiting.address = address;
        }
    }

    /// Finds it out again; `loading` is the line that is loaded, if one is.
    pub(crate) fn restore(&mut self, stages: &Stages, loading: u32) {
        self.loading = self.loading.map(|_| loading);
        let line = |in_flight: Option<InFlight>| {
            in_flight
                .filter(InFlight::accesses)
                .map(|access| access.physical >> 5)
        };
        self.read = line(stages.memory).and_then(|line| self.tags.at(line));
        self.hit = line(stages.write_back).is_some_and(|line| self.tags.at(line) == Some(line));
    }

    /// Ends a cycle. `unknown`: the instruction in the memory stage lacks its translation. `masked`: while the cache is flushed, the value
    /// in that stage's register lacks one too, whether it is an address or not.
    pub(crate) fn clock(
        &mut self,
        answer: &DataCacheOutputs,
        decision: &Decision,
        stages: &Stages,
        [unknown, masked]: [bool; 2],
        supply: &mut impl Supply,
    ) {
        let loaded = self.loading.filter(|_| self.responds);
        let written = loaded.map_or(answer.written, |line| {
            Some((line << 5 | u32::from(self.arrived) << 2, 15))
        });
        let last_unknown = self.unknown;
        self.clock_stages(decision, stages, written, unknown);
        let last = stages
            .write_back
            .filter(|access| access.reserves && !answer.fault && !last_unknown);
        if let Some(access) = last.filter(|_| !decision.write_back_stuck) {
            self.reserved = access.kind == Kind::Load;
        }
        let was_loading = self.loading.is_some();
        let finished = loaded.filter(|_| self.arrived == WORDS - 1);
        self.clock_flush(answer, stages, finished.is_some());
        // `stageB_mmuRspFreeze`
        if !decision.write_back_stuck && !was_loading && !answer.starts_loading {
            self.masked = masked;
        }
        if let Some(line) = finished {
            self.tags.hold(line);
        }
        if loaded.is_some() {
            self.arrived = (self.arrived + 1) % WORDS;
        }
        if answer.starts_loading
            && let Some(access) = stages.write_back
        {
            self.loading = Some(access.physical >> 5);
        }
        if finished.is_some() {
            self.loading = None;
        }
        self.was_loading = was_loading;
        self.sent |= answer.command.is_some() && self.waiting.is_none();
        self.sent &= decision.write_back_stuck;
        self.was_stuck = decision.write_back_stuck;
        self.clock_commands(answer.command, supply);
    }

    /// The access that enters the memory stage has its tag read; the one that enters the last stage takes what was found.
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

    /// A place in each cycle: not while the last stage is refused or lacks a translation, nor in the cycle in which a line comes, which
    /// is written in its stead.
    fn clock_flush(&mut self, answer: &DataCacheOutputs, stages: &Stages, comes: bool) {
        if self.flushed < LINES {
            if !answer.fault && !self.masked && !comes {
                self.tags.empty(self.flushed);
            }
            self.flushed += 1;
        }
        let starts = self.starts_flush;
        let accesses = [stages.execute, stages.memory, stages.write_back]
            .iter()
            .flatten()
            .any(InFlight::accesses);
        let asks = stages
            .execute
            .is_some_and(|execute| execute.kind == Kind::FlushData);
        self.starts_flush = !self.flushing && !starts && asks && !accesses && !answer.redo;
        self.flushing &= !answer.flush_ready;
        if starts {
            (self.flushing, self.flushed) = (true, 0);
        }
    }

    /// Commands move on to the bus, and the one at the bus is transferred.
    fn clock_commands(&mut self, command: Option<DataCommand>, supply: &mut impl Supply) {
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
