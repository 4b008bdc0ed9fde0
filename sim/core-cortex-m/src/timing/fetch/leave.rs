//! Pending requests when the fetch is redirected: to a jump's target, or for an exception.

use super::{Fetch, WORDS};
use crate::timing::Cycle;
use crate::timing::supply::Supply;

impl Fetch {
    /// Works out all requests whose address was given before cycle `at`, when a jump gives another one. One that waits and is for
    /// word `target` is left to the jump, which takes it over if its address is not taken yet.
    pub(crate) fn leave(&mut self, at: Cycle, keeps: bool, target: Option<u32>, supply: &mut Supply) {
        self.advance(at - 1 + self.path.held, supply);
        let taken = self.is_taken() && self.denied < at;
        if keeps && self.waits(at) && (taken || target != Some(self.next & WORDS)) {
            self.request(Cycle::MAX, supply);
            self.held = self.bus_free;
        }
    }

    /// The next word whose address is not given before cycle `at`.
    pub(crate) fn next_given(&mut self, at: Cycle, supply: &mut Supply) -> u32 {
        self.advance(at - 1 + self.path.held, supply);
        self.next & WORDS
    }

    /// Whether room for the next word had been made before cycle `at`.
    pub(crate) fn had_free_slot(&self, at: Cycle) -> bool {
        self.slot_free().is_some_and(|slot| slot - self.path.held < at)
    }

    /// From cycle `at` on nothing more is fetched, but what was given before and waits if that is kept.
    pub(crate) fn stop(&mut self, at: Cycle, keeps: bool, supply: &mut Supply) {
        self.advance(at - 1 + self.path.held, supply);
        if keeps && self.waits(at) {
            self.last = true;
        } else {
            self.slots = 0;
        }
    }

    /// Whether the address of the next request was given before cycle `at`, up to which requests are worked out.
    pub(super) fn waits(&self, at: Cycle) -> bool {
        !self.rests && self.given().is_some_and(|given| given < at)
    }

    /// Makes the requests until cycle `at`, and gives the first cycle in which another one can be made.
    pub(crate) fn free_after(&mut self, at: Cycle, supply: &mut Supply) -> Cycle {
        self.advance(at, supply);
        // A request computed ahead is not made.
        if self.last_request > at {
            self.last_request
        } else {
            self.bus_free
        }
    }

    /// Makes the requests whose address was given before cycle `at`, and gives the first cycle in which another one can be made.
    pub(crate) fn free_after_given(&mut self, at: Cycle, supply: &mut Supply) -> Cycle {
        // The next instruction waits for the request computed ahead: its address was given long ago.
        if self.last_request < at {
            self.leave(at, true, None, supply);
        }
        self.bus_free
    }

    /// Whether it has the system bus in cycle `at`.
    pub(crate) fn takes_system_bus(&mut self, at: Cycle, supply: &mut Supply) -> bool {
        if !self.is_on_system_bus() {
            return false;
        }
        self.advance(at, supply);
        self.last_request == at
    }

    /// When the address of the next request is given, be it served or not.
    pub(super) fn given(&self) -> Option<Cycle> {
        let behind = self.last_request + Cycle::from(self.path.held == 0 && !self.taken);
        let slot = self.slot_free()?;
        Some((slot.max(self.last_request) - self.path.held).max(behind))
    }

    /// The first cycle behind the last word's data, in which an address can be given over the other bus; `ahead`: that word was not
    /// requested.
    fn over(&self, ahead: bool) -> Cycle {
        let data = if ahead {
            self.held
        } else {
            self.held.max(self.last_request + 1)
        };
        data + 1
    }

    /// No request is made until those of `before` are served, and the data that has the bus in cycle `at`.
    pub(crate) fn wait_for(&mut self, before: &Fetch, at: Cycle) {
        // A request computed ahead is not made.
        let ahead = before.last_request >= at;
        let free = if ahead || before.rests {
            before.held
        } else {
            before.bus_free
        };
        self.bus_free = self.bus_free.max(free);
        if before.path.held < self.path.held {
            self.bus_free = self.bus_free.max(before.over(ahead) + self.path.held);
        }
        if before.denied >= at {
            self.denied = before.denied;
        }
    }
}
