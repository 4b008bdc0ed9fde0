//! What the last runs executed, and what that means for the next.

use exec::AddressRange;

use super::States;
use super::exits::Way;
use crate::engine::code::Code;
use crate::engine::program::{Flight, Program};
use crate::engine::run::{LONGEST, Outcome, Straight, Traces};
use crate::timing::{Load, Place, Recurrent};

/// In place of a state: there was no run.
const NO_STATE: u32 = u32::MAX;

const NO_RUNS: [(u32, usize); CLOSE as usize] = [(NO_STATE, 0); CLOSE as usize];

/// A load that follows a store to the same bytes so closely may meet it in the cache.
pub(super) const CLOSE: u64 = 3;

/// The last stores, and what was executed last.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    /// Instructions counted so far.
    count: u64,
    stores: Stores,
    /// The states of the last runs and the places of what they accessed, the youngest first.
    runs: [(u32, usize); CLOSE as usize],
    /// What was executed before the first of these runs, the youngest first.
    before: [Flight; CLOSE as usize],
    /// The line that the data cache loads, if it does.
    pub(super) loading: u32,
}

/// The last stores, and the place of the oldest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stores {
    last_four: [Store; 4],
    oldest: usize,
    /// When the youngest was.
    last: u64,
}

/// A store: its word, which bytes of it, and the count of the instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    word: u32,
    mask: u8,
    when: u64,
}

const NO_STORES: Stores = Stores {
    last_four: [Store {
        word: u32::MAX,
        mask: 0,
        when: 0,
    }; 4],
    oldest: 0,
    last: 0,
};

/// Which loads of a run read bytes that a store shortly before them wrote: a byte for each such pair, of the load's place and how
/// many instructions are between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Meetings(u64);

impl Meetings {
    pub(super) const NONE: Meetings = Meetings(0);

    /// The load at this place meets the store so many instructions before it; false if there is no room for that.
    #[must_use]
    fn add(&mut self, at: usize, before: u64) -> bool {
        let room = self.0 >> 56 == 0;
        // Never 0, so that their number shows.
        self.0 = self.0 << 8 | (at as u64) << 2 | before;
        room
    }
}

impl Recent {
    pub(super) fn new() -> Recent {
        Recent {
            count: 0,
            stores: NO_STORES,
            runs: NO_RUNS,
            before: [Flight::NONE; CLOSE as usize],
            loading: 0,
        }
    }

    /// Nothing is under way, and a line is loaded.
    pub(super) fn redo(&mut self, loading: u32) {
        self.count = CLOSE + LONGEST as u64;
        self.stores = NO_STORES;
        self.runs = NO_RUNS;
        self.before = [Flight::NONE; CLOSE as usize];
        self.loading = loading;
    }

    /// Begins behind what was clocked.
    pub(super) fn begin(&mut self, program: &Program, loading: Option<u32>) {
        self.redo(loading.unwrap_or_default());
        self.count -= program.flights().count() as u64;
        for flight in program.flights() {
            self.before.rotate_right(1);
            self.before[0] = flight;
            if flight.is_store() {
                let Place { physical, mask, .. } = flight.place();
                self.stored(physical >> 2, mask, 0);
            }
            self.count += 1;
        }
    }

    /// The instruction so many behind the next one stores to these bytes of this word.
    #[inline]
    fn stored(&mut self, word: u32, mask: u8, ahead: u64) {
        let when = self.count + ahead;
        let Stores {
            last_four,
            oldest,
            last,
        } = &mut self.stores;
        last_four[*oldest % 4] = Store { word, mask, when };
        (*oldest, *last) = ((*oldest + 1) % 4, when);
    }

    /// A run of so many instructions was executed, what it accessed being in that place.
    #[inline]
    pub(super) fn ran(&mut self, state: u32, length: usize, place: usize) {
        let [first, second, _] = self.runs;
        self.runs = [(state, place), first, second];
        self.count += length as u64;
    }

    #[inline]
    pub(super) fn stores(&self) -> Stores {
        self.stores
    }

    /// What was stored since then was not.
    pub(super) fn put_back(&mut self, stores: Stores) {
        self.stores = stores;
    }

    /// What was executed last, the youngest first.
    pub(super) fn flights<P: Recurrent>(
        &self,
        states: &States<P>,
        traces: &Traces,
    ) -> [Flight; CLOSE as usize] {
        let runs = self.runs.iter().take_while(|&&(state, _)| state != NO_STATE);
        let ran = runs.flat_map(|&(state, place)| {
            let steps = states[state].run.steps.iter().enumerate().rev();
            steps.map(move |(at, step)| Flight::new(step.pc, step.insn, traces.accessed(place, at)))
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
    pub(super) ranges: [AddressRange; 2],
    /// There was one.
    pub(super) heard: bool,
    /// The first load that misses, and its line.
    pub(super) missed: Option<(usize, u32)>,
    pub(super) meetings: Meetings,
}

impl<P> Checks<'_, P> {
    /// How the run goes that came to this.
    pub(super) fn way(&self, outcome: Outcome) -> Way {
        Way {
            outcome,
            missed: self.missed.map(|(at, _)| at),
            meetings: self.meetings,
        }
    }
}

impl<P: Recurrent> Straight for Checks<'_, P> {
    #[inline]
    fn load(&mut self, at: usize, [told, address]: [u32; 2], mask: u8) -> bool {
        if self.ranges[0].contains(told) {
            self.heard = true;
            return false;
        }
        let load = self.pipeline.load(address);
        if load == Load::Misses && self.missed.is_none() {
            self.missed = Some((at, address >> 5));
        }
        // Nearly always the last store was long ago.
        let alone = !P::STORES_COLLIDE || self.recent.count + at as u64 - self.recent.stores.last > CLOSE;
        load != Load::Else && (alone || self.meets(at, address >> 2, mask))
    }

    #[inline]
    fn store(&mut self, at: usize, [told, address]: [u32; 2], mask: u8) -> bool {
        if self.ranges[1].contains(told) {
            self.heard = true;
            return false;
        }
        if P::STORES_COLLIDE {
            self.recent.stored(address >> 2, mask, at as u64);
        }
        self.pipeline.stores_at_once(address) && !self.code.is_code(address)
    }
}

impl<P> Checks<'_, P> {
    /// Looks for stores that the load of these bytes of a word may meet in the cache. False if those are too many.
    fn meets(&mut self, at: usize, word: u32, mask: u8) -> bool {
        let now = self.recent.count + at as u64;
        let meets =
            |store: &&Store| store.word == word && store.mask & mask != 0 && now - store.when <= CLOSE;
        let mut met = self.recent.stores.last_four.iter().filter(meets);
        met.all(|store| self.meetings.add(at, now - store.when))
    }
}

/// What is executed again up to a load that misses goes as it went.
pub(super) struct Before;

impl Straight for Before {
    fn load(&mut self, _: usize, _: [u32; 2], _: u8) -> bool {
        true
    }

    fn store(&mut self, _: usize, _: [u32; 2], _: u8) -> bool {
        true
    }
}
