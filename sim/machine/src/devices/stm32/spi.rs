//! ST's SPI as a master: with a data register (RM0041 chapter 23, RM0090 28), or with FIFOs and 4 to 16 bits (RM0394 42, RM0440 39).
//!
//! A frame takes its bits at the rate of CR1.BR. What comes back is the other side's ([`Answers`]), or the frame itself, where
//! the board file connects both lines (`loopback`). What is sent can be shown by `--output`. CRC, one line for both directions, I2S and the
//! role of a slave are not modelled.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect, Given, Incoming, Irq, Outside};
use serde::Deserialize;

use crate::devices::answers::Answers;
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SR: u32 = 0x08;
const DR: u32 = 0x0c;
const CRCPR: u32 = 0x10;
const I2SCFGR: u32 = 0x1c;
const I2SPR: u32 = 0x20;

const MASTER: u32 = 1 << 2;
const ON: u32 = 1 << 6;
const RXONLY: u32 = 1 << 10;
const DFF: u32 = 1 << 11;
/// CR1: CRC, and one line for both directions.
const REFUSED: u32 = 1 << 12 | 1 << 13 | 1 << 15;
/// CR2: DMA of both directions; their interrupts. SR has the flags of these at 0 and 1.
const RXDMAEN: u32 = 1 << 0;
const TXDMAEN: u32 = 1 << 1;
const ERRIE: u32 = 1 << 5;
const RXNEIE: u32 = 1 << 6;
const TXEIE: u32 = 1 << 7;
/// CR2 with FIFOs: eight bits are enough for RXNE.
const FRXTH: u32 = 1 << 12;
const RXNE: u32 = 1 << 0;
const TXE: u32 = 1 << 1;
const OVR: u32 = 1 << 6;
const BSY: u32 = 1 << 7;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpiSettings {
    /// The clock of its bus.
    clock: Option<String>,
    /// Whether it has FIFOs.
    #[serde(default)]
    fifo: bool,
    /// Whether what it sends comes back.
    #[serde(default)]
    loopback: bool,
    /// The script on the other side.
    target: Option<String>,
}

impl Settings for SpiSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut spi = Spi::new(around.irq, clock, self.fifo);
        if self.loopback && self.target.is_some() {
            return Err("with `loopback` there is no `target`".into());
        }
        spi.loopback = self.loopback;
        spi.answers = Answers::new(self.target.as_ref(), around)?;
        spi.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(spi))
    }
}

/// One SPI.
#[derive(Clone)]
pub(crate) struct Spi {
    irq: Option<Irq>,
    ticks: Ticks,
    fifo: bool,
    loopback: bool,
    control: [u32; 2],
    polynomial: u32,
    /// Frames that wait to be sent.
    waiting: VecDeque<u16>,
    /// The frame in the shift register, and the core cycle in which it is through.
    shifting: Option<(u16, u64)>,
    received: VecDeque<u16>,
    overrun: bool,
    /// What the other side will send.
    answers: Answers,
    sent: Vec<u8>,
    requester: Requester,
}

impl Spi {
    fn new(irq: Option<Irq>, clock: ClockId, fifo: bool) -> Spi {
        Spi {
            irq,
            ticks: Ticks::of(clock),
            fifo,
            loopback: false,
            control: [0, if fifo { 0x700 } else { 0 }],
            polynomial: 7,
            waiting: VecDeque::new(),
            shifting: None,
            received: VecDeque::new(),
            overrun: false,
            answers: Answers::default(),
            sent: Vec::new(),
            requester: Requester::default(),
        }
    }

    /// Of a frame.
    fn bits(&self) -> u32 {
        match (self.fifo, self.control[0] & DFF) {
            (true, _) => (self.control[1] >> 8 & 15).max(3) + 1,
            (false, 0) => 8,
            (false, _) => 16,
        }
    }

    /// Frames that fit where they wait, on either side.
    fn room(&self) -> usize {
        match (self.fifo, self.bits()) {
            (false, _) => 1,
            (true, 0..=8) => 4,
            (true, _) => 2,
        }
    }

    fn is_on(&self) -> bool {
        self.control[0] & ON != 0
    }

    /// Moves frames through the shift register as far as core cycle `now`.
    fn catch_up(&mut self, now: u64) {
        while let Some((frame, end)) = self.shifting
            && end <= now
        {
            self.shifting = None;
            self.exchanged(frame, end);
            self.shift(end);
        }
    }

    fn exchanged(&mut self, frame: u16, now: u64) {
        let wide = self.bits() > 8;
        self.sent.extend(&frame.to_le_bytes()[..=usize::from(wide)]);
        let answer = if self.loopback {
            frame
        } else {
            self.answers.exchange(frame, self.bits(), now)
        };
        if self.received.len() < self.room() {
            self.received.push_back(answer & (u16::MAX >> (16 - self.bits())));
        } else {
            self.overrun = true;
        }
    }

    /// Begins with the next frame, if there is one.
    fn shift(&mut self, now: u64) {
        if self.shifting.is_some() || !self.is_on() {
            return;
        }
        if let Some(frame) = self.waiting.pop_front() {
            self.ticks.restart(now);
            let ticks = u64::from(self.bits()) << ((self.control[0] >> 3 & 7) + 1);
            self.shifting = Some((frame, self.ticks.cycle_of(ticks)));
        }
    }

    fn status(&self) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let half_full = self.fifo && self.bits() <= 8 && self.control[1] & FRXTH == 0;
        let needed = if half_full { 2 } else { 1 };
        let status = flag(self.received.len() >= needed, RXNE)
            | flag(
                self.waiting.len() <= self.room() / 2 && self.waiting.len() < self.room(),
                TXE,
            )
            | flag(self.overrun, OVR)
            | flag(
                self.shifting.is_some() || !self.waiting.is_empty() && self.is_on(),
                BSY,
            );
        if !self.fifo {
            return status;
        }
        let level = |frames: usize| match (frames, self.bits() > 8) {
            (0, _) => 0,
            (frames, wide) => ((1 + usize::from(wide)) * frames).clamp(1, 3) as u32,
        };
        status | level(self.received.len()) << 9 | level(self.waiting.len()) << 11
    }

    fn send(&mut self, frame: u16, now: u64) {
        if self.waiting.len() == self.room() {
            self.waiting.pop_back();
        }
        self.waiting.push_back(frame);
        self.shift(now);
    }

    fn write_control(&mut self, value: u32, now: u64) -> Result<(), DeviceError> {
        if value & REFUSED != 0 || value & ON != 0 && value & RXONLY != 0 {
            return not_modelled(format!(
                "CR1, a write of {value:#x}: CRC, one line, or receiving alone"
            ));
        }
        if value & ON != 0 && value & MASTER == 0 {
            return not_modelled(format!("CR1, a write of {value:#x}: the role of a slave"));
        }
        self.control[0] = value;
        self.shift(now);
        Ok(())
    }
}

impl Device for Spi {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => Ok(self.control[0]),
            CR2 => Ok(self.control[1]),
            SR => Ok(self.status()),
            DR => {
                self.overrun = false;
                let mut frame = || self.received.pop_front().map_or(0, u32::from);
                // A halfword takes two packed frames.
                let packed = self.fifo && size > 1 && self.control[1] >> 8 & 15 <= 7;
                Ok(if packed { frame() | frame() << 8 } else { frame() })
            }
            CRCPR => Ok(self.polynomial),
            I2SPR => Ok(2),
            I2SCFGR | 0x14 | 0x18 => Ok(0),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => return self.write_control(value, now),
            CR2 => self.control[1] = value,
            SR | I2SPR => {}
            DR if self.fifo && size > 1 && self.bits() <= 8 => {
                self.send(value as u8 as u16, now);
                self.send((value >> 8) as u8 as u16, now);
            }
            DR => self.send(value as u16 & (u16::MAX >> (16 - self.bits())), now),
            CRCPR => self.polynomial = value,
            I2SCFGR if value & 1 << 11 == 0 => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits =
            self.control[1] & (ERRIE | RXNEIE | TXEIE | RXDMAEN | TXDMAEN) != 0 || self.answers.gives();
        let end = self.shifting.filter(|_| waits).map_or(u64::MAX, |(_, end)| end);
        end.min(self.answers.next_event())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.answers.poll(now);
        let (status, control) = (self.status(), self.control[1]);
        if let Some(irq) = self.irq {
            let interrupts = [(RXNE, RXNEIE), (TXE, TXEIE), (OVR, ERRIE)];
            let raised = |&(flag, enable): &(u32, u32)| status & flag != 0 && control & enable != 0;
            line(irq, interrupts.iter().any(raised));
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let (status, control) = (self.status(), self.control[1]);
        let on = self.is_on();
        self.requester.tell([
            status & RXNE != 0 && control & RXDMAEN != 0,
            on && status & TXE != 0 && control & TXDMAEN != 0,
        ])
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
    use crate::devices::script::TargetScript;

    fn spi(fifo: bool) -> Spi {
        let mut spi = Spi::new(Some(Irq::External(35)), ClockId(1), fifo);
        spi.hear(Effect::Clock(ClockId::CORE, 80_000_000), 0).unwrap();
        spi.hear(Effect::Clock(ClockId(1), 80_000_000), 0).unwrap();
        // Four ticks a bit.
        spi.write(CR1, 4, MASTER | ON | 1 << 3, 0).unwrap();
        spi.write(CR2, 4, FRXTH | 0x700, 0).unwrap();
        spi
    }

    /// A shift register that is selected by pin 4 of port A, and says what it held.
    #[test]
    fn a_script_exchanges_frames_while_its_pin_selects_it() {
        let text = "fn reset() { this.held = 0x1e5; this.on = false; }
                    fn port(port, pin, level) { if port == 0 && pin == 4 { this.on = !level; } }
                    fn exchange(frame, bits) { if !this.on { return (1 << bits) - 1; } let was = this.held; this.held = frame; was & 0xff }";
        let mut spi = spi(false);
        spi.answers = Answers::of(TargetScript::of_text(text, true).unwrap());
        spi.write(CR1, 4, MASTER | ON, 0).unwrap();
        let mut exchange = |frame, select: Option<bool>, now| {
            if let Some(selected) = select {
                let effect = Effect::Pin {
                    port: 0,
                    pin: 4,
                    level: !selected,
                };
                spi.hear(effect, now).unwrap();
            }
            spi.write(DR, 4, frame, now).unwrap();
            assert!(spi.next_event() > now);
            spi.read(DR, 4, now + 99).unwrap()
        };
        let answers = [
            exchange(0x11, None, 0),
            exchange(0x22, Some(true), 100),
            exchange(0x33, None, 200),
            exchange(0x44, Some(false), 300),
        ];
        assert_eq!(answers, [0xff, 0xe5, 0x22, 0xff]);
        let value = Incoming::Bytes(vec![1]);
        assert!(spi.stimulate(&value, 400).is_err());
    }

    #[test]
    fn a_frame_takes_its_bits_and_brings_an_answer() {
        let mut spi = spi(false);
        spi.stimulate(&Incoming::Bytes(vec![0x5a]), 0).unwrap();
        spi.write(DR, 4, 0x11, 100).unwrap();
        assert_eq!(spi.read(SR, 4, 131), Ok(TXE | BSY));
        assert_eq!(spi.read(SR, 4, 132), Ok(TXE | RXNE));
        assert_eq!(spi.read(DR, 4, 132), Ok(0x5a));
        spi.write(DR, 4, 0x22, 200).unwrap();
        assert_eq!(spi.read(DR, 4, 300), Ok(0xff), "nobody answers");
        let mut sent = Vec::new();
        spi.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, [0x11, 0x22]);
    }

    #[test]
    fn what_is_not_read_is_overrun() {
        let mut spi = spi(false);
        for now in [0, 100] {
            spi.write(DR, 4, 1, now).unwrap();
        }
        assert_eq!(spi.read(SR, 4, 200).unwrap() & OVR, OVR);
        spi.write(CR2, 4, ERRIE, 200).unwrap();
        let mut high = false;
        spi.irq = Some(Irq::External(35));
        spi.poll(200, &mut |_, level| high = level);
        assert!(high, "the interrupt of errors");
        spi.read(DR, 4, 200).unwrap();
        assert_eq!(spi.read(SR, 4, 200).unwrap() & OVR, 0);
    }

    #[test]
    fn a_halfword_is_two_packed_frames() {
        let mut spi = spi(true);
        spi.loopback = true;
        spi.write(DR, 2, 0xabcd, 0).unwrap();
        assert_eq!(spi.read(DR, 2, 100), Ok(0xabcd));
        spi.write(DR, 1, 0x12, 100).unwrap();
        assert_eq!(
            (spi.read(SR, 4, 140).unwrap() & RXNE, spi.read(DR, 1, 140)),
            (RXNE, Ok(0x12))
        );
    }

    #[test]
    fn a_slave_is_not_modelled() {
        assert!(spi(false).write(CR1, 4, ON, 0).is_err());
    }
}
