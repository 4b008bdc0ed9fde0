//! The prefetch unit: a FIFO of three words, filled by one aligned word a cycle (rule `fetch-fifo`).
//!
//! A word's request occupies the fetch bus for a cycle, its data comes in the next one, and it can be decoded in the
//! one after. A request needs a free slot; the slot of a word is free when the instruction with its last halfword
//! leaves decode. Words are named by their address divided by four.

use super::Cycle;
use super::rule::Rule;
use super::supply::Supply;

mod leave;
mod queue;
mod untaken;

use queue::PrefetchQueue;
pub(super) use untaken::UntakenTarget;

/// Words that the FIFO holds, requested ones included (Arm KBA 103488664).
const SLOTS: u32 = 3;
/// From a request to the first cycle in which the word can be decoded.
const REQUEST_TO_DECODE: Cycle = 2;

/// The valid bits of a word's number: the address space wraps around.
const WORDS: u32 = u32::MAX >> 2;

/// A time so far back that it cannot matter any more: a branch that starts now asks for its target one cycle before, or up to
/// eight cycles sooner if it was decoded by then, and its word was requested two cycles before that, in place of one that went then.
pub(super) const LONG_AGO: Cycle = -12;

/// How words come from a memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Path {
    /// Wait states of a request.
    pub wait: Cycle,
    /// Cycles that an address is held in a register before it is on the bus (rule `system-fetch`). Data can have the bus
    /// meanwhile.
    pub held: Cycle,
}

impl Path {
    /// Additional cycles of a word over the shortest path.
    pub(crate) fn total(self) -> Cycle {
        self.wait + self.held
    }
}

/// The state of the prefetch unit. Requests are worked out only as far as somebody asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own, of another rule.
pub(crate) struct Fetch {
    /// First word since the last refill.
    first: u32,
    /// Next word to request.
    next: u32,
    /// The oldest word that is not completely decoded yet.
    head: u32,
    /// First cycle in which the next request can be made.
    bus_free: Cycle,
    /// Until then a request that is not served yet holds the bus, even if a jump makes it useless.
    held: Cycle,
    /// The cycle in which a write had its data phase last.
    denied: Cycle,
    /// An unaligned access has held up the next request.
    refused: bool,
    /// The address of the last request was taken in the cycle before it was on the bus, in which a write had its data phase.
    taken: bool,
    /// The cycle in which the last request was on the bus.
    last_request: Cycle,
    /// When each requested word can be decoded, by its number modulo four.
    ready: [Cycle; 4],
    /// When the slot of each word that left was free again.
    freed: [Cycle; 4],
    /// How its words come.
    path: Path,
    /// Words that it holds, requested ones included.
    slots: u32,
    /// Behind the next request nothing more is fetched.
    last: bool,
    /// Nothing was transferred in the cycle before the bus is free: a jump need not wait for it.
    rests: bool,
    /// If the next request is made in this cycle, its word finds no room and is requested again (rule `fetch-in-retried_request`).
    retried_request: Cycle,
    /// By that rule the next request is made late.
    delays_request: bool,
    /// Requested words that were late, a bit for each by its number modulo four.
    delayed_words: u8,
    /// The cycle after that in which the branch that led here, and asked early, executed: until then it stood in the last of them.
    opens: Cycle,
    /// Requested words that the flash served late, a bit for each by its number modulo four.
    late: u8,
    /// Whether there will be no room for a word in time.
    late_slot: LateSlot,
    /// Whether it was filled parallel to an exception's frame, for that reason.
    filled: bool,
    /// Which word stands in which place.
    queue: PrefetchQueue,
    /// Requested words without a free slot, a bit for each by its number modulo four.
    words_without_slot: u8,
}

/// For which word since the refill there is no room in time (rules `refill-slot` and `entry-slot`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum LateSlot {
    /// For no word.
    Never,
    /// For the fourth, if an instruction across words leaves the first.
    Across,
    /// For the fourth, whatever leaves the first.
    First,
    Third,
    Fourth,
}

/// The own waits of a load or store that needs the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BusWait {
    /// For nothing that matters.
    No,
    /// For a register to reach its address, by which it wants the bus a cycle late.
    ForAddress,
    /// For the data phase of the store before it.
    ForStore,
}

impl Fetch {
    /// Starts at `address`, with the first request in cycle `request`.
    pub(crate) fn refill(address: u32, request: Cycle, path: Path) -> Self {
        let first = address >> 2;
        let request = request + path.held;
        Fetch {
            first,
            next: first,
            head: first,
            bus_free: request,
            held: request,
            last_request: LONG_AGO + request,
            denied: LONG_AGO + request,
            refused: false,
            taken: false,
            ready: [0; 4],
            freed: [0; 4],
            path,
            slots: SLOTS,
            last: false,
            rests: false,
            retried_request: LONG_AGO + request,
            delays_request: false,
            delayed_words: 0,
            opens: LONG_AGO + request,
            late: 0,
            late_slot: LateSlot::Never,
            words_without_slot: 0,
            filled: false,
            queue: PrefetchQueue::default(),
        }
    }

    /// Notes a refill parallel to an exception's frame: the first word makes room a cycle later (rule `entry-slot`).
    pub(super) fn fill_beside_frame(&mut self) {
        (self.late_slot, self.filled) = (LateSlot::First, true);
    }

    /// The branch that led here asked for its target while it was decoded, and did not wait: the first word, if an instruction
    /// across words leaves it, makes room a cycle later (rule `refill-slot`). Not seen where words have wait states.
    pub(super) fn decoded(&mut self) {
        if !self.is_slow() {
            self.late_slot = LateSlot::Across;
        }
    }

    /// The load that led here holds one of the words until its target executes in cycle `at` (rule `refill-slot`).
    pub(super) fn loaded(&mut self, at: Cycle) {
        self.opens = at;
        self.late_slot = LateSlot::Third;
    }

    /// The rule by which there was no room in time for the last word of an instruction, if that is why it was requested late.
    pub(super) fn missed(&self, address: u32, size: u8) -> Option<Rule> {
        let last = address.wrapping_add(u32::from(size) - 1) >> 2;
        let rule = if self.filled {
            Rule::EntryRoom
        } else {
            Rule::RefillRoom
        };
        (self.words_without_slot >> slot(last) & 1 != 0).then_some(rule)
    }

    /// The branch that led here executes in the cycle before `at`, and holds one of the words until then.
    pub(super) fn open(&mut self, at: Cycle) {
        self.opens = at;
    }

    /// Limits it to `slots` words, at most [`SLOTS`].
    pub(super) fn hold(&mut self, slots: u32) {
        self.slots = slots;
    }

    /// The first cycle in which the instruction of `size` bytes at `address` can be decoded.
    pub(crate) fn ready(&mut self, address: u32, size: u8, supply: &mut Supply) -> Cycle {
        let last = address.wrapping_add(u32::from(size) - 1) >> 2;
        let ahead = last.wrapping_sub(self.first) & WORDS;
        while self.requested() <= ahead && self.request(Cycle::MAX, supply) {}
        self.ready[slot(last)]
    }

    /// The cycle in which an instruction arrives that was already requested.
    pub(crate) fn ready_at(&self, address: u32, size: u8) -> Cycle {
        self.ready[slot(address.wrapping_add(u32::from(size) - 1) >> 2)]
    }

    /// The instruction of `size` bytes at `address` leaves decode: a request can use its slots from cycle `at` on.
    pub(crate) fn leaves(&mut self, address: u32, size: u8, at: Cycle) {
        let next = address.wrapping_add(u32::from(size)) >> 2;
        while (self.head ^ next) & WORDS != 0 {
            let across = size == 4 && address & 2 != 0;
            let slow = self.late & (1 << slot(self.head) | 1 << slot(next)) != 0;
            let late =
                self.late_slot == LateSlot::First || self.late_slot == LateSlot::Across && across && !slow;
            self.late_slot = match self.late_slot {
                LateSlot::Across | LateSlot::First if late => LateSlot::Fourth,
                LateSlot::Across => LateSlot::Never,
                late_slot => late_slot,
            };
            self.freed[slot(self.head)] = at + Cycle::from(late);
            self.head = self.head.wrapping_add(1);
        }
    }

    /// The instruction of `size` bytes at `address` leaves decode in cycle `at`, if it has not to wait there for its address one cycle
    /// more: as it does, which is known too late. A request takes its slot in that cycle or behind the wait; one that has the bus in
    /// the cycle between finds no room (rule `fetch-in-retried_request`). On the system bus each is a cycle later, where addresses are held.
    pub(super) fn leaves_for_address(&mut self, address: u32, size: u8, at: Cycle, supply: &mut Supply) {
        let next = address.wrapping_add(u32::from(size)) >> 2;
        // Not seen where caches stand before a flash with wait states.
        let cached = supply.is_timed() && !supply.is_shared();
        if cached || (self.head ^ next) & WORDS == 0 {
            return self.leaves(address, size, at);
        }
        let first = at + self.path.held;
        self.advance(first - 1, supply);
        let full = self.next.wrapping_sub(self.head) >= self.slots;
        let asks = full && self.last_request < first;
        self.delays_request = full && self.bus_free.max(self.last_request + 1) > first;
        if asks && self.bus_free == first + 1 {
            self.retried_request = first + 1;
        }
        self.leaves(address, size, if asks { at } else { at + 2 });
    }

    /// Whether the last word of an instruction was requested late by the rule `fetch-in-retried_request`.
    pub(super) fn was_delayed(&self, address: u32, size: u8) -> bool {
        let last = address.wrapping_add(u32::from(size) - 1) >> 2;
        self.delayed_words >> slot(last) & 1 != 0
    }

    /// Full as it is, it makes no request in cycle `at`, whatever leaves it by then.
    pub(crate) fn rest(&mut self, at: Cycle, supply: &mut Supply) {
        self.block(at, supply);
        self.rests = true;
    }

    /// Blocks the fetch bus in cycle `at` for another access: a request in that cycle waits.
    pub(crate) fn block(&mut self, at: Cycle, supply: &mut Supply) {
        self.advance(at - 1, supply);
        self.bus_free = self.bus_free.max(at + 1);
        self.rests = false;
    }

    /// Data goes first on the code bus, but not while a request is under way, nor before one that has been waiting for the end
    /// of a request with wait states, or of a write's data phase: gives the cycle, `at` or later, in which it has the bus.
    pub(super) fn idle_from(&mut self, at: Cycle, wait: BusWait, supply: &mut Supply) -> Cycle {
        self.advance(at - 1, supply);
        let slow = self.held == self.bus_free && self.bus_free >= at;
        let behind = self.denied == self.bus_free && at == self.denied + 1;
        let written = behind && wait != BusWait::ForStore;
        let since = at - Cycle::from(wait == BusWait::ForAddress);
        let waits = |given: Cycle| slow && given < since.min(self.bus_free);
        if self.given().is_some_and(waits)
            || written && self.slot_free().is_some_and(|slot| slot <= self.denied)
        {
            self.request(Cycle::MAX, supply);
        }
        at.max(self.bus_free)
    }

    /// Data wants the bus that instructions come over in cycle `at`, and a fetch goes first: gives the cycle in which it has
    /// it.
    pub(super) fn share(&mut self, at: Cycle, supply: &mut Supply) -> Cycle {
        self.advance(at - 1, supply);
        if self.wanted().is_some_and(|wanted| wanted <= at) {
            self.request(Cycle::MAX, supply);
        }
        at.max(self.last_request + 1)
    }

    /// A write has its data phase in cycle `at`: no request is served then, but one that is made has the next one.
    pub(super) fn deny(&mut self, at: Cycle, supply: &mut Supply) {
        self.advance(at - 1, supply);
        self.denied = at;
    }

    /// How much longer the parts of an unaligned access take that begins in cycle `at`.
    pub(super) fn parts_meet(&mut self, at: Cycle, supply: &mut Supply) -> Cycle {
        self.advance(at, supply);
        match at - self.last_request {
            0 => 2,
            1 => 1,
            _ => Cycle::from(self.refused),
        }
    }

    /// An unaligned access keeps requests off the bus after cycle `at` until cycle `until`. The first request that it holds up is given
    /// anew after that.
    pub(super) fn refuse(&mut self, at: Cycle, until: Cycle, supply: &mut Supply) {
        self.advance(at, supply);
        let meets = self.wanted().is_some_and(|wanted| wanted <= until);
        let anew = meets && !self.refused;
        self.refused |= meets;
        self.bus_free = self.bus_free.max(until + 1 + Cycle::from(anew));
        self.rests = false;
    }

    /// Whether a request would have been made in cycle `at`, in which a write has its data phase.
    pub(super) fn is_denied(&self, at: Cycle) -> bool {
        self.wanted().is_some_and(|wanted| wanted <= at)
    }

    /// Takes the shared bus for a data access of `cycles` cycles, from cycle `at` on or once the request under way is answered; returns the
    /// first of them.
    pub(super) fn acquire(&mut self, at: Cycle, cycles: Cycle, supply: &mut Supply) -> Cycle {
        self.advance(at - 1, supply);
        let from = self.bus_free.max(at);
        self.bus_free = from + cycles;
        self.rests = false;
        from
    }

    /// Extends the current use of the bus by `cycles`.
    pub(super) fn delay(&mut self, cycles: Cycle) {
        self.bus_free += cycles;
    }

    /// Works out all requests that are made until cycle `at`.
    pub(crate) fn advance(&mut self, at: Cycle, supply: &mut Supply) {
        while self.request(at, supply) {}
    }

    /// Whether its words come over the system bus.
    pub(super) fn is_on_system_bus(&self) -> bool {
        self.path.held != 0
    }

    /// Treats all requested words as arrived by cycle `at`.
    pub(super) fn settle(&mut self, at: Cycle) {
        self.late_slot = LateSlot::Never;
        self.ready.iter_mut().for_each(|cycle| *cycle = (*cycle).min(at));
    }

    /// The number of the next word to request.
    pub(crate) fn next_word(&self) -> u32 {
        self.next
    }

    /// The state relative to `now`: differences that are too old to matter are removed.
    pub(crate) fn relative_to(mut self, now: Cycle, far: Cycle) -> Self {
        // Requests are worked out late: so far back the first of as many as there are slots may still lie.
        let long_ago = far - Cycle::from(SLOTS + 1) * self.path.total();
        self.first = self.next.wrapping_sub(self.requested().min(SLOTS));
        let (ready, freed) = (self.ready, self.freed);
        let delayed_words = std::mem::take(&mut self.delayed_words);
        (self.ready, self.freed) = ([long_ago; 4], [long_ago; 4]);
        let mut word = self.first;
        let late = std::mem::take(&mut self.late);
        let missed = std::mem::take(&mut self.words_without_slot);
        while word != self.next {
            if self.head.wrapping_sub(word) as i32 > 0 {
                self.freed[slot(word)] = (freed[slot(word)] - now).max(long_ago);
            } else {
                self.ready[slot(word)] = (ready[slot(word)] - now).max(long_ago);
                self.late |= late & 1 << slot(word);
                self.words_without_slot |= missed & 1 << slot(word);
                self.delayed_words |= delayed_words & 1 << slot(word);
            }
            word = word.wrapping_add(1);
        }
        self.queue.forget();
        self.filled &= self.words_without_slot != 0 || self.late_slot != LateSlot::Never;
        self.bus_free = (self.bus_free - now).max(long_ago);
        // No request can be wanted as early as that.
        let never = long_ago - 1;
        self.last_request = (self.last_request - now).max(never);
        self.taken &= self.last_request > never;
        self.denied = (self.denied - now).max(never);
        self.retried_request = (self.retried_request - now).max(never);
        self.held = (self.held - now).max(long_ago);
        if self.requested() < SLOTS {
            self.opens = (self.opens - now).max(long_ago);
        } else {
            self.opens = long_ago;
        }
        self
    }

    /// Forgets times before this cycle, which no longer matter; all requests possible by then are made.
    pub(super) fn forget_before(&mut self, near: Cycle) {
        for cycle in self.ready.iter_mut().chain(&mut self.freed) {
            *cycle = (*cycle).max(near);
        }
        for cycle in [&mut self.bus_free, &mut self.held, &mut self.opens] {
            *cycle = (*cycle).max(near);
        }
        self.taken &= self.last_request >= near;
        for cycle in [
            &mut self.last_request,
            &mut self.denied,
            &mut self.retried_request,
        ] {
            *cycle = (*cycle).max(near - 1);
        }
    }

    /// Moves the state in time by `cycles`.
    pub(crate) fn moved_by(mut self, cycles: Cycle) -> Self {
        self.bus_free += cycles;
        self.held += cycles;
        self.opens += cycles;
        self.last_request += cycles;
        self.denied += cycles;
        self.retried_request += cycles;
        self.ready
            .iter_mut()
            .chain(&mut self.freed)
            .for_each(|cycle| *cycle += cycles);
        self
    }

    /// Whether the flash served the last word of an instruction late.
    pub(super) fn was_late(&self, address: u32, size: u8) -> bool {
        let last = address.wrapping_add(u32::from(size) - 1) >> 2;
        self.late >> slot(last) & 1 != 0
    }

    /// Whether its requests meet wait states.
    pub(super) fn is_slow(&self) -> bool {
        self.path.total() != 0
    }

    /// Whether a word was requested since the last refill.
    pub(super) fn has_requested(&self) -> bool {
        self.requested() != 0
    }

    /// Whether as many words were requested as it holds, or more.
    pub(super) fn is_full(&self) -> bool {
        self.requested() >= SLOTS
    }

    fn requested(&self) -> u32 {
        self.next.wrapping_sub(self.first)
    }

    /// When the next request is made, as far as that is decided.
    pub(super) fn next_request(&self) -> Option<Cycle> {
        let wanted = self.wanted()?;
        Some(wanted + Cycle::from(self.is_taken()))
    }

    /// Whether the next request waits for a write's data phase. Its address is taken in that.
    fn is_taken(&self) -> bool {
        self.wanted() == Some(self.denied)
    }

    /// From when on it would be made.
    fn wanted(&self) -> Option<Cycle> {
        self.slot_free().map(|slot| slot.max(self.bus_free))
    }

    /// From when on there is room for another word.
    fn slot_free(&self) -> Option<Cycle> {
        if self.next.wrapping_sub(self.head) >= self.slots {
            return None;
        }
        let requested = self.requested();
        Some(if requested + 1 < self.slots {
            Cycle::MIN
        } else if requested < self.slots {
            self.opens + self.path.held
        } else {
            self.freed[slot(self.next.wrapping_sub(self.slots))] + self.path.held
        })
    }

    /// Makes the next request if that is possible no later than in cycle `limit`.
    fn request(&mut self, limit: Cycle, supply: &mut Supply) -> bool {
        let Some(at) = self.next_request().filter(|&at| at <= limit) else {
            return false;
        };
        let flash_wait = supply.fetch(self.next & WORDS, at);
        let wait = self.path.wait + flash_wait;
        self.taken = self.is_taken();
        self.last_request = at;
        self.refused = false;
        self.rests = false;
        if std::mem::replace(&mut self.retried_request, LONG_AGO + at) == at {
            self.freed[slot(self.next.wrapping_sub(self.slots))] = at + 1;
            self.bus_free = at + 1 + wait + self.path.held;
            if flash_wait != 0 || self.is_slow() {
                self.held = self.bus_free;
            }
            return true;
        }
        self.ready[slot(self.next)] = at + REQUEST_TO_DECODE + wait;
        self.bus_free = at + 1 + wait + self.path.held;
        let bit = 1 << slot(self.next);
        if flash_wait != 0 || self.is_slow() {
            self.held = self.bus_free;
        }
        if flash_wait != 0 {
            self.late |= bit;
        } else {
            self.late &= !bit;
        }
        if matches!(
            (self.late_slot, self.requested()),
            (LateSlot::Third, 2) | (LateSlot::Fourth, 3)
        ) {
            self.late_slot = LateSlot::Never;
            self.words_without_slot |= bit;
        } else {
            self.words_without_slot &= !bit;
        }
        if std::mem::take(&mut self.delays_request) {
            self.delayed_words |= bit;
        } else {
            self.delayed_words &= !bit;
        }
        self.next = self.next.wrapping_add(1);
        if self.slots == SLOTS {
            self.queue.request();
        }
        if std::mem::take(&mut self.last) {
            self.slots = 0;
        }
        true
    }
}

fn slot(word: u32) -> usize {
    (word & 3) as usize
}
