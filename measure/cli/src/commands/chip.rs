//! What a user says of a chip beside its board: an SVD file, which of its registers answer, and what happens around it.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValue;
use lab::batch::{described, find_board};
use lab::diagnostic::Result;
use lab::fit::board_for;
use machine::board::{Described, StubEntry};
use machine::{Board, Image, OnReset};

use super::{Ending, progress};

#[derive(clap::Args, Debug)]
pub(super) struct Chip {
    /// What the chip's makers say of its registers: a CMSIS-SVD file. Messages name peripherals, registers and fields by it.
    #[arg(long, value_name = "FILE")]
    svd: Option<PathBuf>,
    /// Let a peripheral of the SVD file, or one register, answer although it is not modelled: `I2C1`, `I2C1.SR1`, `*` for all. Reads give what
    /// was written last, and the reset value before; `=reset`, `=toggles` or `=0x12` after the name says otherwise.
    #[arg(long, value_name = "PERIPHERAL[.REGISTER]")]
    stub: Vec<StubEntry>,
    /// Let a script do what happens around the chip: it gives devices bytes, levels and values, and hears pins.
    #[arg(long, value_name = "FILE")]
    script: Vec<PathBuf>,
    /// What a reset of the chip means, by a watchdog or by the program: the program begins again with its memory as it is, as on a chip (100
    /// times at most, then the run ends), or the run ends.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "restart")]
    on_reset: Reset,
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

impl Chip {
    /// The files that these options name.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.svd.iter().chain(&self.script).map(PathBuf::as_path)
    }

    /// The same options for the library.
    pub(super) fn described(&self) -> Described {
        Described {
            svd: self.svd.clone(),
            stubs: self.stub.clone(),
            scripts: self.script.clone(),
            on_reset: self.on_reset.0,
        }
    }

    /// The board of a program with these options: the named one, or a plain one with the core for which the program was built. Shows its
    /// warnings at once.
    pub(super) fn board(&self, name: Option<&str>, image: &Image) -> Result<Board> {
        let named = name.map(find_board).transpose()?;
        let (board, told) = board_for(named, image)?;
        if let Some(told) = told {
            progress::end();
            Ending::from(told).tell();
        }
        described(board, &self.described())
    }
}
