//! Arm `PrimeCell` UART (PL011, Arm DDI 0183), without its FIFOs.
//!
//! A byte is sent in no time, so the transmit FIFO is always empty; what comes from outside is there as soon as the byte before was read. Line settings are held
//! and change nothing. DMA, the self-test registers and loop-back are not modelled.

use bus::{Device, DeviceError, Incoming, Irq};

use super::not_modelled;
use super::receiver::Receiver;

const DR: u32 = 0x00;
const RSR: u32 = 0x04;
const FR: u32 = 0x18;
const ILPR: u32 = 0x20;
const CR: u32 = 0x30;
const IMSC: u32 = 0x38;
const RIS: u32 = 0x3c;
const MIS: u32 = 0x40;
const ICR: u32 = 0x44;
const DMACR: u32 = 0x48;

/// FR: transmit FIFO empty; receive FIFO empty, full.
const TXFE: u32 = 1 << 7;
const RXFE: u32 = 1 << 4;
const RXFF: u32 = 1 << 6;
/// Transmit interrupt in IMSC, RIS, MIS and ICR.
const TX: u32 = 1 << 5;
/// The receive interrupt, and its time-out, which programs with FIFOs wait for.
const RX: u32 = 1 << 4 | 1 << 6;
/// CR: on, receiver on.
const RECEIVES: u32 = 1 << 0 | 1 << 9;
/// CR: transmit and receive enabled.
const CR_RESET: u32 = 0x300;
/// IFLS: both FIFO levels at one half.
const IFLS_RESET: u32 = 0x12;
/// `PeriphID0` to 3 and `PCellID0` to 3.
const ID: [u32; 8] = [0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// One UART.
#[derive(Clone)]
pub(crate) struct Pl011 {
    irq: Option<Irq>,
    sent: Vec<u8>,
    /// ILPR, (reserved), IBRD, FBRD, `LCR_H`, CR, IFLS: held, without effect.
    held: [u32; 7],
    mask: u32,
    raw: u32,
    receiver: Receiver,
}

impl Pl011 {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        Pl011 {
            irq,
            sent: Vec::new(),
            held: [0, 0, 0, 0, 0, CR_RESET, IFLS_RESET],
            mask: 0,
            raw: 0,
            receiver: Receiver::default(),
        }
    }

    /// A byte that waits is received at once.
    fn catch_up(&mut self, now: u64) {
        let on = self.held[held(CR)] & RECEIVES == RECEIVES;
        self.receiver.catch_up(now, || on.then_some(now));
        self.raw = self.raw & !RX | if self.receiver.is_full() { RX } else { 0 };
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
                let byte = self.receiver.read();
                self.catch_up(now);
                Ok(byte.map_or(0, u32::from))
            }
            RSR | DMACR => Ok(0),
            FR => Ok(TXFE | if self.receiver.is_full() { RXFF } else { RXFE }),
            register @ (ILPR | 0x24..=0x34) => Ok(self.held[held(register)]),
            IMSC => Ok(self.mask),
            RIS => Ok(self.raw),
            MIS => Ok(self.raw & self.mask),
            register @ 0xfe0..=0xffc => Ok(ID[(register - 0xfe0) as usize / 4]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            DR => {
                self.sent.push(value as u8);
                self.raw |= TX;
            }
            CR if value & 1 << 7 != 0 => return not_modelled("UARTCR.LBE, loop-back"),
            RSR => {}
            register @ (ILPR | 0x24..=0x34) => self.held[held(register)] = value,
            IMSC => self.mask = value & 0x7ff,
            ICR => self.raw &= !value,
            DMACR if value == 0 => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        self.catch_up(now);
        Ok(())
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(irq) = self.irq {
            line(irq, self.raw & self.mask != 0);
        }
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        let Incoming::Bytes(bytes) = input else {
            return not_modelled("it receives bytes alone");
        };
        self.receiver.give(bytes);
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

    #[test]
    fn sends_what_is_written_and_interrupts_when_unmasked() {
        let mut uart = Pl011::new(Some(Irq(5)));
        uart.write(DR, 1, u32::from(b'A'), 0).unwrap();
        uart.write(IMSC, 4, TX, 0).unwrap();
        let mut lines = Vec::new();
        uart.poll(0, &mut |irq, level| lines.push((irq, level)));
        uart.write(ICR, 4, TX, 0).unwrap();
        uart.poll(0, &mut |irq, level| lines.push((irq, level)));
        assert_eq!(lines, [(Irq(5), true), (Irq(5), false)]);
        let mut sent = Vec::new();
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        uart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, b"A");
    }

    #[test]
    fn loop_back_is_named() {
        let mut uart = Pl011::new(None);
        let refused = uart.write(CR, 4, 0x381, 0);
        assert!(matches!(refused, Err(DeviceError::NotModelled(what)) if what.contains("loop-back")));
    }
}
