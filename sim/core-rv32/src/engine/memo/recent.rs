//! What the last runs executed, and what that means for the next.

use super::State;
use crate::engine::code::Code;
use crate::engine::program::{Flight, Program};
use crate::engine::run::{LONGEST, Straight, Traces};
use crate::engine::tell::Hull;
use crate::timing::{Load, Recurrent};

/// Accesses of instructions that are kept: a power of two, at least [`CLOSE`].
const RECENT: usize = 4;

/// In place of a state: there was no run.
const NO_STATE: u32 = u32::MAX;

/// A load that follows a store to the same word so closely may meet it in the cache.
pub(super) const CLOSE: u64 = 3;

/// The last stores, and what was executed last.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    /// Instructions counted so far.
    count: u64,
    pub(super) stores: Stores,
    /// The states of the last runs, the youngest first.
    states: [u32; CLOSE as usize],
    /// What the last instructions accessed, by their count.
    addresses: [u32; RECENT],
    /// What was executed before the first of these runs, the youngest first.
    before: [Flight; CLOSE as usize],
    /// The line that the data cache loads, if it does.
    pub(super) loading: u32,
}

/// Words that were stored to, with the count of the instruction, and the place of the oldest.
pub(super) type Stores = ([(u32, u64); 4], usize);

const NO_STORES: Stores = ([(u32::MAX, 0); 4], 0);

impl Recent {
    pub(super) fn new() -> Recent {
        Recent {
            count: 0,
            stores: NO_STORES,
            states: [NO_STATE; CLOSE as usize],
            addresses: [0; RECENT],
            before: [Flight::NONE; CLOSE as usize],
            loading: 0,
        }
    }

    /// Nothing is under way, and a line is loaded.
    pub(super) fn redo(&mut self, loading: u32) {
        self.count = CLOSE + LONGEST as u64;
        self.stores = NO_STORES;
        self.states = [NO_STATE; CLOSE as usize];
        self.before = [Flight::NONE; CLOSE as usize];
        self.loading = loading;
    }

    /// Begins behind what was clocked.
    pub(super) fn begin(&mut self, program: &Program, loading: Option<u32>) {
        self.redo(loading.unwrap_or_default());
        self.count -= 1;
        for flight in program.flights() {
            self.before.rotate_right(1);
            self.before[0] = flight;
            if let Some(word) = flight.stored() {
                self.stored(word, 0);
            }
        }
        self.count += 1;
    }

    /// The instruction so many behind the next one stores to this word.
    #[inline]
    fn stored(&mut self, word: u32, ahead: u64) {
        let (words, oldest) = &mut self.stores;
        words[*oldest] = (word, self.count + ahead);
        *oldest = (*oldest + 1) % words.len();
    }

    /// A run of so many instructions was executed.
    #[inline]
    pub(super) fn ran(&mut self, state: u32, length: usize, traces: &Traces) {
        for at in length.saturating_sub(CLOSE as usize)..length {
            self.addresses[(self.count + at as u64) as usize % RECENT] = traces.addresses[at];
        }
        let [first, second, _] = self.states;
        self.states = [state, first, second];
        self.count += length as u64;
    }

    /// What was executed last, the youngest first.
    pub(super) fn flights<P>(&self, states: &[State<P>]) -> [Flight; CLOSE as usize] {
        let runs = self.states.iter().take_while(|&&state| state != NO_STATE);
        let steps = runs.flat_map(|&state| states[state as usize].run.steps.iter().rev());
        let ran = steps.zip(1..).map(|(step, back)| {
            let address = self.addresses[(self.count - back) as usize % RECENT];
            Flight::new(step.pc, step.insn, address)
        });
        let mut flights = ran.take(CLOSE as usize).chain(self.before);
        std::array::from_fn(|_| flights.next().unwrap_or(Flight::NONE))
    }
}

/// What decides whether a run goes straight.
pub(super) struct Checks<'a, P> {
    pub(super) pipeline: &'a P,
    pub(super) code: &'a Code,
    pub(super) recent: &'a mut Recent,
    /// The addresses of loads and of stores that somebody may want to hear of.
    pub(super) hulls: [Hull; 2],
    /// There was one.
    pub(super) heard: bool,
    /// The first load that misses, and its line.
    pub(super) missed: Option<(usize, u32)>,
}

impl<P: Recurrent> Straight for Checks<'_, P> {
    #[inline]
    fn load(&mut self, at: usize, address: u32) -> bool {
        if self.hulls[0].contains(address) {
            self.heard = true;
            return false;
        }
        let load = self.pipeline.load(address);
        if load == Load::Misses && self.missed.is_none() {
            self.missed = Some((at, address >> 5));
        }
        let now = self.recent.count + at as u64;
        let meets = |&(word, when): &(u32, u64)| word == address >> 2 && now - when <= CLOSE;
        load != Load::Else && !(P::STORES_COLLIDE && self.recent.stores.0.iter().any(meets))
    }

    #[inline]
    fn store(&mut self, at: usize, address: u32) -> bool {
        if self.hulls[1].contains(address) {
            self.heard = true;
            return false;
        }
        if P::STORES_COLLIDE {
            self.recent.stored(address >> 2, at as u64);
        }
        self.pipeline.stores_at_once(address) && !self.code.is_code(address)
    }
}

/// What is executed again up to a load that misses goes as it went.
pub(super) struct Before;

impl Straight for Before {
    fn load(&mut self, _: usize, _: u32) -> bool {
        true
    }

    fn store(&mut self, _: usize, _: u32) -> bool {
        true
    }
}
