//! A UART of the 16550 family (National Semiconductor PC16550D data sheet, section 8), registers one byte apart.
//!
//! A byte is sent in no time, so the transmitter is always empty, and received in no time; one that finds the receiver full is lost, and sets OE.
//! The modem inputs are asserted. Line settings are held and change nothing. Loop-back is not modelled. Of a wider access the low byte counts, as
//! in QEMU's.

use bus::Irq;

use crate::devices::block::{Access, At, Peripheral, Regs, Write, about, flag, registers};
use crate::devices::output::Output;
use crate::devices::receiver::Line;
use crate::devices::serial::Serial;

about! { Ns16550, D,
    "PC16550D data sheet, 8",
    "sends, in no time; receives, in no time; overrun; the interrupts of all three",
    "loop-back, levels of the FIFO"
}

registers! { Ns16550 serial;
    // RBR and THR.
    DATA = 0 .shows(|uart, _| uart.serial.front()).taken(|uart, _| uart.serial.pop()).then(Ns16550::send);
    IER  = 1 .write(0x0f).strobe(!0x0f).then(Ns16550::enable);
    // FCR when written.
    IIR  = 2 .shows(Ns16550::identify).taken(Ns16550::identified).then(Ns16550::set_fifo);
    LCR  = 3 .write(0xff);
    MCR  = 4 .write(0x1f).refuse(MCR_LOOP, ": loop-back").strobe(!0x1f);
    LSR  = 5 .shows(Ns16550::status).taken(|uart, _| uart.overrun = false);
    MSR  = 6 .reset(MSR_READY);
    SCR  = 7 .write(0xff);
    // Replace DATA and IER while LCR.DLAB is set.
    DLL  = 8 .write(0xff);
    DLM  = 9 .write(0xff);
}

/// IER: a byte was received.
const RDI: u8 = 1 << 0;
/// IER: something is wrong with what was received.
const RLSI: u8 = 1 << 2;
/// IER: the transmitter is empty.
const THRI: u8 = 1 << 1;
/// IIR: nothing is pending; the transmitter is empty; FIFOs are on.
const IIR_NONE: u32 = 1;
const IIR_TRANSMITTER: u32 = 2;
const IIR_RECEIVED: u32 = 4;
const IIR_LINE: u32 = 6;
const IIR_FIFO: u32 = 3 << 6;
const FCR_ENABLE: u32 = 1 << 0;
/// FCR: the receiver's FIFO is emptied.
const FCR_CLEAR: u32 = 1 << 1;
/// Bytes that the FIFO holds.
const DEPTH: usize = 16;
const LCR_DLAB: u32 = 1 << 7;
const MCR_LOOP: u32 = 1 << 4;
/// LSR: a byte was received.
const LSR_RECEIVED: u32 = 1 << 0;
/// LSR: a byte was lost; a read clears it.
const LSR_OVERRUN: u32 = 1 << 1;
/// LSR: the holding register and the shift register are empty.
const LSR_IDLE: u32 = 3 << 5;
/// MSR: carrier detected, data set ready, clear to send.
const MSR_READY: u32 = 0b1011 << 4;

/// One UART.
#[derive(Clone, Default)]
pub(crate) struct Ns16550 {
    regs: Regs<Self>,
    serial: Serial,
    output: Output,
    fifo: bool,
    /// The transmitter has become empty, and nobody has looked.
    emptied: bool,
    overrun: bool,
}

impl Ns16550 {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        Ns16550 {
            output: Output::new(irq),
            ..Ns16550::default()
        }
    }

    fn enables(&self, interrupt: u8) -> bool {
        self.regs[IER] & u32::from(interrupt) != 0
    }

    fn interrupts(&self) -> bool {
        self.emptied && self.enables(THRI) || self.receives() || self.complains()
    }

    /// The receiver interrupts.
    fn receives(&self) -> bool {
        self.serial.receiver.is_full() && self.enables(RDI)
    }

    /// The receiver interrupts because a byte was lost.
    fn complains(&self) -> bool {
        self.overrun && self.enables(RLSI)
    }

    fn send(&mut self, write: Write) {
        self.serial.transmitter.send(write.value as u8);
        self.emptied = true;
    }

    /// Enabling the transmitter's interrupt raises it at once if there is space.
    fn enable(&mut self, write: Write) {
        self.emptied |= write.value & !write.old & u32::from(THRI) != 0;
    }

    fn identify(&self, _: At) -> u32 {
        let cause = match () {
            () if self.complains() => IIR_LINE,
            () if self.receives() => IIR_RECEIVED,
            () if self.interrupts() => IIR_TRANSMITTER,
            () => IIR_NONE,
        };
        cause | if self.fifo { IIR_FIFO } else { 0 }
    }

    /// Reading it takes the transmitter's interrupt back.
    fn identified(&mut self, at: At) {
        self.emptied &= self.identify(at) & !IIR_FIFO != IIR_TRANSMITTER;
    }

    /// Turning it on or off empties it (data sheet, 8.4).
    fn set_fifo(&mut self, write: Write) {
        let fifo = write.value & FCR_ENABLE != 0;
        if fifo != self.fifo || write.value & FCR_CLEAR != 0 {
            self.serial.receiver.clear();
        }
        self.fifo = fifo;
    }

    fn status(&self, _: At) -> u32 {
        let received = flag(self.serial.receiver.is_full(), LSR_RECEIVED);
        LSR_IDLE | received | flag(self.overrun, LSR_OVERRUN)
    }
}

impl Peripheral for Ns16550 {
    const ACCESS: Access = Access::Bytes;

    fn bank(&self, offset: u32) -> u32 {
        match offset {
            0 | 1 if self.regs[LCR] & LCR_DLAB != 0 => offset + DLL,
            0..=7 => offset,
            _ => u32::MAX,
        }
    }

    /// Without a FIFO, the byte that is there is destroyed by the next one (data sheet, 8.6.3).
    fn advance(&mut self, now: u64) {
        let line = Line {
            on: true,
            room: if self.fifo { DEPTH } else { 1 },
            overwrites: !self.fifo,
        };
        self.serial.receive(now, line, 0);
        self.overrun |= self.serial.receiver.take_overrun();
        self.output.set(self.interrupts(), now);
    }

    fn settle(&mut self, now: u64) {
        self.advance(now);
    }

    fn due(&self) -> u64 {
        self.output.due()
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.output.tell(now, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{Device, DeviceError, Incoming};

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
