//! The named rules: the reasons for an instruction's waits.
//!
//! In each cycle in which an instruction waits, in a stage or on its way to the first, the pipeline adds the rule to the instruction's set;
//! the set is emitted when it retires ([`events::Retire`]). For each cycle without retirement the pipeline names the one rule that lost the
//! cycle: a bubble in a stage keeps the reason of its origin. A table for each core (`rules/`) has the rules' texts with their numbers of
//! cycles; where a number depends on the code around it, the core's page shows examples. The evidence for all of them is the core's own
//! Verilog.

mod ibex;
mod picorv32;
mod vexriscv;

use std::hash::{Hash, Hasher};

use events::{Class, Mark, RuleBook, RuleId};

use crate::config::{Config, Timing, Translation};

/// A reason to wait. Cores share a name for the same mechanism; its duration differs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Rule {
    /// Its own cycles, without any wait.
    Issue,
    /// The arrival of its own bytes.
    Fetch,
    /// A result of an older instruction.
    Operand,
    /// A taken branch: its target, or the fetch after it.
    Branch,
    /// A jump: its target, or the fetch after it.
    Jump,
    /// A shift.
    Shift,
    /// The multiplier.
    Multiply,
    /// The divider.
    Divide,
    /// An access to a control and status register.
    Csr,
    /// The way into an exception's handler.
    Exception,
    /// The way back from a handler.
    Return,
    /// The way into an interrupt's handler.
    Interrupt,
    /// An interrupt that ends WFI.
    Sleep,
    /// FENCE.I.
    FenceI,
    /// The answer to a load or store.
    Access,
    /// The second access of one that is misaligned.
    Split,
    /// A memory port that something else uses.
    Port,
    /// A memory that does not answer at once.
    WaitStates,
    /// The translation of its address, or of one it accesses.
    Translation,
}

impl Rule {
    /// Every rule of every core.
    pub const ALL: [Rule; 19] = [
        Rule::Issue,
        Rule::Fetch,
        Rule::Operand,
        Rule::Branch,
        Rule::Jump,
        Rule::Shift,
        Rule::Multiply,
        Rule::Divide,
        Rule::Csr,
        Rule::Exception,
        Rule::Return,
        Rule::Interrupt,
        Rule::Sleep,
        Rule::FenceI,
        Rule::Access,
        Rule::Split,
        Rule::Port,
        Rule::WaitStates,
        Rule::Translation,
    ];

    /// Its name in documents and reports.
    pub const fn id(self) -> &'static str {
        match self {
            Rule::Issue => "issue",
            Rule::Fetch => "fetch",
            Rule::Operand => "operand",
            Rule::Branch => "branch",
            Rule::Jump => "jump",
            Rule::Shift => "shift",
            Rule::Multiply => "multiply",
            Rule::Divide => "divide",
            Rule::Csr => "csr",
            Rule::Exception => "exception",
            Rule::Return => "return",
            Rule::Interrupt => "interrupt",
            Rule::Sleep => "sleep",
            Rule::FenceI => "fence-i",
            Rule::Access => "access",
            Rule::Split => "split",
            Rule::Port => "port",
            Rule::WaitStates => "wait-states",
            Rule::Translation => "translation",
        }
    }

    /// The class of its cycles.
    pub const fn class(self) -> Class {
        match self {
            Rule::Issue => Class::Issue,
            Rule::Fetch | Rule::Branch | Rule::Jump | Rule::FenceI => Class::Refill,
            Rule::Operand => Class::Operand,
            Rule::Shift | Rule::Multiply | Rule::Divide | Rule::Csr => Class::Operation,
            Rule::Exception | Rule::Return | Rule::Interrupt => Class::Stacking,
            Rule::Sleep => Class::Asleep,
            Rule::Access | Rule::Split => Class::Access,
            Rule::Port => Class::Conflict,
            Rule::WaitStates => Class::WaitState,
            Rule::Translation => Class::Miss,
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u8
    }
}

impl From<Rule> for RuleSet {
    fn from(rule: Rule) -> RuleSet {
        RuleSet(rule.bit())
    }
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RuleSet(u32);

impl RuleSet {
    /// The empty set.
    pub const NONE: RuleSet = RuleSet(0);

    /// Converts the set of an event.
    pub const fn told(set: events::RuleSet) -> RuleSet {
        RuleSet(set.0 as u32)
    }

    /// Converts it to the set of an event.
    pub const fn to_events(self) -> events::RuleSet {
        events::RuleSet(self.0 as u128)
    }

    /// Adds a rule.
    #[inline]
    pub const fn add(&mut self, rule: Rule) {
        self.0 |= rule.bit();
    }

    /// Adds a rule where it applies.
    #[inline]
    pub const fn add_if(&mut self, applies: bool, rule: Rule) {
        if applies {
            self.add(rule);
        }
    }

    /// The union of both sets.
    #[inline]
    #[must_use]
    pub const fn and(self, other: RuleSet) -> RuleSet {
        RuleSet(self.0 | other.0)
    }

    /// Whether a rule is in it.
    pub const fn has(self, rule: Rule) -> bool {
        self.0 & rule.bit() != 0
    }

    /// Iterates over its rules.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(move |&rule| self.has(rule))
    }
}

/// Data that a pipeline only reports. It affects no decision, so that pipelines which differ in it alone compare equal.
#[derive(Clone, Copy, Default, Debug)]
pub struct Told<T>(pub T);

impl<T> PartialEq for Told<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Told<T> {}

impl<T> Hash for Told<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A rule's text for one core.
pub use events::Rule as Known;

const fn known(rule: Rule, text: &'static str, source: &'static str) -> Known {
    Known {
        number: RuleId(rule as u8),
        id: rule.id(),
        text,
        source,
        mark: Mark::Rtl,
        switchable: false,
        class: rule.class(),
    }
}

impl From<Rule> for RuleId {
    #[inline]
    fn from(rule: Rule) -> RuleId {
        RuleId(rule as u8)
    }
}

const ISSUE: Known = known(
    Rule::Issue,
    "An instruction that does not have to wait retires 1 cycle after the one before it.",
    "the core retires at most one instruction a cycle",
);

/// The rules of a core; none if it is not known how it is timed.
pub fn of(config: &Config) -> Vec<Known> {
    let mut known = match config.timing {
        None => Vec::new(),
        Some(Timing::Simple) => [vexriscv::ALL, vexriscv::MIN].concat(),
        Some(Timing::Lite) => [vexriscv::ALL, vexriscv::PREDICTS, vexriscv::LITE].concat(),
        Some(Timing::Cached | Timing::Compressed | Timing::Precursor) => {
            [vexriscv::ALL, vexriscv::PREDICTS, vexriscv::CACHED].concat()
        }
        Some(Timing::Ibex) => ibex::RULES.to_vec(),
        Some(Timing::IbexWriteBack) => [ibex::RULES, ibex::WRITE_BACK].concat(),
        Some(Timing::PicoRv32) => picorv32::RULES.to_vec(),
    };
    known.retain(|known| match known.id {
        "sleep" => config.waits,
        "translation" => config.translation != Translation::None,
        _ => true,
    });
    known
}

/// The rules of a core with what is known of each.
pub fn book(config: &Config) -> RuleBook {
    RuleBook::new(of(config))
}
