//! The program counter stage of every `VexRiscv` fetch. Source: the Verilog's `fetchPc_*` and the first stage after it.

/// The stage's registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub(crate) struct Walk {
    /// The address that is fetched in this cycle.
    pub pc: u32,
    /// The next address is the one after `pc`.
    pub increment: bool,
    pub booted: bool,
    /// `pc` was requested and is in the next stage.
    pub fetching: bool,
}

/// The inputs in a cycle.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(crate) struct WalkInputs {
    /// The address that comes next.
    pub address: u32,
    /// A redirection: the address is not the one after `pc`.
    pub corrects: bool,
    /// The next stage is free.
    pub moves: bool,
    /// A fetch is wanted and cannot be requested.
    pub halted: bool,
    /// A fetch is wanted.
    pub wants: bool,
    /// The next stage is flushed.
    pub flush: bool,
}

impl Walk {
    /// As it comes out of reset, at `pc`.
    pub(crate) fn new(pc: u32) -> Walk {
        Walk {
            pc,
            increment: false,
            booted: false,
            fetching: false,
        }
    }

    /// The end of the cycle.
    pub(crate) fn clock(&mut self, step: WalkInputs) {
        let ready = step.moves && !step.halted;
        if step.corrects || step.moves {
            self.increment = false;
        }
        if ready {
            self.increment = step.wants;
        }
        if self.booted && (step.corrects || step.moves) {
            self.pc = step.address;
        }
        if step.flush {
            self.fetching = false;
        }
        if step.moves {
            self.fetching = step.wants && !step.halted;
        }
        self.booted = true;
    }
}
