//! ST's timers: basic, general-purpose and advanced (RM0090 chapters 17 to 20, RM0440 28 to 31, RM0394 25 to 28).
//!
//! Modelled: prescaler, auto-reload and repetition with their preload, counting up, down and both ways, update events, compare of channels
//! that are outputs, capture and encoders of what stimuli drive on their channels (`TIM2.1@1000=high`), one-pulse mode, their
//! interrupts and requests for DMA, and the trigger output. The pins that outputs drive are connected to nothing, so dead time and break
//! are held without effect; other timers as triggers are not modelled.

mod counter;
mod outside;

use std::collections::{BTreeMap, VecDeque};

use bus::{ClockId, Device, DeviceError, Effect, Incoming, Irq};
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
const RCR: u32 = 0x30;
const CCR1: u32 = 0x34;
const CCR4: u32 = 0x40;
const BDTR: u32 = 0x44;
/// OR, DTR2, ECR, TISEL, AF1, AF2: choices of pins, held.
const CHOICES: std::ops::RangeInclusive<u32> = 0x50..=0x68;

/// CR1: enable, no updates, updates by overflow alone, one pulse, auto-reload preload; UIF in CNT.
const CEN: u32 = 1 << 0;
const UDIS: u32 = 1 << 1;
const URS: u32 = 1 << 2;
const OPM: u32 = 1 << 3;
const ARPE: u32 = 1 << 7;
const UIFREMAP: u32 = 1 << 11;
/// SR, DIER, EGR: update, and compare of channel 1; the other channels follow.
const UPDATE: u32 = 1 << 0;
const COMPARE: u32 = 1 << 1;
const COMPARES: u32 = 0x1e;
/// EGR, SR: trigger and break; BDTR: what a break turns off.
const TRIGGER: u32 = 1 << 6;
const BREAK: u32 = 1 << 7;
const MOE: u32 = 1 << 15;
/// DIER: where the requests for DMA begin.
const DMA: u32 = 8;

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
    /// The interrupt of its channels, if they have one of their own.
    irq_cc: Option<u16>,
    /// Whether it has a repetition counter and a break register.
    #[serde(default)]
    advanced: bool,
}

impl Settings for TimerSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let bits = self.bits.unwrap_or(16);
        if ![16, 32].contains(&bits) || self.channels > 4 {
            return Err("a timer has `bits` 16 or 32, and at most 4 `channels`".into());
        }
        Ok(Box::new(Timer::new(Shape {
            irq: around.irq,
            irq_cc: self.irq_cc.map(Irq::External),
            clock: around.clocks.wanted(self.clock.as_deref())?,
            bits,
            channels: self.channels,
            advanced: self.advanced,
            requests: ["UP", "CH1", "CH2", "CH3", "CH4"].map(|what| around.wire(what)),
            trigger: around.wire("TRGO"),
        })))
    }
}

/// What a board has as one timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) irq: Option<Irq>,
    pub(crate) irq_cc: Option<Irq>,
    pub(crate) clock: ClockId,
    /// Width of the counter: 16 or 32.
    pub(crate) bits: u8,
    /// 0 for a basic timer.
    pub(crate) channels: u8,
    pub(crate) advanced: bool,
    /// The lines on which it requests DMA: for updates, and for each channel.
    pub(crate) requests: [u16; 5],
    /// The line of its trigger output.
    pub(crate) trigger: u16,
}

/// One timer.
#[derive(Clone)]
pub(crate) struct Timer {
    shape: Shape,
    /// Prescaled ticks are taken from these.
    ticks: Ticks,
    /// Ticks of the input clock since the counter last changed.
    phase: u64,
    step: i64,
    control: u32,
    master: u32,
    slave: u32,
    enabled: u32,
    flags: u32,
    /// As written; what counts is `divider`.
    prescaler: u32,
    divider: u32,
    /// As written; what counts is `top`.
    reload: u32,
    top: u32,
    repetition: u32,
    repetitions_left: u64,
    /// As written, or captured; what counts is `active`, which follows at the next update where `OCxPE` says so.
    compare: [u32; 4],
    active: [u32; 4],
    modes: [u32; 2],
    outputs: u32,
    dead_time: u32,
    choices: BTreeMap<u32, u32>,
    /// What stimuli drive on the channels.
    levels: u32,
    effects: VecDeque<Effect>,
}

impl Timer {
    pub(crate) fn new(shape: Shape) -> Self {
        let top = u32::MAX >> (32 - u32::from(shape.bits));
        Timer {
            shape,
            ticks: Ticks::of(shape.clock),
            phase: 0,
            step: 0,
            control: 0,
            master: 0,
            slave: 0,
            enabled: 0,
            flags: 0,
            prescaler: 0,
            divider: 0,
            reload: top,
            top,
            repetition: 0,
            repetitions_left: 0,
            compare: [0; 4],
            active: [0; 4],
            modes: [0; 2],
            outputs: 0,
            dead_time: 0,
            choices: BTreeMap::new(),
            levels: 0,
            effects: VecDeque::new(),
        }
    }

    /// Sets a flag, and does what follows from that: `what` is one bit of SR.
    fn raise(&mut self, what: u32) {
        self.flags |= what;
        let index = what.trailing_zeros() as usize;
        if self.enabled >> DMA & what != 0 && index < self.shape.requests.len() {
            let pulse = Effect::Pulse(self.shape.requests[index].into());
            self.effects.push_back(pulse);
        }
        if self.triggers_others() & what != 0 {
            self.effects.push_back(Effect::Pulse(self.shape.trigger.into()));
        }
    }

    /// The flags whose rise the trigger output shows: CR2.MMS.
    fn triggers_others(&self) -> u32 {
        match self.master >> 4 & 7 {
            2 => UPDATE,
            3 => COMPARE,
            mode @ 4..=7 => COMPARE << (mode - 4),
            _ => 0,
        }
    }

    /// The flags that somebody waits for.
    fn waited_for(&self) -> u32 {
        let interrupts = self.enabled & !self.flags;
        (interrupts | self.enabled >> DMA | self.triggers_others()) & (UPDATE | COMPARES)
    }

    fn write_control(&mut self, value: u32) -> Result<(), DeviceError> {
        if value & !(0x3ff | UIFREMAP) != 0 {
            return not_modelled(format!("CR1, a write of {value:#x}"));
        }
        self.keep_count(|timer| timer.control = value);
        Ok(())
    }

    fn generate(&mut self, value: u32) {
        if value & UPDATE != 0 {
            self.update();
        }
        let channels = value & COMPARES & COMPARE.wrapping_mul((1 << self.shape.channels) - 1);
        for channel in 0..self.shape.channels {
            if channels & COMPARE << channel == 0 {
                continue;
            }
            if self.inputs() >> channel & 1 != 0 {
                self.take_count(channel.into());
            } else {
                self.raise(COMPARE << channel);
            }
        }
        if self.has_channels() {
            self.flags |= value & TRIGGER;
        }
        if self.shape.advanced && value & BREAK != 0 {
            self.flags |= BREAK;
            self.dead_time &= !MOE;
        }
    }

    fn write_modes(&mut self, index: usize, value: u32) -> Result<(), DeviceError> {
        for half in [value & 0xff, value >> 8 & 0xff] {
            if half & 3 == 3 || half & 3 != 0 && half & 0x0c != 0 {
                let what = "capture of a trigger, or of every nth edge";
                return not_modelled(format!("CCMR{}, a write of {value:#x}: {what}", index + 1));
            }
        }
        self.modes[index] = value;
        for channel in 0..4 {
            self.follow(channel);
        }
        Ok(())
    }

    /// What was written to a channel counts at once, if it has no preload (`OCxPE`).
    fn follow(&mut self, channel: usize) {
        let preloads = self.modes[channel / 2] >> (8 * (channel % 2) + 3) & 1 != 0;
        if !preloads {
            self.active[channel] = self.compare[channel];
        }
    }

    /// The channels that are inputs, as bits.
    fn inputs(&self) -> u32 {
        let select = |channel: u32| self.modes[channel as usize / 2] >> (8 * (channel % 2)) & 3;
        (0..4).fold(0, |inputs, channel| {
            inputs | u32::from(select(channel) != 0) << channel
        })
    }

    /// Its compare registers, by offset.
    fn channel(&self, offset: u32) -> Option<usize> {
        let channel = (offset.checked_sub(CCR1)? / 4) as usize;
        (offset <= CCR4 && channel < usize::from(self.shape.channels)).then_some(channel)
    }

    fn has_channels(&self) -> bool {
        self.shape.channels > 0
    }

    fn read_channel(&mut self, channel: usize) -> u32 {
        if self.inputs() >> channel & 1 != 0 {
            // Reading takes the capture.
            self.flags &= !(COMPARE << channel);
        }
        self.compare[channel]
    }
}

impl Device for Timer {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => {
                let down = if self.goes_down() { 1 << 4 } else { 0 };
                Ok(self.control & !(1 << 4) | down)
            }
            CR2 => Ok(self.master),
            EGR => Ok(0),
            DIER => Ok(self.enabled),
            SR => Ok(self.flags),
            CNT if self.control & UIFREMAP != 0 => Ok(self.count() | self.flags << 31),
            CNT => Ok(self.count()),
            PSC => Ok(self.prescaler),
            ARR => Ok(self.reload),
            // A basic timer has none: what is reserved there reads as 0, and ST's library reads it of every timer.
            SMCR => Ok(self.slave),
            CCMR1 if self.has_channels() => Ok(self.modes[0]),
            CCMR2 if self.has_channels() => Ok(self.modes[1]),
            CCER if self.has_channels() => Ok(self.outputs),
            RCR if self.shape.advanced => Ok(self.repetition),
            BDTR if self.shape.advanced => Ok(self.dead_time),
            register if CHOICES.contains(&register) => Ok(self.choices.get(&register).copied().unwrap_or(0)),
            register => match self.channel(register) {
                Some(channel) => Ok(self.read_channel(channel)),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => return self.write_control(value),
            DIER => self.enabled = value & 0x7fff,
            // Bits are cleared by writing 0.
            SR => self.flags &= value,
            EGR => self.generate(value),
            CNT => self.set_count(value),
            PSC => self.prescaler = value & 0xffff,
            ARR => {
                self.reload = value & self.widest();
                if self.control & ARPE == 0 {
                    self.keep_count(|timer| timer.top = timer.reload);
                }
            }
            CR2 => self.master = value,
            SMCR if self.has_channels() => return self.write_slave(value),
            CCMR1 if self.has_channels() => return self.write_modes(0, value),
            CCMR2 if self.has_channels() => return self.write_modes(1, value),
            CCER if self.has_channels() => self.outputs = value,
            RCR if self.shape.advanced => self.repetition = value & 0xff,
            BDTR if self.shape.advanced => self.dead_time = value,
            register if CHOICES.contains(&register) => {
                self.choices.insert(register, value);
            }
            register => match self.channel(register) {
                Some(channel) => {
                    self.compare[channel] = value & self.widest();
                    self.follow(channel);
                }
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
        let pending = self.flags & self.enabled;
        let of_channels = if self.shape.irq_cc.is_some() { COMPARES } else { 0 };
        if let Some(irq) = self.shape.irq {
            line(irq, pending & !of_channels != 0);
        }
        if let Some(irq) = self.shape.irq_cc {
            line(irq, pending & of_channels != 0);
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.catch_up(now);
            self.ticks.hear(effect);
            self.ticks.restart(now);
        }
        Ok(())
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        self.hear_outside(input)
    }
}

#[cfg(test)]
mod tests;
