//! Every timing program shows a rule, says of it what the table of rules says, and has its line on the core's page,
//! which is made from the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use core_cortex_m::timing::CoreKind;
use events::Rule;
use xtask::timing::{CORES, Core, Program};

/// Every core's rules, each with its programs.
fn shown() -> impl Iterator<Item = (&'static Core, &'static [Rule], Vec<Program>)> {
    CORES.iter().map(|core| {
        let kind = CoreKind::ALL.into_iter().find(|kind| kind.name() == core.name);
        (
            core,
            kind.unwrap().rules(),
            xtask::timing::programs(core).unwrap(),
        )
    })
}

#[test]
fn the_programs_are_the_rules_with_their_marks() {
    for (core, rules, programs) in shown() {
        let marks: BTreeMap<_, _> = programs
            .iter()
            .map(|program| (program.rule.clone(), program.mark.clone()))
            .collect();
        assert_eq!(
            marks.len(),
            programs.len(),
            "{}: two programs for a rule",
            core.name
        );
        let rules = rules
            .iter()
            .map(|known| (known.id.to_owned(), known.mark.name().to_owned()));
        assert_eq!(marks, rules.collect(), "{}", core.name);
    }
}

#[test]
fn the_pages_of_rules_are_current() {
    for (core, rules, programs) in shown() {
        let path = xtask::root().join(format!("docs/timing/{}.md", core.name));
        let page = page(core, rules, &programs);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == page,
            "{} is stale: run with UPDATE_DOCS=1",
            path.display()
        );
    }
}

/// A core's page: a head, and a row for each rule.
fn page(core: &Core, rules: &[Rule], programs: &[Program]) -> String {
    let name = core
        .name
        .replace("cortex-m", "Cortex-M")
        .replace("4f", "4F")
        .replace("plus", "+");
    let mut page = HEAD.replace("{core}", &name);
    for known in rules {
        let (id, mark, source) = (known.id, known.mark.name(), known.source);
        let path = programs
            .iter()
            .find(|program| program.rule == id)
            .map(|program| program.path.display());
        let program = path.map_or("none".to_owned(), |path| format!("[`{id}`](../../{path})"));
        writeln!(
            page,
            "| `{id}` | {mark} | {} | {source} | {program} |",
            known.text
        )
        .unwrap();
    }
    page
}

const HEAD: &str = "\
# Timing rules of the {core}

Every number of cycles that Cyclescope reports for a {core} is the sum of these rules. Each has a name, by which it
can be switched off (`--without-rule ID`), an evidence mark, a source, and a tiny program that shows it. The marks: **A**
checked against published figures of silicon; **B** a vendor's document; **C** one independent measurement; **D**
inference. A result carries the weakest mark of the rules that it relied on.

How the rules work together is told at the head of `sim/core-cortex-m/src/timing.rs`. This page is made from the core's
table in `timing/rules`; `UPDATE_DOCS=1 cargo test -p xtask --test rules` writes it anew.

| rule | mark | what it says | source | program |
|---|---|---|---|---|
";
