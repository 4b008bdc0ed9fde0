//! The Python wheel that contains the programs.

use std::process::Command;

use anyhow::Result;

use crate::packages::{PYTHON, ensure};
use crate::shell::{cargo, run};
use crate::{root, target_dir};

/// `./x package wheel`: writes `target/wheels`.
///
/// # Errors
/// If the programs cannot be built, or Python is missing.
pub fn make() -> Result<()> {
    ensure(&[PYTHON])?;
    run(cargo().args(["build", "--release", "--locked", "--quiet", "-p", "cyclescope"]))?;
    let built = target_dir().join("release");
    let mut wheel = Command::new("python3");
    wheel.arg(root().join("xtask/wheel.py"));
    wheel.args(["cyclescope", "cargo-cyclescope"].map(|name| built.join(name)));
    run(wheel.arg("--out").arg(target_dir().join("wheels")))
}
