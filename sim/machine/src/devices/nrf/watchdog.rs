//! WDT (nRF52840 PS 6.36): resets the chip unless the program writes every enabled reload register in time.

use bus::{ClockId, Device, DeviceError, Effect, End, Outside, ResetCause};

use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, Write, about};
use crate::devices::{Around, Ticks, not_modelled};

about! { Watchdog, B,
    "nRF52840 PS 6.36",
    "resets the chip unless every reload register that is on was written in time",
    ""
}

framed! { Watchdog frame;
    RUNSTATUS = 0x400 .shows(|watchdog, _| watchdog.runs.into());
    REQSTATUS = 0x404 .reset(1);
    CRV       = 0x504 .reset(!0).then(|watchdog, write| watchdog.set(CRV, write.value.max(15)));
    RREN      = 0x508 .reset(1).then(|watchdog, write| {
        watchdog.set(RREN, write.value & 0xff);
        watchdog.set(REQSTATUS, write.value & 0xff);
    });
    CONFIG    = 0x50c .reset(1).then(|watchdog, write| watchdog.set(CONFIG, write.value));
    RR        = 0x600 .times(8, 4).hidden().then(Watchdog::feed);
}

const RELOAD: u32 = 0x6e52_4635;
const TIMEOUT: u32 = 0;
/// Ticks between the event and the reset.
const GRACE: u64 = 2;

/// The watchdog.
#[derive(Clone, Default)]
pub(crate) struct Watchdog {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
    runs: bool,
    bites_at: u64,
    bites: bool,
}

impl Watchdog {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Watchdog::new(Frame::new(around.base, around.irq)))
    }

    fn new(frame: Frame) -> Watchdog {
        Watchdog {
            frame,
            ticks: Ticks::fixed(32_768),
            bites_at: u64::MAX,
            ..Watchdog::default()
        }
    }

    /// Settings are locked while it runs.
    fn set(&mut self, register: u32, value: u32) {
        if !self.runs {
            self.regs[register] = value;
        }
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        if task != 0 {
            return not_modelled(format!("task {task}"));
        }
        if !std::mem::replace(&mut self.runs, true) {
            self.reload(now);
        }
        Ok(())
    }

    fn reload(&mut self, now: u64) {
        self.ticks.restart(now);
        self.bites_at = self.ticks.cycle_of(u64::from(self.regs[CRV]) + 1);
        self.regs[REQSTATUS] = self.regs[RREN];
    }

    fn feed(&mut self, write: Write) {
        if write.value == RELOAD {
            self.regs[REQSTATUS] &= !(1 << write.n);
            if self.regs[REQSTATUS] == 0 && self.runs {
                self.reload(write.now);
            }
        }
    }
}

impl Peripheral for Watchdog {
    fn advance(&mut self, now: u64) {
        if self.bites_at <= now && !self.frame.is_set(TIMEOUT) {
            self.frame.raise(TIMEOUT);
            self.ticks.restart(self.bites_at);
            self.bites_at = self.ticks.cycle_of(GRACE);
        }
        if self.bites_at <= now {
            (self.bites, self.bites_at) = (true, u64::MAX);
        }
    }

    fn due(&self) -> u64 {
        if self.bites { 0 } else { self.bites_at }
    }

    fn effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        bites.then_some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }

    /// It keeps running after a reset by the program (PS 5.3.6).
    fn kept(&mut self, kept: &mut Outside, cause: ResetCause) {
        if cause == ResetCause::Software {
            kept.copy(self);
        }
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.ticks.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_bites_unless_all_that_are_on_were_written() {
        let mut watchdog = Watchdog::new(Frame::new(0x4001_0000, None));
        watchdog
            .hear(Effect::Clock(ClockId::CORE, 32_768_000), 0)
            .unwrap();
        for (offset, value) in [(CRV, 99), (RREN, 3), (0, 1), (RR, RELOAD)] {
            watchdog.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!(watchdog.next_event(), 100_000);
        watchdog.write(RR + 4, 4, RELOAD, 50_000).unwrap();
        assert_eq!(watchdog.next_event(), 150_000);
        watchdog.poll(150_000, &mut |_, _| {});
        assert_eq!(watchdog.take_effect(), Some(Effect::Pulse(0x4001_0100)));
        watchdog.poll(152_000, &mut |_, _| {});
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::Watchdog)))
        );
    }
}
