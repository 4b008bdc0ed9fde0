//! CLOCK and POWER, which share their addresses (nRF52840 PS 5.4, 5.3). Oscillators take their time to start; regulator settings are stored only.
//! The core's clock is 64 MHz from either oscillator. System off ends the run.

use bus::{Device, DeviceError, Effect, End, Outside, ResetCause};

use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, about};
use crate::devices::not_modelled;
use crate::devices::{Around, Ticks};

/// Tasks.
const HFCLKSTART: u32 = 0;
const HFCLKSTOP: u32 = 1;
const LFCLKSTART: u32 = 2;
const LFCLKSTOP: u32 = 3;
const CAL: u32 = 4;
/// CONSTLAT and LOWPWR.
const CONSTLAT: u32 = 30;
/// Events.
const HFCLKSTARTED: u32 = 0;
const LFCLKSTARTED: u32 = 1;
const DONE: u32 = 3;

about! { ClockPower, B,
    "nRF52840 PS 5.3, 5.4",
    "oscillators that take their time to start; regulators are held; system off ends the run",
    "waking from system off"
}

framed! { ClockPower frame;
    RESETREAS    = 0x400 .clear(!0);
    HFCLKRUN     = 0x408 .shows(|clock, _| (clock.runs[0] || clock.ready[0].is_some()).into());
    // Without the crystal it runs from its RC oscillator.
    HFCLKSTAT    = 0x40c .shows(|clock, _| 1 << 16 | u32::from(clock.runs[0]));
    LFCLKRUN     = 0x414 .shows(|clock, _| (clock.runs[1] || clock.ready[1].is_some()).into());
    LFCLKSTAT    = 0x418 .shows(|clock, _| if clock.runs[1] { 1 << 16 | clock.regs[LFCLKSRCCOPY] & 3 } else { 0 });
    // LFCLKSRC when it was started.
    LFCLKSRCCOPY = 0x41c;
    // No USB is connected; the banks of RAM are on; the voltage is normal.
    RAMSTATUS    = 0x428;
    USBREGSTATUS = 0x438;
    SYSTEMOFF    = 0x500 .then(|clock, write| clock.off = write.value & 1 != 0);
    // The registers from here on are only stored.
    HELD         = 0x504 .times(5, 4).write(!0);
    LFCLKSRC     = 0x518 .write(!0);
    GPREGRET     = 0x51c .times(2, 4).write(!0);
    HELD_TOO     = 0x524 .times(71, 4).write(!0);
    MAINREGSTATUS = 0x640 .drops();
    HELD_LAST    = 0x644 .times(239, 4).write(!0);
}

/// RESETREAS: the watchdog, and the program.
const DOG: u32 = 1 << 1;
const SREQ: u32 = 1 << 2;

/// Microseconds until the crystals are there: 64 MHz, 32 kHz; and the low-frequency RC oscillator (PS 5.4.5, typical).
const HFXO_US: u64 = 360;
const LFXO_US: u64 = 250_000;
const LFRC_US: u64 = 600;

/// Both.
#[derive(Clone, Default)]
pub(crate) struct ClockPower {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
    /// The core cycle in which each is there: high frequency, low frequency.
    ready: [Option<u64>; 2],
    runs: [bool; 2],
    off: bool,
}

impl ClockPower {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(ClockPower::new(Frame::new(around.base, around.irq)))
    }

    fn new(frame: Frame) -> ClockPower {
        ClockPower {
            frame,
            ticks: Ticks::fixed(1_000_000),
            ..ClockPower::default()
        }
    }

    fn start(&mut self, which: usize, after_us: u64, now: u64) {
        self.ticks.restart(now);
        self.ready[which] = Some(self.ticks.cycle_of(after_us));
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match task {
            HFCLKSTART => self.start(0, HFXO_US, now),
            HFCLKSTOP | LFCLKSTOP => {
                let which = (task / 2) as usize;
                (self.ready[which], self.runs[which]) = (None, false);
            }
            LFCLKSTART => {
                let source = self.regs[LFCLKSRC];
                self.regs[LFCLKSRCCOPY] = source;
                self.start(1, if source & 3 == 0 { LFRC_US } else { LFXO_US }, now);
            }
            // The RC oscillator is as good as it gets.
            CAL => self.frame.raise(DONE),
            CONSTLAT | 31 => {}
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }
}

impl Peripheral for ClockPower {
    fn advance(&mut self, now: u64) {
        for (which, event) in [(0, HFCLKSTARTED), (1, LFCLKSTARTED)] {
            if self.ready[which].is_some_and(|due| due <= now) {
                (self.ready[which], self.runs[which]) = (None, true);
                self.frame.raise(event);
            }
        }
    }

    fn due(&self) -> u64 {
        let ready = self.ready.iter().flatten().copied().min();
        ready.unwrap_or(u64::MAX)
    }

    fn effect(&mut self) -> Option<Effect> {
        let off = std::mem::take(&mut self.off);
        off.then_some(Effect::End(End::Exit(0)))
    }

    /// RESETREAS gathers the causes, until the program clears them. GPREGRET is kept where the program asked for the reset (PS 5.3.6).
    fn kept(&mut self, kept: &mut Outside, cause: ResetCause) {
        let places = [RESETREAS, GPREGRET, GPREGRET + 4];
        let [reasons, first, second] = places.map(|place| self.regs[place]);
        let mut held = match cause {
            ResetCause::Software => [reasons | SREQ, first, second],
            ResetCause::Watchdog | ResetCause::WindowWatchdog => [reasons | DOG, 0, 0],
        };
        kept.copy(&mut held);
        places
            .into_iter()
            .zip(held)
            .for_each(|(place, value)| self.regs[place] = value);
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Irq};

    #[test]
    fn a_crystal_takes_its_time_and_says_so() {
        let mut clock = ClockPower::new(Frame::new(0x4000_0000, Some(Irq::External(0))));
        clock.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        clock.write(INTENSET, 4, 1, 0).unwrap();
        clock.write(0, 4, 1, 0).unwrap();
        assert_eq!(
            (clock.next_event(), clock.read(HFCLKSTAT, 4, 0)),
            (360 * 64, Ok(1 << 16))
        );
        let mut high = false;
        clock.poll(360 * 64, &mut |_, level| high = level);
        assert!(high);
        assert_eq!(clock.read(HFCLKSTAT, 4, 360 * 64), Ok(1 << 16 | 1));
        assert_eq!(clock.take_effect(), Some(Effect::Pulse(0x4000_0100)));
    }
}
