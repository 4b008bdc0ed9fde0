//! The UART of Arm's Cortex-M System Design Kit (Arm DDI 0479, 4.4).
//!
//! A byte is sent in no time; what comes from outside takes its ten bits, by BAUDDIV. A byte that finds the last one unread takes its place and sets
//! the overrun flag. While BAUDDIV is 0, a byte takes no time.

use bus::{Device, DeviceError, Incoming, Irq, Outside};
use serde::Deserialize;

use super::receiver::{Line, Receiver};
use super::{Around, Settings, not_modelled};

const DATA: u32 = 0x00;
const STATE: u32 = 0x04;
const CTRL: u32 = 0x08;
/// INTSTATUS when read, INTCLEAR when written.
const INTSTATUS: u32 = 0x0c;
const BAUDDIV: u32 = 0x10;
/// PID4 to 7, PID0 to 3, CID0 to 3, from offset 0xfd0.
const ID: [u32; 12] = [0x04, 0, 0, 0, 0x21, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// STATE: the receive buffer is full.
const STATE_RX: u32 = 1 << 1;
/// STATE, INTSTATUS: a byte was not read before the next one came. CTRL: its interrupt.
const RX_OVERRUN: u32 = 1 << 3;
const CTRL_RX_OVERRUN: u32 = 1 << 5;
const CTRL_TX: u32 = 1 << 0;
const CTRL_RX: u32 = 1 << 1;
const CTRL_RX_INTERRUPT: u32 = 1 << 3;
const CTRL_TX_INTERRUPT: u32 = 1 << 2;
const TX_INTERRUPT: u32 = 1 << 0;
const RX_INTERRUPT: u32 = 1 << 1;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CmsdkUartSettings {
    /// The number of the receiver's interrupt; `irq` is the transmitter's.
    irq_rx: Option<u16>,
    /// The number of the interrupt of an overrun, which several may share.
    irq_overrun: Option<u16>,
}

impl Settings for CmsdkUartSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let mut uart = CmsdkUart::new(around.irq, self.irq_rx.map(Irq::External));
        uart.irq_overrun = self.irq_overrun.map(Irq::External);
        Ok(Box::new(uart))
    }
}

/// One UART, with an interrupt line of the transmitter and one of the receiver.
#[derive(Clone)]
pub(crate) struct CmsdkUart {
    irq: Option<Irq>,
    irq_rx: Option<Irq>,
    irq_overrun: Option<Irq>,
    overrun: bool,
    receiver: Receiver,
    sent: Vec<u8>,
    control: u32,
    divider: u32,
    pending: u32,
}

impl CmsdkUart {
    pub(crate) fn new(irq: Option<Irq>, irq_rx: Option<Irq>) -> Self {
        CmsdkUart {
            irq,
            irq_rx,
            irq_overrun: None,
            overrun: false,
            receiver: Receiver::default(),
            sent: Vec::new(),
            control: 0,
            divider: 0,
            pending: 0,
        }
    }

    /// Receives what has come: a start bit, eight of data, and a stop bit.
    fn catch_up(&mut self, now: u64) {
        let line = Line {
            on: self.control & CTRL_RX != 0,
            room: 1,
            overwrites: true,
        };
        let (had, ended) = (self.receiver.is_full(), self.receiver.ended());
        let frame = 10 * u64::from(self.divider);
        self.receiver.catch_up(now, line, |begins| begins + frame);
        let came = self.receiver.is_full() && !had || self.receiver.ended() != ended;
        if came && self.control & CTRL_RX_INTERRUPT != 0 {
            self.pending |= RX_INTERRUPT;
        }
        if self.receiver.take_overrun() {
            self.overrun = true;
        }
    }

    fn status(&self) -> u32 {
        let overrun = self.overrun && self.control & CTRL_RX_OVERRUN != 0;
        self.pending | if overrun { RX_OVERRUN } else { 0 }
    }

    /// Sends a byte, if the transmitter is on; otherwise the byte is lost, as the buffer never empties.
    fn send(&mut self, byte: u8) {
        if self.control & CTRL_TX != 0 {
            self.sent.push(byte);
            if self.control & CTRL_TX_INTERRUPT != 0 {
                self.pending |= TX_INTERRUPT;
            }
        }
    }
}

impl Device for CmsdkUart {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            DATA => {
                let byte = self.receiver.read();
                self.catch_up(now);
                Ok(byte.map_or(0, u32::from))
            }
            STATE => {
                let full = if self.receiver.is_full() { STATE_RX } else { 0 };
                Ok(full | if self.overrun { RX_OVERRUN } else { 0 })
            }
            CTRL => Ok(self.control),
            INTSTATUS => Ok(self.status()),
            BAUDDIV => Ok(self.divider),
            register @ 0xfd0..=0xffc => Ok(ID[(register - 0xfd0) as usize / 4]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            DATA => self.send(value as u8),
            // The transmitter's is never set.
            STATE => self.overrun &= value & RX_OVERRUN == 0,
            CTRL if value & !0x3f != 0 => return not_modelled(format!("CTRL, a write of {value:#x}")),
            CTRL => self.control = value,
            INTSTATUS => {
                self.pending &= !value;
                self.overrun &= value & RX_OVERRUN == 0;
            }
            BAUDDIV => self.divider = value & 0xf_ffff,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        self.catch_up(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.receiver.due()
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(irq) = self.irq {
            line(irq, self.pending & TX_INTERRUPT != 0);
        }
        if let Some(irq) = self.irq_rx {
            line(irq, self.pending & RX_INTERRUPT != 0);
        }
        if let Some(irq) = self.irq_overrun {
            line(irq, self.status() & RX_OVERRUN != 0);
        }
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

    fn sent(uart: &mut CmsdkUart) -> Vec<u8> {
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        sent
    }

    #[test]
    fn sends_only_with_the_transmitter_on() {
        let mut uart = CmsdkUart::new(Some(Irq::External(1)), Some(Irq::External(0)));
        uart.write(DATA, 4, u32::from(b'x'), 0).unwrap();
        assert!(sent(&mut uart).is_empty());
        uart.write(CTRL, 4, CTRL_TX, 0).unwrap();
        uart.write(DATA, 4, u32::from(b'y'), 0).unwrap();
        assert_eq!(sent(&mut uart), b"y");
    }

    #[test]
    fn the_transmit_interrupt_stays_until_it_is_cleared() {
        let mut uart = CmsdkUart::new(Some(Irq::External(1)), Some(Irq::External(0)));
        uart.write(CTRL, 4, CTRL_TX | CTRL_TX_INTERRUPT, 0).unwrap();
        uart.write(DATA, 1, 0, 0).unwrap();
        let mut levels = Vec::new();
        uart.poll(0, &mut |irq, level| {
            levels.extend((irq == Irq::External(1)).then_some(level));
        });
        uart.poll(0, &mut |irq, level| {
            levels.extend((irq == Irq::External(1)).then_some(level));
        });
        uart.write(INTSTATUS, 4, TX_INTERRUPT, 0).unwrap();
        uart.poll(0, &mut |irq, level| {
            levels.extend((irq == Irq::External(1)).then_some(level));
        });
        assert_eq!(levels, [true, true, false]);
    }

    #[test]
    fn bytes_come_one_by_one_each_with_its_interrupt() {
        let mut uart = CmsdkUart::new(None, Some(Irq::External(0)));
        let levels = |uart: &mut CmsdkUart| {
            let mut levels = Vec::new();
            uart.poll(0, &mut |_, level| levels.push(level));
            levels
        };
        uart.stimulate(&Incoming::Waiting(b"ab".to_vec()), 0).unwrap();
        assert_eq!(uart.read(STATE, 4, 0), Ok(0), "the receiver is off");
        uart.write(CTRL, 4, CTRL_RX | CTRL_RX_INTERRUPT, 0).unwrap();
        assert_eq!(
            (uart.read(STATE, 4, 0), levels(&mut uart)),
            (Ok(STATE_RX), vec![true])
        );
        uart.write(INTSTATUS, 4, RX_INTERRUPT, 0).unwrap();
        assert_eq!(levels(&mut uart), [false]);
        assert_eq!(uart.read(DATA, 4, 0), Ok(u32::from(b'a')));
        assert_eq!(levels(&mut uart), [true]);
        assert_eq!(uart.read(DATA, 1, 0), Ok(u32::from(b'b')));
        assert_eq!(uart.read(STATE, 4, 0), Ok(0));
    }

    #[test]
    fn who_clears_the_interrupt_behind_the_byte_hears_of_the_next() {
        let mut uart = CmsdkUart::new(None, Some(Irq::External(0)));
        let level = |uart: &mut CmsdkUart, now| {
            let mut is_high = false;
            uart.poll(now, &mut |_, level| is_high = level);
            is_high
        };
        uart.write(BAUDDIV, 4, 16, 0).unwrap();
        uart.write(CTRL, 4, CTRL_RX | CTRL_RX_INTERRUPT, 0).unwrap();
        uart.stimulate(&Incoming::Waiting(b"ab".to_vec()), 100).unwrap();
        assert_eq!((uart.next_event(), level(&mut uart, 259)), (260, false));
        assert!(level(&mut uart, 260));
        assert_eq!(uart.read(DATA, 4, 300), Ok(u32::from(b'a')));
        uart.write(INTSTATUS, 4, RX_INTERRUPT, 302).unwrap();
        assert_eq!((uart.next_event(), level(&mut uart, 302)), (460, false));
        assert!(level(&mut uart, 460));
        assert_eq!(uart.read(DATA, 4, 461), Ok(u32::from(b'b')));
    }

    #[test]
    fn a_byte_that_finds_the_last_one_unread_takes_its_place_and_is_an_overrun() {
        let mut uart = CmsdkUart::new(None, None);
        uart.irq_overrun = Some(Irq::External(12));
        uart.write(BAUDDIV, 4, 16, 0).unwrap();
        uart.write(CTRL, 4, CTRL_RX | CTRL_RX_OVERRUN, 0).unwrap();
        uart.stimulate(&Incoming::Bytes(b"ab".to_vec()), 0).unwrap();
        uart.poll(319, &mut |_, high| assert!(!high));
        uart.poll(320, &mut |irq, high| assert!(irq == Irq::External(12) && high));
        assert_eq!(
            (uart.read(STATE, 4, 320), uart.read(INTSTATUS, 4, 320)),
            (Ok(STATE_RX | RX_OVERRUN), Ok(RX_OVERRUN))
        );
        uart.write(INTSTATUS, 4, RX_OVERRUN, 321).unwrap();
        assert_eq!(
            (uart.read(STATE, 4, 322), uart.read(DATA, 4, 322)),
            (Ok(STATE_RX), Ok(b'b'.into()))
        );
    }

    #[test]
    fn what_is_to_come_outlives_a_reset() {
        crate::devices::receiver::outlives_a_reset(CmsdkUart::new(None, None));
    }
}
