//! Where vectors and handlers are, and what that costs an exception.

use crate::core::Core;
use crate::timing::{Cycle, Latencies, Rule, on_system_bus};

impl Core {
    /// Wait states of a read and a write at `address`.
    pub(super) fn wait_at(&self, address: u32) -> (Cycle, Cycle) {
        let wait = self
            .bus
            .region(address)
            .map(|region| region.wait)
            .unwrap_or_default();
        (Cycle::from(wait.read), Cycle::from(wait.write))
    }

    pub(super) fn vector_address(&self, number: u16) -> u32 {
        self.sys.vector_table().wrapping_add(4 * u32::from(number))
    }

    pub(super) fn vector_wait(&self, number: u16) -> Cycle {
        self.wait_at(self.vector_address(number)).0
    }

    pub(super) fn handler_of(&self, number: u16) -> u32 {
        self.bus.peek_word(self.vector_address(number)).unwrap_or(0) & !1
    }

    pub(super) fn handler_wait(&self, number: u16) -> Cycle {
        self.fetch_path(self.handler_of(number)).total()
    }

    /// Rule `exception-system-bus`: what entering this exception takes more.
    pub(super) fn entry_behind_frame(&self, number: u16) -> Cycle {
        if !self.config.model.has(Rule::ExceptionSystemBus) {
            return 0;
        }
        let vector = on_system_bus(self.vector_address(number));
        Latencies::entry_behind_frame(vector, on_system_bus(self.handler_of(number)))
    }

    /// The same rule: what the return to R15 takes more.
    pub(super) fn return_behind_frame(&self) -> Cycle {
        if self.config.model.has(Rule::ExceptionSystemBus) && on_system_bus(self.regs.r[15]) {
            Latencies::RETURN_BEHIND_FRAME
        } else {
            0
        }
    }

    /// The same rule: what the next handler of a chain starts later.
    pub(super) fn chain_by_vector(&self, number: u16) -> Cycle {
        if self.config.model.has(Rule::ExceptionSystemBus) && on_system_bus(self.vector_address(number)) {
            Latencies::CHAIN_BY_VECTOR
        } else {
            0
        }
    }
}
