//! The timing programs: each states in its header the cycles that it must take, and is checked.
//!
//! A program of `firmware/timing/<core>` is named after a timing rule: `<core>-<rule>`, without the prefix for the Cortex-M3. Its module
//! documentation ends with one line per fact: `mark:`, `evidence:`, optionally `board:` and `raise:`, and `cycles: N what` for each pair
//! of breakpoints in turn. These headers become a spec; the simulator measures it, and each figure must match.
//!
//! A rule shared with another core needs no second program: a line `mark m4:` checks the program on the Cortex-M4 too, and `evidence
//! m4:`, `board m4:`, `raise m4:` and `cycles m4:` override the unqualified lines there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell::{output, say};
use crate::{firmware, prices, root};

/// A core with a page of rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Core {
    /// The folder of its programs, and its name in their headers.
    pub folder: &'static str,
    /// Its name on boards and pages.
    pub name: &'static str,
    /// The board of a program whose header names none.
    pub board: &'static str,
}

/// Every core with a page of rules. The Cortex-M4 without a floating-point unit shares the rules of the M4F that need none.
pub const CORES: &[Core] = &[
    Core {
        folder: "m3",
        name: "cortex-m3",
        board: "stm32f100rb",
    },
    Core {
        folder: "m4",
        name: "cortex-m4f",
        board: "cortex-m4f",
    },
    Core {
        folder: "m0plus",
        name: "cortex-m0plus",
        board: "cortex-m0plus",
    },
    Core {
        folder: "m0",
        name: "cortex-m0",
        board: "cortex-m0",
    },
];

/// The core whose program names have no prefix.
const UNPREFIXED: &str = "m3";

/// A timing program on one core.
#[derive(Debug)]
pub struct Program {
    /// The name of its source file and of the built program.
    pub name: String,
    /// Its source file, relative to the root of the repository.
    pub path: PathBuf,
    /// The rule that it shows.
    pub rule: String,
    /// The rule's evidence mark: `A` to `D`.
    pub mark: String,
    /// The evidence.
    pub evidence: String,
    /// The board that it runs on.
    pub board: String,
    /// External interrupts, in the spec's syntax.
    pub raises: Vec<String>,
    /// The pairs of breakpoints, with the expected cycles.
    pub cases: Vec<Case>,
}

/// The code between two breakpoints.
#[derive(Debug)]
pub struct Case {
    /// Expected cycles from the first breakpoint to the second.
    pub cycles: u64,
    /// Description of the code between them.
    pub what: String,
}

/// Every timing program of a core, its own and those shared from other cores, sorted by rule.
///
/// # Errors
/// If a header is incomplete.
pub fn programs(core: &Core) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for home in CORES {
        for file in files(home)? {
            programs.extend(Program::read(&file, home, core)?);
        }
    }
    programs.sort_by(|a, b| a.rule.cmp(&b.rule));
    Ok(programs)
}

/// A core's own programs, relative to the root of the repository; possibly none.
fn files(core: &Core) -> Result<Vec<PathBuf>> {
    let folder = Path::new("firmware/timing").join(core.folder).join("src/bin");
    if !root().join(&folder).exists() {
        return Ok(Vec::new());
    }
    let entries = root()
        .join(&folder)
        .read_dir()
        .with_context(|| folder.display().to_string())?;
    let files = entries.flatten().map(|entry| folder.join(entry.file_name()));
    Ok(files.collect())
}

impl Program {
    /// Reads a program; `None` if it does not apply to `core`.
    fn read(file: &Path, home: &Core, core: &Core) -> Result<Option<Self>> {
        let place = || file.display().to_string();
        let text = fs::read_to_string(root().join(file)).with_context(place)?;
        let name = file
            .file_stem()
            .with_context(place)?
            .to_string_lossy()
            .into_owned();
        let rule = match home.folder {
            UNPREFIXED => name.clone(),
            folder => name
                .strip_prefix(&format!("{folder}-"))
                .with_context(|| format!("{}: not named {folder}-<rule>", place()))?
                .to_owned(),
        };
        Self::parse(&text, home, core, (name, file.to_owned(), rule)).with_context(place)
    }

    fn parse(
        text: &str,
        home: &Core,
        core: &Core,
        (name, path, rule): (String, PathBuf, String),
    ) -> Result<Option<Self>> {
        let own = |key: &str| facts(text, &format!("{key} {}", core.folder));
        if home != core && own("mark").is_empty() {
            return Ok(None);
        }
        let facts = |key: &str| {
            Some(own(key))
                .filter(|own| !own.is_empty())
                .unwrap_or_else(|| facts(text, key))
        };
        let only = |key: &str| facts(key).into_iter().next();
        let cases: Vec<_> = facts("cycles")
            .iter()
            .filter_map(|fact| Case::parse(fact))
            .collect();
        if cases.is_empty() {
            bail!("no line `//! cycles: N what`");
        }
        // The board of the program's own core is not a board of another core.
        let board = if home == core {
            only("board")
        } else {
            own("board").into_iter().next()
        };
        Ok(Some(Self {
            name,
            path,
            rule,
            mark: only("mark").context("no line `//! mark: A`")?,
            evidence: only("evidence").context("no line `//! evidence: …`")?,
            board: board.unwrap_or_else(|| core.board.to_owned()),
            raises: facts("raise"),
            cases,
        }))
    }

    fn id(&self, case: usize) -> String {
        format!("timing/{}-{}", self.rule, case + 1)
    }

    /// Its part of the generated spec.
    fn spec(&self) -> String {
        let mut text = format!(
            "\n[[program]]\nname = \"{}\"\nboard = \"{}\"\n",
            self.name, self.board
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

/// The values of the header lines `//! key: …`.
fn facts(text: &str, key: &str) -> Vec<String> {
    let prefix = format!("//! {key}: ");
    text.lines()
        .filter_map(|line| line.strip_prefix(&prefix))
        .map(str::to_owned)
        .collect()
}

/// Runs every timing program on its cores and prints expected and measured cycles.
///
/// # Errors
/// If a build or run fails, or a figure differs.
pub fn check() -> Result<()> {
    let simulator = prices::simulator()?;
    firmware::build()?;
    let (mut wrong, mut all) = (0, 0);
    for core in CORES {
        let programs = programs(core)?;
        let measured = measure(&simulator, core, &programs)?;
        let (table, differ, sequences) = compare(&programs, &measured);
        say(&format!(
            "{}\nrule                    mark  says  is  sequence\n{table}",
            core.name
        ));
        wrong += differ;
        all += sequences;
    }
    if wrong != 0 {
        bail!("{wrong} of {all} sequences differ from what their program says");
    }
    say(&format!("{all} sequences as expected"));
    Ok(())
}

/// A table of expected and measured cycles, with the number of differences and the total.
fn compare(programs: &[Program], measured: &BTreeMap<String, u64>) -> (String, usize, usize) {
    let (mut table, mut wrong, mut all) = (String::new(), 0, 0);
    for program in programs {
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
    (table, wrong, all)
}

/// The measured cycles of each sequence, by id.
fn measure(simulator: &Path, core: &Core, programs: &[Program]) -> Result<BTreeMap<String, u64>> {
    let file = |kind| firmware::folder().join(format!("timing-{}.{kind}", core.folder));
    let (spec, json) = (file("toml"), file("json"));
    let text: String = programs.iter().map(Program::spec).collect();
    fs::write(
        &spec,
        format!("# Made from the heads of the timing programs.\ngroup = \"timing\"\n{text}"),
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

    const HEAD: &str = "//! Two cycles.\n//!\n//! mark: A\n//! evidence: e\n//! board: b\n//! raise: irq = 0, at = 7\n\
                        //! cycles: 2 a load\n//! cycles: 3 two\n//! cycles: x\n";

    /// Reads `head` as that of a Cortex-M3 program, for a core.
    fn shown(head: &str, core: &Core) -> Option<Program> {
        let name = || "load".to_owned();
        Program::parse(head, &CORES[0], core, (name(), PathBuf::new(), name())).unwrap()
    }

    #[test]
    fn facts_are_the_lines_of_a_key() {
        assert_eq!(facts(HEAD, "mark"), ["A"]);
        assert_eq!(facts(HEAD, "cycles"), ["2 a load", "3 two", "x"]);
        assert!(facts(HEAD, "else").is_empty());
    }

    #[test]
    fn a_case_is_a_number_and_what_it_is() {
        let case = Case::parse("2 a load").unwrap();
        assert_eq!((case.cycles, case.what.as_str()), (2, "a load"));
        assert!(Case::parse("x").is_none() && Case::parse("x y").is_none());
    }

    #[test]
    fn a_spec_pairs_the_breakpoints_in_turn() {
        let spec = shown(HEAD, &CORES[0]).unwrap().spec();
        assert!(spec.contains("[[program.raise]]\nirq = 0\nat = 7\n"), "{spec}");
        assert!(
            spec.contains("id = \"timing/load-2\"\nfrom = \"bkpt:3\"\nto = \"bkpt:4\"\n"),
            "{spec}"
        );
    }

    #[test]
    fn another_core_shows_a_program_that_has_a_mark_for_it() {
        assert!(shown(HEAD, &CORES[1]).is_none());
        let shared = format!("{HEAD}//! mark m4: C\n");
        let program = shown(&shared, &CORES[1]).unwrap();
        assert_eq!((program.mark.as_str(), program.evidence.as_str()), ("C", "e"));
        assert_eq!(program.board, CORES[1].board);
        assert_eq!(program.cases.len(), 2);
        assert_eq!(shown(&shared, &CORES[0]).unwrap().mark, "A");
    }

    #[test]
    fn what_differs_on_another_core_replaces_all_of_its_kind() {
        let shared = format!("{HEAD}//! mark m4: C\n//! board m4: c\n//! cycles m4: 1 a load\n");
        let program = shown(&shared, &CORES[1]).unwrap();
        assert_eq!((program.board.as_str(), program.cases.len()), ("c", 1));
        assert_eq!(program.cases[0].cycles, 1);
    }
}
