//! PWM (nRF52840 PS 6.17): a counter at 16 MHz or less with four outputs. Their compare values come from RAM in two sequences, one load a period.
//!
//! While it generates, its outputs drive their pins, as GPIOTE's do; otherwise the port drives them. A value is loaded at the start of its period.

mod playing;
mod wave;

use bus::{Device, DeviceError, Request};

use self::playing::{Playing, Sequence};
use self::wave::Wave;
use super::buffer::EASY_DMA;
use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, Write, about};
use crate::devices::{Around, Ticks, not_modelled};

about! { Pwm, B,
    "nRF52840 PS 6.17",
    "both sequences by EasyDMA, loops, refresh and delay, all modes of the decoder, shortcuts; its outputs drive their pins while it generates",
    "how early a value is fetched: here at the start of its period"
}

framed! { Pwm frame;
    ENABLE     = 0x500 .write(1).then(Pwm::enable);
    MODE       = 0x504 .write(1).then(|pwm, write| pwm.wave.both_ways = write.value & 1 != 0);
    COUNTERTOP = 0x508 .shows(|pwm, _| pwm.wave.top).tries(Pwm::set_top);
    PRESCALER  = 0x50c .shows(|pwm, _| pwm.wave.prescaler).then(|pwm, write| pwm.wave.prescaler = write.value & 7);
    DECODER    = 0x510 .write(0x103);
    LOOP       = 0x514 .write(0xffff);
    SEQ0       = 0x520 .times(4, 4).shows(|pwm, at| pwm.sequences[0].read(at.n)).then(|pwm, write| pwm.sequences[0].write(write.n, write.value));
    SEQ1       = 0x540 .times(4, 4).shows(|pwm, at| pwm.sequences[1].read(at.n)).then(|pwm, write| pwm.sequences[1].write(write.n, write.value));
    PSEL       = 0x560 .times(4, 4).shows(|pwm, at| pwm.wave.selected(at.n)).then(|pwm, write| pwm.wave.connect(write.n, write.value, &mut pwm.frame.effects));
}

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

/// DECODER: how a load is spread; the next one comes by a task.
const WAVEFORM: u32 = 3;
const BY_TASK: u32 = 1 << 8;

/// One PWM.
#[derive(Clone)]
pub(crate) struct Pwm {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
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
            regs: Regs::default(),
            frame,
            ticks: Ticks::fixed(16_000_000),
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
            _ if self.regs[ENABLE] == 0 => {}
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
            self.playing = Playing::of(sequence, self.regs[LOOP]);
            self.frame.raise(SEQSTARTED + sequence as u32);
        }
        self.wanted = if self.playing.wants(self.regs[DECODER] & BY_TASK != 0) {
            [1, 2, 4, 4][(self.regs[DECODER] & 3) as usize]
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

    /// The address of the next half word.
    fn at(&self) -> Option<u32> {
        let sequence = &self.sequences[self.playing.sequence];
        sequence.at(self.playing.index + self.loading.len() as u32)
    }

    /// The values of this period are there, or the sequence has no more of them.
    fn loaded(&mut self) {
        let count = self.loading.len() as u32;
        self.wave.load(self.regs[DECODER] & 3, &self.loading);
        self.loading.clear();
        let sequence = self.playing.sequence;
        let timing = self.sequences[sequence];
        if self
            .playing
            .took(count, &timing, self.regs[DECODER] & BY_TASK != 0)
        {
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
    fn next_change(&self) -> Option<(u64, u64)> {
        let begun = self.period.filter(|_| self.wanted == 0)?;
        let at = |ticks: u64| self.ticks.cycle_of(ticks).max(begun + 1);
        Some((at(self.wave.length()), self.wave.next_edge().map_or(u64::MAX, at)))
    }

    fn enable(&mut self, write: Write) {
        if write.value & 1 == 0 && self.period.is_some() {
            self.quiet();
        }
    }

    fn set_top(&mut self, write: Write) -> Result<(), DeviceError> {
        let value = write.value;
        if value & 0x7fff < 3 {
            return not_modelled(format!("COUNTERTOP {value}: it is 3 to 32767"));
        }
        self.wave.top = value & 0x7fff;
        Ok(())
    }
}

impl Peripheral for Pwm {
    fn advance(&mut self, now: u64) {
        while let Some((end, edge)) = self.next_change()
            && end.min(edge) <= now
        {
            if edge < end {
                self.wave.edge(&mut self.frame.effects);
            } else {
                self.end_period(end);
            }
        }
    }

    fn due(&self) -> u64 {
        self.next_change().map_or(u64::MAX, |(end, edge)| end.min(edge))
    }

    fn ports(&self) -> &'static [&'static str] {
        EASY_DMA
    }

    fn wants(&mut self, _now: u64) -> Option<Request> {
        if self.loading.len() >= self.wanted {
            return None;
        }
        self.at().map(|address| Request::Read { address, size: 2 })
    }

    fn got(&mut self, value: Option<u32>, now: u64) {
        self.loading.push(value.unwrap_or(0) as u16);
        if self.loading.len() < self.wanted && self.at().is_some() {
            return;
        }
        self.wanted = 0;
        self.loaded();
        self.wave.begin(&mut self.frame.effects);
        self.advance(now);
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests;
