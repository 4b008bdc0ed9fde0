//! Changes by devices that are visible outside the chip: pin levels, the core's clock, and sent data.

use crate::{Bus, ClockId, Effect};

/// The pins of a port, for who shows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// How many there are, 32 at the most.
    pub pins: u8,
    /// The level of each, pin 0 in the lowest bit.
    pub levels: u32,
}

/// A change to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostEvent {
    /// A pin has another level.
    Pin {
        /// The device, by the order in which they were added.
        device: u8,
        /// The pin's number, from 0.
        pin: u8,
        /// The level.
        level: bool,
    },
    /// The core's clock has this frequency in Hz.
    Clock(u32),
}

/// Changes not yet taken, each with its core cycle; empty while nothing listens.
#[derive(Clone, Default, Debug)]
pub(crate) struct HostEvents {
    listens: bool,
    all: Vec<(u64, HostEvent)>,
    /// Whether to keep output as devices send it.
    output: bool,
    /// The device by its place, and what it sent.
    pub(crate) sent: Vec<(usize, Vec<u8>)>,
}

impl Bus {
    /// Turns the recording of changes on or off.
    pub fn listen(&mut self, listens: bool) {
        self.host_events.listens = listens;
        self.host_events.all.clear();
    }

    /// Whether there is something to take.
    #[inline]
    pub fn has_host_event(&self) -> bool {
        !self.host_events.all.is_empty()
    }

    /// Takes the oldest: the core cycle, and what it is.
    pub fn take_host_event(&mut self) -> Option<(u64, HostEvent)> {
        let is_any = self.has_host_event();
        is_any.then(|| self.host_events.all.remove(0))
    }

    /// Sets whether output of devices is kept as it is sent, for a listener that must see it at once.
    pub fn listen_to_output(&mut self, listens: bool) {
        self.host_events.output = listens;
    }

    /// Whether a device has sent something since [`Bus::drain_output`], if somebody listens to that.
    #[inline]
    pub fn has_sent(&self) -> bool {
        !self.host_events.sent.is_empty()
    }

    /// Keeps what a device has sent, if somebody listens to that.
    #[inline]
    pub(crate) fn keep_sent(&mut self, device: usize) {
        if self.host_events.output {
            let sent = &mut self.host_events.sent;
            let keep = &mut |bytes: &[u8]| sent.push((device, bytes.to_vec()));
            self.devices[device].device.drain_output(keep);
        }
    }

    /// Takes note of what a device changed.
    pub(crate) fn note(&mut self, device: usize, effect: Effect, now: u64) {
        if !self.host_events.listens {
            return;
        }
        let event = match (effect, u8::try_from(device)) {
            (Effect::Pin { pin, level, .. }, Ok(device)) => HostEvent::Pin { device, pin, level },
            (Effect::Clock(ClockId::CORE, hz), _) => HostEvent::Clock(hz),
            _ => return,
        };
        self.report(event, now);
    }

    /// Records a change if recording is on.
    pub(crate) fn report(&mut self, event: HostEvent, now: u64) {
        if self.host_events.listens {
            self.host_events.all.push((now, event));
        }
    }
}
