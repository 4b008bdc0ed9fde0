//! `cyclescope cost`: measures calls of functions.

use lab::calls::{Cost, cost};
use lab::diagnostic::Result;

use super::Ending;
use super::choices::{Choice, Length, count};
use super::inputs::Inputs;
use super::results::Recording;
use super::target::Program;

/// Measure every call of a function
///
/// From its first instruction to the one it returns to. Shows the cycles, how many of them interrupts and other threads took, and the time,
/// by the clock at which each call began. A call of an interrupt handler ends with its return.
#[derive(clap::Args, Debug)]
pub(super) struct CostArgs {
    #[command(flatten)]
    pub(super) program: Program,
    /// Functions: symbols, mangled or not, the last segments of their paths, or `file.c:name` for one of several static
    /// functions.
    #[arg(value_name = "FUNCTION", required = true)]
    functions: Vec<String>,
    /// Stop after this many calls of each function.
    #[arg(long, value_name = "N", value_parser = count)]
    count: Option<u64>,
    /// Also show the most stack that a call used, with all that it called. Interrupts that come meanwhile do not count; a
    /// handler's own figure includes the frame that the core pushed for it. The run is slower: every instruction is looked at.
    #[arg(long)]
    stack: bool,
    #[command(flatten)]
    length: Length,
    #[command(flatten)]
    recording: Recording,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    backend: Choice,
}

impl CostArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let (image, board) = self
            .program
            .load(&[self.recording.written()], &self.inputs.sent())?;
        let outcome = cost(
            &image,
            &board,
            &Cost {
                command: "cost",
                functions: self.functions.clone(),
                count: self.count,
                horizon: self.length.horizon(),
                stack: self.stack,
                timelines: self.recording.timeline,
                interrupts: self.inputs.raise.clone(),
                stimuli: self.inputs.stimuli()?,
                allow: self.program.target.allow.clone(),
                backend: self.backend.backend(),
            },
        );
        Ok(self.recording.show(outcome)?.into())
    }
}
