//! The load-store unit (`ibex_load_store_unit`): a request, its grant, its answer; a misaligned access is two of them.

use super::super::Supply;
use super::super::passage::{Kind, Passage};
use super::prefetch::Owing;

/// `ls_fsm_cs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
enum State {
    #[default]
    Idle,
    /// The first half of a misaligned access waits for its grant.
    FirstGrant,
    /// The first half waits for its answer; the second half is being requested.
    FirstAnswer,
    /// The request waits for its grant.
    Grant,
    /// The first half waits for its answer, the second has its grant.
    Granted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct LoadStore {
    state: State,
    /// `handle_misaligned_q`: it is the second half that is asked for.
    second: bool,
    port: Owing,
}

impl LoadStore {
    /// `lsu_resp_valid_o`.
    pub(super) fn answered(&self) -> bool {
        self.port.answers() && self.state == State::Idle
    }

    /// The memory does not answer in this cycle.
    pub(super) fn is_slow(&self) -> bool {
        self.port.is_slow()
    }

    /// A second half is asked for, or waits for its turn.
    pub(super) fn is_second(&self) -> bool {
        matches!(self.state, State::FirstAnswer | State::Granted) || self.second && self.is_busy()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.state != State::Idle
    }

    /// Clocks one cycle. Returns whether all requests of the access are granted (`lsu_req_done_o`).
    pub(super) fn clock(
        &mut self,
        requests: bool,
        passage: Option<Passage>,
        supply: &mut impl Supply,
    ) -> bool {
        let answers = self.port.answers();
        let begins = self.state == State::Idle && requests;
        let asks = begins || !matches!(self.state, State::Idle | State::Granted);
        let granted = asks && self.port.grants();
        let splits = passage.is_some_and(|passage| passage.is_split());
        let half = self.state == State::FirstAnswer || self.state == State::Grant && self.second;
        let latency = match passage {
            Some(passage) if granted => {
                let writes = passage.kind == Kind::Store;
                if !half {
                    supply.transferred(passage.address, writes);
                }
                let address = if half {
                    (passage.address & !3).wrapping_add(4)
                } else {
                    passage.address
                };
                supply.data_latency(address, writes, 1).word(0)
            }
            _ => 0,
        };
        self.port.clock(granted, latency);
        let next = self.next(begins, granted, answers, splits);
        let done = (requests || self.is_busy()) && next == State::Idle;
        self.state = next;
        done
    }

    #[allow(clippy::fn_params_excessive_bools)] // each is a signal of the Verilog
    fn next(&mut self, begins: bool, granted: bool, answers: bool, splits: bool) -> State {
        match self.state {
            State::Idle if begins => {
                self.second = granted && splits;
                match (granted, splits) {
                    (true, true) => State::FirstAnswer,
                    (true, false) => State::Idle,
                    (false, true) => State::FirstGrant,
                    (false, false) => State::Grant,
                }
            }
            State::FirstGrant if granted => {
                self.second = true;
                State::FirstAnswer
            }
            State::FirstAnswer if answers => {
                self.second = !granted;
                if granted { State::Idle } else { State::Grant }
            }
            State::FirstAnswer if granted => {
                self.second = false;
                State::Granted
            }
            State::Grant if granted => {
                self.second = false;
                State::Idle
            }
            State::Granted if answers => State::Idle,
            state => state,
        }
    }
}
