//! The instructions of the last runs, and their effect on the next run.

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
    /// The instructions before the first of these runs, youngest first.
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

/// A store: its word, its bytes in the word, and the instruction's count.
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

    /// Adds a load at this place that meets the store `before` instructions earlier; false if there is no room.
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

    /// Starts after clocked cycles.
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

    /// Notes a store to these bytes of a word by the instruction `ahead` places after the next one.
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

    /// Notes that a run of `length` instructions was executed; its accesses are at `place`.
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

    /// Undoes the stores since then.
    pub(super) fn put_back(&mut self, stores: Stores) {
        self.stores = stores;
    }

    /// The last executed instructions, youngest first.
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

/// Checks whether a run goes straight.
pub(super) struct Checks<'a, P> {
    pub(super) pipeline: &'a P,
    pub(super) code: &'a Code,
    pub(super) recent: &'a mut Recent,
    /// The addresses of loads and of stores that somebody may want to hear of.
    pub(super) ranges: [AddressRange; 2],
    /// Whether there was such an access.
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

/// Re-execution up to a load that misses: it repeats the earlier outcome.
pub(super) struct Before;

impl Straight for Before {
    fn load(&mut self, _: usize, _: [u32; 2], _: u8) -> bool {
        true
    }

    fn store(&mut self, _: usize, _: [u32; 2], _: u8) -> bool {
        true
    }
}
