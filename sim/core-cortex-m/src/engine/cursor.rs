//! Positions in the program, as the paths of the engine hand them to each other.

use crate::block::StepKey;
use crate::fault::NotModelled;
use crate::microop::Step;
use crate::timing::{Cycle, PipelineState};

/// Why [`crate::Core::run`] came back. The answer to a semihosting request goes to R0; after [`exec::Stop::Reset`], [`crate::Core::restart`] goes on.
pub type Stop = exec::Stop<Box<NotModelled>>;

/// An instruction of a block, to execute next through `pipe`.
pub(super) struct BlockPosition {
    pub(super) block: u32,
    pub(super) index: usize,
    pub(super) pipe: PipelineState,
}

/// Where the fast path ended: the instruction at `place` was executed with this result, and is still to be accounted for.
pub(super) struct Unaccounted {
    pub(super) place: BlockPosition,
    pub(super) step: Step,
}

/// A position in a block.
pub(super) struct BlockCursor {
    pub(super) block: u32,
    /// Index of the next instruction.
    pub(super) first: usize,
    /// Absolute cycle at which the block's time begins.
    pub(super) base: Cycle,
    /// The block's [`crate::block::CachedBlock::skipped`], if it was just entered.
    pub(super) skipped: Option<u16>,
}

/// The next instruction: its state, and the absolute cycle at which that state's time begins.
#[derive(Clone, Copy)]
pub(super) struct StepCursor {
    pub(super) state: u32,
    pub(super) base: Cycle,
    /// Its result, if it was already executed.
    pub(super) executed: Option<Executed>,
}

/// The result of an instruction, and the key that decided its start, if that was looked up.
#[derive(Clone, Copy)]
pub(super) struct Executed {
    pub(super) step: Step,
    pub(super) key: Option<StepKey>,
}

/// The limits of execution: the argument of [`crate::Core::run`], and the first cycle at which an event may matter.
#[derive(Clone, Copy)]
pub(super) struct RunLimits {
    pub(super) until: Cycle,
    pub(super) deadline: Cycle,
}

impl StepCursor {
    /// Before an instruction that was not executed.
    pub(super) fn at(state: u32, base: Cycle) -> StepCursor {
        StepCursor {
            state,
            base,
            executed: None,
        }
    }
}

/// Whether the slow path continues with the next instruction of the block.
pub(super) enum Continuation {
    /// It does.
    Straight,
    /// Execution continues at R15, by `Core::flow`.
    Elsewhere,
}
