//! The locations of vectors and handlers, and their effect on exception timing.

use crate::core::Core;
use crate::state::Flow;
use crate::sys::exceptions::number::SV_CALL;
use crate::timing::{Cycle, Latencies, OnSystemBus, Rule, Supply, looks_like_it, on_system_bus};

/// A NOP of 16 bits.
const NOP: u16 = 0xbf00;

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

    /// Which of vector and handler of this exception come over the system bus.
    pub(super) fn on_system_bus(&self, number: u16) -> OnSystemBus {
        OnSystemBus {
            vector: on_system_bus(self.vector_address(number)),
            handler: on_system_bus(self.handler_of(number)),
        }
    }

    /// Whether a fetch has the system bus in the cycle in which an exception is recognised.
    pub(super) fn fetches_over_system_bus(&mut self, at: Cycle) -> bool {
        let supply = &mut Supply::from(self.bus.flash_mut());
        match &mut self.flow {
            Flow::Through(pipe) => pipe.takes_system_bus(at, supply),
            Flow::Jumped(_) => false,
        }
    }

    /// When a handler is requested that could be in this cycle: fetching goes on until then.
    pub(super) fn requested_after(&mut self, request: Cycle) -> Cycle {
        let supply = &mut Supply::from(self.bus.flash_mut());
        match &mut self.flow {
            Flow::Through(pipe) => pipe.yields(request, supply),
            Flow::Jumped(_) => request,
        }
    }

    /// The cycle of the vector request of an exception that is recognised in cycle `at`: on the system bus, after the fetch under way.
    pub(super) fn vector_asked(&mut self, number: u16, at: Cycle) -> Cycle {
        let asked = Latencies::asks_for_vector(at);
        if number == SV_CALL {
            return self.requested_after(asked);
        }
        if !self.on_system_bus(number).vector {
            return asked;
        }
        let supply = &mut Supply::from(self.bus.flash_mut());
        match &mut self.flow {
            Flow::Through(pipe) => pipe.yields_since(at - Latencies::STOPS_FETCHING, asked, supply),
            Flow::Jumped(_) => asked,
        }
    }

    /// Rule `it-looks`: those of the places of the prefetch unit, a bit for each, in which the lower halfword looks like IT when it is
    /// left in cycle `at`; as far as that matters at `to`: one of the first two words there ends in a NOP.
    pub(super) fn places_with_it(&self, to: u32, at: Cycle) -> u8 {
        let ends_in_nop =
            |word: u32| self.bus.peek_halfword((to & !3).wrapping_add(4 * word + 2)) == Some(NOP);
        let Flow::Through(pipe) = &self.flow else { return 0 };
        if !self.config.model.has(Rule::ItLooks) || !ends_in_nop(0) && !ends_in_nop(1) {
            return 0;
        }
        let places = pipe.queued_words(self.refilled_from, at + Latencies::STILL_WRITTEN);
        let looks = |word: u32| self.bus.peek_halfword(word << 2).is_some_and(looks_like_it);
        let stale = places
            .into_iter()
            .zip(0..)
            .filter(|(word, _)| word.is_some_and(looks));
        stale.fold(0, |bits, (_, place)| bits | 1 << place)
    }

    /// Rule `exception-system-bus`: additional cycles of a return to a frame.
    pub(super) fn return_behind_frame(&self) -> Cycle {
        let frame = self.regs.r[13];
        let to = self
            .bus
            .peek_word(frame.wrapping_add(RETURN_ADDRESS))
            .unwrap_or(0);
        if self.config.model.has(Rule::ExceptionSystemBus) && on_system_bus(to) {
            Latencies::RETURN_BEHIND_FRAME
        } else {
            0
        }
    }

    /// Rule `exception-system-bus`: delay of the next handler of a chain.
    pub(super) fn chain_by_vector(&self, number: u16) -> Cycle {
        let on = self.on_system_bus(number);
        if self.config.model.has(Rule::ExceptionSystemBus) && on.vector {
            Latencies::CHAIN_BY_VECTOR[usize::from(on.handler)]
        } else {
            0
        }
    }
}

/// Offset of the return address in a frame.
const RETURN_ADDRESS: u32 = 24;

#[cfg(test)]
mod tests {
    use events::Silent;

    use crate::testing::{core, handler};

    /// A store, B, ISB, CBNZ and B, for ever.
    const LOOP: [u16; 10] = [
        0x2001, 0x9000, 0xe000, 0xbf00, 0xf3bf, 0x8f6f, 0xb908, 0xbf00, 0xbf00, 0xe7f5,
    ];

    #[test]
    fn the_fast_way_knows_where_the_prefetch_unit_was_filled_from() {
        let refilled_from = |remembers| {
            let mut core = core();
            core.set_cost_reuse(remembers);
            core.bus.load(handler(1), &LOOP.map(u16::to_le_bytes).concat());
            let cuts = (100..2000).step_by(101);
            let filled = cuts.map(|until| {
                core.run(until, &mut Silent);
                core.refilled_from
            });
            filled.collect::<Vec<_>>()
        };
        let carefully = refilled_from(false);
        assert_eq!(refilled_from(true), carefully);
        for target in [handler(1), handler(1) + 8, handler(1) + 12, handler(1) + 18] {
            assert!(carefully.contains(&target), "{target:#x} in {carefully:x?}");
        }
    }
}
