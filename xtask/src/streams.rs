//! Compares the cycles of random programs on each Cortex-M core (`tests/streams`) between commits: one run saves, the other compares.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::shell::{cargo, run};

/// The command's usage.
pub const USAGE: &str =
    "`./x timing`, `./x timing --save DIR [PROGRAMS]` or `./x timing --against DIR [PROGRAMS]`";

/// Runs `--save DIR [PROGRAMS]` or `--against DIR [PROGRAMS]`. The default number of programs per core is that of the tests.
///
/// # Errors
/// If the folder does not exist, or the cost of an instruction differs from the saved one.
pub fn compare(arguments: &[String]) -> Result<()> {
    let (option, folder, programs) = match arguments {
        [option, folder] => (option, folder, None),
        [option, folder, programs] if programs.parse::<u32>().is_ok() => (option, folder, Some(programs)),
        _ => bail!(USAGE),
    };
    let variable = match &**option {
        "--save" => "STREAMS_SAVE",
        "--against" => "STREAMS_AGAINST",
        _ => bail!(USAGE),
    };
    if variable == "STREAMS_SAVE" {
        fs::create_dir_all(folder).with_context(|| folder.clone())?;
    }
    let folder = Path::new(folder).canonicalize().with_context(|| folder.clone())?;
    let mut test = cargo();
    test.args([
        "test",
        "--quiet",
        "--locked",
        "-p",
        "streams",
        "--test",
        "golden",
        "--",
        "--nocapture",
    ]);
    test.env(variable, folder);
    if let Some(programs) = programs {
        test.env("STREAMS_PROGRAMS", programs);
    }
    run(&mut test)
}
