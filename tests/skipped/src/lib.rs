//! How a test says that it, or a part of it, cannot run on this machine: for everybody to see, and as a failure where
//! everything is there that tests need. `./x test` says so by [`NO_SKIPS`] once it has installed all of that, and counts by [`TALLY`] what
//! was left out all the same.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable by which a skipped test fails.
pub const NO_SKIPS: &str = "NO_SKIPS";

/// The environment variable that names a file to which each line is added that is said here.
pub const TALLY: &str = "SKIPS_TALLY";

/// How lines begin that say what is not tested: since something is missing, or since it is only tested for whoever brings something.
pub const SKIPPED: &str = "skipped: ";
/// See [`opt_in`].
pub const OPT_IN: &str = "opt-in: ";

/// Says what is not tested, and why.
///
/// # Panics
/// If nothing may be skipped here.
pub fn skip(why: &str) {
    say(SKIPPED, why);
    assert!(
        std::env::var_os(NO_SKIPS).is_none(),
        "skipped: {why}, and {NO_SKIPS} is set"
    );
}

/// Says what is tested only for whoever brings what no package registry has, and how. That is no skipped test.
pub fn opt_in(what: &str) {
    say(OPT_IN, what);
}

fn say(kind: &str, what: &str) {
    let line = format!("{kind}{what}\n");
    // Past the test runner's capture. Where standard error is closed there is nobody to tell.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(tally) = std::env::var_os(TALLY) {
        // Added whole, by whatever process of a test. Who asked for it misses the file if it cannot be written.
        let tally = OpenOptions::new().create(true).append(true).open(tally);
        let _ = tally.and_then(|mut tally| tally.write_all(line.as_bytes()));
    }
}

/// Whether a tool is there; says so where not.
///
/// # Panics
/// As [`skip`].
pub fn installed(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        skip(&format!("no {tool}"));
    }
    found
}

/// The programs that were built into `folder`; `None`, and a word, if none ever were.
///
/// # Panics
/// If the folder is there and no program is in it: the build left them out. Also as [`skip`].
pub fn programs(folder: &Path) -> Option<Vec<PathBuf>> {
    let Ok(files) = folder.read_dir() else {
        skip(&format!("no programs under {}", folder.display()));
        return None;
    };
    let paths = files.filter_map(Result::ok).map(|file| file.path());
    let is_program = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "elf");
    let mut programs: Vec<PathBuf> = paths.filter(is_program).collect();
    assert!(!programs.is_empty(), "{} has no programs", folder.display());
    programs.sort();
    Some(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_those_of_a_folder_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.elf", "a.elf", "notes"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = programs(folder.path()).unwrap();
        assert_eq!(found, ["a.elf", "b.elf"].map(|name| folder.path().join(name)));
    }

    #[test]
    #[should_panic(expected = "has no programs")]
    fn a_folder_without_programs_is_no_reason_to_skip() {
        let folder = tempfile::tempdir().unwrap();
        programs(folder.path());
    }

    /// A test of this kind, run as a process of its own: a variable is set for all threads.
    #[test]
    fn a_skipped_test_fails_where_nothing_may_be_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let tally = folder.path().join("tally");
        let run = |set: bool| {
            let mut test = Command::new(std::env::current_exe().unwrap());
            test.args(["--ignored", "--exact", "tests::is_skipped"]);
            test.env_remove(NO_SKIPS).env(TALLY, &tally);
            test.envs(set.then_some((NO_SKIPS, "1")));
            test.output().unwrap()
        };
        let allowed = run(false);
        assert!(allowed.status.success());
        assert_eq!(
            String::from_utf8_lossy(&allowed.stderr),
            "skipped: no such-tool\nopt-in: what nobody has\n"
        );
        let refused = run(true);
        assert!(!refused.status.success());
        assert!(
            String::from_utf8_lossy(&refused.stdout).contains("skipped: no such-tool, and NO_SKIPS is set")
        );
        let counted = std::fs::read_to_string(&tally).unwrap();
        assert_eq!(
            counted,
            "skipped: no such-tool\nopt-in: what nobody has\nskipped: no such-tool\n"
        );
    }

    #[test]
    #[ignore = "run by the test above"]
    fn is_skipped() {
        assert!(!installed("such-tool"));
        opt_in("what nobody has");
    }
}
