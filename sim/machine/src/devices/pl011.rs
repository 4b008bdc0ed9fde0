//! Arm `PrimeCell` UART (PL011, Arm DDI 0183).
//!
//! Where the board file names its clock, it sends and receives at its baud rate, through FIFOs of 32 bytes if `LCR_H` turns them on, and requests
//! DMA. A byte that finds the receiver full is lost, and the overrun is told. Without a clock a byte is sent and received in no time. The self-test
//! registers, flow control and errors of parity and framing are not modelled.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use super::block::{At, Peripheral, Regs, Write, about, flag, registers, tell};
use super::receiver::Line;
use super::requester::Requester;
use super::serial::Serial;
use super::{Around, Settings, Ticks, not_modelled};

about! { Pl011 by Pl011Settings, B,
    "DDI 0183",
    "sends and receives, both with interrupts, overrun; with a `clock` at its baud rate, with FIFOs, DMA and loop-back",
    "flow control, errors of parity and framing"
}

registers! { Pl011 serial;
    DR    = 0x00 .shows(Pl011::received).taken(|uart, _| uart.serial.pop()).then(Pl011::send);
    RSR   = 0x04 .shows(|uart, _| uart.errors).then(|uart, _| uart.errors = 0);
    FR    = 0x18 .shows(Pl011::flags);
    ILPR  = 0x20 .write(0xff);
    IBRD  = 0x24 .write(0xffff);
    FBRD  = 0x28 .write(0x3f);
    LCR_H = 0x2c .write(0xff);
    CR    = 0x30 .reset(0x300).write(0xff87);
    IFLS  = 0x34 .reset(0x12).write(0x3f);
    IMSC  = 0x38 .write(0x7ff);
    RIS   = 0x3c .shows(|uart, _| uart.raw);
    MIS   = 0x40 .shows(|uart, _| uart.raw & uart.regs[IMSC]);
    ICR   = 0x44 .hidden().then(Pl011::clear);
    DMACR = 0x48 .write(7).tries(Pl011::request_dma);
    PERIPH_ID = 0xfe0 .times(4, 4).shows(|_, at| 0x0014_1011 >> (8 * at.n) & 0xff);
    PCELL_ID  = 0xff0 .times(4, 4).shows(|_, at| 0xb105_f00d >> (8 * at.n) & 0xff);
}

/// FR: busy; receive FIFO empty, transmit FIFO full, receive FIFO full, transmit FIFO empty.
const BUSY: u32 = 1 << 3;
const RXFE: u32 = 1 << 4;
const TXFF: u32 = 1 << 5;
const RXFF: u32 = 1 << 6;
const TXFE: u32 = 1 << 7;
/// Interrupts in IMSC, RIS, MIS and ICR: received, sent, and nothing more came.
const RX: u32 = 1 << 4;
const TX: u32 = 1 << 5;
const TIME_OUT: u32 = 1 << 6;
/// Its interrupt, and its flags in DR, beside the byte behind those that were lost, and in RSR.
const OVERRUN: u32 = 1 << 10;
const DR_OVERRUN: u32 = 1 << 11;
const RSR_OVERRUN: u32 = 1 << 3;
/// CR: on, loop-back, receiver on.
const ON: u32 = 1 << 0;
const LBE: u32 = 1 << 7;
const RXE: u32 = 1 << 9;
/// `LCR_H`: parity, two stop bits, FIFOs.
const PEN: u32 = 1 << 1;
const STP2: u32 = 1 << 3;
const FEN: u32 = 1 << 4;
/// Bits without a byte until what waits is told of (2.8.3 of the manual).
const IDLE_BITS: u32 = 32;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pl011Settings {
    /// The clock of its baud rate; without it, bytes take no time.
    clock: Option<String>,
}

impl Settings for Pl011Settings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let name = self.clock.as_deref();
        let clock = name.map(|name| around.clocks.wanted(Some(name))).transpose()?;
        let mut uart = Pl011::new(around.irq, clock.map(Ticks::of));
        uart.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(uart))
    }
}

/// One UART.
#[derive(Clone, Default)]
pub(crate) struct Pl011 {
    regs: Regs<Self>,
    serial: Serial,
    irq: Option<Irq>,
    raw: u32,
    /// RSR.
    errors: u32,
    /// The core cycle in which nothing more has come for long enough.
    idle: Option<u64>,
    requester: Requester,
}

impl Pl011 {
    fn new(irq: Option<Irq>, ticks: Option<Ticks>) -> Self {
        Pl011 {
            irq,
            serial: ticks.map_or_else(Serial::default, Serial::of),
            ..Pl011::default()
        }
    }

    /// Ticks of so many bits: sixteen of the divider's, which has six bits behind its point. Without a clock a bit takes no time.
    fn bits(&self, count: u32) -> u64 {
        let divider = u64::from(64 * self.regs[IBRD] + self.regs[FBRD]);
        u64::from(self.serial.is_timed()) * u64::from(count) * divider.max(64) / 4
    }

    fn frame(&self) -> u64 {
        let line = self.regs[LCR_H];
        self.bits(7 + (line >> 5 & 3) + u32::from(line & PEN != 0) + u32::from(line & STP2 != 0))
    }

    /// Bytes that a FIFO holds.
    fn room(&self) -> usize {
        if self.regs[LCR_H] & FEN == 0 { 1 } else { 32 }
    }

    /// The level of a FIFO at which it interrupts: eighths of it, by IFLS.
    fn level(&self, field: u32) -> usize {
        let eighths = [1, 2, 4, 6, 7].get(field as usize & 7).copied().unwrap_or(7);
        self.room() * eighths / 8
    }

    /// Does something to the transmitter, which interrupts when no more bytes wait than its level says.
    fn transmit(&mut self, what: impl FnOnce(&mut Self)) {
        let (level, before) = (self.level(self.regs[IFLS]), self.serial.transmitter.waiting());
        what(self);
        if before > level && self.serial.transmitter.waiting() <= level {
            self.raw |= TX;
        }
    }

    fn send(&mut self, write: Write) {
        let (byte, now, frame) = (write.value as u8, write.now, self.frame());
        if self.regs[CR] & LBE != 0 {
            self.serial.receiver.loop_back(byte, now);
        }
        if !self.serial.is_timed() {
            self.serial.transmitter.send(byte);
            self.raw |= TX;
        } else if self.serial.transmitter.waiting() < self.room() {
            self.serial.transmitter.push(byte);
            if self.serial.transmitter.waiting() > self.level(self.regs[IFLS]) {
                self.raw &= !TX;
            }
            self.transmit(|uart| uart.serial.transmitter.shift(now, frame));
        }
    }

    fn received(&self, _: At) -> u32 {
        let (byte, overrun) = self.serial.receiver.front_marked().unwrap_or_default();
        u32::from(byte) | flag(overrun, DR_OVERRUN)
    }

    fn flags(&self, _: At) -> u32 {
        let (waiting, received) = (self.serial.transmitter.waiting(), self.serial.receiver.len());
        flag(received == 0, RXFE)
            | flag(received >= self.room(), RXFF)
            | flag(waiting == 0, TXFE)
            | flag(waiting >= self.room(), TXFF)
            | flag(waiting > 0 || self.serial.transmitter.is_busy(), BUSY)
    }

    fn clear(&mut self, write: Write) {
        self.raw &= !write.value;
        if write.value & TIME_OUT != 0 {
            self.idle = None;
        }
    }

    fn request_dma(&mut self, write: Write) -> Result<(), DeviceError> {
        if self.serial.is_timed() || write.value == 0 {
            return Ok(());
        }
        not_modelled(format!("DMACR, a write of {:#x}, without a `clock`", write.value))
    }
}

impl Peripheral for Pl011 {
    fn advance(&mut self, now: u64) {
        let frame = self.frame();
        self.transmit(|uart| uart.serial.transmitter.catch_up(now, frame));
        let line = Line::of(self.regs[CR] & (ON | RXE) == ON | RXE, self.room());
        if self.serial.receive(now, line, frame) {
            let (ended, silence) = (self.serial.receiver.ended(), self.bits(IDLE_BITS));
            self.idle = Some(self.serial.after(ended, silence));
        }
        if self.serial.receiver.take_overrun() {
            self.raw |= OVERRUN;
            self.errors |= RSR_OVERRUN;
        }
        // Nothing waits that could be told of.
        if !self.serial.receiver.is_full() {
            self.idle = None;
        }
        let full = self.serial.receiver.len() >= self.level(self.regs[IFLS] >> 3).max(1);
        let silent = self.idle.is_some_and(|idle| idle <= now);
        self.raw = self.raw & !(RX | TIME_OUT) | flag(full, RX) | flag(silent, TIME_OUT);
    }

    fn settle(&mut self, now: u64) {
        self.advance(now);
    }

    fn due(&self) -> u64 {
        let idle = self.idle.filter(|_| self.raw & TIME_OUT == 0).unwrap_or(u64::MAX);
        self.serial.due(true).min(idle)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.raw & self.regs[IMSC] != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let rx = self.regs[DMACR] & 1 != 0 && self.serial.receiver.is_full();
        let tx = self.regs[DMACR] & 2 != 0 && self.serial.transmitter.waiting() < self.room();
        self.requester.tell([rx, tx])
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.serial.concerns(effect) {
            self.advance(now);
            self.serial.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Incoming};

    #[test]
    fn sends_what_is_written_and_interrupts_when_unmasked() {
        let mut uart = Pl011::new(Some(Irq::External(5)), None);
        uart.write(DR, 1, u32::from(b'A'), 0).unwrap();
        uart.write(IMSC, 4, TX, 0).unwrap();
        let mut lines = Vec::new();
        uart.poll(0, &mut |irq, level| lines.push((irq, level)));
        uart.write(ICR, 4, TX, 0).unwrap();
        uart.poll(0, &mut |irq, level| lines.push((irq, level)));
        assert_eq!(lines, [(Irq::External(5), true), (Irq::External(5), false)]);
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, b"A");
    }

    #[test]
    fn without_a_clock_what_comes_is_there_at_once() {
        let mut uart = Pl011::new(Some(Irq::External(5)), None);
        uart.write(CR, 4, 0x301, 0).unwrap();
        uart.stimulate(&Incoming::Waiting(b"xy".to_vec()), 7).unwrap();
        assert_eq!(uart.read(RIS, 4, 7), Ok(RX | TIME_OUT));
        assert_eq!((uart.read(DR, 4, 7), uart.read(DR, 4, 7)), (Ok(0x78), Ok(0x79)));
        assert_eq!(uart.read(FR, 4, 7), Ok(TXFE | RXFE));
    }

    /// The time-out of bytes that were read is none: there would be something due for ever in the same cycle.
    #[test]
    fn bytes_that_were_read_have_no_time_out() {
        let mut uart = clocked();
        uart.stimulate(&Incoming::Bytes(b"hi".to_vec()), 0).unwrap();
        for now in [FRAME, 2 * FRAME] {
            uart.poll(now, &mut |_, _| {});
        }
        let bytes = [0, 1].map(|more| uart.read(DR, 4, 2 * FRAME + more).unwrap());
        assert_eq!((bytes, uart.next_event()), ([b'h'.into(), b'i'.into()], u64::MAX));
        uart.poll(10 * FRAME, &mut |_, _| {});
        assert_eq!(uart.read(RIS, 4, 10 * FRAME), Ok(0));
    }

    /// At 115,200 baud of 125 MHz, 8N1, with FIFOs: a frame is 67 * 16 + 13 / 4 ticks, ten times.
    fn clocked() -> Pl011 {
        let mut uart = Pl011::new(Some(Irq::External(20)), Some(Ticks::of(ClockId(2))));
        for clock in [ClockId::CORE, ClockId(2)] {
            uart.hear(Effect::Clock(clock, 125_000_000), 0).unwrap();
        }
        for (offset, value) in [(IBRD, 67), (FBRD, 52), (LCR_H, 0x70), (CR, 0x301)] {
            uart.write(offset, 4, value, 0).unwrap();
        }
        uart
    }
    const FRAME: u64 = 10 * (64 * 67 + 52) / 4;

    #[test]
    fn a_frame_takes_its_bits_and_the_fifo_empties_behind_it() {
        let mut uart = clocked();
        for _ in 0..18 {
            uart.write(DR, 4, 0x55, 0).unwrap();
        }
        assert_eq!(uart.read(FR, 4, 0), Ok(RXFE | BUSY));
        assert_eq!(uart.next_event(), FRAME);
        assert_eq!(uart.read(RIS, 4, FRAME - 1), Ok(0), "17 wait");
        assert_eq!(uart.read(RIS, 4, FRAME), Ok(TX), "half of 32");
        assert_eq!(uart.read(FR, 4, 18 * FRAME), Ok(RXFE | TXFE));
        for _ in 0..40 {
            uart.write(DR, 4, 0x55, 20 * FRAME).unwrap();
        }
        assert_eq!(
            uart.serial.transmitter.waiting(),
            32,
            "what finds no room is lost"
        );
    }

    #[test]
    fn what_waits_is_told_of_after_a_silence_and_dma_is_asked_for() {
        let mut uart = clocked();
        uart.requester = Requester::new([3, 4]);
        uart.write(DMACR, 4, 1, 0).unwrap();
        uart.stimulate(&Incoming::Bytes(b"a".to_vec()), 0).unwrap();
        assert_eq!((uart.next_event(), uart.take_effect()), (FRAME, None));
        uart.poll(FRAME, &mut |_, _| {});
        let asks = Effect::Wire {
            number: 3,
            level: true,
        };
        assert_eq!(uart.take_effect(), Some(asks));
        assert_eq!(uart.read(RIS, 4, FRAME), Ok(0));
        let silent = uart.next_event();
        assert_eq!(silent, FRAME + 32 * (64 * 67 + 52) / 4);
        assert_eq!(uart.read(RIS, 4, silent), Ok(TIME_OUT));
        assert_eq!(
            (uart.read(DR, 4, silent), uart.read(RIS, 4, silent)),
            (Ok(0x61), Ok(0))
        );
    }

    /// DDI 0183, 3.3.1: the flag comes with the byte that is received next.
    #[test]
    fn a_byte_that_finds_the_fifo_full_is_lost_and_an_overrun() {
        let mut uart = clocked();
        uart.stimulate(&Incoming::Bytes(vec![1; 33]), 0).unwrap();
        uart.write(IMSC, 4, OVERRUN, 0).unwrap();
        uart.poll(32 * FRAME, &mut |_, high| assert!(!high));
        uart.poll(33 * FRAME, &mut |_, high| assert!(high));
        let now = 40 * FRAME;
        assert_eq!(
            (uart.read(RIS, 4, now).unwrap() & OVERRUN, uart.read(RSR, 4, now)),
            (OVERRUN, Ok(RSR_OVERRUN))
        );
        uart.stimulate(&Incoming::Bytes(vec![2]), now).unwrap();
        for _ in 0..32 {
            assert_eq!(uart.read(DR, 4, now), Ok(1));
        }
        assert_eq!(uart.read(DR, 4, now + FRAME), Ok(2 | DR_OVERRUN));
        uart.write(ICR, 4, OVERRUN, now + FRAME).unwrap();
        uart.write(RSR, 4, 0, now + FRAME).unwrap();
        assert_eq!(
            (uart.read(MIS, 4, now + FRAME), uart.read(RSR, 4, now + FRAME)),
            (Ok(0), Ok(0))
        );
        assert_eq!(uart.unreceived(), [(1, "its receiver was full (overrun)")]);
    }

    /// IFLS: eighths of 32 bytes; without FIFOs each byte is told of.
    #[test]
    fn the_receiver_tells_at_its_level() {
        for (select, level) in [(0, 4), (1, 8), (2, 16), (3, 24), (4, 28)] {
            let mut uart = clocked();
            uart.write(IFLS, 4, select << 3, 0).unwrap();
            uart.stimulate(&Incoming::Bytes(vec![0; 32]), 0).unwrap();
            let raised = |uart: &mut Pl011, bytes: u64| uart.read(RIS, 4, bytes * FRAME).unwrap() & RX;
            assert_eq!(
                (raised(&mut uart, level - 1), raised(&mut uart, level)),
                (0, RX),
                "IFLS {select}"
            );
            uart.read(DR, 4, level * FRAME).unwrap();
            assert_eq!(
                raised(&mut uart, level),
                0,
                "IFLS {select}: below the level again"
            );
        }
        let mut uart = clocked();
        uart.write(LCR_H, 4, 0x60, 0).unwrap();
        uart.stimulate(&Incoming::Bytes(vec![0]), 0).unwrap();
        assert_eq!(
            (uart.read(RIS, 4, FRAME - 1), uart.read(RIS, 4, FRAME)),
            (Ok(0), Ok(RX))
        );
    }

    #[test]
    fn parity_and_a_second_stop_bit_each_lengthen_a_frame_by_a_bit() {
        for (line, bits) in [
            (0x70, 10),
            (0x70 | STP2, 11),
            (0x70 | PEN, 11),
            (0x70 | PEN | STP2, 12),
            (0x10 | STP2, 8),
        ] {
            let frame = FRAME / 10 * bits + (FRAME % 10) * bits / 10;
            let mut uart = clocked();
            uart.write(LCR_H, 4, line, 0).unwrap();
            uart.stimulate(&Incoming::Bytes(vec![0]), 0).unwrap();
            assert_eq!(uart.next_event(), frame, "received, LCR_H {line:#x}");
            uart.write(DR, 4, 0, 0).unwrap();
            let busy = |uart: &mut Pl011, now| uart.read(FR, 4, now).unwrap() & BUSY;
            assert_eq!(
                (busy(&mut uart, frame - 1), busy(&mut uart, frame)),
                (BUSY, 0),
                "sent, LCR_H {line:#x}"
            );
        }
    }

    #[test]
    fn with_loop_back_what_is_sent_comes_back() {
        let mut uart = clocked();
        uart.write(CR, 4, 0x381, 0).unwrap();
        uart.write(DR, 4, 0x42, 0).unwrap();
        assert_eq!(uart.read(FR, 4, FRAME - 1).unwrap() & RXFE, RXFE);
        assert_eq!(uart.read(DR, 4, FRAME), Ok(0x42));
    }
}
