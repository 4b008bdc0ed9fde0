//! The waits of instructions, by rule.

use super::super::passage::{Kind, Passage};
use super::super::rules::{Rule, RuleSet};
use super::controller::{Orders, State};
use super::{Ibex, Work};

/// The instruction that enters the ID stage next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Next {
    /// Why it waited so far.
    waits: RuleSet,
    /// The rule that interrupts sequential fetching, if any.
    behind: Option<Rule>,
}

impl Next {
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
    pub(super) fn tell_waits(
        &mut self,
        state: State,
        work: Work,
        orders: &Orders,
        answered: bool,
        slow: bool,
    ) -> Rule {
        self.tell_next(state, orders);
        let outstanding = self.is_outstanding() && !answered;
        if let Some(last) = self.write_back.as_mut().filter(|_| outstanding) {
            tell_access(&mut last.passage, slow);
        }
        let hazard = self
            .id
            .is_some_and(|id| self.waits_for_load(&id.passage, work.refused));
        let second = self.load_store.is_second();
        let idle = self.next.coming(self.prefetch.is_slow());
        if let Some(id) = self.id.as_mut().filter(|_| !work.done && state != State::Flush) {
            let passage = &mut id.passage;
            let why = why(passage, state, work.refused, [hazard, outstanding, slow, second]);
            let waits = &mut passage.waits;
            waits.add_if(hazard, Rule::Operand);
            if outstanding {
                waits.add(Rule::Access);
                waits.add_if(slow, Rule::WaitStates);
            } else if !hazard {
                tell_own(passage, slow);
            }
            return why.unwrap_or(idle);
        }
        idle
    }

    /// While the ID stage is empty, or is being emptied, the next instruction waits.
    fn tell_next(&mut self, state: State, orders: &Orders) {
        let passage = self.id.map(|id| id.passage);
        let slow = self.prefetch.is_slow();
        let next = &mut self.next;
        if let Some(rule) = sends(state, passage.as_ref(), orders) {
            next.behind = Some(rule);
        }
        if passage.is_none() || state == State::Flush {
            next.waits.add(next.behind.unwrap_or(Rule::Fetch));
            next.waits.add_if(slow, Rule::WaitStates);
        }
    }
}

/// The rule that interrupts sequential fetching from this cycle on.
fn sends(state: State, passage: Option<&Passage>, orders: &Orders) -> Option<Rule> {
    match state {
        State::Decode if orders.target.is_some() => passage.map(jump),
        State::Decode if orders.retain => passage.map(flush),
        State::Decode if orders.halt => Some(Rule::Interrupt),
        State::InterruptTaken => Some(Rule::Interrupt),
        State::WaitSleep | State::Sleep => Some(Rule::Sleep),
        _ => None,
    }
}

fn jump(passage: &Passage) -> Rule {
    match passage.kind {
        Kind::FlushInstructions => Rule::FenceI,
        Kind::Link => Rule::Jump,
        _ => Rule::Branch,
    }
}

/// For what the controller flushes the ID stage.
fn flush(passage: &Passage) -> Rule {
    match passage.kind {
        _ if passage.is_refused() => Rule::Exception,
        Kind::Return => Rule::Return,
        Kind::Wait => Rule::Sleep,
        _ => Rule::Csr,
    }
}

/// Why this instruction is not done in the ID stage. `hazard`: it reads what is still to be loaded; `outstanding`: an access
/// before it is not answered; `slow`: by its memory; `second`: it is the second half of one that is asked for.
fn why(
    passage: &Passage,
    state: State,
    refused: bool,
    [hazard, outstanding, slow, second]: [bool; 4],
) -> Option<Rule> {
    if state != State::Decode {
        return None;
    }
    Some(match passage.kind {
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
        _ if passage.branches && passage.jump.is_some() => Rule::Branch,
        _ => return None,
    })
}

/// Notes that an instruction takes longer in its stage by itself.
fn tell_own(passage: &mut Passage, slow: bool) {
    let waits = &mut passage.waits;
    match passage.kind {
        Kind::Load | Kind::Store => tell_access(passage, slow),
        Kind::Multiply => waits.add(Rule::Multiply),
        Kind::Divide => waits.add(Rule::Divide),
        Kind::Link => waits.add(Rule::Jump),
        Kind::FlushInstructions => waits.add(Rule::FenceI),
        _ => waits.add_if(passage.branches && passage.jump.is_some(), Rule::Branch),
    }
}

fn tell_access(passage: &mut Passage, slow: bool) {
    let split = passage.is_split();
    let waits = &mut passage.waits;
    waits.add(Rule::Access);
    waits.add_if(split, Rule::Split);
    waits.add_if(slow, Rule::WaitStates);
}
