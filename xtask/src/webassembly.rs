//! The library without a host: built for WebAssembly, and run there on the same programs as here.

use std::process::Command;

use anyhow::Result;

use crate::checks::Outcome;
use crate::cross::provides;
use crate::packages::{NODE, ensure};
use crate::shell::{cargo, run};
use crate::target_dir;

const TARGET: &str = "wasm32-unknown-unknown";

/// Calls a module's `main`, which traps if a result is not the host's.
const RUN: &str = "const file = require('fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(file).then(({ instance }) => process.exit(instance.exports.main(0, 0)));";

/// Builds `tests/portable`, and with it `machine` and `lab`, without files, and compares its results with the host's.
///
/// # Errors
/// If it cannot be built, or a result is another one.
pub(crate) fn check() -> Result<Outcome> {
    if !provides(TARGET) {
        return Ok(Outcome::opt_in(format!(
            "building the library for WebAssembly, whose target rustup has: `rustup target add {TARGET}`"
        )));
    }
    run(cargo().args(["build", "--locked", "-p", "portable", "--target", TARGET]))?;
    if let Err(error) = ensure(&[NODE]) {
        return Ok(Outcome::skipped(format!(
            "comparing WebAssembly's results with the host's: {error:#}"
        )));
    }
    let module = target_dir().join(TARGET).join("debug/portable.wasm");
    run(Command::new("node").args(["-e", RUN]).arg(module))?;
    Ok(Outcome::default())
}
