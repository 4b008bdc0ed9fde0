//! The common execution units of `VexRiscv`'s small variants: a data port that takes one access at a time, and a shifter that moves by one
//! bit a cycle.

use super::Supply;
use super::arbiter::Stages;
use super::in_flight::{InFlight, Kind};
use super::port::Port;

/// The data port and the shifter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Units {
    data: Port,
    data_writes: bool,
    data_address: u32,
    /// Remaining amount of a shift under way.
    shifting: Option<u8>,
}

/// The status of the units in a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Busy {
    /// The execute stage must wait for them.
    pub execute: bool,
    /// The memory stage must wait for them.
    pub memory: bool,
    data_done: bool,
}

impl Units {
    pub(crate) fn busy(&self, stages: &Stages) -> Busy {
        let data_done = self.data.acknowledged();
        let loaded = data_done && !self.data_writes;
        let behind = stages.memory.is_some() || stages.write_back.is_some();
        let execute = stages.execute.is_some_and(|in_flight| match in_flight.kind {
            Kind::Load | Kind::Store => self.data.asks && !in_flight.misaligned,
            Kind::Shift(amount) => amount != 0 && self.shifting.unwrap_or(amount) > 1,
            Kind::Csr => behind,
            _ => false,
        });
        let memory = stages
            .memory
            .is_some_and(|in_flight| in_flight.kind == Kind::Load && !loaded);
        Busy {
            execute,
            memory,
            data_done,
        }
    }

    /// The memory does not answer in this cycle.
    pub(crate) fn is_slow(&self) -> bool {
        self.data.is_slow()
    }

    /// Forgets what depends on addresses.
    pub(crate) fn strip(&mut self) {
        self.data_address = 0;
    }

    /// The end of a cycle.
    pub(crate) fn clock(
        &mut self,
        busy: Busy,
        stages: &Stages,
        memory_stuck: bool,
        removed: [bool; 2],
        supply: &mut impl Supply,
    ) {
        let [flushed, execute_removed] = removed;
        if busy.data_done {
            supply.transferred(self.data_address, self.data_writes);
        }
        let wanted = stages
            .execute
            .filter(|execute| execute.accesses() && !execute.misaligned && !memory_stuck && !flushed);
        if let Some(execute) = wanted
            && !self.data.asks
        {
            self.data_writes = execute.kind == Kind::Store;
            self.data_address = execute.address;
            self.data
                .aim(supply.data_latency(execute.address, self.data_writes, 1));
        }
        let starts = wanted.is_some();
        let asks = (self.data.asks || starts) && !busy.data_done;
        self.data.clock(busy.data_done, asks, false);
        self.clock_shift(stages.execute, memory_stuck, execute_removed);
    }

    fn clock_shift(&mut self, execute: Option<InFlight>, stuck_by_others: bool, removed: bool) {
        let amount = match execute.map(|execute| execute.kind) {
            Some(Kind::Shift(amount)) => amount,
            _ => 0,
        };
        if amount != 0 && !stuck_by_others {
            let left = self.shifting.unwrap_or(amount);
            self.shifting = (left > 1).then(|| left - 1);
        }
        if removed {
            self.shifting = None;
        }
    }
}

/// A misaligned access is in the memory stage, where it is noticed.
pub(crate) fn bad_access(stages: &Stages) -> bool {
    stages
        .memory
        .is_some_and(|memory| memory.accesses() && memory.misaligned)
}
