//! ST's random number generator (RM0090 chapter 24, RM0394 24, RM0440 26): a number every 40 cycles of its clock, the same in every run. Its seed
//! and its clock never fail.

use bus::{Device, Irq};
use serde::Deserialize;

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers, tell};
use crate::devices::words::Xorshift;
use crate::devices::{Around, Settings, Ticks};

about! { Rng by RngSettings, B,
    "RM0090 24; RM0394 24; RM0440 26",
    "a number every 40 cycles of its clock, the same in every run",
    "faults of seed and clock"
}

registers! { Rng;
    CR   = 0x00 .write(!0).then(Rng::control);
    SR   = 0x04 .shows(|rng, at| (rng.ready() <= at.now).into()).drops();
    DR   = 0x08 .shows(|rng, at| if rng.ready() <= at.now { rng.numbers.peek() } else { 0 }).taken(Rng::taken);
    HTCR = 0x10 .write(!0);
}

const ON: u32 = 1 << 2;
const INTERRUPTS: u32 = 1 << 3;
/// Cycles of its clock between two numbers (RM0090 24.3).
const BETWEEN: u64 = 40;

/// The keys of its board file entry.
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
            ..Rng::default()
        }))
    }
}

/// The generator.
#[derive(Clone, Default)]
pub(crate) struct Rng {
    regs: Regs<Self>,
    irq: Option<Irq>,
    /// Since it was turned on, or the last number was read.
    ticks: Ticks,
    numbers: Xorshift,
}

impl Rng {
    fn ready(&self) -> u64 {
        if self.regs[CR] & ON == 0 {
            return u64::MAX;
        }
        self.ticks.cycle_of(BETWEEN)
    }

    fn control(&mut self, write: Write) {
        if write.value & !write.old & ON != 0 {
            self.ticks.restart(write.now);
        }
    }

    fn taken(&mut self, at: At) {
        if self.ready() <= at.now {
            self.ticks.restart(at.now);
            self.numbers.step();
        }
    }
}

impl Peripheral for Rng {
    const RESTARTS: bool = true;

    fn due(&self) -> u64 {
        if self.regs[CR] & INTERRUPTS == 0 {
            u64::MAX
        } else {
            self.ready()
        }
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(
            self.irq,
            self.regs[CR] & INTERRUPTS != 0 && self.ready() <= now,
            line,
        );
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Effect};

    #[test]
    fn a_number_takes_its_time() {
        let mut rng = Rng {
            irq: None,
            ticks: Ticks::of(ClockId(1)),
            ..Rng::default()
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
