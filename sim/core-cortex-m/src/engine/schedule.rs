//! What will happen from outside, and when.

use crate::core::Core;
use crate::timing::Cycle;

/// Interrupts that are to be raised, in the order of their cycles.
#[derive(Clone, Default, Debug)]
pub(crate) struct Schedule {
    /// Latest first, so that the next one is popped from the end.
    waiting: Vec<(u64, u16)>,
}

impl Schedule {
    /// Adds one; of equal cycles, the one added first comes first.
    pub(crate) fn add(&mut self, cycle: u64, exception: u16) {
        let place = self.waiting.partition_point(|&(other, _)| other > cycle);
        self.waiting.insert(place, (cycle, exception));
    }

    /// The cycle of the next one.
    pub(crate) fn next(&self) -> Option<u64> {
        self.waiting.last().map(|&(cycle, _)| cycle)
    }

    /// Takes the next one if it is due.
    pub(crate) fn pop(&mut self, now: u64) -> Option<u16> {
        let &(cycle, exception) = self.waiting.last()?;
        (cycle <= now).then(|| {
            self.waiting.pop();
            exception
        })
    }
}

impl Core {
    /// Raises an interrupt input (by exception number: 16 and up external, 2 NMI; others are set pending) so that
    /// its edge falls into `cycle`. One in the past rises at once.
    pub fn raise_at(&mut self, cycle: u64, exception: u16) {
        self.schedule.add(cycle.max(self.cycle), exception);
    }

    /// The first cycle at which an interrupt input, SysTick or a device will have something to tell to the exception
    /// logic.
    pub(super) fn next_due(&self) -> Cycle {
        let delay = crate::timing::Latencies::INTERRUPT_INPUT as u64;
        let input = self.schedule.next().map_or(u64::MAX, |cycle| cycle.saturating_add(delay));
        let due = input.min(self.sys.next_event()).min(self.bus.next_event());
        due.min(self.recognise_from).min(i64::MAX as u64) as Cycle
    }
}
