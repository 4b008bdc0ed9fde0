//! Every timing program shows a rule, and says of it what the table of rules says.

use std::collections::BTreeMap;

use core_cortex_m::timing::CoreKind;

#[test]
fn the_programs_are_the_rules_with_their_marks() {
    let programs = xtask::timing::programs().unwrap();
    let programs: BTreeMap<_, _> = programs
        .into_iter()
        .map(|program| (program.rule, program.mark))
        .collect();
    let rules = CoreKind::CortexM3
        .rules()
        .iter()
        .map(|known| (known.rule.id().to_owned(), known.mark.letter().to_string()));
    assert_eq!(programs, rules.collect());
}
