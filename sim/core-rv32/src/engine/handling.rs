//! The traps that a program is in.

use events::Exception;

use crate::trap::Trap;

/// An exception that was taken, and what it found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExceptionRecord {
    /// Core cycle in which it was taken.
    pub cycle: u64,
    /// Its cause.
    pub trap: Trap,
    /// The instruction that met it.
    pub pc: u32,
    /// `x0` to `x31` before that instruction.
    pub regs: [u32; 32],
}

/// The traps from which the program has not returned.
#[derive(Clone, Default, Debug)]
pub(super) struct Handling {
    /// With the stack pointers that they found, the innermost last.
    traps: Vec<(Exception, u32)>,
    /// The outermost exception among them, with how many traps are around it.
    exception: Option<(ExceptionRecord, usize)>,
}

/// Most nested traps that are kept: no sensible program has more.
const DEEPEST: usize = 64;

impl Handling {
    pub(super) fn enter(&mut self, exception: Exception, sp: u32) {
        if self.traps.len() < DEEPEST {
            self.traps.push((exception, sp));
        }
    }

    /// The trap that is about to be entered is this exception.
    pub(super) fn meet(&mut self, record: ExceptionRecord) {
        if self.exception.is_none() {
            self.exception = Some((record, self.traps.len()));
        }
    }

    /// Leaves the innermost trap. Returns it with the stack pointer that it found.
    pub(super) fn leave(&mut self) -> Option<(Exception, u32)> {
        let trap = self.traps.pop();
        let left = |&mut (_, around): &mut (ExceptionRecord, usize)| around >= self.traps.len();
        self.exception.take_if(left);
        trap
    }

    pub(super) fn exception(&self) -> Option<&ExceptionRecord> {
        self.exception.as_ref().map(|(record, _)| record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trap::Cause;

    const ILLEGAL: Exception = Exception::Trap(2);

    fn met(pc: u32) -> ExceptionRecord {
        ExceptionRecord {
            cycle: 0,
            trap: Trap::new(Cause::IllegalInstruction, 0),
            pc,
            regs: [0; 32],
        }
    }

    /// An interrupt's handler meets an exception, and its handler another.
    fn nested() -> Handling {
        let mut handling = Handling::default();
        handling.enter(Exception::MACHINE_EXTERNAL, 0);
        for pc in [0x10, 0x20] {
            handling.meet(met(pc));
            handling.enter(ILLEGAL, 0);
        }
        handling
    }

    #[test]
    fn the_outermost_exception_is_kept_until_the_program_returns_from_it() {
        let mut handling = nested();
        let at = |handling: &Handling| handling.exception().map(|record| record.pc);
        assert_eq!(at(&handling), Some(0x10));
        assert_eq!(
            (handling.leave(), at(&handling)),
            (Some((ILLEGAL, 0)), Some(0x10))
        );
        assert_eq!((handling.leave(), at(&handling)), (Some((ILLEGAL, 0)), None));
        handling.meet(met(0x30));
        handling.enter(ILLEGAL, 0);
        assert_eq!(at(&handling), Some(0x30));
    }

    #[test]
    fn traps_without_end_fill_no_memory() {
        let mut handling = nested();
        for _ in 0..1000 {
            handling.meet(met(0x40));
            handling.enter(ILLEGAL, 0);
        }
        assert_eq!(handling.traps.len(), DEEPEST);
        assert_eq!(handling.exception().map(|record| record.pc), Some(0x10));
    }
}
