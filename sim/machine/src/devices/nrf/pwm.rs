//! PWM (nRF52840 PS 6.17): a counter in 16 MHz or less with four outputs, whose compare values come from RAM, period by period, in two sequences.
//!
//! Its outputs drive their pins, as GPIOTE's do, while it generates; before and behind that the port does. A value is loaded at the start of its period.

mod playing;
mod wave;

use bus::{ClockId, Device, DeviceError, Effect, Irq, Request};

use self::playing::{Playing, Sequence};
use self::wave::Wave;
use super::buffer::EASY_DMA;
use super::{Frame, Written, element};
use crate::devices::{Around, Ticks, not_modelled};

/// Tasks.
const STOP: u32 = 1;
const SEQSTART: u32 = 2;
const NEXTSTEP: u32 = 4;
/// Events.
const STOPPED: u32 = 1;
const SEQSTARTED: u32 = 2;
const SEQEND: u32 = 4;
const PWMPERIODEND: u32 = 6;
const LOOPSDONE: u32 = 7;
/// Shortcuts: SEQEND of each sequence to STOP; LOOPSDONE to SEQSTART of each, and to STOP.
const SEQEND_STOP: u32 = 0;
const LOOPSDONE_SEQSTART: u32 = 2;
const LOOPSDONE_STOP: u32 = 4;

const ENABLE: u32 = 0x500;
const MODE: u32 = 0x504;
const COUNTERTOP: u32 = 0x508;
const PRESCALER: u32 = 0x50c;
const DECODER: u32 = 0x510;
const LOOP: u32 = 0x514;
const SEQUENCES: u32 = 0x520;
const PSEL: u32 = 0x560;

/// DECODER: how a load is spread; the next one comes by a task.
const WAVEFORM: u32 = 3;
const BY_TASK: u32 = 1 << 8;

/// One PWM.
#[derive(Clone)]
pub(crate) struct Pwm {
    frame: Frame,
    ticks: Ticks,
    on: bool,
    decoder: u32,
    loops: u32,
    sequences: [Sequence; 2],
    wave: Wave,
    playing: Playing,
    /// When the period under way began, while it generates.
    period: Option<u64>,
    /// The sequence that begins with the next period.
    next: Option<usize>,
    stops: bool,
    /// Half words that are still to come of the load for the period that begins now.
    loading: Vec<u16>,
    wanted: usize,
}

impl Pwm {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let line = |what: &str| {
            let names = (0..64).map(|pin| format!("P{}_{}{what}", pin / 32, pin % 32));
            names.map(|name| around.wires.number(&name)).collect()
        };
        let wave = Wave::new(line(""), line(super::OWNED));
        Box::new(Pwm::new(Frame::new(around.base, around.irq), wave))
    }

    fn new(frame: Frame, wave: Wave) -> Pwm {
        Pwm {
            frame,
            ticks: Ticks::fixed(16_000_000),
            on: false,
            decoder: 0,
            loops: 0,
            sequences: [Sequence::default(); 2],
            wave,
            playing: Playing::default(),
            period: None,
            next: None,
            stops: false,
            loading: Vec::new(),
            wanted: 0,
        }
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match task {
            _ if !self.on => {}
            STOP if self.period.is_some() => self.stops = true,
            STOP => {
                self.next = None;
                self.frame.raise(STOPPED);
            }
            SEQSTART | 3 => {
                self.next = Some((task - SEQSTART) as usize);
                self.stops = false;
                if self.period.is_none() {
                    self.begin_period(now);
                }
            }
            NEXTSTEP => self.playing.step(),
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }

    /// A period begins: with the next values, if it is their time.
    fn begin_period(&mut self, now: u64) {
        self.period = Some(now);
        self.ticks.restart(now);
        if let Some(sequence) = self.next.take() {
            self.playing = Playing::of(sequence, self.loops);
            self.frame.raise(SEQSTARTED + sequence as u32);
        }
        self.wanted = if self.playing.wants(self.decoder & BY_TASK != 0) {
            [1, 2, 4, 4][(self.decoder & 3) as usize]
        } else {
            0
        };
        if self.wanted > 0 && self.at().is_none() {
            // An empty sequence is over.
            self.wanted = 0;
            self.loaded();
        }
        if self.wanted == 0 {
            self.wave.begin(&mut self.frame.effects);
        }
    }

    /// Where the next half word is.
    fn at(&self) -> Option<u32> {
        let sequence = &self.sequences[self.playing.sequence];
        sequence.at(self.playing.index + self.loading.len() as u32)
    }

    /// The values of this period are there, or the sequence has no more of them.
    fn loaded(&mut self) {
        let count = self.loading.len() as u32;
        self.wave.load(self.decoder & 3, &self.loading);
        self.loading.clear();
        let sequence = self.playing.sequence;
        let timing = self.sequences[sequence];
        if self.playing.took(count, &timing, self.decoder & BY_TASK != 0) {
            self.frame.raise(SEQEND + sequence as u32);
            self.stops |= self.frame.shorts >> (SEQEND_STOP + sequence as u32) & 1 != 0;
        }
    }

    fn end_period(&mut self, now: u64) {
        self.frame.raise(PWMPERIODEND);
        match self.playing.period() {
            playing::Then::Same => {}
            playing::Then::Other(sequence) => {
                self.playing.turn(sequence);
                self.frame.raise(SEQSTARTED + sequence as u32);
            }
            playing::Then::Done => {
                self.frame.raise(LOOPSDONE);
                let short = |bit: u32| self.frame.shorts >> bit & 1 != 0;
                self.stops |= short(LOOPSDONE_STOP);
                let again = (0..2).find(|&sequence| short(LOOPSDONE_SEQSTART + sequence));
                self.next = self.next.or(again.map(|sequence| sequence as usize));
            }
        }
        if self.stops {
            self.quiet();
            self.frame.raise(STOPPED);
        } else {
            self.begin_period(now);
        }
    }

    fn quiet(&mut self) {
        (self.period, self.next, self.stops, self.wanted) = (None, None, false, 0);
        self.playing = Playing::default();
        self.loading.clear();
        self.wave.release(&mut self.frame.effects);
    }

    /// When the period under way ends, and when an output changes next.
    fn due(&self) -> Option<(u64, u64)> {
        let begun = self.period.filter(|_| self.wanted == 0)?;
        let at = |ticks: u64| self.ticks.cycle_of(ticks).max(begun + 1);
        Some((at(self.wave.length()), self.wave.next_edge().map_or(u64::MAX, at)))
    }

    fn catch_up(&mut self, now: u64) {
        while let Some((end, edge)) = self.due()
            && end.min(edge) <= now
        {
            if edge < end {
                self.wave.edge(&mut self.frame.effects);
            } else {
                self.end_period(end);
            }
        }
    }

    fn write_register(&mut self, offset: u32, value: u32) -> Result<(), DeviceError> {
        match offset & !3 {
            ENABLE => {
                self.on = value & 1 != 0;
                if !self.on && self.period.is_some() {
                    self.quiet();
                }
            }
            MODE => self.wave.both_ways = value & 1 != 0,
            COUNTERTOP if value & 0x7fff >= 3 => self.wave.top = value & 0x7fff,
            COUNTERTOP => return not_modelled(format!("COUNTERTOP {value}: it is 3 to 32767")),
            PRESCALER => self.wave.prescaler = value & 7,
            DECODER => self.decoder = value & 0x103,
            LOOP => self.loops = value & 0xffff,
            register => match (element(register, SEQUENCES, 16), element(register, PSEL, 4)) {
                (Some(place), _) if place % 8 < 4 => self.sequences[place / 8].write(place % 8, value),
                (_, Some(output)) => self.wave.connect(output, value, &mut self.frame.effects),
                _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }
}

impl Device for Pwm {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        if let Some(word) = self.frame.read(offset) {
            return Ok(word);
        }
        match offset & !3 {
            ENABLE => Ok(self.on.into()),
            MODE => Ok(self.wave.both_ways.into()),
            COUNTERTOP => Ok(self.wave.top),
            PRESCALER => Ok(self.wave.prescaler),
            DECODER => Ok(self.decoder),
            LOOP => Ok(self.loops),
            register => match (element(register, SEQUENCES, 16), element(register, PSEL, 4)) {
                (Some(place), _) if place % 8 < 4 => Ok(self.sequences[place / 8].read(place % 8)),
                (_, Some(output)) => Ok(self.wave.selected(output)),
                _ => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match self.frame.write(offset, value) {
            Written::Done => Ok(()),
            Written::Task(task) => self.task(task, now),
            Written::Other => self.write_register(offset, value),
        }
    }

    fn next_event(&self) -> u64 {
        self.due().map_or(u64::MAX, |(end, edge)| end.min(edge))
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.frame.tell(line);
    }

    fn master_ports(&self) -> &'static [&'static str] {
        EASY_DMA
    }

    fn request(&mut self, _now: u64) -> Option<Request> {
        if self.loading.len() >= self.wanted {
            return None;
        }
        self.at().map(|address| Request::Read { address, size: 2 })
    }

    fn answered(&mut self, value: Option<u32>, now: u64) {
        self.loading.push(value.unwrap_or(0) as u16);
        if self.loading.len() < self.wanted && self.at().is_some() {
            return;
        }
        self.wanted = 0;
        self.loaded();
        self.wave.begin(&mut self.frame.effects);
        self.catch_up(now);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.frame.take_effect()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.catch_up(now);
            self.ticks.hear(effect);
        }
        self.frame.hears(effect).map_or(Ok(()), |task| {
            self.catch_up(now);
            self.task(task, now)
        })
    }
}

#[cfg(test)]
mod tests;
