//! From Verilog to a program that runs jobs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::package::succeeds;
use crate::{Core, Job, Outcome};

const HARNESS: &str = include_str!("../harness/harness.cpp");

/// The register that holds the privilege level of what is executed.
const PRIVILEGE: &str = "CsrPlugin_privilege";

/// A core that runs jobs.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// The core.
    pub core: Core,
    program: PathBuf,
}

/// A tool without which there is no oracle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing(
    /// Its name.
    pub &'static str,
);

impl Missing {
    /// The first of the tools that is not there.
    pub fn any() -> Option<Missing> {
        let there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
        ["python3", "verilator", "make", "g++"]
            .into_iter()
            .find(|tool| !there(tool))
            .map(Missing)
    }
}

/// The version of Verilator, if it is there: `5.006`.
pub fn verilator_version() -> Option<String> {
    let output = Command::new("verilator").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

impl Oracle {
    /// The oracle of a core, built under `cache` unless it already is: some seconds, and the package's download.
    ///
    /// # Errors
    /// When a tool or the package cannot be had, or something of it does not build.
    pub fn of(core: Core, cache: &Path) -> Result<Oracle> {
        let folder = cache.join(core.name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        // Two processes at once, as tests are, build it once.
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        let oracle = Oracle {
            core,
            program: folder.join("oracle"),
        };
        let recipe = oracle.recipe();
        let made_by = folder.join("recipe");
        if fs::read_to_string(&made_by).unwrap_or_default() != recipe {
            oracle.build(&folder, &core.package.unpacked(cache)?.join(core.file))?;
            fs::write(made_by, recipe)?;
        }
        Ok(oracle)
    }

    /// Everything that decides what is built.
    fn recipe(&self) -> String {
        format!(
            "{}\n{}\n{HARNESS}",
            self.core.source(),
            self.arguments().join(" ")
        )
    }

    fn arguments(&self) -> Vec<String> {
        let defined = format!("-O2 -DFETCH_PC={} -DPRIVILEGE={PRIVILEGE}", self.core.fetch_pc);
        let fixed = [
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "--noassert",
            "-Wno-fatal",
            "-Wno-lint",
            "-Wno-style",
            // What reset leaves open is zero, every time.
            "--x-assign",
            "0",
            "--x-initial",
            "0",
            "--top-module",
            "VexRiscv",
            "--prefix",
            "VVexRiscv",
            "-o",
            "../oracle",
            "-CFLAGS",
        ];
        fixed.into_iter().map(str::to_owned).chain([defined]).collect()
    }

    fn build(&self, folder: &Path, verilog: &Path) -> Result<()> {
        let (harness, visible) = (folder.join("harness.cpp"), folder.join("visible.vlt"));
        fs::write(&harness, HARNESS)?;
        let var = format!("public_flat_rd -module \"VexRiscv\" -var \"{PRIVILEGE}\"");
        fs::write(&visible, format!("`verilator_config\n{var}\n"))?;
        let mut verilator = Command::new("verilator");
        verilator
            .args(self.arguments())
            .arg("-Mdir")
            .arg(folder.join("build"));
        succeeds(verilator.args([&visible, verilog, &harness])).with_context(|| self.core.name)
    }

    /// Runs a job.
    ///
    /// # Errors
    /// When the oracle cannot be started, or breaks off.
    pub fn run(&self, job: &Job) -> Result<Outcome> {
        job.run(&self.program)
    }

    /// The oracle's own program.
    pub fn program(&self) -> &Path {
        &self.program
    }
}
