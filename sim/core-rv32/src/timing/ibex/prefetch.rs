//! The prefetch buffer (`ibex_prefetch_buffer`, `ibex_fetch_fifo`): requests ahead, and three words that came.

use super::super::Supply;
use super::super::in_flight::InFlight;
use super::super::rules::Told;

/// Words that the FIFO holds.
const DEPTH: u8 = 3;

/// A port with an outstanding answer. It grants a request if no answer is outstanding, or the answer arrives in this cycle. The answer
/// comes in the cycle after the grant, plus the memory's wait states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct OutstandingPort {
    owes: bool,
    waited: u32,
    latency: u32,
}

impl OutstandingPort {
    pub(super) fn answers(self) -> bool {
        self.owes && self.waited >= self.latency
    }

    /// An answer is owed that does not come in this cycle.
    pub(super) fn is_slow(self) -> bool {
        self.owes && !self.answers()
    }

    pub(super) fn grants(self) -> bool {
        !self.owes || self.answers()
    }

    /// The end of a cycle; whether a request was granted in it, by a memory of this latency.
    pub(super) fn clock(&mut self, granted: bool, latency: u32) {
        if granted {
            (self.owes, self.waited, self.latency) = (true, 0, latency);
        } else if self.answers() {
            self.owes = false;
        } else {
            self.waited += 1;
        }
    }
}

/// The prefetch buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
pub(super) struct Prefetch {
    port: OutstandingPort,
    /// `valid_req_q`: a request waits for its grant.
    requests: bool,
    /// `discard_req_q`: and its answer is not wanted any more.
    discards: bool,
    /// `rdata_outstanding_q`: requests that wait for their answer.
    outstanding: [bool; 2],
    /// `branch_discard_q`: of those, the ones that are not wanted any more.
    discarded: [bool; 2],
    /// `fetch_addr_q`: the address of the next request.
    next: u32,
    /// `stored_addr_q`: the address of the one that waits.
    stored: u32,
    /// Words in the FIFO.
    words: u8,
    /// `instr_addr_q`: the address of the next instruction.
    pc: u32,
    /// The word whose request was granted in the last cycle (`instr_addr_o`).
    granted: Told<Option<u32>>,
}

impl Prefetch {
    pub(super) fn new(pc: u32) -> Prefetch {
        Prefetch {
            port: OutstandingPort::default(),
            requests: false,
            discards: false,
            outstanding: [false; 2],
            discarded: [false; 2],
            next: pc,
            stored: pc,
            words: 0,
            pc,
            granted: Told(None),
        }
    }

    /// The address of the request that waits, or of the next one.
    pub(super) fn address(&self) -> u32 {
        (if self.requests { self.stored } else { self.next }) & !3
    }

    /// The memory does not answer in this cycle.
    pub(super) fn is_slow(&self) -> bool {
        self.port.is_slow()
    }

    /// The word whose request was granted in the last cycle.
    pub(super) fn granted(&self) -> Option<u32> {
        self.granted.0
    }

    /// A cycle in which the clock stands still.
    pub(super) fn stand_still(&mut self) {
        self.granted = Told(None);
    }

    /// `busy_o` of the cycle that begins with this state, apart from a new request.
    pub(super) fn is_outstanding(&self) -> bool {
        self.outstanding.contains(&true) || self.requests
    }

    /// Clocks one cycle. `fetches`: requests may be made; `target`: the redirected address; `accepts`: the ID stage takes an instruction.
    /// Returns that instruction.
    pub(super) fn clock(
        &mut self,
        fetches: bool,
        target: Option<u32>,
        accepts: bool,
        supply: &mut impl Supply,
    ) -> Option<InFlight> {
        let arrives = self.port.answers();
        let pushed = arrives && !self.discarded[0];
        let branch = target.is_some();
        let [first, second] = self.outstanding;
        let room = !((self.words >= 2 || second) && (self.words >= DEPTH || first));
        let new = fetches && (room || branch) && !second;
        let valid = self.requests || new;
        let address = if self.requests {
            self.stored
        } else {
            target.unwrap_or(self.next)
        };
        let granted = valid && self.port.grants();
        let latency = if granted {
            supply.fetch_latency(address & !3, 1).word(0)
        } else {
            0
        };
        self.port.clock(granted, latency);
        self.granted = Told(granted.then_some(address & !3));
        let fetched = self.pop(pushed, target, accepts, supply);
        let discards = self.requests && (branch || self.discards);
        self.track(granted, discards, branch, arrives);
        if new && !self.requests && !granted {
            self.stored = address;
        }
        if branch || new && !self.requests {
            let base = target.unwrap_or(self.next & !3);
            let step = if new && !self.requests { 4 } else { 0 };
            self.next = base.wrapping_add(step);
        }
        self.requests = valid && !granted;
        self.discards = discards;
        fetched
    }

    /// Requests on their way, and which of them are not wanted any more.
    #[allow(clippy::fn_params_excessive_bools)] // each is a signal of the Verilog
    fn track(&mut self, granted: bool, discards: bool, branch: bool, arrives: bool) {
        let [first, second] = self.outstanding;
        let outstanding = [granted || first, granted && first || second];
        let discarded = [
            granted && discards || branch && first || self.discarded[0],
            granted && discards && first || branch && second || self.discarded[1],
        ];
        (self.outstanding, self.discarded) = if arrives {
            ([outstanding[1], false], [discarded[1], false])
        } else {
            (outstanding, discarded)
        };
    }

    /// The FIFO's step of a cycle.
    fn pop(
        &mut self,
        pushed: bool,
        target: Option<u32>,
        accepts: bool,
        supply: &mut impl Supply,
    ) -> Option<InFlight> {
        let there = self.words + u8::from(pushed);
        let mut taken = None;
        if there > 0 && accepts {
            let in_flight = supply.decode(self.pc);
            let upper = self.pc & 2 != 0;
            let needed = if upper && in_flight.size == 4 { 2 } else { 1 };
            if there >= needed {
                taken = Some(in_flight);
            }
        }
        self.words = there;
        if let Some(in_flight) = taken {
            let ends_word = self.pc & 2 != 0 || in_flight.size == 4;
            self.words -= u8::from(ends_word);
            self.pc = self.pc.wrapping_add(u32::from(in_flight.size));
        }
        if let Some(target) = target {
            (self.words, self.pc) = (0, target);
        }
        taken
    }
}
