//! Registers that are there four times (RP2040 datasheet 2.1.2): as they are, and 0x1000, 0x2000 and 0x3000 above, where a write flips,
//! sets or clears the bits that are ones in it.

use super::words::part;
use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside, Request, ResetCause};

/// A device with such registers.
#[derive(Clone)]
pub(crate) struct Atomic(Box<dyn Device>);

const PLACES: u32 = 0x3000;

/// A register takes every write as one of a word, in which the core repeats bytes and half words (2.1.4).
pub(crate) fn replicated(value: u32, size: u32) -> u32 {
    match size {
        1 => (value & 0xff) * 0x0101_0101,
        2 => (value & 0xffff) * 0x0001_0001,
        _ => value,
    }
}

impl Atomic {
    pub(crate) fn over(device: Box<dyn Device>) -> Box<dyn Device> {
        Box::new(Atomic(device))
    }
}

impl Device for Atomic {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        let word = self.0.read(offset & !PLACES & !3, 4, now)?;
        Ok(part(word, offset, size))
    }

    fn peek(&mut self, offset: u32, now: u64) -> Option<u32> {
        self.0.peek(offset & !PLACES & !3, now)
    }

    fn set_name(&mut self, name: &str) {
        self.0.set_name(name);
    }

    fn is_slow(&self) -> bool {
        self.0.is_slow()
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let place = offset & !PLACES & !3;
        let value = replicated(value, size);
        // Reading for this has none of the effects of a read.
        let mut old = || match self.0.peek(place, now) {
            Some(value) => Ok(value),
            None => self.0.clone().read(place, 4, now),
        };
        let value = match offset & PLACES {
            0x1000 => old()? ^ value,
            0x2000 => old()? | value,
            0x3000 => old()? & !value,
            _ => value,
        };
        self.0.write(place, 4, value, now)
    }

    fn leave_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        self.0.leave_reset(now)
    }

    fn carry(&mut self, outside: &mut Outside) {
        self.0.carry(outside);
    }

    fn keep(&mut self, kept: &mut Outside, cause: ResetCause) {
        self.0.keep(kept, cause);
    }

    fn next_event(&self) -> u64 {
        self.0.next_event()
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.0.poll(now, line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.0.take_effect()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        self.0.hear(effect, now)
    }

    fn hear_source(&mut self, source: u16, level: bool, now: u64) {
        self.0.hear_source(source, level, now);
    }

    fn pulse_source(&mut self, source: u16, now: u64) {
        self.0.pulse_source(source, now);
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.0.stimulate(input, now)
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        self.0.unreceived()
    }

    fn request(&mut self, now: u64) -> Option<Request> {
        self.0.request(now)
    }

    fn answered(&mut self, value: Option<u32>, now: u64) {
        self.0.answered(value, now);
    }

    fn pace(&self) -> Option<u32> {
        self.0.pace()
    }

    fn master_ports(&self) -> &'static [&'static str] {
        self.0.master_ports()
    }

    fn requested_port(&self) -> usize {
        self.0.requested_port()
    }

    fn gives(&self) -> bool {
        self.0.gives()
    }

    fn take_given(&mut self) -> Option<Given> {
        self.0.take_given()
    }

    fn register_name(&self, offset: u32) -> Option<String> {
        self.0.register_name(offset & !PLACES)
    }

    fn note(&mut self) -> Option<String> {
        self.0.note()
    }

    fn is_console(&self) -> bool {
        self.0.is_console()
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        self.0.drain_output(sink);
    }
}
