//! Arm `PrimeCell` SSP (PL022, Arm DDI 0194) as a master, with its FIFOs of eight frames.
//!
//! A frame takes its bits, each CPSDVSR times (1 + SCR) ticks of its clock. What comes back is what stimuli gave (`SPI0@0=\x01\x02`), or ones; or
//! the frame itself, with loop-back. What is sent can be shown by `--output`. The role of a slave is not modelled.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use super::answers::Answers;
use super::block::{At, Half, Peripheral, Regs, Write, about, registers, tell};
use super::requester::Requester;
use super::shift::{Format, ShiftRegister};
use super::{Around, Settings, Ticks, not_modelled};

about! { Pl022 by Pl022Settings, B,
    "DDI 0194",
    "an SPI master with FIFOs, interrupts, DMA; answers by stimuli (`SPI0@0=\\x01`), or loop-back; `--output` shows its output",
    "slave"
}

registers! { Pl022 answers;
    CR0   = 0x00 .write(0xffff);
    CR1   = 0x04 .write(15).tries(|_, write| Pl022::control(write));
    DR    = 0x08 .shows(|spi, _| spi.front()).taken(|spi, _| { spi.shift.received.pop_front(); }).then(Pl022::send);
    SR    = 0x0c .shows(Pl022::status).drops();
    CPSR  = 0x10 .write(0xff);
    IMSC  = 0x14 .write(15);
    RIS   = 0x18 .shows(|spi, _| spi.interrupts()).drops();
    MIS   = 0x1c .shows(|spi, _| spi.interrupts() & spi.regs[IMSC]).drops();
    ICR   = 0x20 .then(|spi, write| spi.raw &= !(write.value & (OVERRUN | TIME_OUT)));
    DMACR = 0x24 .write(3);
    PERIPH_ID = 0xfe0 .times(4, 4).shows(|_, at| 0x0034_1022 >> (8 * at.n) & 0xff);
    PCELL_ID  = 0xff0 .times(4, 4).shows(|_, at| 0xb105_f00d >> (8 * at.n) & 0xff);
}

/// Frames that a FIFO holds.
const ROOM: usize = 8;
/// CR1: loop-back, on, slave.
const LBM: u32 = 1 << 0;
const SSE: u32 = 1 << 1;
const MS: u32 = 1 << 2;
/// Interrupts: overrun, silence, received, sent.
const OVERRUN: u32 = 1 << 0;
const TIME_OUT: u32 = 1 << 1;
const RX: u32 = 1 << 2;
const TX: u32 = 1 << 3;
/// Bits of silence until what waits is told of (2.3.12 of the manual).
const IDLE_BITS: u64 = 32;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pl022Settings {
    /// The clock of its bit rate.
    clock: Option<String>,
    /// The script on the other side.
    target: Option<String>,
}

impl Settings for Pl022Settings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut spi = Pl022::new(around.irq, Ticks::of(clock));
        spi.answers = Answers::new(self.target.as_ref(), around)?;
        spi.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(spi))
    }
}

/// One SSP.
#[derive(Clone, Default)]
pub(crate) struct Pl022 {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    /// Raw status of the interrupts that stay until cleared.
    raw: u32,
    shift: ShiftRegister,
    idle: Option<u64>,
    answers: Answers,
    requester: Requester,
}

impl Pl022 {
    fn new(irq: Option<Irq>, ticks: Ticks) -> Pl022 {
        Pl022 {
            irq,
            ticks,
            ..Pl022::default()
        }
    }

    fn format(&self) -> Format {
        let divider = (self.regs[CPSR] & 0xfe).max(2);
        Format {
            // Fewer than four are reserved.
            bits: (self.regs[CR0] & 15).max(3) + 1,
            ticks: u64::from(divider) * u64::from(1 + (self.regs[CR0] >> 8 & 0xff)),
            room: ROOM,
            loopback: self.regs[CR1] & LBM != 0,
            on: self.regs[CR1] & SSE != 0,
        }
    }

    /// The received frame that is read next.
    fn front(&self) -> u32 {
        self.shift.received.front().map_or(0, |&frame| frame.into())
    }

    fn status(&self, _: At) -> u32 {
        u32::from(self.shift.waiting.is_empty())
            | u32::from(self.shift.waiting.len() < ROOM) << 1
            | u32::from(!self.shift.received.is_empty()) << 2
            | u32::from(self.shift.received.len() == ROOM) << 3
            | u32::from(self.shift.is_busy(self.format())) << 4
    }

    fn interrupts(&self) -> u32 {
        let half = ROOM / 2;
        let rx = if self.shift.received.len() >= half { RX } else { 0 };
        let tx = if self.shift.waiting.len() <= half { TX } else { 0 };
        self.raw | rx | tx
    }

    fn control(write: Write) -> Result<(), DeviceError> {
        if write.value & (MS | SSE) == MS | SSE {
            let value = write.value;
            return not_modelled(format!("SSPCR1, a write of {value:#x}: the role of a slave"));
        }
        Ok(())
    }

    fn send(&mut self, write: Write) {
        if self.shift.waiting.len() < ROOM {
            let frame = self.format().cut(write.value as u16);
            self.shift.waiting.push_back(frame);
        }
    }
}

impl Peripheral for Pl022 {
    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    fn advance(&mut self, now: u64) {
        let format = self.format();
        while let Some(end) = self.shift.exchange(format, &mut self.answers, now) {
            self.ticks.restart(end);
            self.idle = Some(self.ticks.cycle_of(IDLE_BITS * format.ticks));
            self.shift.begin(format, &mut self.ticks, end);
        }
        if std::mem::take(&mut self.shift.overrun) {
            self.raw |= OVERRUN;
        }
        if self.idle.is_some_and(|idle| idle <= now) && !self.shift.received.is_empty() {
            self.raw |= TIME_OUT;
            self.idle = None;
        }
    }

    fn settle(&mut self, now: u64) {
        let format = self.format();
        self.shift.begin(format, &mut self.ticks, now);
    }

    fn due(&self) -> u64 {
        let (mask, dma) = (self.regs[IMSC], self.regs[DMACR]);
        let waits = mask != 0 || dma != 0 || self.answers.gives();
        let idle = self.idle.filter(|_| mask & TIME_OUT != 0).unwrap_or(u64::MAX);
        if waits {
            self.shift.due().min(idle)
        } else {
            u64::MAX
        }
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.interrupts() & self.regs[IMSC] != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let rx = self.regs[DMACR] & 1 != 0 && !self.shift.received.is_empty();
        let tx = self.regs[DMACR] & 2 != 0 && self.shift.waiting.len() < ROOM;
        self.requester.tell([rx, tx])
    }

    fn heard(&mut self, _effect: Effect, now: u64) -> Result<(), DeviceError> {
        // A frame under way ends before its target hears of anything.
        if self.answers.gives() {
            self.advance(now);
        }
        Ok(())
    }

    fn is_for_people(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;
    use bus::Incoming;

    /// Eight bits at a tenth of the core's clock.
    fn spi() -> Pl022 {
        let mut spi = Pl022::new(Some(Irq::External(18)), Ticks::of(ClockId(1)));
        for clock in [ClockId::CORE, ClockId(1)] {
            spi.hear(Effect::Clock(clock, 100_000_000), 0).unwrap();
        }
        for (offset, value) in [(CR0, 4 << 8 | 7), (CPSR, 2), (CR1, SSE)] {
            spi.write(offset, 4, value, 0).unwrap();
        }
        spi
    }

    #[test]
    fn a_frame_takes_its_bits_and_brings_an_answer() {
        let mut spi = spi();
        spi.stimulate(&Incoming::Bytes(vec![0x12]), 0).unwrap();
        spi.write(DR, 4, 0x5a, 0).unwrap();
        assert_eq!(spi.read(SR, 4, 79), Ok(0b1_0011));
        assert_eq!(spi.read(SR, 4, 80), Ok(0b0_0111));
        assert_eq!((spi.read(DR, 4, 80), spi.read(SR, 4, 80)), (Ok(0x12), Ok(3)));
        let mut sent = Vec::new();
        spi.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, [0x5a]);
    }

    #[test]
    fn fifos_have_eight_places_and_tell_of_halves_overrun_and_silence() {
        let mut spi = spi();
        spi.write(CR1, 4, SSE | LBM, 0).unwrap();
        // One is shifted, eight wait, one is lost.
        for frame in 0..10 {
            spi.write(DR, 4, frame, 0).unwrap();
        }
        assert_eq!(spi.read(RIS, 4, 80 * 3), Ok(0), "5 wait, 3 came");
        assert_eq!(spi.read(RIS, 4, 80 * 4), Ok(RX | TX));
        assert_eq!(spi.read(RIS, 4, 80 * 9), Ok(RX | TX | OVERRUN));
        assert_eq!(spi.read(RIS, 4, 80 * 9 + 320), Ok(RX | TX | OVERRUN | TIME_OUT));
        spi.write(ICR, 4, 3, 2000).unwrap();
        let frames: Vec<u32> = (0..9).map(|_| spi.read(DR, 4, 2000).unwrap()).collect();
        assert_eq!(frames, [0, 1, 2, 3, 4, 5, 6, 7, 0]);
    }

    #[test]
    fn dma_is_asked_for_by_room_and_by_frames() {
        let mut spi = spi();
        spi.requester = Requester::new([5, 6]);
        spi.write(DMACR, 4, 3, 0).unwrap();
        let wire = |number, level| Some(Effect::Wire { number, level });
        assert_eq!((spi.take_effect(), spi.take_effect()), (wire(6, true), None));
        spi.write(DR, 4, 1, 0).unwrap();
        spi.poll(spi.next_event(), &mut |_, _| {});
        assert_eq!(spi.take_effect(), wire(5, true));
        assert!(spi.write(CR1, 4, SSE | MS, 99).is_err());
    }
}
