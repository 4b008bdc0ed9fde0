//! Named timing rules, and the evidence for each.

/// The evidence for a rule, strongest first. A figure carries the weakest mark of the rules that it relied on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// Checked against the core's own Verilog, cycle by cycle.
    Rtl,
    /// Checked against published figures of silicon.
    A,
    /// From a vendor's document.
    B,
    /// One independent measurement.
    C,
    /// Inferred.
    D,
}

impl Mark {
    /// Its spelling: a letter, or `RTL`.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Rtl => "RTL",
            Mark::A => "A",
            Mark::B => "B",
            Mark::C => "C",
            Mark::D => "D",
        }
    }
}

/// The kind of work that a rule's cycles are spent on; profiles group cycles by class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Basic issue of an instruction.
    Issue,
    /// Extra execution cycles: multiplication, division, floating point, system registers, barriers.
    Operation,
    /// Waiting for the result of an earlier instruction, such as a load.
    Operand,
    /// Data transfer: what a load or store takes from zero-wait-state memory.
    Access,
    /// Instruction fetch: after a branch, or because prefetch is late.
    Refill,
    /// Wait states of a memory.
    WaitState,
    /// A bus or memory port is busy with another access.
    Conflict,
    /// A miss in a cache or translation buffer.
    Miss,
    /// Exception entry or return, including stacking and unstacking of registers.
    Stacking,
    /// Masking or unmasking of interrupts.
    Masking,
    /// Sleeping or waking up.
    Asleep,
}

impl Class {
    /// Number of classes.
    pub const COUNT: usize = Class::ALL.len();

    /// Every class, in documentation order.
    pub const ALL: [Class; 11] = [
        Class::Issue,
        Class::Operation,
        Class::Operand,
        Class::Access,
        Class::Refill,
        Class::WaitState,
        Class::Conflict,
        Class::Miss,
        Class::Stacking,
        Class::Masking,
        Class::Asleep,
    ];

    /// Its spelling in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Issue => "issue",
            Class::Operation => "operation",
            Class::Operand => "operand",
            Class::Access => "access",
            Class::Refill => "refill",
            Class::WaitState => "wait-state",
            Class::Conflict => "conflict",
            Class::Miss => "miss",
            Class::Stacking => "stacking",
            Class::Masking => "masking",
            Class::Asleep => "asleep",
        }
    }

    /// A phrase that describes its cycles.
    pub const fn meaning(self) -> &'static str {
        match self {
            Class::Issue => "issuing an instruction",
            Class::Operation => {
                "executing for longer than that: multiplication, division, floating point, system registers, barriers"
            }
            Class::Operand => "waiting for the result of another instruction, such as a load",
            Class::Access => "transferring data to or from a memory that answers at once",
            Class::Refill => "fetching instructions after a branch, or because a fetch is late",
            Class::WaitState => "waiting for a memory that does not answer at once",
            Class::Conflict => "waiting for a bus or a memory port that is busy",
            Class::Miss => "filling a cache or a translation buffer that lacks an entry",
            Class::Stacking => "entering or leaving an exception, with its stacking of registers",
            Class::Masking => "masking or unmasking interrupts",
            Class::Asleep => "sleeping or waking up",
        }
    }
}

/// A rule's number within its core family, below 128. The [`RuleBook`] gives it meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u8);

/// A rule as it applies to one core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its number in events.
    pub number: RuleId,
    /// Its name in documents, reports and on the command line, such as `load-pipelined`.
    pub id: &'static str,
    /// The rule's text.
    pub text: &'static str,
    /// Its source.
    pub source: &'static str,
    /// Its evidence mark.
    pub mark: Mark,
    /// Whether it can be switched off, so that it adds no cycles. Other rules are the minimum cost of an instruction.
    pub switchable: bool,
    /// The class of its cycles.
    pub class: Class,
}

/// The rules of one core and of its memories, in documentation order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RuleBook {
    rules: Vec<Rule>,
}

impl RuleBook {
    /// A book of these rules.
    ///
    /// # Panics
    /// If two of them have the same number or the same name.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> RuleBook {
        let rules: Vec<Rule> = rules.into_iter().collect();
        for (at, rule) in rules.iter().enumerate() {
            let twice = |other: &Rule| other.number == rule.number || other.id == rule.id;
            assert!(!rules[..at].iter().any(twice), "`{}` is there twice", rule.id);
        }
        RuleBook { rules }
    }

    /// All rules, in documentation order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule with this number.
    pub fn get(&self, number: RuleId) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.number == number)
    }

    /// The rule with this name.
    pub fn named(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The rules of a set, in documentation order.
    pub fn of(&self, set: RuleSet) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| set.contains(rule.number))
    }

    /// The weakest mark in a set; `None` if the set has no rule of this book.
    pub fn weakest(&self, set: RuleSet) -> Option<Mark> {
        self.of(set).map(|rule| rule.mark).max()
    }
}

/// A set of rules of one core.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RuleSet(pub u128);

impl RuleSet {
    /// The empty set.
    pub const EMPTY: RuleSet = RuleSet(0);

    /// The set of one rule.
    #[inline]
    pub fn of(rule: impl Into<RuleId>) -> Self {
        RuleSet::EMPTY.with(rule)
    }

    /// The set with `rule` added.
    #[inline]
    #[must_use]
    pub fn with(self, rule: impl Into<RuleId>) -> Self {
        RuleSet(self.0 | 1 << rule.into().0)
    }

    /// The set with `rule` added if `applies`.
    #[inline]
    #[must_use]
    pub fn with_if(self, applies: bool, rule: impl Into<RuleId>) -> Self {
        if applies { self.with(rule) } else { self }
    }

    /// The set without `rule`.
    #[must_use]
    pub fn without(self, rule: impl Into<RuleId>) -> Self {
        RuleSet(self.0 & !(1 << rule.into().0))
    }

    /// The union of both sets.
    #[inline]
    #[must_use]
    pub const fn union(self, other: RuleSet) -> Self {
        RuleSet(self.0 | other.0)
    }

    /// Whether the set contains all of `other`.
    #[inline]
    pub const fn has_all(self, other: RuleSet) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set contains `rule`.
    #[inline]
    pub fn contains(self, rule: impl Into<RuleId>) -> bool {
        self.0 >> rule.into().0 & 1 != 0
    }

    /// The members' numbers, ascending.
    pub fn iter(self) -> impl Iterator<Item = RuleId> {
        (0..128).map(RuleId).filter(move |&rule| self.contains(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(number: u8, id: &'static str, mark: Mark) -> Rule {
        Rule {
            number: RuleId(number),
            id,
            text: "",
            source: "",
            mark,
            switchable: false,
            class: Class::Issue,
        }
    }

    #[test]
    fn a_figure_is_as_good_as_its_weakest_rule() {
        let book = RuleBook::new([
            rule(3, "a", Mark::A),
            rule(127, "d", Mark::D),
            rule(0, "r", Mark::Rtl),
        ]);
        assert_eq!(
            book.weakest(RuleSet::of(RuleId(3)).with(RuleId(0))),
            Some(Mark::A)
        );
        assert_eq!(book.weakest(RuleSet::of(RuleId(127))), Some(Mark::D));
        assert_eq!(book.weakest(RuleSet::of(RuleId(1))), None);
        assert_eq!(RuleSet::of(RuleId(127)).without(RuleId(127)), RuleSet::EMPTY);
    }

    #[test]
    #[should_panic(expected = "`a` is there twice")]
    fn a_book_has_a_rule_once() {
        RuleBook::new([rule(1, "a", Mark::A), rule(2, "a", Mark::B)]);
    }
}
