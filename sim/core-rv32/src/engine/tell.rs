//! What a core in time tells: windows that tile the run, one for each instruction that retires.

use events::{Costs, Event, Flow, Interest, Sink, Window};

use crate::timing::rules::{Rule, RuleSet};

/// Who listens, and how far it was told.
pub(super) struct Ear<'a> {
    sink: &'a mut dyn Sink,
    /// What it wants to hear of.
    pub(super) interest: Interest,
    /// The end of the last window.
    pub(super) told: u64,
    /// Cycles of an instruction that nothing keeps waiting.
    pace: u32,
    /// It asked for a pause.
    pub(super) paused: bool,
}

impl<'a> Ear<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, told: u64, pace: u32) -> Ear<'a> {
        Ear {
            interest: sink.interest(),
            sink,
            told,
            pace,
            paused: false,
        }
    }

    /// Whether anybody listens at all.
    pub(super) fn listens(&self) -> bool {
        self.interest != Interest::none()
    }

    pub(super) fn tell(&mut self, event: &Event) {
        self.paused |= self.sink.event(event) == Flow::Pause;
    }

    /// The window that ends in cycle `to`, of an instruction that waited for these.
    pub(super) fn window(&mut self, to: u64, waits: RuleSet) -> (Window, Costs) {
        let at = Window {
            from: self.told,
            to: to.max(self.told),
        };
        self.told = at.to;
        let length = at.length() as u32;
        let turn = length.min(self.pace);
        let mut costs = Costs::of(Rule::Issue, turn);
        let longest = waits.iter().next().unwrap_or(Rule::Issue);
        costs.add(longest, length - turn);
        (at, costs)
    }

    /// The window of a trap or a trap return until cycle `to`.
    pub(super) fn switch(&mut self, to: u64, rule: Rule) -> (Window, Costs) {
        let at = Window {
            from: self.told,
            to: to.max(self.told),
        };
        self.told = at.to;
        (at, Costs::of(rule, at.length() as u32))
    }
}
