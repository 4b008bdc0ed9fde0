//! UART (manual, chapter 18): eight bytes of FIFO each way, sent and received at the rate that DIV sets. A byte that finds no room is lost, which
//! no flag tells.

use bus::{ClockId, DeviceError, Effect, Irq};

use crate::devices::Ticks;
use crate::devices::block::{Access, At, Peripheral, Regs, Write, about, flag, registers};
use crate::devices::output::Output;
use crate::devices::receiver::Line;
use crate::devices::serial::Serial;

about! { Fe310Uart, B,
    "FE310-G002 manual, 18",
    "sends and receives at the rate of DIV through its FIFOs; both watermarks",
    ""
}

registers! { Fe310Uart serial;
    TXDATA = 0x00 .shows(|uart, _| flag(uart.serial.transmitter.waiting() == DEPTH, FLAG)).then(Fe310Uart::send);
    RXDATA = 0x04 .shows(Fe310Uart::received).taken(|uart, _| uart.serial.pop()).drops();
    TXCTRL = 0x08 .write(0x7_0003).then(|uart, write| uart.serial.transmitter.turn(write.value & TXEN != 0));
    RXCTRL = 0x0c .write(0x7_0001);
    IE     = 0x10 .write(3);
    IP     = 0x14 .shows(|uart, _| uart.pending()).drops();
    DIV    = 0x18 .reset(0x21d).write(0xffff);
}

/// TXDATA: the FIFO is full. RXDATA: it is empty.
const FLAG: u32 = 1 << 31;
/// TXCTRL: transmit, two stop bits; in bits 16 to 18 the watermark.
const TXEN: u32 = 1 << 0;
const NSTOP: u32 = 1 << 1;
/// IE and IP: fewer bytes wait than the watermark.
const TXWM: u32 = 1 << 0;
/// IE and IP: more bytes were received than the watermark.
const RXWM: u32 = 1 << 1;
/// RXCTRL: receive; in bits 16 to 18 the watermark.
const RXEN: u32 = 1 << 0;
const DEPTH: usize = 8;
/// Start bit, eight of data, one stop bit.
const FRAME: u64 = 10;

/// One UART.
#[derive(Clone, Default)]
pub(crate) struct Fe310Uart {
    regs: Regs<Self>,
    serial: Serial,
    output: Output,
}

impl Fe310Uart {
    /// A UART whose rate divides the core's clock.
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        let mut serial = Serial::of(Ticks::of(ClockId::CORE));
        serial.transmitter.turn(false);
        Fe310Uart {
            serial,
            output: Output::new(irq),
            ..Fe310Uart::default()
        }
    }

    /// Ticks of the clock for so many bits.
    fn bits(&self, bits: u64) -> u64 {
        bits * (u64::from(self.regs[DIV]) + 1)
    }

    /// Ticks of the clock for one byte that is sent.
    fn frame(&self) -> u64 {
        self.bits(FRAME + u64::from(self.regs[TXCTRL] & NSTOP != 0))
    }

    fn received(&self, _: At) -> u32 {
        self.serial.receiver.front().map_or(FLAG, u32::from)
    }

    fn pending(&self) -> u32 {
        let watermark = |control: u32| (self.regs[control] >> 16 & 7) as usize;
        let room = self.serial.transmitter.waiting() < watermark(TXCTRL);
        let received = self.serial.receiver.len() > watermark(RXCTRL);
        flag(room, TXWM) | flag(received, RXWM)
    }

    /// A byte that finds no room is lost.
    fn send(&mut self, write: Write) {
        if self.serial.transmitter.waiting() < DEPTH {
            self.serial.transmitter.push(write.value as u8);
        }
    }
}

impl Peripheral for Fe310Uart {
    const ACCESS: Access = Access::Words;

    fn advance(&mut self, now: u64) {
        self.serial.transmitter.catch_up(now, self.frame());
        let line = Line::of(self.regs[RXCTRL] & RXEN != 0, DEPTH);
        self.serial.receive(now, line, self.bits(FRAME));
        self.output.set(self.pending() & self.regs[IE] != 0, now);
    }

    fn settle(&mut self, now: u64) {
        self.serial.transmitter.shift(now, self.frame());
        self.advance(now);
    }

    fn due(&self) -> u64 {
        let waits = self.regs[IE] & !self.pending() & TXWM != 0;
        self.serial.due(waits).min(self.output.due())
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.output.tell(now, line);
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.serial.hear(effect);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{Device, Incoming};

    /// A bit takes 10 cycles, a byte 100.
    fn uart() -> Fe310Uart {
        let mut uart = Fe310Uart::new(Some(Irq::Source(3)));
        uart.hear(Effect::Clock(ClockId::CORE, 16_000_000), 0).unwrap();
        uart.write(DIV, 4, 9, 0).unwrap();
        uart
    }

    fn sent(uart: &mut Fe310Uart) -> Vec<u8> {
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        sent
    }

    fn fill(uart: &mut Fe310Uart, bytes: &[u8]) {
        for &byte in bytes {
            uart.write(TXDATA, 4, byte.into(), 0).unwrap();
        }
    }

    fn told(uart: &mut Fe310Uart, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        uart.poll(now, &mut |_, level| told.push(level));
        told
    }

    #[test]
    fn sends_when_it_is_on_and_holds_eight_bytes_before() {
        let mut uart = uart();
        fill(&mut uart, b"12345678!");
        assert_eq!(uart.read(TXDATA, 4, 0), Ok(FLAG));
        assert_eq!(sent(&mut uart), b"");
        uart.write(TXCTRL, 4, TXEN, 1_000).unwrap();
        assert_eq!(uart.read(TXDATA, 4, 1_000), Ok(0), "one is in the shift register");
        assert_eq!(sent(&mut uart), b"12345678");
        uart.write(TXCTRL, 4, 0, 1_050).unwrap();
        fill(&mut uart, b"9");
        assert_eq!(sent(&mut uart), b"");
        uart.write(TXCTRL, 4, TXEN, 1_060).unwrap();
        assert_eq!(sent(&mut uart), b"9", "each goes out once");
    }

    #[test]
    fn the_watermark_interrupts_when_fewer_wait() {
        let mut uart = uart();
        uart.write(TXCTRL, 4, TXEN | 2 << 16, 0).unwrap();
        fill(&mut uart, b"abcd");
        uart.write(IE, 4, TXWM, 0).unwrap();
        assert_eq!(uart.read(IP, 4, 199), Ok(0), "two still wait");
        assert_eq!(uart.next_event(), 200);
        assert_eq!(told(&mut uart, 200), [true]);
        uart.write(TXDATA, 4, 0, 210).unwrap();
        assert_eq!(told(&mut uart, 210), [false]);
    }

    #[test]
    fn two_stop_bits_take_longer() {
        let mut uart = uart();
        uart.write(TXCTRL, 4, TXEN | NSTOP | 1 << 16, 0).unwrap();
        fill(&mut uart, b"ab");
        uart.write(IE, 4, TXWM, 0).unwrap();
        assert_eq!(uart.next_event(), 110);
    }

    #[test]
    fn bytes_come_at_the_rate_of_div_and_interrupt_above_the_watermark() {
        let mut uart = Fe310Uart::new(Some(Irq::External(3)));
        uart.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        uart.stimulate(&Incoming::Waiting(b"abc".to_vec()), 0).unwrap();
        assert_eq!(uart.next_event(), u64::MAX, "the receiver is off");
        uart.write(DIV, 4, 9, 0).unwrap();
        uart.write(IE, 4, RXWM, 0).unwrap();
        uart.write(RXCTRL, 4, RXEN | 1 << 16, 0).unwrap();
        let mut told = Vec::new();
        for now in [100, 200] {
            assert_eq!(uart.next_event(), now);
            uart.poll(now, &mut |_, level| told.push((now, level)));
        }
        assert_eq!(told, [(200, true)]);
        let bytes = [250, 251, 300, 301].map(|now| uart.read(RXDATA, 4, now).unwrap());
        assert_eq!(bytes, [b'a'.into(), b'b'.into(), b'c'.into(), FLAG]);
        assert_eq!(uart.read(IP, 4, 302), Ok(0));
    }

    #[test]
    fn a_byte_that_finds_eight_unread_is_lost() {
        let mut uart = uart();
        uart.write(RXCTRL, 4, RXEN, 0).unwrap();
        uart.stimulate(&Incoming::Bytes(b"123456789".to_vec()), 0)
            .unwrap();
        let read: Vec<_> = (0..9).map(|_| uart.read(RXDATA, 4, 1_000).unwrap()).collect();
        assert_eq!((read[7], read[8]), (b'8'.into(), FLAG));
        assert_eq!(uart.unreceived(), [(1, "its receiver was full (overrun)")]);
    }

    #[test]
    fn nothing_is_received() {
        assert_eq!(uart().read(RXDATA, 4, 0), Ok(FLAG));
    }

    #[test]
    fn what_is_to_come_outlives_a_reset() {
        crate::devices::receiver::outlives_a_reset(uart());
    }
}
