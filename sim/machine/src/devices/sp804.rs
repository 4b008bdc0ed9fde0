//! Arm's dual timer (SP804, and that of the Cortex-M System Design Kit: DDI 0479, 4.3): two counters of 16 or 32 bits that count down at the
//! core's clock, divided by 1, 16 or 256. The integration test registers are not modelled.

use bus::{Device, DeviceError, Irq};

use super::not_modelled;

const LOAD: u32 = 0x00;
const VALUE: u32 = 0x04;
const CONTROL: u32 = 0x08;
const INTCLR: u32 = 0x0c;
const RIS: u32 = 0x10;
const MIS: u32 = 0x14;
const BGLOAD: u32 = 0x18;
/// From one counter to the other.
const SECOND: u32 = 0x20;
/// PID4 to 7, PID0 to 3, CID0 to 3, from offset 0xfd0.
const ID: [u32; 12] = [0x04, 0, 0, 0, 0x23, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

const ONE_SHOT: u32 = 1 << 0;
const WIDE: u32 = 1 << 1;
const INTERRUPTS: u32 = 1 << 5;
const PERIODIC: u32 = 1 << 6;
const ON: u32 = 1 << 7;

#[derive(Clone)]
struct Counter {
    control: u32,
    reload: u32,
    value: u32,
    /// The core cycle in which it had this value.
    at: u64,
    raised: bool,
}

impl Counter {
    fn new() -> Counter {
        Counter {
            control: INTERRUPTS,
            reload: 0,
            value: u32::MAX,
            at: 0,
            raised: false,
        }
    }

    fn divider(&self) -> u64 {
        [1, 16, 256, 256][(self.control >> 2 & 3) as usize]
    }

    fn mask(&self) -> u32 {
        if self.control & WIDE == 0 {
            0xffff
        } else {
            u32::MAX
        }
    }

    /// Steps of a round behind 0.
    fn round(&self) -> u64 {
        let top = if self.control & PERIODIC == 0 {
            self.mask()
        } else {
            self.reload & self.mask()
        };
        u64::from(top) + 1
    }

    fn runs(&self) -> bool {
        self.control & ON != 0 && !(self.control & ONE_SHOT != 0 && self.value & self.mask() == 0)
    }

    /// Steps until it is 0 the next time.
    fn to_zero(&self) -> u64 {
        match u64::from(self.value & self.mask()) {
            0 => self.round(),
            value => value,
        }
    }

    fn catch_up(&mut self, now: u64) {
        let steps = now.saturating_sub(self.at) / self.divider();
        if !self.runs() {
            self.at = self.at.max(now);
            return;
        }
        self.at += steps * self.divider();
        let first = self.to_zero();
        let Some(behind) = steps.checked_sub(first) else {
            let place = if self.value & self.mask() == 0 && steps > 0 {
                first
            } else {
                u64::from(self.value & self.mask())
            };
            self.value = (place - steps) as u32;
            return;
        };
        self.raised = true;
        let place = behind % self.round();
        self.value = match place {
            _ if self.control & ONE_SHOT != 0 => 0,
            0 => 0,
            place => (self.round() - place) as u32,
        };
    }

    fn due(&self) -> u64 {
        let waits = self.runs() && self.control & INTERRUPTS != 0 && !self.raised;
        if waits {
            self.at + self.to_zero() * self.divider()
        } else {
            u64::MAX
        }
    }

    fn pending(&self) -> bool {
        self.raised && self.control & INTERRUPTS != 0
    }

    fn read(&self, register: u32) -> Option<u32> {
        Some(match register {
            LOAD | BGLOAD => self.reload,
            VALUE => self.value & self.mask(),
            CONTROL => self.control,
            INTCLR => 0,
            RIS => self.raised.into(),
            MIS => self.pending().into(),
            _ => return None,
        })
    }

    fn write(&mut self, register: u32, value: u32, now: u64) -> Option<()> {
        match register {
            LOAD => {
                (self.reload, self.value) = (value, value);
                self.at = now;
            }
            BGLOAD => self.reload = value,
            CONTROL => {
                if value & !self.control & ON != 0 {
                    self.at = now;
                }
                self.control = value & 0xef;
            }
            INTCLR => self.raised = false,
            VALUE | RIS | MIS => {}
            _ => return None,
        }
        Some(())
    }
}

/// Both counters.
#[derive(Clone)]
pub(crate) struct DualTimer {
    irq: Option<Irq>,
    counters: [Counter; 2],
}

impl DualTimer {
    pub(crate) fn new(irq: Option<Irq>) -> DualTimer {
        DualTimer {
            irq,
            counters: [Counter::new(), Counter::new()],
        }
    }
}

impl Device for DualTimer {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        if let 0xfd0..=0xffc = register {
            return Ok(ID[(register - 0xfd0) as usize / 4]);
        }
        let answer = self
            .counters
            .get_mut((register / SECOND) as usize)
            .and_then(|counter| {
                counter.catch_up(now);
                counter.read(register % SECOND)
            });
        answer.map_or_else(|| not_modelled(format!("a read of offset {register:#x}")), Ok)
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let register = offset & !3;
        let counter = self.counters.get_mut((register / SECOND) as usize);
        let done = counter.and_then(|counter| {
            counter.catch_up(now);
            counter.write(register % SECOND, value, now)
        });
        done.map_or_else(
            || not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            Ok,
        )
    }

    fn next_event(&self) -> u64 {
        if self.irq.is_none() {
            return u64::MAX;
        }
        self.counters[0].due().min(self.counters[1].due())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for counter in &mut self.counters {
            counter.catch_up(now);
        }
        if let Some(irq) = self.irq {
            line(irq, self.counters.iter().any(Counter::pending));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_as_step_by_step() {
        for control in [ON | INTERRUPTS | PERIODIC | WIDE, ON | PERIODIC | WIDE | 1 << 2] {
            let start = || {
                let mut timer = DualTimer::new(Some(Irq::External(10)));
                timer.write(SECOND + LOAD, 4, 3, 0).unwrap();
                timer.write(SECOND + CONTROL, 4, control, 0).unwrap();
                timer
            };
            let mut often = start();
            for now in 0..300 {
                let value = often.read(SECOND + VALUE, 4, now);
                let mut once = start();
                assert_eq!(once.read(SECOND + VALUE, 4, now), value, "{now}");
                assert_eq!(once.read(SECOND + RIS, 4, now), often.read(SECOND + RIS, 4, now));
            }
        }
    }

    #[test]
    fn either_counter_interrupts_and_one_shot_stays_at_zero() {
        let mut timer = DualTimer::new(Some(Irq::External(10)));
        timer.write(LOAD, 4, 50, 0).unwrap();
        timer
            .write(CONTROL, 4, ON | INTERRUPTS | ONE_SHOT | WIDE, 0)
            .unwrap();
        assert_eq!(timer.next_event(), 50);
        let mut high = false;
        timer.poll(50, &mut |_, level| high = level);
        assert!(high);
        timer.write(INTCLR, 4, 1, 60).unwrap();
        assert_eq!((timer.read(VALUE, 4, 500), timer.next_event()), (Ok(0), u64::MAX));
    }
}
