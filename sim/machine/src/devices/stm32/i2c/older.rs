//! The older I2C, which the program leads through every byte: START, address, data, STOP.

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside};
use serde::Deserialize;

use super::{Answer, BYTE, TargetSettings, Targets};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const DR: u32 = 0x10;
const SR1: u32 = 0x14;
const SR2: u32 = 0x18;
const CCR: u32 = 0x1c;
const TRISE: u32 = 0x20;
const FLTR: u32 = 0x24;

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

/// What a board file says of it.
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

/// What is under way on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    Start,
    Address(u8),
    Send(u8),
    Receive,
    /// The target holds SCL behind a byte.
    Held(Answer),
}

/// One controller.
#[derive(Clone)]
pub(crate) struct I2c {
    irqs: [Option<Irq>; 2],
    ticks: Ticks,
    targets: Targets,
    control: [u32; 2],
    own: [u32; 2],
    rate: u32,
    rise: u32,
    filter: u32,
    status: u32,
    /// It has the bus.
    master: bool,
    transmits: bool,
    doing: Option<(Doing, u64)>,
    /// What waits in DR to be sent.
    waiting: Option<u8>,
    /// What was received behind what is still in DR.
    shifted: Option<u8>,
    received: u8,
    /// The last byte was not acknowledged: no more come or go before the next START.
    ended: bool,
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
            rate: 0,
            rise: 2,
            filter: 0,
            status: 0,
            master: false,
            transmits: false,
            doing: None,
            waiting: None,
            shifted: None,
            received: 0,
            ended: false,
            requester: Requester::default(),
        }
    }

    /// Ticks of a clock of the bus: CCR.
    fn bit(&self) -> u64 {
        let count = u64::from(self.rate & 0xfff).max(1);
        match self.rate >> 14 & 3 {
            0 | 1 => 2 * count,
            2 => 3 * count,
            _ => 25 * count,
        }
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
            self.go_on(end);
        }
    }

    fn finish(&mut self, what: Doing, now: u64) {
        match what {
            Doing::Start => {
                self.control[0] &= !START;
                self.master = true;
                self.ended = false;
                self.status = self.status & !(ADDR | BTF | TXE) | SB;
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
            Doing::Held(Answer::Addressed(true)) => self.status |= ADDR,
            Doing::Held(Answer::Written(true)) => {
                if self.waiting.is_none() {
                    self.status |= BTF;
                }
            }
            Doing::Held(Answer::Addressed(false) | Answer::Written(false)) => {
                (self.waiting, self.ended) = (None, true);
                self.status |= AF;
            }
            Doing::Held(Answer::Read(byte)) => self.receive(byte),
        }
    }

    fn hold(&mut self, (answer, until): (Answer, u64)) {
        self.doing = Some((Doing::Held(answer), until));
    }

    fn receive(&mut self, byte: u8) {
        let last_of_dma = self.control[1] & LAST != 0 && self.control[1] & DMAEN != 0;
        self.ended = self.control[0] & ACK == 0 && !last_of_dma;
        if self.status & RXNE == 0 {
            self.received = byte;
            self.status |= RXNE;
        } else {
            self.shifted = Some(byte);
            self.status |= BTF;
        }
    }

    /// Begins with what can be done next.
    fn go_on(&mut self, now: u64) {
        if self.doing.is_some() || self.control[0] & ON == 0 {
            return;
        }
        if self.control[0] & STOP != 0 && self.master && self.waiting.is_none() {
            self.control[0] &= !STOP;
            self.master = false;
            self.status &= !(BTF | TXE | ADDR | SB);
            return self.go_on(now);
        }
        if self.control[0] & START != 0 && self.waiting.is_none() {
            return self.begin(Doing::Start, 1, now);
        }
        let stretched = self.status & (SB | ADDR | AF) != 0 || !self.master;
        if stretched || self.ended {
            return;
        }
        if self.transmits {
            self.status |= TXE;
            if let Some(byte) = self.waiting.take() {
                self.status &= !BTF;
                self.begin(Doing::Send(byte), BYTE, now);
            }
        } else if self.shifted.is_none() {
            self.begin(Doing::Receive, BYTE, now);
        }
    }

    fn write_data(&mut self, byte: u8, now: u64) {
        if self.status & SB != 0 {
            self.status &= !SB;
            self.begin(Doing::Address(byte), BYTE, now);
        } else if self.master && self.transmits {
            self.waiting = Some(byte);
            self.status &= !(BTF | TXE);
            self.go_on(now);
        }
    }

    fn read_data(&mut self, now: u64) -> u8 {
        let byte = self.received;
        self.status &= !(RXNE | BTF);
        if let Some(next) = self.shifted.take() {
            self.received = next;
            self.status |= RXNE;
        }
        self.go_on(now);
        byte
    }

    fn write_control(&mut self, value: u32, now: u64) -> Result<(), DeviceError> {
        if value & SMBUS != 0 {
            return not_modelled(format!("CR1, a write of {value:#x}: SMBus"));
        }
        if value & RESET != 0 || value & ON == 0 {
            let targets = std::mem::take(&mut self.targets);
            let fresh = I2c::new(self.ticks, targets);
            *self = I2c {
                irqs: self.irqs,
                requester: self.requester.clone(),
                control: [0, self.control[1]],
                rate: self.rate,
                rise: self.rise,
                own: self.own,
                ..fresh
            };
        }
        // START and STOP are cleared by hardware alone.
        let held = self.control[0] & (START | STOP);
        self.control[0] = value & !(START | STOP) | held | value & (START | STOP);
        if value & STOP != 0 && !self.master {
            self.control[0] &= !STOP;
        }
        self.go_on(now);
        Ok(())
    }

    fn pending(&self) -> [bool; 2] {
        let events = if self.control[1] & ITBUFEN == 0 {
            SB | ADDR | BTF
        } else {
            SB | ADDR | BTF | RXNE | TXE
        };
        [
            self.control[1] & ITEVTEN != 0 && self.status & events != 0,
            self.control[1] & ITERREN != 0 && self.status & AF != 0,
        ]
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
            DR => Ok(self.read_data(now).into()),
            SR1 => Ok(self.status),
            SR2 => {
                let shown = (u32::from(self.master) * 3) | (u32::from(self.master && self.transmits) << 2);
                // Reading it behind SR1 goes on from the address.
                self.status &= !ADDR;
                self.go_on(now);
                Ok(shown)
            }
            CCR => Ok(self.rate),
            TRISE => Ok(self.rise),
            FLTR => Ok(self.filter),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CR1 => return self.write_control(value, now),
            CR2 => self.control[1] = value,
            0x08 => self.own[0] = value,
            0x0c => self.own[1] = value,
            DR => self.write_data(value as u8, now),
            // Errors are cleared by writing 0.
            SR1 => self.status &= value | !0xdf00,
            SR2 => {}
            CCR => self.rate = value,
            TRISE => self.rise = value,
            FLTR => self.filter = value,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        self.go_on(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.control[1] & (ITERREN | ITEVTEN | DMAEN) != 0 || self.targets.gives();
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
        let dma = self.control[1] & DMAEN != 0;
        let goes = dma && self.master && self.transmits && self.status & TXE != 0 && self.waiting.is_none();
        self.requester.tell([dma && self.status & RXNE != 0, goes])
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
            assert!(now < 1_000_000, "flag {flag:#x}, {:#x}", i2c.status);
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
