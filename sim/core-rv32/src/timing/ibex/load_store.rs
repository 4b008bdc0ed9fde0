//! The load-store unit (`ibex_load_store_unit`): a request, its grant, its answer; a misaligned access is two of them.

use super::super::Supply;
use super::super::in_flight::{InFlight, Kind};
use super::prefetch::OutstandingPort;

/// `ls_fsm_cs`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
enum LoadStoreState {
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
    state: LoadStoreState,
    /// `handle_misaligned_q`: it is the second half that is asked for.
    second: bool,
    port: OutstandingPort,
}

impl LoadStore {
    /// `lsu_resp_valid_o`.
    pub(super) fn answered(&self) -> bool {
        self.port.answers() && self.state == LoadStoreState::Idle
    }

    /// The memory does not answer in this cycle.
    pub(super) fn is_slow(&self) -> bool {
        self.port.is_slow()
    }

    /// A second half is asked for, or waits for its turn.
    pub(super) fn is_second(&self) -> bool {
        matches!(self.state, LoadStoreState::FirstAnswer | LoadStoreState::Granted)
            || self.second && self.is_busy()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.state != LoadStoreState::Idle
    }

    /// Clocks one cycle. Returns whether all requests of the access are granted (`lsu_req_done_o`).
    pub(super) fn clock(
        &mut self,
        requests: bool,
        in_flight: Option<InFlight>,
        supply: &mut impl Supply,
    ) -> bool {
        let answers = self.port.answers();
        let begins = self.state == LoadStoreState::Idle && requests;
        let asks = begins || !matches!(self.state, LoadStoreState::Idle | LoadStoreState::Granted);
        let granted = asks && self.port.grants();
        let splits = in_flight.is_some_and(|in_flight| in_flight.is_split());
        let half =
            self.state == LoadStoreState::FirstAnswer || self.state == LoadStoreState::Grant && self.second;
        let latency = match in_flight {
            Some(in_flight) if granted => {
                let writes = in_flight.kind == Kind::Store;
                if !half {
                    supply.transferred(in_flight.address, writes);
                }
                let address = if half {
                    (in_flight.address & !3).wrapping_add(4)
                } else {
                    in_flight.address
                };
                supply.data_latency(address, writes, 1).word(0)
            }
            _ => 0,
        };
        self.port.clock(granted, latency);
        let next = self.next(begins, granted, answers, splits);
        let done = (requests || self.is_busy()) && next == LoadStoreState::Idle;
        self.state = next;
        done
    }

    #[allow(clippy::fn_params_excessive_bools)] // each is a signal of the Verilog
    fn next(&mut self, begins: bool, granted: bool, answers: bool, splits: bool) -> LoadStoreState {
        match self.state {
            LoadStoreState::Idle if begins => {
                self.second = granted && splits;
                match (granted, splits) {
                    (true, true) => LoadStoreState::FirstAnswer,
                    (true, false) => LoadStoreState::Idle,
                    (false, true) => LoadStoreState::FirstGrant,
                    (false, false) => LoadStoreState::Grant,
                }
            }
            LoadStoreState::FirstGrant if granted => {
                self.second = true;
                LoadStoreState::FirstAnswer
            }
            LoadStoreState::FirstAnswer if answers => {
                self.second = !granted;
                if granted {
                    LoadStoreState::Idle
                } else {
                    LoadStoreState::Grant
                }
            }
            LoadStoreState::FirstAnswer if granted => {
                self.second = false;
                LoadStoreState::Granted
            }
            LoadStoreState::Grant if granted => {
                self.second = false;
                LoadStoreState::Idle
            }
            LoadStoreState::Granted if answers => LoadStoreState::Idle,
            state => state,
        }
    }
}
