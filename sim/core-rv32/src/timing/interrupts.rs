//! How `VexRiscv` takes an interrupt: it keeps the instruction in the decode stage until everything older is done, and then
//! jumps. Source: the Verilog's `CsrPlugin_interrupt_valid` and `CsrPlugin_pipelineLiberator_*`.

use super::arbiter::{Decision, Stages};

/// The registers for taking interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Interrupts {
    /// `CsrPlugin_interrupt_valid`: one was pending and enabled in the cycle before.
    valid: bool,
    /// `pcValids`: how far the address of the instruction in decode has moved down the emptied pipeline.
    moved: [bool; 3],
}

impl Interrupts {
    /// Decode must wait: an interrupt takes the place of its instruction.
    pub(crate) fn holds(self, stages: &Stages) -> bool {
        self.valid && stages.decode.is_some()
    }

    /// The jump to the handler is in this cycle.
    pub(crate) fn jumps(self, stages: &Stages) -> bool {
        let [_, exceptions @ ..] = stages.exceptions;
        self.valid && self.moved[2] && !exceptions.contains(&true) && !stages.had_exception
    }

    /// The end of the cycle. `pending` is what was pending and enabled in it.
    pub(crate) fn clock(&mut self, held: bool, jumped: bool, decision: &Decision, pending: bool) {
        let [_, execute_stuck, memory_stuck] = decision.stuck;
        if held && !decision.decode_removed {
            let [first, second, third] = self.moved;
            self.moved = [
                first || !execute_stuck,
                if memory_stuck { second } else { first },
                if decision.write_back_stuck { third } else { second },
            ];
        } else {
            self.moved = [false; 3];
        }
        self.valid = pending && !jumped;
    }
}
