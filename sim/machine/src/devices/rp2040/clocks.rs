//! CLOCKS (2.15) and the PLLs (2.18): which source each clock has, and what follows for the core.
//!
//! Until the program chooses its system clock, the core has the one that the board file gives it, and the clocks of peripherals, of the converter
//! and of the RTC are as the Pico SDK sets them. A clock without glitches changes at once.
//! Resuscitation, and the frequency counter, which counts what is selected, in no time, are as after reset.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::{Around, Settings, not_modelled};

/// CTRL, DIV and SELECTED of ten clocks.
const BETWEEN: u32 = 12;
const CLOCKS: usize = 10;
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
/// RESUS, FC0 and the gates behind.
const HELD: u32 = 0x78;
const LAST: u32 = 0xc8;
const FC0_SRC: u32 = 0x94;
const FC0_STATUS: u32 = 0x98;
const FC0_RESULT: u32 = 0x9c;
/// `FC0_STATUS`: done.
const DONE: u32 = 1 << 4;

const XOSC_HZ: u32 = 12_000_000;
/// Nominal (2.17).
const ROSC_HZ: u32 = 6_500_000;

/// CLOCKS.
#[derive(Clone)]
pub(crate) struct Clocks {
    /// The system PLL's clock and the USB PLL's.
    plls: [ClockId; 2],
    hz: [u32; 2],
    /// As the board numbers [`OTHERS`], and what they were told to have.
    others: [ClockId; OTHERS.len()],
    told: [u32; OTHERS.len()],
    core_hz: u32,
    /// The clocks that the program has set.
    written: u32,
    control: [u32; CLOCKS],
    divider: [u32; CLOCKS],
    held: [u32; 21],
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
            plls,
            hz: [0; 2],
            others,
            told: [0; OTHERS.len()],
            core_hz: 0,
            written: 0,
            control: [0; CLOCKS],
            divider: [0x100; CLOCKS],
            held: [0; 21],
            effects: VecDeque::new(),
        }
    }

    /// The frequency of a clock's source, in Hz.
    fn source(&self, clock: usize) -> u32 {
        let (source, auxiliary) = (self.control[clock] & 3, self.control[clock] >> 5 & 7);
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
        let hz = u64::from(self.source(SYS)) * 256 / u64::from(self.divider[SYS].max(1));
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
        let source = match (clock, self.control[clock] >> 5 & 7) {
            (6, 0) => self.core_hz,
            (6 | 8.., 1) => sys,
            (6, 2) | (8.., 0) => usb,
            (6, 3) | (8.., 2) => ROSC_HZ,
            (6, 4) | (8.., 3) => XOSC_HZ,
            _ => 0,
        };
        let divider = if clock == 6 {
            256
        } else {
            self.divider[clock].max(1)
        };
        let on = self.control[clock] & ENABLE != 0;
        if on {
            (u64::from(source) * 256 / u64::from(divider)) as u32
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
            1 << (self.control[clock] & 3)
        } else {
            1
        }
    }

    /// The frequency counter's result, in units of 1/32 kHz.
    fn counted(&self) -> u32 {
        let hz = match self.held[((FC0_SRC - HELD) / 4) as usize] {
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

impl Device for Clocks {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        let (clock, which) = ((offset / BETWEEN) as usize, offset % BETWEEN);
        match (offset & !3, which) {
            (FC0_STATUS, _) => Ok(DONE),
            (FC0_RESULT, _) => Ok(self.counted()),
            (0..HELD, 0) => Ok(self.control[clock]),
            (0..HELD, 4) => Ok(self.divider[clock]),
            (0..HELD, _) => Ok(self.selected(clock)),
            (register @ HELD..LAST, _) => Ok(self.held[((register - HELD) / 4) as usize]),
            (register, _) => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let (clock, which) = ((offset / BETWEEN) as usize, offset % BETWEEN);
        match (offset & !3, which) {
            (0..HELD, 0) => self.control[clock] = value,
            (0..HELD, 4) => self.divider[clock] = value,
            (0..HELD, _) => return Ok(()),
            (register @ HELD..LAST, _) => {
                self.held[((register - HELD) / 4) as usize] = value;
                return Ok(());
            }
            (register, _) => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        self.written |= 1 << clock;
        if clock == REF || clock == SYS {
            self.tell()
        } else {
            self.tell_others();
            Ok(())
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
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
        Ok(Box::new(Pll {
            makes: around.clocks.wanted(Some(&self.makes))?,
            registers: [1, 0x2d, 0, 0x0007_7000],
            effects: VecDeque::new(),
        }))
    }

    fn clocks(&self) -> Vec<&str> {
        vec![&self.makes]
    }
}

/// A PLL: CS, PWR, `FBDIV_INT`, PRIM. It locks at once.
#[derive(Clone)]
struct Pll {
    makes: ClockId,
    registers: [u32; 4],
    effects: VecDeque<Effect>,
}

impl Pll {
    /// PWR: powered down, the VCO powered down.
    fn is_on(&self) -> bool {
        self.registers[1] & 0x21 == 0
    }

    fn hz(&self) -> u32 {
        let [control, _, feedback, post] = self.registers;
        let input = XOSC_HZ / (control & 63).max(1);
        let divided = u64::from(input) * u64::from(feedback & 0xfff);
        let by = u64::from((post >> 16 & 7).max(1) * (post >> 12 & 7).max(1));
        if self.is_on() { (divided / by) as u32 } else { 0 }
    }
}

impl Device for Pll {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match self.registers.get(offset as usize / 4) {
            Some(&control) if offset < 4 && self.is_on() => Ok(control | 1 << 31),
            Some(&register) => Ok(register),
            None => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let Some(register) = self.registers.get_mut(offset as usize / 4) else {
            return not_modelled(format!("a write of {value:#x} to offset {offset:#x}"));
        };
        *register = value & 0x7fff_ffff;
        let hz = self.hz();
        self.effects.push_back(Effect::Clock(self.makes, hz));
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_comes_from_the_pll_as_the_hal_sets_it() {
        let mut pll = Pll {
            makes: ClockId(2),
            registers: [1, 0x2d, 0, 0x0007_7000],
            effects: VecDeque::new(),
        };
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
