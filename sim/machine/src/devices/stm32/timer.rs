//! ST's timers: basic, general-purpose and advanced (RM0090 chapters 17 to 20, RM0440 28 to 31, RM0394 25 to 28).
//!
//! Modelled: prescaler, auto-reload and repetition with their preload, counting up, down and both ways, update events, compare of channels
//! that are outputs, capture and encoders of what stimuli drive on their channels (`TIM2.1@1000=high`), one-pulse mode, their
//! interrupts and requests for DMA, and the trigger output. The pins that outputs drive are connected to nothing, so dead time and break
//! are held without effect; other timers as triggers are not modelled.

mod counter;
mod outside;

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect, Incoming, Irq};
use serde::Deserialize;

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers, tell};
use crate::devices::ticks::Ticks;
use crate::devices::{Around, Settings, not_modelled};

about! { Timer by TimerSettings, B,
    "RM0090 17 to 20; RM0394 25 to 28; RM0440 28 to 31",
    "counts up, down and both ways, prescaler, auto-reload, repetition and compare values with preload, update and compare interrupts, one pulse, requests for DMA, trigger output; capture, encoders and reset by stimuli on its channels (`TIM2.1@1000=high`)",
    "other timers as triggers, DMA bursts; outputs reach no pin, so dead time and break are only stored"
}

registers! { Timer;
    CR1   = 0x00 .held().shows(Timer::control).tries(Timer::write_control);
    CR2   = 0x04 .write(!0);
    // A basic timer has none: what is reserved there reads as 0, and ST's library reads it of every timer.
    SMCR  = 0x08 .tries(Timer::write_slave);
    DIER  = 0x0c .write(0x7fff);
    // Bits are cleared by writing 0.
    SR    = 0x10 .then(|timer, write| timer.regs[SR] &= write.value);
    EGR   = 0x14 .then(|timer, write| timer.generate(write.value));
    CCMR  = 0x18 .times(2, 4).from(1).write(!0).tries(Timer::write_modes);
    CCER  = 0x20 .write(!0);
    CNT   = 0x24 .shows(Timer::shown_count).then(|timer, write| timer.set_count(write.value));
    // The value in effect is in `divider` and `top`.
    PSC   = 0x28 .write(0xffff);
    ARR   = 0x2c .then(Timer::write_reload);
    RCR   = 0x30 .write(0xff);
    // As written, or captured; what counts is `active`, which follows at the next update where `OCxPE` says so.
    CCR   = 0x34 .times(4, 4).from(1).taken(Timer::take_capture).then(Timer::write_compare);
    BDTR  = 0x44 .write(!0);
    // OR, DTR2, ECR, TISEL, AF1, AF2: choices of pins, held.
    CHOICE = 0x50 .times(7, 4).write(!0);
}

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

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimerSettings {
    /// The clock that it counts in.
    clock: Option<String>,
    /// Bits of its counter.
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

/// The configuration of a timer on its board.
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
    regs: Regs<Self>,
    shape: Shape,
    /// Prescaled ticks are taken from these.
    ticks: Ticks,
    /// Ticks of the input clock since the counter last changed.
    phase: u64,
    step: i64,
    divider: u32,
    top: u32,
    repetitions_left: u64,
    active: [u32; 4],
    /// The levels that stimuli drive on the channels.
    levels: u32,
    effects: VecDeque<Effect>,
}

impl Timer {
    pub(crate) fn new(shape: Shape) -> Self {
        let top = u32::MAX >> (32 - u32::from(shape.bits));
        let mut timer = Timer {
            regs: Regs::default(),
            shape,
            ticks: Ticks::of(shape.clock),
            phase: 0,
            step: 0,
            divider: 0,
            top,
            repetitions_left: 0,
            active: [0; 4],
            levels: 0,
            effects: VecDeque::new(),
        };
        timer.regs[ARR] = top;
        timer
    }

    /// Sets a flag, and does what follows from that: `what` is one bit of SR.
    fn raise(&mut self, what: u32) {
        self.regs[SR] |= what;
        let index = what.trailing_zeros() as usize;
        if self.regs[DIER] >> DMA & what != 0 && index < self.shape.requests.len() {
            let pulse = Effect::Pulse(self.shape.requests[index].into());
            self.effects.push_back(pulse);
        }
        if self.triggers_others() & what != 0 {
            self.effects.push_back(Effect::Pulse(self.shape.trigger.into()));
        }
    }

    /// The flags whose rise the trigger output shows: CR2.MMS.
    fn triggers_others(&self) -> u32 {
        match self.regs[CR2] >> 4 & 7 {
            2 => UPDATE,
            3 => COMPARE,
            mode @ 4..=7 => COMPARE << (mode - 4),
            _ => 0,
        }
    }

    /// The flags that somebody waits for.
    fn waited_for(&self) -> u32 {
        let interrupts = self.regs[DIER] & !self.regs[SR];
        (interrupts | self.regs[DIER] >> DMA | self.triggers_others()) & (UPDATE | COMPARES)
    }

    fn control(&self, _: At) -> u32 {
        let down = if self.goes_down() { 1 << 4 } else { 0 };
        self.regs[CR1] & !(1 << 4) | down
    }

    fn shown_count(&self, _: At) -> u32 {
        let update = if self.regs[CR1] & UIFREMAP == 0 {
            0
        } else {
            self.regs[SR] << 31
        };
        self.count() | update
    }

    fn write_reload(&mut self, write: Write) {
        self.regs[ARR] = write.value & self.widest();
        if self.regs[CR1] & ARPE == 0 {
            self.keep_count(|timer| timer.top = timer.regs[ARR]);
        }
    }

    fn write_compare(&mut self, write: Write) {
        self.regs[CCR + 4 * write.n as u32] = write.value & self.widest();
        self.follow(write.n);
    }

    /// Reading takes the capture.
    fn take_capture(&mut self, at: At) {
        if self.inputs() >> at.n & 1 != 0 {
            self.regs[SR] &= !(COMPARE << at.n);
        }
    }

    fn write_control(&mut self, Write { value, .. }: Write) -> Result<(), DeviceError> {
        if value & !(0x3ff | UIFREMAP) != 0 {
            return not_modelled(format!("CR1, a write of {value:#x}"));
        }
        self.keep_count(|timer| timer.regs[CR1] = value);
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
            self.regs[SR] |= value & TRIGGER;
        }
        if self.shape.advanced && value & BREAK != 0 {
            self.regs[SR] |= BREAK;
            self.regs[BDTR] &= !MOE;
        }
    }

    fn write_modes(&mut self, Write { value, n, .. }: Write) -> Result<(), DeviceError> {
        for half in [value & 0xff, value >> 8 & 0xff] {
            if half & 3 == 3 || half & 3 != 0 && half & 0x0c != 0 {
                let what = "capture of a trigger, or of every nth edge";
                return not_modelled(format!("CCMR{}, a write of {value:#x}: {what}", n + 1));
            }
        }
        for channel in 0..4 {
            self.follow(channel);
        }
        Ok(())
    }

    /// Applies a write to a channel at once, if it has no preload (`OCxPE`).
    fn follow(&mut self, channel: usize) {
        let preloads = self.regs[CCMR + 4 * (channel as u32 / 2)] >> (8 * (channel % 2) + 3) & 1 != 0;
        if !preloads {
            self.active[channel] = self.regs[CCR + 4 * channel as u32];
        }
    }

    /// The channels that are inputs, as bits.
    fn inputs(&self) -> u32 {
        let select = |channel: u32| self.regs[CCMR + 4 * (channel / 2)] >> (8 * (channel % 2)) & 3;
        (0..4).fold(0, |inputs, channel| {
            inputs | u32::from(select(channel) != 0) << channel
        })
    }

    fn has_channels(&self) -> bool {
        self.shape.channels > 0
    }
}

impl Peripheral for Timer {
    const RESTARTS: bool = true;

    fn bank(&self, offset: u32) -> u32 {
        let exists = match offset {
            CCMR..CNT => self.has_channels(),
            RCR | BDTR => self.shape.advanced,
            CCR..BDTR => offset < CCR + 4 * u32::from(self.shape.channels),
            _ => true,
        };
        if exists { offset } else { u32::MAX }
    }

    fn advance(&mut self, now: u64) {
        self.catch_up(now);
    }

    fn due(&self) -> u64 {
        self.next_flag()
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        let pending = self.regs[SR] & self.regs[DIER];
        let of_channels = if self.shape.irq_cc.is_some() { COMPARES } else { 0 };
        tell(self.shape.irq, pending & !of_channels != 0, line);
        tell(self.shape.irq_cc, pending & of_channels != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    fn given(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        self.hear_outside(input)
    }
}

#[cfg(test)]
mod tests;
