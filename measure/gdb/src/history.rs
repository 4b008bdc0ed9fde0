//! Moments to go back to.

use machine::target::State;

/// A moment of a run: what is there twice is the same moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moment {
    pub(crate) cycle: u64,
    pub(crate) instructions: u64,
    pub(crate) pc: u32,
}

impl Moment {
    /// Whether it is not before another one of the same run.
    pub(crate) fn has_come_to(&self, other: &Moment) -> bool {
        (self.cycle, self.instructions) >= (other.cycle, other.instructions)
    }
}

/// A state, from which the program ran on undisturbed.
pub(crate) struct Mark {
    pub(crate) state: State,
    pub(crate) from: Moment,
    /// Where the program was before it was halted there: the end of what it ran from the mark before.
    pub(crate) reached: Moment,
    /// The BKPT or EBREAK that it stood at.
    pub(crate) at_instruction: Option<u32>,
    /// Taken on the way, and not where somebody stopped the program and may have changed something.
    pub(crate) passing: bool,
}

/// More of those on the way are thinned out, and more of the others forgotten: a long session must not take all of the host's memory.
const MOST: usize = 256;

/// The marks of a session, in their order.
#[derive(Default)]
pub(crate) struct History(Vec<Mark>);

impl History {
    /// The program goes on from here.
    pub(crate) fn push(&mut self, mark: Mark) {
        self.0.push(mark);
        if self.0.len() >= 4 * MOST {
            self.0.drain(..2 * MOST);
        }
        if self.0.iter().filter(|mark| mark.passing).count() > MOST {
            let mut number = 0u32;
            self.0.retain(|mark| {
                number += u32::from(mark.passing);
                !mark.passing || number.is_multiple_of(2)
            });
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// One of them.
    pub(crate) fn mark(&self, index: usize) -> &Mark {
        &self.0[index]
    }

    /// Forgets those behind the first few.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }
}
