//! The most recent instructions and stores, and their effect on the next block.

use exec::AddressRange;

use super::StateMap;
use super::links::Edge;
use crate::engine::block::{AccessPolicy, LONGEST, Outcome, UndoLog};
use crate::engine::insn_cache::InsnCache;
use crate::engine::program::{Program, Unretired};
use crate::timing::{AccessPlace, Load, Memoizable};

/// No block was executed.
const NO_STATE: u32 = u32::MAX;

const NO_RUNS: [(u32, usize); CLOSE as usize] = [(NO_STATE, 0); CLOSE as usize];

/// Number of instructions within which a load may collide with a store to the same bytes.
pub(super) const CLOSE: u64 = 3;

/// The most recent instructions and stores.
#[derive(Clone, Debug)]
pub(super) struct RecentInsns {
    /// Number of instructions so far.
    count: u64,
    stores: RecentStores,
    /// States of the last blocks, with the slots of their accesses; the youngest first.
    blocks: [(u32, usize); CLOSE as usize],
    /// The instructions before the first of these blocks, youngest first.
    before: [Unretired; CLOSE as usize],
    /// The line that the data cache is loading, if any.
    pub(super) loading: u32,
}

/// The last stores, as a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecentStores {
    last_four: [Store; 4],
    oldest: usize,
    /// Count of the youngest.
    last: u64,
}

/// A store: its word, its bytes in the word, and its instruction's count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    word: u32,
    mask: u8,
    when: u64,
}

const NO_STORES: RecentStores = RecentStores {
    last_four: [Store {
        word: u32::MAX,
        mask: 0,
        when: 0,
    }; 4],
    oldest: 0,
    last: 0,
};

/// Which loads of a block read bytes stored shortly before: one byte for each pair of the load's index and the number of instructions
/// between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StoreCollisions(u64);

impl StoreCollisions {
    pub(super) const NONE: StoreCollisions = StoreCollisions(0);

    /// Adds a load that reads bytes stored `before` instructions earlier. Returns false if there is no room.
    #[must_use]
    fn add(&mut self, at: usize, before: u64) -> bool {
        let room = self.0 >> 56 == 0;
        // Never 0, so that the number of pairs can be seen.
        self.0 = self.0 << 8 | (at as u64) << 2 | before;
        room
    }
}

impl RecentInsns {
    pub(super) fn new() -> RecentInsns {
        RecentInsns {
            count: 0,
            stores: NO_STORES,
            blocks: NO_RUNS,
            before: [Unretired::NONE; CLOSE as usize],
            loading: 0,
        }
    }

    /// Nothing is in flight, and a line is being loaded.
    pub(super) fn redo(&mut self, loading: u32) {
        self.count = CLOSE + LONGEST as u64;
        self.stores = NO_STORES;
        self.blocks = NO_RUNS;
        self.before = [Unretired::NONE; CLOSE as usize];
        self.loading = loading;
    }

    /// Starts after clocked cycles.
    pub(super) fn begin(&mut self, program: &Program, loading: Option<u32>) {
        self.redo(loading.unwrap_or_default());
        self.count -= program.unretired().count() as u64;
        for insn_under_way in program.unretired() {
            self.before.rotate_right(1);
            self.before[0] = insn_under_way;
            if insn_under_way.is_store() {
                let AccessPlace { physical, mask, .. } = insn_under_way.place();
                self.stored(physical >> 2, mask, 0);
            }
            self.count += 1;
        }
    }

    /// Notes a store to these bytes of a word by the instruction `ahead` places after the next one.
    #[inline]
    fn stored(&mut self, word: u32, mask: u8, ahead: u64) {
        let when = self.count + ahead;
        let RecentStores {
            last_four,
            oldest,
            last,
        } = &mut self.stores;
        last_four[*oldest % 4] = Store { word, mask, when };
        (*oldest, *last) = ((*oldest + 1) % 4, when);
    }

    /// Notes a block of `length` instructions whose accesses are in `place`.
    #[inline]
    pub(super) fn ran(&mut self, state: u32, length: usize, place: usize) {
        let [first, second, _] = self.blocks;
        self.blocks = [(state, place), first, second];
        self.count += length as u64;
    }

    #[inline]
    pub(super) fn stores(&self) -> RecentStores {
        self.stores
    }

    /// Restores earlier stores.
    pub(super) fn put_back(&mut self, stores: RecentStores) {
        self.stores = stores;
    }

    /// The most recent instructions, youngest first.
    pub(super) fn unretired<P: Memoizable>(
        &self,
        states: &StateMap<P>,
        undo_log: &UndoLog,
    ) -> [Unretired; CLOSE as usize] {
        let blocks = self.blocks.iter().take_while(|&&(state, _)| state != NO_STATE);
        let ran = blocks.flat_map(|&(state, place)| {
            let steps = states[state].block.steps.iter().enumerate().rev();
            steps.map(move |(at, step)| Unretired::new(step.pc, step.insn, undo_log.accessed(place, at)))
        });
        let mut unretired = ran.take(CLOSE as usize).chain(self.before);
        std::array::from_fn(|_| unretired.next().unwrap_or(Unretired::NONE))
    }
}

/// Checks whether the accesses of a block proceed without waiting.
pub(super) struct AccessCheck<'a, P> {
    pub(super) pipeline: &'a P,
    pub(super) code: &'a InsnCache,
    pub(super) recent: &'a mut RecentInsns,
    /// Addresses of loads and of stores that may be observed.
    pub(super) ranges: [AddressRange; 2],
    /// Whether there was such an access.
    pub(super) observed: bool,
    /// Index of the first load that misses, and its line.
    pub(super) missed: Option<(usize, u32)>,
    pub(super) collisions: StoreCollisions,
}

impl<P> AccessCheck<'_, P> {
    /// The edge of a block with this outcome.
    pub(super) fn edge(&self, outcome: Outcome) -> Edge {
        Edge {
            outcome,
            missed: self.missed.map(|(at, _)| at),
            collisions: self.collisions,
        }
    }
}

impl<P: Memoizable> AccessPolicy for AccessCheck<'_, P> {
    #[inline]
    fn load(&mut self, at: usize, [told, address]: [u32; 2], mask: u8) -> bool {
        if self.ranges[0].contains(told) {
            self.observed = true;
            return false;
        }
        let load = self.pipeline.load(address);
        if load == Load::Misses && self.missed.is_none() {
            self.missed = Some((at, address >> 5));
        }
        // The last store was mostly long ago.
        let alone = !P::STORES_COLLIDE || self.recent.count + at as u64 - self.recent.stores.last > CLOSE;
        load != Load::Else && (alone || self.meets(at, address >> 2, mask))
    }

    #[inline]
    fn store(&mut self, at: usize, [told, address]: [u32; 2], mask: u8) -> bool {
        if self.ranges[1].contains(told) {
            self.observed = true;
            return false;
        }
        if P::STORES_COLLIDE {
            self.recent.stored(address >> 2, mask, at as u64);
        }
        self.pipeline.stores_at_once(address) && !self.code.is_code(address)
    }
}

impl<P> AccessCheck<'_, P> {
    /// Looks for stores that a load of these bytes may collide with. Returns false if there are too many.
    fn meets(&mut self, at: usize, word: u32, mask: u8) -> bool {
        let now = self.recent.count + at as u64;
        let meets =
            |store: &&Store| store.word == word && store.mask & mask != 0 && now - store.when <= CLOSE;
        let mut met = self.recent.stores.last_four.iter().filter(meets);
        met.all(|store| self.collisions.add(at, now - store.when))
    }
}

/// Repeats a block up to a load that misses, without checks.
pub(super) struct Replay;

impl AccessPolicy for Replay {
    fn load(&mut self, _: usize, _: [u32; 2], _: u8) -> bool {
        true
    }

    fn store(&mut self, _: usize, _: [u32; 2], _: u8) -> bool {
        true
    }
}
