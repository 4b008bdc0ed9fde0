//! Run-time facts of an instruction's execution that affect its timing.

use bus::Bus;
use events::RuleSet;

use super::Instr;
use crate::core::Facts;
use crate::timing::{self, Cycle, Met, Model};

impl Instr<'_> {
    /// The facts of an execution, from its differences to the expectation.
    pub(crate) fn met(&self, (bus, model): (&Bus, Model), facts: &Facts) -> Met {
        let Instr { op, shape, code } = *self;
        let nominal = bus.profile(op.profile).wait;
        let wait = if shape.class.writes_memory() {
            nominal.write
        } else {
            nominal.read
        };
        let data = bus.profile(facts.profile.unwrap_or(op.profile));
        let accesses = shape.words != 0 && !facts.skipped;
        Met {
            skipped: facts.skipped,
            aside: facts.aside,
            taken: facts.taken,
            raises: facts.raises,
            wait: Cycle::from(wait) * Cycle::from(shape.words) + Cycle::from(facts.extra_wait),
            held: facts.held.into(),
            grant: Cycle::from(data.wait.grant),
            unbuffered: model.writes_unbuffered(),
            extra_transfers: Cycle::from(facts.extra_transactions),
            contends: shape.words != 0 && timing::contend(model, bus.profile(code), data),
            operand_cycles: facts
                .operands
                .map_or(op.expected, |operands| op.by_operands.cycles(operands))
                .into(),
            flash: facts.flash,
            area: data.area,
            io_port: data.slave == bus::Slave::IO_PORT,
            fetched_by: RuleSet::EMPTY,
            memories: timing::rules_of_memories(bus.profile(code), Some(data).filter(|_| accesses)),
        }
    }
}
