//! A reset of the chip while it runs.

use events::{Event, Sink};

use super::emit::Listener;
use super::program::Program;
use super::{Hart, pipeline};
use crate::core::Core;

impl Hart {
    /// The chip was reset, and its bus with it ([`bus::Bus::reset`]): the core begins again where it did at first, in the cycle in which it
    /// stopped. Time and the count of instructions go on, and what is driven from outside still is.
    pub fn restart(&mut self, sink: &mut dyn Sink) {
        let mut listener = Listener::new(sink, self.position, self.pipeline.pace());
        let (at, costs) = listener.gap(self.cycle);
        listener.emit_control(&Event::Reset { at, costs });
        self.position = listener.position;
        let was = &mut self.program;
        let bus = std::mem::take(&mut was.core.bus);
        let mut core = Core::new(was.core.config, bus, self.reset);
        core.mmu.is_observed = true;
        core.csrs.cycle_offset = self.cycle.wrapping_neg();
        let mut program = Program::new(core);
        (program.code.debugged, program.retired) = (was.code.debugged, was.retired);
        program.recorder = was.recorder.take();
        self.program = program;
        self.pipeline = pipeline::of(&self.program.core.config, self.reset);
        self.inputs.reset();
        (self.fetched, self.stopped, self.refused) = (None, None, None);
        self.ended = false;
    }
}
