//! DMA (2.5): twelve channels with their aliases, paced by requests, chained, with rings and both interrupts.
//!
//! It reads and writes one item in each cycle (2.5: "one read access and one write access, up to 32 bits in size, every clock cycle"), beginning
//! in the cycle behind its trigger or request; who accesses the same memory in the same cycle does not wait for it (mark D). Pacing timers, and sums
//! of what passes (SNIFF), are not modelled.

use bus::{Device, DeviceError, Effect, Irq, Request};

use crate::devices::requests::Requests;
use crate::devices::{Around, not_modelled};

const CHANNELS: usize = 12;
const BETWEEN: u32 = 0x40;
const INTR: u32 = 0x400;
const INTE0: u32 = 0x404;
const INTF0: u32 = 0x408;
const INTS0: u32 = 0x40c;
/// The other line's registers are so much above.
const LINE: u32 = 0x10;
const TIMERS: std::ops::Range<u32> = 0x420..0x430;
const MULTI_TRIGGER: u32 = 0x430;
const SNIFF_CTRL: u32 = 0x434;
const SNIFF_DATA: u32 = 0x438;
const FIFO_LEVELS: u32 = 0x440;
const ABORT: u32 = 0x444;
const N_CHANNELS: u32 = 0x448;

/// CTRL: on, increments, which end has the ring, quiet, swapped bytes, and what the channel shows.
const EN: u32 = 1 << 0;
const HIGH_PRIORITY: u32 = 1 << 1;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;
const RING_SEL: u32 = 1 << 10;
const QUIET: u32 = 1 << 21;
const BSWAP: u32 = 1 << 22;
const BUSY: u32 = 1 << 24;
const WRITE_ERROR: u32 = 1 << 29;
const READ_ERROR: u32 = 1 << 30;
const ANY_ERROR: u32 = 1 << 31;
const WRITTEN: u32 = 0x00ff_ffff;
/// `CTRL.TREQ_SEL`: the pacing timers; no request is needed.
const PACED: std::ops::Range<u32> = 0x3b..0x3f;
const PERMANENT: u32 = 0x3f;

/// The request sources by `CTRL.TREQ_SEL` (table 120); `""` for those that are not modelled.
const REQUESTS: [&str; 40] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "SPI0_TX",
    "SPI0_RX",
    "SPI1_TX",
    "SPI1_RX",
    "UART0_TX",
    "UART0_RX",
    "UART1_TX",
    "UART1_RX",
    "PWM_WRAP0",
    "PWM_WRAP1",
    "PWM_WRAP2",
    "PWM_WRAP3",
    "PWM_WRAP4",
    "PWM_WRAP5",
    "PWM_WRAP6",
    "PWM_WRAP7",
    "I2C0_TX",
    "I2C0_RX",
    "I2C1_TX",
    "I2C1_RX",
    "ADC_FIFO",
    "",
    "",
    "",
];

/// The registers of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Read,
    Write,
    Count,
    Control,
}

/// The order of the four in each alias; writing the last one triggers.
const ALIASES: [[Field; 4]; 4] = [
    [Field::Read, Field::Write, Field::Count, Field::Control],
    [Field::Control, Field::Read, Field::Write, Field::Count],
    [Field::Control, Field::Count, Field::Read, Field::Write],
    [Field::Control, Field::Write, Field::Count, Field::Read],
];

/// One channel.
#[derive(Clone, Copy, Default, Debug)]
struct Channel {
    read: u32,
    write: u32,
    /// The transfer count that a trigger loads.
    count: u32,
    left: u32,
    control: u32,
}

impl Channel {
    fn request(&self) -> u32 {
        self.control >> 15 & 0x3f
    }

    fn size(&self) -> u32 {
        1 << (self.control >> 2 & 3).min(2)
    }

    /// The address behind this one, which the ring keeps within its bytes.
    fn behind(&self, address: u32, increments: u32, ring_of_writes: bool) -> u32 {
        if self.control & increments == 0 {
            return address;
        }
        let next = address.wrapping_add(self.size());
        let bits = self.control >> 6 & 15;
        if bits == 0 || (self.control & RING_SEL != 0) != ring_of_writes {
            return next;
        }
        let mask = u32::MAX << bits;
        address & mask | next & !mask
    }

    fn swapped(&self, value: u32) -> u32 {
        match (self.control & BSWAP != 0, self.size()) {
            (true, 2) => u32::from((value as u16).swap_bytes()),
            (true, 4) => value.swap_bytes(),
            _ => value,
        }
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Dma {
    /// The first line; the second one follows.
    irq: Option<Irq>,
    channels: [Channel; CHANNELS],
    lines: Vec<u16>,
    requests: Requests,
    raised: u32,
    enabled: [u32; 2],
    forced: [u32; 2],
    /// The channel whose item is under way, and what it read.
    busy: Option<(usize, Option<u32>)>,
    /// The channel that comes behind the one that was served last.
    turn: usize,
    /// The first cycle that has no item yet.
    free: u64,
}

impl Dma {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let lines = REQUESTS.iter().map(|name| around.wires.number(name));
        Box::new(Dma::new(around.irq, lines.collect()))
    }

    fn new(irq: Option<Irq>, lines: Vec<u16>) -> Dma {
        let mut channels = [Channel::default(); CHANNELS];
        for (index, channel) in channels.iter_mut().enumerate() {
            // Chained to itself: to nobody.
            channel.control = (index as u32) << 11;
        }
        Dma {
            irq,
            channels,
            lines,
            requests: Requests::default(),
            raised: 0,
            enabled: [0; 2],
            forced: [0; 2],
            busy: None,
            turn: 0,
            free: 0,
        }
    }

    fn line(&self, channel: &Channel) -> u16 {
        self.lines.get(channel.request() as usize).copied().unwrap_or(0)
    }

    fn wants(&self, index: usize) -> bool {
        let channel = &self.channels[index];
        let requested = || channel.request() == PERMANENT || self.requests.wants(self.line(channel));
        channel.left > 0 && channel.control & EN != 0 && requested()
    }

    /// The next channel, round robin, high priority first (2.5.6).
    fn next(&self) -> Option<usize> {
        let order = (0..CHANNELS).map(|step| (self.turn + step) % CHANNELS);
        let wanting = order.filter(|&index| self.wants(index));
        let high = |&index: &usize| self.channels[index].control & HIGH_PRIORITY != 0;
        wanting.clone().find(high).or_else(|| wanting.clone().next())
    }

    /// Something may have begun that begins in a later cycle than this.
    fn wake(&mut self, now: u64) {
        self.free = self.free.max(now + 1);
    }

    fn trigger(&mut self, index: usize, now: u64) -> Result<(), DeviceError> {
        let channel = &self.channels[index];
        if channel.control & EN == 0 || channel.left > 0 {
            return Ok(());
        }
        if PACED.contains(&channel.request()) {
            return not_modelled(format!("CH{index}_CTRL: a pacing timer"));
        }
        if channel.request() != PERMANENT && self.line(channel) == 0 {
            return not_modelled(format!("CH{index}_CTRL.TREQ_SEL: request {}", channel.request()));
        }
        let line = self.line(channel);
        self.requests.forget(line);
        self.channels[index].left = self.channels[index].count;
        self.wake(now);
        if self.channels[index].count == 0 {
            self.finished(index, now)?;
        }
        Ok(())
    }

    fn finished(&mut self, index: usize, now: u64) -> Result<(), DeviceError> {
        let control = self.channels[index].control;
        if control & QUIET == 0 {
            self.raised |= 1 << index;
        }
        let chained = (control >> 11 & 15) as usize;
        if chained != index && chained < CHANNELS {
            return self.trigger(chained, now);
        }
        Ok(())
    }

    fn place(offset: u32) -> Option<(usize, Field, bool)> {
        let index = (offset / BETWEEN) as usize;
        let alias = (offset % BETWEEN / 16) as usize;
        let place = (offset % 16 / 4) as usize;
        (index < CHANNELS).then_some((index, ALIASES[alias][place], place == 3))
    }

    fn read_channel(&self, index: usize, field: Field) -> u32 {
        let channel = &self.channels[index];
        match field {
            Field::Read => channel.read,
            Field::Write => channel.write,
            Field::Count => channel.left,
            Field::Control => channel.control | if channel.left > 0 { BUSY } else { 0 },
        }
    }

    fn write_channel(&mut self, offset: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let Some((index, field, triggers)) = Dma::place(offset) else {
            return not_modelled(format!("a write of {value:#x} to offset {offset:#x}"));
        };
        let channel = &mut self.channels[index];
        match field {
            Field::Read => channel.read = value,
            Field::Write => channel.write = value,
            Field::Count => channel.count = value,
            Field::Control => {
                let errors = channel.control & (READ_ERROR | WRITE_ERROR) & !value;
                let any = if errors == 0 { 0 } else { ANY_ERROR };
                channel.control = value & WRITTEN | errors | any;
            }
        }
        let quiet = self.channels[index].control & QUIET != 0;
        match (triggers, value) {
            // A null trigger starts nothing (2.5.2.3).
            (true, 0) if quiet => self.raised |= 1 << index,
            (true, 0) | (false, _) => self.wake(now),
            (true, _) => return self.trigger(index, now),
        }
        Ok(())
    }

    fn abort(&mut self, channels: u32) {
        for (index, channel) in self.channels.iter_mut().enumerate() {
            if channels >> index & 1 != 0 {
                channel.left = 0;
            }
        }
        self.busy = self.busy.filter(|&(index, _)| channels >> index & 1 == 0);
    }

    fn status(&self, line: usize) -> u32 {
        self.raised & self.enabled[line] | self.forced[line]
    }

    fn failed(&mut self, index: usize, error: u32) {
        let channel = &mut self.channels[index];
        channel.control |= error | ANY_ERROR;
        channel.left = 0;
        self.busy = None;
    }
}

impl Device for Dma {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        if let Some((index, field, _)) = Dma::place(register) {
            return Ok(self.read_channel(index, field));
        }
        let line = usize::from(register >= INTR + LINE);
        match register - if line == 1 { LINE } else { 0 } {
            _ if TIMERS.contains(&register) => Ok(0),
            INTR => Ok(self.raised),
            INTE0 if register <= INTE0 + LINE => Ok(self.enabled[line]),
            INTF0 if register <= INTF0 + LINE => Ok(self.forced[line]),
            INTS0 if register <= INTS0 + LINE => Ok(self.status(line)),
            _ => match register {
                MULTI_TRIGGER | SNIFF_CTRL | SNIFF_DATA | FIFO_LEVELS | ABORT => Ok(0),
                N_CHANNELS => Ok(CHANNELS as u32),
                _ => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let register = offset & !3;
        match register {
            0..INTR => return self.write_channel(register, value, now),
            INTR | 0x410 => self.raised &= !value,
            INTE0 | 0x414 => self.enabled[usize::from(register > INTE0)] = value & 0xfff,
            INTF0 | 0x418 => self.forced[usize::from(register > INTF0)] = value & 0xfff,
            // Writing ones there clears as well (2.5.7).
            INTS0 | 0x41c => self.raised &= !value,
            MULTI_TRIGGER => {
                for index in (0..CHANNELS).filter(|index| value >> index & 1 != 0) {
                    self.trigger(index, now)?;
                }
            }
            ABORT => self.abort(value),
            SNIFF_CTRL if value & 1 == 0 => {}
            SNIFF_DATA => {}
            _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.busy.is_some() || self.next().is_some() {
            self.free
        } else {
            u64::MAX
        }
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(first) = self.irq {
            line(first, self.status(0) != 0);
            line(first.plus(1), self.status(1) != 0);
        }
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        let idle = self.next().is_none();
        if self.requests.hear(effect) && idle && self.next().is_some() {
            self.wake(now);
        }
        Ok(())
    }

    fn master_ports(&self) -> &'static [&'static str] {
        &[""]
    }

    fn request(&mut self, now: u64) -> Option<Request> {
        if self.busy.is_none() {
            if now < self.free {
                return None;
            }
            self.busy = Some((self.next()?, None));
        }
        let (index, read) = self.busy?;
        let channel = &self.channels[index];
        let size = channel.size();
        Some(match read {
            None => Request::Read {
                address: channel.read & !(size - 1),
                size,
            },
            Some(value) => Request::Write {
                address: channel.write & !(size - 1),
                size,
                value: channel.swapped(value),
            },
        })
    }

    fn answered(&mut self, value: Option<u32>, now: u64) {
        let Some((index, read)) = self.busy else {
            return;
        };
        let Some(value) = value else {
            return self.failed(index, if read.is_none() { READ_ERROR } else { WRITE_ERROR });
        };
        if read.is_none() {
            self.busy = Some((index, Some(value)));
            return;
        }
        self.busy = None;
        self.turn = (index + 1) % CHANNELS;
        self.free += 1;
        let channel = &mut self.channels[index];
        channel.read = channel.behind(channel.read, INCR_READ, false);
        channel.write = channel.behind(channel.write, INCR_WRITE, true);
        channel.left = channel.left.saturating_sub(1);
        let line = self.line(&self.channels[index]);
        self.requests.served(line);
        if self.channels[index].left == 0 {
            // The channels that a chain triggers were written, and looked at, before.
            let _ = self.finished(index, now.min(self.free));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALWAYS: u32 = PERMANENT << 15;

    fn dma() -> Dma {
        Dma::new(Some(Irq::External(11)), (0..40).collect())
    }

    /// Writes a channel's four, the last of which triggers it.
    fn start(dma: &mut Dma, index: u32, [read, write, count, control]: [u32; 4]) {
        for (place, value) in [read, write, count, control].into_iter().enumerate() {
            dma.write(index * BETWEEN + 4 * place as u32, 4, value, 0)
                .unwrap();
        }
    }

    /// Answers every request up to a cycle with its own address; what was written where.
    fn serve(dma: &mut Dma, now: u64) -> Vec<(u32, u32)> {
        let mut written = Vec::new();
        while let Some(request) = dma.request(now) {
            let answer = match request {
                Request::Read { address, .. } => address,
                Request::Write { address, value, .. } => {
                    written.push((address, value));
                    0
                }
            };
            dma.answered(Some(answer), now);
        }
        written
    }

    #[test]
    fn an_item_takes_a_cycle_and_the_last_one_interrupts() {
        let mut dma = dma();
        dma.write(INTE0 + LINE, 4, 1, 0).unwrap();
        start(
            &mut dma,
            0,
            [0x100, 0x200, 3, EN | 2 << 2 | INCR_READ | INCR_WRITE | ALWAYS],
        );
        assert_eq!((dma.next_event(), serve(&mut dma, 0)), (1, vec![]));
        assert_eq!(serve(&mut dma, 1), [(0x200, 0x100)]);
        assert_eq!(serve(&mut dma, 3), [(0x204, 0x104), (0x208, 0x108)]);
        assert_eq!((dma.next_event(), dma.read(0x41c, 4, 3)), (u64::MAX, Ok(1)));
        let mut high = Vec::new();
        dma.poll(3, &mut |irq, level| {
            high.extend(level.then(|| irq.as_external().unwrap()));
        });
        assert_eq!(high, [12]);
        dma.write(0x41c, 4, 1, 4).unwrap();
        assert_eq!(dma.read(INTR, 4, 4), Ok(0));
    }

    #[test]
    fn a_chain_triggers_another_and_rings_go_round() {
        let mut dma = dma();
        // Channel 1 waits for its trigger: the alias whose last one is the address to read from.
        for (offset, value) in [(0x70, EN | 1 << 11 | ALWAYS), (0x74, 0x300), (0x78, 1)] {
            dma.write(offset, 4, value, 0).unwrap();
        }
        let ring = EN | INCR_WRITE | 1 << 6 | RING_SEL | 1 << 11 | ALWAYS | QUIET;
        start(&mut dma, 0, [0x10, 0x20, 3, ring]);
        let written = serve(&mut dma, 100);
        assert_eq!(written, [(0x20, 0x10), (0x21, 0x10), (0x20, 0x10), (0x300, 0)]);
        assert_eq!(dma.read(INTR, 4, 100), Ok(2), "the first is quiet");
    }

    #[test]
    fn a_request_paces_and_errors_stop() {
        let mut dma = dma();
        start(&mut dma, 2, [0x10, 0x20, 2, EN | 2 << 11 | 20 << 15]);
        assert_eq!(serve(&mut dma, 10), []);
        let line = |level| Effect::Wire { number: 20, level };
        dma.hear(line(true), 50).unwrap();
        assert_eq!((dma.next_event(), serve(&mut dma, 51).len()), (51, 1));
        dma.hear(line(false), 51).unwrap();
        assert_eq!(serve(&mut dma, 60), []);
        dma.hear(line(true), 60).unwrap();
        dma.request(61).unwrap();
        dma.answered(None, 61);
        assert_eq!(dma.read(2 * BETWEEN + 0xc, 4, 61).unwrap() >> 29, 0b110);
        assert!(dma.write(0xc, 4, EN | 5 << 15, 70).is_ok(), "nothing to do");
        dma.write(8, 4, 1, 70).unwrap();
        assert!(dma.write(0xc, 4, EN | 0x3b << 15, 70).is_err(), "a timer");
    }
}
