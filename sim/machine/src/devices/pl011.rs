//! Arm `PrimeCell` UART (PL011, Arm DDI 0183).
//!
//! Where the board file names its clock, it sends and receives at its baud rate, through FIFOs of 32 bytes if `LCR_H` turns them on, and requests
//! DMA. A byte that finds the receiver full is lost, and the overrun is told. Without a clock a byte is sent and received in no time. The self-test
//! registers, flow control and errors of parity and framing are not modelled.

use bus::{Device, DeviceError, Effect, Incoming, Irq, Outside};
use serde::Deserialize;

use super::receiver::{Line, Receiver};
use super::requester::Requester;
use super::transmitter::Transmitter;
use super::{Around, Settings, Ticks, not_modelled};

const DR: u32 = 0x00;
const RSR: u32 = 0x04;
const FR: u32 = 0x18;
const ILPR: u32 = 0x20;
const IBRD: u32 = 0x24;
const FBRD: u32 = 0x28;
const LCR_H: u32 = 0x2c;
const CR: u32 = 0x30;
const IFLS: u32 = 0x34;
const IMSC: u32 = 0x38;
const RIS: u32 = 0x3c;
const MIS: u32 = 0x40;
const ICR: u32 = 0x44;
const DMACR: u32 = 0x48;

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
const IDLE_BITS: u64 = 32;
/// CR: transmit and receive enabled.
const CR_RESET: u32 = 0x300;
/// IFLS: both FIFO levels at one half.
const IFLS_RESET: u32 = 0x12;
/// `PeriphID0` to 3 and `PCellID0` to 3.
const ID: [u32; 8] = [0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// What a board file says of it.
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
#[derive(Clone)]
pub(crate) struct Pl011 {
    irq: Option<Irq>,
    /// Of the receiver; `None` where bytes take no time.
    ticks: Option<Ticks>,
    transmitter: Transmitter,
    sent: Vec<u8>,
    /// ILPR, IBRD, FBRD, `LCR_H`, CR, IFLS.
    held: [u32; 6],
    mask: u32,
    raw: u32,
    dma: u32,
    receiver: Receiver,
    /// RSR.
    errors: u32,
    /// The core cycle in which nothing more has come for long enough.
    idle: u64,
    requester: Requester,
}

impl Pl011 {
    fn new(irq: Option<Irq>, ticks: Option<Ticks>) -> Self {
        Pl011 {
            irq,
            ticks,
            transmitter: Transmitter::new(ticks.unwrap_or(Ticks::fixed(1))),
            sent: Vec::new(),
            held: [0, 0, 0, 0, CR_RESET, IFLS_RESET],
            mask: 0,
            raw: 0,
            dma: 0,
            receiver: Receiver::default(),
            errors: 0,
            idle: u64::MAX,
            requester: Requester::default(),
        }
    }

    fn of(&self, register: u32) -> u32 {
        self.held[held(register)]
    }

    /// Ticks of so many bits: sixteen of the divider's, which has six bits behind its point.
    fn bits(&self, count: u64) -> u64 {
        let divider = u64::from(64 * (self.of(IBRD) & 0xffff) + (self.of(FBRD) & 0x3f));
        count * divider.max(64) / 4
    }

    fn frame(&self) -> u64 {
        let line = self.of(LCR_H);
        let bits = 7 + (line >> 5 & 3) + u32::from(line & PEN != 0) + u32::from(line & STP2 != 0);
        self.bits(bits.into())
    }

    /// Bytes that a FIFO holds.
    fn room(&self) -> usize {
        if self.of(LCR_H) & FEN == 0 { 1 } else { 32 }
    }

    /// The level of a FIFO at which it interrupts: eighths of it, by IFLS.
    fn level(&self, field: u32) -> usize {
        let eighths = [1, 2, 4, 6, 7].get(field as usize & 7).copied().unwrap_or(7);
        self.room() * eighths / 8
    }

    fn catch_up(&mut self, now: u64) {
        self.catch_up_sending(now);
        let line = Line::of(self.of(CR) & (ON | RXE) == ON | RXE, self.room());
        let (frame, silence, ended) = (self.frame(), self.bits(IDLE_BITS), self.receiver.ended());
        let (waited, ticks) = (self.receiver.len(), &mut self.ticks);
        let mut after = |begins: u64, count: u64| {
            ticks.as_mut().map_or(begins, |ticks| {
                ticks.restart(begins);
                ticks.cycle_of(count)
            })
        };
        self.receiver.catch_up(now, line, |begins| after(begins, frame));
        if self.receiver.ended() != ended || self.receiver.len() > waited {
            self.idle = after(self.receiver.ended(), silence);
        }
        if self.receiver.take_overrun() {
            self.raw |= OVERRUN;
            self.errors |= RSR_OVERRUN;
        }
        // Nothing waits that could be told of.
        if !self.receiver.is_full() {
            self.idle = u64::MAX;
        }
        let full = self.receiver.len() >= self.level(self.of(IFLS) >> 3).max(1);
        let silent = self.receiver.is_full() && self.idle <= now;
        self.raw &= !(RX | TIME_OUT);
        self.raw |= if full { RX } else { 0 } | if silent { TIME_OUT } else { 0 };
    }

    fn catch_up_sending(&mut self, now: u64) {
        if self.ticks.is_none() {
            return;
        }
        let level = self.level(self.of(IFLS));
        let before = self.transmitter.waiting();
        self.transmitter.catch_up(now, self.frame());
        if before > level && self.transmitter.waiting() <= level {
            self.raw |= TX;
        }
    }

    fn send(&mut self, byte: u8, now: u64) {
        if self.of(CR) & LBE != 0 {
            self.receiver.loop_back(byte, now);
        }
        if self.ticks.is_none() {
            self.sent.push(byte);
            self.raw |= TX;
        } else if self.transmitter.waiting() < self.room() {
            let level = self.level(self.of(IFLS));
            self.transmitter.push(byte);
            if self.transmitter.waiting() > level {
                self.raw &= !TX;
            }
            let before = self.transmitter.waiting();
            self.transmitter.shift(now, self.frame());
            if before > level && self.transmitter.waiting() <= level {
                self.raw |= TX;
            }
        }
    }

    fn flags(&self) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let waiting = self.transmitter.waiting();
        flag(!self.receiver.is_full(), RXFE)
            | flag(self.receiver.len() >= self.room(), RXFF)
            | flag(waiting == 0, TXFE)
            | flag(waiting >= self.room(), TXFF)
            | flag(waiting > 0 || self.transmitter.is_busy(), BUSY)
    }
}

/// Index into the held registers.
fn held(offset: u32) -> usize {
    (offset - ILPR) as usize / 4
}

impl Device for Pl011 {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            DR => {
                let byte = self.receiver.read_marked();
                self.catch_up(now);
                let (byte, overrun) = byte.unwrap_or_default();
                Ok(u32::from(byte) | if overrun { DR_OVERRUN } else { 0 })
            }
            RSR => Ok(self.errors),
            DMACR => Ok(self.dma),
            FR => Ok(self.flags()),
            register @ ILPR..=IFLS => Ok(self.of(register)),
            IMSC => Ok(self.mask),
            RIS => Ok(self.raw),
            MIS => Ok(self.raw & self.mask),
            register @ 0xfe0..=0xffc => Ok(ID[(register - 0xfe0) as usize / 4]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            DR => self.send(value as u8, now),
            RSR => self.errors = 0,
            register @ ILPR..=IFLS => self.held[held(register)] = value,
            IMSC => self.mask = value & 0x7ff,
            ICR => {
                self.raw &= !value;
                if value & TIME_OUT != 0 {
                    self.idle = u64::MAX;
                }
            }
            DMACR if self.ticks.is_some() || value == 0 => self.dma = value & 7,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        self.catch_up(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let idle = if self.raw & TIME_OUT == 0 {
            self.idle
        } else {
            u64::MAX
        };
        self.transmitter.due().min(self.receiver.due()).min(idle)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(irq) = self.irq {
            line(irq, self.raw & self.mask != 0);
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let rx = self.dma & 1 != 0 && self.receiver.is_full();
        let tx = self.dma & 2 != 0 && self.transmitter.waiting() < self.room();
        self.requester.tell([rx, tx])
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.is_some_and(|ticks| ticks.concerns(effect)) {
            self.catch_up(now);
            self.transmitter.hear(effect);
            if let Some(ticks) = &mut self.ticks {
                ticks.hear(effect);
            }
        }
        Ok(())
    }

    fn carry(&mut self, outside: &mut Outside) {
        self.receiver.carry(outside);
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        self.receiver.unreceived()
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        self.receiver.give(input, now)?;
        self.catch_up(now);
        Ok(())
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        self.transmitter.drain(sink);
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
        assert_eq!(uart.transmitter.waiting(), 32, "what finds no room is lost");
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
