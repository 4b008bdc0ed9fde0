//! Those who listen to a run, each to something else of it.

use events::{Costs, Event, Flow, Interest, Pcs, Ranges, Sink, Step, Window};

/// Hears of some instructions only, and pauses now and then.
pub(crate) struct Few {
    pub pcs: Pcs,
    pub heard: Vec<Event>,
}

impl Sink for Few {
    fn interest(&self) -> Interest {
        Interest {
            pcs: self.pcs.clone(),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.heard.push(*event);
        if self.heard.len().is_multiple_of(7) {
            Flow::Pause
        } else {
            Flow::On
        }
    }
}

/// Hears of loads and stores only.
pub(crate) struct Accesses(pub Vec<Event>);

impl Sink for Accesses {
    fn interest(&self) -> Interest {
        Interest {
            writes: Ranges::all(),
            reads: Ranges::all(),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.0.push(*event);
        Flow::On
    }
}

/// Hears of instructions, and is content with little of each.
#[derive(Default)]
pub(crate) struct Steps {
    pub heard: Vec<(Window, [u32; 4], Costs)>,
    /// How many came so.
    pub by_step: usize,
}

impl Steps {
    fn add(&mut self, step: &Step<'_>) {
        let code = step.raw ^ u32::from(step.size) << 16;
        self.heard
            .push((step.at, [step.pc, code, step.sp_before, step.sp], *step.costs));
    }
}

impl Sink for Steps {
    fn interest(&self) -> Interest {
        Interest {
            steps: true,
            ..Interest::windows()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Retire(retire) = event {
            self.add(&retire.step());
        }
        Flow::On
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        self.by_step += 1;
        self.add(step);
        Flow::On
    }
}
