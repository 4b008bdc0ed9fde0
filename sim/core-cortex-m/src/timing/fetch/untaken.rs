//! Targets that a branch asked for and does not take (rule `branch-speculation`).

use super::{Fetch, WORDS};
use crate::timing::Cycle;
use crate::timing::supply::Supply;

/// The target that a branch requests and does not take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UntakenTarget {
    /// Its address, if known when the branch is decoded.
    pub target: Option<u32>,
    /// The request is made all the same.
    pub keeps: bool,
}

impl Fetch {
    /// A branch that is not taken has asked for its target in cycle `at`. That only takes a cycle, but on the system bus and of a
    /// flash from which everything comes over one bus, where the request is made.
    pub(crate) fn speculate(&mut self, at: Cycle, aside: UntakenTarget, supply: &mut Supply) {
        let system = self.path.held != 0;
        let asked = at + self.path.held;
        self.advance(asked - 1, supply);
        let begin = self.bus_free.max(asked);
        let made = aside.keeps && (system || supply.is_shared());
        if made && self.gives_again(at, aside, begin, supply) {
            return;
        }
        if system && !aside.keeps {
            if begin == asked {
                self.last_request = begin;
                self.bus_free = begin + 1 + self.path.total();
                self.held = self.bus_free;
            }
            return;
        }
        let Some(target) = aside.target.filter(|_| aside.keeps) else {
            return self.block(at, supply);
        };
        let answer = supply.fetch_aside((target >> 2) & WORDS, begin);
        let Some(wait) = answer.or(system.then_some(0)) else {
            return self.block(at, supply);
        };
        self.last_request = begin;
        self.rests = false;
        self.bus_free = begin + 1 + self.path.total() + wait;
        if wait != 0 || self.is_slow() {
            self.held = self.bus_free;
        }
    }

    /// A branch requests its target in cycle `at`, while the bus is free from cycle `begin` on, and withdraws the request in the next
    /// cycle. A request that waits for the bus meanwhile is then given again, be it for the next word or for a target; if it had the bus at
    /// once, its data is discarded. Returns whether nothing else is requested.
    fn gives_again(&mut self, at: Cycle, aside: UntakenTarget, begin: Cycle, supply: &mut Supply) -> bool {
        let pends = self.waits(at);
        let next = |target: u32| (target >> 2 ^ self.next) & WORDS == 0;
        if begin > at + self.path.held {
            return pends || aside.target.is_some_and(next);
        }
        if pends {
            let wait = self.path.wait + supply.fetch(self.next & WORDS, begin);
            self.last_request = begin;
            self.bus_free = begin + 1 + self.path.held + wait;
            self.held = self.bus_free;
        }
        pends
    }
}
