//! Every timing rule has a program that shows it, and the program says what the rule's table says.

use std::collections::BTreeMap;

use core_cortex_m::timing::Rule;

/// Rules that no program can show by itself, and why.
const WITHOUT_PROGRAM: &[(&str, &str)] = &[("it", "every IT is folded while `it-folded` is on")];

#[test]
fn every_rule_has_a_program_and_every_program_a_rule() {
    let mut programs: BTreeMap<_, _> = xtask::timing::programs()
        .unwrap()
        .into_iter()
        .map(|program| (program.rule.clone(), program))
        .collect();
    let mut missing = Vec::new();
    for rule in Rule::ALL {
        match programs.remove(rule.id()) {
            Some(program) => assert_eq!(
                program.mark,
                rule.mark().letter().to_string(),
                "mark of {}",
                rule.id()
            ),
            None if WITHOUT_PROGRAM.iter().any(|(id, _)| *id == rule.id()) => (),
            None => missing.push(rule.id()),
        }
    }
    assert!(missing.is_empty(), "rules without a program: {missing:?}");
    assert!(
        programs.is_empty(),
        "programs without a rule: {:?}",
        programs.keys()
    );
}
