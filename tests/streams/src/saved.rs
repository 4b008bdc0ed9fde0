//! Full streams of many programs, as `./x timing --save` writes them: one file per core, to compare another commit with.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use anyhow::{Context as _, Result, ensure};

use crate::kept::first_difference;
use crate::setup::Core;
use crate::{Ran, run};

/// Most differences that are reported.
const TOLD: usize = 10;

/// The line above a stream.
fn head(ran: &Ran) -> String {
    let Ran { trial, program, .. } = ran;
    format!("program {} {} {program:08x}", trial.group(), trial.number)
}

/// Writes the streams of `each` programs of every group of a core. Returns the number of programs.
///
/// # Errors
/// If a program cannot be run, or nothing can be written.
pub fn save(core: Core, each: u32, file: &mut dyn Write) -> Result<usize> {
    let mut programs = 0;
    for ran in run(core, each) {
        let ran = ran?;
        write!(file, "{}\n{}\n", head(&ran), ran.stream)?;
        programs += 1;
    }
    file.flush()?;
    Ok(programs)
}

/// Compares the model with a file of [`save`]. Returns the number of programs.
///
/// # Errors
/// If the model differs. The error shows the first differing line of the first such programs, before and after.
pub fn compare(core: Core, each: u32, file: &mut dyn BufRead) -> Result<usize> {
    let mut report = String::new();
    let (mut programs, mut differing) = (0, 0);
    for ran in run(core, each) {
        let ran = ran?;
        let head = head(&ran);
        let before = next(file).with_context(|| {
            format!(
                "{} has no more programs: save as many as are compared",
                core.name()
            )
        })?;
        let (its_head, before) = before.split_once('\n').unwrap_or_default();
        ensure!(
            its_head == head,
            "`{its_head}` was saved where `{head}` is run: of another number of programs, or from another generator"
        );
        programs += 1;
        if let Some(lines) = first_difference(before, &ran.stream) {
            differing += 1;
            if differing <= TOLD {
                let _ = writeln!(report, "{}, {head}:\n{lines}", core.name());
            }
        }
    }
    ensure!(
        differing == 0,
        "{report}{}: {differing} of {programs} programs differ",
        core.name()
    );
    Ok(programs)
}

/// A program's head and stream, which an empty line ends.
fn next(file: &mut dyn BufRead) -> Option<String> {
    let mut text = String::new();
    while file.read_line(&mut text).ok()? > 0 {
        if text.ends_with("\n\n") {
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{compare, save};
    use crate::setup::CORES;

    #[test]
    fn a_cycle_more_is_told_with_what_it_was() {
        let mut saved = Vec::new();
        let programs = save(CORES[0], 1, &mut saved).unwrap();
        assert_eq!(compare(CORES[0], 1, &mut &*saved).unwrap(), programs);
        let earlier = String::from_utf8(saved)
            .unwrap()
            .replacen("\n1000 4800 ", "\n1000 4800 9", 1);
        let report = compare(CORES[0], 1, &mut earlier.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(report.contains("\n  was 1000 4800 9"), "{report}");
        assert!(
            report.ends_with(&format!("cortex-m0-r0p0: 1 of {programs} programs differ")),
            "{report}"
        );
        let error = compare(CORES[0], 2, &mut earlier.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains("of another number of programs"), "{error}");
    }
}
