//! ST's SPI as a master: with a data register (RM0041 chapter 23, RM0090 28), or with FIFOs and 4 to 16 bits (RM0394 42, RM0440 39).
//!
//! A frame takes its bits at the rate of CR1.BR. The other side answers ([`Answers`]), or the frame itself comes back if the board file connects
//! both lines (`loopback`). `--output` shows the frames that are sent. CRC, one line for both directions, I2S and the slave are not modelled.

use bus::{ClockId, Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::answers::Answers;
use crate::devices::block::{Access, At, Half, Peripheral, Regs, Write, about, flag, registers, tell};
use crate::devices::requester::Requester;
use crate::devices::shift::{Format, ShiftRegister};
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Spi by SpiSettings, B,
    "RM0041 23; RM0090 28; RM0394 42; RM0440 39",
    "a master: frames at its bit rate, FIFO, interrupts, DMA; answers by stimuli (`SPI1@0=\\x01`), or loop-back; `--output` shows its output",
    "slave, CRC, one line, I2S, receiving alone"
}

registers! { Spi answers;
    CR1     = 0x00 .write(!0).tries(|_, write| Spi::control(write));
    CR2     = 0x04 .write(!0);
    SR      = 0x08 .shows(|spi, _| spi.status()).drops();
    DR      = 0x0c .shows(Spi::front).taken(Spi::taken).then(Spi::send);
    CRCPR   = 0x10 .reset(7).write(!0);
    RXCRCR  = 0x14;
    TXCRCR  = 0x18;
    I2SCFGR = 0x1c .refuse(1 << 11, ": I2S").drops();
    I2SPR   = 0x20 .reset(2).drops();
}

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

/// The keys of its board file entry.
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
#[derive(Clone, Default)]
pub(crate) struct Spi {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    fifo: bool,
    loopback: bool,
    shift: ShiftRegister,
    /// The answers of the other side.
    answers: Answers,
    requester: Requester,
}

impl Spi {
    fn new(irq: Option<Irq>, clock: ClockId, fifo: bool) -> Spi {
        let mut spi = Spi {
            irq,
            ticks: Ticks::of(clock),
            fifo,
            ..Spi::default()
        };
        spi.regs[CR2] = if fifo { 0x700 } else { 0 };
        spi
    }

    /// Bits of a frame.
    fn bits(&self) -> u32 {
        match (self.fifo, self.regs[CR1] & DFF) {
            (true, _) => (self.regs[CR2] >> 8 & 15).max(3) + 1,
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
        self.regs[CR1] & ON != 0
    }

    fn format(&self) -> Format {
        Format {
            bits: self.bits(),
            ticks: 2 << (self.regs[CR1] >> 3 & 7),
            room: self.room(),
            loopback: self.loopback,
            on: self.is_on(),
        }
    }

    fn status(&self) -> u32 {
        let half_full = self.fifo && self.bits() <= 8 && self.regs[CR2] & FRXTH == 0;
        let needed = if half_full { 2 } else { 1 };
        let status = flag(self.shift.received.len() >= needed, RXNE)
            | flag(
                self.shift.waiting.len() <= self.room() / 2 && self.shift.waiting.len() < self.room(),
                TXE,
            )
            | flag(self.shift.overrun, OVR)
            | flag(self.shift.is_busy(self.format()), BSY);
        if !self.fifo {
            return status;
        }
        let level = |frames: usize| match (frames, self.bits() > 8) {
            (0, _) => 0,
            (frames, wide) => ((1 + usize::from(wide)) * frames).clamp(1, 3) as u32,
        };
        status | level(self.shift.received.len()) << 9 | level(self.shift.waiting.len()) << 11
    }

    /// With FIFOs, a halfword is two packed frames.
    fn is_packed(&self, size: u32) -> bool {
        self.fifo && size > 1 && self.bits() <= 8
    }

    fn front(&self, at: At) -> u32 {
        let frame = |n: usize| self.shift.received.get(n).map_or(0, |&frame| u32::from(frame));
        let second = if self.is_packed(at.size) { frame(1) } else { 0 };
        frame(0) | second << 8
    }

    fn taken(&mut self, at: At) {
        self.shift.overrun = false;
        let frames = 1 + usize::from(self.is_packed(at.size));
        self.shift.received.drain(..frames.min(self.shift.received.len()));
    }

    fn send(&mut self, Write { value, size, now, .. }: Write) {
        if self.is_packed(size) {
            self.push(value as u8 as u16, now);
            self.push((value >> 8) as u8 as u16, now);
        } else {
            self.push(self.format().cut(value as u16), now);
        }
    }

    fn push(&mut self, frame: u16, now: u64) {
        if self.shift.waiting.len() == self.room() {
            self.shift.waiting.pop_back();
        }
        self.shift.waiting.push_back(frame);
        self.settle(now);
    }

    fn control(Write { value, .. }: Write) -> Result<(), DeviceError> {
        if value & REFUSED != 0 || value & ON != 0 && value & RXONLY != 0 {
            return not_modelled(format!(
                "CR1, a write of {value:#x}: CRC, one line, or receiving alone"
            ));
        }
        if value & ON != 0 && value & MASTER == 0 {
            return not_modelled(format!("CR1, a write of {value:#x}: the role of a slave"));
        }
        Ok(())
    }
}

impl Peripheral for Spi {
    const ACCESS: Access = Access::Sized;

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    /// Moves frames through the shift register as far as core cycle `now`.
    fn advance(&mut self, now: u64) {
        let format = self.format();
        while let Some(end) = self.shift.exchange(format, &mut self.answers, now) {
            self.shift.begin(format, &mut self.ticks, end);
        }
    }

    fn settle(&mut self, now: u64) {
        let format = self.format();
        self.shift.begin(format, &mut self.ticks, now);
    }

    fn due(&self) -> u64 {
        let control = self.regs[CR2];
        let waits = control & (ERRIE | RXNEIE | TXEIE | RXDMAEN | TXDMAEN) != 0 || self.answers.gives();
        if waits { self.shift.due() } else { u64::MAX }
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        let (status, control) = (self.status(), self.regs[CR2]);
        let interrupts = [(RXNE, RXNEIE), (TXE, TXEIE), (OVR, ERRIE)];
        let raised = |&(flag, enable): &(u32, u32)| status & flag != 0 && control & enable != 0;
        tell(self.irq, interrupts.iter().any(raised), line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let (status, control) = (self.status(), self.regs[CR2]);
        let on = self.is_on();
        self.requester.tell([
            status & RXNE != 0 && control & RXDMAEN != 0,
            on && status & TXE != 0 && control & TXDMAEN != 0,
        ])
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
    use crate::devices::script::TargetScript;
    use bus::Incoming;

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
