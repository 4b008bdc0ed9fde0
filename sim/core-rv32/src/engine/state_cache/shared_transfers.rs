//! Transfers of blocks to memories behind a shared cache.
//!
//! The duration of such a transfer depends on all earlier ones. A link therefore stores its transfers with their times and durations, and
//! applies if the same transfers, with the current addresses, take as long.

use bus::{Access, Bus, Latency, Transfer};

use crate::engine::block::{Block, UndoLog};
use crate::engine::program::Program;
use crate::timing::Memoizable;

/// A transfer, timed from the block's start. A fetch has a fixed address; data addresses differ each time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedTransfer {
    transfer: Transfer,
    latency: Latency,
}

/// Addresses of data in the order of their bus requests.
#[derive(Clone, Default, Debug)]
pub(super) struct SharedTransfers {
    /// Whether the bus has such a cache.
    is_there: bool,
    /// Addresses of executed accesses not requested yet, followed by those of this block.
    queue: Vec<u32>,
    /// Number of those before this block.
    before: usize,
}

impl SharedTransfers {
    /// Starts after clocked cycles.
    pub(super) fn begin(&mut self, program: &Program, pipeline: &impl Memoizable) {
        self.is_there = program.core.bus.has_caches();
        self.queue.clear();
        if self.is_there {
            self.queue.extend(pipeline.waiting());
            let stores = program
                .unretired()
                .filter(|insn_under_way| insn_under_way.is_store());
            self.queue
                .extend(stores.map(|insn_under_way| insn_under_way.place().physical));
        }
        self.before = self.queue.len();
    }

    /// The oldest one not requested yet.
    pub(super) fn next(&self) -> Option<u32> {
        self.queue.first().copied()
    }

    /// Adds the accesses of an executed block. Its first load that misses is the last one.
    #[inline]
    pub(super) fn ran(&mut self, block: &Block, undo_log: &UndoLog, missed: Option<(usize, u32)>) {
        if !self.is_there {
            return;
        }
        self.queue.truncate(self.before);
        let end = missed.map_or(block.steps.len(), |(at, _)| at);
        let stores = block.steps[..end]
            .iter()
            .enumerate()
            .filter(|(_, step)| step.insn.is_store());
        self.queue
            .extend(stores.map(|(at, _)| undo_log.accessed_last(at)[1]));
        self.queue.extend(missed.map(|(_, line)| line << 5));
    }

    /// Undoes the last block.
    #[inline]
    pub(super) fn undo(&mut self) {
        self.queue.truncate(self.before);
    }

    /// Removes the data of these transfers from the queue.
    #[inline]
    pub(super) fn complete(&mut self, transfers: &[TimedTransfer]) {
        if self.is_there {
            self.queue
                .drain(..transfers.iter().filter(|transfers| transfers.is_data()).count());
            self.before = self.queue.len();
        }
    }

    /// Whether these transfers take as long for a block that began in cycle `start`; they are then made.
    pub(super) fn takes(&self, transfers: &[TimedTransfer], start: u64, bus: &mut Bus) -> bool {
        let mut data = self.queue.iter();
        let now = transfers.iter().map(|transfers| {
            let mut transfer = transfers.transfer;
            transfer.start += start;
            if transfers.is_data() {
                transfer.address = data.next().copied().unwrap_or_default();
            }
            (transfer, transfers.latency)
        });
        bus.transfers_take(now)
    }

    /// The transfers of a block that began in cycle `start`; `None` if they do not match its accesses.
    pub(super) fn timed(&self, noted: &[(Transfer, Latency)], start: u64) -> Option<Box<[TimedTransfer]>> {
        let mut data = self.queue.iter();
        let transfers = noted.iter().map(|&(mut transfer, latency)| {
            transfer.start -= start;
            let transfers = TimedTransfer { transfer, latency };
            (!transfers.is_data() || data.next() == Some(&transfer.address)).then_some(transfers)
        });
        transfers.collect()
    }
}

impl TimedTransfer {
    fn is_data(&self) -> bool {
        self.transfer.access != Access::Fetch
    }
}
