//! The UART (`litex/soc/cores/uart.py`), a FIFO each way, sent and received at the board's baud rate. A byte that finds no room is lost, which no flag
//! tells.
//!
//! Its events are levels: there is room to send, and something was received.

use bus::{Device, DeviceError, Effect, Incoming, Irq, Outside};
use serde::Deserialize;

use super::register;
use crate::devices::not_modelled;
use crate::devices::output::Output;
use crate::devices::receiver::{Line, Receiver};
use crate::devices::transmitter::Transmitter;
use crate::devices::{Around, Settings, Ticks};

const RXTX: u32 = 0;
const TXFULL: u32 = 1;
const RXEMPTY: u32 = 2;
const EV_STATUS: u32 = 3;
const EV_PENDING: u32 = 4;
const EV_ENABLE: u32 = 5;
const TXEMPTY: u32 = 6;
const RXFULL: u32 = 7;

/// The event that there is room to send.
const EVENT_TX: u32 = 1 << 0;
const EVENT_RX: u32 = 1 << 1;
/// Bytes behind the one that is sent.
const DEPTH: usize = 16;
/// Start bit, eight of data, stop bit.
const FRAME: u64 = 10;

/// What a board file says of it.
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
#[derive(Clone)]
pub(crate) struct Uart {
    transmitter: Transmitter,
    receiver: Receiver,
    /// A frame on the line ends so many ticks after it began.
    line: Ticks,
    enabled: u32,
    output: Output,
}

impl Uart {
    /// At `baud` bits per second.
    pub(crate) fn new(irq: Option<Irq>, baud: u32) -> Self {
        Uart {
            transmitter: Transmitter::new(Ticks::fixed(baud)),
            receiver: Receiver::default(),
            line: Ticks::fixed(baud),
            enabled: 0,
            output: Output::new(irq),
        }
    }

    fn is_full(&self) -> bool {
        self.transmitter.waiting() == DEPTH
    }

    fn events(&self) -> u32 {
        let room = if self.is_full() { 0 } else { EVENT_TX };
        let received = if self.receiver.is_full() { EVENT_RX } else { 0 };
        room | received
    }

    fn catch_up(&mut self, now: u64) {
        self.transmitter.catch_up(now, FRAME);
        self.receive(now);
        self.output.set(self.events() & self.enabled != 0, now);
    }

    fn receive(&mut self, now: u64) {
        let ticks = &mut self.line;
        self.receiver.catch_up(now, Line::of(true, DEPTH), |begins| {
            ticks.restart(begins);
            ticks.cycle_of(FRAME)
        });
    }

    /// A byte that finds no room is lost.
    fn send(&mut self, byte: u8, now: u64) {
        if !self.is_full() {
            self.transmitter.push(byte);
            self.transmitter.shift(now, FRAME);
        }
    }
}

impl Device for Uart {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match register(offset, size)? {
            RXTX => Ok(self.receiver.front().map_or(0, u32::from)),
            RXFULL => Ok((self.receiver.len() == DEPTH).into()),
            TXFULL => Ok(self.is_full().into()),
            RXEMPTY => Ok((!self.receiver.is_full()).into()),
            EV_STATUS | EV_PENDING => Ok(self.events()),
            EV_ENABLE => Ok(self.enabled),
            TXEMPTY => Ok((!self.transmitter.is_busy()).into()),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match register(offset, size)? {
            RXTX => self.send(value as u8, now),
            EV_ENABLE => self.enabled = value & (EVENT_TX | EVENT_RX),
            // That a byte was received is cleared by taking it, and the next one shows; the other event is a level, and the rest is only read.
            EV_PENDING if value & EVENT_RX != 0 => {
                self.receiver.read();
                self.receive(now);
            }
            TXFULL..=EV_PENDING | TXEMPTY | RXFULL => {}
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.output.set(self.events() & self.enabled != 0, now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.is_full() && self.enabled & EVENT_TX != 0;
        let room = if waits { self.transmitter.due() } else { u64::MAX };
        room.min(self.output.due()).min(self.receiver.due())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.output.tell(now, line);
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.transmitter.hear(effect);
        self.line.hear(effect);
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    /// A bit takes 10 cycles, a byte 100.
    fn uart() -> Uart {
        let mut uart = Uart::new(Some(Irq::External(0)), 100_000);
        uart.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        uart
    }

    fn word(uart: &mut Uart, register: u32, now: u64) -> u32 {
        uart.read(4 * register, 4, now).unwrap()
    }

    fn told(uart: &mut Uart, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        uart.poll(now, &mut |_, level| told.push(level));
        told
    }

    fn fill(uart: &mut Uart) {
        for byte in b'a'..=b'q' {
            uart.write(4 * RXTX, 4, byte.into(), 0).unwrap();
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
        uart.write(4 * RXTX, 4, b'!'.into(), 50).unwrap();
        assert_eq!(word(&mut uart, TXEMPTY, 1_700), 1);
    }

    #[test]
    fn room_interrupts_when_it_is_there_again() {
        let mut uart = uart();
        fill(&mut uart);
        uart.write(4 * EV_ENABLE, 4, EVENT_TX, 10).unwrap();
        assert_eq!(uart.next_event(), 100);
        assert_eq!(told(&mut uart, 100), [true]);
        assert_eq!(word(&mut uart, EV_PENDING, 100), EVENT_TX);
        uart.write(4 * EV_PENDING, 4, EVENT_TX, 101).unwrap();
        assert_eq!(told(&mut uart, 101), [], "it is a level");
        uart.write(4 * EV_ENABLE, 4, 0, 102).unwrap();
        assert_eq!(told(&mut uart, 102), [false]);
    }

    #[test]
    fn bytes_come_at_the_baud_rate_and_are_taken_by_clearing_their_event() {
        let mut uart = uart();
        uart.stimulate(&Incoming::Bytes(b"hi".to_vec()), 0).unwrap();
        uart.write(4 * EV_ENABLE, 4, EVENT_RX, 0).unwrap();
        assert_eq!((word(&mut uart, RXEMPTY, 99), uart.next_event()), (1, 100));
        assert_eq!(told(&mut uart, 100), [true]);
        assert_eq!(word(&mut uart, RXTX, 250), b'h'.into());
        assert_eq!(word(&mut uart, EV_PENDING, 250), EVENT_TX | EVENT_RX);
        uart.write(4 * EV_PENDING, 4, EVENT_RX, 251).unwrap();
        assert_eq!(word(&mut uart, RXTX, 251), b'i'.into());
        uart.write(4 * EV_PENDING, 4, EVENT_RX, 252).unwrap();
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
        assert!(uart().read(4 * TXFULL, 1, 0).is_err());
        assert!(uart().write(0x20, 4, 0, 0).is_err());
    }

    #[test]
    fn what_is_to_come_outlives_a_reset() {
        crate::devices::receiver::outlives_a_reset(uart());
    }
}
