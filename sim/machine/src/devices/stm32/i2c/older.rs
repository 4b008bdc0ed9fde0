//! The older I2C, in which the program handles every step: START, address, data, STOP.

use bus::{Device, Effect, Irq};
use serde::Deserialize;

use super::{Answer, BYTE, TargetSettings, Targets};
use crate::devices::block::{At, Half, Peripheral, Regs, Write, about, flag, registers, tell};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks};

about! { I2c by OlderSettings, B,
    "RM0041 22; RM0090 27",
    "a master: its bytes at its bit rate, acknowledgement and stretching by the `targets` of the board file, interrupts, DMA",
    "slave, ten bits, SMBus, arbitration"
}

registers! { I2c targets;
    CR1   = 0x00 .refuse(SMBUS, ": SMBus").then(I2c::write_control);
    CR2   = 0x04 .write(!0);
    OAR1  = 0x08 .write(!0);
    OAR2  = 0x0c .write(!0);
    DR    = 0x10 .shows(|i2c, _| i2c.received.into()).taken(I2c::read_data).then(I2c::write_data);
    // Errors are cleared by writing 0.
    SR1   = 0x14 .then(|i2c, write| i2c.regs[SR1] &= write.value | !0xdf00);
    // Reading it after SR1 goes on from the address.
    SR2   = 0x18 .shows(I2c::state).taken(|i2c, _| i2c.regs[SR1] &= !ADDR).drops();
    CCR   = 0x1c .write(!0);
    TRISE = 0x20 .reset(2).write(!0);
    FLTR  = 0x24 .write(!0);
}

const ON: u32 = 1 << 0;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACK: u32 = 1 << 10;
const RESET: u32 = 1 << 15;
const SMBUS: u32 = 1 << 1;
/// CR2: interrupts of errors, events, buffers; requests for DMA, and that the next one is the last.
const ITERREN: u32 = 1 << 8;
const ITEVTEN: u32 = 1 << 9;
const ITBUFEN: u32 = 1 << 10;
const DMAEN: u32 = 1 << 11;
const LAST: u32 = 1 << 12;
/// SR1.
const SB: u32 = 1 << 0;
const ADDR: u32 = 1 << 1;
const BTF: u32 = 1 << 2;
const RXNE: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const AF: u32 = 1 << 10;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OlderSettings {
    /// The clock of its bus.
    clock: Option<String>,
    /// The interrupt of its errors.
    irq_error: Option<u16>,
    /// The addresses of what is on it.
    #[serde(default)]
    targets: Vec<TargetSettings>,
}

impl Settings for OlderSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut i2c = I2c::new(Ticks::of(clock), Targets::new(&self.targets, around)?);
        i2c.irqs = [around.irq, self.irq_error.map(Irq::External)];
        i2c.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(i2c))
    }
}

/// The operation in progress on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    Start,
    Address(u8),
    Send(u8),
    Receive,
    /// The target holds SCL after a byte.
    Held(Answer),
}

/// One controller.
#[derive(Clone, Default)]
pub(crate) struct I2c {
    regs: Regs<Self>,
    irqs: [Option<Irq>; 2],
    ticks: Ticks,
    targets: Targets,
    /// Whether it is the bus master.
    master: bool,
    transmits: bool,
    doing: Option<(Doing, u64)>,
    /// The byte in DR that waits to be sent.
    waiting: Option<u8>,
    /// The byte received after the one still in DR.
    shifted: Option<u8>,
    received: u8,
    /// The last byte was not acknowledged: no more come or go before the next START.
    ended: bool,
    requester: Requester,
}

impl I2c {
    fn new(ticks: Ticks, targets: Targets) -> I2c {
        I2c {
            ticks,
            targets,
            ..I2c::default()
        }
    }

    /// Ticks of a clock of the bus: CCR.
    fn bit(&self) -> u64 {
        let count = u64::from(self.regs[CCR] & 0xfff).max(1);
        match self.regs[CCR] >> 14 & 3 {
            0 | 1 => 2 * count,
            2 => 3 * count,
            _ => 25 * count,
        }
    }

    fn begin(&mut self, what: Doing, bits: u64, now: u64) {
        self.ticks.restart(now);
        self.doing = Some((what, self.ticks.cycle_of(bits * self.bit())));
    }

    fn finish(&mut self, what: Doing, now: u64) {
        match what {
            Doing::Start => {
                self.regs[CR1] &= !START;
                self.master = true;
                self.ended = false;
                self.regs[SR1] = self.regs[SR1] & !(ADDR | BTF | TXE) | SB;
            }
            Doing::Address(byte) => {
                self.transmits = byte & 1 == 0;
                let answered = self.targets.address(byte >> 1, !self.transmits, now);
                self.hold(answered);
            }
            Doing::Send(byte) => {
                let answered = self.targets.write(byte, now);
                self.hold(answered);
            }
            Doing::Receive => {
                let answered = self.targets.read(now);
                self.hold(answered);
            }
            Doing::Held(Answer::Addressed(true)) => self.regs[SR1] |= ADDR,
            Doing::Held(Answer::Written(true)) => {
                if self.waiting.is_none() {
                    self.regs[SR1] |= BTF;
                }
            }
            Doing::Held(Answer::Addressed(false) | Answer::Written(false)) => {
                (self.waiting, self.ended) = (None, true);
                self.regs[SR1] |= AF;
            }
            Doing::Held(Answer::Read(byte)) => self.receive(byte),
        }
    }

    fn hold(&mut self, (answer, until): (Answer, u64)) {
        self.doing = Some((Doing::Held(answer), until));
    }

    fn receive(&mut self, byte: u8) {
        let last_of_dma = self.regs[CR2] & LAST != 0 && self.regs[CR2] & DMAEN != 0;
        self.ended = self.regs[CR1] & ACK == 0 && !last_of_dma;
        if self.regs[SR1] & RXNE == 0 {
            self.received = byte;
            self.regs[SR1] |= RXNE;
        } else {
            self.shifted = Some(byte);
            self.regs[SR1] |= BTF;
        }
    }

    /// Begins with what can be done next.
    fn go_on(&mut self, now: u64) {
        if self.doing.is_some() || self.regs[CR1] & ON == 0 {
            return;
        }
        if self.regs[CR1] & STOP != 0 && self.master && self.waiting.is_none() {
            self.regs[CR1] &= !STOP;
            self.master = false;
            self.regs[SR1] &= !(BTF | TXE | ADDR | SB);
            return self.go_on(now);
        }
        if self.regs[CR1] & START != 0 && self.waiting.is_none() {
            return self.begin(Doing::Start, 1, now);
        }
        let stretched = self.regs[SR1] & (SB | ADDR | AF) != 0 || !self.master;
        if stretched || self.ended {
            return;
        }
        if self.transmits {
            self.regs[SR1] |= TXE;
            if let Some(byte) = self.waiting.take() {
                self.regs[SR1] &= !BTF;
                self.begin(Doing::Send(byte), BYTE, now);
            }
        } else if self.shifted.is_none() {
            self.begin(Doing::Receive, BYTE, now);
        }
    }

    fn write_data(&mut self, write: Write) {
        let byte = write.value as u8;
        if self.regs[SR1] & SB != 0 {
            self.regs[SR1] &= !SB;
            self.begin(Doing::Address(byte), BYTE, write.now);
        } else if self.master && self.transmits {
            self.waiting = Some(byte);
            self.regs[SR1] &= !(BTF | TXE);
        }
    }

    fn read_data(&mut self, _: At) {
        self.regs[SR1] &= !(RXNE | BTF);
        if let Some(next) = self.shifted.take() {
            self.received = next;
            self.regs[SR1] |= RXNE;
        }
    }

    fn state(&self, _: At) -> u32 {
        flag(self.master, 3) | u32::from(self.master && self.transmits) << 2
    }

    fn write_control(&mut self, Write { value, .. }: Write) {
        if value & RESET != 0 || value & ON == 0 {
            let mut fresh = I2c::new(self.ticks, std::mem::take(&mut self.targets));
            for kept in [CR2, CCR, TRISE, OAR1, OAR2] {
                fresh.regs[kept] = self.regs[kept];
            }
            (fresh.irqs, fresh.requester) = (self.irqs, self.requester.clone());
            *self = fresh;
        }
        // START and STOP are cleared by hardware alone.
        self.regs[CR1] = value | self.regs[CR1] & (START | STOP);
        if value & STOP != 0 && !self.master {
            self.regs[CR1] &= !STOP;
        }
    }

    fn pending(&self) -> [bool; 2] {
        let events = if self.regs[CR2] & ITBUFEN == 0 {
            SB | ADDR | BTF
        } else {
            SB | ADDR | BTF | RXNE | TXE
        };
        [
            self.regs[CR2] & ITEVTEN != 0 && self.regs[SR1] & events != 0,
            self.regs[CR2] & ITERREN != 0 && self.regs[SR1] & AF != 0,
        ]
    }
}

impl Peripheral for I2c {
    fn advance(&mut self, now: u64) {
        while let Some((what, end)) = self.doing
            && end <= now
        {
            self.doing = None;
            self.finish(what, end);
            self.go_on(end);
        }
    }

    fn settle(&mut self, now: u64) {
        self.go_on(now);
    }

    fn due(&self) -> u64 {
        let waits = self.regs[CR2] & (ITERREN | ITEVTEN | DMAEN) != 0 || self.targets.gives();
        self.doing.filter(|_| waits).map_or(u64::MAX, |(_, end)| end)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for (irq, pending) in self.irqs.into_iter().zip(self.pending()) {
            tell(irq, pending, line);
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        let dma = self.regs[CR2] & DMAEN != 0;
        let goes =
            dma && self.master && self.transmits && self.regs[SR1] & TXE != 0 && self.waiting.is_none();
        self.requester.tell([dma && self.regs[SR1] & RXNE != 0, goes])
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    /// At 400 ticks a bit.
    fn i2c() -> I2c {
        let mut i2c = I2c::new(Ticks::of(ClockId(1)), Targets::memory());
        i2c.hear(Effect::Clock(ClockId::CORE, 40_000_000), 0).unwrap();
        i2c.hear(Effect::Clock(ClockId(1), 40_000_000), 0).unwrap();
        i2c.write(CCR, 4, 200, 0).unwrap();
        i2c.write(CR1, 4, ON, 0).unwrap();
        i2c
    }

    /// Waits for a flag; the cycle in which it is there.
    fn wait(i2c: &mut I2c, flag: u32, mut now: u64) -> u64 {
        while i2c.read(SR1, 4, now).unwrap() & flag == 0 {
            now += 10;
            assert!(now < 1_000_000, "flag {flag:#x}, {:#x}", i2c.regs[SR1]);
        }
        now
    }

    fn address(i2c: &mut I2c, byte: u8, now: u64) -> u64 {
        i2c.write(CR1, 4, ON | ACK | START, now).unwrap();
        let now = wait(i2c, SB, now);
        i2c.write(DR, 4, byte.into(), now).unwrap();
        wait(i2c, ADDR | AF, now)
    }

    #[test]
    fn bytes_are_written_and_read_again() {
        let mut i2c = i2c();
        let mut now = address(&mut i2c, 0xa0, 0);
        assert_eq!(now, 10 * 400, "START and nine bits");
        i2c.read(SR2, 4, now).unwrap();
        for byte in [7, 0x5a, 0xa5] {
            now = wait(&mut i2c, TXE, now);
            i2c.write(DR, 4, byte, now).unwrap();
        }
        now = wait(&mut i2c, BTF, now);
        i2c.write(CR1, 4, ON | STOP, now).unwrap();
        assert_eq!(i2c.read(SR2, 4, now), Ok(0));
        now = address(&mut i2c, 0xa0, now);
        i2c.read(SR2, 4, now).unwrap();
        i2c.write(DR, 4, 7, now).unwrap();
        now = wait(&mut i2c, BTF, now);
        now = address(&mut i2c, 0xa1, now);
        i2c.read(SR2, 4, now).unwrap();
        now = wait(&mut i2c, RXNE, now);
        i2c.write(CR1, 4, ON | STOP, now).unwrap();
        assert_eq!(i2c.read(DR, 4, now), Ok(0x5a));
    }

    #[test]
    fn nobody_acknowledges_another_address() {
        let mut i2c = i2c();
        let now = address(&mut i2c, 0xa2, 0);
        assert_eq!(i2c.read(SR1, 4, now).unwrap() & (ADDR | AF), AF);
        i2c.write(SR1, 4, 0, now).unwrap();
        i2c.write(CR1, 4, ON | STOP, now).unwrap();
        assert_eq!((i2c.read(SR1, 4, now), i2c.read(SR2, 4, now)), (Ok(0), Ok(0)));
    }
}
