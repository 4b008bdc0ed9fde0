//! The UART (`litex/soc/cores/uart.py`), a FIFO each way, sent and received at the board's baud rate. A byte that finds no room is lost, which no flag
//! tells.
//!
//! Its events are levels: there is room to send, and something was received.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, Write, about, flag, registers};
use crate::devices::output::Output;
use crate::devices::receiver::Line;
use crate::devices::serial::Serial;
use crate::devices::{Around, Settings, Ticks};

about! { Uart by UartSettings, B,
    "LiteX `soc/cores/uart.py`",
    "sends and receives at its baud rate through its FIFOs; its interrupts",
    "dynamic baud rate"
}

registers! { Uart serial;
    RXTX       = 0x00 .shows(|uart, _| uart.serial.front()).then(Uart::send);
    TXFULL     = 0x04 .shows(|uart, _| uart.is_full().into()).drops();
    RXEMPTY    = 0x08 .shows(|uart, _| (!uart.serial.receiver.is_full()).into()).drops();
    EV_STATUS  = 0x0c .shows(|uart, _| uart.events()).drops();
    EV_PENDING = 0x10 .shows(|uart, _| uart.events()).then(Uart::acknowledge);
    EV_ENABLE  = 0x14 .write(EVENT_TX | EVENT_RX);
    TXEMPTY    = 0x18 .shows(|uart, _| (!uart.serial.transmitter.is_busy()).into()).drops();
    RXFULL     = 0x1c .shows(|uart, _| (uart.serial.receiver.len() == DEPTH).into()).drops();
}

/// The event that there is room to send.
const EVENT_TX: u32 = 1 << 0;
const EVENT_RX: u32 = 1 << 1;
/// Bytes behind the one that is sent.
const DEPTH: usize = 16;
/// Start bit, eight of data, stop bit.
const FRAME: u64 = 10;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UartSettings {
    /// Bits per second, which no program can set.
    baud: Option<u32>,
}

impl Settings for UartSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let baud = self.baud.filter(|&baud| baud > 0);
        Ok(Box::new(Uart::new(around.irq, baud.ok_or("it needs a `baud`")?)))
    }
}

/// The UART.
#[derive(Clone, Default)]
pub(crate) struct Uart {
    regs: Regs<Self>,
    serial: Serial,
    output: Output,
}

impl Uart {
    /// At `baud` bits per second.
    pub(crate) fn new(irq: Option<Irq>, baud: u32) -> Self {
        Uart {
            serial: Serial::of(Ticks::fixed(baud)),
            output: Output::new(irq),
            ..Uart::default()
        }
    }

    fn is_full(&self) -> bool {
        self.serial.transmitter.waiting() == DEPTH
    }

    fn events(&self) -> u32 {
        let room = if self.is_full() { 0 } else { EVENT_TX };
        room | flag(self.serial.receiver.is_full(), EVENT_RX)
    }

    /// A byte that finds no room is lost.
    fn send(&mut self, write: Write) {
        if !self.is_full() {
            self.serial.transmitter.push(write.value as u8);
            self.serial.transmitter.shift(write.now, FRAME);
        }
    }

    /// That a byte was received is cleared by taking it, and the next one shows; the other event is a level.
    fn acknowledge(&mut self, write: Write) {
        if write.value & EVENT_RX != 0 {
            self.serial.pop();
        }
    }
}

impl Peripheral for Uart {
    const ACCESS: Access = Access::Words;

    fn advance(&mut self, now: u64) {
        self.serial.transmitter.catch_up(now, FRAME);
        self.serial.receive(now, Line::of(true, DEPTH), FRAME);
        self.output.set(self.events() & self.regs[EV_ENABLE] != 0, now);
    }

    fn settle(&mut self, now: u64) {
        self.advance(now);
    }

    fn due(&self) -> u64 {
        let waits = self.is_full() && self.regs[EV_ENABLE] & EVENT_TX != 0;
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
    use bus::ClockId;
    use bus::Incoming;

    /// A bit takes 10 cycles, a byte 100.
    fn uart() -> Uart {
        let mut uart = Uart::new(Some(Irq::External(0)), 100_000);
        uart.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        uart
    }

    fn word(uart: &mut Uart, register: u32, now: u64) -> u32 {
        uart.read(register, 4, now).unwrap()
    }

    fn told(uart: &mut Uart, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        uart.poll(now, &mut |_, level| told.push(level));
        told
    }

    fn fill(uart: &mut Uart) {
        for byte in b'a'..=b'q' {
            uart.write(RXTX, 4, byte.into(), 0).unwrap();
        }
    }

    #[test]
    fn is_full_with_sixteen_behind_the_one_that_is_sent() {
        let mut uart = uart();
        assert_eq!(word(&mut uart, TXEMPTY, 0), 1);
        fill(&mut uart);
        assert_eq!(word(&mut uart, TXFULL, 99), 1);
        assert_eq!(word(&mut uart, TXFULL, 100), 0);
        assert_eq!(word(&mut uart, TXEMPTY, 1_699), 0);
        assert_eq!(word(&mut uart, TXEMPTY, 1_700), 1);
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, b"abcdefghijklmnopq");
    }

    #[test]
    fn a_byte_that_finds_no_room_is_lost() {
        let mut uart = uart();
        fill(&mut uart);
        uart.write(RXTX, 4, b'!'.into(), 50).unwrap();
        assert_eq!(word(&mut uart, TXEMPTY, 1_700), 1);
    }

    #[test]
    fn room_interrupts_when_it_is_there_again() {
        let mut uart = uart();
        fill(&mut uart);
        uart.write(EV_ENABLE, 4, EVENT_TX, 10).unwrap();
        assert_eq!(uart.next_event(), 100);
        assert_eq!(told(&mut uart, 100), [true]);
        assert_eq!(word(&mut uart, EV_PENDING, 100), EVENT_TX);
        uart.write(EV_PENDING, 4, EVENT_TX, 101).unwrap();
        assert_eq!(told(&mut uart, 101), [], "it is a level");
        uart.write(EV_ENABLE, 4, 0, 102).unwrap();
        assert_eq!(told(&mut uart, 102), [false]);
    }

    #[test]
    fn bytes_come_at_the_baud_rate_and_are_taken_by_clearing_their_event() {
        let mut uart = uart();
        uart.stimulate(&Incoming::Bytes(b"hi".to_vec()), 0).unwrap();
        uart.write(EV_ENABLE, 4, EVENT_RX, 0).unwrap();
        assert_eq!((word(&mut uart, RXEMPTY, 99), uart.next_event()), (1, 100));
        assert_eq!(told(&mut uart, 100), [true]);
        assert_eq!(word(&mut uart, RXTX, 250), b'h'.into());
        assert_eq!(word(&mut uart, EV_PENDING, 250), EVENT_TX | EVENT_RX);
        uart.write(EV_PENDING, 4, EVENT_RX, 251).unwrap();
        assert_eq!(word(&mut uart, RXTX, 251), b'i'.into());
        uart.write(EV_PENDING, 4, EVENT_RX, 252).unwrap();
        assert_eq!(word(&mut uart, RXEMPTY, 252), 1);
        assert_eq!(told(&mut uart, 252), [false]);
        uart.stimulate(&Incoming::Waiting(vec![b'x'; 20]), 300).unwrap();
        while uart.next_event() < u64::MAX {
            let now = uart.next_event();
            told(&mut uart, now);
        }
        assert_eq!(word(&mut uart, RXFULL, 1_901), 1, "who sends waits for room");
    }

    #[test]
    fn a_byte_that_finds_sixteen_unread_is_lost() {
        let mut uart = uart();
        uart.stimulate(&Incoming::Bytes(vec![b'x'; 17]), 0).unwrap();
        assert_eq!(word(&mut uart, RXFULL, 5_000), 1);
        assert_eq!(uart.unreceived(), [(1, "its receiver was full (overrun)")]);
    }

    #[test]
    fn registers_are_words() {
        assert!(uart().read(TXFULL, 1, 0).is_err());
        assert!(uart().write(0x20, 4, 0, 0).is_err());
    }

    #[test]
    fn what_is_to_come_outlives_a_reset() {
        crate::devices::receiver::outlives_a_reset(uart());
    }
}
