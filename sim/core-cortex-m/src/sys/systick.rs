//! SysTick: a 24-bit down-counter (ARMv7-M ARM B3.3), worked out from the cycle count when somebody looks.
//!
//! At each tick a counter at 0 takes the reload value, and any other one goes down by one; arriving at 0 sets
//! COUNTFLAG and, if asked for, makes the exception pending. So a period lasts RELOAD + 1 ticks, and a counter that
//! was cleared by a write arrives at 0 after RELOAD + 1 ticks too, without setting COUNTFLAG at the write.

use crate::config::Config;

/// The registers of the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SysTickRegister {
    Control,
    Reload,
    Current,
    Calibration,
}

const ENABLE: u32 = 1 << 0;
const INTERRUPT: u32 = 1 << 1;
const CORE_CLOCK: u32 = 1 << 2;
const COUNT_FLAG: u32 = 1 << 16;
/// CALIB.NOREF: there is no external reference.
const NO_REFERENCE: u32 = 1 << 31;
const VALUE: u32 = 0xff_ffff;

/// The SysTick timer.
#[derive(Clone, Debug)]
pub(crate) struct SysTick {
    /// The bits that are set.
    control: u32,
    count_flag: bool,
    reload: u32,
    /// The counter at tick `origin` of the selected clock.
    value: u32,
    origin: u64,
    /// Core cycles per tick of the external reference; 0 if there is none.
    reference: u32,
    calibration: u32,
}

impl SysTick {
    pub(crate) fn new(config: &Config) -> Self {
        let (reference, calibration) = (config.systick_reference, config.systick_calibration);
        let none = reference == 0;
        SysTick {
            control: if none { CORE_CLOCK } else { 0 },
            count_flag: false,
            reload: 0,
            value: 0,
            origin: 0,
            reference,
            calibration: if none {
                calibration | NO_REFERENCE
            } else {
                calibration
            },
        }
    }

    /// Reads a register at a core cycle. [`SysTick::advance`] must have been called for this cycle.
    pub(crate) fn read(&mut self, register: SysTickRegister) -> u32 {
        match register {
            SysTickRegister::Control => {
                let flag = std::mem::take(&mut self.count_flag);
                self.control | if flag { COUNT_FLAG } else { 0 }
            }
            SysTickRegister::Reload => self.reload,
            SysTickRegister::Current => self.value,
            SysTickRegister::Calibration => self.calibration,
        }
    }

    /// Writes a register at a core cycle. [`SysTick::advance`] must have been called for this cycle.
    pub(crate) fn write(&mut self, register: SysTickRegister, value: u32, cycle: u64) {
        match register {
            SysTickRegister::Control => {
                let forced = if self.reference == 0 { CORE_CLOCK } else { 0 };
                self.control = value & (ENABLE | INTERRUPT | CORE_CLOCK) | forced;
                self.origin = self.tick(cycle);
            }
            SysTickRegister::Reload => self.reload = value & VALUE,
            SysTickRegister::Current => {
                self.value = 0;
                self.count_flag = false;
            }
            SysTickRegister::Calibration => {}
        }
    }

    /// Counts up to and including a cycle; says whether the exception became pending on the way.
    pub(crate) fn advance(&mut self, cycle: u64) -> bool {
        let now = self.tick(cycle);
        let ticks = now.saturating_sub(self.origin);
        self.origin = self.origin.max(now);
        if self.control & ENABLE == 0 || ticks == 0 {
            return false;
        }
        let (value, arrived) = after(self.value, self.reload, ticks);
        self.value = value;
        self.count_flag |= arrived;
        arrived && self.control & INTERRUPT != 0
    }

    /// The first cycle at which the exception becomes pending; `u64::MAX` if never.
    pub(crate) fn next_event(&self) -> u64 {
        let on = ENABLE | INTERRUPT;
        match (self.control & on == on, self.value, self.reload) {
            (true, 0, 1..) => self.cycle(self.origin + u64::from(self.reload) + 1),
            (true, 1.., _) => self.cycle(self.origin + u64::from(self.value)),
            _ => u64::MAX,
        }
    }

    fn tick(&self, cycle: u64) -> u64 {
        if self.control & CORE_CLOCK != 0 {
            cycle
        } else {
            cycle / u64::from(self.reference)
        }
    }

    fn cycle(&self, tick: u64) -> u64 {
        if self.control & CORE_CLOCK != 0 {
            tick
        } else {
            tick * u64::from(self.reference)
        }
    }
}

/// The counter some ticks later, and whether it arrived at 0 on the way.
fn after(value: u32, reload: u32, ticks: u64) -> (u32, bool) {
    let (value, reload) = (u64::from(value), u64::from(reload));
    if ticks <= value {
        return ((value - ticks) as u32, ticks == value);
    }
    // The tick after the one at which it was 0 loads it; from there on it repeats.
    let since_load = (ticks - value - 1) % (reload + 1);
    let arrived = value > 0 || (reload > 0 && ticks > reload);
    ((reload - since_load) as u32, arrived)
}

#[cfg(test)]
mod tests;
