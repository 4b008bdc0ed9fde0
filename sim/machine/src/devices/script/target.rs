//! A bus target as a script: outside the chip, it answers the bus master byte by byte.

use bus::{Device, DeviceError, Effect, Given, Incoming};
use rhai::{Dynamic, INT};

use super::{Role, Script};
use crate::devices::Around;

/// On I2C.
const I2C: Role = Role {
    called: &[
        ("reset", 0),
        ("address", 1),
        ("read", 0),
        ("write", 1),
        ("wake", 0),
        ("value", 2),
        ("port", 3),
    ],
    of_chip: false,
    stretches_in: &["address", "read", "write"],
};

/// On SPI.
const SPI: Role = Role {
    called: &[
        ("reset", 0),
        ("exchange", 2),
        ("wake", 0),
        ("value", 2),
        ("port", 3),
    ],
    of_chip: false,
    stretches_in: &[],
};

/// A target that a script makes. What it does wrong stops the next access to the bus's master; what reaches every device, as wakes and the levels of
/// pins, reaches it as a device.
#[derive(Clone)]
pub(crate) struct TargetScript(Script);

impl TargetScript {
    /// Loads an I2C target from a file, by its path relative to the board file.
    pub(crate) fn on_i2c(around: &Around<'_>, file: &str) -> Result<TargetScript, String> {
        TargetScript::of(Script::beside(around, file, &I2C, None)?)
    }

    /// Loads an SPI target from a file, by its path relative to the board file.
    pub(crate) fn on_spi(around: &Around<'_>, file: &str) -> Result<TargetScript, String> {
        TargetScript::of(Script::beside(around, file, &SPI, None)?)
    }

    /// An I2C or SPI target from a text.
    #[cfg(test)]
    pub(crate) fn of_text(text: &str, is_spi: bool) -> Result<TargetScript, String> {
        let role = if is_spi { &SPI } else { &I2C };
        TargetScript::of(Script::new("a.rhai", text, role, None)?)
    }

    fn of(script: Script) -> Result<TargetScript, String> {
        if ["read", "write", "exchange"]
            .iter()
            .any(|called| script.has(called))
        {
            return Ok(TargetScript(script));
        }
        let (file, all) = (&script.program.file, script.program.role.called);
        let is_spi = all.iter().any(|(name, _)| *name == "exchange");
        let wanted = if is_spi {
            "a target on SPI has `fn exchange(frame, bits)`"
        } else {
            "a target on I2C has `fn read()` or `fn write(byte)`"
        };
        Err(format!("{file}: {wanted}"))
    }

    /// Whether it acknowledges its address, for reading or for writing; it does, if there is no `address`.
    pub(crate) fn address(&mut self, reads: bool, now: u64) -> bool {
        if !self.0.has("address") {
            return true;
        }
        let answer = self.0.tell("address", (reads,), now);
        answer.is_some_and(|answer| self.acknowledges("address", &answer, now))
    }

    /// The byte that it sends; ones, if there is no `read`.
    pub(crate) fn read(&mut self, now: u64) -> u8 {
        if !self.0.has("read") {
            return 0xff;
        }
        let answer = self.0.tell("read", (), now);
        answer.map_or(0xff, |answer| match answer.as_int().map(u8::try_from) {
            Ok(Ok(byte)) => byte,
            _ => self.wrong("read", "no byte", &answer, now),
        })
    }

    /// A byte comes: whether it acknowledges it, which it does unless `write` returns `false`.
    pub(crate) fn write(&mut self, byte: u8, now: u64) -> bool {
        let answer = self.0.tell("write", (INT::from(byte),), now);
        answer.is_none_or(|answer| answer.is_unit() || self.acknowledges("write", &answer, now))
    }

    fn acknowledges(&mut self, function: &str, answer: &Dynamic, now: u64) -> bool {
        let wrong = |_| self.wrong(function, "neither true nor false", answer, now);
        answer.as_bool().unwrap_or_else(wrong)
    }

    /// Core cycles for which it holds the clock of its bus behind what it was asked last.
    pub(crate) fn stretches(&mut self) -> u64 {
        std::mem::take(&mut self.0.stretch)
    }

    /// A frame of so many bits comes, and another one goes.
    pub(crate) fn exchange(&mut self, frame: u16, bits: u32, now: u64) -> u16 {
        let answer = self.0.tell("exchange", (INT::from(frame), INT::from(bits)), now);
        answer.map_or(u16::MAX, |answer| match answer.as_int().map(u16::try_from) {
            Ok(Ok(frame)) if u32::from(frame) >> bits == 0 => frame,
            _ => self.wrong("exchange", &format!("no frame of {bits} bits"), &answer, now),
        })
    }

    /// Changes the value that it measures, or another that its script defines.
    pub(crate) fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.0.stimulate(input, now)
    }

    fn wrong<T: Default>(&mut self, function: &str, what: &str, answer: &Dynamic, now: u64) -> T {
        let answer = answer
            .as_int()
            .map_or_else(str::to_owned, |number| number.to_string());
        let message = self.0.mistake(function, &format!("returned {what} but {answer}"));
        self.0.refuse_later(DeviceError::NotModelled(message), now);
        T::default()
    }
}

/// The scripts behind a master, which hear what devices hear.
#[derive(Clone, Default)]
pub(crate) struct Scripts(Vec<TargetScript>);

impl Scripts {
    /// Adds one; its place.
    pub(crate) fn add(&mut self, script: TargetScript) -> usize {
        self.0.push(script);
        self.0.len() - 1
    }

    pub(crate) fn get(&mut self, place: usize) -> Option<&mut TargetScript> {
        self.0.get_mut(place)
    }

    /// The next core cycle in which one of them wants to be woken.
    pub(crate) fn next_event(&self) -> u64 {
        let events = self.0.iter().map(|script| script.0.next_event());
        events.min().unwrap_or(u64::MAX)
    }

    pub(crate) fn poll(&mut self, now: u64) {
        for TargetScript(script) in &mut self.0 {
            script.poll(now, &mut |_, _| {});
        }
    }

    pub(crate) fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        self.0
            .iter_mut()
            .try_for_each(|script| script.0.hear(effect, now))
    }

    pub(crate) fn gives(&self) -> bool {
        !self.0.is_empty()
    }

    pub(crate) fn take_given(&mut self) -> Option<Given> {
        self.0.iter_mut().find_map(|script| script.0.take_given())
    }

    pub(crate) fn note(&mut self) -> Option<String> {
        self.0.iter_mut().find_map(|script| script.0.note())
    }
}
