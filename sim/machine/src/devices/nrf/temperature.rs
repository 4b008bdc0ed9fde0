//! TEMP: the temperature of the die in quarters of a degree, 36 microseconds after the program asks for it. A stimulus sets it (`TEMP.0@0=100`);
//! without one it is 25 degrees.

use bus::{Device, DeviceError, Incoming};

use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, about};
use crate::devices::{Around, Ticks, not_modelled};

about! { Temperature, B,
    "nRF52840 PS, TEMP",
    "the temperature of the die 36 µs after it was asked for: that of a stimulus (`TEMP.0@0=100`, in quarters of a degree), else 25 degrees",
    ""
}

framed! { Temperature frame;
    TEMP        = 0x508;
    // Of its pieces, which changes nothing here.
    CALIBRATION = 0x520 .times(21, 4).write(!0);
}

const START: u32 = 0;
const STOP: u32 = 1;
const DATARDY: u32 = 0;
/// "Temperature measurement time", in microseconds.
const TIME: u64 = 36;

/// The sensor.
#[derive(Clone, Default)]
pub(crate) struct Temperature {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
    quarters: u32,
    ready: Option<u64>,
}

impl Temperature {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Temperature::new(Frame::new(around.base, around.irq)))
    }

    fn new(frame: Frame) -> Temperature {
        Temperature {
            frame,
            ticks: Ticks::fixed(1_000_000),
            quarters: 100,
            ..Temperature::default()
        }
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match task {
            START => {
                self.ticks.restart(now);
                self.ready = Some(self.ticks.cycle_of(TIME));
            }
            STOP => self.ready = None,
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }
}

impl Peripheral for Temperature {
    fn advance(&mut self, now: u64) {
        if self.ready.is_some_and(|due| due <= now) {
            (self.ready, self.regs[TEMP]) = (None, self.quarters);
            self.frame.raise(DATARDY);
        }
    }

    fn due(&self) -> u64 {
        self.ready.unwrap_or(u64::MAX)
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    fn given(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        let &Incoming::Value { channel: 0, value } = input else {
            return not_modelled("channel 0 takes quarters of a degree");
        };
        self.quarters = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Effect, Irq};

    #[test]
    fn the_temperature_is_there_after_its_time() {
        let mut temp = Temperature::new(Frame::new(0x4000_c000, Some(Irq::External(12))));
        temp.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        let input = Incoming::Value {
            channel: 0,
            value: 82,
        };
        temp.stimulate(&input, 0).unwrap();
        temp.write(0x304, 4, 1, 0).unwrap();
        temp.write(0, 4, 1, 0).unwrap();
        assert_eq!((temp.next_event(), temp.read(TEMP, 4, 2303)), (2304, Ok(0)));
        let mut high = false;
        temp.poll(2304, &mut |_, level| high = level);
        assert_eq!((high, temp.read(TEMP, 4, 2304)), (true, Ok(82)));
    }

    /// A0 to A5, B0 to B5, T0 to T4: start-up code copies them from FICR (erratum 66).
    #[test]
    fn the_calibration_of_all_its_pieces_is_held() {
        let mut temp = Temperature::new(Frame::new(0x4000_c000, None));
        for register in [0x520, 0x534, 0x540, 0x554, 0x560, 0x570] {
            temp.write(register, 4, register, 0).unwrap();
            assert_eq!(temp.read(register, 4, 0), Ok(register));
        }
        assert!(temp.write(0x574, 4, 1, 0).is_err());
    }
}
