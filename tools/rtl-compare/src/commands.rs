//! The commands of the tool.

mod compare;
mod golden;
mod run;

pub(crate) use compare::Compare;
pub(crate) use golden::Goldens;
pub(crate) use run::Run;

use std::num::ParseIntError;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use rtl::{Core, Job, Missing, Oracle, Program, Pulse};

/// A program in the harness.
#[derive(clap::Args)]
pub(crate) struct Set {
    /// The program, an ELF file.
    elf: PathBuf,
    /// Name of the core.
    #[arg(long, default_value = "vexriscv-full", value_parser = PossibleValuesParser::new(Core::all().map(|core| core.name)))]
    core: String,
    /// Cycles until the memory answers; 0 is in the cycle that asks.
    #[arg(long, default_value_t = 0)]
    latency: u32,
    /// Wait states of each further word of a burst.
    #[arg(long, default_value_t = 0)]
    beat: u32,
    /// When interrupt lines are high: `timer@300..340,external3@500..501`.
    #[arg(long, value_delimiter = ',')]
    interrupts: Vec<Pulse>,
    /// Base address of the memory.
    #[arg(long, default_value = "0", value_parser = number)]
    base: u32,
    /// Its size in bytes.
    #[arg(long, default_value = "0x100000", value_parser = number)]
    size: u32,
    /// Give up after this many cycles.
    #[arg(long, default_value_t = 10_000_000)]
    limit: u64,
    #[command(flatten)]
    cache: Cache,
}

/// The folder of the built oracles.
#[derive(clap::Args)]
pub(crate) struct Cache {
    /// Folder in which cores are built.
    #[arg(long, value_name = "DIR", default_value = "target/rtl")]
    cache: PathBuf,
}

fn number(text: &str) -> Result<u32, ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
}

impl Set {
    fn core(&self) -> Result<Core> {
        Core::named(&self.core).context("the argument parser knows the cores")
    }

    fn job(&self) -> Result<Job> {
        let program = Program::load(&self.elf, self.base, self.size)?;
        Ok(Job {
            reset_vector: program.entry,
            base: program.base,
            memory: program.memory,
            latency: self.latency,
            beat: self.beat,
            changes: Pulse::changes(&self.interrupts),
            limit: self.limit,
            ..Job::default()
        })
    }
}

impl Cache {
    fn has(&self, core: Core) -> bool {
        Oracle::can_be_had(core, &self.cache)
    }

    fn oracle(&self, core: Core) -> Result<Oracle> {
        if let Some(Missing(tool)) = Missing::any() {
            bail!("{tool} is not installed; Debian's package has the same name");
        }
        Ok(Oracle::of(core, &self.cache)?)
    }
}
