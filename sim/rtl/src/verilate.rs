//! From Verilog to a program that runs jobs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context as _, Result, ensure};

use crate::job::Records;
use crate::package::succeeds;
use crate::recipe::{MACHINE, MEMORIES, PRIVILEGE};
use crate::{Core, Job, Outcome};

/// A core that runs jobs.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// The core that it runs.
    pub core: Core,
    program: PathBuf,
    /// Working directory of its run.
    verilog: PathBuf,
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
    /// Builds the oracle of a core under `cache`, unless it is built already: some seconds, and the package's download.
    ///
    /// # Errors
    /// If a tool or the package is unavailable, or a build fails.
    pub fn of(core: Core, cache: &Path) -> Result<Oracle> {
        // `make` works in another directory.
        let cache = &std::path::absolute(cache)?;
        let folder = cache.join(core.place());
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        // Two processes at once, as tests are, build it once.
        let lock = File::create(folder.join("lock"))?;
        lock.lock()?;
        let oracle = Oracle {
            core,
            program: folder.join("oracle"),
            verilog: core.package.by_hand(cache).unwrap_or_else(|| folder.clone()),
        };
        let recipe = oracle.recipe();
        let made_by = folder.join("recipe");
        if fs::read_to_string(&made_by).unwrap_or_default() != recipe {
            oracle.build(&folder, &core.package.unpacked(cache)?)?;
            fs::write(made_by, recipe)?;
        }
        Ok(oracle)
    }

    /// Everything that decides what is built.
    fn recipe(&self) -> String {
        let recipe = &self.core.recipe;
        format!(
            "{}\n{}\n{}\n{:?}\n{MACHINE}{MEMORIES}{}{}",
            self.core.source(),
            self.arguments().join(" "),
            recipe.files.join(" "),
            recipe.visible,
            recipe.harness,
            recipe.own.unwrap_or_default(),
        )
    }

    fn arguments(&self) -> Vec<String> {
        let recipe = &self.core.recipe;
        let flags = match recipe.fetch_pc {
            Some(fetch_pc) => format!("-O2 -DFETCH_PC={fetch_pc} -DPRIVILEGE={PRIVILEGE}"),
            None => "-O2".to_owned(),
        };
        let flags = [&[&*flags], recipe.chosen].concat().join(" ");
        let fixed = [
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "--noassert",
            "-Wno-fatal",
            "-Wno-lint",
            "-Wno-style",
            // Signals that reset leaves undefined are zero, in every run.
            "--x-assign",
            "0",
            "--x-initial",
            "0",
            "-o",
            "../oracle",
            "--top-module",
            recipe.top,
            "--prefix",
        ];
        let prefix = format!("V{}", recipe.top);
        let chosen = recipe.parameters.iter().chain(recipe.defined).copied();
        let fixed = fixed.into_iter().chain([&*prefix, "-CFLAGS", &*flags]);
        fixed.chain(chosen).map(str::to_owned).collect()
    }

    /// Writes what is ours: the harness, what it may see, and the Verilog that the package lacks.
    fn write_sources(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let recipe = &self.core.recipe;
        fs::write(folder.join("machine.hpp"), MACHINE)?;
        fs::write(folder.join("memories.hpp"), MEMORIES)?;
        let lines = recipe.visible.iter().map(|visible| {
            let access = if visible.writable { "rw" } else { "rd" };
            let module = visible.module.unwrap_or(recipe.top);
            format!(
                "public_flat_{access} -module \"{module}\" -var \"{}\"\n",
                visible.signal
            )
        });
        let visible = format!("`verilator_config\n{}", lines.collect::<String>());
        let mut sources = vec![folder.join("visible.vlt"), folder.join("harness.cpp")];
        fs::write(&sources[0], visible)?;
        fs::write(&sources[1], recipe.harness)?;
        if let Some(own) = recipe.own {
            sources.push(folder.join("own.sv"));
            fs::write(&sources[2], own)?;
        }
        Ok(sources)
    }

    fn build(&self, folder: &Path, verilog: &Path) -> Result<()> {
        let recipe = &self.core.recipe;
        let sources = self.write_sources(folder)?;
        let mut verilator = Command::new("verilator");
        verilator
            .args(self.arguments())
            .arg("-Mdir")
            .arg(folder.join("build"))
            .args(["-CFLAGS", "-I.."])
            .args(
                recipe
                    .folders
                    .iter()
                    .map(|inside| format!("-I{}", verilog.join(inside).display())),
            )
            .args(recipe.files.iter().map(|file| verilog.join(file)))
            .args(sources);
        succeeds(&mut verilator).with_context(|| self.core.name)
    }

    /// Whether a core's Verilog is here or in a package: the user must add Verilog that no package has.
    pub fn can_be_had(core: Core, cache: &Path) -> bool {
        core.package.by_hand(cache).is_none_or(|folder| folder.is_dir())
    }

    /// Runs a job.
    ///
    /// # Errors
    /// When the core cannot begin where the job does, or the oracle cannot be started, or breaks off.
    pub fn run(&self, job: &Job) -> Result<Outcome> {
        self.answer(job, Records::Retired)
    }

    /// Runs a job and also records the fetched addresses, including those that were never executed.
    ///
    /// # Errors
    /// As [`Oracle::run`].
    pub fn run_with_fetches(&self, job: &Job) -> Result<Outcome> {
        self.answer(job, Records::RetiredAndFetched)
    }

    /// Runs a job as fast as the Verilog goes: nothing of what retires is kept.
    ///
    /// # Errors
    /// As [`Oracle::run`].
    pub fn run_unwatched(&self, job: &Job) -> Result<Outcome> {
        self.answer(job, Records::Nothing)
    }

    fn answer(&self, job: &Job, records: Records) -> Result<Outcome> {
        let (name, first) = (self.core.name, job.reset_vector);
        ensure!(
            self.core.can_begin_at(first),
            "{name} cannot begin at {first:#x}: the low bits of its first address are fixed ({:#x})",
            self.core.lowest_entry()
        );
        job.run(&self.program, &self.verilog, records)
    }

    /// The oracle's own program.
    pub fn program(&self) -> &Path {
        &self.program
    }
}
