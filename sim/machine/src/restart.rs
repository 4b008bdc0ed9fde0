//! What becomes of a run when its chip is reset.

use bus::{AtReset, ResetCause};

use crate::board::Board;
use crate::image::Image;
use crate::processor::Processor;

/// What a reset of the chip means for a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnReset {
    /// The program begins again, as on a chip: memory is kept, and so is the cause of the reset. It does so at most ten times, so that a program
    /// that is always reset ends.
    #[default]
    Restart,
    /// The run ends.
    Stop,
}

/// Resets after which the program restarts: each may take a whole period of a watchdog.
const MAX_RESTARTS: u32 = 10;
/// Resets that are reported one by one.
const REPORTED: u32 = 3;

/// What reset a chip, in words: "its watchdog".
pub fn reset_by(cause: ResetCause) -> &'static str {
    match cause {
        ResetCause::Software => "the program",
        ResetCause::Watchdog => "its watchdog",
        ResetCause::WindowWatchdog => "its window watchdog",
    }
}

/// The resets of a run.
pub(crate) struct Resets {
    pub(crate) first: AtReset,
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

    /// Whether the program restarts after the next one.
    pub(crate) fn begins_again(&self) -> bool {
        self.restarts && self.count < MAX_RESTARTS
    }

    /// What is told of the next one, in cycle `cycle` and before the instruction at `pc`.
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
