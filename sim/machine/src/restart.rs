//! How a run continues after a reset of its chip.

use bus::{ResetCause, ResetState};

use crate::board::Board;
use crate::image::Image;
use crate::processor::Processor;

/// How a run continues after a reset of the chip.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnReset {
    /// The program restarts, as on a chip: memory and the reset cause are kept. It restarts at most ten times, so that a program that
    /// always resets ends.
    #[default]
    Restart,
    /// The run ends.
    Stop,
}

/// The most restarts: each may take a whole period of a watchdog.
const MAX_RESTARTS: u32 = 10;
/// Resets reported individually.
const REPORTED: u32 = 3;

/// A reset cause in words: "its watchdog".
pub fn reset_by(cause: ResetCause) -> &'static str {
    match cause {
        ResetCause::Software => "the program",
        ResetCause::Watchdog => "its watchdog",
        ResetCause::WindowWatchdog => "its window watchdog",
    }
}

/// The resets of a run.
pub(crate) struct Resets {
    pub(crate) first: ResetState,
    restarts: bool,
    pub(crate) count: u32,
}

impl Resets {
    pub(crate) fn new(processor: &dyn Processor, board: &Board) -> Resets {
        Resets {
            first: processor.bus().at_reset(),
            restarts: board.on_reset() == OnReset::Restart,
            count: 0,
        }
    }

    /// Whether the program restarts after the next reset.
    pub(crate) fn begins_again(&self) -> bool {
        self.restarts && self.count < MAX_RESTARTS
    }

    /// The note on the next reset, in cycle `cycle` and before the instruction at `pc`.
    pub(crate) fn note(&self, cause: ResetCause, cycle: u64, image: &Image, pc: u32) -> Option<String> {
        let place = image
            .describe(pc)
            .map_or(String::new(), |symbol| format!(" ({symbol})"));
        let by = reset_by(cause);
        match self.count {
            ..REPORTED => Some(format!(
                "the chip was reset by {by} in cycle {cycle}, before {pc:#010x}{place}"
            )),
            REPORTED => Some("further resets are not reported".to_owned()),
            _ => None,
        }
    }
}
