//! The silicon on which a rule was measured, which decides its evidence mark.
//!
//! Mark A means that published figures of silicon agree. Those figures are of chips, and a chip has a revision of the core. Pipelines have
//! hardly been seen to differ between revisions (only in the folding of IT, which has its own rules); their buses have (rule
//! `jump-behind-fetch`). On a revision without measurements, A therefore becomes C, and D for a rule of the buses. The use of memories
//! (code, vectors and stack on one bus or several) shows in the rules themselves: rules of an arrangement apply only in it.

use events::{Mark, Rule as Known, RuleBook};

use super::CoreKind;
use crate::timing::Rule;

/// A chip that was measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Silicon {
    /// The chip's name.
    pub chip: &'static str,
    /// The revision of its core.
    pub revision: &'static str,
    /// Its name in the sources of rules.
    named: &'static str,
    core: CoreKind,
}

const fn silicon(named: &'static str, chip: &'static str, core: CoreKind, revision: &'static str) -> Silicon {
    Silicon {
        chip,
        revision,
        named,
        core,
    }
}

/// Every chip that a source names. The CPUID of each says its revision.
const MEASURED: &[Silicon] = &[
    silicon("study 000", "STM32F100RB", CoreKind::CORTEX_M3, "r1p1"),
    silicon("STM32F100RB", "STM32F100RB", CoreKind::CORTEX_M3, "r1p1"),
    // The published counts of AES and ChaCha are of two chips.
    silicon("AES", "STM32F103", CoreKind::CORTEX_M3, "r1p1"),
    silicon("ChaCha", "STM32F103", CoreKind::CORTEX_M3, "r1p1"),
    silicon("AES", "STM32L100", CoreKind::CORTEX_M3, "r2p0"),
    silicon("ChaCha", "STM32L100", CoreKind::CORTEX_M3, "r2p0"),
    silicon("CC2650", "CC2650", CoreKind::CORTEX_M3, "r2p1"),
    silicon("CC2652", "CC2652", CoreKind::CORTEX_M4F, "r0p1"),
    silicon("STM32F407", "STM32F407", CoreKind::CORTEX_M4F, "r0p1"),
    silicon("STM32G474", "STM32G474", CoreKind::CORTEX_M4F, "r0p1"),
    silicon("ATSAMD20J18", "ATSAMD20J18", CoreKind::CORTEX_M0PLUS, "r0p1"),
    silicon("STM32F0", "STM32F0", CoreKind::CORTEX_M0, "r0p0"),
];

/// Whether a rule says what the core does at its buses.
fn of_buses(rule: &Known) -> bool {
    const BUSES: [Rule; 11] = [
        Rule::FetchInVain,
        Rule::PortContention,
        Rule::SystemFetch,
        Rule::JumpBehindFetch,
        Rule::WriteBehindFetch,
        Rule::UnalignedFetch,
        Rule::ExceptionSystemBus,
        Rule::SharedBus,
        Rule::StorePrivate,
        Rule::StoreUnbuffered,
        Rule::LateRecognition,
    ];
    BUSES.iter().any(|of_buses| rule.number == (*of_buses).into())
}

impl CoreKind {
    /// The chips with this core that a rule's source names.
    pub fn measured(self, rule: &Known) -> impl Iterator<Item = &'static Silicon> {
        let source = rule.source;
        MEASURED
            .iter()
            .filter(move |silicon| silicon.core.name == self.measured_as && names(source, silicon.named))
    }

    /// The chips with this core that were measured.
    pub fn chips(self) -> impl Iterator<Item = &'static Silicon> {
        MEASURED.iter().filter(move |silicon| silicon.core == self)
    }

    /// Its rules as they are known on one revision, written `r1p1`, and those of the flash and the memories before it.
    pub fn rule_book_of(self, revision: &str) -> RuleBook {
        let book = self.rule_book();
        let rules = book.rules().iter();
        RuleBook::new(rules.map(|rule| Known {
            mark: self.mark_on(rule, revision),
            ..*rule
        }))
    }

    fn mark_on(self, rule: &Known, revision: &str) -> Mark {
        let mut chips = self.measured(rule).peekable();
        let elsewhere = chips.peek().is_some() && !chips.any(|chip| chip.revision == revision);
        match rule.mark {
            Mark::A if elsewhere && of_buses(rule) => Mark::D,
            Mark::A if elsewhere => Mark::C,
            mark => mark,
        }
    }

    /// Which of these rules are known of another revision than this one only, each with the chips on which it was measured.
    pub fn beyond(self, relied: events::RuleSet, revision: &str) -> Vec<String> {
        let book = self.rule_book();
        let left = book
            .of(relied)
            .filter(|rule| self.mark_on(rule, revision) != rule.mark);
        let told = left.map(|rule| {
            let mut chips: Vec<String> = self
                .measured(rule)
                .map(|chip| format!("{} ({})", chip.chip, chip.revision))
                .collect();
            chips.dedup();
            format!(
                "{}: measured on {}, not on an {revision}",
                rule.id,
                chips.join(", ")
            )
        });
        told.collect()
    }
}

/// Whether a source names a chip as one that agrees, that is, not after `not on`.
fn names(source: &str, named: &str) -> bool {
    source
        .split("; ")
        .any(|part| !part.starts_with("not on") && part.contains(named))
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::RuleSet;

    fn mark(core: CoreKind, rule: Rule, revision: &str) -> Mark {
        core.rule_book_of(revision).get(rule.into()).unwrap().mark
    }

    #[test]
    fn a_mark_holds_on_the_revision_that_was_measured() {
        let m3 = CoreKind::CORTEX_M3;
        assert_eq!(mark(m3, Rule::ExceptionEntry, "r1p1"), Mark::A);
        assert_eq!(mark(m3, Rule::ExceptionEntry, "r2p1"), Mark::C);
        assert_eq!(mark(m3, Rule::FetchFifo, "r2p0"), Mark::A);
        assert_eq!(mark(m3, Rule::TableBranch, "r2p1"), Mark::B);
        assert_eq!(mark(CoreKind::CORTEX_M4, Rule::Alu, "r0p1"), Mark::A);
        assert_eq!(mark(CoreKind::CORTEX_M4F, Rule::Alu, "r0p0"), Mark::C);
    }

    #[test]
    fn vectors_in_the_sram_of_another_revision_are_an_inference() {
        let m3 = CoreKind::CORTEX_M3;
        assert_eq!(mark(m3, Rule::ExceptionSystemBus, "r2p1"), Mark::A);
        assert_eq!(mark(m3, Rule::ExceptionSystemBus, "r1p1"), Mark::D);
        let relied = RuleSet::of(Rule::ExceptionSystemBus).with(Rule::Alu);
        assert_eq!(
            m3.beyond(relied, "r1p1"),
            ["exception-system-bus: measured on CC2650 (r2p1), not on an r1p1"]
        );
        assert!(m3.beyond(RuleSet::of(Rule::Alu), "r1p1").is_empty());
    }

    #[test]
    fn a_chip_that_a_source_names_as_different_is_no_ground() {
        assert_eq!(mark(CoreKind::CORTEX_M3, Rule::WriteBehindFetch, "r1p1"), Mark::D);
    }

    #[test]
    fn every_mark_a_names_the_silicon_that_it_holds_on() {
        for core in CoreKind::ALL {
            for rule in core.rules.iter().filter(|rule| rule.mark == Mark::A) {
                assert!(core.measured(rule).next().is_some(), "{}: {}", core.name, rule.id);
            }
        }
    }
}
