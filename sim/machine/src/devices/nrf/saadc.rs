//! SAADC (nRF52840 PS 6.23): eight channels, each between two inputs, converted one after the other into a buffer in RAM.
//!
//! An input has a voltage in microvolts, by stimuli (`SAADC.2@1000=1500000` is 1.5 V at AIN2) or by the board file's `values`; one that nobody drives has
//! what the channel's resistors make of it. Gain, reference and resolution say what number that is. A conversion takes the channel's time of
//! acquisition and 2 microseconds ("tCONV < 2 us"); how long a calibration takes is not published: 100 microseconds (mark D). Numbers have no noise.

mod channel;

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect, Incoming, Irq, Request};
use serde::Deserialize;

use self::channel::{Channel, Voltages};
use super::buffer::EASY_DMA;
use super::{Frame, Written, element};
use crate::devices::block::Half;
use crate::devices::{Around, Settings, Ticks, not_modelled};

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

const STATUS: u32 = 0x400;
const ENABLE: u32 = 0x500;
const CHANNELS: u32 = 0x510;
const RESOLUTION: u32 = 0x5f0;
const OVERSAMPLE: u32 = 0x5f4;
const SAMPLERATE: u32 = 0x5f8;
const RESULT: u32 = 0x62c;
/// Of every peripheral of these chips, and by no manual: 0 turns it off, which makes it what it is after reset.
const POWER: u32 = 0xffc;
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

/// The buffer in RAM.
#[derive(Clone, Copy, Default)]
struct Results {
    pointer: u32,
    most: u32,
    /// The amount of the current transfer, or of the last one.
    amount: u32,
    at: u32,
    left: u32,
}

/// The converter.
#[derive(Clone)]
pub(crate) struct Saadc {
    frame: Frame,
    ticks: Ticks,
    /// Ticks of its own timer, from its first sample on.
    timer: Ticks,
    /// Samples that the timer has taken, while it runs.
    sampled: Option<u64>,
    on: bool,
    power: u32,
    channels: [Channel; 8],
    resolution: u32,
    oversample: u32,
    rate: u32,
    results: Results,
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
            frame,
            ticks: Ticks::fixed(16_000_000),
            timer: Ticks::fixed(16_000_000),
            sampled: None,
            on: false,
            power: 1,
            channels: [Channel::default(); 8],
            resolution: 1,
            oversample: 0,
            rate: 0,
            results: Results::default(),
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
        if !self.on {
            self.note = Some(format!(
                "SAADC: task {task} in cycle {now} while ENABLE is 0: nothing comes of it"
            ));
            return Ok(());
        }
        match task {
            START => {
                let Results { pointer, most, .. } = self.results;
                (self.results.at, self.results.left, self.results.amount) = (pointer, most, 0);
                self.frame.raise(STARTED);
            }
            SAMPLE if self.rate & TIMERS != 0 => self.start_timer(now)?,
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
        let divisor = self.rate & 0x7ff;
        if !RATES.contains(&divisor) {
            return not_modelled(format!("SAMPLERATE.CC {divisor}: it is 80 to 2047"));
        }
        if self.enabled().count() > 1 {
            return not_modelled("SAMPLERATE's timer with several channels: the manual has it for one");
        }
        if self.sampled.is_none() {
            self.timer.restart(now);
            self.sampled = Some(0);
            self.sample_by_timer(now)?;
        }
        Ok(())
    }

    /// The samples of its timer up to now. Those for which there is no buffer are lost.
    fn sample_by_timer(&mut self, now: u64) -> Result<(), DeviceError> {
        while let Some(at) = self.timer_at().filter(|&at| at <= now) {
            self.sampled = self.sampled.map(|count| count + 1);
            if self.results.left > 0 {
                self.sample(at)?;
            }
        }
        Ok(())
    }

    fn timer_at(&self) -> Option<u64> {
        let ticks = self.sampled? * u64::from(self.rate & 0x7ff);
        Some(self.timer.cycle_of(ticks))
    }

    fn enabled(&self) -> impl Iterator<Item = usize> {
        let channels = self.channels.iter().enumerate();
        channels
            .filter(|(_, channel)| channel.is_on())
            .map(|(place, _)| place)
    }

    /// Converts each channel that is on, or as often as a burst says.
    fn sample(&mut self, now: u64) -> Result<(), DeviceError> {
        let on: Vec<usize> = self.enabled().collect();
        let bursts = on.iter().all(|&channel| self.channels[channel].bursts());
        if self.oversample > 0 && on.len() > 1 && !bursts {
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
            let times = if self.channels[channel].bursts() {
                1 << self.oversample
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
            let acquisition = self.channels[channel].acquisition() * MICROSECOND;
            self.until = self.ticks.cycle_of(acquisition + CONVERSION);
        }
    }

    fn converted(&mut self, channel: usize) {
        self.frame.raise(DONE);
        self.averaged += 1;
        if self.averaged >= 1 << self.oversample {
            self.averaged = 0;
            let value = self.channels[channel].value(&self.voltages, self.resolution);
            self.storing.push_back((channel, value));
        }
    }

    fn stop(&mut self) {
        // A conversion that it breaks off ends the buffer.
        if !self.queue.is_empty() && self.results.left > 0 {
            self.frame.raise(END);
        }
        self.quiet();
        self.frame.raise(STOPPED);
    }

    fn quiet(&mut self) {
        self.queue.clear();
        self.storing.clear();
        (self.sampled, self.averaged, self.results.left, self.calibrating) = (None, 0, 0, None);
    }

    fn catch_up(&mut self, now: u64) -> Result<(), DeviceError> {
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
        self.sample_by_timer(now)
    }

    fn write_register(&mut self, offset: u32, value: u32) -> Result<(), DeviceError> {
        match offset & !3 {
            ENABLE => {
                self.on = value & 1 != 0;
                if !self.on {
                    self.quiet();
                }
            }
            RESOLUTION if value <= 3 => self.resolution = value,
            OVERSAMPLE if value <= 8 => self.oversample = value,
            SAMPLERATE => {
                self.rate = value & 0x17ff;
                self.sampled = self.sampled.filter(|_| value & TIMERS != 0);
            }
            POWER => {
                if value & 1 == 0 {
                    let frame = Frame::new(self.frame.base, self.frame.irq);
                    let mut fresh = Saadc::new(frame, std::mem::take(&mut self.voltages));
                    (fresh.ticks, fresh.timer) = (self.ticks, self.timer);
                    *self = fresh;
                }
                self.power = value & 1;
            }
            register => match (element(register, CHANNELS, 32), element(register, RESULT, 3)) {
                (Some(place), _) => self.channels[place / 4].write(place % 4, value)?,
                (_, Some(0)) => self.results.pointer = value,
                (_, Some(1)) => self.results.most = value & 0x7fff,
                (_, Some(_)) => {}
                _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }
}

impl Device for Saadc {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now)?;
        if let Some(word) = self.frame.read(offset) {
            return Ok(word);
        }
        match offset & !3 {
            STATUS => Ok((!self.queue.is_empty()).into()),
            ENABLE => Ok(self.on.into()),
            RESOLUTION => Ok(self.resolution),
            OVERSAMPLE => Ok(self.oversample),
            SAMPLERATE => Ok(self.rate),
            POWER => Ok(self.power),
            register => match (element(register, CHANNELS, 32), element(register, RESULT, 3)) {
                (Some(place), _) => Ok(self.channels[place / 4].read(place % 4)),
                (_, Some(place)) => Ok([self.results.pointer, self.results.most, self.results.amount][place]),
                _ => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now)?;
        match self.frame.write(offset, value) {
            Written::Done => Ok(()),
            Written::Task(task) => self.task(task, now),
            Written::Other => self.write_register(offset, value),
        }
    }

    fn next_event(&self) -> u64 {
        let conversion = if self.queue.is_empty() {
            u64::MAX
        } else {
            self.until
        };
        let timer = self.timer_at().unwrap_or(u64::MAX);
        conversion.min(timer).min(self.calibrating.unwrap_or(u64::MAX))
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        // What goes wrong is told where the task was: the timer's samples are of one channel.
        let _ = self.catch_up(now);
        self.frame.lines(line);
    }

    fn master_ports(&self) -> &'static [&'static str] {
        EASY_DMA
    }

    fn request(&mut self, _now: u64) -> Option<Request> {
        while self.results.left == 0 && !self.storing.is_empty() {
            // There is no buffer: it is lost.
            self.storing.pop_front();
        }
        let &(_, value) = self.storing.front()?;
        Some(Request::Write {
            address: self.results.at,
            size: 2,
            value: u32::from(value as u16),
        })
    }

    fn answered(&mut self, _value: Option<u32>, now: u64) {
        let Some((channel, value)) = self.storing.pop_front() else {
            return;
        };
        let results = &mut self.results;
        (results.at, results.left, results.amount) =
            (results.at.wrapping_add(2), results.left - 1, results.amount + 1);
        self.frame.raise(RESULTDONE);
        for (place, is_met) in (0..).zip(self.channels[channel].limits(value)) {
            if is_met {
                self.frame.raise(LIMITS + 2 * channel as u32 + place);
            }
        }
        if self.results.left == 0 {
            self.frame.raise(END);
        }
        let _ = self.catch_up(now);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.frame.take_effect()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.catch_up(now)?;
            self.ticks.hear(effect);
            self.timer.hear(effect);
        }
        self.frame.hears(effect).map_or(Ok(()), |task| {
            self.catch_up(now)?;
            self.task(task, now)
        })
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now)?;
        self.voltages.stimulate(input)
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}

#[cfg(test)]
mod tests;
