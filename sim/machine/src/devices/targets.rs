//! The devices on an I2C bus that the board file lists (`targets`), each with its address.
//!
//! One is a memory of 256 bytes with a pointer that the first byte of a write sets, as the registers of most sensors are, or a script. Bytes that stimuli
//! give are read before those of memories. A script can refuse a byte, and hold the clock: the byte ends that much later for the master.

use std::collections::VecDeque;

use bus::{DeviceError, Effect, Given, Incoming, Outside};
use serde::Deserialize;

use super::block::Half;
use super::script::{Scripts, TargetScript};
use super::{Around, not_modelled};

/// The board file's entry for a target.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a target is an address, or `{ address = 0x48, script = \"FILE\" }`"
)]
pub(crate) enum TargetSettings {
    Memory(u8),
    Script(ScriptSettings),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptSettings {
    address: u8,
    /// The file, by its path from the board file.
    script: String,
}

/// The result of a byte on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// Whether somebody acknowledged the address.
    Addressed(bool),
    /// Whether the target acknowledged what was written.
    Written(bool),
    /// The byte that the target sent.
    Read(u8),
}

/// The targets on a bus.
#[derive(Clone, Default)]
pub(crate) struct Targets {
    all: Vec<Target>,
    scripts: Scripts,
    /// Bytes of stimuli, to be read.
    answers: VecDeque<u8>,
    /// A memory was read, at some time.
    was_read: bool,
    addressed: Option<usize>,
    /// The next byte that is written is the pointer.
    sets_pointer: bool,
}

#[derive(Clone)]
struct Target {
    address: u8,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Memory {
        bytes: Box<[u8; 256]>,
        pointer: u8,
    },
    /// The index of a script.
    Script(usize),
}

/// The addressed target: a memory with its pointer, or a script.
enum Asked<'a> {
    Memory(&'a mut [u8; 256], &'a mut u8),
    Script(&'a mut TargetScript),
}

impl Targets {
    pub(crate) fn new(settings: &[TargetSettings], around: &Around<'_>) -> Result<Targets, String> {
        let mut targets = Targets::default();
        for setting in settings {
            match setting {
                TargetSettings::Memory(address) => targets.add_memory(*address)?,
                TargetSettings::Script(ScriptSettings { address, script }) => {
                    let script = TargetScript::on_i2c(around, script)?;
                    targets.add_script(*address, script)?;
                }
            }
        }
        Ok(targets)
    }

    fn add_memory(&mut self, address: u8) -> Result<(), String> {
        let memory = Kind::Memory {
            bytes: Box::new([0; 256]),
            pointer: 0,
        };
        self.add(address, memory)
    }

    fn add_script(&mut self, address: u8, script: TargetScript) -> Result<(), String> {
        let place = self.scripts.add(script);
        self.add(address, Kind::Script(place))
    }

    fn add(&mut self, address: u8, kind: Kind) -> Result<(), String> {
        if address > 0x7f {
            return Err("`targets` are addresses of seven bits".into());
        }
        if self.all.iter().any(|target| target.address == address) {
            return Err(format!("two of the `targets` have the address {address:#x}"));
        }
        self.all.push(Target { address, kind });
        Ok(())
    }

    /// Whether somebody acknowledges this address, for reading or for writing; and the cycle until which the target holds the clock.
    pub(crate) fn address(&mut self, address: u8, reads: bool, now: u64) -> (Answer, u64) {
        self.addressed = self.all.iter().position(|target| target.address == address);
        self.sets_pointer = true;
        let acknowledges = match self.asked() {
            None => false,
            Some(Asked::Memory(..)) => true,
            Some(Asked::Script(script)) => script.address(reads, now),
        };
        let until = self.held(now);
        self.addressed = self.addressed.filter(|_| acknowledges);
        (Answer::Addressed(acknowledges), until)
    }

    /// A byte for who was addressed, likewise.
    pub(crate) fn write(&mut self, byte: u8, now: u64) -> (Answer, u64) {
        let sets_pointer = std::mem::take(&mut self.sets_pointer);
        let acknowledges = match self.asked() {
            None => false,
            Some(Asked::Script(script)) => script.write(byte, now),
            Some(Asked::Memory(_, pointer)) if sets_pointer => {
                *pointer = byte;
                true
            }
            Some(Asked::Memory(bytes, pointer)) => {
                bytes[usize::from(*pointer)] = byte;
                *pointer = pointer.wrapping_add(1);
                true
            }
        };
        (Answer::Written(acknowledges), self.held(now))
    }

    /// A byte from who was addressed, likewise.
    pub(crate) fn read(&mut self, now: u64) -> (Answer, u64) {
        let is_memory = matches!(self.asked(), Some(Asked::Memory(..)));
        self.was_read |= is_memory;
        if let Some(byte) = is_memory.then(|| self.answers.pop_front()).flatten() {
            return (Answer::Read(byte), now);
        }
        let byte = match self.asked() {
            None => 0xff,
            Some(Asked::Script(script)) => script.read(now),
            Some(Asked::Memory(bytes, pointer)) => {
                let byte = bytes[usize::from(*pointer)];
                *pointer = pointer.wrapping_add(1);
                byte
            }
        };
        (Answer::Read(byte), self.held(now))
    }

    /// The addressed target.
    fn asked(&mut self) -> Option<Asked<'_>> {
        match &mut self.all[self.addressed?].kind {
            Kind::Memory { bytes, pointer } => Some(Asked::Memory(bytes, pointer)),
            Kind::Script(place) => self.scripts.get(*place).map(Asked::Script),
        }
    }

    /// The cycle until which who was addressed holds the clock, behind what it was asked now.
    fn held(&mut self, now: u64) -> u64 {
        match self.asked() {
            Some(Asked::Script(script)) => now.saturating_add(script.stretches()),
            _ => now,
        }
    }
}

impl Half for Targets {
    /// Bytes are read next from a memory; a value, whose channel is an address, is told to the script there.
    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        match input {
            Incoming::Bytes(bytes) | Incoming::Waiting(bytes) => self.answers.extend(bytes),
            Incoming::Value { channel, .. } => {
                let mut all = self.all.iter();
                let place = all.find_map(|target| match target.kind {
                    Kind::Script(place) if target.address == *channel => Some(place),
                    _ => None,
                });
                let Some(script) = place.and_then(|place| self.scripts.get(place)) else {
                    return not_modelled(format!("there is no script at the address {channel:#x}"));
                };
                return script.stimulate(input, now);
            }
            Incoming::Pin { .. } => {
                return not_modelled(
                    "it takes the bytes that are read next, and values for a script at an address",
                );
            }
        }
        Ok(())
    }

    /// How many bytes came for nothing, and why.
    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        if self.was_read || self.answers.is_empty() {
            return Vec::new();
        }
        let mut all = self.all.iter();
        let why = if all.any(|target| matches!(target.kind, Kind::Memory { .. })) {
            "none of the `targets` on its bus was ever read"
        } else {
            "no memory that would send them is among the `targets` on its bus"
        };
        vec![(self.answers.len(), why)]
    }

    fn due(&self) -> u64 {
        self.scripts.next_event()
    }

    fn poll(&mut self, now: u64) {
        self.scripts.poll(now);
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        self.scripts.hear(effect, now)
    }

    fn gives(&self) -> bool {
        self.scripts.gives()
    }

    fn take_given(&mut self) -> Option<Given> {
        self.scripts.take_given()
    }

    fn note(&mut self) -> Option<String> {
        self.scripts.note()
    }

    fn carry(&mut self, outside: &mut Outside) {
        outside.carry(self);
    }
}

#[cfg(test)]
impl Targets {
    /// A memory at 0x50.
    pub(crate) fn memory() -> Targets {
        let mut targets = Targets::default();
        targets.add_memory(0x50).unwrap();
        targets
    }
}

#[cfg(test)]
mod tests;
