//! From an instruction's deviation to the facts that decide its timing.

use bus::Bus;
use events::RuleSet;

use super::Instr;
use crate::state::Deviation;
use crate::timing::{self, Cycle, Model, RuntimeFacts};

impl Instr<'_> {
    /// The facts of an execution that deviated from expectation in this way.
    pub(crate) fn runtime_facts(&self, (bus, model): (&Bus, Model), deviation: &Deviation) -> RuntimeFacts {
        let Instr { op, shape, code } = *self;
        let nominal = bus.profile(op.profile).wait;
        let wait = if shape.class.writes_memory() {
            nominal.write
        } else {
            nominal.read
        };
        let data = bus.profile(deviation.profile.unwrap_or(op.profile));
        let accesses = shape.words != 0 && !deviation.skipped;
        RuntimeFacts {
            skipped: deviation.skipped,
            aside: deviation.aside,
            taken: deviation.taken,
            raises: deviation.raises,
            wait: Cycle::from(wait) * Cycle::from(shape.words) + Cycle::from(deviation.extra_wait),
            held: deviation.held.into(),
            grant: Cycle::from(data.wait.grant),
            unbuffered: model.writes_unbuffered(),
            extra_transfers: Cycle::from(deviation.extra_transactions),
            contends: shape.words != 0 && timing::contend(model, bus.profile(code), data),
            operand_cycles: deviation
                .operands
                .map_or(op.expected, |operands| op.by_operands.cycles(operands))
                .into(),
            flash: deviation.flash,
            area: data.area,
            io_port: data.slave == bus::Slave::IO_PORT,
            fetched_by: RuleSet::EMPTY,
            memories: timing::rules_of_memories(bus.profile(code), Some(data).filter(|_| accesses)),
        }
    }
}
