//! Arm `PrimeCell` SSP (PL022, Arm DDI 0194) as a master, with its FIFOs of eight frames.
//!
//! A frame takes its bits, each CPSDVSR times (1 + SCR) ticks of its clock. What comes back is what stimuli gave (`SPI0@0=\x01\x02`), or ones; or
//! the frame itself, with loop-back. What is sent can be shown by `--output`. The role of a slave is not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside};
use serde::Deserialize;

use super::answers::Answers;
use super::requester::Requester;
use super::{Around, Settings, Ticks, not_modelled};

const CR0: u32 = 0x00;
const CR1: u32 = 0x04;
const DR: u32 = 0x08;
const SR: u32 = 0x0c;
const CPSR: u32 = 0x10;
const IMSC: u32 = 0x14;
const RIS: u32 = 0x18;
const MIS: u32 = 0x1c;
const ICR: u32 = 0x20;
const DMACR: u32 = 0x24;
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
/// `PeriphID0` to 3 and `PCellID0` to 3.
const ID: [u32; 8] = [0x22, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// What a board file says of it.
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
#[derive(Clone)]
pub(crate) struct Pl022 {
    irq: Option<Irq>,
    ticks: Ticks,
    control: [u32; 2],
    prescaler: u32,
    mask: u32,
    dma: u32,
    /// Of the interrupts, those that stay until they are cleared.
    raw: u32,
    waiting: VecDeque<u16>,
    /// The frame in the shift register, and the core cycle in which it is through.
    shifting: Option<(u16, u64)>,
    received: VecDeque<u16>,
    idle: u64,
    answers: Answers,
    sent: Vec<u8>,
    requester: Requester,
}

impl Pl022 {
    fn new(irq: Option<Irq>, ticks: Ticks) -> Pl022 {
        Pl022 {
            irq,
            ticks,
            control: [0; 2],
            prescaler: 0,
            mask: 0,
            dma: 0,
            raw: 0,
            waiting: VecDeque::new(),
            shifting: None,
            received: VecDeque::new(),
            idle: u64::MAX,
            answers: Answers::default(),
            sent: Vec::new(),
            requester: Requester::default(),
        }
    }

    /// Of a frame; fewer than four are reserved.
    fn width(&self) -> u32 {
        (self.control[0] & 15).max(3) + 1
    }

    fn ticks_of(&self, bits: u64) -> u64 {
        let divider = self.prescaler & 0xfe;
        bits * u64::from(divider.max(2)) * u64::from(1 + (self.control[0] >> 8 & 0xff))
    }

    fn is_on(&self) -> bool {
        self.control[1] & SSE != 0
    }

    fn catch_up(&mut self, now: u64) {
        while let Some((frame, end)) = self.shifting
            && end <= now
        {
            self.shifting = None;
            self.exchanged(frame, end);
            self.shift(end);
        }
        if self.idle <= now && !self.received.is_empty() {
            self.raw |= TIME_OUT;
            self.idle = u64::MAX;
        }
    }

    fn exchanged(&mut self, frame: u16, now: u64) {
        let wide = self.width() > 8;
        self.sent.extend(&frame.to_le_bytes()[..=usize::from(wide)]);
        let answer = if self.control[1] & LBM != 0 {
            frame
        } else {
            self.answers.exchange(frame, self.width(), now)
        };
        if self.received.len() < ROOM {
            self.received
                .push_back(answer & (u16::MAX >> (16 - self.width())));
        } else {
            self.raw |= OVERRUN;
        }
        self.ticks.restart(now);
        self.idle = self.ticks.cycle_of(self.ticks_of(IDLE_BITS));
    }

    fn shift(&mut self, now: u64) {
        if self.shifting.is_some() || !self.is_on() {
            return;
        }
        if let Some(frame) = self.waiting.pop_front() {
            self.ticks.restart(now);
            let ticks = self.ticks_of(self.width().into());
            self.shifting = Some((frame, self.ticks.cycle_of(ticks)));
        }
    }

    fn status(&self) -> u32 {
        u32::from(self.waiting.is_empty())
            | u32::from(self.waiting.len() < ROOM) << 1
            | u32::from(!self.received.is_empty()) << 2
            | u32::from(self.received.len() == ROOM) << 3
            | u32::from(self.shifting.is_some() || !self.waiting.is_empty() && self.is_on()) << 4
    }

    fn interrupts(&self) -> u32 {
        let half = ROOM / 2;
        let rx = if self.received.len() >= half { RX } else { 0 };
        let tx = if self.waiting.len() <= half { TX } else { 0 };
        self.raw | rx | tx
    }
}

impl Device for Pl022 {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR0 => Ok(self.control[0]),
            CR1 => Ok(self.control[1]),
            DR => Ok(self.received.pop_front().map_or(0, u32::from)),
            SR => Ok(self.status()),
            CPSR => Ok(self.prescaler),
            IMSC => Ok(self.mask),
            RIS => Ok(self.interrupts()),
            MIS => Ok(self.interrupts() & self.mask),
            ICR => Ok(0),
            DMACR => Ok(self.dma),
            register @ 0xfe0..=0xffc => Ok(ID[(register - 0xfe0) as usize / 4]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR0 => self.control[0] = value & 0xffff,
            CR1 if value & (MS | SSE) == MS | SSE => {
                return not_modelled(format!("SSPCR1, a write of {value:#x}: the role of a slave"));
            }
            CR1 => {
                self.control[1] = value & 15;
                self.shift(now);
            }
            DR if self.waiting.len() < ROOM => {
                self.waiting
                    .push_back(value as u16 & (u16::MAX >> (16 - self.width())));
                self.shift(now);
            }
            DR | SR | RIS | MIS => {}
            CPSR => self.prescaler = value & 0xff,
            IMSC => self.mask = value & 15,
            ICR => self.raw &= !(value & (OVERRUN | TIME_OUT)),
            DMACR => self.dma = value & 3,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.mask != 0 || self.dma != 0 || self.answers.gives();
        let end = self.shifting.map_or(u64::MAX, |(_, end)| end);
        let idle = if self.mask & TIME_OUT == 0 {
            u64::MAX
        } else {
            self.idle
        };
        let own = if waits { end.min(idle) } else { u64::MAX };
        own.min(self.answers.next_event())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.answers.poll(now);
        if let Some(irq) = self.irq {
            line(irq, self.interrupts() & self.mask != 0);
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let rx = self.dma & 1 != 0 && !self.received.is_empty();
        let tx = self.dma & 2 != 0 && self.waiting.len() < ROOM;
        self.requester.tell([rx, tx])
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        // A frame under way ends as it began, and before its target hears of anything.
        if self.ticks.concerns(effect) || self.answers.gives() {
            self.catch_up(now);
        }
        if self.ticks.concerns(effect) {
            self.ticks.hear(effect);
        }
        self.answers.hear(effect, now)
    }

    fn carry(&mut self, outside: &mut Outside) {
        outside.carry(&mut self.answers);
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        self.answers.unreceived().into_iter().collect()
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.answers.stimulate(input, now)
    }

    fn gives(&self) -> bool {
        self.answers.gives()
    }

    fn take_given(&mut self) -> Option<Given> {
        self.answers.take_given()
    }

    fn note(&mut self) -> Option<String> {
        self.answers.note()
    }

    fn is_console(&self) -> bool {
        false
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        if !self.sent.is_empty() {
            sink(&self.sent);
            self.sent.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

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
        assert_eq!(spi.sent, [0x5a]);
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
