//! `rtl-compare golden`: writes the golden streams.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rtl::golden::{Golden, MEMORY, PROGRAMS, cores, file};
use rtl::{Core, Program};

use super::Cache;

/// Run our own programs on the Verilog of every core that is modelled in time, and keep in which cycle their instructions
/// retire: the golden streams that the model is tested with.
#[derive(clap::Args)]
pub(crate) struct Goldens {
    /// Where the programs of firmware/rv32 were built.
    #[arg(
        long,
        value_name = "DIR",
        default_value = "target/firmware/riscv32i-unknown-none-elf"
    )]
    firmware: PathBuf,
    /// Where the streams go.
    #[arg(long, value_name = "DIR", default_value = "tests/rtl/golden")]
    into: PathBuf,
    #[command(flatten)]
    cache: Cache,
}

impl Goldens {
    pub(crate) fn execute(&self) -> Result<()> {
        cores().try_for_each(|core| self.of(core))
    }

    fn of(&self, core: Core) -> Result<()> {
        if !self.cache.has(core) {
            eprintln!(
                "skipped: {}, whose Verilog is in no package (docs/rv32.md)",
                core.name
            );
            return Ok(());
        }
        let oracle = self.cache.oracle(core)?;
        for listed in PROGRAMS.iter().filter(|listed| listed.runs_on(&core)) {
            let elf = self.firmware.join(format!("{}.elf", listed.name));
            let program = Program::load(&elf, 0, MEMORY)?;
            let golden = Golden::made(&oracle, listed, &program)?;
            let file = file(&self.into, core.name, listed.name);
            write(&file, &golden.to_text(&program))?;
        }
        Ok(())
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    let written = file.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(file, text))
        .with_context(|| file.display().to_string())
}
