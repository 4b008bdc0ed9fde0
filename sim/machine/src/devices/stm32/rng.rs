//! ST's generator of random numbers (RM0090 chapter 24, RM0394 24, RM0440 26): a number every 40 cycles of its clock. Its numbers are
//! the same in every run, and it has no faults of seed or clock.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::words::Xorshift;
use crate::devices::{Around, Settings, Ticks, not_modelled};

const CR: u32 = 0x00;
const SR: u32 = 0x04;
const DR: u32 = 0x08;
const HTCR: u32 = 0x10;

const ON: u32 = 1 << 2;
const INTERRUPTS: u32 = 1 << 3;
/// Of its clock, from one number to the next (RM0090 24.3).
const BETWEEN: u64 = 40;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RngSettings {
    /// The clock that it works in.
    clock: Option<String>,
}

impl Settings for RngSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        Ok(Box::new(Rng {
            irq: around.irq,
            ticks: Ticks::of(clock),
            control: 0,
            test: 0,
            numbers: Xorshift::default(),
        }))
    }
}

/// The generator.
#[derive(Clone)]
pub(crate) struct Rng {
    irq: Option<Irq>,
    /// Since it was turned on, or the last number was read.
    ticks: Ticks,
    control: u32,
    test: u32,
    numbers: Xorshift,
}

impl Rng {
    fn due(&self) -> u64 {
        if self.control & ON == 0 {
            return u64::MAX;
        }
        self.ticks.cycle_of(BETWEEN)
    }
}

impl Device for Rng {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            CR => Ok(self.control),
            SR => Ok((self.due() <= now).into()),
            DR if self.due() <= now => {
                self.ticks.restart(now);
                Ok(self.numbers.next())
            }
            DR => Ok(0),
            HTCR => Ok(self.test),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            CR => {
                if value & !self.control & ON != 0 {
                    self.ticks.restart(now);
                }
                self.control = value;
            }
            SR => {}
            HTCR => self.test = value,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.control & INTERRUPTS == 0 {
            u64::MAX
        } else {
            self.due()
        }
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(irq) = self.irq {
            line(irq, self.control & INTERRUPTS != 0 && self.due() <= now);
        }
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.ticks.hear(effect);
            self.ticks.restart(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    #[test]
    fn a_number_takes_its_time() {
        let mut rng = Rng {
            irq: None,
            ticks: Ticks::of(ClockId(1)),
            control: 0,
            test: 0,
            numbers: Xorshift::default(),
        };
        rng.hear(Effect::Clock(ClockId::CORE, 96_000_000), 0).unwrap();
        rng.hear(Effect::Clock(ClockId(1), 48_000_000), 0).unwrap();
        rng.write(CR, 4, ON, 100).unwrap();
        assert_eq!((rng.read(SR, 4, 179), rng.read(SR, 4, 180)), (Ok(0), Ok(1)));
        let first = rng.read(DR, 4, 180).unwrap();
        assert_eq!(rng.read(SR, 4, 180), Ok(0));
        assert_ne!(rng.read(DR, 4, 260), Ok(first));
    }
}
