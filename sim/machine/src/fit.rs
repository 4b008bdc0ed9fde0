//! Matches programs and cores: the default board of a program, and whether a board's core has all of its instructions.

use std::fmt::Write as _;
use std::iter;

use thiserror::Error;

use crate::board::Board;
use crate::cores::Core;
use crate::image::{Architecture, Built, Image};
use crate::start::{fits_memory, fitting};

/// The board of a program whose file does not name a core.
pub const DEFAULT_BOARD: &str = "cortex-m3";

/// The most other fitting boards that a message names.
const MOST: usize = 4;

/// The default board of a program: a bare core with the memory that the program needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainBoard {
    /// Its name.
    pub name: &'static str,
    /// Why this board, in one line; `None` for the default Cortex-M3.
    pub why: Option<String>,
}

/// Why a program has no default board.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoPlainBoard {
    /// It was built for an Arm core that has no model.
    #[error("built for {built}, a core that is not modelled")]
    NotModelled {
        /// The core for which it was built.
        built: String,
        /// The nearest board, if there is one.
        nearest: Option<&'static str>,
    },
    /// It is built for RISC-V, where each board has its own memory.
    #[error("built for RISC-V, and no board is named")]
    RiscV {
        /// The boards that fit.
        fitting: Vec<&'static str>,
    },
}

impl NoPlainBoard {
    /// The suggested remedy.
    pub fn hint(&self) -> String {
        match self {
            NoPlainBoard::NotModelled {
                nearest: Some(board), ..
            } => format!("`--board {board}` comes nearest; what is measured there is marked D (estimated)"),
            NoPlainBoard::NotModelled { nearest: None, .. } => {
                "build it for a Cortex-M, e.g. with `-mcpu=cortex-m3` or `--target thumbv7m-none-eabi`".into()
            }
            NoPlainBoard::RiscV { fitting } if fitting.is_empty() => {
                "`--board NAME` names one: `cyclescope list boards` lists them; its addresses and instructions fit none of them".into()
            }
            NoPlainBoard::RiscV { fitting } => {
                format!("`--board NAME` names one; its addresses and instructions fit {}", fitting.join(", "))
            }
        }
    }
}

impl Image {
    /// The default board for the program.
    ///
    /// # Errors
    /// [`NoPlainBoard`] if it was built for RISC-V or for a core without a model.
    pub fn plain_board(&self) -> Result<PlainBoard, NoPlainBoard> {
        if self.architecture() == Architecture::RiscV {
            let fitting = fitting(self);
            return Err(NoPlainBoard::RiscV { fitting });
        }
        let by_default = PlainBoard {
            name: DEFAULT_BOARD,
            why: None,
        };
        let Some(built) = self.built().and_then(Built::arm) else {
            return Ok(by_default);
        };
        let core = built.core().map_err(|nearest| NoPlainBoard::NotModelled {
            built: built.to_string(),
            nearest: nearest.map(|core| core.name),
        })?;
        if core.name == DEFAULT_BOARD {
            return Ok(by_default);
        }
        let mut why = format!(
            "no --board given: using `{}` (built for {built}), a bare core",
            core.name
        );
        let other = built.other_core();
        let with_it = iter::once(core).chain(other);
        let boards = with_it.flat_map(|core| Board::with_core(core.name));
        let fitting = boards
            .filter(|board| fits_memory(board, self))
            .map(|board| board.name().to_owned());
        let bare = other.map(|core| core.name.to_owned());
        let others: Vec<String> = bare
            .into_iter()
            .chain(fitting.take(MOST))
            .map(|name| format!("`{name}`"))
            .collect();
        if !others.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(why, "; others that fit: {}", others.join(", "));
        }
        Ok(PlainBoard {
            name: core.name,
            why: Some(why),
        })
    }

    /// A sentence that the program may use instructions the core lacks, with the core for which it was built.
    pub fn beyond(&self, core: Core) -> Option<String> {
        self.built()?.beyond(core)
    }
}
