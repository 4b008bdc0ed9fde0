//! The walk through the tables of pages, one for fetches and data. It reads them through the data cache, by accesses that go through
//! the stages like a load, when no instruction is there; what one of them brings is known in the cycle in which it leaves the last
//! stage. Source: the Verilog's `MmuPlugin_shared_*`, `MmuPlugin_dBusAccess_*` and `*_IS_DBUS_SHARING`.

use super::data::PrecursorDataOutputs;
use crate::timing::arbiter::{Decision, Stages};
use crate::timing::walker::{Unknown, access};
use crate::timing::{InFlight, Supply, TableEntry};

/// `MmuPlugin_shared_state_1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum PrecursorWalkerState {
    Idle,
    /// An entry is asked for.
    Ask,
    /// The answer is pending.
    Answer,
}

/// The page table walker.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct PrecursorWalker {
    state: PrecursorWalkerState,
    /// For a fetch; else for data.
    fetch: bool,
    /// The address that is translated.
    address: u32,
    level: u32,
    /// Of the entry that is asked for.
    place: u32,
    /// Its access is in the memory stage: where it goes.
    memory: Option<u32>,
    /// The address in the last stage.
    write_back: Option<u32>,
}

impl PrecursorWalker {
    /// As it comes out of reset.
    pub(super) fn new() -> PrecursorWalker {
        PrecursorWalker {
            state: PrecursorWalkerState::Idle,
            fetch: false,
            address: 0,
            level: 0,
            place: 0,
            memory: None,
            write_back: None,
        }
    }

    /// Nothing is asked for or under way.
    pub(super) fn is_idle(&self) -> bool {
        self.state == PrecursorWalkerState::Idle && self.memory.is_none() && self.write_back.is_none()
    }

    /// Whether it needs the stages after decode.
    pub(super) fn asks(&self) -> bool {
        self.state == PrecursorWalkerState::Ask
    }

    /// An access waits in the decode stage: addresses of data are translated.
    pub(super) fn halts_access(&self, stages: &Stages) -> bool {
        let accesses = || stages.decode.is_some_and(|decode| decode.accesses());
        self.state != PrecursorWalkerState::Idle && !self.fetch && accesses()
    }

    /// The fetch waits in its second stage.
    pub(super) fn halts_fetch(&self) -> bool {
        self.state != PrecursorWalkerState::Idle && self.fetch
    }

    /// The stages with its accesses in them.
    pub(super) fn among(&self, stages: &Stages) -> Stages {
        let among = |place: Option<u32>, stage: Option<InFlight>| place.map(access).or(stage);
        Stages {
            memory: among(self.memory, stages.memory),
            write_back: among(self.write_back, stages.write_back),
            ..*stages
        }
    }

    /// The walker's access that enters the stages after decode in this cycle, which must be empty.
    pub(super) fn begins(
        &self,
        stages: &Stages,
        answer: &PrecursorDataOutputs,
        decision: &Decision,
    ) -> Option<InFlight> {
        let [_, exceptions @ ..] = stages.exceptions;
        let behind = [stages.execute, stages.memory, stages.write_back];
        let empty = behind.iter().all(Option::is_none) && !exceptions.contains(&true);
        let [_, execute_stuck, _] = decision.stuck;
        let begins = self.asks() && empty && !answer.redo && !execute_stuck;
        begins.then(|| access(self.place))
    }

    /// The end of the cycle. `answer` is of what is in the last stage.
    pub(super) fn clock(
        &mut self,
        begins: bool,
        answer: &PrecursorDataOutputs,
        decision: &Decision,
        unknown: Unknown,
        supply: &mut impl Supply,
    ) {
        let answered = self.write_back.is_some() && (answer.redo || !answer.halt_write_back);
        if answered {
            self.write_back = None;
        } else if !decision.write_back_stuck {
            self.write_back = self.memory;
        }
        let [_, _, memory_stuck] = decision.stuck;
        if !memory_stuck {
            self.memory = begins.then_some(self.place);
        }
        match self.state {
            PrecursorWalkerState::Idle => self.start(unknown, supply),
            PrecursorWalkerState::Ask if begins => self.state = PrecursorWalkerState::Answer,
            PrecursorWalkerState::Answer if answered && answer.redo => {
                self.state = PrecursorWalkerState::Ask;
            }
            PrecursorWalkerState::Answer if answered => self.go_on(supply),
            _ => {}
        }
    }

    /// Starts a walk; data take precedence.
    fn start(&mut self, unknown: Unknown, supply: &mut impl Supply) {
        if let Some(address) = unknown.data.or(unknown.fetch) {
            self.fetch = unknown.data.is_none();
            (self.state, self.address, self.level) = (PrecursorWalkerState::Ask, address, 1);
            self.place = supply.first_entry(address);
        }
    }

    fn go_on(&mut self, supply: &mut impl Supply) {
        let next = supply.walked(TableEntry {
            address: self.address,
            fetch: self.fetch,
            level: self.level,
            place: self.place,
        });
        match next {
            Some(place) if self.level > 0 => {
                (self.state, self.level, self.place) = (PrecursorWalkerState::Ask, self.level - 1, place);
            }
            _ => self.state = PrecursorWalkerState::Idle,
        }
    }
}
