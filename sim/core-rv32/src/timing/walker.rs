//! How `VexRiscv` finds a translation that is not known: a walk through the tables of pages, one for fetches and data. It reads
//! them through the data cache, by accesses that go through the stages like a load, when no instruction is there. Source: the
//! Verilog's `MmuPlugin_shared_*`, `MmuPlugin_dBusAccess_*` and `*_IS_DBUS_SHARING`.

use super::arbiter::{Decision, Stages};
use super::data::DataCacheOutputs;
use super::in_flight::{InFlight, Kind};
use super::{Supply, TableEntry};

/// `MmuPlugin_shared_state_1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum WalkerState {
    Idle,
    /// An entry is asked for.
    Ask,
    /// The answer is pending.
    Answer,
}

/// The page table walker.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Walker {
    state: WalkerState,
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
    /// Whether it left that stage in the previous cycle, and whether it must be retried.
    answered: Option<bool>,
}

/// The addresses whose translation is asked for and not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown {
    pub fetch: Option<u32>,
    pub data: Option<u32>,
}

impl Walker {
    /// As it comes out of reset.
    pub(crate) fn new() -> Walker {
        Walker {
            state: WalkerState::Idle,
            fetch: false,
            address: 0,
            level: 0,
            place: 0,
            memory: None,
            write_back: None,
            answered: None,
        }
    }

    /// Nothing is asked for or under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == WalkerState::Idle && self.memory.is_none() && self.write_back.is_none()
    }

    /// The decode stage waits: an entry is asked for, or it has an access and the walk is for data.
    pub(crate) fn holds(&self, stages: &Stages) -> bool {
        let accesses = || stages.decode.is_some_and(|decode| decode.accesses());
        self.state == WalkerState::Ask || self.state == WalkerState::Answer && !self.fetch && accesses()
    }

    /// Whether it stalls the fetch after its first stage.
    pub(crate) fn halts_fetch(&self) -> bool {
        self.state != WalkerState::Idle && self.fetch
    }

    /// Its access is in the last stage.
    pub(crate) fn is_last(&self) -> bool {
        self.write_back.is_some()
    }

    /// The stages with its accesses in them.
    pub(crate) fn among(&self, stages: &Stages) -> Stages {
        let access = |place: Option<u32>, stage: Option<InFlight>| place.map(access).or(stage);
        Stages {
            memory: access(self.memory, stages.memory),
            write_back: access(self.write_back, stages.write_back),
            ..*stages
        }
    }

    /// The walker's access that enters the stages after decode in this cycle, which must be empty.
    pub(crate) fn begins(&self, stages: &Stages, loading: bool, decision: &Decision) -> Option<InFlight> {
        let [_, exceptions @ ..] = stages.exceptions;
        let behind = [stages.execute, stages.memory, stages.write_back];
        let empty = behind.iter().all(Option::is_none) && !exceptions.contains(&true);
        let [_, execute_stuck, _] = decision.stuck;
        (self.state == WalkerState::Ask && empty && !loading && !execute_stuck).then(|| access(self.place))
    }

    /// The end of the cycle. `answer` is of what is in the last stage.
    pub(crate) fn clock(
        &mut self,
        begins: bool,
        answer: &DataCacheOutputs,
        decision: &Decision,
        unknown: Unknown,
        supply: &mut impl Supply,
    ) {
        let answered = self.answered;
        let leaves = self.write_back.is_some() && (answer.redo || !answer.halt_write_back);
        self.answered = leaves.then_some(answer.redo);
        if leaves {
            self.write_back = None;
        } else if !decision.write_back_stuck {
            self.write_back = self.memory;
        }
        let [_, _, memory_stuck] = decision.stuck;
        if !memory_stuck {
            self.memory = begins.then_some(self.place);
        }
        match (self.state, answered) {
            (WalkerState::Idle, _) => self.start(unknown, supply),
            (WalkerState::Ask, _) if begins => self.state = WalkerState::Answer,
            (WalkerState::Answer, Some(true)) => self.state = WalkerState::Ask,
            (WalkerState::Answer, Some(false)) => self.go_on(supply),
            _ => {}
        }
    }

    /// Starts a walk; data take precedence.
    fn start(&mut self, unknown: Unknown, supply: &mut impl Supply) {
        if let Some(address) = unknown.data.or(unknown.fetch) {
            self.fetch = unknown.data.is_none();
            (self.state, self.address, self.level) = (WalkerState::Ask, address, 1);
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
                (self.state, self.level, self.place) = (WalkerState::Ask, self.level - 1, place);
            }
            _ => self.state = WalkerState::Idle,
        }
    }
}

/// Its access, as the data cache sees it.
pub(super) fn access(place: u32) -> InFlight {
    InFlight {
        kind: Kind::Load,
        address: place,
        physical: place,
        mask: 15,
        ..InFlight::illegal(0)
    }
}
