//! ST's basic and general-purpose timers, counting up (RM0090 chapters 18 to 20, RM0440 29 to 31, RM0394 26 to 28).
//!
//! Modelled: prescaler and auto-reload with their preload, update events and their interrupt, one-pulse mode, and the
//! compare flags of channels that are outputs. Pins, capture, slave modes, DMA, and counting down are not.

use bus::{ClockId, Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::ticks::Ticks;
use crate::devices::{Around, Settings, not_modelled};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SMCR: u32 = 0x08;
const DIER: u32 = 0x0c;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CCMR2: u32 = 0x1c;
const CCER: u32 = 0x20;
const CNT: u32 = 0x24;
const PSC: u32 = 0x28;
const ARR: u32 = 0x2c;
const CCR1: u32 = 0x34;
const CCR4: u32 = 0x40;

/// CR1: enable, no updates, updates by overflow alone, one pulse, auto-reload preload, filter clock.
const CEN: u32 = 1 << 0;
const UDIS: u32 = 1 << 1;
const URS: u32 = 1 << 2;
const OPM: u32 = 1 << 3;
const ARPE: u32 = 1 << 7;
const CR1_WRITABLE: u32 = CEN | UDIS | URS | OPM | ARPE | 3 << 8;
/// SR, DIER, EGR: update, and compare of channel 1; the other channels follow.
const UPDATE: u32 = 1 << 0;
const COMPARE: u32 = 1 << 1;

/// What a board file says of a timer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimerSettings {
    /// The clock that it counts in.
    clock: Option<String>,
    /// Of its counter.
    bits: Option<u8>,
    /// Compare channels.
    #[serde(default)]
    channels: u8,
}

impl Settings for TimerSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let bits = self.bits.unwrap_or(16);
        if ![16, 32].contains(&bits) || self.channels > 4 {
            return Err("a timer has `bits` 16 or 32, and at most 4 `channels`".into());
        }
        Ok(Box::new(Timer::new(Shape {
            irq: around.irq,
            clock: around.clocks.wanted(self.clock.as_deref())?,
            bits,
            channels: self.channels,
        })))
    }
}

/// What a board has as one timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) irq: Option<Irq>,
    pub(crate) clock: ClockId,
    /// Width of the counter: 16 or 32.
    pub(crate) bits: u8,
    /// 0 for a basic timer.
    pub(crate) channels: u8,
}

/// One timer.
#[derive(Clone)]
pub(crate) struct Timer {
    shape: Shape,
    /// Prescaled ticks are taken from these.
    ticks: Ticks,
    /// Ticks of the input clock since the counter last changed.
    phase: u64,
    count: u32,
    control: u32,
    enabled: u32,
    flags: u32,
    /// As written; what counts is `divider`.
    prescaler: u32,
    divider: u32,
    /// As written; what counts is `top`.
    reload: u32,
    top: u32,
    compare: [u32; 4],
    modes: [u32; 2],
    outputs: u32,
}

impl Timer {
    pub(crate) fn new(shape: Shape) -> Self {
        let top = u32::MAX >> (32 - u32::from(shape.bits));
        Timer {
            shape,
            ticks: Ticks::of(shape.clock),
            phase: 0,
            count: 0,
            control: 0,
            enabled: 0,
            flags: 0,
            prescaler: 0,
            divider: 0,
            reload: top,
            top,
            compare: [0; 4],
            modes: [0; 2],
            outputs: 0,
        }
    }

    fn runs(&self) -> bool {
        // An auto-reload value of 0 blocks the counter (RM0090 18.4.12).
        self.control & CEN != 0 && self.top != 0
    }

    fn period(&self) -> u64 {
        u64::from(self.divider) + 1
    }

    /// Counts what has passed until core cycle `now`.
    fn catch_up(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if !self.runs() {
            return;
        }
        self.phase += ticks;
        // One overflow may change prescaler, auto-reload value and whether it counts at all; from the second on all are alike.
        for _ in 0..2 {
            let until_overflow = self.until_overflow();
            if !self.runs() || self.phase < until_overflow {
                break;
            }
            self.phase -= until_overflow;
            self.pass(self.count, self.top);
            self.overflow();
        }
        if !self.runs() {
            self.phase = 0;
            return;
        }
        let round = (u64::from(self.top) + 1) * self.period();
        if self.phase >= round {
            self.pass(0, self.top);
            self.phase %= round;
            self.overflow();
        }
        let steps = (self.phase / self.period()) as u32;
        self.phase %= self.period();
        self.pass(self.count, self.count + steps);
        self.count += steps;
    }

    /// Ticks of the input clock from the start of the present count to the next overflow.
    fn until_overflow(&self) -> u64 {
        // A counter beyond its auto-reload value goes on to the end of its width.
        let end = if self.count > self.top {
            self.widest()
        } else {
            self.top
        };
        (u64::from(end - self.count) + 1) * self.period()
    }

    fn widest(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.shape.bits))
    }

    /// The counter went through the values behind `from` up to `to`.
    fn pass(&mut self, from: u32, to: u32) {
        for channel in 0..usize::from(self.shape.channels) {
            let value = self.compare[channel];
            if from < value && value <= to {
                self.flags |= COMPARE << channel;
            }
        }
    }

    /// The counter went from its end to 0.
    fn overflow(&mut self) {
        self.count = 0;
        for channel in 0..usize::from(self.shape.channels) {
            if self.compare[channel] == 0 {
                self.flags |= COMPARE << channel;
            }
        }
        if self.control & OPM != 0 {
            self.control &= !CEN;
        }
        if self.control & UDIS == 0 {
            self.load();
            self.flags |= UPDATE;
        }
    }

    /// What was written counts from now on.
    fn load(&mut self) {
        self.divider = self.prescaler;
        self.top = self.reload;
    }

    /// EGR.UG: starts over.
    fn update(&mut self) {
        self.count = 0;
        self.phase = 0;
        if self.control & UDIS == 0 {
            self.load();
            if self.control & URS == 0 {
                self.flags |= UPDATE;
            }
        }
    }

    fn write_control(&mut self, value: u32) -> Result<(), DeviceError> {
        if value & !CR1_WRITABLE != 0 {
            return not_modelled(format!(
                "CR1, a write of {value:#x}: counting down, centre-aligned or remapped"
            ));
        }
        self.control = value;
        Ok(())
    }

    fn write_interrupts(&mut self, value: u32) -> Result<(), DeviceError> {
        let known = UPDATE | ((1 << self.shape.channels) - 1) << 1;
        if value & !known != 0 {
            return not_modelled(format!(
                "DIER, a write of {value:#x}: DMA requests or trigger interrupts"
            ));
        }
        self.enabled = value;
        Ok(())
    }

    fn generate(&mut self, value: u32) -> Result<(), DeviceError> {
        if value & !UPDATE != 0 {
            return not_modelled(format!("EGR, a write of {value:#x}"));
        }
        if value & UPDATE != 0 {
            self.update();
        }
        Ok(())
    }

    fn write_modes(&mut self, index: usize, value: u32) -> Result<(), DeviceError> {
        if value & 0x0303 != 0 {
            return not_modelled(format!("CCMR{}, a write of {value:#x}: input capture", index + 1));
        }
        self.modes[index] = value;
        Ok(())
    }

    /// Its compare registers, by offset.
    fn channel(&self, offset: u32) -> Option<usize> {
        let channel = (offset.checked_sub(CCR1)? / 4) as usize;
        (offset <= CCR4 && channel < usize::from(self.shape.channels)).then_some(channel)
    }

    fn has_channels(&self) -> bool {
        self.shape.channels > 0
    }

    /// Counter steps from the present count until it is `value`, next time round if need be.
    fn steps_to(&self, value: u32) -> Option<u64> {
        let (count, top) = (u64::from(self.count), u64::from(self.top));
        let value = u64::from(value);
        match () {
            () if value > count && (value <= top || count > top) => Some(value - count),
            () if value <= top && count <= top => Some(top + 1 - count + value),
            () => None,
        }
    }

    /// Core cycle in which the first flag rises that would interrupt.
    fn next_flag(&self) -> u64 {
        let waiting = self.enabled & !self.flags;
        if !self.runs() || waiting == 0 {
            return u64::MAX;
        }
        let update = (waiting & UPDATE != 0 && self.control & UDIS == 0).then(|| self.until_overflow());
        let channels =
            (0..usize::from(self.shape.channels)).filter(|channel| waiting & COMPARE << channel != 0);
        let compares = channels.filter_map(|channel| {
            let steps = self.steps_to(self.compare[channel]);
            steps.map(|steps| steps * self.period())
        });
        // A step beyond the overflow may be of another length: look again there.
        let soonest = compares
            .chain(update)
            .map(|ticks| ticks.min(self.until_overflow()))
            .min();
        soonest.map_or(u64::MAX, |ticks| {
            self.ticks.cycle_of(ticks.saturating_sub(self.phase))
        })
    }
}

impl Device for Timer {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => Ok(self.control),
            CR2 | EGR => Ok(0),
            DIER => Ok(self.enabled),
            SR => Ok(self.flags),
            CNT => Ok(self.count),
            PSC => Ok(self.prescaler),
            ARR => Ok(self.reload),
            SMCR if self.has_channels() => Ok(0),
            CCMR1 if self.has_channels() => Ok(self.modes[0]),
            CCMR2 if self.has_channels() => Ok(self.modes[1]),
            CCER if self.has_channels() => Ok(self.outputs),
            register => match self.channel(register) {
                Some(channel) => Ok(self.compare[channel]),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => return self.write_control(value),
            DIER => return self.write_interrupts(value),
            // Bits are cleared by writing 0.
            SR => self.flags &= value,
            EGR => return self.generate(value),
            CNT => self.count = value & self.widest(),
            PSC => self.prescaler = value & 0xffff,
            ARR => {
                self.reload = value & self.widest();
                if self.control & ARPE == 0 {
                    self.top = self.reload;
                }
            }
            // The trigger output, the slave mode: off is all that there is.
            CR2 if value == 0 => {}
            SMCR if value == 0 && self.has_channels() => {}
            CCMR1 if self.has_channels() => return self.write_modes(0, value),
            CCMR2 if self.has_channels() => return self.write_modes(1, value),
            CCER if self.has_channels() => self.outputs = value,
            register => match self.channel(register) {
                Some(channel) => self.compare[channel] = value & self.widest(),
                None => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.next_flag()
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(irq) = self.shape.irq {
            line(irq, self.flags & self.enabled != 0);
        }
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.catch_up(now);
            self.ticks.hear(effect);
            self.ticks.restart(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
