//! SAADC (nRF52840 PS 6.23): eight channels, each between two inputs, converted one after the other into a buffer in RAM.
//!
//! An input has a voltage in microvolts, from stimuli (`SAADC.2@1000=1500000` is 1.5 V at AIN2) or from `values` in the board file. Where neither
//! gives one, the channel's resistors do. Gain, reference and resolution turn the voltage into a number, without noise. A conversion takes the
//! channel's acquisition time and 2 microseconds ("tCONV < 2 us"). The time of a calibration is not published: 100 microseconds (mark D).

mod channel;

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect, Incoming, Request};
use serde::Deserialize;

use self::channel::{Channel, Voltages};
use super::buffer::EASY_DMA;
use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, Write, about};
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Saadc by SaadcSettings, B,
    "nRF52840 PS 6.23",
    "channels one after the other or by its timer, gain, reference, resolution, both inputs, averages and bursts, limits; results by EasyDMA after their acquisition and 2 µs each; voltages in microvolts by stimuli (`SAADC.2@1000=1500000`: AIN0 to AIN7, 8 for VDD, 12 for VDDH/5), else 3 V of supply, and at a pin the level that the channel's resistors give",
    "noise and offset; how long a calibration takes (100 µs: mark D)"
}

framed! { Saadc frame;
    STATUS     = 0x400 .shows(|adc, _| (!adc.queue.is_empty()).into());
    ENABLE     = 0x500 .write(1).then(|adc, write| if write.value & 1 == 0 { adc.quiet() });
    PSELP      = 0x510 .times(8, 16).write(!0).tries(Saadc::select);
    PSELN      = 0x514 .times(8, 16).write(!0).tries(Saadc::select);
    CONFIG     = 0x518 .times(8, 16).reset(0x0002_0000).write(!0).tries(|_, write| allowed("CONFIG.TACQ", write.value >> 16 & 7, 5));
    LIMIT      = 0x51c .times(8, 16).reset(0x7fff_8000).write(!0);
    RESOLUTION = 0x5f0 .reset(1).write(!0).tries(|_, write| allowed("RESOLUTION", write.value, 3));
    OVERSAMPLE = 0x5f4 .write(!0).tries(|_, write| allowed("OVERSAMPLE", write.value, 8));
    SAMPLERATE = 0x5f8 .write(0x17ff).then(|adc, write| if write.value & TIMERS == 0 { adc.sampled = None });
    PTR        = 0x62c .write(!0);
    MAXCNT     = 0x630 .write(0x7fff);
    AMOUNT     = 0x634 .drops();
    // Of every peripheral of these chips, and in no manual: 0 turns it off, which makes it what it is after reset.
    POWER      = 0xffc .reset(1).write(1).then(|adc, write| if write.value & 1 == 0 { adc.turn_off() });
}

/// A register that takes numbers up to the greatest alone.
fn allowed(name: &str, value: u32, greatest: u32) -> Result<(), DeviceError> {
    if value > greatest {
        return not_modelled(format!("{name}, a write of {value}: it is 0 to {greatest}"));
    }
    Ok(())
}

/// Tasks.
const START: u32 = 0;
const SAMPLE: u32 = 1;
const STOP: u32 = 2;
const CALIBRATEOFFSET: u32 = 3;
/// Events; from `LIMITS` on two for each channel, its upper limit first.
const STARTED: u32 = 0;
const END: u32 = 1;
const DONE: u32 = 2;
const RESULTDONE: u32 = 3;
const CALIBRATEDONE: u32 = 4;
const STOPPED: u32 = 5;
const LIMITS: u32 = 6;

const SEVERAL: &str = "SAMPLERATE's timer with several channels: the manual has it for one";
/// SAMPLERATE: its own timer samples.
const TIMERS: u32 = 1 << 12;
/// The divisors of 16 MHz that it takes.
const RATES: std::ops::RangeInclusive<u32> = 80..=2047;
/// Ticks of a microsecond.
const MICROSECOND: u64 = 16;
const CONVERSION: u64 = 2 * MICROSECOND;
const CALIBRATION: u64 = 100 * MICROSECOND;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaadcSettings {
    /// Values of inputs without a stimulus: pairs of an input and microvolts.
    #[serde(default)]
    values: Vec<[u32; 2]>,
}

impl Settings for SaadcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let voltages = Voltages::new(&self.values)?;
        Ok(Box::new(Saadc::new(
            Frame::new(around.base, around.irq),
            voltages,
        )))
    }
}

/// The converter.
#[derive(Clone)]
pub(crate) struct Saadc {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
    /// Ticks of its own timer, from its first sample on.
    timer: Ticks,
    /// Samples that the timer has taken, while it runs.
    sampled: Option<u64>,
    /// Where the next result goes in RAM, and for how many there is room.
    at: u32,
    left: u32,
    voltages: Voltages,
    /// The channels that are still to be converted, each as often as its samples are averaged, and when the first one is done.
    queue: VecDeque<usize>,
    until: u64,
    /// Conversions of the result under way.
    averaged: u32,
    /// Results on their way to RAM.
    storing: VecDeque<(usize, i16)>,
    calibrating: Option<u64>,
    note: Option<String>,
}

impl Saadc {
    fn new(frame: Frame, voltages: Voltages) -> Saadc {
        Saadc {
            regs: Regs::default(),
            frame,
            ticks: Ticks::fixed(16_000_000),
            timer: Ticks::fixed(16_000_000),
            sampled: None,
            at: 0,
            left: 0,
            voltages,
            queue: VecDeque::new(),
            until: 0,
            averaged: 0,
            storing: VecDeque::new(),
            calibrating: None,
            note: None,
        }
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        if self.regs[ENABLE] == 0 {
            self.note = Some(format!(
                "SAADC: task {task} in cycle {now} while ENABLE is 0: nothing comes of it"
            ));
            return Ok(());
        }
        match task {
            START => {
                (self.at, self.left) = (self.regs[PTR], self.regs[MAXCNT]);
                self.regs[AMOUNT] = 0;
                self.frame.raise(STARTED);
            }
            SAMPLE if self.regs[SAMPLERATE] & TIMERS != 0 => self.start_timer(now)?,
            SAMPLE => self.sample(now)?,
            STOP => self.stop(),
            CALIBRATEOFFSET => {
                self.ticks.restart(now);
                self.calibrating = Some(self.ticks.cycle_of(CALIBRATION));
            }
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }

    /// From the first sample on its own timer takes them.
    fn start_timer(&mut self, now: u64) -> Result<(), DeviceError> {
        let divisor = self.regs[SAMPLERATE] & 0x7ff;
        if !RATES.contains(&divisor) {
            return not_modelled(format!("SAMPLERATE.CC {divisor}: it is 80 to 2047"));
        }
        if self.enabled().count() > 1 {
            return not_modelled(SEVERAL);
        }
        if self.sampled.is_none() {
            self.timer.restart(now);
            self.sampled = Some(0);
            self.sample_by_timer(now);
        }
        Ok(())
    }

    /// The samples of its timer up to now. Those for which there is no buffer are lost.
    fn sample_by_timer(&mut self, now: u64) {
        while let Some(at) = self.timer_at().filter(|&at| at <= now) {
            self.sampled = self.sampled.map(|count| count + 1);
            if self.left > 0 {
                // Nothing is refused: its timer samples one channel.
                let _ = self.sample(at);
            }
        }
    }

    fn timer_at(&self) -> Option<u64> {
        let ticks = self.sampled? * u64::from(self.regs[SAMPLERATE] & 0x7ff);
        Some(self.timer.cycle_of(ticks))
    }

    fn channel(&self, number: usize) -> Channel {
        let step = 16 * number as u32;
        Channel([PSELP, PSELN, CONFIG, LIMIT].map(|register| self.regs[register + step]))
    }

    /// The channels that SAMPLE converts.
    fn enabled(&self) -> impl Iterator<Item = usize> {
        (0..8).filter(|&channel| self.channel(channel).is_on())
    }

    /// A write of PSELP or PSELN.
    fn select(&mut self, write: Write) -> Result<(), DeviceError> {
        if !matches!(write.value, 0..=9 | 13) {
            let value = write.value;
            return not_modelled(format!("an input {value} (PSEL): there is none of this number"));
        }
        if self.sampled.is_some() && self.enabled().count() > 1 {
            return not_modelled(SEVERAL);
        }
        Ok(())
    }

    /// Converts each channel that is on, or as often as a burst says.
    fn sample(&mut self, now: u64) -> Result<(), DeviceError> {
        let on: Vec<usize> = self.enabled().collect();
        let bursts = on.iter().all(|&channel| self.channel(channel).bursts());
        if self.regs[OVERSAMPLE] > 0 && on.len() > 1 && !bursts {
            return not_modelled("OVERSAMPLE with several channels that are not all in BURST mode");
        }
        if !self.queue.is_empty() || on.is_empty() {
            let why = if on.is_empty() {
                "no channel is on"
            } else {
                "a conversion is under way"
            };
            self.note = Some(format!("SAADC: SAMPLE in cycle {now}, when {why}: it is lost"));
            return Ok(());
        }
        for channel in on {
            let times = if self.channel(channel).bursts() {
                1 << self.regs[OVERSAMPLE]
            } else {
                1
            };
            self.queue.extend((0..times).map(|_| channel));
        }
        self.convert(now);
        Ok(())
    }

    /// Begins with the next conversion, if there is one.
    fn convert(&mut self, now: u64) {
        if let Some(&channel) = self.queue.front() {
            self.ticks.restart(now);
            let acquisition = self.channel(channel).acquisition() * MICROSECOND;
            self.until = self.ticks.cycle_of(acquisition + CONVERSION);
        }
    }

    fn converted(&mut self, channel: usize) {
        self.frame.raise(DONE);
        self.averaged += 1;
        if self.averaged >= 1 << self.regs[OVERSAMPLE] {
            self.averaged = 0;
            let value = self.channel(channel).value(&self.voltages, self.regs[RESOLUTION]);
            self.storing.push_back((channel, value));
        }
    }

    fn stop(&mut self) {
        // A conversion that it breaks off ends the buffer.
        if !self.queue.is_empty() && self.left > 0 {
            self.frame.raise(END);
        }
        self.quiet();
        self.frame.raise(STOPPED);
    }

    fn quiet(&mut self) {
        self.queue.clear();
        self.storing.clear();
        (self.sampled, self.averaged, self.left, self.calibrating) = (None, 0, 0, None);
    }

    fn turn_off(&mut self) {
        self.quiet();
        self.regs.reset();
        self.regs[POWER] = 0;
        self.frame = Frame::new(self.frame.base, self.frame.irq);
    }
}

impl Peripheral for Saadc {
    fn advance(&mut self, now: u64) {
        while self.until <= now && !self.queue.is_empty() && self.storing.is_empty() {
            if let Some(channel) = self.queue.pop_front() {
                self.converted(channel);
                self.convert(self.until);
            }
        }
        if self.calibrating.is_some_and(|end| end <= now) {
            self.calibrating = None;
            self.frame.raise(CALIBRATEDONE);
        }
        self.sample_by_timer(now);
    }

    fn due(&self) -> u64 {
        let conversion = if self.queue.is_empty() {
            u64::MAX
        } else {
            self.until
        };
        let timer = self.timer_at().unwrap_or(u64::MAX);
        conversion.min(timer).min(self.calibrating.unwrap_or(u64::MAX))
    }

    fn ports(&self) -> &'static [&'static str] {
        EASY_DMA
    }

    fn wants(&mut self, _now: u64) -> Option<Request> {
        while self.left == 0 && !self.storing.is_empty() {
            // There is no buffer: it is lost.
            self.storing.pop_front();
        }
        let &(_, value) = self.storing.front()?;
        Some(Request::Write {
            address: self.at,
            size: 2,
            value: u32::from(value as u16),
        })
    }

    fn got(&mut self, _value: Option<u32>, now: u64) {
        let Some((channel, value)) = self.storing.pop_front() else {
            return;
        };
        (self.at, self.left) = (self.at.wrapping_add(2), self.left - 1);
        self.regs[AMOUNT] += 1;
        self.frame.raise(RESULTDONE);
        for (place, is_met) in (0..).zip(self.channel(channel).limits(value)) {
            if is_met {
                self.frame.raise(LIMITS + 2 * channel as u32 + place);
            }
        }
        if self.left == 0 {
            self.frame.raise(END);
        }
        self.advance(now);
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.timer.hear(effect);
        Ok(())
    }

    fn given(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        self.voltages.stimulate(input)
    }

    fn remark(&mut self) -> Option<String> {
        self.note.take()
    }
}

#[cfg(test)]
mod tests;
