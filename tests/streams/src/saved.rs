//! Streams of many programs in full, as `./x timing --save` writes them: a file for each core, to hold another commit against.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use anyhow::{Context as _, Result, ensure};

use crate::kept::first_difference;
use crate::setup::Core;
use crate::{Ran, run};

/// The most differences that are told.
const TOLD: usize = 10;

/// What stands above a stream.
fn head(ran: &Ran) -> String {
    let Ran { trial, program, .. } = ran;
    format!("program {} {} {program:08x}", trial.group(), trial.number)
}

/// Writes the streams of so many programs of each group of a core; gives the number of programs.
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

/// Holds the programs of a file of [`save`] against the model; gives their number.
///
/// # Errors
/// If the model differs: the first line of each of the first programs that do, as it was and as it is.
pub fn against(core: Core, each: u32, file: &mut dyn BufRead) -> Result<usize> {
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
    use super::{against, save};
    use crate::setup::CORES;

    #[test]
    fn a_cycle_more_is_told_with_what_it_was() {
        let mut saved = Vec::new();
        let programs = save(CORES[0], 1, &mut saved).unwrap();
        assert_eq!(against(CORES[0], 1, &mut &*saved).unwrap(), programs);
        let earlier = String::from_utf8(saved)
            .unwrap()
            .replacen("\n1000 4800 ", "\n1000 4800 9", 1);
        let report = against(CORES[0], 1, &mut earlier.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(report.contains("\n  was 1000 4800 9"), "{report}");
        assert!(
            report.ends_with(&format!("cortex-m0-r0p0: 1 of {programs} programs differ")),
            "{report}"
        );
        let error = against(CORES[0], 2, &mut earlier.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains("of another number of programs"), "{error}");
    }
}
