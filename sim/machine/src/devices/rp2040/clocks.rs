//! CLOCKS (RP2040 datasheet 2.15) and the PLLs (2.18): which source each clock has, and what follows for the core.
//!
//! Until the program chooses its system clock, the core has the one that the board file gives it, and the clocks of peripherals, of the converter
//! and of the RTC are as the Pico SDK sets them. A clock without glitches changes at once.
//! Resuscitation is as after reset; the frequency counter counts in no time.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings, not_modelled};

about! { Clocks by ClocksSettings, D,
    "RP2040 datasheet 2.15",
    "the source and divisor of each clock; the frequency counter",
    "resuscitation; the time of a switch"
}

registers! { Clocks;
    CLK_CTRL     = 0x00 .times(10, 12).write(!0).tries(Clocks::set);
    CLK_DIV      = 0x04 .times(10, 12).reset(0x100).write(!0).tries(Clocks::set);
    CLK_SELECTED = 0x08 .times(10, 12).shows(|clocks, at| clocks.selected(at.n)).drops();
    RESUS_CTRL   = 0x78 .write(!0);
    RESUS_STATUS = 0x7c .write(!0);
    // FC0_REF_KHZ, MIN_KHZ, MAX_KHZ, DELAY and INTERVAL.
    FC0          = 0x80 .times(5, 4).write(!0);
    FC0_SRC      = 0x94 .write(!0);
    FC0_STATUS   = 0x98 .reset(DONE).drops();
    FC0_RESULT   = 0x9c .shows(|clocks, _| clocks.counted()).drops();
    WAKE_EN      = 0xa0 .times(2, 4).write(!0);
    SLEEP_EN     = 0xa8 .times(2, 4).write(!0);
    ENABLED      = 0xb0 .times(2, 4).write(!0);
    INTR         = 0xb8 .write(!0);
    INTE         = 0xbc .write(!0);
    INTF         = 0xc0 .write(!0);
    INTS         = 0xc4 .write(!0);
}

/// From one clock's registers to the next one's.
const STEP: usize = 12;
const REF: usize = 4;
const SYS: usize = 5;
/// The clocks that other peripherals count in, with their names, and their frequency until the program sets them; without one, the core's.
const OTHERS: [(usize, &str, Option<u32>); 3] = [
    (6, "clk_peri", None),
    (8, "clk_adc", Some(48_000_000)),
    (9, "clk_rtc", Some(46_875)),
];
/// CTRL of those: on.
const ENABLE: u32 = 1 << 11;
/// `FC0_STATUS`: done.
const DONE: u32 = 1 << 4;

const XOSC_HZ: u32 = 12_000_000;
/// Nominal (2.17).
const ROSC_HZ: u32 = 6_500_000;

/// CLOCKS.
#[derive(Clone)]
pub(crate) struct Clocks {
    regs: Regs<Self>,
    /// The system PLL's clock and the USB PLL's.
    plls: [ClockId; 2],
    hz: [u32; 2],
    /// As the board numbers [`OTHERS`], and what they were told to have.
    others: [ClockId; OTHERS.len()],
    told: [u32; OTHERS.len()],
    core_hz: u32,
    /// The clocks that the program has set.
    written: u32,
    effects: VecDeque<Effect>,
}

/// The board file's entry for CLOCKS, which has no keys of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClocksSettings {}

impl Settings for ClocksSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let find = |name: &str| around.clocks.find(name).unwrap_or(ClockId(u8::MAX));
        let plls = ["pll_sys", "pll_usb"].map(find);
        Ok(Box::new(Clocks::new(plls, OTHERS.map(|(_, name, _)| find(name)))))
    }

    fn clocks(&self) -> Vec<&str> {
        OTHERS.map(|(_, name, _)| name).to_vec()
    }
}

impl Clocks {
    fn new(plls: [ClockId; 2], others: [ClockId; OTHERS.len()]) -> Clocks {
        Clocks {
            regs: Regs::default(),
            plls,
            hz: [0; 2],
            others,
            told: [0; OTHERS.len()],
            core_hz: 0,
            written: 0,
            effects: VecDeque::new(),
        }
    }

    fn control(&self, clock: usize) -> u32 {
        self.regs[CLK_CTRL + (STEP * clock) as u32]
    }

    /// The divisor of a clock, in 256ths.
    fn divider(&self, clock: usize) -> u64 {
        self.regs[CLK_DIV + (STEP * clock) as u32].max(1).into()
    }

    /// The program has set a clock's source or its divisor.
    fn set(&mut self, Write { n: clock, .. }: Write) -> Result<(), DeviceError> {
        self.written |= 1 << clock;
        if clock == REF || clock == SYS {
            return self.tell();
        }
        self.tell_others();
        Ok(())
    }

    /// The frequency of a clock's source, in Hz.
    fn source(&self, clock: usize) -> u32 {
        let (source, auxiliary) = (self.control(clock) & 3, self.control(clock) >> 5 & 7);
        let [sys, usb] = self.hz;
        match (clock, source, auxiliary) {
            (REF, 0, _) => ROSC_HZ,
            (REF, 2, _) => XOSC_HZ,
            (SYS, 0, _) => self.source(REF),
            (SYS, _, 0) => sys,
            (REF, ..) | (SYS, _, 1) => usb,
            (SYS, _, 2) => ROSC_HZ,
            (SYS, _, 3) => XOSC_HZ,
            _ => 0,
        }
    }

    fn tell(&mut self) -> Result<(), DeviceError> {
        let hz = u64::from(self.source(SYS)) * 256 / self.divider(SYS);
        if hz == 0 {
            return not_modelled("CLK_SYS_CTRL: a clock that does not run");
        }
        self.effects.push_back(Effect::Clock(ClockId::CORE, hz as u32));
        Ok(())
    }

    /// The frequency of one of [`OTHERS`] (2.15.3.1), in Hz.
    fn other(&self, clock: usize, first: Option<u32>) -> u32 {
        if self.written >> clock & 1 == 0 {
            return first.unwrap_or(self.core_hz);
        }
        let [sys, usb] = self.hz;
        let source = match (clock, self.control(clock) >> 5 & 7) {
            (6, 0) => self.core_hz,
            (6 | 8.., 1) => sys,
            (6, 2) | (8.., 0) => usb,
            (6, 3) | (8.., 2) => ROSC_HZ,
            (6, 4) | (8.., 3) => XOSC_HZ,
            _ => 0,
        };
        let divider = if clock == 6 { 256 } else { self.divider(clock) };
        let on = self.control(clock) & ENABLE != 0;
        if on {
            (u64::from(source) * 256 / divider) as u32
        } else {
            0
        }
    }

    /// Tells of those whose frequency is another now.
    fn tell_others(&mut self) {
        for (place, (clock, _, first)) in OTHERS.into_iter().enumerate() {
            let hz = self.other(clock, first);
            if std::mem::replace(&mut self.told[place], hz) != hz {
                self.effects.push_back(Effect::Clock(self.others[place], hz));
            }
        }
    }

    /// SELECTED: one bit for the source of a clock without glitches; the others have one alone.
    fn selected(&self, clock: usize) -> u32 {
        if clock == REF || clock == SYS {
            1 << (self.control(clock) & 3)
        } else {
            1
        }
    }

    /// The frequency counter's result, in units of 1/32 kHz.
    fn counted(&self) -> u32 {
        let hz = match self.regs[FC0_SRC] {
            1 => self.hz[0],
            2 => self.hz[1],
            3 | 4 => ROSC_HZ,
            5 => XOSC_HZ,
            8 => self.source(REF),
            9 => self.source(SYS),
            _ => 0,
        };
        hz / 1000 * 32
    }
}

impl Peripheral for Clocks {
    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(id, hz) = effect {
            if id == ClockId::CORE {
                self.core_hz = hz;
            }
            if let Some(pll) = self.plls.iter().position(|&pll| pll == id) {
                self.hz[pll] = hz;
            }
            self.tell_others();
        }
        Ok(())
    }
}

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PllSettings {
    /// The name of its clock: `pll_sys` or `pll_usb`.
    makes: String,
}

impl Settings for PllSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Pll::new(around.clocks.wanted(Some(&self.makes))?)))
    }

    fn clocks(&self) -> Vec<&str> {
        vec![&self.makes]
    }
}

about! { Pll by PllSettings, D,
    "RP2040 datasheet 2.18",
    "the PLL's clock from its divisors",
    "the time to lock"
}

registers! { Pll;
    CS        = 0x00 .reset(1).write(!LOCK).shows(|pll, _| pll.regs[CS] | if pll.is_on() { LOCK } else { 0 }).then(|pll, _| pll.tell());
    PWR       = 0x04 .reset(0x2d).write(!0).then(|pll, _| pll.tell());
    FBDIV_INT = 0x08 .write(!0).then(|pll, _| pll.tell());
    PRIM      = 0x0c .reset(0x0007_7000).write(!0).then(|pll, _| pll.tell());
}

const LOCK: u32 = 1 << 31;

/// A PLL, which locks at once.
#[derive(Clone)]
struct Pll {
    regs: Regs<Self>,
    makes: ClockId,
    effects: VecDeque<Effect>,
}

impl Pll {
    fn new(makes: ClockId) -> Pll {
        Pll {
            regs: Regs::default(),
            makes,
            effects: VecDeque::new(),
        }
    }

    /// PWR: powered down, the VCO powered down.
    fn is_on(&self) -> bool {
        self.regs[PWR] & 0x21 == 0
    }

    fn hz(&self) -> u32 {
        let post = self.regs[PRIM];
        let input = XOSC_HZ / (self.regs[CS] & 63).max(1);
        let divided = u64::from(input) * u64::from(self.regs[FBDIV_INT] & 0xfff);
        let by = u64::from((post >> 16 & 7).max(1) * (post >> 12 & 7).max(1));
        if self.is_on() { (divided / by) as u32 } else { 0 }
    }

    fn tell(&mut self) {
        let hz = self.hz();
        self.effects.push_back(Effect::Clock(self.makes, hz));
    }
}

impl Peripheral for Pll {
    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_comes_from_the_pll_as_the_hal_sets_it() {
        let mut pll = Pll::new(ClockId(2));
        for (offset, value) in [(0, 1), (8, 125), (4, 0x0c), (12, 6 << 16 | 2 << 12), (4, 4)] {
            pll.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!((pll.read(0, 4, 0), pll.hz()), (Ok(1 << 31 | 1), 125_000_000));
        let mut clocks = Clocks::new([ClockId(2), ClockId(3)], [ClockId(4), ClockId(5), ClockId(6)]);
        clocks.hear(Effect::Clock(ClockId(2), 125_000_000), 0).unwrap();
        while clocks.take_effect().is_some() {}
        clocks.write(0x30, 4, 2, 0).unwrap();
        assert_eq!(clocks.read(0x38, 4, 0), Ok(4), "from the crystal");
        assert_eq!(
            clocks.take_effect(),
            Some(Effect::Clock(ClockId::CORE, 12_000_000))
        );
        clocks.write(0x3c, 4, 1, 0).unwrap();
        assert_eq!(
            clocks.take_effect(),
            Some(Effect::Clock(ClockId::CORE, 125_000_000))
        );
        assert_eq!(clocks.read(0x44, 4, 0), Ok(2));
    }

    #[test]
    fn peripherals_have_the_clocks_that_the_program_sets() {
        let mut clocks = Clocks::new([ClockId(2), ClockId(3)], [ClockId(4), ClockId(5), ClockId(6)]);
        clocks.hear(Effect::Clock(ClockId::CORE, 125_000_000), 0).unwrap();
        let mut told = || std::iter::from_fn(|| clocks.take_effect()).collect::<Vec<_>>();
        let [peri, adc, rtc] = [4, 5, 6].map(|id| move |hz| Effect::Clock(ClockId(id), hz));
        assert_eq!(told(), [peri(125_000_000), adc(48_000_000), rtc(46_875)]);
        clocks.hear(Effect::Clock(ClockId(3), 48_000_000), 0).unwrap();
        // Off; then from the system's clock, from USB's PLL, and from that divided by 1024.
        for (offset, value) in [
            (0x48, 0),
            (0x48, ENABLE),
            (0x60, ENABLE),
            (0x70, 1024 << 8),
            (0x6c, ENABLE),
        ] {
            clocks.write(offset, 4, value, 0).unwrap();
        }
        let told: Vec<_> = std::iter::from_fn(|| clocks.take_effect()).collect();
        assert_eq!(told, [peri(0), peri(125_000_000), rtc(0), rtc(46_875)]);
    }
}
