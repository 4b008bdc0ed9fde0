//! The named rules by which cycles are counted, and what is known of each.

/// How well a rule is known; a figure carries the weakest mark of the rules that it relied on, the greatest of this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// The core's own Verilog says so, cycle by cycle.
    Rtl,
    /// Checked against published figures of silicon.
    A,
    /// A vendor's document.
    B,
    /// One independent measurement.
    C,
    /// Inference.
    D,
}

impl Mark {
    /// As it is written: a letter, or `RTL`.
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

/// What kind of thing the cycles of a rule are spent on: what a profile divides them by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// An instruction takes its turn.
    Issue,
    /// It takes more than its turn: multiplication, division, floating point, system registers, barriers.
    Operation,
    /// It waits for the result of another one, such as a load's.
    Operand,
    /// It moves data: what a load or store takes at a memory that answers at once.
    Access,
    /// Instructions are fetched: behind a branch, or since the fetch is late.
    Refill,
    /// A memory does not answer at once.
    WaitState,
    /// A bus or memory port is busy with something else.
    Conflict,
    /// A cache or translation buffer lacks what is asked for.
    Miss,
    /// An exception is entered or left, registers stacked or unstacked.
    Stacking,
    /// Interrupts are masked or unmasked.
    Masking,
    /// The core sleeps, or wakes up.
    Asleep,
}

impl Class {
    /// How many there are.
    pub const COUNT: usize = Class::ALL.len();

    /// Every class, in the order of documents.
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

    /// As it is written.
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

    /// What its cycles are spent on.
    pub const fn meaning(self) -> &'static str {
        match self {
            Class::Issue => "an instruction takes its turn",
            Class::Operation => {
                "it takes more than its turn: multiplication, division, floating point, system registers, barriers"
            }
            Class::Operand => "it waits for the result of another one, such as a load's",
            Class::Access => "it moves data, to or from a memory that answers at once",
            Class::Refill => "instructions are fetched, behind a branch or since the fetch is late",
            Class::WaitState => "a memory does not answer at once",
            Class::Conflict => "a bus or a memory port is busy with something else",
            Class::Miss => "a cache or a translation buffer lacks what is asked for",
            Class::Stacking => "an exception is entered or left, registers are stacked or unstacked",
            Class::Masking => "interrupts are masked or unmasked",
            Class::Asleep => "the core sleeps, or wakes up",
        }
    }
}

/// The number of a rule among those of its core's family, below 128. Only a [`RuleBook`] can say what it stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u8);

/// What is known of a rule on one core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its number in events.
    pub number: RuleId,
    /// Its name in documents, reports and on the command line, such as `load-pipelined`.
    pub id: &'static str,
    /// What it says.
    pub text: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// How well it is known.
    pub mark: Mark,
    /// Whether it can be switched off: it then adds nothing. The others are what an instruction costs at the least.
    pub switchable: bool,
    /// What its cycles are spent on.
    pub class: Class,
}

/// The rules of one core, with those of the memories before it, in the order of its page.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RuleBook {
    rules: Vec<Rule>,
}

impl RuleBook {
    /// Of these rules.
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

    /// All of them.
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

    /// The rules of a set, in the order of the page.
    pub fn of(&self, set: RuleSet) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| set.contains(rule.number))
    }

    /// The weakest mark among the rules of a set; `None` if it has none of this book's.
    pub fn weakest(&self, set: RuleSet) -> Option<Mark> {
        self.of(set).map(|rule| rule.mark).max()
    }
}

/// A set of rules of one core.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RuleSet(pub u128);

impl RuleSet {
    /// None.
    pub const EMPTY: RuleSet = RuleSet(0);

    /// The set of one.
    #[inline]
    pub fn of(rule: impl Into<RuleId>) -> Self {
        RuleSet::EMPTY.with(rule)
    }

    /// With one more.
    #[inline]
    #[must_use]
    pub fn with(self, rule: impl Into<RuleId>) -> Self {
        RuleSet(self.0 | 1 << rule.into().0)
    }

    /// With one more, where it applies.
    #[inline]
    #[must_use]
    pub fn with_if(self, applies: bool, rule: impl Into<RuleId>) -> Self {
        if applies { self.with(rule) } else { self }
    }

    /// With one less.
    #[must_use]
    pub fn without(self, rule: impl Into<RuleId>) -> Self {
        RuleSet(self.0 & !(1 << rule.into().0))
    }

    /// Both together.
    #[inline]
    #[must_use]
    pub const fn union(self, other: RuleSet) -> Self {
        RuleSet(self.0 | other.0)
    }

    /// Whether all of `other` are members.
    #[inline]
    pub const fn has_all(self, other: RuleSet) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `rule` is a member.
    #[inline]
    pub fn contains(self, rule: impl Into<RuleId>) -> bool {
        self.0 >> rule.into().0 & 1 != 0
    }

    /// The numbers of its members, ascending.
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
