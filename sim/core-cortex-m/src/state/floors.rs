//! How far down stacks may grow.

use std::sync::Arc;

/// A stack that grew over what lies below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackOverrun {
    /// Core cycle of the first time.
    pub cycle: u64,
    /// The instruction that did it first, or the one that an exception interrupted.
    pub pc: u32,
    /// The lowest stack pointer since.
    pub lowest: u32,
    /// The lowest that would have been right.
    pub floor: u32,
}

/// How far down stacks may go.
#[derive(Clone, Default, Debug)]
pub(crate) struct StackFloors {
    /// The variables, by the first address of each and the one after it; ascending, without overlap. If empty, nothing is checked.
    pub(crate) variables: Arc<[(u32, u32)]>,
    /// Of the stack in use.
    pub(crate) here: u32,
    /// Of the other one (MSP, PSP).
    pub(crate) other: u32,
    pub(crate) overrun: Option<StackOverrun>,
}

/// The limit is looked up when the stack next grows.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl StackFloors {
    /// Whether a stack pointer is so low that it is to be looked at.
    #[inline(always)]
    pub(crate) fn is_below(&self, sp: u32) -> bool {
        sp < self.here
    }

    /// Whether a stack pointer is above all that is to be looked at.
    #[inline(always)]
    pub(crate) fn is_above(&self, sp: u32) -> bool {
        sp > self.here
    }

    /// How far a stack may go down whose pointer was here.
    pub(crate) fn of(&self, sp: u32) -> u32 {
        let below = self.variables.partition_point(|(first, _)| *first < sp);
        let below = below.checked_sub(1).map(|index| self.variables[index]);
        below.map_or(0, |(first, end)| if end < sp { end } else { first })
    }

    /// The state after a reset of the chip: the variables, and a stack that overran one.
    pub(crate) fn of_next_life(self) -> StackFloors {
        let looks = !self.variables.is_empty() && self.overrun.is_none();
        let unknown = if looks { UNKNOWN } else { 0 };
        StackFloors {
            here: unknown,
            other: unknown,
            ..self
        }
    }

    pub(crate) fn forget(&mut self, process: bool, uses_process: bool) {
        let place = if process == uses_process {
            &mut self.here
        } else {
            &mut self.other
        };
        if !self.variables.is_empty() && self.overrun.is_none() {
            *place = UNKNOWN;
        }
    }
}
