//! Memories that have to be granted when they were idle (rule `memory-grant`).

use super::ThreeBusExecution;
use crate::timing::Cycle;
use crate::timing::costs::cycles;
use crate::timing::rule::Rule;
use crate::timing::shape::Class;

impl ThreeBusExecution<'_, '_> {
    /// The cycles until a memory that was idle is granted; a single store's the write buffer waits for.
    pub(super) fn granted(&mut self) -> Cycle {
        let (granted, area) = self.pipe.granted;
        let held = area == self.facts.area && granted == self.access;
        let single = matches!(self.shape.class, Class::Store | Class::StoreIndexed);
        if self.facts.grant == 0 || held || single {
            return 0;
        }
        self.uses(Rule::MemoryGrant);
        self.costs.add(Rule::MemoryGrant, cycles(self.facts.grant));
        self.facts.grant
    }

    /// The cycle of a buffered store's data phase, which would be this one if its memory were granted: stores queue up behind
    /// one for which it was not.
    pub(super) fn buffered(&mut self, at: Cycle) -> Cycle {
        if self.facts.grant == 0 {
            return at;
        }
        self.uses(Rule::MemoryGrant);
        let (granted, area) = self.pipe.granted;
        if area == self.facts.area && granted >= at {
            granted
        } else {
            at + self.facts.grant
        }
    }

    /// From this cycle on its memory is idle, if nothing follows.
    pub(super) fn grant_until(&mut self, cycle: Cycle) {
        if self.facts.grant != 0 {
            self.pipe.granted = (cycle, self.facts.area);
        }
    }
}
