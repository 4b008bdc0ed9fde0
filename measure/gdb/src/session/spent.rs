//! What instructions cost since the program last stopped.

use std::collections::HashMap;
use std::ops::Range;

use events::{Event, Flow, Interest, Sink};
use machine::target::{TargetError, Until};

use super::Session;

/// The most snapshots from which the program runs again: it takes one every million cycles.
const MOST_MARKS: usize = 8;

/// How often an instruction executed, and the cycles that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) times: u64,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Session {
    /// The cycles of each instruction in a range of addresses since the program last stopped, or in its last eight million cycles.
    ///
    /// # Errors
    /// If the target cannot go back.
    pub(crate) fn spent(&mut self, range: Range<u32>) -> Result<HashMap<u32, Spent>, TargetError> {
        let now = self.bench.target().snapshot()?;
        let spent = self.silently(|session| session.spent_silently(range));
        self.bench.target().restore(&now)?;
        spent
    }

    fn spent_silently(&mut self, range: Range<u32>) -> Result<HashMap<u32, Spent>, TargetError> {
        let (len, end) = (self.history.len(), self.reached.cycle);
        let resumed = (0..len).rev().find(|&index| !self.history.mark(index).passing);
        let index = resumed.unwrap_or(0).max(len.saturating_sub(MOST_MARKS));
        let mut windows = Windows {
            range,
            spent: HashMap::new(),
        };
        if index < len {
            self.bench.target().restore(&self.history.mark(index).state)?;
            self.bench.target().run(Until::Cycle(end), &mut windows)?;
        }
        Ok(windows.spent)
    }
}

struct Windows {
    range: Range<u32>,
    spent: HashMap<u32, Spent>,
}

impl Sink for Windows {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Retire(retire) = event
            && self.range.contains(&retire.pc)
        {
            let cycles = retire.at.length();
            let spent = self.spent.entry(retire.pc).or_insert(Spent {
                times: 0,
                least: cycles,
                most: cycles,
            });
            spent.times += 1;
            spent.least = spent.least.min(cycles);
            spent.most = spent.most.max(cycles);
        }
        Flow::On
    }
}
