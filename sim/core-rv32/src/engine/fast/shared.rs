//! Transfers of runs to memories behind a shared cache.
//!
//! The duration of such a transfer depends on all earlier ones. Each outcome of a run therefore has its transfers, their times and
//! durations. It applies again if the same transfers, with the current addresses, take as long.

use bus::{Access, Bus, Latency, Transfer};

use crate::engine::program::Program;
use crate::engine::run::{Run, Traces};
use crate::timing::Recurrent;

/// A transfer of a run, timed from the run's start. A fetch has its fixed address; data addresses differ each time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    transfer: Transfer,
    latency: Latency,
}

/// Addresses of data, in the order in which they are asked for at the bus.
#[derive(Clone, Default, Debug)]
pub(super) struct Shared {
    /// There is such a cache.
    is_there: bool,
    /// Addresses of executed accesses that were not requested yet, followed by those of this run.
    queue: Vec<u32>,
    /// How many of them were there before this run.
    before: usize,
}

impl Shared {
    /// Starts after clocked cycles.
    pub(super) fn begin(&mut self, program: &Program, pipeline: &impl Recurrent) {
        self.is_there = program.core.bus.has_caches();
        self.queue.clear();
        if self.is_there {
            self.queue.extend(pipeline.waiting());
            let stores = program.flights().filter(|flight| flight.is_store());
            self.queue.extend(stores.map(|flight| flight.place().physical));
        }
        self.before = self.queue.len();
    }

    /// The oldest that is not asked for yet.
    pub(super) fn next(&self) -> Option<u32> {
        self.queue.first().copied()
    }

    /// Adds the accesses of an executed run. Its first load that misses, with its line, is the last access.
    #[inline]
    pub(super) fn ran(&mut self, run: &Run, traces: &Traces, missed: Option<(usize, u32)>) {
        if !self.is_there {
            return;
        }
        self.queue.truncate(self.before);
        let end = missed.map_or(run.steps.len(), |(at, _)| at);
        let stores = run.steps[..end]
            .iter()
            .enumerate()
            .filter(|(_, step)| step.insn.is_store());
        self.queue
            .extend(stores.map(|(at, _)| traces.accessed_last(at)[1]));
        self.queue.extend(missed.map(|(_, line)| line << 5));
    }

    /// Undoes the last run.
    #[inline]
    pub(super) fn take_back(&mut self) {
        self.queue.truncate(self.before);
    }

    /// The run made these transfers: removes their data from the queue.
    #[inline]
    pub(super) fn went(&mut self, asked: &[Asked]) {
        if self.is_there {
            self.queue
                .drain(..asked.iter().filter(|asked| asked.is_data()).count());
            self.before = self.queue.len();
        }
    }

    /// Whether these take as long for a run that began in cycle `start`. If so they are made.
    pub(super) fn takes(&self, asked: &[Asked], start: u64, bus: &mut Bus) -> bool {
        let mut data = self.queue.iter();
        let now = asked.iter().map(|asked| {
            let mut transfer = asked.transfer;
            transfer.start += start;
            if asked.is_data() {
                transfer.address = data.next().copied().unwrap_or_default();
            }
            (transfer, asked.latency)
        });
        bus.transfers_take(now)
    }

    /// The transfers of a run that began in cycle `start`; `None` if they do not match its accesses.
    pub(super) fn asked(&self, noted: &[(Transfer, Latency)], start: u64) -> Option<Box<[Asked]>> {
        let mut data = self.queue.iter();
        let asked = noted.iter().map(|&(mut transfer, latency)| {
            transfer.start -= start;
            let asked = Asked { transfer, latency };
            (!asked.is_data() || data.next() == Some(&transfer.address)).then_some(asked)
        });
        asked.collect()
    }
}

impl Asked {
    fn is_data(&self) -> bool {
        self.transfer.access != Access::Fetch
    }
}
