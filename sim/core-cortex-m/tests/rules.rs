//! The names of the timing rules, and the tables of the cores.

use core_cortex_m::CoreKind;
use core_cortex_m::timing::{Mark, Rule, RuleSet};

#[test]
fn ids_are_unique_and_kebab_case() {
    let mut ids: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    assert!(
        ids.iter()
            .all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    );
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
}

#[test]
fn a_core_has_a_rule_once() {
    for core in CoreKind::ALL {
        let mut ids: Vec<_> = core.rules.iter().map(|known| known.id).collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all, "{}", core.name);
    }
}

#[test]
fn what_leans_on_a_cache_of_the_flash_is_inferred() {
    let relied = RuleSet::of(Rule::Alu).with(Rule::FlashInstructionCache);
    assert_eq!(CoreKind::CORTEX_M4F.rule_book().weakest(relied), Some(Mark::D));
}

#[test]
fn the_floating_point_unit_only_adds_rules() {
    let with = CoreKind::CORTEX_M4F.rules;
    let without = CoreKind::CORTEX_M4.rules;
    assert!(without.iter().all(|known| with.contains(known)));
}
