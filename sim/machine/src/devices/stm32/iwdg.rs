//! ST's independent watchdog (RM0090 chapter 21, RM0440 42, RM0394 35): counts down in the low-speed oscillator's clock, and resets the
//! chip at 0.

use bus::{Device, DeviceError, Effect, End, Irq, ResetCause};
use serde::Deserialize;

use crate::devices::{Around, Pace, Settings, Ticks, not_modelled};

const KR: u32 = 0x00;
const PR: u32 = 0x04;
const RLR: u32 = 0x08;
const SR: u32 = 0x0c;
const WINR: u32 = 0x10;

const START: u32 = 0xcccc;
const RELOAD: u32 = 0xaaaa;
const UNLOCK: u32 = 0x5555;
const LONGEST: u32 = 0xfff;
/// Ticks of its oscillator for which SR shows that a register is taken over: "up to 5" (RM0090 21.4.4), or "up to five" (RM0394 36.4.4), cycles.
const UPDATE: u64 = 5;
/// SR: the prescaler, the reload value, the window are taken over; the registers at the same places.
const UPDATED: [u32; 3] = [PR, RLR, WINR];

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct IwdgSettings(Pace);

impl Settings for IwdgSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Iwdg::new(self.0.ticks(around.clocks)?)))
    }
}

/// The watchdog.
#[derive(Clone)]
pub(crate) struct Iwdg {
    ticks: Ticks,
    /// Ticks from the last reload to their base.
    passed: u64,
    runs: bool,
    unlocked: bool,
    prescaler: u32,
    reload: u32,
    /// What it counts from: the highest number behind the start, then what was reloaded (RM0090 21.3.1).
    from: u32,
    window: u32,
    bites: bool,
    /// Until which core cycle each bit of SR is set.
    updating: [u64; 3],
    /// Writes that were lost. The first is told.
    lost: u32,
    note: Option<String>,
}

impl Iwdg {
    fn new(ticks: Ticks) -> Iwdg {
        Iwdg {
            ticks,
            passed: 0,
            runs: false,
            unlocked: false,
            prescaler: 0,
            reload: LONGEST,
            from: LONGEST,
            window: LONGEST,
            bites: false,
            updating: [0; 3],
            lost: 0,
            note: None,
        }
    }

    /// Ticks of its clock from a reload to the reset.
    fn patience(&self) -> u64 {
        (u64::from(self.from) + 1) * (4 << self.prescaler.min(6))
    }

    fn due(&self) -> u64 {
        if self.runs {
            self.ticks.cycle_of(self.patience().saturating_sub(self.passed))
        } else {
            u64::MAX
        }
    }

    fn reload(&mut self, now: u64) {
        let passed = (self.passed + self.ticks.at(now)) / (4 << self.prescaler.min(6));
        let count = u64::from(self.from).saturating_sub(passed);
        if self.runs && count > u64::from(self.window) {
            self.bites = true;
        }
        self.restart(self.reload, now);
    }

    fn restart(&mut self, from: u32, now: u64) {
        (self.from, self.passed) = (from, 0);
        self.ticks.restart(now);
    }

    /// A register is written: hardware takes it over a little later, and what is written meanwhile is lost.
    fn update(&mut self, offset: u32, value: u32, now: u64) {
        let which = UPDATED.iter().position(|&register| register == offset);
        let Some(until) = which.map(|which| &mut self.updating[which]) else {
            return;
        };
        if *until > now {
            self.lost = self.lost.saturating_add(1);
            if self.lost == 1 {
                self.note = Some(format!(
                    "IWDG: a write of {value:#x} to offset {offset:#x} while SR says that the one before is taken over: it is lost"
                ));
            }
            return;
        }
        let mut ticks = self.ticks;
        ticks.restart(now);
        *until = ticks.cycle_of(UPDATE);
        self.set(offset, value, now);
    }

    fn status(&self, now: u64) -> u32 {
        let bits = (0..).zip(self.updating);
        bits.fold(0, |all, (bit, until)| all | u32::from(until > now) << bit)
    }

    fn set(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            PR => self.prescaler = value & 7,
            RLR => self.reload = value & LONGEST,
            _ => {
                self.window = value & LONGEST;
                // It is also loaded anew (RM0394 36.3.2).
                self.restart(self.reload, now);
            }
        }
    }
}

impl Device for Iwdg {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            KR => Ok(0),
            SR => Ok(self.status(now)),
            PR => Ok(self.prescaler),
            RLR => Ok(self.reload),
            WINR => Ok(self.window),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        match (offset & !3, value) {
            (KR, UNLOCK) => self.unlocked = true,
            (KR, key) => {
                self.unlocked = false;
                if key == START && !self.runs {
                    self.runs = true;
                    self.restart(LONGEST, now);
                }
                if key == RELOAD {
                    self.reload(now);
                }
            }
            (register @ (PR | RLR | WINR), value) => {
                if self.unlocked {
                    self.update(register, value, now);
                }
            }
            (SR, _) => {}
            (register, _) => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.bites { 0 } else { self.due() }
    }

    fn poll(&mut self, now: u64, _line: &mut dyn FnMut(Irq, bool)) {
        if self.due() <= now {
            self.bites = true;
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        if bites {
            self.runs = false;
        }
        bites.then_some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
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
