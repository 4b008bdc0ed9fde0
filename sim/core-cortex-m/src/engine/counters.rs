//! The event counters of the trace unit (ARMv7-M ARM C1.8.4).
//!
//! On an r1p1, each cycle of an instruction beyond its first counts by its cause. From r2p0 on, as recordings of a CC2650 and a CC2652
//! show, each cycle in which no instruction starts counts by the last start: a load, a store or an ADD to PC, another instruction, or
//! exception entry and return. An instruction that fits into a load or a store starts, for this purpose, in the cycle after its address.

use events::Event;

use super::exceptions::stalled;
use crate::core::Core;
use crate::sys::dwt::Counter;
use crate::timing::{Class, Cycle, Preview, Rule, Shape, Timing};

impl Core {
    /// Counts the wait of an instruction that could have started in cycle `free`: a counter that it reads already includes it.
    pub(super) fn count_ahead(&mut self, preview: &Preview, free: Cycle) {
        if !self.sys.dwt.counts() {
            return;
        }
        if self.counts_by_starts() {
            if let Some((counter, from)) = self.sys.dwt.idle {
                self.sys.dwt.expect(counter, (preview.start - from).max(0));
            }
            return;
        }
        let waits = preview.start - free;
        if waits < 0 {
            return self.sys.dwt.expect(Counter::LoadStore, waits);
        }
        let by_port = if counter_of(preview.held_by) == Counter::LoadStore {
            waits
        } else {
            0
        };
        self.sys
            .dwt
            .expect_both(waiting(waits, by_port, preview.arrived - free));
    }

    /// Counts the cycles of an instruction that could have started in cycle `free` and now ends in cycle `end`.
    pub(super) fn count(&mut self, shape: &Shape, timing: &Timing, free: Cycle, end: Cycle, skipped: bool) {
        if !self.sys.dwt.counts() {
            self.sys.dwt.idle = None;
            return;
        }
        self.sys.dwt.expect(Counter::LoadStore, 0);
        if timing.rules.contains(Rule::ItFolded) {
            self.sys.dwt.count(Counter::Fold, 1);
            return;
        }
        if self.counts_by_starts() {
            let accesses = shape.words != 0 || shape.class == Class::WriteToPc;
            self.count_start(timing.counted, accesses && !skipped);
            return;
        }
        let overlap = (timing.start - free).min(0);
        let shared = if shape.class == Class::MultiplyAccumulate && !skipped {
            Counter::Instruction
        } else {
            Counter::LoadStore
        };
        self.sys.dwt.count(shared, overlap);
        let by_port = stalled(timing, free)
            .iter()
            .filter(|cost| counter_of(Rule::ALL[usize::from(cost.rule.0)]) == Counter::LoadStore)
            .map(|cost| Cycle::from(cost.cycles))
            .sum();
        for (counter, cycles) in waiting((timing.start - free).max(0), by_port, timing.arrived - free) {
            self.sys.dwt.count(counter, cycles);
        }
        let accesses = shape.words != 0 && !skipped;
        let own = if accesses {
            Counter::LoadStore
        } else {
            Counter::Instruction
        };
        // Forwarding a loaded address to the fetch counts as part of its load.
        let loads = matches!(
            shape.class,
            Class::TableBranch | Class::LoadPc | Class::LoadMultiplePc
        );
        let adds = Cycle::from(loads && accesses);
        self.sys.dwt.count(own, timing.free - timing.start - 1 + adds);
        self.sys.dwt.count(Counter::Instruction, end - timing.free - adds);
    }

    fn counts_by_starts(&self) -> bool {
        self.config.model.has(Rule::JumpBehindFetch)
    }

    /// An instruction starts in this cycle, which itself does not count.
    pub(super) fn count_start(&mut self, start: Cycle, accesses: bool) {
        let counter = if accesses {
            Counter::LoadStore
        } else {
            Counter::Instruction
        };
        self.count_until(start, counter);
        if let Some((_, from)) = &mut self.sys.dwt.idle {
            *from = start + 1;
        }
    }

    /// Counts what is not counted yet before cycle `from`; cycles from then on count by `counter`.
    pub(super) fn count_until(&mut self, from: Cycle, counter: Counter) {
        if !self.counts_by_starts() || !self.sys.dwt.counts() {
            self.sys.dwt.idle = None;
            return;
        }
        let since = if let Some((last, since)) = self.sys.dwt.idle {
            self.sys.dwt.count(last, (from - since).max(0));
            since
        } else {
            from
        };
        self.sys.dwt.idle = Some((counter, from.max(since)));
    }

    /// Counts the cycles of an entry, a return, or sleep.
    pub(super) fn count_event(&mut self, event: &Event) {
        if !self.sys.dwt.counts() {
            return;
        }
        if self.counts_by_starts() {
            let (from, to, counter) = match event {
                Event::Enter(enter) => (enter.recognised, enter.at.to, Counter::Exception),
                Event::Exit(exit) => (exit.at.to, exit.at.to, Counter::Exception),
                Event::Sleep { at, .. } => (at.from, at.to, Counter::Sleep),
                _ => return,
            };
            self.count_until(from as Cycle, counter);
            self.count_until(to as Cycle, Counter::Instruction);
            return;
        }
        let (counter, costs) = match event {
            Event::Enter(enter) => (Counter::Exception, &enter.costs),
            Event::Exit(exit) => (Counter::Exception, &exit.costs),
            Event::Sleep { costs, .. } => (Counter::Sleep, costs),
            _ => return,
        };
        self.sys.dwt.count(counter, costs.total() as Cycle);
    }
}

/// The counts while an instruction waits for `waits` cycles, `by_port` of them for the data port, if it arrives from the prefetch unit
/// after the first `absent`: until then the execute stage is empty.
fn waiting(waits: Cycle, by_port: Cycle, absent: Cycle) -> [(Counter, Cycle); 2] {
    let there = (waits - absent.max(0)).clamp(0, by_port);
    [(Counter::LoadStore, there), (Counter::Instruction, waits - there)]
}

/// The counter of the cycles that an instruction waits by a rule.
fn counter_of(rule: Rule) -> Counter {
    match rule {
        Rule::StoreThenLoad | Rule::StoreThenMultiple | Rule::StoreBuffer | Rule::LoadArea => {
            Counter::LoadStore
        }
        _ => Counter::Instruction,
    }
}

#[cfg(test)]
mod tests {
    use super::{Counter, waiting};

    /// STM32F100RB, published with `CMEmu` (`ldr_str_timing` from SRAM).
    #[test]
    fn an_instruction_that_is_not_there_waits_for_no_port() {
        let waits = |absent| waiting(2, 2, absent);
        assert_eq!(waits(-1), [(Counter::LoadStore, 2), (Counter::Instruction, 0)]);
        assert_eq!(waits(1), [(Counter::LoadStore, 1), (Counter::Instruction, 1)]);
        assert_eq!(waits(3), [(Counter::LoadStore, 0), (Counter::Instruction, 2)]);
    }
}
