//! Snapshots to go back to.

use machine::target::State;

/// A moment of a run; equal moments of a run are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moment {
    pub(crate) cycle: u64,
    pub(crate) instructions: u64,
    pub(crate) pc: u32,
}

impl Moment {
    /// Whether it is at or after another moment of the same run.
    pub(crate) fn has_come_to(&self, other: &Moment) -> bool {
        (self.cycle, self.instructions) >= (other.cycle, other.instructions)
    }
}

/// A snapshot from which the program ran undisturbed.
pub(crate) struct Mark {
    pub(crate) state: State,
    pub(crate) from: Moment,
    /// Where the program was before it was halted there: the end of the run from the previous snapshot.
    pub(crate) reached: Moment,
    /// The address of the BKPT or EBREAK at which it stood.
    pub(crate) at_instruction: Option<u32>,
    /// Whether it was taken while the program ran, not at a stop where the user may have changed something.
    pub(crate) passing: bool,
}

/// Beyond this number, automatic snapshots are thinned out and the oldest others dropped, to bound the host's memory.
const MOST: usize = 256;

/// The snapshots of a session, in order.
#[derive(Default)]
pub(crate) struct History(Vec<Mark>);

impl History {
    /// Adds the snapshot from which the program resumes.
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

    /// The number of snapshots.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The snapshot at an index.
    pub(crate) fn mark(&self, index: usize) -> &Mark {
        &self.0[index]
    }

    /// Drops all but the first `len` snapshots.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }
}
