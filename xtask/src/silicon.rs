//! Replays others' recordings of silicon on the model. It writes the list of archives, and their totals into `docs/evidence.md`.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::pages::{RECORDINGS, write_evidence};
use crate::root;
use crate::shell::{cargo, run, say};

/// The variable that names the recordings' folder if no argument does.
const PLACE: &str = "CMEMU";

/// Replays the recordings in the folder that the argument or the environment names. Without one it reports the replay as skipped.
///
/// # Errors
/// If the recordings cannot be read or run.
pub fn replay(arguments: &[String]) -> Result<()> {
    let place = match arguments {
        [] => env::var_os(PLACE).map(PathBuf::from),
        [path] => Some(path.into()),
        _ => bail!("`./x others silicon PATH`, or {PLACE}=PATH ./x others silicon"),
    };
    let Some(place) = place else {
        say(&format!(
            "silicon: skipped: {PLACE} names no copy of CMEmu's repository"
        ));
        return Ok(());
    };
    let place = place.canonicalize().unwrap_or(place);
    let mut recordings = cargo();
    recordings.args(["run", "--release", "--locked", "-p", "silicon", "--"]);
    let list = root().join("tests/silicon/recordings.md");
    run(recordings.arg(place).arg("--write").arg(&list))?;
    let text = fs::read_to_string(&list).with_context(|| list.display().to_string())?;
    let totals = text.split("\n## ").next().unwrap_or_default();
    write_evidence(RECORDINGS, totals)
}
