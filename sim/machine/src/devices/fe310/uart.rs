//! UART (manual, chapter 18): eight bytes of FIFO each way, sent and received at the rate that DIV sets. A byte that finds no room is lost, which
//! no flag tells.

use bus::{ClockId, Device, DeviceError, Effect, Incoming, Irq, Outside};

use super::word;
use crate::devices::Ticks;
use crate::devices::not_modelled;
use crate::devices::output::Output;
use crate::devices::receiver::{Line, Receiver};
use crate::devices::transmitter::Transmitter;

const TXDATA: u32 = 0x00;
const RXDATA: u32 = 0x04;
const TXCTRL: u32 = 0x08;
const RXCTRL: u32 = 0x0c;
const IE: u32 = 0x10;
const IP: u32 = 0x14;
const DIV: u32 = 0x18;

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
const DIV_RESET: u32 = 0x21d;

/// One UART.
#[derive(Clone)]
pub(crate) struct Fe310Uart {
    transmitter: Transmitter,
    control: u32,
    receive_control: u32,
    receiver: Receiver,
    /// A frame on the line ends so many ticks after it began.
    line: Ticks,
    enabled: u32,
    divisor: u32,
    output: Output,
}

impl Fe310Uart {
    /// Its rate is divided from the core's clock.
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        let mut transmitter = Transmitter::new(Ticks::of(ClockId::CORE));
        transmitter.turn(false);
        Fe310Uart {
            transmitter,
            control: 0,
            receive_control: 0,
            receiver: Receiver::default(),
            line: Ticks::of(ClockId::CORE),
            enabled: 0,
            divisor: DIV_RESET,
            output: Output::new(irq),
        }
    }

    /// Ticks of the clock for one byte.
    fn frame(&self) -> u64 {
        let stop = u64::from(self.control & NSTOP != 0);
        (FRAME + stop) * (u64::from(self.divisor) + 1)
    }

    fn pending(&self) -> u32 {
        let watermark = |control: u32| (control >> 16 & 7) as usize;
        let room = self.transmitter.waiting() < watermark(self.control);
        let received = self.receiver.len() > watermark(self.receive_control);
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        bit(room, TXWM) | bit(received, RXWM)
    }

    fn catch_up(&mut self, now: u64) {
        self.transmitter.catch_up(now, self.frame());
        self.receive(now);
        self.drive(now);
    }

    fn receive(&mut self, now: u64) {
        let line = Line::of(self.receive_control & RXEN != 0, DEPTH);
        let (ticks, frame) = (&mut self.line, FRAME * (u64::from(self.divisor) + 1));
        self.receiver.catch_up(now, line, |begins| {
            ticks.restart(begins);
            ticks.cycle_of(frame)
        });
    }

    fn drive(&mut self, now: u64) {
        self.output.set(self.pending() & self.enabled != 0, now);
    }

    /// A byte that finds no room is lost.
    fn send(&mut self, byte: u8) {
        if self.transmitter.waiting() < DEPTH {
            self.transmitter.push(byte);
        }
    }
}

impl Device for Fe310Uart {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        word(offset, size)?;
        self.catch_up(now);
        match offset {
            TXDATA if self.transmitter.waiting() == DEPTH => Ok(FLAG),
            TXDATA => Ok(0),
            RXDATA => {
                let byte = self.receiver.read();
                self.catch_up(now);
                Ok(byte.map_or(FLAG, u32::from))
            }
            TXCTRL => Ok(self.control),
            RXCTRL => Ok(self.receive_control),
            IE => Ok(self.enabled),
            IP => Ok(self.pending()),
            DIV => Ok(self.divisor),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        word(offset, size)?;
        self.catch_up(now);
        match offset {
            TXDATA => self.send(value as u8),
            RXDATA | IP => {}
            TXCTRL => {
                self.control = value & 0x7_0003;
                self.transmitter.turn(value & TXEN != 0);
            }
            RXCTRL => {
                self.receive_control = value & 0x7_0001;
                self.receive(now);
            }
            IE => self.enabled = value & 3,
            DIV => self.divisor = value & 0xffff,
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.transmitter.shift(now, self.frame());
        self.drive(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.enabled & !self.pending() & TXWM != 0;
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
