//! The UART of Arm's Cortex-M System Design Kit (Arm DDI 0479, 4.4).
//!
//! A byte is sent in no time; what comes from outside takes its ten bits, by BAUDDIV. A byte that finds the last one unread takes its place and sets
//! the overrun flag. While BAUDDIV is 0, a byte takes no time.

use bus::{Device, Irq};
use serde::Deserialize;

use super::block::{At, Peripheral, Regs, Write, about, flag, registers, tell};
use super::receiver::Line;
use super::serial::Serial;
use super::words::cmsdk_id;
use super::{Around, Settings};

about! { CmsdkUart by CmsdkUartSettings, D,
    "DDI 0479, 4.4",
    "sends, in no time; receives at its baud rate; overrun; its interrupts",
    "the time of sending"
}

registers! { CmsdkUart serial;
    DATA      = 0x00 .shows(|uart, _| uart.serial.front()).taken(|uart, _| uart.serial.pop()).then(CmsdkUart::send);
    STATE     = 0x04 .shows(CmsdkUart::state).then(CmsdkUart::clear_overrun);
    CTRL      = 0x08 .write(0x3f).refuse(!0x3f, "");
    // INTCLEAR when written.
    INTSTATUS = 0x0c .clear(!0).shows(|uart, _| uart.status()).then(CmsdkUart::clear_overrun);
    BAUDDIV   = 0x10 .write(0xf_ffff);
    ID        = 0xfd0 .times(12, 4).shows(|_, at| cmsdk_id(0x21, at.n));
}

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

/// The keys of its board file entry.
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
#[derive(Clone, Default)]
pub(crate) struct CmsdkUart {
    regs: Regs<Self>,
    serial: Serial,
    irq: Option<Irq>,
    irq_rx: Option<Irq>,
    irq_overrun: Option<Irq>,
    overrun: bool,
}

impl CmsdkUart {
    pub(crate) fn new(irq: Option<Irq>, irq_rx: Option<Irq>) -> Self {
        CmsdkUart {
            irq,
            irq_rx,
            ..CmsdkUart::default()
        }
    }

    fn state(&self, _: At) -> u32 {
        let full = flag(self.serial.receiver.is_full(), STATE_RX);
        full | flag(self.overrun, RX_OVERRUN)
    }

    fn status(&self) -> u32 {
        let overrun = self.overrun && self.regs[CTRL] & CTRL_RX_OVERRUN != 0;
        self.regs[INTSTATUS] | flag(overrun, RX_OVERRUN)
    }

    /// The transmitter's is never set.
    fn clear_overrun(&mut self, write: Write) {
        self.overrun &= write.value & RX_OVERRUN == 0;
    }

    /// Sends a byte, if the transmitter is on; otherwise the byte is lost, as the buffer never empties.
    fn send(&mut self, write: Write) {
        if self.regs[CTRL] & CTRL_TX != 0 {
            self.serial.transmitter.send(write.value as u8);
            if self.regs[CTRL] & CTRL_TX_INTERRUPT != 0 {
                self.regs[INTSTATUS] |= TX_INTERRUPT;
            }
        }
    }
}

impl Peripheral for CmsdkUart {
    /// Receives what has come: a start bit, eight of data, and a stop bit.
    fn advance(&mut self, now: u64) {
        let line = Line {
            on: self.regs[CTRL] & CTRL_RX != 0,
            room: 1,
            overwrites: true,
        };
        let came = self.serial.receive(now, line, 10 * u64::from(self.regs[BAUDDIV]));
        if came && self.regs[CTRL] & CTRL_RX_INTERRUPT != 0 {
            self.regs[INTSTATUS] |= RX_INTERRUPT;
        }
        self.overrun |= self.serial.receiver.take_overrun();
    }

    fn settle(&mut self, now: u64) {
        self.advance(now);
    }

    fn due(&self) -> u64 {
        self.serial.receiver.due()
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.regs[INTSTATUS] & TX_INTERRUPT != 0, line);
        tell(self.irq_rx, self.regs[INTSTATUS] & RX_INTERRUPT != 0, line);
        tell(self.irq_overrun, self.status() & RX_OVERRUN != 0, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Incoming;

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
