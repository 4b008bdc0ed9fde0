//! Replays others' recordings of silicon on the model and writes a page.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

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
    run(recordings
        .arg(place)
        .arg("--write")
        .arg(root().join("docs/silicon.md")))
}
