//! The table of rules is also the documentation: `docs/timing/cortex-m3.md` is made from it, and every rule has a
//! program that shows it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use core_cortex_m::timing::{CoreKind, Rule};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(core: CoreKind) -> String {
    let mut page = String::from(HEAD);
    for known in core.rules() {
        let (id, mark, source) = (known.rule.id(), known.mark.letter(), known.source);
        let program = format!("[`{id}`](../../firmware/timing/m3/src/bin/{id}.rs)");
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
# Timing rules of the Cortex-M3

Every number of cycles that Cyclescope reports for a Cortex-M3 is the sum of these rules. Each has a name, by which it
can be switched off (`--without-rule ID`), an evidence mark, a source, and a tiny program that shows it. The marks: **A**
checked against published figures of silicon; **B** a vendor's document; **C** one independent measurement; **D**
inference. A result carries the weakest mark of the rules that it relied on.

How the rules work together is told at the head of `sim/core-cortex-m/src/timing.rs`. This page is made from the table in
`timing/rules/m3.rs`; `UPDATE_DOCS=1 cargo test -p core-cortex-m --test rules` writes it anew.

| rule | mark | what it says | source | program |
|---|---|---|---|---|
";

#[test]
fn the_page_of_rules_is_current() {
    let path = root().join("docs/timing/cortex-m3.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page(CoreKind::CortexM3)).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(CoreKind::CortexM3),
        "{} is stale: run with UPDATE_DOCS=1",
        path.display()
    );
}

#[test]
fn every_rule_has_a_program_that_shows_it() {
    let programs = root().join("firmware/timing/m3/src/bin");
    let missing: Vec<_> = CoreKind::CortexM3
        .rules()
        .iter()
        .filter(|known| !programs.join(format!("{}.rs", known.rule.id())).exists())
        .collect();
    assert!(missing.is_empty(), "no program for {missing:?}");
}

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
