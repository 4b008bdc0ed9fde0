//! How the next instruction is reached.

use crate::timing::{Jump, PipelineState};

/// How the next instruction is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::large_enum_variant)] // it is copied between instructions: a box would cost each of them an allocation
pub(crate) enum Flow {
    /// By a jump; nothing else is under way.
    Jumped(Jump),
    /// Through this pipeline, in absolute time.
    Through(PipelineState),
}
