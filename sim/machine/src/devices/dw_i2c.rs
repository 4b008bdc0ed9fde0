//! Synopsys `DW_apb_i2c` as a master, as the RP2040 has it (its datasheet, 4.3): commands of a byte each, in FIFOs of sixteen.
//!
//! The board file lists the targets on its bus ([`Targets`]); without `targets` nothing acknowledges. A byte takes nine clocks of SCL,
//! whose length is that of the counters for its speed. The role of a slave, and addresses of ten bits, are not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use super::block::{At, Peripheral, Regs, Write, about, registers, tell};
use super::requester::Requester;
use super::targets::{Answer, TargetSettings, Targets};
use super::{Around, Settings, Ticks, not_modelled};

about! { DwI2c by DwI2cSettings, B,
    "RP2040 datasheet 4.3",
    "a master: commands and bytes in FIFOs, at its bit rate, acknowledgement and stretching by the `targets` of the board file, interrupts, DMA",
    "slave, ten bits"
}

registers! { DwI2c targets;
    CON         = 0x00 .reset(CON_RESET).write(0x3ff).tries(|_, write| DwI2c::configure(write));
    TAR         = 0x04 .reset(0x55).write(0xfff);
    // Registers that are only stored, here and below, are settings without effect on the model.
    SAR         = 0x08 .reset(0x55).write(!0);
    DATA_CMD    = 0x10 .shows(|i2c, _| i2c.received.front().map_or(0, |&byte| byte.into())).taken(DwI2c::taken).then(DwI2c::command);
    SS_SCL_HCNT = 0x14 .reset(0x28).write(!0);
    SS_SCL_LCNT = 0x18 .reset(0x2f).write(!0);
    FS_SCL_HCNT = 0x1c .reset(6).write(!0);
    FS_SCL_LCNT = 0x20 .reset(0xd).write(!0);
    INTR_STAT   = 0x2c .shows(|i2c, _| i2c.interrupts() & i2c.regs[INTR_MASK]);
    INTR_MASK   = 0x30 .reset(0x8ff).write(0x1fff);
    RAW_INTR_STAT = 0x34 .shows(|i2c, _| i2c.interrupts());
    RX_TL       = 0x38 .write(15);
    TX_TL       = 0x3c .write(15);
    // Reading these clears flags.
    CLR_INTR    = 0x40 .taken(|i2c, _| i2c.clear(0x1eeb));
    CLR_RX_UNDER = 0x44 .taken(|i2c, _| i2c.clear(RX_UNDER));
    CLR_RX_OVER = 0x48 .taken(|i2c, _| i2c.clear(1 << 1));
    CLR_TX_OVER = 0x4c .taken(|i2c, _| i2c.clear(TX_OVER));
    CLR_RD_REQ  = 0x50 .taken(|i2c, _| i2c.clear(1 << 5));
    CLR_TX_ABRT = 0x54 .taken(|i2c, _| i2c.clear(TX_ABRT));
    CLR_RX_DONE = 0x58 .taken(|i2c, _| i2c.clear(1 << 7));
    CLR_ACTIVITY = 0x5c .taken(|i2c, _| i2c.clear(ACTIVITY));
    CLR_STOP_DET = 0x60 .taken(|i2c, _| i2c.clear(STOP_DET));
    CLR_START_DET = 0x64 .taken(|i2c, _| i2c.clear(START_DET));
    CLR_GEN_CALL = 0x68 .taken(|i2c, _| i2c.clear(1 << 11));
    ENABLE      = 0x6c .shows(|i2c, _| i2c.on.into()).then(DwI2c::enable);
    STATUS      = 0x70 .shows(DwI2c::status);
    TXFLR       = 0x74 .shows(|i2c, _| i2c.commands.len() as u32);
    RXFLR       = 0x78 .shows(|i2c, _| i2c.received.len() as u32);
    SDA_HOLD    = 0x7c .reset(1).write(!0);
    TX_ABRT_SOURCE = 0x80;
    SLV_DATA_NACK_ONLY = 0x84 .write(!0);
    DMA_CR      = 0x88 .write(3);
    DMA_TDLR    = 0x8c .write(!0);
    DMA_RDLR    = 0x90 .write(!0);
    SDA_SETUP   = 0x94 .reset(0x64).write(!0);
    ACK_GENERAL_CALL = 0x98 .reset(1).write(!0);
    ENABLE_STATUS = 0x9c .shows(|i2c, _| i2c.on.into());
    FS_SPKLEN   = 0xa0 .reset(7).write(!0);
    CLR_RESTART_DET = 0xa8 .taken(|i2c, _| i2c.clear(RESTART_DET));
    COMP_PARAM_1 = 0xf4;
    COMP_VERSION = 0xf8 .reset(0x3230_312a);
    COMP_TYPE   = 0xfc .reset(0x4457_0140);
}

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

/// The keys of its board file entry.
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

/// The transfer on the wire.
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
#[derive(Clone, Default)]
pub(crate) struct DwI2c {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    targets: Targets,
    raw: u32,
    on: bool,
    commands: VecDeque<u32>,
    received: VecDeque<u8>,
    /// The transfer in progress, and its end.
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
            ..DwI2c::default()
        }
    }

    /// Ticks of a clock of SCL.
    fn clock(&self) -> u64 {
        let first = if self.regs[CON] >> 1 & 3 == 1 {
            SS_SCL_HCNT
        } else {
            FS_SCL_HCNT
        };
        let of = |register: u32| u64::from(self.regs[register]);
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
        if self.doing.is_some() || !self.on || self.regs[TX_ABRT_SOURCE] != 0 {
            return;
        }
        let read = command & READ != 0;
        if read && self.received.len() == ROOM {
            return;
        }
        let restarts = command & RESTART != 0 && self.regs[CON] & RESTART_EN != 0;
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

    fn addressed(&mut self, read: bool, now: u64) {
        self.reading = Some(read);
        let (answer, until) = self.targets.address(self.regs[TAR] as u8 & 0x7f, read, now);
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
        self.regs[TX_ABRT_SOURCE] |= why | (self.commands.len() as u32) << LOST;
        self.commands.clear();
        self.raw |= TX_ABRT;
        if self.reading.is_some() {
            self.begin(Doing::Stop, now);
        }
    }

    fn interrupts(&self) -> u32 {
        let full = self.received.len() > self.regs[RX_TL] as usize;
        let empty = self.on && self.commands.len() <= self.regs[TX_TL] as usize;
        self.raw | if full { RX_FULL } else { 0 } | if empty { TX_EMPTY } else { 0 }
    }

    fn status(&self, _: At) -> u32 {
        let active = self.doing.is_some() || self.reading.is_some();
        (u32::from(active) * 0x21)
            | u32::from(self.commands.len() < ROOM) << 1
            | u32::from(self.commands.is_empty()) << 2
            | u32::from(!self.received.is_empty()) << 3
            | u32::from(self.received.len() == ROOM) << 4
    }

    fn configure(Write { value, .. }: Write) -> Result<(), DeviceError> {
        if value & SLAVE_DISABLE == 0 {
            return not_modelled(format!("IC_CON, a write of {value:#x}: the role of a slave"));
        }
        if value & TEN_BITS != 0 {
            return not_modelled(format!("IC_CON, a write of {value:#x}: ten bits of address"));
        }
        Ok(())
    }

    fn command(&mut self, write: Write) {
        if self.commands.len() == ROOM {
            self.raw |= TX_OVER;
        } else if self.on && self.regs[TX_ABRT_SOURCE] == 0 {
            self.commands.push_back(write.value);
            self.go_on(write.now);
        }
    }

    fn taken(&mut self, at: At) {
        if self.received.pop_front().is_none() {
            self.raw |= RX_UNDER;
        }
        self.go_on(at.now);
    }

    fn enable(&mut self, Write { value, now, .. }: Write) {
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

    fn clear(&mut self, flags: u32) {
        self.raw &= !flags;
        if flags & TX_ABRT != 0 {
            self.regs[TX_ABRT_SOURCE] = 0;
        }
    }
}

impl Peripheral for DwI2c {
    fn advance(&mut self, now: u64) {
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

    fn due(&self) -> u64 {
        self.doing.map_or(u64::MAX, |(_, end)| end)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.interrupts() & self.regs[INTR_MASK] != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let (level, dma) = (|register: u32| self.regs[register] as usize, self.regs[DMA_CR]);
        let rx = dma & 1 != 0 && self.received.len() > level(DMA_RDLR);
        let tx = self.on && dma & 2 != 0 && self.commands.len() <= level(DMA_TDLR);
        self.requester.tell([rx, tx])
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
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
