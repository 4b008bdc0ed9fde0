//! A peripheral whose clock can be off, or which can be held in reset: it then reads as 0 and takes no writes, and the access is told of.
//!
//! What it did before goes on: a timer whose clock is turned off does not stop.

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Port, Request};

/// Such a device.
#[derive(Clone)]
pub(crate) struct Gated {
    device: Box<dyn Device>,
    name: String,
    /// What keeps it from working, in words.
    why: String,
    /// The line that says whether it works.
    number: u16,
    works: bool,
    /// One access is told of, for all.
    told: bool,
    note: Option<String>,
}

impl Gated {
    pub(crate) fn over(
        device: Box<dyn Device>,
        name: &str,
        why: String,
        number: u16,
        works: bool,
    ) -> Box<dyn Device> {
        Box::new(Gated {
            device,
            name: name.into(),
            why,
            number,
            works,
            told: false,
            note: None,
        })
    }

    fn tell(&mut self, offset: u32, now: u64) {
        if !std::mem::replace(&mut self.told, true) {
            self.note = Some(format!(
                "{} was accessed in cycle {now} (offset {offset:#x}) while {}: it reads as 0 and takes no writes",
                self.name, self.why
            ));
        }
    }
}

impl Device for Gated {
    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        if self.works {
            return self.device.read(offset, size, now);
        }
        self.tell(offset, now);
        Ok(0)
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        if self.works {
            return self.device.write(offset, size, value, now);
        }
        self.tell(offset, now);
        Ok(())
    }

    fn note(&mut self) -> Option<String> {
        self.note.take().or_else(|| self.device.note())
    }

    fn next_event(&self) -> u64 {
        self.device.next_event()
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.device.poll(now, line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.device.take_effect()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        match effect {
            Effect::Wire { number, level } if number == self.number => {
                self.works = level;
                Ok(())
            }
            _ => self.device.hear(effect, now),
        }
    }

    fn port(&self) -> Option<Port> {
        self.device.port()
    }

    fn hear_source(&mut self, source: u16, level: bool, now: u64) {
        self.device.hear_source(source, level, now);
    }

    fn pulse_source(&mut self, source: u16, now: u64) {
        self.device.pulse_source(source, now);
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.device.stimulate(input, now)
    }

    fn request(&mut self, now: u64) -> Option<Request> {
        self.device.request(now)
    }

    fn answered(&mut self, value: Option<u32>, now: u64) {
        self.device.answered(value, now);
    }

    fn pace(&self) -> Option<u32> {
        self.device.pace()
    }

    fn gives(&self) -> bool {
        self.device.gives()
    }

    fn take_given(&mut self) -> Option<Given> {
        self.device.take_given()
    }

    fn is_console(&self) -> bool {
        self.device.is_console()
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        self.device.drain_output(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Policy;
    use crate::devices::Open;

    #[test]
    fn without_its_clock_it_reads_as_0_takes_no_writes_and_says_so_once() {
        let held = Box::new(Open::new(Policy::Held));
        let mut gated = Gated::over(held, "GPIOA", "its clock is off".into(), 7, false);
        gated.write(4, 4, 5, 10).unwrap();
        assert_eq!(gated.read(4, 4, 12), Ok(0));
        let note = gated.note().unwrap();
        assert!(
            note.starts_with("GPIOA was accessed in cycle 10 (offset 0x4) while its clock is off"),
            "{note}"
        );
        assert_eq!(gated.note(), None);
        let wire = |level| Effect::Wire { number: 7, level };
        gated.hear(wire(true), 20).unwrap();
        assert_eq!(gated.read(4, 4, 21), Ok(0), "the write was lost");
        gated.write(4, 4, 5, 22).unwrap();
        assert_eq!(gated.read(4, 4, 23), Ok(5));
        gated.hear(wire(false), 24).unwrap();
        assert_eq!((gated.read(4, 4, 25), gated.note()), (Ok(0), None));
    }
}
