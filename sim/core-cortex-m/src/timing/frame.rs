//! The system bus while a frame is stacked on it (rule `exception-system-bus`), cycle by cycle.
//!
//! A vector and the words of a handler that come over the system bus go before the words of the frame, as fetches do (rule
//! `system-fetch`), but not while one of those has its data phase. So each of them costs the frame two cycles.

use super::Cycle;

/// Words of a stack frame.
const WORDS: Cycle = 8;
/// Words that the prefetch unit takes of a handler.
const FETCHED: u8 = 3;
/// From the cycle in which the prefetch unit asks for the vector until that has its bus.
const TO_VECTOR: Cycle = 1;
/// From the bus cycle of a vector until the handler's first word is requested, and how much later that is on the system bus.
const VECTOR_TO_REQUEST: Cycle = 2;
const HELD: Cycle = 1;
/// From one fetch over the system bus to the next.
const PACE: Cycle = 2;
/// From the request of an instruction until it can execute.
const REQUEST_TO_EXECUTE: Cycle = 3;

/// Which of them come over the system bus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnSystemBus {
    pub vector: bool,
    pub handler: bool,
}

/// How an entry goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EntryCourse {
    /// When the handler can execute.
    pub start: Cycle,
    /// When its first word is requested.
    pub request: Cycle,
}

/// Stacks a frame from cycle `at` on, in which a fetch has the bus if it is `taken`; the prefetch unit asks for the vector in cycle `asked`.
pub(crate) fn stack(at: Cycle, asked: Cycle, taken: bool, on: OnSystemBus) -> EntryCourse {
    let mut bus = FrameBus {
        on,
        vector: None,
        request: None,
        wanted: None,
        fetched: 0,
    };
    if on.vector {
        bus.wanted = Some(asked + TO_VECTOR + HELD);
    } else {
        bus.read_vector(asked + TO_VECTOR);
    }
    let taken = taken.then_some(at);
    let (mut cycle, mut stacked, mut written) = (at, 0, Cycle::MIN);
    while stacked < WORDS {
        let data_phase = written == cycle - 1;
        if Some(cycle) == taken || bus.wanted.is_some_and(|wanted| wanted <= cycle) {
            if Some(cycle) != taken && !data_phase {
                bus.serve(cycle);
            }
        } else {
            written = cycle;
            stacked += 1;
        }
        cycle += 1;
    }
    let request = bus.request.unwrap_or(cycle);
    EntryCourse {
        start: (written + 2).max(request + REQUEST_TO_EXECUTE),
        request,
    }
}

/// The system bus requests parallel to the frame.
struct FrameBus {
    on: OnSystemBus,
    /// When the vector was on its bus.
    vector: Option<Cycle>,
    request: Option<Cycle>,
    /// From when on the next word is wanted over the system bus.
    wanted: Option<Cycle>,
    fetched: u8,
}

impl FrameBus {
    fn read_vector(&mut self, cycle: Cycle) {
        self.vector = Some(cycle);
        let request = cycle + VECTOR_TO_REQUEST;
        if self.on.handler {
            self.wanted = Some(request + HELD);
        } else {
            (self.request, self.wanted) = (Some(request), None);
        }
    }

    fn serve(&mut self, cycle: Cycle) {
        if self.vector.is_none() {
            return self.read_vector(cycle);
        }
        self.request.get_or_insert(cycle);
        self.fetched += 1;
        self.wanted = (self.fetched < FETCHED).then_some(cycle + PACE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Cycle = 100;

    fn entry(vector: bool, handler: bool, taken: bool) -> Cycle {
        stack(AT, AT + 1, taken, OnSystemBus { vector, handler }).start - AT
    }

    /// CC2650, published with CMEmu: `interrupt_multicycle`, `interrupt_handler_different_mem`.
    #[test]
    fn each_word_over_the_system_bus_costs_two_cycles() {
        let entries = [(false, false), (true, false), (true, true), (false, true)];
        let cycles = entries.map(|(vector, handler)| entry(vector, handler, false));
        assert_eq!(cycles, [9, 11, 17, 15]);
    }

    /// `systick_exc` from SRAM: every other entry is longer.
    #[test]
    fn a_fetch_under_way_goes_first() {
        assert_eq!(entry(true, true, true), 18);
    }

    /// From flash without its line buffer, whose words come three cycles later.
    #[test]
    fn the_handler_is_requested_when_its_vector_was_read() {
        let (vector, handler) = (true, false);
        assert_eq!(
            stack(AT, AT + 1, false, OnSystemBus { vector, handler }).request - AT,
            6
        );
    }

    /// `it_curse_svc` from flash without its line buffer: the vector waits for the fetch in flight, and the handler for the vector.
    #[test]
    fn a_vector_that_is_asked_for_later_delays_the_handler() {
        let on = OnSystemBus {
            vector: true,
            handler: false,
        };
        let request = |asked| stack(AT, asked, false, on).request - AT;
        assert_eq!([request(AT + 1), request(AT + 3)], [6, 8]);
    }
}
