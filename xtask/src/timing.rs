//! The timing programs: each states in its head what it shows, and is held to it.
//!
//! A program of `firmware/timing/m3` is named after a timing rule. Its module documentation ends with one line per
//! fact: `mark:`, `evidence:`, perhaps `board:` and `raise:`, and `cycles: N what` for each pair of breakpoints in
//! turn. From these heads a spec is made, the simulator measures it, and each figure must be the stated one.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell::{output, say};
use crate::{firmware, prices, root};

/// Where the timing programs of the Cortex-M3 are.
const PROGRAMS: &str = "firmware/timing/m3/src/bin";
/// The board that a program runs on if its head names none.
const BOARD: &str = "stm32f100rb";

/// The head of a timing program.
#[derive(Debug)]
pub struct Program {
    /// The rule that it shows: the name of its file.
    pub rule: String,
    /// How well the rule is known: `A` to `D`.
    pub mark: String,
    /// What that rests on.
    pub evidence: String,
    /// The board that it runs on.
    pub board: String,
    /// Interrupts from outside, as a spec writes them.
    pub raises: Vec<String>,
    /// Each pair of breakpoints: what its sequence is, and the cycles that it takes.
    pub cases: Vec<Case>,
}

/// What stands between two breakpoints.
#[derive(Debug)]
pub struct Case {
    /// Cycles from the first breakpoint to the second.
    pub cycles: u64,
    /// What happens between them.
    pub what: String,
}

/// Every timing program, by name.
///
/// # Errors
/// When a head lacks something.
pub fn programs() -> Result<Vec<Program>> {
    let entries = root().join(PROGRAMS).read_dir().context(PROGRAMS)?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.iter().map(|file| Program::read(file)).collect()
}

impl Program {
    fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file)?;
        let facts = |key| facts(&text, key);
        let only = |key| facts(key).into_iter().next();
        let place = || file.display().to_string();
        let rule = file
            .file_stem()
            .with_context(place)?
            .to_string_lossy()
            .into_owned();
        let cases: Vec<_> = facts("cycles")
            .iter()
            .filter_map(|fact| Case::parse(fact))
            .collect();
        if cases.is_empty() {
            bail!("{}: no line `//! cycles: N what`", place());
        }
        Ok(Self {
            rule,
            mark: only("mark").with_context(place)?,
            evidence: only("evidence").with_context(place)?,
            board: only("board").unwrap_or_else(|| BOARD.to_owned()),
            raises: facts("raise"),
            cases,
        })
    }

    fn id(&self, case: usize) -> String {
        format!("timing/{}-{}", self.rule, case + 1)
    }

    /// Its part of the spec.
    fn spec(&self) -> String {
        let mut text = format!(
            "\n[[program]]\nname = \"{}\"\nboard = \"{}\"\n",
            self.rule, self.board
        );
        for raise in &self.raises {
            // Writing to a string cannot fail; here and below.
            let _ = writeln!(text, "[[program.raise]]\n{}", raise.replace(", ", "\n"));
        }
        for case in 0..self.cases.len() {
            let (from, to) = (2 * case + 1, 2 * case + 2);
            let id = self.id(case);
            let _ = writeln!(
                text,
                "[[program.span]]\nid = \"{id}\"\nfrom = \"bkpt:{from}\"\nto = \"bkpt:{to}\""
            );
        }
        text
    }
}

impl Case {
    fn parse(fact: &str) -> Option<Self> {
        let (cycles, what) = fact.split_once(' ')?;
        Some(Self {
            cycles: cycles.parse().ok()?,
            what: what.to_owned(),
        })
    }
}

/// What the lines `//! key: …` of a head say.
fn facts(text: &str, key: &str) -> Vec<String> {
    let prefix = format!("//! {key}: ");
    text.lines()
        .filter_map(|line| line.strip_prefix(&prefix))
        .map(str::to_owned)
        .collect()
}

/// Runs every timing program and shows what was expected and what was measured.
///
/// # Errors
/// When something does not build or run, or a figure differs.
pub fn check() -> Result<()> {
    let simulator = prices::simulator()?;
    firmware::build()?;
    let programs = programs()?;
    let measured = measure(&simulator, &programs)?;
    let (mut table, mut wrong, mut all) = (String::new(), 0, 0);
    for program in &programs {
        for (index, case) in program.cases.iter().enumerate() {
            let got = measured.get(&program.id(index)).copied();
            let verdict = if got == Some(case.cycles) {
                ""
            } else {
                "  <-- differs"
            };
            wrong += usize::from(!verdict.is_empty());
            all += 1;
            let got = got.map_or("none".to_owned(), |cycles| cycles.to_string());
            let Program { rule, mark, .. } = program;
            let Case { cycles, what } = case;
            let _ = writeln!(table, "{rule:<26} {mark}  {cycles:>4} {got:>4}  {what}{verdict}");
        }
    }
    say(&format!(
        "rule                    mark  says  is  sequence\n{table}"
    ));
    if wrong != 0 {
        bail!("{wrong} of {all} sequences differ from what their program says");
    }
    say(&format!(
        "{all} sequences of {} rules as expected",
        programs.len()
    ));
    Ok(())
}

/// The cycles of each sequence, by its id.
fn measure(simulator: &Path, programs: &[Program]) -> Result<BTreeMap<String, u64>> {
    let (spec, json) = (
        firmware::folder().join("timing-m3.toml"),
        firmware::folder().join("timing-m3.json"),
    );
    let text: String = programs.iter().map(Program::spec).collect();
    fs::write(
        &spec,
        format!("# Made from the heads of the programs in {PROGRAMS}.\ngroup = \"timing\"\n{text}"),
    )?;
    let mut command = Command::new(simulator);
    command.current_dir(root()).arg("prices").arg(&spec);
    output(
        command
            .arg("--firmware")
            .arg(firmware::folder())
            .arg("--json")
            .arg(&json),
    )?;
    let results: Value = serde_json::from_str(&fs::read_to_string(&json)?)?;
    let rows = results["results"]
        .as_array()
        .context("the results have no rows")?;
    Ok(rows
        .iter()
        .filter_map(|row| Some((row["id"].as_str()?.to_owned(), row["min"].as_u64()?)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//! Two cycles.\n//!\n//! mark: A\n//! raise: irq = 0, at = 7\n//! cycles: 2 a load\n//! cycles: x\n";

    #[test]
    fn facts_are_the_lines_of_a_key() {
        assert_eq!(facts(HEAD, "mark"), ["A"]);
        assert_eq!(facts(HEAD, "cycles"), ["2 a load", "x"]);
        assert!(facts(HEAD, "board").is_empty());
    }

    #[test]
    fn a_case_is_a_number_and_what_it_is() {
        let case = Case::parse("2 a load").unwrap();
        assert_eq!((case.cycles, case.what.as_str()), (2, "a load"));
        assert!(Case::parse("x").is_none() && Case::parse("x y").is_none());
    }

    #[test]
    fn a_spec_pairs_the_breakpoints_in_turn() {
        let cases = ["2 a load", "3 two"]
            .map(|fact| Case::parse(fact).unwrap())
            .into();
        let [rule, mark, evidence, board] = ["load", "A", "e", "b"].map(str::to_owned);
        let program = Program {
            rule,
            mark,
            evidence,
            board,
            raises: facts(HEAD, "raise"),
            cases,
        };
        let spec = program.spec();
        assert!(spec.contains("[[program.raise]]\nirq = 0\nat = 7\n"), "{spec}");
        assert!(
            spec.contains("id = \"timing/load-2\"\nfrom = \"bkpt:3\"\nto = \"bkpt:4\"\n"),
            "{spec}"
        );
    }
}
