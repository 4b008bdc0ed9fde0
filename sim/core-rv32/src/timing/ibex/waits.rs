//! The waits of instructions, by rule.

use super::super::in_flight::{InFlight, Kind};
use super::super::rules::{Rule, RuleSet};
use super::controller::{ControllerDecision, ControllerState};
use super::{Ibex, Work};

/// The instruction that enters the ID stage next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct IbexNextInsn {
    /// Why it waited so far.
    waits: RuleSet,
    /// The rule that interrupts sequential fetching, if any.
    behind: Option<Rule>,
}

impl IbexNextInsn {
    /// Takes the waits of an instruction that has arrived.
    pub(super) fn arrive(&mut self) -> RuleSet {
        std::mem::take(self).waits
    }

    /// Why it is not there yet; `slow`: the fetch is not answered.
    fn coming(self, slow: bool) -> Rule {
        match self.behind {
            Some(Rule::Sleep) => Rule::Sleep,
            _ if slow => Rule::WaitStates,
            behind => behind.unwrap_or(Rule::Fetch),
        }
    }
}

impl Ibex {
    /// Names what waits in a cycle that began in this state; `slow`: an access is not answered in it. Gives the reason why the ID
    /// stage is not done in it, if it is not.
    pub(super) fn attribute_waits(
        &mut self,
        state: ControllerState,
        work: Work,
        orders: &ControllerDecision,
        answered: bool,
        slow: bool,
    ) -> Rule {
        self.attribute_next(state, orders);
        let outstanding = self.is_outstanding() && !answered;
        if let Some(last) = self.write_back.as_mut().filter(|_| outstanding) {
            attribute_access(&mut last.in_flight, slow);
        }
        let hazard = self
            .id
            .is_some_and(|id| self.waits_for_load(&id.in_flight, work.refused));
        let second = self.load_store.is_second();
        let idle = self.next.coming(self.prefetch.is_slow());
        if let Some(id) = self
            .id
            .as_mut()
            .filter(|_| !work.done && state != ControllerState::Flush)
        {
            let in_flight = &mut id.in_flight;
            let why = why(
                in_flight,
                state,
                work.refused,
                [hazard, outstanding, slow, second],
            );
            let waits = &mut in_flight.waits;
            waits.add_if(hazard, Rule::Operand);
            if outstanding {
                waits.add(Rule::Access);
                waits.add_if(slow, Rule::WaitStates);
            } else if !hazard {
                attribute_own(in_flight, slow);
            }
            return why.unwrap_or(idle);
        }
        idle
    }

    /// While the ID stage is empty, or is being emptied, the next instruction waits.
    fn attribute_next(&mut self, state: ControllerState, orders: &ControllerDecision) {
        let in_flight = self.id.map(|id| id.in_flight);
        let slow = self.prefetch.is_slow();
        let next = &mut self.next;
        if let Some(rule) = sends(state, in_flight.as_ref(), orders) {
            next.behind = Some(rule);
        }
        if in_flight.is_none() || state == ControllerState::Flush {
            next.waits.add(next.behind.unwrap_or(Rule::Fetch));
            next.waits.add_if(slow, Rule::WaitStates);
        }
    }
}

/// The rule that interrupts sequential fetching from this cycle on.
fn sends(state: ControllerState, in_flight: Option<&InFlight>, orders: &ControllerDecision) -> Option<Rule> {
    match state {
        ControllerState::Decode if orders.target.is_some() => in_flight.map(jump),
        ControllerState::Decode if orders.retain => in_flight.map(flush),
        ControllerState::Decode if orders.halt => Some(Rule::Interrupt),
        ControllerState::InterruptTaken => Some(Rule::Interrupt),
        ControllerState::WaitSleep | ControllerState::Sleep => Some(Rule::Sleep),
        _ => None,
    }
}

fn jump(in_flight: &InFlight) -> Rule {
    match in_flight.kind {
        Kind::FlushInstructions => Rule::FenceI,
        Kind::Link => Rule::Jump,
        _ => Rule::Branch,
    }
}

/// For what the controller flushes the ID stage.
fn flush(in_flight: &InFlight) -> Rule {
    match in_flight.kind {
        _ if in_flight.is_refused() => Rule::Exception,
        Kind::Return => Rule::Return,
        Kind::Wait => Rule::Sleep,
        _ => Rule::Csr,
    }
}

/// Why this instruction is not done in the ID stage. `hazard`: it reads what is still to be loaded; `outstanding`: an access
/// before it is not answered; `slow`: by its memory; `second`: it is the second half of one that is asked for.
fn why(
    in_flight: &InFlight,
    state: ControllerState,
    refused: bool,
    [hazard, outstanding, slow, second]: [bool; 4],
) -> Option<Rule> {
    if state != ControllerState::Decode {
        return None;
    }
    Some(match in_flight.kind {
        _ if hazard && !slow => Rule::Operand,
        _ if slow => Rule::WaitStates,
        _ if outstanding => Rule::Access,
        _ if refused => Rule::Exception,
        Kind::Load | Kind::Store if second => Rule::Split,
        Kind::Load | Kind::Store => Rule::Access,
        Kind::Multiply => Rule::Multiply,
        Kind::Divide => Rule::Divide,
        Kind::Link => Rule::Jump,
        Kind::FlushInstructions => Rule::FenceI,
        _ if in_flight.branches && in_flight.jump.is_some() => Rule::Branch,
        _ => return None,
    })
}

/// Notes that an instruction takes longer in its stage by itself.
fn attribute_own(in_flight: &mut InFlight, slow: bool) {
    let waits = &mut in_flight.waits;
    match in_flight.kind {
        Kind::Load | Kind::Store => attribute_access(in_flight, slow),
        Kind::Multiply => waits.add(Rule::Multiply),
        Kind::Divide => waits.add(Rule::Divide),
        Kind::Link => waits.add(Rule::Jump),
        Kind::FlushInstructions => waits.add(Rule::FenceI),
        _ => waits.add_if(in_flight.branches && in_flight.jump.is_some(), Rule::Branch),
    }
}

fn attribute_access(in_flight: &mut InFlight, slow: bool) {
    let split = in_flight.is_split();
    let waits = &mut in_flight.waits;
    waits.add(Rule::Access);
    waits.add_if(split, Rule::Split);
    waits.add_if(slow, Rule::WaitStates);
}
