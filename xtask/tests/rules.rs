//! Checks that every timing program agrees with the table of rules and that the core's page, which is generated from the table, is
//! current.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use core_cortex_m::CoreKind;
use events::Rule;
use machine::board::Core as Processor;
use xtask::timing::{CORES, Core, Program};

/// Every core's rules and programs.
fn shown_on() -> impl Iterator<Item = (&'static Core, &'static [Rule], Vec<Program>)> {
    CORES.iter().map(|core| {
        let kind = CoreKind::ALL.into_iter().find(|kind| kind.name == core.name);
        (core, kind.unwrap().rules, xtask::timing::programs(core).unwrap())
    })
}

#[test]
fn the_programs_are_the_rules_with_their_marks() {
    for (core, rules, programs) in shown_on() {
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
    for (core, rules, programs) in shown_on() {
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

/// The Cortex-M4 without a floating-point unit has no programs of its own; its page lists what it lacks compared with the M4F.
#[test]
fn the_page_of_the_plain_cortex_m4_is_current() {
    let (plain, float) = (CoreKind::CORTEX_M4.rules, CoreKind::CORTEX_M4F.rules);
    assert!(
        plain.iter().all(|rule| float.contains(rule)),
        "its rules are the same"
    );
    let missing = float.iter().filter(|rule| !plain.contains(rule));
    let missing: Vec<String> = missing.map(|rule| format!("`{}`", rule.id)).collect();
    let page = format!(
        "# Timing rules of the Cortex-M4\n\nThe rules of a Cortex-M4 without a floating-point unit are those of the [Cortex-M4F](cortex-m4f.md), \
         word for word,\nbut for those of that unit, which it does not have: {}.\n\n`cyclescope list rules --core cortex-m4` lists them. \
         `UPDATE_DOCS=1 cargo test -p xtask --test rules` writes this page anew.\n",
        missing.join(", ")
    );
    let path = xtask::root().join("docs/timing/cortex-m4.md");
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

/// A core's page: a header, and a row for each rule.
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
            "| `{id}` | {mark} | {} | {} | {} | {source} | {program} |",
            off(known),
            known.text,
            shown(id, programs)
        )
        .unwrap();
    }
    page.push_str(MEMORIES);
    for known in memories(core, rules) {
        let (id, mark, source) = (known.id, known.mark.name(), known.source);
        writeln!(page, "| `{id}` | {mark} | {} | {source} |", known.text).unwrap();
    }
    page
}

/// The page's cell for whether the rule can be switched off.
fn off(rule: &Rule) -> &'static str {
    if rule.switchable { "yes" } else { "" }
}

/// The cycles that its program is checked against.
fn shown(id: &str, programs: &[Program]) -> String {
    let cases = programs
        .iter()
        .filter(|program| program.rule == id)
        .flat_map(|program| &program.cases)
        .map(|case| format!("**{}** {}", case.cycles, case.what));
    cases.collect::<Vec<_>>().join("; ")
}

/// The rules of flash and memories, which every core shares.
fn memories(core: &Core, rules: &[Rule]) -> Vec<Rule> {
    let mut all = Processor::all();
    let processor = all.find(|processor| processor.name() == core.name).unwrap();
    let of_core = |rule: &&Rule| rules.iter().any(|known| known.id == rule.id);
    let book = processor.rule_book();
    book.rules()
        .iter()
        .filter(|rule| !of_core(rule))
        .copied()
        .collect()
}

/// A reader who looks up a cycle count must find the number in the rule's text.
#[test]
fn every_rule_says_how_many_cycles() {
    for (core, rules, _) in shown_on() {
        for rule in rules.iter().chain(&memories(core, rules)) {
            let has = rule.text.contains(|c: char| c.is_ascii_digit());
            assert!(has, "{}: {} says no number: {}", core.name, rule.id, rule.text);
        }
    }
}

/// The page's switchable rules match what a board of the core accepts.
#[test]
fn what_the_page_calls_switchable_is() {
    for (core, rules, _) in shown_on() {
        for rule in rules {
            let board = machine::Board::find(core.board).unwrap();
            let less = board.without_rule(rule.id);
            assert_eq!(less.is_ok(), rule.switchable, "{}: {}", core.name, rule.id);
        }
    }
}

const HEAD: &str = "\
# Timing rules of the {core}

Every number of cycles that Cyclescope reports for a {core} is the sum of these rules. Each has a name, an evidence mark, a
source, and a tiny program that shows it: the cycles in bold are what `./x timing` holds that program to. The marks: **A**
checked against published figures of silicon; **B** a vendor's document; **C** one independent measurement; **D**
inference. A result carries the weakest mark of the rules that it relied on. `--without-rule ID` switches off those with
*yes* under *off*; the others are what an instruction or an exception takes at the least.

How the rules work together is told at the head of `sim/core-cortex-m/src/timing.rs`. This page is made from the core's
`rules.rs` in `timing`; `UPDATE_DOCS=1 cargo test -p xtask --test rules` renews it.

| rule | mark | off | what it says | shown | source | program |
|---|---|---|---|---|---|---|
";

const MEMORIES: &str = "
## Memories

What stands between the core and its memories has rules of its own, the same before every core: [flash and its
caches](../flash.md).

| rule | mark | what it says | source |
|---|---|---|---|
";
