//! The sending half of a UART: a shift register, and the bytes that wait for it.

use std::collections::VecDeque;

use bus::Effect;

use super::Ticks;

/// Bytes on their way out.
#[derive(Clone)]
pub(crate) struct Transmitter {
    ticks: Ticks,
    waiting: VecDeque<u8>,
    /// Core cycle in which the shift register is empty again.
    busy_until: Option<u64>,
    sent: Vec<u8>,
}

impl Transmitter {
    /// A frame is so many of these ticks as its methods are told.
    pub(crate) fn new(ticks: Ticks) -> Self {
        Transmitter {
            ticks,
            waiting: VecDeque::new(),
            busy_until: None,
            sent: Vec::new(),
        }
    }

    /// Bytes that wait for the shift register.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether a byte is in the shift register.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy_until.is_some()
    }

    /// The core cycle in which the byte under way is out; `u64::MAX` if there is none.
    pub(crate) fn due(&self) -> u64 {
        self.busy_until.unwrap_or(u64::MAX)
    }

    /// Puts a byte behind those that wait.
    pub(crate) fn push(&mut self, byte: u8) {
        self.waiting.push_back(byte);
    }

    /// Moves bytes through the shift register as far as core cycle `now`, in frames of so many ticks.
    pub(crate) fn catch_up(&mut self, now: u64, frame: u64) {
        while let Some(end) = self.busy_until
            && end <= now
        {
            self.busy_until = None;
            self.shift(end, frame);
        }
    }

    /// Puts the next byte that waits into the shift register, if that is free, in core cycle `now`.
    pub(crate) fn shift(&mut self, now: u64, frame: u64) {
        if self.is_busy() {
            return;
        }
        if let Some(byte) = self.waiting.pop_front() {
            self.sent.push(byte);
            self.ticks.restart(now);
            self.busy_until = Some(self.ticks.cycle_of(frame));
        }
    }

    /// Hears of clocks. A byte under way ends as it began; real hardware would send a wrong one.
    pub(crate) fn hear(&mut self, effect: Effect) {
        self.ticks.hear(effect);
    }

    /// Hands what was sent since the last call to `sink`.
    pub(crate) fn drain(&mut self, sink: &mut dyn FnMut(&[u8])) {
        if !self.sent.is_empty() {
            sink(&self.sent);
            self.sent.clear();
        }
    }
}
