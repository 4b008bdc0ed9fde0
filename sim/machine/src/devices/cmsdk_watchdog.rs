//! The watchdog of Arm's Cortex-M System Design Kit (DDI 0479, 4.5): counts down at the core's clock, interrupts at 0, and resets the chip at
//! the next 0 if nobody cleared that. Its interrupt goes to the NMI, which is not modelled: it must be left alone.

use bus::{Effect, End, Irq, ResetCause};

use super::block::{At, Peripheral, Regs, Write, about, registers, tell};
use super::words::cmsdk_id;

about! { CmsdkWatchdog, B,
    "DDI 0479, 4.5",
    "counts, locks; resets the chip",
    "its interrupt, which is the NMI"
}

registers! { CmsdkWatchdog;
    LOAD   = 0x000 .shows(|watchdog, _| watchdog.load).then(CmsdkWatchdog::write_load);
    VALUE  = 0x004 .shows(CmsdkWatchdog::count).drops();
    CTRL   = 0x008 .shows(|watchdog, _| watchdog.control).then(CmsdkWatchdog::write_control);
    INTCLR = 0x00c .then(CmsdkWatchdog::clear);
    RIS    = 0x010 .shows(|watchdog, _| watchdog.raised.into()).drops();
    MIS    = 0x014 .shows(|watchdog, _| watchdog.interrupts().into()).drops();
    LOCK   = 0xc00 .shows(|watchdog, _| watchdog.locked.into()).then(|watchdog, write| watchdog.locked = write.value != UNLOCK);
    ID     = 0xfd0 .times(12, 4).shows(|_, at| cmsdk_id(0x24, at.n));
}

const UNLOCK: u32 = 0x1acc_e551;
const ON: u32 = 1 << 0;
const RESETS: u32 = 1 << 1;

/// The watchdog.
#[derive(Clone, Default)]
pub(crate) struct CmsdkWatchdog {
    regs: Regs<Self>,
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
            ..CmsdkWatchdog::default()
        }
    }

    fn reset_due(&self) -> u64 {
        if self.control & ON == 0 {
            u64::MAX
        } else {
            self.from + u64::from(self.load)
        }
    }

    fn count(&self, at: At) -> u32 {
        if self.control & ON == 0 {
            self.load
        } else {
            self.reset_due().saturating_sub(at.now) as u32
        }
    }

    /// Its enable is the interrupt's too.
    fn interrupts(&self) -> bool {
        self.raised && self.control & ON != 0
    }

    fn write_load(&mut self, write: Write) {
        if !self.locked {
            (self.load, self.from) = (write.value, write.now);
        }
    }

    fn write_control(&mut self, write: Write) {
        if self.locked {
            return;
        }
        if write.value & !self.control & ON != 0 {
            self.from = write.now;
        }
        self.control = write.value & 3;
    }

    fn clear(&mut self, write: Write) {
        if !self.locked {
            (self.raised, self.from) = (false, write.now);
        }
    }
}

impl Peripheral for CmsdkWatchdog {
    fn advance(&mut self, now: u64) {
        while self.reset_due() <= now && self.control & ON != 0 {
            self.bites |= self.raised && self.control & RESETS != 0;
            if self.raised {
                self.from = now;
                return;
            }
            self.raised = true;
            self.from = self.reset_due() + 1;
        }
    }

    fn due(&self) -> u64 {
        if self.bites { 0 } else { self.reset_due() }
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.interrupts(), line);
    }

    fn effect(&mut self) -> Option<Effect> {
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
    use bus::Device;

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
