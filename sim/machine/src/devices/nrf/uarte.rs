//! UARTE (nRF52840 PS 6.34): as a master of the bus, it sends and receives buffers in RAM at its baud rate. A FIFO holds bytes that arrive between
//! two buffers and after STOPRX; a byte that finds it full is lost and raises ERROR. Flow control is stored only. The UART without DMA at the same
//! address is not modelled.

use bus::{ClockId, Device, DeviceError, Effect, Irq, Request};

use super::buffer::{Buffer, EASY_DMA};
use super::{Frame, framed};
use crate::devices::block::{Half, Peripheral, Regs, Write, about};
use crate::devices::receiver::Line;
use crate::devices::serial::Serial;
use crate::devices::{Around, Ticks, not_modelled};

about! { Uarte, B,
    "nRF52840 PS 6.34",
    "sends and receives buffers in RAM at its baud rate, with the FIFO of the receiver",
    "flow control, the UART without DMA, which pins it has"
}

framed! { Uarte serial;
    ERRORSRC = 0x480 .clear(!0);
    ENABLE   = 0x500 .write(!0).tries(|_, write| Uarte::enable(write));
    PSEL     = 0x508 .times(4, 4).reset(!0).write(!0);
    BAUDRATE = 0x524 .reset(0x0400_0000).write(!0);
    // PTR, MAXCNT, AMOUNT.
    RXD      = 0x534 .times(3, 4).shows(|uart, at| uart.rx.read(at.n)).then(|uart, write| uart.rx.write(write.n, write.value));
    TXD      = 0x544 .times(3, 4).shows(|uart, at| uart.tx.read(at.n)).then(|uart, write| uart.tx.write(write.n, write.value));
    CONFIG   = 0x56c .write(!0);
}

/// Tasks.
const STARTRX: u32 = 0;
const STOPRX: u32 = 1;
const STARTTX: u32 = 2;
const STOPTX: u32 = 3;
const FLUSHRX: u32 = 11;
/// Events.
const RXDRDY: u32 = 2;
const ENDRX: u32 = 4;
const TXDRDY: u32 = 7;
const ENDTX: u32 = 8;
const ERROR: u32 = 9;
const RXTO: u32 = 17;
const RXSTARTED: u32 = 19;
const TXSTARTED: u32 = 20;
const TXSTOPPED: u32 = 22;
/// Shortcuts.
const ENDRX_STARTRX: u32 = 1 << 5;
const ENDRX_STOPRX: u32 = 1 << 6;

const ON: u32 = 8;
/// ERRORSRC: a byte was lost.
const OVERRUN: u32 = 1 << 0;
/// Bytes of the receiver's FIFO (6.34.4: "up to four bytes" come after STOPRX).
const FIFO: usize = 4;

/// One UARTE.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub(crate) struct Uarte {
    regs: Regs<Self>,
    serial: Serial,
    frame: Frame,
    /// Ticks of the frame being sent.
    ticks: Ticks,
    tx: Buffer,
    rx: Buffer,
    sends: bool,
    /// Whether it stops after the byte in progress.
    stops: bool,
    receives: bool,
    /// Whether the FIFO goes to memory, after STOPRX.
    flushes: bool,
    /// The core cycle in which the byte under way is sent.
    busy_until: Option<u64>,
    /// The pending bus request: to read a byte to send, or to write one received.
    asking: Option<Request>,
    note: Option<String>,
}

impl Uarte {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Uarte::new(Frame::new(around.base, around.irq)))
    }

    fn new(frame: Frame) -> Uarte {
        Uarte {
            frame,
            ticks: Ticks::fixed(16_000_000),
            serial: Serial::of(Ticks::fixed(16_000_000)),
            ..Uarte::default()
        }
    }

    /// Ticks of 16 MHz of a frame: BAUDRATE is a fraction of that, in units of a 2^32th.
    fn frame_ticks(&self) -> u64 {
        let parity = u64::from(self.regs[CONFIG] >> 1 & 7 == 7);
        let stop = 1 + u64::from(self.regs[CONFIG] >> 4 & 1);
        ((9 + parity + stop) << 32) / u64::from(self.regs[BAUDRATE].max(1))
    }

    fn enable(write: Write) -> Result<(), DeviceError> {
        if let 0 | ON = write.value {
            return Ok(());
        }
        not_modelled(format!(
            "ENABLE, a write of {:#x}: the UART without DMA",
            write.value
        ))
    }

    fn task(&mut self, task: u32, _now: u64) -> Result<(), DeviceError> {
        match task {
            STARTTX | STARTRX if self.regs[ENABLE] != ON => {
                self.note = Some(format!(
                    "UARTE: task {task} while ENABLE is 0: nothing comes of it"
                ));
            }
            STARTTX => {
                self.tx.start();
                self.frame.raise(TXSTARTED);
                self.sends = self.tx.left() > 0;
                if !self.sends {
                    self.frame.raise(ENDTX);
                }
            }
            STOPTX => {
                self.sends = false;
                self.stops = self.busy_until.is_some();
                if !self.stops {
                    self.frame.raise(TXSTOPPED);
                }
            }
            STARTRX => {
                self.rx.start();
                self.receives = true;
                self.frame.raise(RXSTARTED);
            }
            STOPRX => {
                if self.receives && self.rx.left() > 0 {
                    self.rx.end();
                    self.frame.raise(ENDRX);
                }
                self.receives = false;
                self.frame.raise(RXTO);
            }
            FLUSHRX => {
                self.rx.start();
                self.flushes = true;
                self.flushed();
            }
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }

    /// Ends the flush, if nothing is left to put into memory, or no room there.
    fn flushed(&mut self) {
        if self.flushes && (!self.serial.receiver.is_full() || self.rx.left() == 0) {
            self.flushes = false;
            self.rx.end();
            self.frame.raise(ENDRX);
        }
    }

    fn received(&mut self, now: u64) -> Result<(), DeviceError> {
        self.rx.done();
        self.frame.raise(RXDRDY);
        if self.flushes {
            self.flushed();
            return Ok(());
        }
        if self.rx.left() > 0 {
            return Ok(());
        }
        self.frame.raise(ENDRX);
        match self.frame.shorts {
            shorts if shorts & ENDRX_STARTRX != 0 => self.task(STARTRX, now),
            shorts if shorts & ENDRX_STOPRX != 0 => self.task(STOPRX, now),
            _ => Ok(()),
        }
    }
}

impl Peripheral for Uarte {
    fn advance(&mut self, now: u64) {
        if self.busy_until.is_some_and(|end| end <= now) {
            self.busy_until = None;
            self.frame.raise(TXDRDY);
            if self.tx.left() == 0 {
                self.sends = false;
                self.frame.raise(ENDTX);
            }
            if std::mem::take(&mut self.stops) {
                self.frame.raise(TXSTOPPED);
            }
        }
        let line = Line::of(self.receives, FIFO);
        self.serial.receive(now, line, self.frame_ticks());
        if self.serial.receiver.take_overrun() {
            self.regs[ERRORSRC] |= OVERRUN;
            self.frame.raise(ERROR);
        }
    }

    fn settle(&mut self, now: u64) {
        self.advance(now);
    }

    fn due(&self) -> u64 {
        let sent = self.busy_until.unwrap_or(u64::MAX);
        sent.min(self.serial.receiver.due())
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.frame.lines(line);
    }

    fn ports(&self) -> &'static [&'static str] {
        EASY_DMA
    }

    fn wants(&mut self, now: u64) -> Option<Request> {
        if self.asking.is_some() {
            return self.asking;
        }
        let sends = self.sends && self.busy_until.is_none();
        self.asking = if let Some(address) = self.tx.next().filter(|_| sends) {
            Some(Request::Read { address, size: 1 })
        } else if let Some(address) = self.rx.next().filter(|_| self.receives || self.flushes) {
            let byte = self.serial.receiver.read();
            self.advance(now);
            byte.map(|byte| Request::Write {
                address,
                size: 1,
                value: byte.into(),
            })
        } else {
            None
        };
        self.asking
    }

    fn got(&mut self, value: Option<u32>, now: u64) {
        let Some(asked) = self.asking.take() else {
            return;
        };
        if let Request::Read { .. } = asked {
            self.tx.done();
            self.serial.transmitter.send(value.unwrap_or(0) as u8);
            self.ticks.restart(now);
            self.busy_until = Some(self.ticks.cycle_of(self.frame_ticks()));
        } else {
            // The only tasks that it starts itself are known.
            let _ = self.received(now);
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        self.frame.take_effect()
    }

    fn remark(&mut self) -> Option<String> {
        self.note.take()
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.advance(now);
            self.ticks.hear(effect);
            self.serial.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Incoming;

    fn uarte() -> Uarte {
        let mut uarte = Uarte::new(Frame::new(0x4000_2000, Some(Irq::External(2))));
        uarte.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        // 1 Mbit/s.
        for (offset, value) in [
            (BAUDRATE, 0x1000_0000),
            (ENABLE, ON),
            (TXD, 0x2000_0000),
            (TXD + 4, 2),
        ] {
            uarte.write(offset, 4, value, 0).unwrap();
        }
        uarte
    }

    #[test]
    fn a_buffer_is_read_from_memory_as_it_is_sent() {
        let mut uarte = uarte();
        uarte.write(8, 4, 1, 0).unwrap();
        assert_eq!(
            uarte.request(0),
            Some(Request::Read {
                address: 0x2000_0000,
                size: 1
            })
        );
        uarte.answered(Some(u32::from(b'h')), 0);
        assert_eq!((uarte.request(0), uarte.next_event()), (None, 640));
        uarte.poll(640, &mut |_, _| {});
        assert_eq!(
            uarte.request(640),
            Some(Request::Read {
                address: 0x2000_0001,
                size: 1
            })
        );
        uarte.answered(Some(u32::from(b'i')), 640);
        assert_eq!(uarte.read(0x120, 4, 1279), Ok(0));
        assert_eq!(
            (uarte.read(0x120, 4, 1280), uarte.read(TXD + 8, 4, 1280)),
            (Ok(1), Ok(2))
        );
        let mut sent = Vec::new();
        uarte.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, b"hi");
    }

    #[test]
    fn what_comes_is_put_into_memory() {
        let mut uarte = uarte();
        for (offset, value) in [(RXD, 0x2000_0100), (RXD + 4, 1), (0, 1)] {
            uarte.write(offset, 4, value, 0).unwrap();
        }
        uarte.stimulate(&Incoming::Bytes(b"xy".to_vec()), 0).unwrap();
        assert_eq!((uarte.request(0), uarte.next_event()), (None, 640));
        uarte.poll(640, &mut |_, _| {});
        let write = Request::Write {
            address: 0x2000_0100,
            size: 1,
            value: u32::from(b'x'),
        };
        assert_eq!(uarte.request(640), Some(write));
        uarte.answered(Some(0), 640);
        assert_eq!(uarte.read(0x110, 4, 640), Ok(1));
        assert_eq!(uarte.request(10_000), None, "the buffer is full");
    }

    #[test]
    fn four_bytes_wait_between_two_buffers_and_the_next_is_an_overrun() {
        let mut uarte = uarte();
        for (offset, value) in [(RXD, 0x2000_0100), (RXD + 4, 1), (0, 1)] {
            uarte.write(offset, 4, value, 0).unwrap();
        }
        let stored = |uarte: &mut Uarte, now| {
            uarte.poll(now, &mut |_, _| {});
            let mut bytes = Vec::new();
            while let Some(Request::Write { value, .. }) = uarte.request(now) {
                bytes.push(value as u8);
                uarte.answered(Some(0), now);
            }
            bytes
        };
        uarte.stimulate(&Incoming::Bytes(b"abcdef".to_vec()), 0).unwrap();
        assert_eq!(stored(&mut uarte, 640), b"a");
        assert_eq!(stored(&mut uarte, 5 * 640), b"");
        assert_eq!(uarte.read(ERRORSRC, 4, 5 * 640), Ok(0));
        assert_eq!(
            (uarte.read(ERRORSRC, 4, 6 * 640), uarte.read(0x124, 4, 6 * 640)),
            (Ok(OVERRUN), Ok(1))
        );
        uarte.write(ERRORSRC, 4, OVERRUN, 6 * 640).unwrap();
        assert_eq!(uarte.read(ERRORSRC, 4, 6 * 640), Ok(0));
        uarte.write(RXD + 4, 4, 2, 6 * 640).unwrap();
        uarte.write(0, 4, 1, 6 * 640).unwrap();
        assert_eq!(stored(&mut uarte, 6 * 640), b"bc");
        uarte.write(4, 4, 1, 6 * 640).unwrap();
        uarte.write(RXD + 4, 4, 8, 6 * 640).unwrap();
        uarte.write(4 * FLUSHRX, 4, 1, 6 * 640).unwrap();
        assert_eq!(
            stored(&mut uarte, 6 * 640),
            b"de",
            "what the FIFO held behind STOPRX"
        );
        assert_eq!(uarte.read(RXD + 8, 4, 6 * 640), Ok(2));
    }

    #[test]
    fn it_stops_behind_the_byte_under_way() {
        let mut uarte = uarte();
        uarte.write(8, 4, 1, 0).unwrap();
        uarte.request(0);
        uarte.answered(Some(1), 0);
        uarte.write(12, 4, 1, 100).unwrap();
        assert_eq!(uarte.read(0x158, 4, 639), Ok(0));
        assert_eq!((uarte.read(0x158, 4, 640), uarte.request(640)), (Ok(1), None));
        uarte.write(0x158, 4, 0, 700).unwrap();
        uarte.write(12, 4, 1, 700).unwrap();
        assert_eq!(uarte.read(0x158, 4, 700), Ok(1), "nothing is under way");
    }

    #[test]
    fn off_it_starts_nothing() {
        let mut uarte = uarte();
        uarte.write(ENABLE, 4, 0, 0).unwrap();
        uarte.write(8, 4, 1, 0).unwrap();
        assert_eq!((uarte.request(0), uarte.read(0x150, 4, 0)), (None, Ok(0)));
        assert!(uarte.note().is_some_and(|note| note.contains("ENABLE is 0")));
    }

    #[test]
    fn what_is_to_come_outlives_a_reset() {
        crate::devices::receiver::outlives_a_reset(uarte());
    }
}
