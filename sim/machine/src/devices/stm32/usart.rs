//! ST's USART, asynchronous: the older register layout (RM0090 chapter 30: SR, DR) and the later one
//! (RM0394 chapter 38: ISR, TDR; RM0440 37: also a FIFO and a prescaler).
//!
//! A byte leaves the shift register after the bits of its frame, each as long as BRR says; the program sees that in TXE
//! and TC. What comes from outside is received a frame at a time (`receiver`); a byte that finds the last one unread is lost, and sets ORE.
//! Synchronous, smart-card and infrared modes are not modelled; settings of the line's electrical side are held.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect, Incoming, Irq, Outside};
use serde::Deserialize;

use crate::devices::receiver::{Line, Receiver};
use crate::devices::requester::Requester;
use crate::devices::ticks::Ticks;
use crate::devices::{Around, Settings, not_modelled};

/// SR and ISR: a byte was received; CR1: its interrupt.
const RXNE: u32 = 1 << 5;
/// SR, ISR, ICR: a byte was lost, because the last one was not read.
const ORE: u32 = 1 << 3;
/// SR and ISR: transmission complete, transmit data register empty. CR1: their interrupts.
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
/// ISR: transmitter on, receiver on.
const TEACK: u32 = 1 << 21;
const REACK: u32 = 1 << 22;
/// CR1, both layouts: transmitter on; receiver on; parity; nine bits, of them parity one.
const TE: u32 = 1 << 3;
const RE: u32 = 1 << 2;
const M0: u32 = 1 << 12;
/// CR1 of the later layout: seven bits with M0 clear; FIFO.
const M1: u32 = 1 << 28;
const FIFO: u32 = 1 << 29;
/// ISR with a FIFO: it is empty.
const TXFE: u32 = 1 << 23;
/// Bytes that the FIFO holds (RM0440 37.4). The receiver has one more in RDR (37.8.10, RXFF).
const FIFO_DEPTH: usize = 8;
/// ISR with a FIFO: the receiver's is full, and has reached its threshold. CR1 and CR3: their interrupts.
const RXFF: u32 = 1 << 24;
const RXFT: u32 = 1 << 26;
const RXFFIE: u32 = 1 << 31;
const RXFTIE: u32 = 1 << 28;
/// Bytes of the receiver's threshold, by CR3.RXFTCFG.
const THRESHOLD: [usize; 8] = [1, 2, 4, 6, 7, 8, 8, 8];
/// What PRESC divides the clock by.
const PRESCALER: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];
/// CR1: eight samples of a bit instead of sixteen.
const OVER8: u32 = 1 << 15;
/// SR, ISR, ICR: the line is idle behind what was received. CR1: its interrupt.
const IDLE: u32 = 1 << 4;
/// CR2: clock output; CR3: half duplex, smart card, infrared.
const CR2_CLOCK: u32 = 1 << 11;
/// CR1 of the older layout: a break is sent, the receiver is mute. CR2 of the later one: the baud rate is found out, a receiver is waited for in vain.
const CR1_BREAK: u32 = 3;
const CR2_WATCHES: u32 = 1 << 20 | 1 << 23;
const CR3_OTHER: u32 = 1 << 5 | 1 << 3 | 1 << 1;
/// CR3: the interrupt of errors; the later layout may overwrite a byte that was not read (OVRDIS).
const EIE: u32 = 1 << 0;
const OVRDIS: u32 = 1 << 12;
/// RQR: what was received is thrown away.
const RXFRQ: u32 = 1 << 3;
/// CR3: requests for DMA of both directions.
const DMAR: u32 = 1 << 6;
const DMAT: u32 = 1 << 7;

/// Where the registers are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Layout {
    /// SR and DR: F1, F2, F4, L1.
    #[default]
    Older,
    /// ISR, ICR, RDR and TDR: F0, F3, F7, L0, L4.
    Later,
    /// As the later one, with a FIFO and a prescaler: G0, G4, H7, L5.
    LaterWithFifo,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    Status,
    ClearFlags,
    Receive,
    Transmit,
    Baud,
    Control(usize),
    Prescaler,
    Request,
    /// GTPR, RTOR: only 0 is modelled.
    Off,
}

/// What a board file says of a USART.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsartSettings {
    /// The clock that BRR divides.
    clock: Option<String>,
    /// It is an LPUART: BRR has 20 bits, and divides 256 times the clock.
    #[serde(default)]
    low_power: bool,
    /// The kind of peripheral says it.
    #[serde(skip)]
    layout: Layout,
}

impl UsartSettings {
    pub(crate) fn laid_out(self, layout: Layout) -> UsartSettings {
        UsartSettings { layout, ..self }
    }
}

impl Settings for UsartSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut usart = Usart::new(self.layout, around.irq, clock);
        usart.low_power = self.low_power;
        usart.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(usart))
    }
}

/// One USART.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub(crate) struct Usart {
    layout: Layout,
    low_power: bool,
    irq: Option<Irq>,
    ticks: Ticks,
    control: [u32; 3],
    baud: u32,
    prescaler: u32,
    /// In the transmit data register, or the FIFO.
    waiting: VecDeque<u8>,
    /// Core cycle in which the shift register is empty again.
    busy_until: Option<u64>,
    complete: bool,
    sent: Vec<u8>,
    receiver: Receiver,
    /// Counts the frame that is received.
    receiving: Ticks,
    /// The core cycle in which the line has been idle for a frame.
    idle_at: Option<u64>,
    idle: bool,
    overrun: bool,
    /// The flags that the last read of SR showed: a read of DR clears these, in the older layout.
    seen: u32,
    requester: Requester,
    /// See [`Device::read_quietly`].
    quiet: bool,
}

impl Usart {
    pub(crate) fn new(layout: Layout, irq: Option<Irq>, clock: ClockId) -> Self {
        Usart {
            layout,
            low_power: false,
            irq,
            ticks: Ticks::of(clock),
            control: [0; 3],
            baud: 0,
            prescaler: 0,
            waiting: VecDeque::new(),
            busy_until: None,
            complete: true,
            sent: Vec::new(),
            receiver: Receiver::default(),
            receiving: Ticks::of(clock),
            idle_at: None,
            idle: false,
            overrun: false,
            seen: 0,
            requester: Requester::default(),
            quiet: false,
        }
    }

    fn name(&self, offset: u32) -> Option<Name> {
        if self.layout == Layout::Older {
            return Some(match offset {
                0x00 => Name::Status,
                0x04 => Name::Transmit,
                0x08 => Name::Baud,
                0x0c | 0x10 | 0x14 => Name::Control((offset as usize - 0x0c) / 4),
                0x18 => Name::Off,
                _ => return None,
            });
        }
        Some(match offset {
            0x00 | 0x04 | 0x08 => Name::Control(offset as usize / 4),
            0x0c => Name::Baud,
            0x10 | 0x14 => Name::Off,
            0x18 => Name::Request,
            0x1c => Name::Status,
            0x20 => Name::ClearFlags,
            0x24 => Name::Receive,
            0x28 => Name::Transmit,
            0x2c if self.layout == Layout::LaterWithFifo => Name::Prescaler,
            _ => return None,
        })
    }

    fn is_enabled(&self) -> bool {
        let enable = match self.layout {
            Layout::Older => 1 << 13,
            _ => 1 << 0,
        };
        self.control[0] & enable != 0
    }

    fn is_on(&self) -> bool {
        self.is_enabled() && self.control[0] & TE != 0
    }

    /// Reads what was received; the next frame can begin.
    fn receive(&mut self, now: u64) -> u32 {
        let byte = self.receiver.read();
        self.catch_up(now);
        byte.map_or(0, u32::from)
    }

    /// Clock ticks of one frame: start, data with parity, stop bits.
    fn frame(&self) -> u64 {
        let data = match self.control[0] & (M0 | M1) {
            0 => 8,
            M0 => 9,
            _ => 7,
        };
        // In halves of a bit: one, a half, two, one and a half.
        let stop = [2, 1, 4, 3][(self.control[1] >> 12 & 3) as usize];
        let halves = 2 * (1 + data) + stop;
        if self.low_power {
            // RM0440 38.4.7: a bit need not be whole ticks.
            return halves * u64::from(self.baud) * PRESCALER[self.prescaler as usize] / 512;
        }
        halves * self.bit() / 2
    }

    /// Clock ticks of one bit. With sixteen samples BRR is just that number (its lowest four bits are the fraction of
    /// a sixteenth); with eight the older layout counts the fraction in eighths, the later one in halves of a tick.
    fn bit(&self) -> u64 {
        let brr = u64::from(self.baud & 0xffff);
        let ticks = match self.layout {
            _ if self.low_power => u64::from(self.baud) / 256,
            _ if self.control[0] & OVER8 == 0 => brr,
            Layout::Older => (brr >> 4) * 8 + (brr & 7),
            _ => (brr & !0xf | (brr & 7) << 1) / 2,
        };
        ticks * PRESCALER[self.prescaler as usize]
    }

    /// Moves bytes through the shift register, as far as core cycle `now`. Says whether anything may have changed.
    fn catch_up(&mut self, now: u64) -> bool {
        let sends = self.busy_until.is_some_and(|end| end <= now);
        let receives = self.receiver.due() <= now || self.receiver.is_coming() || self.idle_at.is_some();
        if sends || receives {
            self.move_on(now);
        }
        sends || receives
    }

    fn move_on(&mut self, now: u64) {
        while let Some(end) = self.busy_until
            && end <= now
        {
            self.busy_until = None;
            match self.waiting.pop_front() {
                Some(byte) => self.shift(byte, end),
                None => self.complete = true,
            }
        }
        let (line, frame, ended) = (self.line(), self.frame(), self.receiver.ended());
        let ticks = &mut self.receiving;
        self.receiver.catch_up(now, line, |begins| {
            ticks.restart(begins);
            ticks.cycle_of(frame)
        });
        // Where the byte is overwritten, nobody tells (RM0394 38.8.4, OVRDIS).
        self.overrun |= self.receiver.take_overrun() && !line.overwrites;
        if self.receiver.ended() != ended {
            self.receiving.restart(self.receiver.ended());
            self.idle_at = Some(self.receiving.cycle_of(frame));
        }
        if self.receiver.due() != u64::MAX || self.receiver.is_coming() {
            self.idle_at = None;
        }
        if self.idle_at.is_some_and(|at| at <= now) {
            (self.idle, self.idle_at) = (true, None);
        }
    }

    fn line(&self) -> Line {
        Line {
            on: self.is_enabled() && self.control[0] & RE != 0 && self.bit() != 0,
            room: if self.has_fifo() { FIFO_DEPTH + 1 } else { 1 },
            overwrites: self.layout != Layout::Older && self.control[2] & OVRDIS != 0,
        }
    }

    fn has_fifo(&self) -> bool {
        self.control[0] & FIFO != 0
    }

    fn interrupts(&self) -> bool {
        let (status, [first, _, third]) = (self.status(), self.control);
        // The older layout's EIE is for DMA alone (RM0090 30.6.6).
        let errors = third & EIE != 0 && (self.layout != Layout::Older || third & DMAR != 0);
        status & first & (TC | TXE | RXNE | IDLE) != 0
            || status & ORE != 0 && (first & RXNE != 0 || errors)
            || status & RXFF != 0 && first & RXFFIE != 0
            || status & RXFT != 0 && third & RXFTIE != 0
    }

    fn shift(&mut self, byte: u8, now: u64) {
        self.sent.push(byte);
        self.ticks.restart(now);
        self.busy_until = Some(self.ticks.cycle_of(self.frame()));
    }

    /// Bytes that can wait for the shift register.
    fn room(&self) -> usize {
        if self.has_fifo() { FIFO_DEPTH } else { 1 }
    }

    fn transmit(&mut self, value: u32, now: u64) -> Result<(), DeviceError> {
        if !self.is_on() {
            return not_modelled("a byte to send while the transmitter is off");
        }
        if self.bit() == 0 {
            return not_modelled("a byte to send before BRR is set");
        }
        self.complete = false;
        if self.busy_until.is_some() {
            if self.waiting.len() == self.room() {
                // The last byte that waits is overwritten.
                self.waiting.pop_back();
            }
            self.waiting.push_back(value as u8);
        } else {
            self.shift(value as u8, now);
        }
        Ok(())
    }

    fn status(&self) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let (fifo, received) = (self.has_fifo(), self.receiver.len());
        let acknowledges = self.layout != Layout::Older && self.is_on();
        let threshold = THRESHOLD[(self.control[2] >> 25 & 7) as usize];
        flag(self.waiting.len() < self.room(), TXE)
            | flag(self.waiting.is_empty() && fifo, TXFE)
            | flag(self.complete, TC)
            | flag(received > 0, RXNE)
            | flag(fifo && received > FIFO_DEPTH, RXFF)
            | flag(fifo && received >= threshold, RXFT)
            | flag(self.overrun, ORE)
            | flag(self.idle, IDLE)
            | flag(acknowledges, TEACK)
            | flag(acknowledges && self.control[0] & RE != 0, REACK)
    }

    fn write_control(&mut self, index: usize, value: u32) -> Result<(), DeviceError> {
        let refused = match (index, self.layout) {
            (0, Layout::Later) => FIFO,
            (0, Layout::Older) => CR1_BREAK,
            (0, _) => 0,
            (1, Layout::Older) => CR2_CLOCK,
            (1, _) => CR2_CLOCK | CR2_WATCHES,
            _ => CR3_OTHER,
        };
        if value & refused != 0 {
            return not_modelled(format!("CR{}, a write of {value:#x}", index + 1));
        }
        self.control[index] = value;
        Ok(())
    }
}

impl Device for Usart {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        let moved = self.catch_up(now);
        let name = self.name(offset & !3);
        self.quiet = !moved && name == Some(Name::Status);
        match name {
            Some(Name::Status) => {
                self.seen = self.status();
                Ok(self.seen)
            }
            Some(Name::Receive) => Ok(self.receive(now)),
            Some(Name::Transmit) if self.layout == Layout::Older => {
                let seen = std::mem::take(&mut self.seen);
                self.idle &= seen & IDLE == 0;
                self.overrun &= seen & ORE == 0;
                Ok(self.receive(now))
            }
            Some(Name::Transmit | Name::ClearFlags | Name::Request | Name::Off) => Ok(0),
            Some(Name::Baud) => Ok(self.baud),
            Some(Name::Prescaler) => Ok(self.prescaler),
            Some(Name::Control(index)) => Ok(self.control[index]),
            None => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match self.name(offset & !3) {
            Some(Name::Transmit) => return self.transmit(value, now),
            Some(Name::Control(index)) => {
                self.write_control(index, value)?;
                self.catch_up(now);
            }
            Some(Name::Baud) => self.baud = value & if self.low_power { 0xf_ffff } else { 0xffff },
            Some(Name::Prescaler) if (value as usize) < PRESCALER.len() => self.prescaler = value,
            // In SR a written 0 clears, in ICR a written 1.
            Some(Name::Status) if self.layout == Layout::Older => self.complete &= value & TC != 0,
            Some(Name::ClearFlags) => {
                self.complete &= value & TC == 0;
                self.idle &= value & IDLE == 0;
                self.overrun &= value & ORE == 0;
            }
            Some(Name::Status | Name::Receive) => {}
            Some(Name::Request) if value & !RXFRQ == 0 => {
                if value != 0 {
                    self.receiver.clear();
                }
            }
            Some(Name::Off) if value == 0 => {}
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        Ok(())
    }

    fn read_quietly(&self) -> bool {
        self.quiet
    }

    fn next_event(&self) -> u64 {
        let waits = self.control[0] & (TC | TXE) & !self.status() != 0 || self.control[2] & DMAT != 0;
        let sent = self.busy_until.filter(|_| waits).unwrap_or(u64::MAX);
        let receives =
            self.control[0] & (RXNE | IDLE | RXFFIE) != 0 || self.control[2] & (DMAR | EIE | RXFTIE) != 0;
        let received = if receives { self.receiver.due() } else { u64::MAX };
        let idle = self
            .idle_at
            .filter(|_| self.control[0] & IDLE != 0)
            .unwrap_or(u64::MAX);
        sent.min(received).min(idle)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(irq) = self.irq {
            line(irq, self.interrupts());
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let (status, control) = (self.status(), self.control[2]);
        let on = self.is_on();
        self.requester.tell([
            status & RXNE != 0 && control & DMAR != 0,
            on && status & TXE != 0 && control & DMAT != 0,
        ])
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            // A byte under way ends as it began; real hardware would send a wrong one.
            self.catch_up(now);
            self.ticks.hear(effect);
            self.receiving.hear(effect);
        }
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
        if !self.sent.is_empty() {
            sink(&self.sent);
            self.sent.clear();
        }
    }
}

#[cfg(test)]
mod tests;
