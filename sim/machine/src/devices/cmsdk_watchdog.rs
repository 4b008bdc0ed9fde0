//! The watchdog of Arm's Cortex-M System Design Kit (DDI 0479, 4.5): counts down at the core's clock, interrupts at 0, and resets the chip at
//! the next 0 if nobody cleared that. Its interrupt goes to the NMI, which is not modelled: it must be left alone.

use bus::{Device, DeviceError, Effect, End, Irq, ResetCause};

use super::not_modelled;

const LOAD: u32 = 0x000;
const VALUE: u32 = 0x004;
const CTRL: u32 = 0x008;
const INTCLR: u32 = 0x00c;
const RIS: u32 = 0x010;
const MIS: u32 = 0x014;
const LOCK: u32 = 0xc00;
const UNLOCK: u32 = 0x1acc_e551;
/// PID4 to 7, PID0 to 3, CID0 to 3, from offset 0xfd0.
const ID: [u32; 12] = [0x04, 0, 0, 0, 0x24, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

const ON: u32 = 1 << 0;
const RESETS: u32 = 1 << 1;

/// The watchdog.
#[derive(Clone)]
pub(crate) struct CmsdkWatchdog {
    irq: Option<Irq>,
    load: u32,
    control: u32,
    /// The core cycle in which it was loaded, while it runs.
    from: u64,
    raised: bool,
    locked: bool,
    bites: bool,
}

impl CmsdkWatchdog {
    pub(crate) fn new(irq: Option<Irq>) -> CmsdkWatchdog {
        CmsdkWatchdog {
            irq,
            load: u32::MAX,
            control: 0,
            from: 0,
            raised: false,
            locked: false,
            bites: false,
        }
    }

    fn due(&self) -> u64 {
        if self.control & ON == 0 {
            u64::MAX
        } else {
            self.from + u64::from(self.load)
        }
    }

    /// Its enable is the interrupt's too.
    fn interrupts(&self) -> bool {
        self.raised && self.control & ON != 0
    }

    fn catch_up(&mut self, now: u64) {
        while self.due() <= now && self.control & ON != 0 {
            self.bites |= self.raised && self.control & RESETS != 0;
            if self.raised {
                self.from = now;
                return;
            }
            self.raised = true;
            self.from = self.due() + 1;
        }
    }
}

impl Device for CmsdkWatchdog {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            LOAD => Ok(self.load),
            VALUE if self.control & ON == 0 => Ok(self.load),
            VALUE => Ok(self.due().saturating_sub(now) as u32),
            CTRL => Ok(self.control),
            INTCLR => Ok(0),
            RIS => Ok(self.raised.into()),
            MIS => Ok(self.interrupts().into()),
            LOCK => Ok(self.locked.into()),
            register @ 0xfd0..=0xffc => Ok(ID[(register - 0xfd0) as usize / 4]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            LOCK => self.locked = value != UNLOCK,
            LOAD | CTRL | INTCLR if self.locked => {}
            LOAD => (self.load, self.from) = (value, now),
            CTRL => {
                if value & !self.control & ON != 0 {
                    self.from = now;
                }
                self.control = value & 3;
            }
            INTCLR => (self.raised, self.from) = (false, now),
            VALUE | RIS | MIS => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.bites { 0 } else { self.due() }
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(irq) = self.irq {
            line(irq, self.interrupts());
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        if bites {
            self.control &= !ON;
        }
        bites.then_some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_zero_resets_unless_the_first_was_cleared() {
        let mut watchdog = CmsdkWatchdog::new(None);
        watchdog.write(LOAD, 4, 100, 0).unwrap();
        watchdog.write(CTRL, 4, ON | RESETS, 0).unwrap();
        assert_eq!(
            (watchdog.read(RIS, 4, 99), watchdog.read(RIS, 4, 100)),
            (Ok(0), Ok(1))
        );
        watchdog.write(INTCLR, 4, 1, 150).unwrap();
        watchdog.poll(250, &mut |_, _| {});
        assert_eq!(watchdog.take_effect(), None);
        watchdog.poll(400, &mut |_, _| {});
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::Watchdog)))
        );
        watchdog.write(LOCK, 4, 0, 400).unwrap();
        watchdog.write(LOAD, 4, 7, 400).unwrap();
        assert_eq!(watchdog.read(LOAD, 4, 400), Ok(100), "locked");
    }

    #[test]
    fn turned_off_it_interrupts_no_more() {
        let mut watchdog = CmsdkWatchdog::new(Some(Irq::External(1)));
        watchdog.write(LOAD, 4, 100, 0).unwrap();
        watchdog.write(CTRL, 4, ON, 0).unwrap();
        let mut high = false;
        watchdog.poll(100, &mut |_, level| high = level);
        assert!(high);
        watchdog.write(CTRL, 4, 0, 110).unwrap();
        watchdog.poll(110, &mut |_, level| high = level);
        let registers = [RIS, MIS].map(|register| watchdog.read(register, 4, 110).unwrap());
        assert_eq!((high, registers), (false, [1, 0]));
    }
}
