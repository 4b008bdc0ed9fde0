//! Shared by all UARTs: outgoing bytes, input from outside, and the duration of a frame on the line.

use bus::{DeviceError, Effect, Incoming, Outside};

use super::Ticks;
use super::block::Half;
use super::receiver::{Line, Receiver};
use super::transmitter::Transmitter;

/// The lines of a UART.
#[derive(Clone)]
pub(crate) struct Serial {
    pub(crate) receiver: Receiver,
    pub(crate) transmitter: Transmitter,
    /// Counts the frame that is received. Without it, what a frame takes is in core cycles.
    ticks: Option<Ticks>,
}

impl Default for Serial {
    /// Bytes are sent at once, and received after so many core cycles.
    fn default() -> Serial {
        Serial {
            receiver: Receiver::default(),
            transmitter: Transmitter::new(Ticks::fixed(1)),
            ticks: None,
        }
    }
}

impl Serial {
    /// Frames are so many of these ticks.
    pub(crate) fn of(ticks: Ticks) -> Serial {
        Serial {
            transmitter: Transmitter::new(ticks),
            ticks: Some(ticks),
            ..Serial::default()
        }
    }

    /// Whether a byte takes time on its way out.
    pub(crate) fn is_timed(&self) -> bool {
        self.ticks.is_some()
    }

    /// The cycle that is so many ticks after another one.
    pub(crate) fn after(&mut self, begins: u64, count: u64) -> u64 {
        after(&mut self.ticks, begins, count)
    }

    /// Receives what has come by core cycle `now`. Says whether a frame ended.
    pub(crate) fn receive(&mut self, now: u64, line: Line, frame: u64) -> bool {
        let (had, ended, ticks) = (self.receiver.len(), self.receiver.ended(), &mut self.ticks);
        self.receiver
            .catch_up(now, line, |begins| after(ticks, begins, frame));
        self.receiver.len() > had || self.receiver.ended() != ended
    }

    /// The next cycle in which a byte has been received, or sent if the peripheral waits for that.
    pub(crate) fn due(&self, waits_for_room: bool) -> u64 {
        let room = if waits_for_room {
            self.transmitter.due()
        } else {
            u64::MAX
        };
        room.min(self.receiver.due())
    }

    /// The byte that is read next, or 0.
    pub(crate) fn front(&self) -> u32 {
        self.receiver.front().map_or(0, u32::from)
    }

    /// Takes it.
    pub(crate) fn pop(&mut self) {
        self.receiver.read();
    }

    /// A byte under way ends as it began; real hardware would send a wrong one.
    pub(crate) fn hear(&mut self, effect: Effect) {
        self.transmitter.hear(effect);
        if let Some(ticks) = &mut self.ticks {
            ticks.hear(effect);
        }
    }

    /// Whether an effect changes the time that frames take.
    pub(crate) fn concerns(&self, effect: Effect) -> bool {
        self.ticks.is_some_and(|ticks| ticks.concerns(effect))
    }
}

fn after(ticks: &mut Option<Ticks>, begins: u64, count: u64) -> u64 {
    ticks.as_mut().map_or(begins + count, |ticks| {
        ticks.restart(begins);
        ticks.cycle_of(count)
    })
}

impl Half for Serial {
    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.receiver.give(input, now)
    }

    fn carry(&mut self, outside: &mut Outside) {
        self.receiver.carry(outside);
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        self.receiver.unreceived()
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        self.transmitter.drain(sink);
    }
}
