//! A switch that bounces, read by a timer's ticks: what its tests try alone, and on the chip's model.

#![no_std]
#![cfg_attr(test, no_main)]

/// A switch is on or off once it has been so for this many readings.
pub const STEADY: u8 = 4;

/// The state of a switch, without its bounces.
#[derive(Default)]
pub struct Debounced {
    on: bool,
    different: u8,
}

impl Debounced {
    /// Takes a reading in, and says what the switch is now.
    pub fn read(&mut self, on: bool) -> bool {
        self.different = if on == self.on { 0 } else { self.different + 1 };
        if self.different == STEADY {
            self.on = on;
            self.different = 0;
        }
        self.on
    }
}

#[cfg(test)]
#[embedded_test::tests]
mod tests {
    use cortex_m_rt as _;

    use super::{Debounced, STEADY};

    #[test]
    fn a_bounce_changes_nothing() {
        let mut switch = Debounced::default();
        for on in [true, false, true, true, true, false] {
            assert!(!switch.read(on));
        }
    }

    #[test]
    fn what_stays_is_so() {
        let mut switch = Debounced::default();
        let readings = (0..STEADY).map(|_| switch.read(true)).filter(|on| *on);
        assert_eq!(readings.count(), 1);
    }
}
