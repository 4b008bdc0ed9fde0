//! The waits of `VexRiscv`'s instructions, by rule.

use super::arbiter::{Decision, Halts, Stages, Switch};
use super::in_flight::{InFlight, Kind};
use super::rules::{Rule, RuleSet, Told};

/// The instruction that enters the decode stage next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct NextInDecode {
    /// Why it waited so far.
    waits: RuleSet,
    /// The rule that interrupts sequential fetching, if any.
    behind: Option<Rule>,
}

impl NextInDecode {
    /// Takes the waits of an instruction that has arrived.
    pub(super) fn arrive(&mut self) -> RuleSet {
        std::mem::take(self).waits
    }
}

/// Why the stages after decode are empty, from execute on: a bubble keeps its reason until it has left the last stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lost([Rule; 3]);

impl Default for Lost {
    /// After reset all waits for the first instruction.
    fn default() -> Lost {
        Lost([Rule::Fetch; 3])
    }
}

impl Lost {
    /// This stage takes an instruction, or a bubble with this reason.
    pub(super) fn set(&mut self, stage: usize, empty: bool, why: Rule) {
        self.0[stage] = if empty { why } else { Rule::Issue };
    }
}

/// The outcome of a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Why {
    /// Why nothing goes on from decode, execute and memory, if nothing does.
    pub(super) behind: [Rule; 3],
    /// Why nothing retires, if nothing does.
    pub(super) lost: Option<Rule>,
}

impl Default for Why {
    fn default() -> Why {
        Why {
            behind: [Rule::Fetch; 3],
            lost: None,
        }
    }
}

impl Stages {
    /// Notes the waits of this cycle. `keeps`: the reason apart from operands that holds the decode stage; `fetch`: the reasons of the
    /// fetch.
    pub(crate) fn attribute(
        &mut self,
        halts: &Halts,
        decision: &Decision,
        keeps: Option<Rule>,
        fetch: RuleSet,
    ) {
        let [slow_fetch, slow] = halts.slow;
        let sent = self.sends(halts, decision);
        let empty = self.decode.is_none() || decision.decode_removed;
        let next = &mut self.next;
        next.behind = sent.or(next.behind);
        if empty {
            let waits = match next.behind {
                None if fetch == RuleSet::NONE => Rule::Fetch.into(),
                None => fetch,
                Some(rule) => RuleSet::from(rule).and(fetch),
            };
            next.waits = next.waits.and(waits);
            next.waits.add_if(slow_fetch, Rule::WaitStates);
        }
        let coming = coming(fetch, slow_fetch, next.behind);
        let returns = self.returns().then_some(Rule::Return);
        let keeps = keeps.or(returns).unwrap_or(Rule::Operand);
        self.why = Told(self.becomes(decision, [coming, keeps, sent.unwrap_or(keeps)], slow));
        let waiting = [
            (&mut self.decode, halts.decode, Some(keeps)),
            (&mut self.execute, halts.execute, None),
            (&mut self.memory, halts.memory, None),
            (&mut self.write_back, halts.write_back, Some(Rule::Access)),
        ];
        for (stage, _, rule) in waiting.into_iter().filter(|&(_, halts, _)| halts) {
            if let Some(in_flight) = stage {
                let rule = rule.unwrap_or_else(|| own(in_flight));
                in_flight.waits.add(rule);
                in_flight
                    .waits
                    .add_if(slow && rule == Rule::Access, Rule::WaitStates);
            }
        }
    }

    /// The reasons of a cycle: `coming` of what is still to come to decode, `keeps` of what stays there, `sent` of what is
    /// removed; `slow`: memory does not answer.
    fn becomes(&self, decision: &Decision, [coming, keeps, sent]: [Rule; 3], slow: bool) -> Why {
        let [remove_decode, remove_execute, remove_memory] = decision.remove;
        let memory_waits = if slow { Rule::WaitStates } else { Rule::Access };
        let stays = |in_flight: &InFlight| match own(in_flight) {
            Rule::Access => memory_waits,
            rule => rule,
        };
        let reason = |stage: &Option<InFlight>, removed: bool, bubble: Rule| match stage {
            _ if removed && stage.is_some() => sent,
            Some(in_flight) => stays(in_flight),
            None => bubble,
        };
        let [execute, memory, write_back] = self.lost.0;
        let decode = match self.decode {
            Some(_) if remove_decode => sent,
            Some(_) => keeps,
            None => coming,
        };
        let retires = self.retiring(decision).is_some();
        let last = match &self.write_back {
            // Any instruction: only data holds that stage.
            Some(_) if !decision.write_back_removed => memory_waits,
            stage => reason(stage, decision.write_back_removed, write_back),
        };
        Why {
            behind: [
                decode,
                reason(&self.execute, remove_execute, execute),
                reason(&self.memory, remove_memory, memory),
            ],
            lost: (!retires).then_some(last),
        }
    }

    /// The rule that redirects or stops the fetch in this cycle.
    fn sends(&self, halts: &Halts, decision: &Decision) -> Option<Rule> {
        if decision.redo {
            return Some(if halts.untranslated {
                Rule::Translation
            } else {
                Rule::Access
            });
        }
        if let Some(switch) = decision.traps {
            return Some(match switch {
                Switch::Exception => Rule::Exception,
                Switch::Interrupt => Rule::Interrupt,
                Switch::Return => Rule::Return,
            });
        }
        if decision.halt_fetch {
            return Some(Rule::Exception);
        }
        if let Some(memory) = self.memory.filter(|memory| memory.jump.is_some()) {
            return Some(jump(&memory));
        }
        if self.execute.is_some_and(|execute| execute.reschedules) {
            return Some(Rule::Translation);
        }
        let decode = self.decode?;
        decode.predicted.map(|_| jump(&decode))
    }
}

/// The rule for an empty decode stage. A wait of the fetch itself takes precedence over its redirection.
fn coming(fetch: RuleSet, slow: bool, behind: Option<Rule>) -> Rule {
    let asks = fetch == RuleSet::NONE && behind.is_none() || fetch.has(Rule::Fetch);
    match behind {
        _ if fetch.has(Rule::Translation) => Rule::Translation,
        _ if slow && asks => Rule::WaitStates,
        _ if fetch.has(Rule::Fetch) => Rule::Fetch,
        _ if fetch.has(Rule::FenceI) => Rule::FenceI,
        behind => behind.unwrap_or(Rule::Fetch),
    }
}

fn jump(in_flight: &InFlight) -> Rule {
    match in_flight.kind {
        Kind::Link => Rule::Jump,
        _ => Rule::Branch,
    }
}

/// The rule by which an instruction waits after the decode stage.
fn own(in_flight: &InFlight) -> Rule {
    match in_flight.kind {
        Kind::Shift(_) => Rule::Shift,
        Kind::Multiply => Rule::Multiply,
        Kind::Divide => Rule::Divide,
        Kind::Csr | Kind::IllegalCsr | Kind::FlushTranslations => Rule::Csr,
        Kind::Wait => Rule::Sleep,
        _ => Rule::Access,
    }
}
