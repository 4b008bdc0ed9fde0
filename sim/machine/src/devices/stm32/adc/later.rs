//! The later converter: ISR, CR, CFGR, and sequences in SQR1 to SQR4.

use bus::{Device, DeviceError, Effect, Incoming, Irq};
use serde::Deserialize;

use super::Inputs;
use crate::devices::block::{Peripheral, Regs, Write, about, registers, tell};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Adc by LaterAdcSettings, B,
    "RM0394 16; RM0440 21",
    "sequences, continuous, triggers of timers, DMA, interrupts, overrun; sampling and conversion take their time; values by stimuli (`ADC1.3@1000=2048`), else 0",
    "watchdogs, discontinuous mode, oversampling, injected channels, two converters together; calibration takes no time"
}

registers! { Adc;
    ISR   = 0x00 .clear(!0).then(|adc, write| adc.full &= write.value & EOC == 0);
    IER   = 0x04 .write(!0);
    CR    = 0x08 .reset(DEEPPWD).refuse(JADSTART, ": injected channels").then(Adc::control);
    CFGR  = 0x0c .reset(0x8000_0000).write(!0).tries(Adc::configure);
    CFGR2 = 0x10 .write(!0).refuse(OVERSAMPLING, ": oversampling");
    SMPR  = 0x14 .times(7, 4).from(1).write(!0);
    SQR   = 0x30 .times(4, 4).from(1).write(!0);
    DR    = 0x40 .taken(|adc, _| adc.read_data()).drops();
    // DIFSEL, CALFACT and others.
    HELD  = 0x44 .times(29, 4).write(!0);
}

/// ISR and IER: ready, end of a conversion and of the sequence, overrun.
const ADRDY: u32 = 1 << 0;
const EOSMP: u32 = 1 << 1;
const EOC: u32 = 1 << 2;
const EOS: u32 = 1 << 3;
const OVR: u32 = 1 << 4;
/// CR.
const ADEN: u32 = 1 << 0;
const ADDIS: u32 = 1 << 1;
const ADSTART: u32 = 1 << 2;
const JADSTART: u32 = 1 << 3;
const ADSTP: u32 = 1 << 4;
const ADVREGEN: u32 = 1 << 28;
const DEEPPWD: u32 = 1 << 29;
const ADCAL: u32 = 1 << 31;
/// CFGR.
const DMAEN: u32 = 1 << 0;
const OVRMOD: u32 = 1 << 12;
const CONT: u32 = 1 << 13;
/// CFGR: parts of a sequence, watchdogs, injection.
const REFUSED: u32 = 1 << 16 | 7 << 22;
/// CFGR2: oversampling.
const OVERSAMPLING: u32 = 3;
/// Sampling times, in half cycles (RM0440 21.7.6).
const SAMPLING: [u64; 8] = [5, 13, 25, 49, 95, 185, 495, 1281];

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LaterAdcSettings {
    /// The converter's clock.
    clock: Option<String>,
    /// The lines that can start it, by CFGR.EXTSEL: `TIM2_TRGO`. An empty one is not modelled.
    #[serde(default)]
    triggers: Vec<String>,
    /// Values of channels without a stimulus: pairs of a channel and its value.
    #[serde(default)]
    values: Vec<[u32; 2]>,
}

impl Settings for LaterAdcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut adc = Adc::new(Ticks::of(clock));
        adc.irq = around.irq;
        adc.inputs = Inputs::new(&self.values)?;
        adc.triggers = around.wires.numbers(&self.triggers);
        adc.requester = Requester::new([around.wires.number(around.name), 0]);
        Ok(Box::new(adc))
    }
}

/// One converter.
#[derive(Clone, Default)]
pub(crate) struct Adc {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    inputs: Inputs,
    triggers: Vec<u16>,
    full: bool,
    converting: Option<(u32, u64)>,
    requester: Requester,
}

impl Adc {
    fn new(ticks: Ticks) -> Adc {
        Adc {
            ticks,
            ..Adc::default()
        }
    }

    fn length(&self) -> u32 {
        (self.regs[SQR] & 15) + 1
    }

    fn channel(&self, place: u32) -> u32 {
        let place = place + 1;
        self.regs[SQR + 4 * (place / 5)] >> (6 * (place % 5)) & 31
    }

    fn bits(&self) -> u32 {
        12 - 2 * (self.regs[CFGR] >> 3 & 3)
    }

    fn time(&self, channel: u32) -> u64 {
        let field = self.regs[SMPR + 4 * (channel / 10)] >> (3 * (channel % 10)) & 7;
        (SAMPLING[field as usize] + 2 * u64::from(self.bits()) + 1).div_ceil(2)
    }

    fn begin(&mut self, place: u32, now: u64) {
        self.ticks.restart(now);
        let end = self.ticks.cycle_of(self.time(self.channel(place)));
        self.converting = Some((place, end));
    }

    fn finish(&mut self, place: u32, now: u64) {
        let left = self.regs[CFGR] & 1 << 15 != 0;
        let value = self.inputs.value(self.channel(place), self.bits(), left);
        if self.full {
            self.regs[ISR] |= OVR;
        }
        if !self.full || self.regs[CFGR] & OVRMOD != 0 {
            (self.regs[DR], self.full) = (value, true);
        }
        self.regs[ISR] |= EOC | EOSMP;
        if place + 1 < self.length() {
            return self.begin(place + 1, now);
        }
        self.regs[ISR] |= EOS;
        if self.regs[CFGR] & CONT != 0 {
            self.begin(0, now);
        } else if self.regs[CFGR] >> 10 & 3 == 0 {
            self.regs[CR] &= !ADSTART;
        }
    }

    fn control(&mut self, Write { value, now, .. }: Write) {
        // Calibration, and turning it off, are done at once.
        self.regs[CR] = self.regs[CR] & (ADEN | ADSTART) | value & !(ADCAL | ADDIS | ADSTP);
        if value & ADDIS != 0 {
            self.regs[CR] &= !(ADEN | ADSTART);
            self.converting = None;
        }
        if value & ADSTP != 0 {
            self.regs[CR] &= !ADSTART;
            self.converting = None;
        }
        if self.regs[CR] & ADVREGEN == 0 {
            self.regs[CR] &= !ADEN;
        }
        if value & ADEN != 0 && self.regs[CR] & ADEN != 0 {
            self.regs[ISR] |= ADRDY;
        }
        let by_software = self.regs[CFGR] >> 10 & 3 == 0;
        if value & ADSTART != 0 && by_software && self.converting.is_none() {
            self.begin(0, now);
        }
    }

    fn read_data(&mut self) {
        self.regs[ISR] &= !EOC;
        self.full = false;
    }

    fn configure(&mut self, Write { value, .. }: Write) -> Result<(), DeviceError> {
        let chosen = value >> 5 & 31;
        let known = self.triggers.get(chosen as usize).copied().unwrap_or(0);
        if value & REFUSED != 0 || value >> 10 & 3 != 0 && known == 0 {
            return not_modelled(format!(
                "CFGR, a write of {value:#x}: watchdogs, parts of a sequence, or trigger {chosen}"
            ));
        }
        Ok(())
    }
}

impl Peripheral for Adc {
    fn advance(&mut self, now: u64) {
        while let Some((place, end)) = self.converting
            && end <= now
        {
            self.converting = None;
            self.finish(place, end);
        }
    }

    fn due(&self) -> u64 {
        let waits = self.regs[IER] & (EOSMP | EOC | EOS | OVR) != 0 || self.regs[CFGR] & DMAEN != 0;
        self.converting.filter(|_| waits).map_or(u64::MAX, |(_, end)| end)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.regs[ISR] & self.regs[IER] != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        self.requester
            .tell([self.full && self.regs[CFGR] & DMAEN != 0, false])
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Pulse(number) = effect {
            let chosen = (self.regs[CFGR] >> 5 & 31) as usize;
            let trigger = self.triggers.get(chosen).copied().unwrap_or(0);
            let waits = self.regs[CR] & ADSTART != 0 && self.regs[CFGR] >> 10 & 3 != 0;
            if waits && trigger != 0 && number == u32::from(trigger) && self.converting.is_none() {
                self.begin(0, now);
            }
        } else if self.ticks.concerns(effect) {
            self.advance(now);
            self.ticks.hear(effect);
        }
        Ok(())
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
        let mut adc = Adc::new(Ticks::of(ClockId(1)));
        adc.hear(Effect::Clock(ClockId::CORE, 80_000_000), 0).unwrap();
        adc.hear(Effect::Clock(ClockId(1), 80_000_000), 0).unwrap();
        for (channel, value) in [(3, 1000), (14, 4095)] {
            adc.stimulate(&Incoming::Value { channel, value }, 0).unwrap();
        }
        for value in [0, ADVREGEN, ADVREGEN | ADCAL, ADVREGEN | ADEN] {
            adc.write(CR, 4, value, 0).unwrap();
        }
        adc
    }

    #[test]
    fn it_is_started_converts_its_sequence_and_stops() {
        let mut adc = adc();
        assert_eq!(
            (adc.read(CR, 4, 0), adc.read(ISR, 4, 0)),
            (Ok(ADVREGEN | ADEN), Ok(ADRDY))
        );
        adc.write(SQR, 4, 14 << 12 | 3 << 6 | 1, 0).unwrap();
        adc.write(CR, 4, ADVREGEN | ADSTART, 100).unwrap();
        // Two and a half cycles and twelve and a half.
        assert_eq!(adc.read(ISR, 4, 114), Ok(ADRDY));
        assert_eq!(
            (adc.read(ISR, 4, 115).unwrap() & EOC, adc.read(DR, 4, 115)),
            (EOC, Ok(1000))
        );
        assert_eq!(
            (adc.read(ISR, 4, 130).unwrap() & EOS, adc.read(DR, 4, 130)),
            (EOS, Ok(4095))
        );
        assert_eq!(adc.read(CR, 4, 130), Ok(ADVREGEN | ADEN));
    }

    #[test]
    fn what_is_not_read_is_overrun() {
        let mut adc = adc();
        adc.write(CFGR, 4, CONT, 0).unwrap();
        adc.write(SQR, 4, 3 << 6, 0).unwrap();
        adc.write(CR, 4, ADVREGEN | ADSTART, 0).unwrap();
        assert_eq!(adc.read(ISR, 4, 100).unwrap() & OVR, OVR);
        adc.write(CR, 4, ADVREGEN | ADSTP, 100).unwrap();
        assert_eq!(adc.read(CR, 4, 100).unwrap() & ADSTART, 0);
    }
}
