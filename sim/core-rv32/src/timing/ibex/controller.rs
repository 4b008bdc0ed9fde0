//! The controller (`ibex_controller`): who goes on, who is flushed, and where execution goes on after a trap.

use super::super::Supply;

/// `ctrl_fsm_cs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ControllerState {
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
pub(super) struct ControllerRequests {
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
pub(super) struct ControllerDecision {
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
    pub(super) state: ControllerState,
    /// `exc_req_q`: an exception was met in the cycle before.
    exception: bool,
    boot: u32,
}

impl Controller {
    pub(super) fn new(boot: u32) -> Controller {
        Controller {
            state: ControllerState::Reset,
            exception: false,
            boot,
        }
    }

    /// `ctrl_busy_o`.
    pub(super) fn is_busy(self, woken: bool) -> bool {
        self.state != ControllerState::WaitSleep && (self.state != ControllerState::Sleep || woken)
    }

    pub(super) fn clock(
        &mut self,
        asked: &ControllerRequests,
        supply: &mut impl Supply,
    ) -> ControllerDecision {
        let mut orders = ControllerDecision {
            fetches: true,
            target: None,
            halt: false,
            retain: false,
            flush: false,
            busy: self.is_busy(asked.woken),
        };
        let next = match self.state {
            ControllerState::Reset | ControllerState::BootSet => {
                orders.fetches = self.state == ControllerState::BootSet;
                orders.target = Some(self.boot);
                if self.state == ControllerState::Reset {
                    ControllerState::BootSet
                } else {
                    ControllerState::FirstFetch
                }
            }
            ControllerState::WaitSleep | ControllerState::Sleep => {
                (orders.fetches, orders.halt, orders.flush) = (false, true, true);
                if self.state == ControllerState::Sleep && asked.woken {
                    ControllerState::FirstFetch
                } else {
                    ControllerState::Sleep
                }
            }
            ControllerState::FirstFetch if asked.pending => {
                orders.halt = true;
                ControllerState::InterruptTaken
            }
            ControllerState::FirstFetch if asked.stall => ControllerState::FirstFetch,
            ControllerState::FirstFetch => ControllerState::Decode,
            ControllerState::Decode => decode(asked, &mut orders),
            ControllerState::InterruptTaken => {
                if asked.pending {
                    orders.target = Some(supply.take_pending_interrupt());
                }
                ControllerState::Decode
            }
            ControllerState::Flush => self.flush(asked, &mut orders, supply),
        };
        self.exception = asked.refused && self.state != ControllerState::Flush;
        self.state = next;
        orders
    }

    fn flush(
        self,
        asked: &ControllerRequests,
        orders: &mut ControllerDecision,
        supply: &mut impl Supply,
    ) -> ControllerState {
        (orders.halt, orders.flush) = (true, true);
        if self.exception {
            orders.target = Some(supply.take_exception());
        } else if asked.returns {
            orders.target = Some(supply.return_from_trap());
        } else if asked.waits {
            return ControllerState::WaitSleep;
        }
        ControllerState::Decode
    }
}

fn decode(asked: &ControllerRequests, orders: &mut ControllerDecision) -> ControllerState {
    let special = asked.refused || asked.returns || asked.waits || asked.unsettled;
    orders.retain = special;
    orders.target = asked.jump;
    let pending_work = asked.occupied || !asked.ready;
    if asked.pending && (asked.stall || pending_work) {
        orders.halt = true;
    }
    if special && asked.ready {
        return ControllerState::Flush;
    }
    if asked.pending && !asked.stall && !special && !pending_work {
        orders.halt = true;
        return ControllerState::InterruptTaken;
    }
    ControllerState::Decode
}
