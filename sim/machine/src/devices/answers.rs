//! Answers to an SPI master: bytes of stimuli (`SPI1@0=\x01\x02`), or those of a script on the other side (`target`); ones without either.

use std::collections::VecDeque;

use bus::{DeviceError, Effect, Given, Incoming, Outside};

use super::block::Half;
use super::script::{Scripts, TargetScript};
use super::{Around, not_modelled};

/// The other side of a SPI.
#[derive(Clone, Default)]
pub(crate) struct Answers {
    bytes: VecDeque<u8>,
    /// A frame was exchanged, at some time.
    asked: bool,
    /// One at the most.
    scripts: Scripts,
    /// Bytes received and not yet passed on.
    sent: Vec<u8>,
}

impl Answers {
    /// The script by its path from the board file, if there is one.
    pub(crate) fn new(script: Option<&String>, around: &Around<'_>) -> Result<Answers, String> {
        let mut answers = Answers::default();
        if let Some(file) = script {
            answers.scripts.add(TargetScript::on_spi(around, file)?);
        }
        Ok(answers)
    }

    /// A frame of so many bits is sent.
    pub(crate) fn log(&mut self, frame: u16, bits: u32) {
        self.sent.extend(&frame.to_le_bytes()[..=usize::from(bits > 8)]);
    }

    /// The answer to a frame of `bits` bits, lower byte first where bytes make it up.
    pub(crate) fn exchange(&mut self, frame: u16, bits: u32, now: u64) -> u16 {
        self.asked = true;
        if let Some(script) = self.scripts.get(0) {
            return script.exchange(frame, bits, now);
        }
        let mut byte = || self.bytes.pop_front().unwrap_or(0xff);
        if bits > 8 {
            u16::from_le_bytes([byte(), byte()])
        } else {
            byte().into()
        }
    }
}

impl Half for Answers {
    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        match (input, self.scripts.get(0)) {
            (Incoming::Value { .. }, Some(script)) => return script.stimulate(input, now),
            (Incoming::Bytes(bytes) | Incoming::Waiting(bytes), None) => self.bytes.extend(bytes),
            (_, None) => return not_modelled("it takes the bytes that come back"),
            (_, Some(_)) => return not_modelled("its script answers, which takes values"),
        }
        Ok(())
    }

    /// How many bytes came for nothing, and why.
    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        let count = self.bytes.len();
        let never = !self.asked && count > 0;
        never
            .then_some((count, "no frame was ever exchanged"))
            .into_iter()
            .collect()
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

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        if !self.sent.is_empty() {
            sink(&self.sent);
            self.sent.clear();
        }
    }

    fn carry(&mut self, outside: &mut Outside) {
        outside.carry(self);
    }
}

#[cfg(test)]
impl Answers {
    /// The answers of a script.
    pub(crate) fn of(script: TargetScript) -> Answers {
        let mut answers = Answers::default();
        answers.scripts.add(script);
        answers
    }
}
