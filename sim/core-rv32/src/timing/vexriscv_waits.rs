//! Why instructions of `VexRiscv` wait: what of it the rules name.

use super::arbiter::{Decision, Halts, Stages, Switch};
use super::passage::{Kind, Passage};
use super::rules::{Rule, RuleSet};

/// The instruction that enters the decode stage next.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Next {
    /// Why it waited so far.
    waits: RuleSet,
    /// What keeps the fetch from just going on.
    behind: Option<Rule>,
}

impl Next {
    /// It is there.
    pub(super) fn arrive(&mut self) -> RuleSet {
        std::mem::take(self).waits
    }
}

impl Stages {
    /// Names what waits in this cycle. `keeps`: what else than its operands keeps the decode stage; `fetch`: what the fetch waits for.
    pub(crate) fn tell(&mut self, halts: &Halts, decision: &Decision, keeps: Option<Rule>, fetch: RuleSet) {
        let sent = self.sends(decision);
        let empty = self.decode.is_none() || decision.decode_removed;
        let next = &mut self.next.0;
        next.behind = sent.or(next.behind);
        if empty {
            let waits = match next.behind {
                None if fetch == RuleSet::NONE => Rule::Fetch.into(),
                None => fetch,
                Some(rule) => RuleSet::from(rule).and(fetch),
            };
            next.waits = next.waits.and(waits);
        }
        let returns = self.returns().then_some(Rule::Return);
        let keeps = keeps.or(returns).unwrap_or(Rule::Operand);
        let waiting = [
            (&mut self.decode, halts.decode, Some(keeps)),
            (&mut self.execute, halts.execute, None),
            (&mut self.memory, halts.memory, None),
            (&mut self.write_back, halts.write_back, None),
        ];
        for (stage, _, rule) in waiting.into_iter().filter(|&(_, halts, _)| halts) {
            if let Some(passage) = stage {
                let rule = rule.unwrap_or_else(|| own(passage));
                passage.waits.0.add(rule);
            }
        }
    }

    /// What sends the fetch elsewhere in this cycle, or stops it.
    fn sends(&self, decision: &Decision) -> Option<Rule> {
        if decision.redo {
            return Some(Rule::Access);
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

fn jump(passage: &Passage) -> Rule {
    match passage.kind {
        Kind::Link => Rule::Jump,
        _ => Rule::Branch,
    }
}

/// What it waits for behind the decode stage.
fn own(passage: &Passage) -> Rule {
    match passage.kind {
        Kind::Shift(_) => Rule::Shift,
        Kind::Multiply => Rule::Multiply,
        Kind::Divide => Rule::Divide,
        Kind::Csr | Kind::IllegalCsr | Kind::FlushTranslations => Rule::Csr,
        Kind::Wait => Rule::Sleep,
        _ => Rule::Access,
    }
}
