//! The controller (`ibex_controller`): who goes on, who is flushed, and where execution goes on after a trap.

use super::super::Supply;

/// `ctrl_fsm_cs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum State {
    Reset,
    BootSet,
    FirstFetch,
    Decode,
    Flush,
    InterruptTaken,
    WaitSleep,
    Sleep,
}

/// Requests of the other stages in a cycle.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(super) struct Asked {
    /// `handle_irq`: an interrupt is pending and enabled.
    pub(super) pending: bool,
    /// `irq_pending_i`: one is pending and enabled by itself.
    pub(super) woken: bool,
    /// There is an instruction in the ID stage.
    pub(super) occupied: bool,
    /// The instruction raises an exception.
    pub(super) refused: bool,
    /// The instruction is MRET.
    pub(super) returns: bool,
    /// The instruction is WFI.
    pub(super) waits: bool,
    /// `csr_pipe_flush`: it wrote `mstatus` or `mie`.
    pub(super) unsettled: bool,
    /// The instruction does not leave the ID stage in this cycle.
    pub(super) stall: bool,
    /// `ready_wb_i`.
    pub(super) ready: bool,
    /// The jump target in this cycle.
    pub(super) jump: Option<u32>,
}

/// The controller's decisions.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(super) struct Orders {
    /// `instr_req_o`.
    pub(super) fetches: bool,
    /// The fetch goes on here (`pc_set_o`).
    pub(super) target: Option<u32>,
    /// `halt_if`: the ID stage takes no instruction.
    pub(super) halt: bool,
    /// `retain_id`: it keeps the one it has.
    pub(super) retain: bool,
    /// `flush_id`: it loses it.
    pub(super) flush: bool,
    /// `ctrl_busy_o`.
    pub(super) busy: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Controller {
    pub(super) state: State,
    /// `exc_req_q`: an exception was met in the cycle before.
    exception: bool,
    boot: u32,
}

impl Controller {
    pub(super) fn new(boot: u32) -> Controller {
        Controller {
            state: State::Reset,
            exception: false,
            boot,
        }
    }

    /// `ctrl_busy_o`.
    pub(super) fn is_busy(self, woken: bool) -> bool {
        self.state != State::WaitSleep && (self.state != State::Sleep || woken)
    }

    pub(super) fn clock(&mut self, asked: &Asked, supply: &mut impl Supply) -> Orders {
        let mut orders = Orders {
            fetches: true,
            target: None,
            halt: false,
            retain: false,
            flush: false,
            busy: self.is_busy(asked.woken),
        };
        let next = match self.state {
            State::Reset | State::BootSet => {
                orders.fetches = self.state == State::BootSet;
                orders.target = Some(self.boot);
                if self.state == State::Reset {
                    State::BootSet
                } else {
                    State::FirstFetch
                }
            }
            State::WaitSleep | State::Sleep => {
                (orders.fetches, orders.halt, orders.flush) = (false, true, true);
                if self.state == State::Sleep && asked.woken {
                    State::FirstFetch
                } else {
                    State::Sleep
                }
            }
            State::FirstFetch if asked.pending => {
                orders.halt = true;
                State::InterruptTaken
            }
            State::FirstFetch if asked.stall => State::FirstFetch,
            State::FirstFetch => State::Decode,
            State::Decode => decode(asked, &mut orders),
            State::InterruptTaken => {
                if asked.pending {
                    orders.target = Some(supply.take_pending_interrupt());
                }
                State::Decode
            }
            State::Flush => self.flush(asked, &mut orders, supply),
        };
        self.exception = asked.refused && self.state != State::Flush;
        self.state = next;
        orders
    }

    fn flush(self, asked: &Asked, orders: &mut Orders, supply: &mut impl Supply) -> State {
        (orders.halt, orders.flush) = (true, true);
        if self.exception {
            orders.target = Some(supply.take_exception());
        } else if asked.returns {
            orders.target = Some(supply.return_from_trap());
        } else if asked.waits {
            return State::WaitSleep;
        }
        State::Decode
    }
}

fn decode(asked: &Asked, orders: &mut Orders) -> State {
    let special = asked.refused || asked.returns || asked.waits || asked.unsettled;
    orders.retain = special;
    orders.target = asked.jump;
    let pending_work = asked.occupied || !asked.ready;
    if asked.pending && (asked.stall || pending_work) {
        orders.halt = true;
    }
    if special && asked.ready {
        return State::Flush;
    }
    if asked.pending && !asked.stall && !special && !pending_work {
        orders.halt = true;
        return State::InterruptTaken;
    }
    State::Decode
}
