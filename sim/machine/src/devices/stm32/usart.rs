//! ST's USART, asynchronous: the older register layout (RM0090 chapter 30: SR, DR) and the later one
//! (RM0394 chapter 38: ISR, TDR; RM0440 37: also a FIFO and a prescaler).
//!
//! A byte leaves the shift register after the bits of its frame, each as long as BRR says; TXE and TC show that. Input is received a frame at a time
//! (`receiver`); a byte that finds the last one unread is lost and sets ORE. Synchronous, smart-card and infrared modes are not modelled; electrical
//! settings of the line are stored only.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::block::{At, Peripheral, Regs, Write, about, flag, registers, tell};
use crate::devices::receiver::Line;
use crate::devices::requester::Requester;
use crate::devices::serial::Serial;
use crate::devices::ticks::Ticks;
use crate::devices::{Around, Settings, not_modelled};

about! { Usart by UsartSettings, B,
    "RM0090 30; RM0394 38; RM0440 37",
    "sends and receives at its baud rate; TXE, TC, RXNE, IDLE and overrun (ORE) with interrupts; requests for DMA; FIFO and prescaler where they exist; LPUART",
    "other errors of reception, modes other than asynchronous"
}

registers! { Usart serial;
    CR1   = 0x00 .tries(|usart, write| usart.control(0, write)).write(!0);
    CR2   = 0x04 .tries(|usart, write| usart.control(1, write)).write(!0);
    CR3   = 0x08 .tries(|usart, write| usart.control(2, write)).write(!0);
    BRR   = 0x0c .write(0xf_ffff).then(|usart, _| usart.regs[BRR] &= if usart.low_power { 0xf_ffff } else { 0xffff });
    GTPR  = 0x10 .refuse(!0, "").drops();
    RTOR  = 0x14 .refuse(!0, "").drops();
    RQR   = 0x18 .refuse(!RXFRQ, "").then(Usart::request);
    ISR   = 0x1c .shows(Usart::shows).taken(Usart::looked).drops();
    ICR   = 0x20 .then(|usart, write| usart.clear(write.value));
    RDR   = 0x24 .shows(|usart, _| usart.serial.front()).taken(|usart, _| usart.serial.pop()).drops();
    TDR   = 0x28 .tries(Usart::transmit);
    PRESC = 0x2c .tries(|_, write| Usart::prescale(write)).write(!0);
    // Of the older layout, at 0x00 and 0x04: the others that it has are above. In SR a written 0 clears.
    SR    = 0x40 .shows(Usart::shows).taken(Usart::looked).then(|usart, write| usart.complete &= write.value & TC != 0);
    DR    = 0x44 .shows(|usart, _| usart.serial.front()).taken(Usart::received).tries(Usart::transmit);
}

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
/// The clock divisors of PRESC.
const PRESCALER: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];
/// CR1: eight samples of a bit instead of sixteen.
const OVER8: u32 = 1 << 15;
/// SR, ISR, ICR: the line is idle after what was received. CR1: its interrupt.
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
    /// The later layout with a FIFO and a prescaler: G0, G4, H7, L5.
    LaterWithFifo,
}

/// The board file's entry for a USART.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsartSettings {
    /// The clock that BRR divides.
    clock: Option<String>,
    /// Whether it is an LPUART: BRR has 20 bits, and divides 256 times the clock.
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
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a fact of its own.
pub(crate) struct Usart {
    regs: Regs<Self>,
    serial: Serial,
    layout: Layout,
    low_power: bool,
    irq: Option<Irq>,
    /// Ticks of the frame being sent.
    ticks: Ticks,
    /// In the transmit data register, or the FIFO.
    waiting: VecDeque<u8>,
    /// Core cycle in which the shift register is empty again.
    busy_until: Option<u64>,
    complete: bool,
    /// The core cycle in which the line has been idle for a frame.
    idle_at: Option<u64>,
    idle: bool,
    overrun: bool,
    /// The flags that the last read of SR showed: a read of DR clears these, in the older layout.
    seen: u32,
    requester: Requester,
    /// Something may have changed as time went on to the last access.
    moved: bool,
    /// See [`Device::read_quietly`].
    quiet: bool,
}

impl Usart {
    pub(crate) fn new(layout: Layout, irq: Option<Irq>, clock: ClockId) -> Self {
        Usart {
            layout,
            irq,
            ticks: Ticks::of(clock),
            serial: Serial::of(Ticks::of(clock)),
            complete: true,
            ..Usart::default()
        }
    }

    fn is_enabled(&self) -> bool {
        let enable = match self.layout {
            Layout::Older => 1 << 13,
            _ => 1 << 0,
        };
        self.regs[CR1] & enable != 0
    }

    fn is_on(&self) -> bool {
        self.is_enabled() && self.regs[CR1] & TE != 0
    }

    /// Clock ticks of one frame: start, data with parity, stop bits.
    fn frame(&self) -> u64 {
        let data = match self.regs[CR1] & (M0 | M1) {
            0 => 8,
            M0 => 9,
            _ => 7,
        };
        // In half bits: one, a half, two, one and a half.
        let stop = [2, 1, 4, 3][(self.regs[CR2] >> 12 & 3) as usize];
        let halves = 2 * (1 + data) + stop;
        if self.low_power {
            // RM0440 38.4.7: a bit need not be whole ticks.
            return halves * u64::from(self.regs[BRR]) * self.prescaler() / 512;
        }
        halves * self.bit() / 2
    }

    fn prescaler(&self) -> u64 {
        PRESCALER[self.regs[PRESC] as usize]
    }

    /// Clock ticks of one bit. With sixteen samples BRR is just that number (its lowest four bits are the fraction of
    /// a sixteenth); with eight the older layout counts the fraction in eighths, the later one in halves of a tick.
    fn bit(&self) -> u64 {
        let brr = u64::from(self.regs[BRR]);
        let ticks = match self.layout {
            _ if self.low_power => brr / 256,
            _ if self.regs[CR1] & OVER8 == 0 => brr,
            Layout::Older => (brr >> 4) * 8 + (brr & 7),
            _ => (brr & !0xf | (brr & 7) << 1) / 2,
        };
        ticks * self.prescaler()
    }

    /// Moves bytes through the shift register, as far as core cycle `now`. Says whether anything may have changed.
    fn catch_up(&mut self, now: u64) -> bool {
        let sends = self.busy_until.is_some_and(|end| end <= now);
        let receiver = &self.serial.receiver;
        let receives = receiver.due() <= now || receiver.is_coming() || self.idle_at.is_some();
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
        let (line, frame, ended) = (self.line(), self.frame(), self.serial.receiver.ended());
        self.serial.receive(now, line, frame);
        // Where the byte is overwritten, nobody tells (RM0394 38.8.4, OVRDIS).
        self.overrun |= self.serial.receiver.take_overrun() && !line.overwrites;
        let end = self.serial.receiver.ended();
        if self.serial.receiver.due() != u64::MAX || self.serial.receiver.is_coming() {
            self.idle_at = None;
        } else if end != ended {
            self.idle_at = Some(self.serial.after(end, frame));
        }
        if self.idle_at.is_some_and(|at| at <= now) {
            (self.idle, self.idle_at) = (true, None);
        }
    }

    fn line(&self) -> Line {
        Line {
            on: self.is_enabled() && self.regs[CR1] & RE != 0 && self.bit() != 0,
            room: if self.has_fifo() { FIFO_DEPTH + 1 } else { 1 },
            overwrites: self.layout != Layout::Older && self.regs[CR3] & OVRDIS != 0,
        }
    }

    fn has_fifo(&self) -> bool {
        self.regs[CR1] & FIFO != 0
    }

    fn interrupts(&self) -> bool {
        let (status, first, third) = (self.status(), self.regs[CR1], self.regs[CR3]);
        // The older layout's EIE is for DMA alone (RM0090 30.6.6).
        let errors = third & EIE != 0 && (self.layout != Layout::Older || third & DMAR != 0);
        status & first & (TC | TXE | RXNE | IDLE) != 0
            || status & ORE != 0 && (first & RXNE != 0 || errors)
            || status & RXFF != 0 && first & RXFFIE != 0
            || status & RXFT != 0 && third & RXFTIE != 0
    }

    fn shift(&mut self, byte: u8, now: u64) {
        self.serial.transmitter.send(byte);
        self.ticks.restart(now);
        self.busy_until = Some(self.ticks.cycle_of(self.frame()));
    }

    /// Bytes that can wait for the shift register.
    fn room(&self) -> usize {
        if self.has_fifo() { FIFO_DEPTH } else { 1 }
    }

    fn transmit(&mut self, write: Write) -> Result<(), DeviceError> {
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
            self.waiting.push_back(write.value as u8);
        } else {
            self.shift(write.value as u8, write.now);
        }
        Ok(())
    }

    fn status(&self) -> u32 {
        let (fifo, received) = (self.has_fifo(), self.serial.receiver.len());
        let acknowledges = self.layout != Layout::Older && self.is_on();
        let threshold = THRESHOLD[(self.regs[CR3] >> 25 & 7) as usize];
        flag(self.waiting.len() < self.room(), TXE)
            | flag(self.waiting.is_empty() && fifo, TXFE)
            | flag(self.complete, TC)
            | flag(received > 0, RXNE)
            | flag(fifo && received > FIFO_DEPTH, RXFF)
            | flag(fifo && received >= threshold, RXFT)
            | flag(self.overrun, ORE)
            | flag(self.idle, IDLE)
            | flag(acknowledges, TEACK)
            | flag(acknowledges && self.regs[CR1] & RE != 0, REACK)
    }

    fn shows(&self, _: At) -> u32 {
        self.status()
    }

    fn looked(&mut self, _: At) {
        (self.seen, self.quiet) = (self.status(), !self.moved);
    }

    /// DR was read: that clears the flags that SR showed before.
    fn received(&mut self, _: At) {
        let seen = std::mem::take(&mut self.seen);
        self.idle &= seen & IDLE == 0;
        self.overrun &= seen & ORE == 0;
        self.serial.pop();
    }

    fn clear(&mut self, flags: u32) {
        self.complete &= flags & TC == 0;
        self.idle &= flags & IDLE == 0;
        self.overrun &= flags & ORE == 0;
    }

    fn request(&mut self, write: Write) {
        if write.value != 0 {
            self.serial.receiver.clear();
        }
    }

    fn control(&mut self, index: usize, write: Write) -> Result<(), DeviceError> {
        let refused = match (index, self.layout) {
            (0, Layout::Later) => FIFO,
            (0, Layout::Older) => CR1_BREAK,
            (0, _) => 0,
            (1, Layout::Older) => CR2_CLOCK,
            (1, _) => CR2_CLOCK | CR2_WATCHES,
            _ => CR3_OTHER,
        };
        if write.value & refused != 0 {
            return not_modelled(format!("CR{}, a write of {:#x}", index + 1, write.value));
        }
        Ok(())
    }

    fn prescale(write: Write) -> Result<(), DeviceError> {
        if (write.value as usize) < PRESCALER.len() {
            return Ok(());
        }
        not_modelled(format!("PRESC, a write of {:#x}", write.value))
    }
}

impl Peripheral for Usart {
    fn bank(&self, offset: u32) -> u32 {
        match (self.layout, offset) {
            (Layout::Older, _) => [SR, DR, BRR, CR1, CR2, CR3, GTPR]
                .get(offset as usize / 4)
                .copied()
                .unwrap_or(u32::MAX),
            (Layout::LaterWithFifo, PRESC..) | (_, ..PRESC) => offset,
            (Layout::Later, _) => u32::MAX,
        }
    }

    fn advance(&mut self, now: u64) {
        (self.moved, self.quiet) = (self.catch_up(now), false);
    }

    fn settle(&mut self, now: u64) {
        self.catch_up(now);
    }

    fn is_quiet(&self) -> bool {
        self.quiet
    }

    fn due(&self) -> u64 {
        let (first, third) = (self.regs[CR1], self.regs[CR3]);
        let waits = first & (TC | TXE) & !self.status() != 0 || third & DMAT != 0;
        let sent = self.busy_until.filter(|_| waits).unwrap_or(u64::MAX);
        let receives = first & (RXNE | IDLE | RXFFIE) != 0 || third & (DMAR | EIE | RXFTIE) != 0;
        let received = if receives {
            self.serial.receiver.due()
        } else {
            u64::MAX
        };
        let idle = self.idle_at.filter(|_| first & IDLE != 0).unwrap_or(u64::MAX);
        sent.min(received).min(idle)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.interrupts(), line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let (status, control) = (self.status(), self.regs[CR3]);
        let on = self.is_on();
        self.requester.tell([
            status & RXNE != 0 && control & DMAR != 0,
            on && status & TXE != 0 && control & DMAT != 0,
        ])
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            // A byte under way ends as it began; real hardware would send a wrong one.
            self.catch_up(now);
            self.ticks.hear(effect);
            self.serial.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
