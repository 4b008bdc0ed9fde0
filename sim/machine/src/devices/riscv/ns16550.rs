//! A UART of the 16550 family (National Semiconductor PC16550D data sheet, section 8), registers one byte apart.
//!
//! A byte is sent in no time, so the transmitter is always empty, and received in no time; one that finds the receiver full is lost, and sets OE.
//! The modem inputs are asserted. Line settings are held and change nothing. Loop-back is not modelled. Of a wider access the low byte counts, as
//! in QEMU's.

use bus::{Device, DeviceError, Incoming, Irq, Outside};

use crate::devices::not_modelled;
use crate::devices::output::Output;
use crate::devices::receiver::{Line, Receiver};

/// RBR and THR; with DLAB the divisor's low byte.
const DATA: u32 = 0;
/// With DLAB the divisor's high byte.
const IER: u32 = 1;
/// IIR when read, FCR when written.
const IIR: u32 = 2;
const LCR: u32 = 3;
const MCR: u32 = 4;
const LSR: u32 = 5;
const MSR: u32 = 6;
const SCR: u32 = 7;

/// IER: a byte was received.
const RDI: u8 = 1 << 0;
/// IER: something is wrong with what was received.
const RLSI: u8 = 1 << 2;
/// IER: the transmitter is empty.
const THRI: u8 = 1 << 1;
/// IIR: nothing is pending; the transmitter is empty; FIFOs are on.
const IIR_NONE: u8 = 1;
const IIR_TRANSMITTER: u8 = 2;
const IIR_RECEIVED: u8 = 4;
const IIR_LINE: u8 = 6;
const IIR_FIFO: u8 = 3 << 6;
const FCR_ENABLE: u8 = 1 << 0;
/// FCR: the receiver's FIFO is emptied.
const FCR_CLEAR: u8 = 1 << 1;
/// Bytes that the FIFO holds.
const DEPTH: usize = 16;
const LCR_DLAB: u8 = 1 << 7;
const MCR_LOOP: u8 = 1 << 4;
/// LSR: a byte was received.
const LSR_RECEIVED: u8 = 1 << 0;
/// LSR: a byte was lost; a read clears it.
const LSR_OVERRUN: u8 = 1 << 1;
/// LSR: the holding register and the shift register are empty.
const LSR_IDLE: u8 = 3 << 5;
/// MSR: carrier detected, data set ready, clear to send.
const MSR_READY: u8 = 0b1011 << 4;

/// One UART.
#[derive(Clone)]
pub(crate) struct Ns16550 {
    output: Output,
    enabled: u8,
    fifo: bool,
    line: u8,
    modem: u8,
    scratch: u8,
    divisor: [u8; 2],
    /// The transmitter has become empty, and nobody has looked.
    emptied: bool,
    sent: Vec<u8>,
    receiver: Receiver,
    overrun: bool,
}

impl Ns16550 {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        Ns16550 {
            output: Output::new(irq),
            enabled: 0,
            fifo: false,
            line: 0,
            modem: 0,
            scratch: 0,
            divisor: [0; 2],
            emptied: false,
            sent: Vec::new(),
            receiver: Receiver::default(),
            overrun: false,
        }
    }

    fn interrupts(&self) -> bool {
        self.emptied && self.enabled & THRI != 0 || self.receives() || self.complains()
    }

    /// The receiver interrupts.
    fn receives(&self) -> bool {
        self.receiver.is_full() && self.enabled & RDI != 0
    }

    /// The receiver interrupts because a byte was lost.
    fn complains(&self) -> bool {
        self.overrun && self.enabled & RLSI != 0
    }

    /// Without a FIFO, the byte that is there is destroyed by the next one (data sheet, 8.6.3).
    fn catch_up(&mut self, now: u64) {
        let line = Line {
            on: true,
            room: if self.fifo { DEPTH } else { 1 },
            overwrites: !self.fifo,
        };
        self.receiver.catch_up(now, line, |begins| begins);
        self.overrun |= self.receiver.take_overrun();
        self.output.set(self.interrupts(), now);
    }

    /// Reading it takes the transmitter's interrupt back.
    fn identify(&mut self) -> u8 {
        let fifo = if self.fifo { IIR_FIFO } else { 0 };
        if self.complains() {
            return IIR_LINE | fifo;
        }
        if self.receives() {
            return IIR_RECEIVED | fifo;
        }
        if self.interrupts() {
            self.emptied = false;
            return IIR_TRANSMITTER | fifo;
        }
        IIR_NONE | fifo
    }

    fn read_byte(&mut self, offset: u32) -> u8 {
        let latch = self.line & LCR_DLAB != 0;
        match offset {
            DATA | IER if latch => self.divisor[offset as usize],
            DATA => self.receiver.read().unwrap_or(0),
            IER => self.enabled,
            IIR => self.identify(),
            LCR => self.line,
            MCR => self.modem,
            LSR => {
                let received = if self.receiver.is_full() { LSR_RECEIVED } else { 0 };
                let overrun = if std::mem::take(&mut self.overrun) {
                    LSR_OVERRUN
                } else {
                    0
                };
                LSR_IDLE | received | overrun
            }
            MSR => MSR_READY,
            _ => self.scratch,
        }
    }

    fn write_byte(&mut self, offset: u32, value: u8) -> Result<(), DeviceError> {
        let latch = self.line & LCR_DLAB != 0;
        match offset {
            DATA | IER if latch => self.divisor[offset as usize] = value,
            DATA => {
                self.sent.push(value);
                self.emptied = true;
            }
            IER => {
                // Whoever turns this interrupt on hears at once that there is room.
                self.emptied |= value & !self.enabled & THRI != 0;
                self.enabled = value & 0x0f;
            }
            IIR => {
                // Turning it on or off empties it (data sheet, 8.4).
                let fifo = value & FCR_ENABLE != 0;
                if fifo != self.fifo || value & FCR_CLEAR != 0 {
                    self.receiver.clear();
                }
                self.fifo = fifo;
            }
            LCR => self.line = value,
            MCR if value & MCR_LOOP != 0 => return not_modelled("MCR.LOOP, loop-back"),
            MCR => self.modem = value & 0x1f,
            LSR | MSR => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
            _ => self.scratch = value,
        }
        Ok(())
    }
}

impl Device for Ns16550 {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        if offset > SCR {
            return not_modelled(format!("a read of offset {offset:#x}"));
        }
        self.catch_up(now);
        let value = self.read_byte(offset);
        self.catch_up(now);
        Ok(value.into())
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        if offset > SCR {
            return not_modelled(format!("a write of {value:#x} to offset {offset:#x}"));
        }
        self.write_byte(offset, value as u8)?;
        self.catch_up(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.output.due()
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.output.tell(now, line);
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
        if !self.sent.is_empty() {
            sink(&self.sent);
            self.sent.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(uart: &mut Ns16550, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        uart.poll(now, &mut |_, level| told.push(level));
        told
    }

    #[test]
    fn the_divisor_hides_the_data_register_and_sends_nothing() {
        let mut uart = Ns16550::new(None);
        uart.write(LCR, 1, 0x83, 0).unwrap();
        uart.write(DATA, 1, 0x0c, 0).unwrap();
        uart.write(IER, 1, 0x01, 0).unwrap();
        assert_eq!(uart.read(DATA, 1, 0), Ok(0x0c));
        uart.write(LCR, 1, 0x03, 0).unwrap();
        assert_eq!(uart.read(LSR, 1, 0), Ok(0x60));
        uart.write(DATA, 1, u32::from(b'A'), 0).unwrap();
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, b"A");
        assert_eq!(
            uart.read(IER, 1, 0),
            Ok(0),
            "the divisor's high byte went elsewhere"
        );
    }

    #[test]
    fn an_empty_transmitter_interrupts_until_it_is_identified() {
        let mut uart = Ns16550::new(Some(Irq::Source(10)));
        assert_eq!(uart.read(IIR, 1, 0), Ok(0x01));
        uart.write(IIR, 1, 1, 0).unwrap();
        uart.write(IER, 1, u32::from(THRI), 1).unwrap();
        assert_eq!(told(&mut uart, 1), [true]);
        assert_eq!(uart.read(IIR, 1, 2), Ok(0xc2));
        assert_eq!(told(&mut uart, 2), [false]);
        assert_eq!(uart.read(IIR, 1, 3), Ok(0xc1));
        uart.write(DATA, 1, 0, 4).unwrap();
        assert_eq!(told(&mut uart, 4), [true]);
        uart.write(IER, 1, 0, 5).unwrap();
        assert_eq!(told(&mut uart, 5), [false]);
    }

    #[test]
    fn a_byte_that_finds_no_room_is_an_overrun_that_a_read_of_lsr_clears() {
        for (fifo, bytes, first) in [(0, &b"ab"[..], b'b'), (1, b"0123456789abcdefg", b'0')] {
            let mut uart = Ns16550::new(Some(Irq::Source(10)));
            uart.write(IIR, 1, fifo, 0).unwrap();
            uart.write(IER, 1, u32::from(RLSI), 0).unwrap();
            uart.stimulate(&Incoming::Bytes(bytes[1..].to_vec()), 1).unwrap();
            assert_eq!(uart.read(LSR, 1, 2), Ok(0x61));
            let mut uart = Ns16550::new(Some(Irq::Source(10)));
            uart.write(IIR, 1, fifo, 0).unwrap();
            uart.write(IER, 1, u32::from(RLSI), 0).unwrap();
            uart.stimulate(&Incoming::Bytes(bytes.to_vec()), 1).unwrap();
            assert_eq!(told(&mut uart, 1), [true]);
            assert_eq!(uart.read(IIR, 1, 2).unwrap() & 0xf, 6);
            assert_eq!((uart.read(LSR, 1, 3), uart.read(LSR, 1, 4)), (Ok(0x63), Ok(0x61)));
            assert_eq!(told(&mut uart, 4), [false]);
            assert_eq!(uart.read(DATA, 1, 5), Ok(first.into()));
        }
    }

    #[test]
    fn loop_back_is_named() {
        let refused = Ns16550::new(None).write(MCR, 1, 0x1b, 0);
        assert!(matches!(refused, Err(DeviceError::NotModelled(what)) if what.contains("loop-back")));
    }

    #[test]
    fn a_wide_write_sends_its_low_byte() {
        let mut uart = Ns16550::new(None);
        uart.write(DATA, 4, 0x1234_5641, 0).unwrap();
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, b"A");
        assert!(uart.read(8, 1, 0).is_err(), "there are eight registers");
    }

    #[test]
    fn what_is_to_come_outlives_a_reset() {
        crate::devices::receiver::outlives_a_reset(Ns16550::new(None));
    }
}
