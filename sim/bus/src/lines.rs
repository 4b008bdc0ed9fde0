//! When devices are polled, and where their interrupt lines go.

use crate::{Bus, Irq};

impl Bus {
    /// Lets each device that is due, or to which something happened, catch up to `now` and tell, through `line`, the level of
    /// its interrupt lines that end at the core. The lines of the others are as they were.
    pub fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if !self.touched && self.due > now {
            return;
        }
        self.touched = false;
        self.let_come(now);
        let sources = &mut self.sources;
        for mapped in &mut self.devices {
            if !std::mem::take(&mut mapped.touched) && mapped.due > now {
                continue;
            }
            mapped.device.poll(now, &mut |irq, level| match irq.as_source() {
                Some(source) => sources.push((source, level)),
                None => line(irq, level),
            });
            mapped.due = mapped.device.next_event();
        }
        self.pass_sources_on(now, line);
        self.refresh_due();
    }

    /// Lets the interrupt controller hear a pulse of a source; what follows is told in the [`Bus::poll`] of the same cycle.
    pub fn pulse_source(&mut self, source: u16, now: u64) {
        for mapped in &mut self.devices {
            mapped.device.pulse_source(source, now);
            mapped.touch();
        }
        self.touched = true;
        self.refresh_due();
    }

    /// Lets the interrupt controller hear its sources, and tell what follows.
    fn pass_sources_on(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if self.sources.is_empty() {
            return;
        }
        for mapped in &mut self.devices {
            for &(source, level) in &self.sources {
                mapped.device.hear_source(source, level, now);
            }
            mapped.due = mapped.device.next_event();
            if mapped.due <= now {
                mapped.device.poll(now, line);
                mapped.due = mapped.device.next_event();
            }
        }
        self.sources.clear();
    }

    pub(crate) fn refresh_due(&mut self) {
        self.due = self
            .devices
            .iter()
            .map(|mapped| mapped.due)
            .chain(self.outside.front().map(|coming| coming.at))
            .min()
            .unwrap_or(u64::MAX);
    }
}
