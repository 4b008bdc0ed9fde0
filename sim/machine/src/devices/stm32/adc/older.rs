//! The older converter: SR, CR1, CR2, and sequences in SQR1 to SQR3.

use bus::{Device, DeviceError, Effect, Incoming, Irq};
use serde::Deserialize;

use super::Inputs;
use crate::devices::block::{Peripheral, Regs, Write, about, registers, tell};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Adc by OlderAdcSettings, B,
    "RM0041 10; RM0090 13",
    "sequences, scan, continuous, triggers of timers, DMA, interrupts, overrun, the watchdog; sampling and conversion take their time; values by stimuli (`ADC1.3@1000=2048`), else 0",
    "watchdogs of injected channels, discontinuous mode of those, two converters together; injected channels take no time"
}

registers! { Adc;
    // Bits are cleared by writing 0.
    SR    = 0x00 .then(|adc, write| adc.regs[SR] &= write.value);
    CR1   = 0x04 .write(!0).refuse(REFUSED, ": injected channels in parts, or watched")
        .then(|adc, write| if write.value & DISCEN == 0 { adc.parts = [0; 2] });
    CR2   = 0x08 .tries(Adc::control);
    SMPR1 = 0x0c .write(!0);
    SMPR2 = 0x10 .write(!0);
    JOFR  = 0x14 .times(4, 4).from(1).write(!0);
    HTR   = 0x24 .reset(0xfff).write(!0);
    LTR   = 0x28 .write(!0);
    SQR1  = 0x2c .write(!0);
    SQR2  = 0x30 .write(!0);
    SQR3  = 0x34 .write(!0);
    JSQR  = 0x38 .write(!0);
    JDR   = 0x3c .times(4, 4).from(1);
    DR    = 0x4c .taken(|adc, _| adc.read_data()).drops();
}

/// SR: a value beyond the watchdog's limits; conversions end, regular and injected; the same started; overrun. CR1 has the first two's interrupts at 5 and 7.
const AWD: u32 = 1 << 0;
const EOC: u32 = 1 << 1;
const JEOC: u32 = 1 << 2;
const JSTRT: u32 = 1 << 3;
const STRT: u32 = 1 << 4;
const OVR: u32 = 1 << 5;
/// CR1: interrupts, scan, discontinuous modes.
const EOCIE: u32 = 1 << 5;
const JEOCIE: u32 = 1 << 7;
const SCAN: u32 = 1 << 8;
const OVRIE: u32 = 1 << 26;
const DISCEN: u32 = 1 << 11;
const REFUSED: u32 = 1 << 12 | 1 << 22;
/// CR1: the watchdog of regular channels, its interrupt, and whether it watches one channel alone: that in the lowest bits. HTR and LTR have its limits.
const AWDEN: u32 = 1 << 23;
const AWDIE: u32 = 1 << 6;
const AWDSGL: u32 = 1 << 9;
/// CR2 of both families.
const ADON: u32 = 1 << 0;
const CONT: u32 = 1 << 1;
const DMA: u32 = 1 << 8;
const EOCS: u32 = 1 << 10;
const ALIGN: u32 = 1 << 11;
/// CR2 of the F1: calibrations, which are done at once.
const CALIBRATE: u32 = 3 << 2;

/// The family's fields of CR2, and its sampling times in half cycles.
#[derive(Clone, Copy, Debug)]
struct Family {
    swstart: u32,
    jswstart: u32,
    /// The trigger: its selection field, the field's width in bits, and its enable.
    select: (u32, u32),
    enable: u32,
    sampling: [u64; 8],
}

const F4: Family = Family {
    swstart: 1 << 30,
    jswstart: 1 << 22,
    select: (24, 4),
    enable: 3 << 28,
    sampling: [6, 30, 56, 112, 168, 224, 288, 960],
};
const F1: Family = Family {
    swstart: 1 << 22,
    jswstart: 1 << 21,
    select: (17, 3),
    enable: 1 << 20,
    sampling: [3, 15, 27, 57, 83, 111, 143, 479],
};

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OlderAdcSettings {
    /// The converter's clock.
    clock: Option<String>,
    /// Whether it is the F1's.
    #[serde(default)]
    f1: bool,
    /// The lines that can start it, by CR2.EXTSEL: `TIM2_TRGO`. An empty one is not modelled.
    #[serde(default)]
    triggers: Vec<String>,
    /// Values of channels without a stimulus: pairs of a channel and its value.
    #[serde(default)]
    values: Vec<[u32; 2]>,
}

impl Settings for OlderAdcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut adc = Adc::new(Ticks::of(clock), if self.f1 { F1 } else { F4 });
        adc.irq = around.irq;
        adc.inputs = Inputs::new(&self.values)?;
        adc.triggers = around.wires.numbers(&self.triggers);
        // The line is called as the converter.
        adc.requester = Requester::new([around.wires.number(around.name), 0]);
        Ok(Box::new(adc))
    }
}

/// One converter.
#[derive(Clone)]
pub(crate) struct Adc {
    regs: Regs<Self>,
    irq: Option<Irq>,
    family: Family,
    ticks: Ticks,
    inputs: Inputs,
    triggers: Vec<u16>,
    /// The data were not read yet.
    full: bool,
    /// Place in the sequence of the conversion under way, and the core cycle in which it is done.
    converting: Option<(u32, u64)>,
    /// In discontinuous mode, where the current part began, and where the next one begins.
    parts: [u32; 2],
    requester: Requester,
}

impl Adc {
    fn new(ticks: Ticks, family: Family) -> Adc {
        Adc {
            regs: Regs::default(),
            irq: None,
            family,
            ticks,
            inputs: Inputs::default(),
            triggers: Vec::new(),
            full: false,
            converting: None,
            parts: [0; 2],
            requester: Requester::default(),
        }
    }

    /// Conversions in the sequence.
    fn length(&self) -> u32 {
        if self.regs[CR1] & (SCAN | DISCEN) == 0 {
            1
        } else {
            (self.regs[SQR1] >> 20 & 15) + 1
        }
    }

    fn channel(&self, place: u32) -> u32 {
        self.regs[SQR3 - 4 * (place / 6)] >> (5 * (place % 6)) & 31
    }

    fn bits(&self) -> u32 {
        12 - 2 * (self.regs[CR1] >> 24 & 3)
    }

    /// The duration of a conversion, in cycles of the converter's clock.
    fn time(&self, channel: u32) -> u64 {
        let field = if channel < 10 {
            self.regs[SMPR2] >> (3 * channel)
        } else {
            self.regs[SMPR1] >> (3 * (channel - 10).min(9))
        };
        let sampling = self.family.sampling[(field & 7) as usize];
        // The F1 converts for twelve and a half cycles, the F4 for as many as bits.
        let converting = if self.family.swstart == F1.swstart {
            25
        } else {
            2 * u64::from(self.bits())
        };
        (sampling + converting).div_ceil(2)
    }

    /// Handles a trigger: starts the sequence, or its next part.
    fn start(&mut self, now: u64) {
        let place = if self.regs[CR1] & DISCEN == 0 {
            0
        } else {
            self.parts[1]
        };
        self.parts[0] = place;
        self.begin(place, now);
    }

    fn begin(&mut self, place: u32, now: u64) {
        if self.regs[CR2] & ADON == 0 {
            return;
        }
        self.regs[SR] |= STRT;
        self.ticks.restart(now);
        let end = self.ticks.cycle_of(self.time(self.channel(place)));
        self.converting = Some((place, end));
    }

    fn finish(&mut self, place: u32, now: u64) {
        let value = self
            .inputs
            .value(self.channel(place), self.bits(), self.regs[CR2] & ALIGN != 0);
        let is_f4 = self.family.swstart == F4.swstart;
        if is_f4 && self.full && self.regs[CR2] & (DMA | EOCS) != 0 {
            self.regs[SR] |= OVR;
            if self.regs[CR2] & DMA != 0 {
                return;
            }
        }
        (self.regs[DR], self.full) = (value, true);
        self.watch(self.channel(place));
        let last = place + 1 >= self.length();
        let in_parts = self.regs[CR1] & DISCEN != 0;
        if last || in_parts || is_f4 && self.regs[CR2] & EOCS != 0 {
            self.regs[SR] |= EOC;
        }
        if in_parts {
            let length = (self.regs[CR1] >> 13 & 7) + 1;
            self.parts[1] = if last { 0 } else { place + 1 };
            if !last && place + 1 - self.parts[0] < length {
                self.begin(place + 1, now);
            }
        } else if !last {
            self.begin(place + 1, now);
        } else if self.regs[CR2] & CONT != 0 {
            self.begin(0, now);
        }
    }

    /// The watchdog compares twelve bits, of which a lower resolution leaves the lowest out.
    fn watch(&mut self, channel: u32) {
        let control = self.regs[CR1];
        if control & AWDEN == 0 || control & AWDSGL != 0 && control & 31 != channel {
            return;
        }
        let value = self.inputs.value(channel, self.bits(), false) << (12 - self.bits());
        if value > self.regs[HTR] & 0xfff || value < self.regs[LTR] & 0xfff {
            self.regs[SR] |= AWD;
        }
    }

    /// Injected channels are converted at once, all of them: their interrupt comes too early by that time.
    fn inject(&mut self) {
        let sequence = self.regs[JSQR];
        let last = sequence >> 20 & 3;
        for place in 0..=last {
            let channel = sequence >> (5 * (3 - last + place)) & 31;
            let value = self
                .inputs
                .value(channel, self.bits(), self.regs[CR2] & ALIGN != 0);
            self.regs[JDR + 4 * place] = value;
        }
        self.regs[SR] |= JEOC | JSTRT;
    }

    fn control(&mut self, Write { value, now, .. }: Write) -> Result<(), DeviceError> {
        let (select, width) = self.family.select;
        let software = (1 << width) - 1;
        let chosen = value >> select & software;
        let is_f1 = self.family.swstart == F1.swstart;
        let by_software = is_f1 && chosen == software;
        if value & self.family.enable != 0 && !by_software {
            let known = self.triggers.get(chosen as usize).copied().unwrap_or(0);
            if known == 0 {
                return not_modelled(format!("CR2, a write of {value:#x}: trigger {chosen}"));
            }
        }
        let starts = value & self.family.swstart != 0
            || is_f1 && value & ADON != 0 && self.regs[CR2] & ADON != 0 && value == self.regs[CR2];
        let injects = value & self.family.jswstart != 0;
        self.regs[CR2] = value & !(self.family.swstart | self.family.jswstart);
        if is_f1 {
            self.regs[CR2] &= !CALIBRATE;
        }
        if value & ADON == 0 {
            (self.converting, self.parts) = (None, [0; 2]);
        } else if starts && self.converting.is_none() {
            self.start(now);
        }
        if value & ADON != 0 && injects {
            self.inject();
        }
        Ok(())
    }

    fn read_data(&mut self) {
        self.regs[SR] &= !EOC;
        self.full = false;
    }
}

impl Peripheral for Adc {
    fn advance(&mut self, now: u64) {
        while let Some((place, end)) = self.converting
            && end <= now
        {
            self.converting = None;
            self.finish(place, end);
            // A program that does not wait must not be waited for.
            if self.converting.is_some() && self.regs[CR2] & DMA == 0 && end == now {
                break;
            }
        }
    }

    fn due(&self) -> u64 {
        let waits = self.regs[CR1] & (EOCIE | JEOCIE | OVRIE | AWDIE) != 0 || self.regs[CR2] & DMA != 0;
        self.converting.filter(|_| waits).map_or(u64::MAX, |(_, end)| end)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        let interrupts = [(EOC, EOCIE), (JEOC, JEOCIE), (OVR, OVRIE), (AWD, AWDIE)];
        let raised = |&(flag, enable): &(u32, u32)| self.regs[SR] & flag != 0 && self.regs[CR1] & enable != 0;
        tell(self.irq, interrupts.iter().any(raised), line);
    }

    fn effect(&mut self) -> Option<Effect> {
        self.requester
            .tell([self.full && self.regs[CR2] & DMA != 0, false])
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Pulse(number) = effect {
            let (select, width) = self.family.select;
            let chosen = (self.regs[CR2] >> select & ((1 << width) - 1)) as usize;
            let trigger = self.triggers.get(chosen).copied().unwrap_or(0);
            let enabled = self.regs[CR2] & self.family.enable != 0 && self.converting.is_none();
            if enabled && trigger != 0 && number == u32::from(trigger) {
                self.start(now);
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

    fn adc(family: Family) -> Adc {
        let mut adc = Adc::new(Ticks::of(ClockId(1)), family);
        adc.hear(Effect::Clock(ClockId::CORE, 80_000_000), 0).unwrap();
        adc.hear(Effect::Clock(ClockId(1), 20_000_000), 0).unwrap();
        for (channel, value) in [(3, 1000), (4, 4095)] {
            adc.stimulate(&Incoming::Value { channel, value }, 0).unwrap();
        }
        adc
    }

    #[test]
    fn a_conversion_takes_its_time_and_gives_what_is_there() {
        let mut adc = adc(F4);
        adc.write(SQR3, 4, 3, 0).unwrap();
        adc.write(CR2, 4, ADON, 0).unwrap();
        adc.write(CR2, 4, ADON | F4.swstart, 100).unwrap();
        // Three cycles and twelve, of four core cycles.
        assert_eq!(adc.read(SR, 4, 159), Ok(STRT));
        assert_eq!(adc.read(SR, 4, 160), Ok(STRT | EOC));
        assert_eq!((adc.read(DR, 4, 160), adc.read(SR, 4, 160)), (Ok(1000), Ok(STRT)));
    }

    #[test]
    fn a_scan_requests_dma_for_each() {
        let mut adc = adc(F4);
        adc.requester = Requester::new([7, 0]);
        for (register, value) in [
            (CR1, SCAN),
            (SQR1, 1 << 20),
            (SQR3, 4 << 5 | 3),
            (CR2, ADON | DMA | F4.swstart),
        ] {
            adc.write(register, 4, value, 0).unwrap();
        }
        let mut read = |now| {
            assert_eq!(adc.next_event(), now);
            adc.poll(now, &mut |_, _| {});
            assert_eq!(
                adc.take_effect(),
                Some(Effect::Wire {
                    number: 7,
                    level: true
                })
            );
            let value = adc.read(DR, 4, now).unwrap();
            assert_eq!(
                adc.take_effect(),
                Some(Effect::Wire {
                    number: 7,
                    level: false
                })
            );
            value
        };
        assert_eq!([read(60), read(120)], [1000, 4095]);
    }

    #[test]
    fn a_trigger_starts_it_and_an_unknown_one_is_named() {
        let mut adc = adc(F4);
        adc.triggers = vec![0, 0, 0, 0, 0, 0, 9];
        adc.write(SQR3, 4, 3, 0).unwrap();
        assert!(adc.write(CR2, 4, ADON | 1 << 28 | 5 << 24, 0).is_err());
        adc.write(CR2, 4, ADON | 1 << 28 | 6 << 24, 0).unwrap();
        adc.hear(Effect::Pulse(9), 10).unwrap();
        assert_eq!(adc.read(SR, 4, 1000).unwrap() & EOC, EOC);
    }

    #[test]
    fn the_f1_starts_when_it_is_turned_on_again() {
        let mut adc = adc(F1);
        adc.write(SQR3, 4, 4, 0).unwrap();
        adc.write(CR2, 4, ADON | CALIBRATE, 0).unwrap();
        assert_eq!(adc.read(CR2, 4, 0), Ok(ADON));
        adc.write(CR2, 4, ADON, 0).unwrap();
        // One and a half cycles and twelve and a half.
        assert_eq!(
            (adc.read(SR, 4, 55), adc.read(SR, 4, 56)),
            (Ok(STRT), Ok(STRT | EOC))
        );
    }

    /// RM0041 10.3.10: each trigger converts the next part; the last one is what is left, and then it begins again.
    #[test]
    fn in_discontinuous_mode_each_trigger_converts_a_part() {
        let mut adc = adc(F4);
        adc.triggers = vec![9];
        adc.write(SQR1, 4, 2 << 20, 0).unwrap();
        adc.write(SQR3, 4, 4 << 10 | 3 << 5 | 4, 0).unwrap();
        // Two of three channels at a time: 4 and 3, then 4 again.
        adc.write(CR1, 4, DISCEN | 1 << 13, 0).unwrap();
        adc.write(CR2, 4, ADON | 1 << 28, 0).unwrap();
        for (trigger, first, second) in [
            (0, 4095, Some(1000)),
            (1000, 4095, None),
            (2000, 4095, Some(1000)),
        ] {
            adc.hear(Effect::Pulse(9), trigger).unwrap();
            assert_eq!(adc.read(DR, 4, trigger + 61), Ok(first));
            let status = adc.read(SR, 4, trigger + 900).unwrap();
            assert_eq!(status & EOC != 0, second.is_some(), "behind trigger {trigger}");
            if let Some(value) = second {
                assert_eq!(adc.read(DR, 4, trigger + 900), Ok(value));
            }
        }
    }

    #[test]
    fn injected_channels_have_their_own_data() {
        let mut adc = adc(F4);
        adc.write(JSQR, 4, 1 << 20 | 4 << 15 | 3 << 10, 0).unwrap();
        adc.write(CR2, 4, ADON | F4.jswstart, 0).unwrap();
        assert_eq!(
            (adc.read(JDR, 4, 0), adc.read(JDR + 4, 4, 0)),
            (Ok(1000), Ok(4095))
        );
    }

    #[test]
    fn a_value_beyond_its_limits_wakes_the_watchdog() {
        // Channel 3 has 1000, channel 4 4095.
        for (control, channel, limits, barks) in [
            (AWDEN, 3, [999, 0], true),
            (AWDEN, 3, [1000, 1000], false),
            (AWDEN, 3, [4095, 1001], true),
            (AWDEN | AWDSGL | 4, 3, [999, 0], false),
            (AWDEN | AWDSGL | 3, 3, [999, 0], true),
            (0, 3, [999, 0], false),
        ] {
            let mut adc = adc(F4);
            adc.irq = Some(Irq::External(18));
            let [high, low] = limits;
            for (register, value) in [(CR1, control | AWDIE), (HTR, high), (LTR, low), (SQR3, channel)] {
                adc.write(register, 4, value, 0).unwrap();
            }
            adc.write(CR2, 4, ADON | F4.swstart, 0).unwrap();
            let mut interrupts = false;
            adc.poll(1000, &mut |_, level| interrupts = level);
            assert_eq!(interrupts, barks, "{control:#x} {limits:?}");
            assert_eq!(adc.read(SR, 4, 1000).unwrap() & AWD != 0, barks);
        }
    }
}
