//! ADC (RP2040 datasheet 4.9): five channels of twelve bits, converted one after the other into RESULT and a FIFO of four.
//!
//! A channel measures the value of a stimulus (`ADC.0@1000=2048`), or else the board file's. A conversion takes 96 ticks of the converter's clock
//! and never fails.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect, Incoming, Irq};
use serde::Deserialize;

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers, tell};
use crate::devices::inputs::Inputs;
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks};

about! { Adc by AdcSettings, B,
    "RP2040 datasheet 4.9",
    "five channels of twelve bits into RESULT and a FIFO; values by stimuli (`ADC.0@1000=2048`)",
    "errors of a conversion"
}

registers! { Adc;
    CS     = 0x00 .write(KEPT).shows(Adc::status).then(Adc::control);
    RESULT = 0x04 .drops();
    FCS    = 0x08 .write(0x0f00_000f).clear(UNDER | OVER).shows(Adc::fifo_status);
    FIFO   = 0x0c .shows(|adc, _| adc.fifo.front().copied().unwrap_or(0)).taken(Adc::taken).drops();
    DIV    = 0x10 .write(0x00ff_ffff);
    INTR   = 0x14 .shows(|adc, _| adc.is_full().into()).drops();
    INTE   = 0x18 .write(1);
    INTF   = 0x1c .write(1);
    INTS   = 0x20 .shows(|adc, _| adc.raised()).drops();
}

/// CS: on, once, again and again, ready; what a program sets.
const EN: u32 = 1 << 0;
const ONCE: u32 = 1 << 2;
const MANY: u32 = 1 << 3;
const READY: u32 = 1 << 8;
const KEPT: u32 = 0x1f_700b;
/// FCS: results go into the FIFO, cut to eight bits; requests for DMA. Then what was read in vain, and what found no room.
const INTO: u32 = 1 << 0;
const SHIFT: u32 = 1 << 1;
const DREQ: u32 = 1 << 3;
const UNDER: u32 = 1 << 10;
const OVER: u32 = 1 << 11;
const ROOM: usize = 4;
const CHANNELS: u32 = 5;
/// Ticks of a conversion.
const CONVERSION: u64 = 96;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdcSettings {
    /// The converter's clock.
    clock: Option<String>,
    /// Values of channels without a stimulus.
    #[serde(default)]
    values: Vec<[u32; 2]>,
}

impl Settings for AdcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut adc = Adc::new(around.irq, Ticks::of(clock), Inputs::new(&self.values)?);
        adc.requester = Requester::new([around.wire("FIFO"), 0]);
        Ok(Box::new(adc))
    }
}

/// The converter.
#[derive(Clone, Default)]
pub(crate) struct Adc {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    inputs: Inputs,
    fifo: VecDeque<u32>,
    /// Ticks, in 1/256, from the base of `ticks` to the end of the conversion under way; and to the start of the one after.
    ends: Option<u64>,
    next: u64,
    requester: Requester,
}

impl Adc {
    fn new(irq: Option<Irq>, ticks: Ticks, inputs: Inputs) -> Adc {
        Adc {
            irq,
            ticks,
            inputs,
            ..Adc::default()
        }
    }

    /// From one start to the next, in 1/256 of a tick: as long as a conversion at least.
    fn period(&self) -> u64 {
        (u64::from(self.regs[DIV]) + 256).max(256 * CONVERSION)
    }

    fn start(&mut self, now: u64) {
        self.ticks.restart(now);
        self.ends = Some(256 * CONVERSION);
        self.next = self.period();
    }

    fn done(&self) -> u64 {
        self.ends
            .map_or(u64::MAX, |ends| self.ticks.cycle_of(ends.div_ceil(256)))
    }

    fn converted(&mut self) {
        let channel = self.regs[CS] >> 12 & 7;
        self.regs[RESULT] = self.inputs.value(channel, 12, false);
        if self.regs[FCS] & INTO != 0 {
            if self.fifo.len() == ROOM {
                self.regs[FCS] |= OVER;
            } else {
                let shift = if self.regs[FCS] & SHIFT == 0 { 0 } else { 4 };
                self.fifo.push_back(self.regs[RESULT] >> shift);
            }
        }
        let others = self.regs[CS] >> 16 & 0x1f;
        if others != 0 {
            let next = (1..=CHANNELS).map(|step| (channel + step) % CHANNELS);
            let next = next.clone().find(|channel| others >> channel & 1 != 0);
            self.regs[CS] = self.regs[CS] & !(7 << 12) | next.unwrap_or(channel) << 12;
        }
    }

    fn fifo_status(&self, _: At) -> u32 {
        let level = self.fifo.len();
        self.regs[FCS] | u32::from(level == 0) << 8 | u32::from(level == ROOM) << 9 | (level as u32) << 16
    }

    /// Whether the FIFO has reached its threshold; never for threshold 0.
    fn is_full(&self) -> bool {
        let threshold = (self.regs[FCS] >> 24 & 15) as usize;
        threshold > 0 && self.fifo.len() >= threshold
    }

    fn raised(&self) -> u32 {
        u32::from(self.is_full()) & self.regs[INTE] | self.regs[INTF]
    }

    fn status(&self, _: At) -> u32 {
        let ready = self.regs[CS] & EN != 0 && self.ends.is_none();
        self.regs[CS] | if ready { READY } else { 0 }
    }

    fn control(&mut self, Write { value, now, .. }: Write) {
        if value & EN == 0 {
            self.ends = None;
        } else if value & (ONCE | MANY) != 0 && self.ends.is_none() {
            self.start(now);
        }
    }

    fn taken(&mut self, _: At) {
        if self.fifo.pop_front().is_none() {
            self.regs[FCS] |= UNDER;
        }
    }
}

impl Peripheral for Adc {
    fn advance(&mut self, now: u64) {
        while let Some(ends) = self.ends
            && self.done() <= now
        {
            self.converted();
            self.ends = (self.regs[CS] & (EN | MANY) == EN | MANY).then_some(self.next + 256 * CONVERSION);
            self.next += self.period();
            debug_assert!(self.ends.is_none_or(|next| next > ends), "time goes on");
        }
    }

    fn due(&self) -> u64 {
        let waits = self.regs[INTE] != 0 || self.regs[FCS] & DREQ != 0;
        if waits { self.done() } else { u64::MAX }
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.raised() != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let asks = self.regs[FCS] & DREQ != 0 && self.is_full();
        self.requester.tell([asks, false])
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    fn given(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        self.inputs.stimulate(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    fn adc() -> Adc {
        let inputs = Inputs::new(&[[0, 100], [1, 4000], [4, 876]]).unwrap();
        let mut adc = Adc::new(Some(Irq::External(22)), Ticks::of(ClockId(1)), inputs);
        adc.hear(Effect::Clock(ClockId::CORE, 96_000_000), 0).unwrap();
        adc.hear(Effect::Clock(ClockId(1), 48_000_000), 0).unwrap();
        adc
    }

    #[test]
    fn a_conversion_takes_96_ticks() {
        let mut adc = adc();
        adc.write(CS, 4, EN | ONCE | 4 << 12, 0).unwrap();
        assert_eq!(adc.read(CS, 4, 191).unwrap() & READY, 0);
        assert_eq!(adc.read(CS, 4, 192).unwrap() & READY, READY);
        assert_eq!(adc.read(RESULT, 4, 192), Ok(876));
    }

    #[test]
    fn channels_go_round_into_the_fifo_at_the_pace_of_the_divider() {
        let mut adc = adc();
        adc.write(DIV, 4, 199 << 8, 0).unwrap();
        adc.write(FCS, 4, INTO | SHIFT | 2 << 24, 0).unwrap();
        adc.write(INTE, 4, 1, 0).unwrap();
        adc.write(CS, 4, EN | MANY | 3 << 16, 0).unwrap();
        assert_eq!(adc.next_event(), 192);
        assert_eq!(adc.read(INTS, 4, 400 + 191), Ok(0));
        assert_eq!(adc.read(INTS, 4, 400 + 192), Ok(1));
        assert_eq!((adc.read(FIFO, 4, 600), adc.read(FIFO, 4, 600)), (Ok(6), Ok(250)));
        assert_eq!(adc.read(FCS, 4, 600).unwrap() & UNDER, 0);
        adc.read(FIFO, 4, 600).unwrap();
        assert_eq!(adc.read(FCS, 4, 5000).unwrap() & (UNDER | OVER), UNDER | OVER);
        adc.write(FCS, 4, UNDER | OVER, 5000).unwrap();
        assert_eq!(adc.read(FCS, 4, 5000), Ok(1 << 9 | 4 << 16));
    }
}
