//! A peripheral whose clock may be off or whose reset may be held: it then reads as 0, ignores writes, and notes the access.
//!
//! Activity started before its clock was turned off continues: a timer does not stop. A reset restores its first state ([`first`]).

mod first;

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside, Port, Request, ResetCause};

use self::first::First;
use super::{Gate, Wires};

/// A field that disables the peripheral.
#[derive(Clone)]
pub(crate) struct Guard {
    /// The note's text, naming what the field does.
    why: String,
    /// The line that says whether it lets it work.
    number: u16,
    open: bool,
    resets: bool,
}

impl Guard {
    /// A line that holds in reset while it is low; it is high at first.
    #[cfg(test)]
    pub(crate) fn reset(number: u16) -> Guard {
        Guard {
            why: "it is held in reset".into(),
            number,
            open: true,
            resets: true,
        }
    }

    /// A field of the block `by`.
    pub(crate) fn new(by: &str, gate: &Gate<'_>, wires: &Wires) -> Guard {
        let does = if gate.resets {
            "holds it in reset"
        } else {
            "has its clock off"
        };
        Guard {
            why: format!("{by} {does} ({})", gate.field),
            number: wires.number(&gate.wire(by)),
            open: gate.open,
            resets: gate.resets,
        }
    }
}

/// Such a device.
#[derive(Clone)]
pub(crate) struct Gated {
    device: Box<dyn Device>,
    /// Its state after a reset, if something can reset it.
    first: Option<First>,
    name: String,
    guards: Vec<Guard>,
    works: bool,
    /// One access is told of, for all.
    told: bool,
    note: Option<String>,
}

impl Gated {
    /// The device behind its guards; itself, if it has none.
    pub(crate) fn over(device: Box<dyn Device>, name: &str, guards: Vec<Guard>) -> Box<dyn Device> {
        if guards.is_empty() {
            return device;
        }
        let is_reset = guards.iter().any(|guard| guard.resets);
        Box::new(Gated {
            first: is_reset.then(|| First::of(device.clone())),
            device,
            name: name.into(),
            works: guards.iter().all(|guard| guard.open),
            guards,
            told: false,
            note: None,
        })
    }

    fn tell(&mut self, offset: u32, now: u64) {
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        if let Some(guard) = self.guards.iter().find(|guard| !guard.open) {
            self.note = Some(format!(
                "{} was accessed in cycle {now} (offset {offset:#x}) while {}: it reads as 0 and takes no writes",
                self.name, guard.why
            ));
        }
    }

    /// A field has another value.
    fn turn(&mut self, index: usize, open: bool, now: u64) -> Result<(), DeviceError> {
        let was_held = self.is_held();
        self.guards[index].open = open;
        self.works = self.guards.iter().all(|guard| guard.open);
        match (was_held, self.is_held(), &mut self.first) {
            (false, true, Some(first)) => {
                self.note = self.note.take().or_else(|| self.device.note());
                first.reset(&mut self.device);
                Ok(())
            }
            (true, false, _) => self.device.leave_reset(now),
            _ => Ok(()),
        }
    }

    fn is_held(&self) -> bool {
        self.guards.iter().any(|guard| guard.resets && !guard.open)
    }
}

impl Device for Gated {
    fn takes_parts(&self) -> bool {
        self.device.takes_parts()
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        if self.works {
            return self.device.read(offset, size, now);
        }
        self.tell(offset, now);
        Ok(0)
    }

    fn peek(&mut self, offset: u32, now: u64) -> Option<u32> {
        if self.works {
            self.device.peek(offset, now)
        } else {
            Some(0)
        }
    }

    fn read_quietly(&self) -> bool {
        self.works && self.device.read_quietly()
    }

    fn is_slow(&self) -> bool {
        self.device.is_slow()
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
        if self.is_held() {
            u64::MAX
        } else {
            self.device.next_event()
        }
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        let is_held = self.is_held();
        match &mut self.first {
            Some(first) => {
                first.let_fall(line);
                if !is_held {
                    first.poll(&mut *self.device, now, line);
                }
            }
            None => self.device.poll(now, line),
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        match &mut self.first {
            Some(first) => first.take_effect(&mut *self.device),
            None => self.device.take_effect(),
        }
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Wire { number, level } = effect
            && let Some(index) = self.guards.iter().position(|guard| guard.number == number)
        {
            return self.turn(index, level, now);
        }
        if let Some(first) = &mut self.first {
            first.hear(effect, now);
        }
        self.device.hear(effect, now)
    }

    fn leave_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        self.device.leave_reset(now)
    }

    fn carry(&mut self, outside: &mut Outside) {
        self.device.carry(outside);
    }

    fn keep(&mut self, kept: &mut Outside, cause: ResetCause) {
        self.device.keep(kept, cause);
    }

    fn register_name(&self, offset: u32) -> Option<String> {
        self.device.register_name(offset)
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
        if let Some(first) = &mut self.first {
            first.stimulate(input, now);
        }
        self.device.stimulate(input, now)
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        self.device.unreceived()
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

    fn master_ports(&self) -> &'static [&'static str] {
        self.device.master_ports()
    }

    fn requested_port(&self) -> usize {
        self.device.requested_port()
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
        if let Some(first) = &mut self.first {
            first.drain_sent(sink);
        }
        self.device.drain_output(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Policy;
    use crate::devices::Open;

    fn gated(guards: &[(u16, bool, bool)]) -> Box<dyn Device> {
        let held = Box::new(Open::new(Policy::Held));
        let guard = |&(number, resets, open): &(u16, bool, bool)| Guard {
            why: "its clock is off".into(),
            number,
            open,
            resets,
        };
        Gated::over(held, "GPIOA", guards.iter().map(guard).collect())
    }

    #[test]
    fn without_its_clock_it_reads_as_0_takes_no_writes_and_says_so_once() {
        let mut gated = gated(&[(7, false, false)]);
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
        gated.hear(wire(true), 26).unwrap();
        assert_eq!(gated.read(4, 4, 27), Ok(5), "a clock that is off forgets nothing");
    }

    /// Both must let it work, and the reset alone makes it forget.
    #[test]
    fn a_clock_and_a_reset_guard_one_device() {
        let mut gated = gated(&[(7, false, true), (8, true, true)]);
        gated.write(4, 4, 5, 10).unwrap();
        let wire = |number, level| Effect::Wire { number, level };
        gated.hear(wire(7, false), 11).unwrap();
        gated.hear(wire(8, false), 12).unwrap();
        gated.hear(wire(7, true), 13).unwrap();
        gated.write(4, 4, 6, 14).unwrap();
        assert_eq!(gated.read(4, 4, 15), Ok(0), "held");
        gated.hear(wire(8, true), 16).unwrap();
        assert_eq!(gated.read(4, 4, 17), Ok(0), "what it is after a reset");
        gated.write(4, 4, 7, 18).unwrap();
        assert_eq!(gated.read(4, 4, 19), Ok(7));
    }
}
