//! The later I2C, which counts its bytes itself.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use super::{Answer, BYTE, TargetSettings, Targets};
use crate::devices::block::{At, Half, Peripheral, Regs, Write, about, registers, tell};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { I2c by LaterSettings, B,
    "RM0394 39; RM0440 41",
    "as `stm32-i2c`, with the later registers, which count their bytes",
    "slave, timeouts, ten bits, SMBus, arbitration"
}

registers! { I2c targets;
    CR1      = 0x00 .write(!0).refuse(SMBUS, ": SMBus").then(I2c::control);
    CR2      = 0x04 .tries(I2c::write_control);
    OAR1     = 0x08 .write(!0);
    OAR2     = 0x0c .write(!0);
    TIMINGR  = 0x10 .write(!0);
    TIMEOUTR = 0x14 .write(!0).refuse(TIMEOUTS, ": timeouts");
    // Writing TXE flushes TXDR.
    ISR      = 0x18 .reset(TXE).then(|i2c, write| i2c.regs[ISR] |= write.value & TXE);
    ICR      = 0x1c .then(|i2c, write| i2c.regs[ISR] &= !(write.value & CLEARED));
    PECR     = 0x20 .drops();
    RXDR     = 0x24 .shows(|i2c, _| i2c.received.into()).taken(I2c::read_data).drops();
    TXDR     = 0x28 .then(I2c::send);
}

const ON: u32 = 1 << 0;
const TXDMAEN: u32 = 1 << 14;
const RXDMAEN: u32 = 1 << 15;
/// CR1: `SMBus` and its parts.
const SMBUS: u32 = 0x00f0_0000;
/// TIMEOUTR: what counts for how long SCL is low.
const TIMEOUTS: u32 = 1 << 15 | 1 << 31;
/// CR2.
const READ: u32 = 1 << 10;
const TEN_BITS: u32 = 1 << 11;
const START: u32 = 1 << 13;
const STOP: u32 = 1 << 14;
const RELOAD: u32 = 1 << 24;
const AUTOEND: u32 = 1 << 25;
/// ISR.
const TXE: u32 = 1 << 0;
const TXIS: u32 = 1 << 1;
const RXNE: u32 = 1 << 2;
const NACKF: u32 = 1 << 4;
const STOPF: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TCR: u32 = 1 << 7;
const BUSY: u32 = 1 << 15;
/// The bits that ICR clears.
const CLEARED: u32 = NACKF | STOPF | 0x3f00;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LaterSettings {
    /// The clock that TIMINGR divides.
    clock: Option<String>,
    /// The interrupt of its errors.
    irq_error: Option<u16>,
    /// The addresses of what is on it.
    #[serde(default)]
    targets: Vec<TargetSettings>,
}

impl Settings for LaterSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut i2c = I2c::new(Ticks::of(clock), Targets::new(&self.targets, around)?);
        i2c.irqs = [around.irq, self.irq_error.map(Irq::External)];
        i2c.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(i2c))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    Address,
    Send(u8),
    Receive,
    /// The target holds SCL after a byte.
    Held(Answer),
    Stop,
}

/// One controller.
#[derive(Clone, Default)]
pub(crate) struct I2c {
    regs: Regs<Self>,
    irqs: [Option<Irq>; 2],
    ticks: Ticks,
    targets: Targets,
    doing: Option<(Doing, u64)>,
    /// Bytes of NBYTES that are still to come.
    left: u32,
    received: u8,
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

    /// Ticks of a clock of the bus: TIMINGR's low and high.
    fn bit(&self) -> u64 {
        let (low, high) = (self.regs[TIMINGR] & 0xff, self.regs[TIMINGR] >> 8 & 0xff);
        u64::from(low + high + 2) * u64::from((self.regs[TIMINGR] >> 28) + 1)
    }

    fn begin(&mut self, what: Doing, bits: u64, now: u64) {
        self.ticks.restart(now);
        self.doing = Some((what, self.ticks.cycle_of(bits * self.bit())));
    }

    fn finish(&mut self, what: Doing, now: u64) {
        match what {
            Doing::Address => {
                self.regs[CR2] &= !START;
                let (address, reads) = (self.regs[CR2] >> 1 & 0x7f, self.regs[CR2] & READ != 0);
                let answered = self.targets.address(address as u8, reads, now);
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
            Doing::Held(Answer::Addressed(true)) => {
                self.left = self.regs[CR2] >> 16 & 0xff;
                self.go_on(now);
            }
            Doing::Held(Answer::Written(true)) => {
                self.left -= 1;
                self.go_on(now);
            }
            Doing::Held(Answer::Addressed(false) | Answer::Written(false)) => {
                self.regs[ISR] |= NACKF;
                self.begin(Doing::Stop, 1, now);
            }
            Doing::Held(Answer::Read(byte)) => {
                self.received = byte;
                self.left -= 1;
                self.regs[ISR] |= RXNE;
                if self.left == 0 {
                    self.go_on(now);
                }
            }
            Doing::Stop => {
                self.regs[CR2] &= !(STOP | START);
                self.regs[ISR] = self.regs[ISR] & !(BUSY | TXIS | TC | TCR) | STOPF | TXE;
            }
        }
    }

    fn hold(&mut self, (answer, until): (Answer, u64)) {
        self.doing = Some((Doing::Held(answer), until));
    }

    /// The next byte, or what follows the last one.
    fn go_on(&mut self, now: u64) {
        match self.left {
            0 if self.regs[CR2] & RELOAD != 0 => self.regs[ISR] |= TCR,
            0 if self.regs[CR2] & (AUTOEND | STOP) != 0 => self.begin(Doing::Stop, 1, now),
            0 => self.regs[ISR] |= TC,
            _ if self.regs[CR2] & READ == 0 => self.regs[ISR] |= TXIS | TXE,
            _ => self.begin(Doing::Receive, BYTE, now),
        }
    }

    fn write_control(&mut self, Write { value, now, .. }: Write) -> Result<(), DeviceError> {
        if value & START != 0 && value & TEN_BITS != 0 {
            return not_modelled(format!("CR2, a write of {value:#x}: an address of ten bits"));
        }
        let reloads = self.regs[ISR] & TCR != 0;
        self.regs[CR2] = value | self.regs[CR2] & START;
        if self.regs[CR1] & ON == 0 {
            return Ok(());
        }
        if value & START != 0 && self.doing.is_none() {
            self.regs[ISR] = self.regs[ISR] & !(TC | TCR | TXIS) | BUSY | TXE;
            self.begin(Doing::Address, 1 + BYTE, now);
        } else if value & STOP != 0 && self.regs[ISR] & BUSY != 0 && self.doing.is_none() {
            self.begin(Doing::Stop, 1, now);
        } else if reloads && value >> 16 & 0xff != 0 {
            self.regs[ISR] &= !TCR;
            self.left = value >> 16 & 0xff;
            // A byte that was not read yet stretches the clock.
            if self.regs[CR2] & READ == 0 || self.regs[ISR] & RXNE == 0 {
                self.go_on(now);
            }
        }
        Ok(())
    }

    fn control(&mut self, write: Write) {
        if write.value & ON == 0 {
            (self.regs[ISR], self.doing) = (TXE, None);
            self.regs[CR2] &= !(START | STOP);
        }
    }

    fn read_data(&mut self, at: At) {
        let waits = self.regs[ISR] & RXNE != 0;
        self.regs[ISR] &= !RXNE;
        if waits && self.left > 0 && self.doing.is_none() {
            self.go_on(at.now);
        }
    }

    fn send(&mut self, write: Write) {
        if self.regs[ISR] & TXIS != 0 {
            self.regs[ISR] &= !(TXIS | TXE);
            self.begin(Doing::Send(write.value as u8), BYTE, write.now);
        }
    }

    fn pending(&self) -> [bool; 2] {
        let flags = [
            (TXIS, 1 << 1),
            (RXNE, 1 << 2),
            (NACKF, 1 << 4),
            (STOPF, 1 << 5),
            (TC | TCR, 1 << 6),
        ];
        let raised =
            |&(flag, enable): &(u32, u32)| self.regs[ISR] & flag != 0 && self.regs[CR1] & enable != 0;
        [flags.iter().any(raised), false]
    }
}

impl Peripheral for I2c {
    fn advance(&mut self, now: u64) {
        while let Some((what, end)) = self.doing
            && end <= now
        {
            self.doing = None;
            self.finish(what, end);
        }
    }

    fn due(&self) -> u64 {
        let waits = self.regs[CR1] & (0xfe | TXDMAEN | RXDMAEN) != 0 || self.targets.gives();
        self.doing.filter(|_| waits).map_or(u64::MAX, |(_, end)| end)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for (irq, pending) in self.irqs.into_iter().zip(self.pending()) {
            tell(irq, pending, line);
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        self.requester.tell([
            self.regs[ISR] & RXNE != 0 && self.regs[CR1] & RXDMAEN != 0,
            self.regs[ISR] & TXIS != 0 && self.regs[CR1] & TXDMAEN != 0,
        ])
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    /// At 100 ticks a bit.
    fn i2c() -> I2c {
        let mut i2c = I2c::new(Ticks::of(ClockId(1)), Targets::memory());
        i2c.hear(Effect::Clock(ClockId::CORE, 40_000_000), 0).unwrap();
        i2c.hear(Effect::Clock(ClockId(1), 40_000_000), 0).unwrap();
        i2c.write(TIMINGR, 4, 0x3131, 0).unwrap();
        i2c.write(CR1, 4, ON, 0).unwrap();
        i2c
    }

    fn wait(i2c: &mut I2c, flag: u32, mut now: u64) -> u64 {
        while i2c.read(ISR, 4, now).unwrap() & flag == 0 {
            now += 10;
            assert!(now < 1_000_000, "flag {flag:#x}, {:#x}", i2c.regs[ISR]);
        }
        now
    }

    #[test]
    fn it_counts_its_bytes_and_stops() {
        let mut i2c = i2c();
        i2c.write(CR2, 4, 0xa0 | START | AUTOEND | 3 << 16, 0).unwrap();
        let mut now = wait(&mut i2c, TXIS, 0);
        assert_eq!(now, 1000);
        for byte in [4, 0x11, 0x22] {
            now = wait(&mut i2c, TXIS, now);
            i2c.write(TXDR, 4, byte, now).unwrap();
        }
        now = wait(&mut i2c, STOPF, now);
        i2c.write(ICR, 4, STOPF, now).unwrap();
        i2c.write(CR2, 4, 0xa0 | START | 1 << 16, now).unwrap();
        now = wait(&mut i2c, TXIS, now);
        i2c.write(TXDR, 4, 4, now).unwrap();
        now = wait(&mut i2c, TC, now);
        i2c.write(CR2, 4, 0xa0 | READ | START | AUTOEND | 2 << 16, now)
            .unwrap();
        let mut read = || {
            now = wait(&mut i2c, RXNE, now);
            i2c.read(RXDR, 4, now).unwrap()
        };
        assert_eq!([read(), read()], [0x11, 0x22]);
        wait(&mut i2c, STOPF, now);
        assert_eq!(i2c.regs[ISR] & BUSY, 0);
    }

    #[test]
    fn who_is_not_there_is_told() {
        let mut i2c = i2c();
        i2c.write(CR2, 4, 0xa2 | START | AUTOEND | 1 << 16, 0).unwrap();
        let now = wait(&mut i2c, STOPF, 0);
        assert_eq!(i2c.read(ISR, 4, now), Ok(TXE | NACKF | STOPF));
    }

    #[test]
    fn more_than_255_bytes_are_reloaded() {
        let mut i2c = i2c();
        i2c.write(CR2, 4, 0xa0 | READ | START | RELOAD | 1 << 16, 0)
            .unwrap();
        let mut now = wait(&mut i2c, TCR, 0);
        i2c.read(RXDR, 4, now).unwrap();
        i2c.write(CR2, 4, 0xa0 | READ | AUTOEND | 1 << 16, now).unwrap();
        now = wait(&mut i2c, RXNE, now);
        i2c.read(RXDR, 4, now).unwrap();
        wait(&mut i2c, STOPF, now);
    }
}
