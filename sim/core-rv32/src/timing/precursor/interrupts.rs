//! How an interrupt is taken: it keeps what is in the decode stage there until everything older is done, and then jumps, whether
//! the instruction that it takes the place of was fetched yet or not. Source: the Verilog's `CsrPlugin_interrupt_valid`,
//! `CsrPlugin_pipelineLiberator_done` and `injector_nextPcCalc_valids_*`.

use crate::timing::arbiter::{Decision, Stages};

/// The registers for taking interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct PrecursorInterrupts {
    /// An interrupt was pending and enabled in the previous cycle.
    pub(super) valid: bool,
    /// How far the address of the next instruction has come since the fetch was sent elsewhere.
    moved: [bool; 4],
}

impl PrecursorInterrupts {
    /// The jump to the handler is in this cycle.
    pub(super) fn jumps(self, stages: &Stages) -> bool {
        let [_, exceptions @ ..] = stages.exceptions;
        let behind = [stages.execute, stages.memory, stages.write_back];
        let empty = behind.iter().all(Option::is_none) && !exceptions.contains(&true);
        self.valid && self.moved[3] && empty && !stages.had_exception
    }

    /// The end of the cycle. `pending` is what was pending and enabled in it; `flush`: the fetch is sent elsewhere.
    pub(super) fn clock(&mut self, decision: &Decision, flush: bool, pending: bool) {
        self.valid = pending;
        let [_, execute_stuck, memory_stuck] = decision.stuck;
        let [first, second, third, last] = self.moved;
        self.moved = if flush {
            [false; 4]
        } else {
            [
                true,
                if execute_stuck { second } else { first },
                if memory_stuck { third } else { second },
                if decision.write_back_stuck { last } else { third },
            ]
        };
    }
}
