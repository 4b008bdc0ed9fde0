//! The program and the chip that it runs on: the arguments of every command that runs one.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::builder::PossibleValue;
use lab::batch::{described, find_board, load_files, without_rules};
use lab::diagnostic::Result;
use lab::fit::board_for;
use machine::board::{Allow, Described, StubEntry};
use machine::{Board, Image, OnReset, ProgramFile};

use super::{Ending, common, progress};

/// The heading of these options in the help.
const CHIP: &str = "Chip and program";

/// A program and its chip.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Program {
    /// The program: an ELF file, Intel HEX, UF2, or a binary file with `--base`.
    pub(super) elf: PathBuf,
    #[command(flatten)]
    pub(super) target: Target,
}

/// The chip, and what belongs to every program that runs on it.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Target {
    /// The board: a name (`cyclescope list boards`) or a board file. Without this, the board that the spec names, or a plain one with the
    /// core that the program was built for.
    #[arg(long, value_name = "BOARD", help_heading = CHIP)]
    pub(super) board: Option<String>,
    /// What names the board, if `--board` does not.
    #[arg(skip)]
    pub(super) board_from: Option<&'static str>,
    /// What the chip's makers say of its registers: a CMSIS-SVD file. Messages name peripherals, registers and fields by it.
    #[arg(long, value_name = "FILE", help_heading = CHIP)]
    svd: Option<PathBuf>,
    /// Let a peripheral of the SVD file, or one register, answer although it is not modelled: `I2C1`, `I2C1.SR1`, `*` for all. Reads give what
    /// was written last, and the reset value before; `=reset`, `=toggles` or `=0x12` after the name says otherwise.
    #[arg(long, value_name = "PERIPHERAL[.REGISTER]", help_heading = CHIP)]
    stub: Vec<StubEntry>,
    /// Let a script do what happens around the chip: it gives devices bytes, levels and values, and hears pins.
    #[arg(long, value_name = "FILE", help_heading = CHIP)]
    script: Vec<PathBuf>,
    /// What a reset of the chip means, by a watchdog or by the program: the program begins again with its memory as it is, as on a chip (100
    /// times at most, then the run ends), or the run ends.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "restart", help_heading = CHIP)]
    on_reset: Reset,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE", help_heading = CHIP)]
    pub(super) allow: Vec<Allow>,
    /// Switch a timing rule off (`cyclescope list rules`), to see how much of a figure comes from it.
    #[arg(long, value_name = "RULE", help_heading = CHIP)]
    without_rule: Vec<String>,
    /// Where the program goes, if it is a binary file, which does not say it itself: 0x08000000.
    #[arg(long, value_name = "ADDRESS", value_parser = address, help_heading = CHIP)]
    base: Option<u32>,
    #[command(flatten)]
    further: Further,
}

/// The files of a program beside the first.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Further {
    /// A further file of the program, such as a bootloader: ELF, Intel HEX, UF2, or a binary file as FILE@ADDRESS.
    #[arg(long, value_name = "FILE", help_heading = CHIP)]
    with: Vec<FurtherFile>,
}

#[derive(Clone, Debug)]
struct FurtherFile(ProgramFile);

impl FromStr for FurtherFile {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<FurtherFile, String> {
        if let Some((path, base)) = text.rsplit_once('@')
            && let (false, Ok(base)) = (path.is_empty(), address(base))
        {
            let path = path.into();
            return Ok(FurtherFile(ProgramFile {
                path,
                base: Some(base),
            }));
        }
        Ok(FurtherFile(ProgramFile::new(text)))
    }
}

/// What a reset of the chip means for a run, as the command line calls it.
#[derive(Clone, Copy, Debug)]
struct Reset(OnReset);

impl clap::ValueEnum for Reset {
    fn value_variants<'a>() -> &'a [Reset] {
        &[Reset(OnReset::Restart), Reset(OnReset::Stop)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self.0 {
            OnReset::Restart => "restart",
            OnReset::Stop => "stop",
        }))
    }
}

impl Program {
    /// Loads the program and its board. Refuses to write a file that is read: one of these two, or one of `also_read`.
    pub(super) fn load(
        &self,
        written: &[(&str, Option<&Path>)],
        also_read: &[&Path],
    ) -> Result<(Arc<Image>, Board)> {
        self.target.load(&self.elf, written, also_read)
    }
}

impl Target {
    /// As [`Program::load`], of a program with this first file.
    pub(super) fn load(
        &self,
        first: &Path,
        written: &[(&str, Option<&Path>)],
        also_read: &[&Path],
    ) -> Result<(Arc<Image>, Board)> {
        let read: Vec<&Path> = [first]
            .into_iter()
            .chain(self.board.as_deref().map(Path::new))
            .chain(self.svd.iter().chain(&self.script).map(PathBuf::as_path))
            .chain(self.further.with.iter().map(|further| &*further.0.path))
            .chain(also_read.iter().copied())
            .collect();
        common::check_written(written, &read)?;
        let image = self.image(first)?;
        let board = self.board(&image)?;
        Ok((image, board))
    }

    /// Loads the program whose first file this is.
    pub(super) fn image(&self, first: &Path) -> Result<Arc<Image>> {
        let board = self.board.as_deref().map(find_board).transpose()?;
        let path = first.to_owned();
        let first = ProgramFile {
            path,
            base: self.base,
        };
        let files: Vec<_> = std::iter::once(first).chain(self.further.files()).collect();
        load_files(&files, board.as_ref()).map(Arc::new)
    }

    /// The program's board: the named one, or a plain one with the core for which the program was built. Shows it and its warnings at once.
    fn board(&self, image: &Image) -> Result<Board> {
        let named = self.board.as_deref().map(find_board).transpose()?;
        let is_named = named.is_some();
        let (board, told) = board_for(named, image)?;
        let why = match (is_named, &told) {
            (true, _) => format!("named by {}", self.board_from.unwrap_or("--board")),
            (false, Some(_)) => "recognised from the program".to_owned(),
            (false, None) => {
                "the default; `--board NAME` chooses another, `cyclescope list boards` lists them".to_owned()
            }
        };
        progress::line(&format!(
            "board {}: {} at {}, {why}",
            board.name(),
            board.core().name(),
            clock(board.clock_hz())
        ));
        if let Some(told) = told {
            progress::end();
            Ending::from(told).tell();
        }
        without_rules(described(board, &self.described())?, &self.without_rule)
    }

    fn described(&self) -> Described {
        Described {
            svd: self.svd.clone(),
            stubs: self.stub.clone(),
            scripts: self.script.clone(),
            on_reset: self.on_reset.0,
        }
    }

    /// Options of a spec's measurement, with this target in place of the spec's.
    pub(super) fn options(&self, firmware: &Path) -> lab::batch::Options {
        lab::batch::Options {
            base: self.base,
            further: self.further.files().collect(),
            board: self.board.clone(),
            allow: self.allow.clone(),
            described: self.described(),
            without_rules: self.without_rule.clone(),
            ..lab::batch::Options::built_in(firmware.to_owned())
        }
    }
}

impl Further {
    /// The further files.
    pub(super) fn files(&self) -> impl Iterator<Item = ProgramFile> {
        self.with.iter().map(|further| further.0.clone())
    }
}

/// A frequency in MHz, if it is that high.
fn clock(hz: u32) -> String {
    if hz < 1_000_000 {
        format!("{hz} Hz")
    } else {
        format!("{} MHz", f64::from(hz) / 1e6)
    }
}

/// Parses an address: hexadecimal with 0x.
fn address(text: &str) -> std::result::Result<u32, String> {
    let digits = text.replace('_', "");
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.map_err(|_| "an address is a number such as 0x08000000".into())
}
