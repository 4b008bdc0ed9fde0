//! Loads and stores of the M3 and M4.

use super::{IN_REACH, ThreeBusExecution, shares_system_bus, takes, waits};
use crate::timing::Cycle;
use crate::timing::costs::cycles as to_cost;
use crate::timing::rule::Rule;
use crate::timing::shape::Class;
use crate::timing::state::Previous;

/// Cycles of the addition by which TBB and TBH form their target.
const TABLE_ADDITION: Cycle = 1;

impl ThreeBusExecution<'_, '_> {
    pub(super) fn load(&mut self, previous: Previous) {
        self.is_by(if self.shape.class == Class::TableBranch {
            Rule::TableBranch
        } else {
            Rule::Load
        });
        self.uses(Rule::Load);
        self.address_and_data(previous);
    }

    /// One transfer: its address and, in the last of the cycles that its rule says, its data.
    pub(super) fn address_and_data(&mut self, previous: Previous) {
        self.float_access();
        let mut extra = self.transfer_extra();
        extra += self.in_parts(1 + extra).unwrap_or_else(|| self.occupy(1 + extra));
        self.pipe.execute_free = self.access + takes(Rule::Load) + extra;
        let data = self.pipe.execute_free - 1;
        self.grant_until(data);
        // Seen from afar all that is as long ago as that is alike.
        let passes = self.access + Cycle::from(self.facts.extra_transfers != 0);
        self.pipe.passes = (passes - Cycle::from(self.pipe.ahead)).max(data - IN_REACH);
        self.pipe.waited = self.waited;
        self.pipe.previous = previous;
        self.pipe.area = self.facts.area;
        self.port_busy_until(data, data);
    }

    /// Whether it is an unaligned access, and instructions come over the system bus.
    fn is_in_parts(&self) -> bool {
        let meets = self.facts.extra_transfers != 0 && self.pipe.fetch.is_on_system_bus();
        meets && self.model.has(Rule::UnalignedFetch)
    }

    /// What so many cycles of the parts of an unaligned access take longer where instructions come over the system bus: nothing
    /// is fetched between them. `None` if it is none.
    fn in_parts(&mut self, cycles: Cycle) -> Option<Cycle> {
        if !self.is_in_parts() {
            return None;
        }
        self.uses(Rule::UnalignedFetch);
        // One that has left decode, and waits, has met them by then.
        let ahead = Cycle::from(self.pipe.left);
        let facts = self.access - ahead;
        let longer = (self.pipe.fetch.parts_meet(facts, self.supply) - ahead).max(0);
        if shares_system_bus(self.model, self.shape, self.facts.area) {
            self.pipe.fetch.block(self.access, self.supply);
        }
        self.pipe
            .fetch
            .refuse(facts, self.access + cycles + longer, self.supply);
        self.costs.add(Rule::UnalignedFetch, to_cost(longer));
        Some(longer)
    }

    /// From its first cycle on no fetch is begun. One whose address has been given, and waits, is still made.
    pub(super) fn stop_fetching(&mut self) {
        let keeps = self.model.has(Rule::JumpBehindFetch);
        self.pipe.fetch.stop(self.start, keeps, self.supply);
    }

    pub(super) fn load_pc(&mut self) {
        self.stop_fetching();
        self.load(Previous::Other);
        self.uses(Rule::LoadPc);
        self.jump_after(self.pipe.execute_free, Rule::LoadPc);
    }

    pub(super) fn table_branch(&mut self) {
        if self.is_in_parts() {
            // An address given in its first cycle is refused.
            self.pipe.fetch.stop(self.start, true, self.supply);
        } else {
            self.stop_fetching();
        }
        self.load(Previous::Other);
        self.uses(Rule::TableBranch);
        // The addition comes after the load.
        self.jump_after(self.pipe.execute_free + TABLE_ADDITION, Rule::TableBranch);
    }

    /// Hands one store to the write buffer, which needs the data port in the next cycle. A load then waits, but not
    /// behind a store with a register offset, whose second cycle that is.
    pub(super) fn store(&mut self, rule: Rule, previous: Previous) {
        self.is_by(rule);
        let private = self.facts.unbuffered && self.facts.area == bus::Profile::PRIVATE.area;
        if private && self.applies(Rule::StorePrivate) {
            self.address_and_data(Previous::Load);
            self.pipe.execute_free += Cycle::from(previous == Previous::StoreIndexed);
            return;
        }
        self.float_access();
        let mut extra = self.transfer_extra();
        let parts = self.in_parts(1 + extra);
        let held_up = parts.map_or_else(|| self.occupy(1 + extra), |_| 0);
        extra += held_up + parts.unwrap_or(0);
        let data = self.access + 1 + extra;
        let reads_late = previous == Previous::StoreIndexed && self.model.has(Rule::StoreRegisterOffset);
        let hidden = if self.facts.unbuffered {
            0
        } else {
            self.facts.wait + held_up
        };
        self.pipe.execute_free = data - hidden + Cycle::from(reads_late);
        let unbuffered = self.facts.unbuffered && previous == Previous::Store;
        let holds = unbuffered && self.applies(Rule::StoreUnbuffered);
        if holds {
            self.pipe.execute_free += takes(Rule::StoreUnbuffered) - takes(Rule::Store);
        }
        let to_load = if previous == Previous::Store && self.model.has(Rule::StoreThenLoad) {
            waits(Rule::StoreThenLoad)
        } else {
            0
        };
        let written = self.buffered(data);
        self.port_busy_until(data, written + to_load);
        self.grant_until(written + 1);
        self.pipe.previous = if holds {
            Previous::StoreUnbuffered
        } else {
            previous
        };
        self.pipe.passes = self.access;
        self.pipe.area = self.facts.area;
    }

    /// Several words one after the other, the last one's data included.
    pub(super) fn words_in_turn(&mut self, rule: Rule) {
        self.is_by(rule);
        self.float_access();
        let mut extra = self.transfer_extra();
        extra += self.occupy(self.words() + extra);
        let end = self.access + takes(rule) + (self.words() - 1) + extra;
        self.grant_until(end - 1);
        self.pipe.execute_free = end;
        self.port_busy_until(end, end);
    }

    pub(super) fn load_multiple_pc(&mut self) {
        self.stop_fetching();
        self.words_in_turn(Rule::Multiple);
        self.uses(Rule::LoadPc);
        self.jump_after(self.pipe.execute_free, Rule::LoadPc);
    }

    /// Its data are floating-point registers.
    pub(super) fn float_access(&mut self) {
        if self.shape.float.unit {
            self.uses(Rule::FloatAccess);
        }
    }

    pub(super) fn port_busy_until(&mut self, store: Cycle, load: Cycle) {
        self.pipe.store_free = store;
        self.pipe.load_free = load;
    }
}
