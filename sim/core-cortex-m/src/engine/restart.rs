//! A reset of the chip while it runs.

use events::{Costs, Sink};

use crate::core::Core;
use crate::fault::NotModelled;
use crate::timing::PipelineState;

impl Core {
    /// The chip was reset, and its bus with it ([`bus::Bus::reset`]): the core begins again from its reset vector, in the cycle in which it
    /// stopped. Time and the count of instructions go on, and what is to come from outside still comes.
    ///
    /// # Errors
    /// As [`Core::reset`].
    pub fn restart(&mut self, sink: &mut dyn Sink) -> Result<(), NotModelled> {
        let now = self.emit_reset(sink);
        let bus = std::mem::take(&mut self.bus);
        let fresh = Core::new(self.config.clone(), bus);
        let was = std::mem::replace(self, fresh);
        self.cycle = now as u64;
        (self.code, self.schedule, self.emitter) = (was.code, was.schedule, was.emitter);
        (self.reuses_costs, self.halts, self.block_starts) = (was.reuses_costs, was.halts, was.block_starts);
        self.floors = was.floors.of_next_life();
        self.late_clear = was.late_clear.of_next_life();
        self.sys.keep_debug(was.sys);
        // A protection unit that renumbers its settings invalidates earlier checks.
        self.code.invalidate();
        self.poll_devices(now as u64);
        let fetches = self.start()?;
        self.carry(now, &Costs::of(fetches, PipelineState::FILL as u32));
        Ok(())
    }
}
