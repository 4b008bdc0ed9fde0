//! Synopsys `DW_apb_i2c` as a master, as the RP2040 has it (its datasheet, 4.3): commands of a byte each, in FIFOs of sixteen.
//!
//! Who is on its bus says the board file ([`Targets`]); without `targets` nobody acknowledges. A byte takes nine clocks of SCL, whose length is that of the
//! counters for its speed. The role of a slave, and addresses of ten bits, are not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside};
use serde::Deserialize;

use super::requester::Requester;
use super::targets::{Answer, TargetSettings, Targets};
use super::{Around, Settings, Ticks, not_modelled};

const CON: u32 = 0x00;
const TAR: u32 = 0x04;
const SAR: u32 = 0x08;
const DATA_CMD: u32 = 0x10;
const SS_SCL_HCNT: u32 = 0x14;
const FS_SCL_HCNT: u32 = 0x1c;
const FS_SCL_LCNT: u32 = 0x20;
const INTR_STAT: u32 = 0x2c;
const INTR_MASK: u32 = 0x30;
const RAW_INTR_STAT: u32 = 0x34;
const RX_TL: u32 = 0x38;
const TX_TL: u32 = 0x3c;
const CLR_INTR: u32 = 0x40;
const CLR_TX_ABRT: u32 = 0x54;
const CLR_GEN_CALL: u32 = 0x68;
const ENABLE: u32 = 0x6c;
const STATUS: u32 = 0x70;
const TXFLR: u32 = 0x74;
const RXFLR: u32 = 0x78;
const SDA_HOLD: u32 = 0x7c;
const TX_ABRT_SOURCE: u32 = 0x80;
const DMA_CR: u32 = 0x88;
const DMA_TDLR: u32 = 0x8c;
const DMA_RDLR: u32 = 0x90;
const ENABLE_STATUS: u32 = 0x9c;
const CLR_RESTART_DET: u32 = 0xa8;
/// What is held where it is written: settings without effect on the model, and its own description.
const HELD: [(u32, u32); 12] = [
    (SAR, 0x55),
    (SS_SCL_HCNT, 0x28),
    (0x18, 0x2f),
    (FS_SCL_HCNT, 6),
    (FS_SCL_LCNT, 0xd),
    (SDA_HOLD, 1),
    (0x84, 0),
    (0x94, 0x64),
    (0x98, 1),
    (0xa0, 7),
    (DMA_TDLR, 0),
    (DMA_RDLR, 0),
];
/// Parameters of the component, version and type.
const KNOWN: [(u32, u32); 3] = [(0xf4, 0), (0xf8, 0x3230_312a), (0xfc, 0x4457_0140)];
/// Commands and bytes that a FIFO holds.
const ROOM: usize = 16;

/// CON after reset: master, fast, restart, no slave.
const CON_RESET: u32 = 0x65;
const SLAVE_DISABLE: u32 = 1 << 6;
const TEN_BITS: u32 = 1 << 4;
const RESTART_EN: u32 = 1 << 5;
/// Commands: read, stop behind it, restart before it.
const READ: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const RESTART: u32 = 1 << 10;
/// Interrupts.
const RX_UNDER: u32 = 1 << 0;
const RX_FULL: u32 = 1 << 2;
const TX_OVER: u32 = 1 << 3;
const TX_EMPTY: u32 = 1 << 4;
const TX_ABRT: u32 = 1 << 6;
const ACTIVITY: u32 = 1 << 8;
const STOP_DET: u32 = 1 << 9;
const START_DET: u32 = 1 << 10;
const RESTART_DET: u32 = 1 << 12;
/// `TX_ABRT_SOURCE`: nobody at the address; a byte of data that was not acknowledged; the program asked for it. Above, how many commands were lost.
const NO_ADDRESS: u32 = 1 << 0;
const NO_DATA: u32 = 1 << 3;
const BY_PROGRAM: u32 = 1 << 16;
const LOST: u32 = 23;
/// Clocks of a byte with its acknowledgement.
const BYTE: u64 = 9;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DwI2cSettings {
    /// The clock of its counters.
    clock: Option<String>,
    /// The addresses of what is on its bus.
    #[serde(default)]
    targets: Vec<TargetSettings>,
}

impl Settings for DwI2cSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let mut i2c = DwI2c::new(around.irq, Ticks::of(clock), Targets::new(&self.targets, around)?);
        i2c.requester = Requester::new([around.wire("RX"), around.wire("TX")]);
        Ok(Box::new(i2c))
    }
}

/// What is on the wire.
#[derive(Clone, Copy, Debug)]
enum Doing {
    /// The address, for reading if it is.
    Address(bool),
    /// The byte of a command.
    Byte(u32),
    /// The target holds SCL behind the byte of a command; 0 for that of the address.
    Held(Answer, u32),
    Stop,
}

/// One I2C.
#[derive(Clone)]
pub(crate) struct DwI2c {
    irq: Option<Irq>,
    ticks: Ticks,
    targets: Targets,
    control: u32,
    target: u32,
    held: [u32; HELD.len()],
    mask: u32,
    raw: u32,
    levels: [u32; 2],
    on: bool,
    dma: u32,
    abort: u32,
    commands: VecDeque<u32>,
    received: VecDeque<u8>,
    /// What is under way, and when it is through.
    doing: Option<(Doing, u64)>,
    /// Between a start and its stop: whether it reads.
    reading: Option<bool>,
    requester: Requester,
}

impl DwI2c {
    fn new(irq: Option<Irq>, ticks: Ticks, targets: Targets) -> DwI2c {
        DwI2c {
            irq,
            ticks,
            targets,
            control: CON_RESET,
            target: 0x55,
            held: HELD.map(|(_, reset)| reset),
            mask: 0x8ff,
            raw: 0,
            levels: [0; 2],
            on: false,
            dma: 0,
            abort: 0,
            commands: VecDeque::new(),
            received: VecDeque::new(),
            doing: None,
            reading: None,
            requester: Requester::default(),
        }
    }

    fn held(&self, register: u32) -> Option<u32> {
        let place = HELD.iter().position(|&(offset, _)| offset == register)?;
        Some(self.held[place])
    }

    /// Ticks of a clock of SCL.
    fn clock(&self) -> u64 {
        let first = if self.control >> 1 & 3 == 1 {
            SS_SCL_HCNT
        } else {
            FS_SCL_HCNT
        };
        let of = |register| u64::from(self.held(register).unwrap_or(1));
        (of(first) + of(first + 4)).max(1)
    }

    fn begin(&mut self, doing: Doing, now: u64) {
        let clocks = if let Doing::Stop = doing { 1 } else { BYTE };
        self.ticks.restart(now);
        self.doing = Some((doing, self.ticks.cycle_of(clocks * self.clock())));
    }

    /// Goes on with the next command, if nothing is under way.
    fn go_on(&mut self, now: u64) {
        let Some(&command) = self.commands.front() else {
            return;
        };
        if self.doing.is_some() || !self.on || self.abort != 0 {
            return;
        }
        let read = command & READ != 0;
        if read && self.received.len() == ROOM {
            return;
        }
        let restarts = command & RESTART != 0 && self.control & RESTART_EN != 0;
        match self.reading {
            Some(reading) if reading == read && !restarts => {
                self.commands.pop_front();
                self.begin(Doing::Byte(command), now);
            }
            before => {
                self.raw |= ACTIVITY | if before.is_some() { RESTART_DET } else { START_DET };
                // The restart is done with.
                self.commands[0] = command & !RESTART;
                self.begin(Doing::Address(read), now);
            }
        }
    }

    fn catch_up(&mut self, now: u64) {
        self.go_on(now);
        while let Some((doing, end)) = self.doing
            && end <= now
        {
            self.doing = None;
            match doing {
                Doing::Address(read) => self.addressed(read, end),
                Doing::Byte(command) => self.exchange(command, end),
                Doing::Held(answer, command) => self.answered(answer, command, end),
                Doing::Stop => {
                    self.reading = None;
                    self.raw |= STOP_DET;
                }
            }
            self.go_on(end);
        }
    }

    fn addressed(&mut self, read: bool, now: u64) {
        self.reading = Some(read);
        let (answer, until) = self.targets.address(self.target as u8 & 0x7f, read, now);
        self.doing = Some((Doing::Held(answer, 0), until));
    }

    fn exchange(&mut self, command: u32, now: u64) {
        let (answer, until) = if command & READ == 0 {
            self.targets.write(command as u8, now)
        } else {
            self.targets.read(now)
        };
        self.doing = Some((Doing::Held(answer, command), until));
    }

    fn answered(&mut self, answer: Answer, command: u32, now: u64) {
        match answer {
            Answer::Addressed(false) => return self.give_up(NO_ADDRESS, now),
            Answer::Written(false) => return self.give_up(NO_DATA, now),
            Answer::Addressed(true) | Answer::Written(true) => {}
            Answer::Read(byte) => self.received.push_back(byte),
        }
        if command & STOP != 0 {
            self.begin(Doing::Stop, now);
        }
    }

    fn give_up(&mut self, why: u32, now: u64) {
        self.abort |= why | (self.commands.len() as u32) << LOST;
        self.commands.clear();
        self.raw |= TX_ABRT;
        if self.reading.is_some() {
            self.begin(Doing::Stop, now);
        }
    }

    fn interrupts(&self) -> u32 {
        let full = self.received.len() > self.levels[0] as usize;
        let empty = self.on && self.commands.len() <= self.levels[1] as usize;
        self.raw | if full { RX_FULL } else { 0 } | if empty { TX_EMPTY } else { 0 }
    }

    fn status(&self) -> u32 {
        let active = self.doing.is_some() || self.reading.is_some();
        (u32::from(active) * 0x21)
            | u32::from(self.commands.len() < ROOM) << 1
            | u32::from(self.commands.is_empty()) << 2
            | u32::from(!self.received.is_empty()) << 3
            | u32::from(self.received.len() == ROOM) << 4
    }

    fn command(&mut self, command: u32, now: u64) {
        if self.commands.len() == ROOM {
            self.raw |= TX_OVER;
        } else if self.on && self.abort == 0 {
            self.commands.push_back(command);
            self.go_on(now);
        }
    }

    fn enable(&mut self, value: u32, now: u64) {
        let on = value & 1 != 0;
        if value & 2 != 0 && self.on {
            self.give_up(BY_PROGRAM, now);
        }
        if !on && self.on {
            self.commands.clear();
            self.received.clear();
            (self.doing, self.reading, self.raw) = (None, None, 0);
        }
        self.on = on;
    }

    /// Reading such a register clears flags.
    fn clears(register: u32) -> Option<u32> {
        match register {
            CLR_INTR => Some(0x1eeb),
            CLR_TX_ABRT => Some(TX_ABRT),
            // In the order of the flags, without those that go by themselves.
            0x44 => Some(RX_UNDER),
            0x48 => Some(1 << 1),
            0x4c => Some(TX_OVER),
            0x50 => Some(1 << 5),
            0x58 => Some(1 << 7),
            0x5c => Some(ACTIVITY),
            0x60 => Some(STOP_DET),
            0x64 => Some(START_DET),
            CLR_GEN_CALL => Some(1 << 11),
            CLR_RESTART_DET => Some(RESTART_DET),
            _ => None,
        }
    }
}

impl Device for DwI2c {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        let register = offset & !3;
        if let Some(flags) = DwI2c::clears(register) {
            self.raw &= !flags;
            if flags & TX_ABRT != 0 {
                self.abort = 0;
            }
            return Ok(0);
        }
        match register {
            CON => Ok(self.control),
            TAR => Ok(self.target),
            DATA_CMD => {
                let byte = self.received.pop_front();
                if byte.is_none() {
                    self.raw |= RX_UNDER;
                }
                self.go_on(now);
                Ok(byte.map_or(0, u32::from))
            }
            INTR_STAT => Ok(self.interrupts() & self.mask),
            INTR_MASK => Ok(self.mask),
            RAW_INTR_STAT => Ok(self.interrupts()),
            RX_TL => Ok(self.levels[0]),
            TX_TL => Ok(self.levels[1]),
            ENABLE | ENABLE_STATUS => Ok(self.on.into()),
            STATUS => Ok(self.status()),
            TXFLR => Ok(self.commands.len() as u32),
            RXFLR => Ok(self.received.len() as u32),
            TX_ABRT_SOURCE => Ok(self.abort),
            DMA_CR => Ok(self.dma),
            _ => {
                let known = KNOWN.iter().find(|&&(offset, _)| offset == register);
                let value = self.held(register).or(known.map(|&(_, value)| value));
                value.map_or_else(|| not_modelled(format!("a read of offset {register:#x}")), Ok)
            }
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CON if value & SLAVE_DISABLE == 0 => {
                return not_modelled(format!("IC_CON, a write of {value:#x}: the role of a slave"));
            }
            CON if value & TEN_BITS != 0 => {
                return not_modelled(format!("IC_CON, a write of {value:#x}: ten bits of address"));
            }
            CON => self.control = value & 0x3ff,
            TAR => self.target = value & 0xfff,
            DATA_CMD => self.command(value, now),
            INTR_MASK => self.mask = value & 0x1fff,
            RX_TL => self.levels[0] = value & 15,
            TX_TL => self.levels[1] = value & 15,
            ENABLE => self.enable(value, now),
            DMA_CR => self.dma = value & 3,
            register => {
                let Some(place) = HELD.iter().position(|&(offset, _)| offset == register) else {
                    return not_modelled(format!("a write of {value:#x} to offset {register:#x}"));
                };
                self.held[place] = value;
            }
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let end = self.doing.map_or(u64::MAX, |(_, end)| end);
        end.min(self.targets.next_event())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.targets.poll(now);
        if let Some(irq) = self.irq {
            line(irq, self.interrupts() & self.mask != 0);
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let level = |register: u32| self.held(register).unwrap_or(0) as usize;
        let rx = self.dma & 1 != 0 && self.received.len() > level(DMA_RDLR);
        let tx = self.on && self.dma & 2 != 0 && self.commands.len() <= level(DMA_TDLR);
        self.requester.tell([rx, tx])
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

    /// 100 ticks a clock.
    fn i2c() -> DwI2c {
        let mut i2c = DwI2c::new(Some(Irq::External(23)), Ticks::of(ClockId(1)), Targets::memory());
        for clock in [ClockId::CORE, ClockId(1)] {
            i2c.hear(Effect::Clock(clock, 100_000_000), 0).unwrap();
        }
        for (offset, value) in [(FS_SCL_HCNT, 40), (FS_SCL_LCNT, 60), (TAR, 0x50), (ENABLE, 1)] {
            i2c.write(offset, 4, value, 0).unwrap();
        }
        i2c
    }

    #[test]
    fn bytes_are_written_and_read_back_behind_a_restart() {
        let mut i2c = i2c();
        for command in [7, 0x42 | STOP, 7, READ | RESTART | STOP] {
            i2c.write(DATA_CMD, 4, command, 0).unwrap();
        }
        // Address and two bytes, and the stop.
        assert_eq!(i2c.read(RAW_INTR_STAT, 4, 2799).unwrap() & STOP_DET, 0);
        assert_ne!(i2c.read(RAW_INTR_STAT, 4, 2800).unwrap() & STOP_DET, 0);
        assert_eq!(i2c.read(RXFLR, 4, 2800 + 3599), Ok(0));
        let flags = i2c.read(RAW_INTR_STAT, 4, 2800 + 3600).unwrap();
        assert_ne!(flags & RESTART_DET, 0);
        assert_eq!(i2c.read(DATA_CMD, 4, 6400), Ok(0x42));
        assert_eq!(i2c.read(STATUS, 4, 6500), Ok(6), "nothing is under way");
        assert_eq!(i2c.read(0x60, 4, 6500), Ok(0));
        assert_eq!(i2c.read(RAW_INTR_STAT, 4, 6500).unwrap() & STOP_DET, 0);
    }

    #[test]
    fn where_nobody_answers_the_commands_are_lost_until_the_program_takes_note() {
        let mut i2c = i2c();
        i2c.write(ENABLE, 4, 0, 0).unwrap();
        i2c.write(TAR, 4, 0x20, 0).unwrap();
        i2c.write(ENABLE, 4, 1, 0).unwrap();
        for _ in 0..3 {
            i2c.write(DATA_CMD, 4, 1, 0).unwrap();
        }
        assert_eq!(i2c.next_event(), 900);
        assert_eq!(i2c.read(TX_ABRT_SOURCE, 4, 900), Ok(3 << LOST | NO_ADDRESS));
        i2c.write(DATA_CMD, 4, 1, 901).unwrap();
        assert_eq!(
            i2c.read(TXFLR, 4, 902),
            Ok(0),
            "flushed as long as the flag is set"
        );
        let flags = i2c.read(RAW_INTR_STAT, 4, 1000).unwrap();
        assert_eq!(flags & (TX_ABRT | STOP_DET), TX_ABRT | STOP_DET);
        i2c.read(CLR_TX_ABRT, 4, 1000).unwrap();
        assert_eq!(i2c.read(TX_ABRT_SOURCE, 4, 1000), Ok(0));
    }

    #[test]
    fn other_roles_are_named() {
        for value in [0x25, 0x75] {
            assert!(matches!(
                i2c().write(CON, 4, value, 0),
                Err(DeviceError::NotModelled(_))
            ));
        }
    }
}
