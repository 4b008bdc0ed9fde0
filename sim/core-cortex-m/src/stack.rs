//! Detection of stacks that overrun variables of the program.
//!
//! A stack grows by a PUSH, a SUB from SP, or an exception's frame. Each of them compares the new stack pointer with one number, the lowest
//! known limit of the current stack. Only below that does the core look up which stack this is. The stack begins above the previous stack
//! pointer, and may grow down to the end of the next variable, or to the start of the variable that contains it, as threads' stacks do.

use std::sync::Arc;

use crate::core::Core;
use crate::microop::MicroOp;
use crate::regs::Registers;

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
pub(crate) struct Floors {
    /// The variables, by the first address of each and the one after it; ascending, without overlap. If empty, nothing is checked.
    variables: Arc<[(u32, u32)]>,
    /// Of the stack in use.
    here: u32,
    /// Of the other one (MSP, PSP).
    other: u32,
    overrun: Option<StackOverrun>,
}

/// The limit is looked up when the stack next grows.
const UNKNOWN: u32 = u32::MAX;

impl Floors {
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
    fn of(&self, sp: u32) -> u32 {
        let below = self.variables.partition_point(|(first, _)| *first < sp);
        let below = below.checked_sub(1).map(|index| self.variables[index]);
        below.map_or(0, |(first, end)| if end < sp { end } else { first })
    }

    /// The state after a reset of the chip: the variables, and a stack that overran one.
    pub(crate) fn of_next_life(self) -> Floors {
        let looks = !self.variables.is_empty() && self.overrun.is_none();
        let unknown = if looks { UNKNOWN } else { 0 };
        Floors {
            here: unknown,
            other: unknown,
            ..self
        }
    }

    fn forget(&mut self, process: bool, uses_process: bool) {
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

impl Core {
    /// Sets the program's variables: the first address of each, and the one after it. Stacks that overrun one are noticed.
    pub fn set_variables(&mut self, mut variables: Vec<(u32, u32)>) {
        variables.retain(|(first, end)| first < end);
        variables.sort_unstable();
        variables.dedup_by(|next, kept| {
            let overlaps = next.0 < kept.1;
            kept.1 = if overlaps { kept.1.max(next.1) } else { kept.1 };
            overlaps
        });
        let unknown = if variables.is_empty() { 0 } else { UNKNOWN };
        self.floors = Floors {
            variables: variables.into(),
            here: unknown,
            other: unknown,
            overrun: None,
        };
    }

    /// The first stack that grew over a variable, if one did.
    pub fn stack_overrun(&self) -> Option<StackOverrun> {
        self.floors.overrun
    }

    /// An instruction of a run made the stack grow.
    #[cold]
    pub(crate) fn stack_grew(&mut self, op: &MicroOp, before: u32) {
        let cycle = self.base.wrapping_add_signed(op.start.into());
        self.look_at_stack(op.pc, before, cycle);
    }

    /// The stack grew, from a stack pointer, to one that is to be looked at.
    #[cold]
    pub(crate) fn look_at_stack(&mut self, pc: u32, before: u32, cycle: u64) {
        let (sp, floors) = (self.regs.r[13], &mut self.floors);
        let floor = match &mut floors.overrun {
            Some(overrun) => {
                // Other stacks are further away.
                if (overrun.lowest..=overrun.floor).contains(&before) {
                    overrun.lowest = overrun.lowest.min(sp);
                }
                overrun.lowest
            }
            // It grows from a place that is known to be permitted.
            None if floors.here != UNKNOWN && before >= floors.here => floors.here,
            None => floors.of(before),
        };
        if floors.overrun.is_none() && sp < floor {
            floors.overrun = Some(StackOverrun {
                cycle,
                pc,
                lowest: sp,
                floor,
            });
        }
        floors.here = floor.min(sp);
    }

    /// Another value was put into a stack pointer.
    pub(crate) fn forget_floor(&mut self, process: bool) {
        self.floors.forget(process, self.regs.uses_process_stack());
    }

    /// As [`Registers::switch_stack`]. How far down each may go stays known.
    pub(crate) fn switch_stack(&mut self, change: impl FnOnce(&mut Registers)) {
        let before = self.regs.uses_process_stack();
        self.regs.switch_stack(change);
        if self.regs.uses_process_stack() != before {
            std::mem::swap(&mut self.floors.here, &mut self.floors.other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, core_as};

    /// Two variables side by side, with a gap below the second.
    fn floors() -> Floors {
        let mut core = core_as(config());
        core.set_variables(vec![(0x200, 0x240), (0x100, 0x120), (0x110, 0x130), (0x50, 0x50)]);
        core.floors.clone()
    }

    #[test]
    fn a_stack_ends_at_the_variable_below_it_or_at_the_start_of_its_own() {
        let floors = floors();
        for (sp, floor) in [
            (0x1000, 0x240), // Above all of them.
            (0x241, 0x240),
            (0x240, 0x200), // At the top of one: it is that one's.
            (0x204, 0x200),
            (0x200, 0x130),
            (0x130, 0x100), // Those that overlap are one.
            (0x100, 0),
        ] {
            assert_eq!(floors.of(sp), floor, "{sp:#x}");
        }
    }

    #[test]
    fn the_first_overrun_is_told_and_how_far_it_went() {
        let mut core = core_as(config());
        core.set_variables(vec![(0x100, 0x200)]);
        let mut grow = |from: u32, to: u32, pc| {
            core.regs.r[13] = to;
            if core.floors.is_below(to) {
                core.look_at_stack(pc, from, u64::from(pc));
            }
            core.stack_overrun()
        };
        assert_eq!(grow(0x300, 0x200, 1), None);
        let first = StackOverrun {
            cycle: 2,
            pc: 2,
            lowest: 0x1f8,
            floor: 0x200,
        };
        assert_eq!(grow(0x200, 0x1f8, 2), Some(first));
        assert_eq!(
            grow(0x1f8, 0x1e0, 3),
            Some(StackOverrun {
                lowest: 0x1e0,
                ..first
            })
        );
        // A stack elsewhere.
        assert_eq!(
            grow(0x90, 0x80, 4),
            Some(StackOverrun {
                lowest: 0x1e0,
                ..first
            })
        );
    }
}
