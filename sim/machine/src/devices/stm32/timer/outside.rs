//! A timer's external inputs: edges on its channels, which it captures or counts, or which restart it.

use bus::{DeviceError, Incoming};

use super::{CCER, CCMR, CCR, CEN, COMPARE, CR1, SMCR, SR, Timer};
use crate::devices::block::Write;
use crate::devices::not_modelled;

/// SMCR.SMS: encoders, and what an edge of the trigger does.
const RESET: u32 = 4;
const START: u32 = 6;
const CLOCK: u32 = 7;
/// SMCR: the fourth bit of SMS, and the external trigger as a clock.
const OTHER_MODES: u32 = 1 << 16 | 1 << 14;

impl Timer {
    /// Whether it counts edges from outside, in place of its clock.
    pub(super) fn counts_edges(&self) -> bool {
        matches!(self.regs[SMCR] & 7, 1..=3 | CLOCK)
    }

    pub(super) fn write_slave(&mut self, Write { value, .. }: Write) -> Result<(), DeviceError> {
        if self.shape.channels == 0 {
            return not_modelled(format!("SMCR, a write of {value:#x}: a basic timer has none"));
        }
        let mode = value & 7;
        let of_channels = matches!(value >> 4 & 7, 4..=6);
        if value & OTHER_MODES != 0 || mode == 5 || mode >= RESET && !of_channels {
            return not_modelled(format!(
                "SMCR, a write of {value:#x}: another timer or a pin of its own as the trigger"
            ));
        }
        self.regs[SMCR] = value;
        Ok(())
    }

    pub(super) fn hear_outside(&mut self, input: &Incoming) -> Result<(), DeviceError> {
        let &Incoming::Pin { pin, level } = input else {
            return not_modelled("a timer takes levels for its channels");
        };
        if pin == 0 || pin > self.shape.channels {
            return not_modelled(format!(
                "a level for channel {pin}: it has {}",
                self.shape.channels
            ));
        }
        let (channel, level) = (u32::from(pin) - 1, level.unwrap_or(false));
        if (self.levels >> channel & 1 != 0) != level {
            self.levels ^= 1 << channel;
            self.edge(channel, level);
        }
        Ok(())
    }

    /// An edge on the input of this channel, from 0.
    fn edge(&mut self, input: u32, rising: bool) {
        match self.regs[SMCR] & 7 {
            mode @ 1..=3 => self.turn(mode, input, rising),
            mode @ (RESET | START | CLOCK) if self.is_trigger(input, rising) => match mode {
                RESET => self.captures_then_starts_over(input, rising),
                START => self.regs[CR1] |= CEN,
                _ => self.step_outside(false),
            },
            _ => {}
        }
        if self.regs[SMCR] & 7 != RESET || !self.is_trigger(input, rising) {
            self.capture(input, rising);
        }
    }

    /// The count is taken before the same edge clears it.
    fn captures_then_starts_over(&mut self, input: u32, rising: bool) {
        self.capture(input, rising);
        self.update();
    }

    /// Whether this edge is the trigger's, which SMCR.TS chooses.
    fn is_trigger(&self, input: u32, rising: bool) -> bool {
        match self.regs[SMCR] >> 4 & 7 {
            4 => input == 0,
            5 => input == 0 && self.takes(0, rising),
            _ => input == 1 && self.takes(1, rising),
        }
    }

    /// Whether a channel takes such edges: CCER's `CCxP` and `CCxNP`.
    fn takes(&self, channel: u32, rising: bool) -> bool {
        match self.regs[CCER] >> (4 * channel + 1) & 5 {
            0 => rising,
            1 => !rising,
            _ => true,
        }
    }

    /// Each channel that listens to this input takes the count.
    fn capture(&mut self, input: u32, rising: bool) {
        for channel in 0..u32::from(self.shape.channels) {
            let listens = match self.regs[CCMR + 4 * (channel / 2)] >> (8 * (channel % 2)) & 3 {
                1 => channel == input,
                2 => channel ^ 1 == input,
                _ => false,
            };
            let on = self.regs[CCER] >> (4 * channel) & 1 != 0;
            if listens && on && self.takes(channel, rising) {
                self.take_count(channel);
            }
        }
    }

    /// A channel captures the count.
    pub(super) fn take_count(&mut self, channel: u32) {
        // CCxOF: the one before was not read.
        self.regs[SR] |= (self.regs[SR] & COMPARE << channel) << 8;
        self.regs[CCR + 4 * channel] = self.count();
        self.raise(COMPARE << channel);
    }

    /// An encoder turned: RM0090 table 96.
    fn turn(&mut self, mode: u32, input: u32, rising: bool) {
        let inverted = self.regs[CCER] >> 1 & 1 ^ self.regs[CCER] >> 5 & 1 != 0;
        let other = self.levels >> (input ^ 1) & 1 != 0;
        if input < 2 && mode & (2 >> input) != 0 {
            let down = (rising == other) == (input == 0);
            self.step_outside(down != inverted);
        }
    }
}
