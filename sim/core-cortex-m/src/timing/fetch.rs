//! The prefetch unit: a FIFO of three words, filled by one aligned word a cycle (rule `fetch-fifo`).
//!
//! A word's request occupies the fetch bus for a cycle, its data comes in the next one, and it can be decoded in the
//! one after. A request needs a free slot; the slot of a word is free when the instruction with its last halfword
//! leaves decode. Words are named by their address divided by four.

use super::Cycle;

/// Words that the FIFO holds, requested ones included (Arm KBA 103488664).
const SLOTS: u32 = 3;
/// From a request to the first cycle in which the word can be decoded.
const REQUEST_TO_DECODE: Cycle = 2;

/// The bits of a word's number that count: what stands behind the last word of the address space is the first.
const WORDS: u32 = u32::MAX >> 2;

/// A time so far back that it cannot matter any more.
pub(super) const LONG_AGO: Cycle = -8;

/// The state of the prefetch unit. Requests are worked out only as far as somebody asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Fetch {
    /// First word since the last refill.
    first: u32,
    /// Next word to request.
    next: u32,
    /// Oldest word of which something is still to be decoded.
    head: u32,
    /// First cycle in which the next request can be made.
    bus_free: Cycle,
    /// When each requested word can be decoded, by its number modulo four.
    ready: [Cycle; 4],
    /// When the slot of each word that left was free again.
    freed: [Cycle; 4],
    /// Wait states of a request.
    wait: Cycle,
    /// Words that it holds, requested ones included.
    slots: u32,
}

impl Fetch {
    /// Starts at `address`, with the first request in cycle `request`.
    pub(crate) fn refill(address: u32, request: Cycle, wait: Cycle) -> Self {
        let first = address >> 2;
        Fetch {
            first,
            next: first,
            head: first,
            bus_free: request,
            ready: [0; 4],
            freed: [0; 4],
            wait,
            slots: SLOTS,
        }
    }

    /// Holds only so many words, [`SLOTS`] at the most.
    pub(super) fn hold(&mut self, slots: u32) {
        self.slots = slots;
    }

    /// The first cycle in which the instruction of `size` bytes at `address` can be decoded.
    pub(crate) fn ready(&mut self, address: u32, size: u8) -> Cycle {
        let last = address.wrapping_add(u32::from(size) - 1) >> 2;
        let ahead = last.wrapping_sub(self.first) & WORDS;
        while self.requested() <= ahead && self.request(Cycle::MAX) {}
        self.ready[slot(last)]
    }

    /// The same, of an instruction for which it has been asked.
    pub(crate) fn ready_at(&self, address: u32, size: u8) -> Cycle {
        self.ready[slot(address.wrapping_add(u32::from(size) - 1) >> 2)]
    }

    /// The instruction of `size` bytes at `address` leaves decode: a request can use its slots from cycle `at` on.
    pub(crate) fn leaves(&mut self, address: u32, size: u8, at: Cycle) {
        let next = address.wrapping_add(u32::from(size)) >> 2;
        while (self.head ^ next) & WORDS != 0 {
            self.freed[slot(self.head)] = at;
            self.head = self.head.wrapping_add(1);
        }
    }

    /// Something else has the fetch bus in cycle `at`: a request that would be made then waits.
    pub(crate) fn block(&mut self, at: Cycle) {
        while self.request(at - 1) {}
        self.bus_free = self.bus_free.max(at + 1);
    }

    /// Data takes the bus that instructions come over for so many cycles, from cycle `at` on or when the request under
    /// way is answered; gives the first of them.
    pub(super) fn acquire(&mut self, at: Cycle, cycles: Cycle) -> Cycle {
        while self.request(at - 1) {}
        let from = self.bus_free.max(at);
        self.bus_free = from + cycles;
        from
    }

    /// As it looks from `now`: what cannot matter any more is made equal.
    pub(crate) fn relative_to(mut self, now: Cycle) -> Self {
        // Requests are worked out late: so far back the first of as many as there are slots may still lie.
        let long_ago = LONG_AGO - Cycle::from(SLOTS + 1) * self.wait;
        self.first = self.next.wrapping_sub(self.requested().min(SLOTS));
        let (ready, freed) = (self.ready, self.freed);
        (self.ready, self.freed) = ([long_ago; 4], [long_ago; 4]);
        let mut word = self.first;
        while word != self.next {
            if self.head.wrapping_sub(word) as i32 > 0 {
                self.freed[slot(word)] = (freed[slot(word)] - now).max(long_ago);
            } else {
                self.ready[slot(word)] = (ready[slot(word)] - now).max(long_ago);
            }
            word = word.wrapping_add(1);
        }
        self.bus_free = (self.bus_free - now).max(long_ago);
        self
    }

    /// The same at another time.
    pub(crate) fn moved_by(mut self, cycles: Cycle) -> Self {
        self.bus_free += cycles;
        self.ready
            .iter_mut()
            .chain(&mut self.freed)
            .for_each(|cycle| *cycle += cycles);
        self
    }

    /// Whether a word was requested since the last refill.
    pub(super) fn has_requested(&self) -> bool {
        self.requested() != 0
    }

    fn requested(&self) -> u32 {
        self.next.wrapping_sub(self.first)
    }

    /// Makes the next request if that is possible no later than in cycle `limit`.
    fn request(&mut self, limit: Cycle) -> bool {
        if self.next.wrapping_sub(self.head) >= self.slots {
            return false;
        }
        let slot_free = if self.requested() < self.slots {
            Cycle::MIN
        } else {
            self.freed[slot(self.next.wrapping_sub(self.slots))]
        };
        let at = self.bus_free.max(slot_free);
        if at > limit {
            return false;
        }
        self.ready[slot(self.next)] = at + REQUEST_TO_DECODE + self.wait;
        self.bus_free = at + 1 + self.wait;
        self.next = self.next.wrapping_add(1);
        true
    }
}

fn slot(word: u32) -> usize {
    (word & 3) as usize
}
