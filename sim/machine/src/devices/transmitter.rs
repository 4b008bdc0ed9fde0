//! The sending half of a UART: a shift register, and the bytes that wait for it.
//!
//! The outside world gets a byte when it is sure that it will be sent, so that a program that ends itself need not wait for its
//! last ones.

use std::collections::VecDeque;

use bus::Effect;

use super::Ticks;

/// Bytes on their way out.
#[derive(Clone)]
pub(crate) struct Transmitter {
    ticks: Ticks,
    on: bool,
    waiting: VecDeque<u8>,
    /// How many of those bytes, at the end, came while it was off.
    held: usize,
    /// Core cycle in which the shift register is empty again.
    busy_until: Option<u64>,
    sent: Vec<u8>,
}

impl Transmitter {
    /// An enabled transmitter. Its methods take the frame's length in these ticks.
    pub(crate) fn new(ticks: Ticks) -> Self {
        Transmitter {
            ticks,
            on: true,
            waiting: VecDeque::new(),
            held: 0,
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

    /// Turns it on or off. While it is off, bytes wait.
    pub(crate) fn turn(&mut self, on: bool) {
        self.on = on;
        if on {
            let first = self.waiting.len() - std::mem::take(&mut self.held);
            self.sent.extend(self.waiting.range(first..));
        }
    }

    /// Puts a byte behind those that wait.
    pub(crate) fn push(&mut self, byte: u8) {
        self.waiting.push_back(byte);
        if self.on {
            self.sent.push(byte);
        } else {
            self.held += 1;
        }
    }

    /// A byte goes out at once.
    pub(crate) fn send(&mut self, byte: u8) {
        self.sent.push(byte);
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
        if self.on && !self.is_busy() && self.waiting.pop_front().is_some() {
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
