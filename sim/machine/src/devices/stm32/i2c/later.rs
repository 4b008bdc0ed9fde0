//! The later I2C, which counts its bytes itself.

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside};
use serde::Deserialize;

use super::{Answer, BYTE, TargetSettings, Targets};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const TIMINGR: u32 = 0x10;
const TIMEOUTR: u32 = 0x14;
const ISR: u32 = 0x18;
const ICR: u32 = 0x1c;
const PECR: u32 = 0x20;
const RXDR: u32 = 0x24;
const TXDR: u32 = 0x28;

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
/// What ICR clears.
const CLEARED: u32 = NACKF | STOPF | 0x3f00;

/// What a board file says of it.
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
    /// The target holds SCL behind a byte.
    Held(Answer),
    Stop,
}

/// One controller.
#[derive(Clone)]
pub(crate) struct I2c {
    irqs: [Option<Irq>; 2],
    ticks: Ticks,
    targets: Targets,
    control: [u32; 2],
    own: [u32; 2],
    timing: u32,
    timeout: u32,
    status: u32,
    doing: Option<(Doing, u64)>,
    /// Bytes of NBYTES that are still to come.
    left: u32,
    received: u8,
    requester: Requester,
}

impl I2c {
    fn new(ticks: Ticks, targets: Targets) -> I2c {
        I2c {
            irqs: [None; 2],
            ticks,
            targets,
            control: [0; 2],
            own: [0; 2],
            timing: 0,
            timeout: 0,
            status: TXE,
            doing: None,
            left: 0,
            received: 0,
            requester: Requester::default(),
        }
    }

    /// Ticks of a clock of the bus: TIMINGR's low and high.
    fn bit(&self) -> u64 {
        let (low, high) = (self.timing & 0xff, self.timing >> 8 & 0xff);
        u64::from(low + high + 2) * u64::from((self.timing >> 28) + 1)
    }

    fn begin(&mut self, what: Doing, bits: u64, now: u64) {
        self.ticks.restart(now);
        self.doing = Some((what, self.ticks.cycle_of(bits * self.bit())));
    }

    fn catch_up(&mut self, now: u64) {
        while let Some((what, end)) = self.doing
            && end <= now
        {
            self.doing = None;
            self.finish(what, end);
        }
    }

    fn finish(&mut self, what: Doing, now: u64) {
        match what {
            Doing::Address => {
                self.control[1] &= !START;
                let (address, reads) = (self.control[1] >> 1 & 0x7f, self.control[1] & READ != 0);
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
                self.left = self.control[1] >> 16 & 0xff;
                self.go_on(now);
            }
            Doing::Held(Answer::Written(true)) => {
                self.left -= 1;
                self.go_on(now);
            }
            Doing::Held(Answer::Addressed(false) | Answer::Written(false)) => {
                self.status |= NACKF;
                self.begin(Doing::Stop, 1, now);
            }
            Doing::Held(Answer::Read(byte)) => {
                self.received = byte;
                self.left -= 1;
                self.status |= RXNE;
                if self.left == 0 {
                    self.go_on(now);
                }
            }
            Doing::Stop => {
                self.control[1] &= !(STOP | START);
                self.status = self.status & !(BUSY | TXIS | TC | TCR) | STOPF | TXE;
            }
        }
    }

    fn hold(&mut self, (answer, until): (Answer, u64)) {
        self.doing = Some((Doing::Held(answer), until));
    }

    /// The next byte, or what follows the last one.
    fn go_on(&mut self, now: u64) {
        match self.left {
            0 if self.control[1] & RELOAD != 0 => self.status |= TCR,
            0 if self.control[1] & (AUTOEND | STOP) != 0 => self.begin(Doing::Stop, 1, now),
            0 => self.status |= TC,
            _ if self.control[1] & READ == 0 => self.status |= TXIS | TXE,
            _ => self.begin(Doing::Receive, BYTE, now),
        }
    }

    fn write_control(&mut self, value: u32, now: u64) -> Result<(), DeviceError> {
        if value & START != 0 && value & TEN_BITS != 0 {
            return not_modelled(format!("CR2, a write of {value:#x}: an address of ten bits"));
        }
        let reloads = self.status & TCR != 0;
        self.control[1] = value | self.control[1] & START;
        if self.control[0] & ON == 0 {
            return Ok(());
        }
        if value & START != 0 && self.doing.is_none() {
            self.status = self.status & !(TC | TCR | TXIS) | BUSY | TXE;
            self.begin(Doing::Address, 1 + BYTE, now);
        } else if value & STOP != 0 && self.status & BUSY != 0 && self.doing.is_none() {
            self.begin(Doing::Stop, 1, now);
        } else if reloads && value >> 16 & 0xff != 0 {
            self.status &= !TCR;
            self.left = value >> 16 & 0xff;
            // A byte that was not read yet stretches the clock.
            if self.control[1] & READ == 0 || self.status & RXNE == 0 {
                self.go_on(now);
            }
        }
        Ok(())
    }

    fn pending(&self) -> [bool; 2] {
        let flags = [
            (TXIS, 1 << 1),
            (RXNE, 1 << 2),
            (NACKF, 1 << 4),
            (STOPF, 1 << 5),
            (TC | TCR, 1 << 6),
        ];
        let raised = |&(flag, enable): &(u32, u32)| self.status & flag != 0 && self.control[0] & enable != 0;
        [flags.iter().any(raised), false]
    }
}

impl Device for I2c {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => Ok(self.control[0]),
            CR2 => Ok(self.control[1]),
            0x08 => Ok(self.own[0]),
            0x0c => Ok(self.own[1]),
            TIMINGR => Ok(self.timing),
            TIMEOUTR => Ok(self.timeout),
            ISR => Ok(self.status),
            ICR | PECR | TXDR => Ok(0),
            RXDR => {
                let waits = std::mem::take(&mut self.status);
                self.status = waits & !RXNE;
                if waits & RXNE != 0 && self.left > 0 && self.doing.is_none() {
                    self.go_on(now);
                }
                Ok(self.received.into())
            }
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 if value & SMBUS != 0 => return not_modelled(format!("CR1, a write of {value:#x}: SMBus")),
            CR1 => {
                self.control[0] = value;
                if value & ON == 0 {
                    (self.status, self.doing) = (TXE, None);
                    self.control[1] &= !(START | STOP);
                }
            }
            CR2 => return self.write_control(value, now),
            0x08 => self.own[0] = value,
            0x0c => self.own[1] = value,
            TIMINGR => self.timing = value,
            TIMEOUTR if value & TIMEOUTS != 0 => {
                return not_modelled(format!("TIMEOUTR, a write of {value:#x}: timeouts"));
            }
            TIMEOUTR => self.timeout = value,
            // Writing it flushes TXDR.
            ISR => self.status |= value & TXE,
            ICR => self.status &= !(value & CLEARED),
            TXDR if self.status & TXIS != 0 => {
                self.status &= !(TXIS | TXE);
                self.begin(Doing::Send(value as u8), BYTE, now);
            }
            TXDR | PECR | RXDR => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.control[0] & (0xfe | TXDMAEN | RXDMAEN) != 0 || self.targets.gives();
        let end = self.doing.filter(|_| waits).map_or(u64::MAX, |(_, end)| end);
        end.min(self.targets.next_event())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.targets.poll(now);
        for (irq, pending) in self.irqs.into_iter().zip(self.pending()) {
            if let Some(irq) = irq {
                line(irq, pending);
            }
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.requester.tell([
            self.status & RXNE != 0 && self.control[0] & RXDMAEN != 0,
            self.status & TXIS != 0 && self.control[0] & TXDMAEN != 0,
        ])
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.catch_up(now);
            self.ticks.hear(effect);
        }
        self.targets.hear(effect, now)
    }

    fn carry(&mut self, outside: &mut Outside) {
        outside.carry(&mut self.targets);
    }

    fn gives(&self) -> bool {
        self.targets.gives()
    }

    fn take_given(&mut self) -> Option<Given> {
        self.targets.take_given()
    }

    fn note(&mut self) -> Option<String> {
        self.targets.note()
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        self.targets.unreceived().into_iter().collect()
    }

    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        self.targets.stimulate(input, now)
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
            assert!(now < 1_000_000, "flag {flag:#x}, {:#x}", i2c.status);
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
        assert_eq!(i2c.status & BUSY, 0);
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
