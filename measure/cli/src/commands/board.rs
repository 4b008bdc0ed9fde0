//! `cyclescope board`: board files.

use std::path::PathBuf;

use lab::diagnostic::{Diagnostic, Result};
use machine::Board;
use machine::board::{BoardError, MemoryRange, New};
use machine::svd::Svd;

use super::{Ending, common};

/// Write a board file
#[derive(clap::Args, Debug)]
pub(super) struct BoardArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Write a board file for the chip of an SVD file
    ///
    /// It has the chip's core, its interrupts, and the names of its registers. It models no peripheral, but says how to let registers answer. An SVD file says nothing of memories: without `--rom`
    /// and `--ram`, those of a Cortex-M are taken from the ELF file.
    New(NewArgs),
}

#[derive(clap::Args, Debug)]
struct NewArgs {
    /// The CMSIS-SVD file.
    #[arg(long, value_name = "FILE")]
    svd: PathBuf,
    /// Where to write it; without this, to standard output. An existing file is left alone.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The board's name; without this, the chip's.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The core, if the SVD file names none that is modelled (`cyclescope list cores`).
    #[arg(long, value_name = "CORE")]
    core: Option<String>,
    /// The core's clock after reset.
    #[arg(long, value_name = "HZ", default_value = "16000000", value_parser = clap::value_parser!(u32).range(1..))]
    clock_hz: u32,
    /// A memory that no program writes to: 0x08000000:512K.
    #[arg(long, value_name = "ADDRESS:SIZE")]
    rom: Vec<MemoryRange>,
    /// A memory that programs write to: 0x20000000:64K.
    #[arg(long, value_name = "ADDRESS:SIZE")]
    ram: Vec<MemoryRange>,
}

impl BoardArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let What::New(new) = &self.what;
        new.execute()
    }
}

impl NewArgs {
    fn execute(&self) -> Result<Ending> {
        common::check_written(&[("--output", self.output.as_deref())], &[&self.svd])?;
        let svd = Svd::read(&self.svd).map_err(|error| mistake(&error))?;
        let new = New {
            name: self.name.clone(),
            core: self.core.clone(),
            clock_hz: self.clock_hz,
            roms: self.rom.clone(),
            rams: self.ram.clone(),
        };
        let text = new
            .text(&svd, &self.named())
            .map_err(|(message, hint)| Diagnostic::mistake(message).maybe_help(hint))?;
        if let Some(path) = self.output.as_ref().filter(|path| path.exists()) {
            let file = path.display().to_string();
            return Err(Diagnostic::mistake("it exists already").in_file(file));
        }
        // Write it only if it can be read back: overlapping memories are the user's mistake.
        let file = self.output.clone().unwrap_or_else(|| "board.toml".into());
        Board::parse(&file.display().to_string(), &text).map_err(|error| mistake(&error))?;
        let Some(path) = &self.output else {
            common::print(&text)?;
            return Ok(Ending::default());
        };
        common::write(path, &text)?;
        let (peripherals, registers) = svd.counts();
        common::print(&format!(
            "{}: {}, {peripherals} peripherals with {registers} registers\n",
            path.display(),
            svd.name()
        ))?;
        Ok(Ending::default())
    }

    /// The SVD file's path relative to the board file.
    fn named(&self) -> String {
        let beside = self
            .output
            .as_ref()
            .is_none_or(|path| path.parent().is_none_or(|folder| folder.as_os_str().is_empty()));
        let path = if beside {
            None
        } else {
            self.svd.canonicalize().ok()
        };
        path.unwrap_or_else(|| self.svd.clone()).display().to_string()
    }
}

fn mistake(error: &BoardError) -> Diagnostic {
    Diagnostic::mistake(error.to_string()).maybe_help(error.hint())
}
