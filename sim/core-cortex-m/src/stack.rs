//! Detection of stacks that overrun variables of the program.
//!
//! A stack grows by a PUSH, a SUB from SP, or an exception's frame. Each of them compares the new stack pointer with one number, the lowest
//! known limit of the current stack. Only below that does the core look up which stack this is. The stack begins above the previous stack
//! pointer, and may grow down to the end of the next variable, or to the start of the variable that contains it, as threads' stacks do.

use crate::core::Core;
use crate::microop::MicroOp;
use crate::regs::Registers;
use crate::state::{StackFloors, StackOverrun, UNKNOWN};

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
        self.floors = StackFloors {
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
    fn floors() -> StackFloors {
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
