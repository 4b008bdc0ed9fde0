//! ST's independent watchdog (RM0090 chapter 21, RM0440 42, RM0394 35): counts down at the low-speed oscillator's rate and resets the chip at 0.

use bus::{Device, DeviceError, Effect, End, Irq, ResetCause};
use serde::Deserialize;

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Pace, Settings, Ticks};

about! { Iwdg by IwdgSettings, B,
    "RM0090 21; RM0394 35; RM0440 42",
    "counts, and resets the chip; window; PVU, RVU and WVU for five cycles of its oscillator",
    ""
}

registers! { Iwdg;
    KR   = 0x00 .then(Iwdg::key);
    PR   = 0x04 .then(|watchdog, write| watchdog.update(0, PR, 7, write));
    RLR  = 0x08 .reset(LONGEST).then(|watchdog, write| watchdog.update(1, RLR, LONGEST, write));
    SR   = 0x0c .shows(Iwdg::status).drops();
    WINR = 0x10 .reset(LONGEST).then(|watchdog, write| watchdog.update(2, WINR, LONGEST, write));
}

const START: u32 = 0xcccc;
const RELOAD: u32 = 0xaaaa;
const UNLOCK: u32 = 0x5555;
const LONGEST: u32 = 0xfff;
/// Ticks of its oscillator for which SR shows that a register is taken over: "up to 5" (RM0090 21.4.4), or "up to five" (RM0394 36.4.4), cycles.
const UPDATE: u64 = 5;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct IwdgSettings(Pace);

impl Settings for IwdgSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Iwdg::new(self.0.ticks(around.clocks)?)))
    }
}

/// The watchdog.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub(crate) struct Iwdg {
    regs: Regs<Self>,
    ticks: Ticks,
    /// Ticks from the last reload to their base.
    passed: u64,
    runs: bool,
    unlocked: bool,
    /// The start of the count: the highest number at first, then the reload value (RM0090 21.3.1).
    from: u32,
    bites: bool,
    /// Until which core cycle each bit of SR is set: PR, RLR, WINR are taken over.
    updating: [u64; 3],
    /// A write was lost, and told.
    lost: bool,
    note: Option<String>,
}

impl Iwdg {
    fn new(ticks: Ticks) -> Iwdg {
        Iwdg {
            ticks,
            from: LONGEST,
            ..Iwdg::default()
        }
    }

    /// Ticks of its clock for a count.
    fn divider(&self) -> u64 {
        4 << self.regs[PR].min(6)
    }

    /// Ticks of its clock from a reload to the reset.
    fn patience(&self) -> u64 {
        (u64::from(self.from) + 1) * self.divider()
    }

    fn reset_due(&self) -> u64 {
        if self.runs {
            self.ticks.cycle_of(self.patience().saturating_sub(self.passed))
        } else {
            u64::MAX
        }
    }

    fn key(&mut self, write: Write) {
        self.unlocked = write.value == UNLOCK;
        match write.value {
            START if !self.runs => {
                self.runs = true;
                self.restart(LONGEST, write.now);
            }
            RELOAD => {
                let passed = (self.passed + self.ticks.at(write.now)) / self.divider();
                let count = u64::from(self.from).saturating_sub(passed);
                self.bites |= self.runs && count > u64::from(self.regs[WINR]);
                self.restart(self.regs[RLR], write.now);
            }
            _ => {}
        }
    }

    fn restart(&mut self, from: u32, now: u64) {
        (self.from, self.passed) = (from, 0);
        self.ticks.restart(now);
    }

    /// A register is written: hardware takes it over a little later, and what is written meanwhile is lost.
    fn update(&mut self, which: usize, register: u32, mask: u32, write: Write) {
        if !self.unlocked {
            return;
        }
        if self.updating[which] > write.now {
            if !std::mem::replace(&mut self.lost, true) {
                self.note = Some(format!(
                    "IWDG: a write of {:#x} to offset {register:#x} while SR says that the one before is taken over: it is lost",
                    write.value
                ));
            }
            return;
        }
        let mut ticks = self.ticks;
        ticks.restart(write.now);
        self.updating[which] = ticks.cycle_of(UPDATE);
        self.regs[register] = write.value & mask;
        if register == WINR {
            // The write also reloads the counter (RM0394 36.3.2).
            self.restart(self.regs[RLR], write.now);
        }
    }

    fn status(&self, at: At) -> u32 {
        let bits = (0..).zip(self.updating);
        bits.fold(0, |all, (bit, until)| all | u32::from(until > at.now) << bit)
    }
}

impl Peripheral for Iwdg {
    fn due(&self) -> u64 {
        if self.bites { 0 } else { self.reset_due() }
    }

    fn lines(&mut self, now: u64, _line: &mut dyn FnMut(Irq, bool)) {
        self.bites |= self.reset_due() <= now;
    }

    fn effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        if bites {
            self.runs = false;
        }
        bites.then_some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }

    fn remark(&mut self) -> Option<String> {
        self.note.take()
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            // The low-speed oscillator does not change; the core's clock does, and its cycles with it.
            self.passed += self.ticks.at(now);
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

    fn watchdog() -> Iwdg {
        let mut watchdog = Iwdg::new(Ticks::fixed(32_000));
        watchdog
            .hear(Effect::Clock(ClockId::CORE, 32_000_000), 0)
            .unwrap();
        for (offset, value) in [(KR, UNLOCK), (PR, 1), (RLR, 99), (KR, START), (KR, RELOAD)] {
            watchdog.write(offset, 4, value, 0).unwrap();
        }
        watchdog
    }

    fn has_bitten(watchdog: &mut Iwdg, now: u64) -> bool {
        watchdog.poll(now, &mut |_, _| {});
        watchdog.take_effect() == Some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }

    #[test]
    fn it_resets_unless_it_is_fed_in_time() {
        let mut watchdog = watchdog();
        // A hundred counts of eight ticks of a thousand cycles.
        assert_eq!(watchdog.next_event(), 800_000);
        watchdog.write(KR, 4, RELOAD, 700_000).unwrap();
        assert!(!has_bitten(&mut watchdog, 800_000));
        assert_eq!(watchdog.next_event(), 1_500_000);
        assert!(has_bitten(&mut watchdog, 1_500_000));
    }

    #[test]
    fn a_slower_core_waits_fewer_cycles() {
        let mut watchdog = watchdog();
        let slower = Effect::Clock(ClockId::CORE, 16_000_000);
        watchdog.hear(slower, 400_000).unwrap();
        assert_eq!(watchdog.next_event(), 600_000);
    }

    #[test]
    fn feeding_before_the_window_resets() {
        let mut watchdog = watchdog();
        for (offset, value) in [(KR, UNLOCK), (WINR, 50)] {
            watchdog.write(offset, 4, value, 0).unwrap();
        }
        watchdog.write(KR, 4, RELOAD, 500_000).unwrap();
        assert!(!has_bitten(&mut watchdog, 500_000));
        watchdog.write(KR, 4, RELOAD, 600_000).unwrap();
        assert!(has_bitten(&mut watchdog, 600_000));
    }

    #[test]
    fn its_settings_are_locked() {
        let mut watchdog = watchdog();
        watchdog.write(RLR, 4, 5, 0).unwrap();
        assert_eq!(watchdog.read(RLR, 4, 0), Ok(99));
    }

    /// RM0090 21.4.4: PVU and RVU.
    #[test]
    fn sr_shows_for_five_ticks_that_a_register_is_taken_over() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.read(SR, 4, 4_999), Ok(0b11));
        watchdog.write(KR, 4, UNLOCK, 4_999).unwrap();
        watchdog.write(RLR, 4, 7, 4_999).unwrap();
        assert_eq!(watchdog.read(RLR, 4, 4_999), Ok(99));
        assert!(watchdog.note().is_some_and(|note| note.contains("it is lost")));
        watchdog.write(RLR, 4, 8, 4_999).unwrap();
        assert_eq!(watchdog.note(), None, "it is told once");
        assert_eq!(watchdog.read(SR, 4, 5_000), Ok(0));
        watchdog.write(WINR, 4, 7, 5_000).unwrap();
        assert_eq!(
            (watchdog.read(SR, 4, 9_999), watchdog.read(SR, 4, 10_000)),
            (Ok(0b100), Ok(0))
        );
    }

    #[test]
    fn until_its_first_reload_it_counts_from_the_top() {
        let mut watchdog = Iwdg::new(Ticks::fixed(32_000));
        let clock = Effect::Clock(ClockId::CORE, 32_000_000);
        watchdog.hear(clock, 0).unwrap();
        for (offset, value) in [(KR, UNLOCK), (PR, 0), (RLR, 9), (KR, START)] {
            watchdog.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!(watchdog.next_event(), 4096 * 4000);
        watchdog.write(KR, 4, RELOAD, 1000).unwrap();
        assert_eq!(watchdog.next_event(), 1000 + 10 * 4000);
        // Another number counts from the next reload on; a window reloads.
        for (offset, value) in [(KR, UNLOCK), (RLR, 19)] {
            watchdog.write(offset, 4, value, 5000).unwrap();
        }
        assert_eq!(watchdog.next_event(), 41_000);
        watchdog.write(WINR, 4, 15, 6000).unwrap();
        assert_eq!(watchdog.next_event(), 6000 + 20 * 4000);
    }
}
