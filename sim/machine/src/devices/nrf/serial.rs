//! SPIM and TWIM (nRF52840 PS 6.25 and 6.31), which share their registers: as a master of the bus, they move bytes from and to RAM at their bit
//! rate.
//!
//! SPIM receives the bytes of stimuli (`SPIM0@0=\x01`), or ones; `--output` shows the bytes it sends. On TWIM's bus the board file's `targets`
//! acknowledge ([`Targets`]). Slaves, and the blocks without DMA, are not modelled.

use bus::{Device, DeviceError, Effect, Given, Incoming, Irq, Outside, Request};
use serde::Deserialize;

use super::buffer::{Buffer, EASY_DMA};
use super::{Frame, framed};
use crate::devices::answers::Answers;
use crate::devices::block::{Half, Peripheral, Regs, Write, about};
use crate::devices::targets::{Answer, TargetSettings, Targets};
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Serial by SerialSettings, B,
    "nRF52840 PS 6.25, 6.31",
    "SPIM and TWIM: bytes from and to RAM at their bit rate; answers by stimuli, or by the `targets` of the board file",
    "slaves, the blocks without DMA, which pins they have"
}

framed! { Serial sides;
    ERRORSRC  = 0x4c4 .clear(!0);
    ENABLE    = 0x500 .write(!0).tries(|_, write| Serial::enable(write));
    PSEL      = 0x508 .times(4, 4).reset(!0).write(!0);
    FREQUENCY = 0x524 .reset(0x0400_0000).write(!0);
    // PTR, MAXCNT, AMOUNT.
    RXD       = 0x534 .times(3, 4).shows(|serial, at| serial.rx.read(at.n)).then(|serial, write| serial.rx.write(write.n, write.value));
    RXD_LIST  = 0x540 .refuse(!0, ": a list of buffers (LIST)").drops();
    TXD       = 0x544 .times(3, 4).shows(|serial, at| serial.tx.read(at.n)).then(|serial, write| serial.tx.write(write.n, write.value));
    TXD_LIST  = 0x550 .refuse(!0, ": a list of buffers (LIST)").drops();
    CONFIG    = 0x554 .write(!0);
    ADDRESS   = 0x588 .write(!0);
    ORC       = 0x5c0 .write(!0);
}

/// Tasks: of TWIM; of SPIM; of both.
const STARTRX: u32 = 0;
const STARTTX: u32 = 2;
const START: u32 = 4;
const STOP: u32 = 5;
const SUSPEND: u32 = 7;
const RESUME: u32 = 8;
/// Events: of both; of SPIM; of TWIM.
const STOPPED: u32 = 1;
const ENDRX: u32 = 4;
const END: u32 = 6;
const ENDTX: u32 = 8;
const STARTED: u32 = 19;
const ERROR: u32 = 9;
const SUSPENDED: u32 = 18;
const RXSTARTED: u32 = 19;
const TXSTARTED: u32 = 20;
const LASTRX: u32 = 23;
const LASTTX: u32 = 24;
/// Shortcuts: END to START of SPIM; of TWIM, by the event before and the task after.
const END_START: u32 = 1 << 17;
const LASTTX_TO: [(u32, u32); 3] = [(7, STARTRX), (8, SUSPEND), (9, STOP)];
const LASTRX_TO: [(u32, u32); 3] = [(10, STARTTX), (11, SUSPEND), (12, STOP)];

/// ENABLE.
const TWIM: u32 = 6;
const SPIM: u32 = 7;
/// ERRORSRC: nobody at the address; a byte of data that was not acknowledged.
const ANACK: u32 = 1 << 1;
const DNACK: u32 = 1 << 2;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SerialSettings {
    /// The addresses of what is on its bus as a TWIM.
    #[serde(default)]
    targets: Vec<TargetSettings>,
    /// The script on the other side as a SPIM.
    target: Option<String>,
}

impl Settings for SerialSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let targets = Targets::new(&self.targets, around)?;
        let mut serial = Serial::new(Frame::new(around.base, around.irq), targets);
        serial.sides.answers = Answers::new(self.target.as_ref(), around)?;
        Ok(Box::new(serial))
    }
}

/// The operation in progress.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Doing {
    #[default]
    Nothing,
    /// The next byte to send comes from RAM.
    Fetching,
    /// A byte is on the wire until this cycle.
    Byte(u8, u64),
    /// The address is, to read if it is.
    Address(bool, u64),
    /// The target holds SCL after a byte until this cycle.
    Held(Answer, u64),
    /// A byte goes to RAM.
    Storing(u8),
    Stopping(u64),
}

/// One block.
#[derive(Clone, Default)]
pub(crate) struct Serial {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
    tx: Buffer,
    rx: Buffer,
    doing: Doing,
    /// Whether a TWIM reads.
    reads: bool,
    stops: bool,
    suspended: bool,
    /// A TWIM's task that starts after the last byte, or after STOP.
    next: Option<u32>,
    sides: Sides,
}

/// The other sides of a TWIM and of a SPIM.
#[derive(Clone, Default)]
struct Sides {
    targets: Targets,
    answers: Answers,
}

impl Half for Sides {
    /// One block is both: what is given may be for either.
    fn stimulate(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        let as_spi = self.answers.stimulate(input, now);
        let as_twi = self.targets.stimulate(input, now);
        as_spi.or(as_twi)
    }

    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        let (as_spi, as_twi) = (self.answers.unreceived(), self.targets.unreceived());
        let both = as_spi.into_iter().zip(as_twi);
        both.map(|((bytes, _), _)| (bytes, "neither SPIM nor TWIM ever asked for any"))
            .collect()
    }

    fn due(&self) -> u64 {
        self.targets.due().min(self.answers.due())
    }

    fn poll(&mut self, now: u64) {
        self.targets.poll(now);
        self.answers.poll(now);
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        self.targets.hear(effect, now)?;
        self.answers.hear(effect, now)
    }

    fn gives(&self) -> bool {
        self.targets.gives() || self.answers.gives()
    }

    fn take_given(&mut self) -> Option<Given> {
        self.targets.take_given().or_else(|| self.answers.take_given())
    }

    fn note(&mut self) -> Option<String> {
        self.targets.note().or_else(|| self.answers.note())
    }

    fn carry(&mut self, outside: &mut Outside) {
        outside.carry(self);
    }

    fn drain_output(&mut self, sink: &mut dyn FnMut(&[u8])) {
        self.answers.drain_output(sink);
    }
}

impl Serial {
    fn new(frame: Frame, targets: Targets) -> Serial {
        Serial {
            frame,
            ticks: Ticks::fixed(16_000_000),
            sides: Sides {
                targets,
                ..Sides::default()
            },
            ..Serial::default()
        }
    }

    fn is_spi(&self) -> bool {
        self.regs[ENABLE] == SPIM
    }

    /// The cycle in which so many bits from now on are through: FREQUENCY is a fraction of 16 MHz, in units of a 2^32th; the two rates above 8 MHz have
    /// values of their own (SPIM3).
    fn after(&mut self, bits: u64, now: u64) -> u64 {
        self.ticks.restart(now);
        let ticks = match self.regs[FREQUENCY] {
            0x0a00_0000 => bits,
            0x1400_0000 => bits.div_ceil(2),
            frequency => (bits << 32) / u64::from(frequency.max(1)),
        };
        self.ticks.cycle_of(ticks)
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match (self.is_spi(), task) {
            (true, START) => {
                self.tx.start();
                self.rx.start();
                self.frame.raise(STARTED);
                self.next_byte(now);
            }
            (false, STARTTX | STARTRX) if self.regs[ENABLE] == TWIM => {
                if self.suspended || self.doing != Doing::Nothing {
                    self.next = Some(task);
                } else {
                    self.start_twi(task, now);
                }
            }
            (_, STOP) if self.doing == Doing::Nothing => self.stop(now),
            (_, STOP) if matches!(self.doing, Doing::Stopping(_)) => {}
            (_, STOP) => self.stops = true,
            (_, SUSPEND) => {
                self.suspended = true;
                if self.doing == Doing::Nothing && !self.is_spi() {
                    self.frame.raise(SUSPENDED);
                }
            }
            (_, RESUME) => {
                if std::mem::take(&mut self.suspended) && self.doing == Doing::Nothing {
                    self.next_byte(now);
                }
            }
            _ => return not_modelled(format!("task {task} with ENABLE {}", self.regs[ENABLE])),
        }
        Ok(())
    }

    /// START, again or for the first time, and the address after it.
    fn start_twi(&mut self, task: u32, now: u64) {
        self.reads = task == STARTRX;
        let (buffer, event) = if self.reads {
            (&mut self.rx, RXSTARTED)
        } else {
            (&mut self.tx, TXSTARTED)
        };
        buffer.start();
        self.frame.raise(event);
        self.doing = Doing::Address(self.reads, self.after(9, now));
    }

    fn stop(&mut self, now: u64) {
        (self.stops, self.suspended, self.next) = (false, false, None);
        self.doing = Doing::Stopping(self.after(1, now));
    }

    /// Starts what follows a byte.
    fn next_byte(&mut self, now: u64) {
        self.doing = Doing::Nothing;
        if self.stops {
            return self.stop(now);
        }
        if self.suspended {
            if !self.is_spi() {
                self.frame.raise(SUSPENDED);
            }
            return;
        }
        if self.is_spi() {
            if self.tx.left() > 0 {
                self.doing = Doing::Fetching;
            } else if self.rx.left() > 0 {
                self.doing = Doing::Byte(self.regs[ORC] as u8, self.after(8, now));
            } else {
                for event in [ENDTX, ENDRX, END] {
                    self.frame.raise(event);
                }
                if self.frame.shorts & END_START != 0 {
                    // START is one of its tasks.
                    let _ = self.task(START, now);
                }
            }
        } else if self.reads && self.rx.left() > 0 {
            self.doing = Doing::Byte(0, self.after(9, now));
            if self.rx.left() == 1 {
                self.last(LASTRX, LASTRX_TO, now);
            }
        } else if !self.reads && self.tx.left() > 0 {
            self.doing = Doing::Fetching;
        } else if let Some(task) = self.next.take() {
            self.start_twi(task, now);
        }
    }

    /// A last byte begins, and what its shortcuts start.
    fn last(&mut self, event: u32, shortcuts: [(u32, u32); 3], now: u64) {
        self.frame.raise(event);
        for (bit, task) in shortcuts {
            if self.frame.shorts >> bit & 1 != 0 {
                // These are all known tasks.
                let _ = self.task(task, now);
            }
        }
    }

    /// When what is on the wire is through.
    fn end(&self) -> Option<u64> {
        match self.doing {
            Doing::Byte(_, end) | Doing::Address(_, end) | Doing::Held(_, end) | Doing::Stopping(end) => {
                Some(end)
            }
            Doing::Nothing | Doing::Fetching | Doing::Storing(_) => None,
        }
    }

    /// A byte was on the wire.
    fn through(&mut self, byte: u8, now: u64) {
        if self.is_spi() {
            self.sides.answers.log(byte.into(), 8);
            let answer = self.sides.answers.exchange(byte.into(), 8, now) as u8;
            if self.rx.left() > 0 {
                self.doing = Doing::Storing(answer);
            } else {
                self.next_byte(now);
            }
            return;
        }
        let answered = if self.reads {
            self.sides.targets.read(now)
        } else {
            self.sides.targets.write(byte, now)
        };
        self.hold(answered);
    }

    /// Waits for the byte's answer, known when the target releases SCL.
    fn hold(&mut self, (answer, until): (Answer, u64)) {
        self.doing = Doing::Held(answer, until);
    }

    fn answer(&mut self, answer: Answer, now: u64) {
        let error = match answer {
            Answer::Read(byte) => {
                self.doing = Doing::Storing(byte);
                return;
            }
            Answer::Addressed(true) | Answer::Written(true) => return self.next_byte(now),
            Answer::Addressed(false) => ANACK,
            Answer::Written(false) => DNACK,
        };
        if self.reads {
            self.rx.end();
        } else {
            self.tx.end();
        }
        (self.doing, self.next) = (Doing::Nothing, None);
        self.regs[ERRORSRC] |= error;
        self.frame.raise(ERROR);
        if self.stops {
            self.stop(now);
        }
    }

    fn enable(write: Write) -> Result<(), DeviceError> {
        if let 0 | TWIM | SPIM = write.value {
            return Ok(());
        }
        let value = write.value;
        not_modelled(format!(
            "ENABLE, a write of {value}: a slave, or a block without DMA"
        ))
    }
}

impl Peripheral for Serial {
    fn advance(&mut self, now: u64) {
        while let Some(end) = self.end().filter(|&end| end <= now) {
            match self.doing {
                Doing::Address(reads, _) => {
                    let answered = self
                        .sides
                        .targets
                        .address(self.regs[ADDRESS] as u8 & 0x7f, reads, end);
                    self.hold(answered);
                }
                Doing::Byte(byte, _) => self.through(byte, end),
                Doing::Held(answer, _) => self.answer(answer, end),
                _ => {
                    self.doing = Doing::Nothing;
                    self.frame.raise(STOPPED);
                    if let Some(task) = self.next.take() {
                        self.start_twi(task, end);
                    }
                }
            }
        }
    }

    fn due(&self) -> u64 {
        self.end().unwrap_or(u64::MAX)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.frame.lines(line);
    }

    fn ports(&self) -> &'static [&'static str] {
        EASY_DMA
    }

    fn wants(&mut self, _now: u64) -> Option<Request> {
        let size = 1;
        match self.doing {
            Doing::Fetching => self.tx.next().map(|address| Request::Read { address, size }),
            Doing::Storing(byte) => self.rx.next().map(|address| Request::Write {
                address,
                size,
                value: byte.into(),
            }),
            _ => None,
        }
    }

    fn got(&mut self, value: Option<u32>, now: u64) {
        match self.doing {
            Doing::Fetching => {
                self.tx.done();
                let bits = if self.is_spi() { 8 } else { 9 };
                let end = self.after(bits, now);
                self.doing = Doing::Byte(value.unwrap_or(0) as u8, end);
                if !self.is_spi() && self.tx.left() == 0 {
                    self.last(LASTTX, LASTTX_TO, now);
                }
            }
            Doing::Storing(_) => {
                self.rx.done();
                self.next_byte(now);
            }
            _ => {}
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        self.frame.take_effect()
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    fn is_for_people(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    /// A bit a microsecond.
    fn serial(enable: u32) -> Serial {
        let targets = Targets::memory();
        let mut serial = Serial::new(Frame::new(0x4000_3000, Some(Irq::External(3))), targets);
        serial.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        for (offset, value) in [
            (ENABLE, enable),
            (FREQUENCY, 0x1000_0000),
            (TXD, 0x2000_0000),
            (RXD, 0x2000_0100),
            (ADDRESS, 0x50),
        ] {
            serial.write(offset, 4, value, 0).unwrap();
        }
        serial
    }

    /// Answers reads with ascending bytes until nothing happens any more; what was written, and when that was.
    fn go(serial: &mut Serial) -> (Vec<u8>, u64) {
        let (mut written, mut now, mut next) = (Vec::new(), 0, 0);
        loop {
            while let Some(request) = serial.request(now) {
                match request {
                    Request::Write { value, .. } => written.push(value as u8),
                    Request::Read { .. } => next += 1,
                }
                serial.answered(Some(next), now);
            }
            if serial.next_event() == u64::MAX {
                return (written, now);
            }
            now = serial.next_event();
            serial.poll(now, &mut |_, _| {});
        }
    }

    #[test]
    fn a_spim_exchanges_as_many_bytes_as_the_longer_buffer_has() {
        let mut spi = serial(SPIM);
        spi.stimulate(&Incoming::Bytes(vec![9, 8, 7]), 0).unwrap();
        for (offset, value) in [(TXD + 4, 2), (RXD + 4, 3), (ORC, 0xee), (0x10, 1)] {
            spi.write(offset, 4, value, 0).unwrap();
        }
        let (written, end) = go(&mut spi);
        assert_eq!((written, end), (vec![9, 8, 7], 3 * 8 * 64));
        let mut sent = Vec::new();
        spi.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
        assert_eq!(sent, [1, 2, 0xee]);
        let all = [0x110, 0x118, 0x120].map(|event| spi.read(event, 4, end).unwrap());
        assert_eq!((all, spi.read(RXD + 8, 4, end)), ([1; 3], Ok(3)));
    }

    #[test]
    fn a_twim_writes_and_reads_by_its_shortcuts() {
        let mut twi = serial(TWIM);
        // The pointer and a byte; then STOP.
        for (offset, value) in [(TXD + 4, 2), (0x200, 1 << 9), (8, 1)] {
            twi.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!(go(&mut twi), (vec![], (3 * 9 + 1) * 64));
        assert_eq!(
            (twi.read(0x104, 4, 2000), twi.read(0x160, 4, 2000)),
            (Ok(1), Ok(1))
        );
        // The byte is at 1, where the pointer was set to.
        for (offset, value) in [(TXD + 4, 1), (RXD + 4, 1), (0x200, 1 << 7 | 1 << 12), (8, 1)] {
            twi.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!(go(&mut twi).0, [2]);
    }

    #[test]
    fn nobody_at_the_address_is_an_error_and_slaves_are_named() {
        let mut twi = serial(TWIM);
        twi.write(ADDRESS, 4, 0x20, 0).unwrap();
        twi.write(0, 4, 1, 0).unwrap();
        go(&mut twi);
        assert_eq!(
            (twi.read(ERRORSRC, 4, 999), twi.read(0x124, 4, 999)),
            (Ok(ANACK), Ok(1))
        );
        twi.write(0x14, 4, 1, 999).unwrap();
        go(&mut twi);
        assert_eq!(twi.read(0x104, 4, 9999), Ok(1));
        assert!(twi.write(ENABLE, 4, 2, 9999).is_err());
    }
}
