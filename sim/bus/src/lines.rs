//! When devices are polled, and where their interrupt lines go.

use crate::{Bus, Irq};

/// How often devices are polled in one cycle because of what others of them changed.
const MOST_ROUNDS: usize = 64;

/// To which devices something happened: mostly it is one, and then no other need be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PendingPolls {
    Nobody,
    One(usize),
    Several,
}

impl PendingPolls {
    /// Adds a device.
    pub(crate) fn add(&mut self, index: usize) {
        *self = match *self {
            PendingPolls::Nobody => PendingPolls::One(index),
            PendingPolls::One(known) if known == index => return,
            _ => PendingPolls::Several,
        };
    }
}

impl Bus {
    /// Lets each device that is due, or to which something happened, catch up to `now` and tell, through `line`, the level of
    /// its interrupt lines that end at the core. The lines of the others are as they were.
    pub fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        let early = self.due > now;
        let mut alone = match self.pending_polls {
            PendingPolls::Nobody if early => return,
            PendingPolls::One(index) if early => Some(index),
            _ => None,
        };
        let mut stale = alone.is_none();
        if stale {
            self.release(now);
            self.apply_due_inputs(now);
        }
        for _ in 0..MOST_ROUNDS {
            self.pending_polls = PendingPolls::Nobody;
            stale |= self.poll_devices(alone.take(), now, line);
            self.serve_masters(now);
            self.forward_effects(now);
            self.forward_device_inputs(now);
            stale |= self.forward_sources(now, line);
            for place in 0..self.polled.len() {
                self.keep_sent(self.polled[place]);
            }
            if self.pending_polls == PendingPolls::Nobody {
                break;
            }
            stale = true;
        }
        if stale {
            self.refresh_due();
        }
    }

    /// Whether [`Bus::poll`] has anything to do in this cycle.
    #[inline]
    pub fn has_to_poll(&self, now: u64) -> bool {
        self.pending_polls != PendingPolls::Nobody || self.due <= now
    }

    /// Whether the device at `address`, which was just read, changes the level of a line: [`Bus::poll`] reports it. A device whose event is
    /// due reports then, and once.
    pub fn moves_a_line(&mut self, address: u32, now: u64) -> bool {
        if self.quiet {
            return false;
        }
        let Ok(index) = self.find_device(address) else {
            return false;
        };
        let (mapped, high, mut moved) = (&mut self.devices[index], &self.driven_lines, false);
        if mapped.due > now {
            mapped.device.poll(now, &mut |irq, level| {
                moved |= irq.as_source().is_some() || high.is_driven(irq, index) != level;
            });
        }
        moved
    }

    /// Polls those that are due or touched, of which the only one may be known. Says whether one is due at another time now.
    fn poll_devices(&mut self, alone: Option<usize>, now: u64, line: &mut dyn FnMut(Irq, bool)) -> bool {
        let (sources, high, polled) = (&mut self.sources, &mut self.driven_lines, &mut self.polled);
        polled.clear();
        let (first, count) = alone.map_or((0, self.devices.len()), |index| (index, 1));
        let mut moved = false;
        for (index, mapped) in self.devices.iter_mut().enumerate().skip(first).take(count) {
            if !std::mem::take(&mut mapped.touched) && mapped.due > now {
                continue;
            }
            mapped.device.poll(now, &mut |irq, level| match irq.as_source() {
                Some(source) => sources.push((source, level)),
                None => line(irq, high.drive(irq, index, level)),
            });
            let due = mapped.next_event();
            moved |= std::mem::replace(&mut mapped.due, due) != due;
            polled.push(index);
        }
        moved
    }

    /// Sends the effects of the polled devices to all devices.
    fn forward_effects(&mut self, now: u64) {
        for place in 0..self.polled.len() {
            let index = self.polled[place];
            while let Some(effect) = self.devices[index].device.take_effect() {
                self.note(index, effect, now);
                let told = self.tell(effect, now);
                self.refused = self.refused.take().or(told.err());
            }
        }
    }

    /// Sends a pulse of a source to the interrupt controller; its consequences follow in the [`Bus::poll`] of the same cycle.
    pub fn pulse_source(&mut self, source: u16, now: u64) {
        for mapped in &mut self.devices {
            mapped.device.pulse_source(source, now);
            mapped.touch();
        }
        self.pending_polls = PendingPolls::Several;
        self.refresh_due();
    }

    /// Passes the levels of sources to the interrupt controller, and its outputs to `line`. Returns whether there were any.
    fn forward_sources(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) -> bool {
        if self.sources.is_empty() {
            return false;
        }
        for mapped in &mut self.devices {
            for &(source, level) in &self.sources {
                mapped.device.hear_source(source, level, now);
            }
            mapped.due = mapped.next_event();
            if mapped.due <= now {
                mapped.device.poll(now, line);
                mapped.due = mapped.next_event();
            }
        }
        self.sources.clear();
        true
    }

    pub(crate) fn refresh_due(&mut self) {
        if self.end().is_some() {
            self.due = 0;
            return;
        }
        self.due = self
            .devices
            .iter()
            .map(|mapped| mapped.due)
            .chain(self.outside.front().map(|coming| coming.at))
            .chain(self.holds.ends())
            .min()
            .unwrap_or(u64::MAX);
    }
}

/// The lines to the core that devices drive high: several may share one.
#[derive(Clone, Default, Debug)]
pub(crate) struct DrivenLines(Vec<(Irq, usize)>);

impl DrivenLines {
    /// Whether a device drives a line high.
    fn is_driven(&self, irq: Irq, device: usize) -> bool {
        self.0.contains(&(irq, device))
    }

    /// A device drives a line to this level; the level that the line has.
    fn drive(&mut self, irq: Irq, device: usize, level: bool) -> bool {
        let known = self.0.iter().position(|&driven| driven == (irq, device));
        match (known, level) {
            (None, true) => self.0.push((irq, device)),
            (Some(place), false) => {
                self.0.swap_remove(place);
            }
            _ => {}
        }
        level || self.0.iter().any(|&(driven, _)| driven == irq)
    }
}
