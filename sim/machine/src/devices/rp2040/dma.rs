//! DMA (RP2040 datasheet 2.5): twelve channels with their aliases, paced by requests, chained, with rings and both interrupts.
//!
//! It reads and writes one item in each cycle (2.5: "one read access and one write access, up to 32 bits in size, every clock cycle"), from the
//! cycle after its trigger or request on. Who accesses the same memory in the same cycle does not wait for it (mark D). Pacing timers, and sums
//! of what passes (SNIFF), are not modelled.

use bus::{Device, DeviceError, Effect, Irq, Request};

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers};
use crate::devices::requests::Requests;
use crate::devices::{Around, not_modelled};

about! { Dma, D,
    "RP2040 datasheet 2.5",
    "twelve channels with their aliases, an item in each cycle, for which the core waits in the same memory; requests, chains, rings, both interrupts",
    "pacing timers and sums"
}

registers! { Dma;
    CH_READ_ADDR            = 0x000 .times(12, 0x40).shows(shown::<READ>).then(set::<READ>);
    CH_WRITE_ADDR           = 0x004 .times(12, 0x40).shows(shown::<WRITE>).then(set::<WRITE>);
    CH_TRANS_COUNT          = 0x008 .times(12, 0x40).shows(shown::<COUNT>).then(set::<COUNT>);
    CH_CTRL_TRIG            = 0x00c .times(12, 0x40).shows(shown::<CONTROL>).tries(triggers::<CONTROL>);
    CH_AL1_CTRL             = 0x010 .times(12, 0x40).shows(shown::<CONTROL>).then(set::<CONTROL>);
    CH_AL1_READ_ADDR        = 0x014 .times(12, 0x40).shows(shown::<READ>).then(set::<READ>);
    CH_AL1_WRITE_ADDR       = 0x018 .times(12, 0x40).shows(shown::<WRITE>).then(set::<WRITE>);
    CH_AL1_TRANS_COUNT_TRIG = 0x01c .times(12, 0x40).shows(shown::<COUNT>).tries(triggers::<COUNT>);
    CH_AL2_CTRL             = 0x020 .times(12, 0x40).shows(shown::<CONTROL>).then(set::<CONTROL>);
    CH_AL2_TRANS_COUNT      = 0x024 .times(12, 0x40).shows(shown::<COUNT>).then(set::<COUNT>);
    CH_AL2_READ_ADDR        = 0x028 .times(12, 0x40).shows(shown::<READ>).then(set::<READ>);
    CH_AL2_WRITE_ADDR_TRIG  = 0x02c .times(12, 0x40).shows(shown::<WRITE>).tries(triggers::<WRITE>);
    CH_AL3_CTRL             = 0x030 .times(12, 0x40).shows(shown::<CONTROL>).then(set::<CONTROL>);
    CH_AL3_WRITE_ADDR       = 0x034 .times(12, 0x40).shows(shown::<WRITE>).then(set::<WRITE>);
    CH_AL3_TRANS_COUNT      = 0x038 .times(12, 0x40).shows(shown::<COUNT>).then(set::<COUNT>);
    CH_AL3_READ_ADDR_TRIG   = 0x03c .times(12, 0x40).shows(shown::<READ>).tries(triggers::<READ>);
    INTR                    = 0x400 .times(2, 0x10).shows(|dma, _| dma.raised).then(|dma, write| dma.raised &= !write.value);
    INTE                    = 0x404 .times(2, 0x10).write(0xfff);
    INTF                    = 0x408 .times(2, 0x10).write(0xfff);
    // Writing ones there clears as well (2.5.7).
    INTS                    = 0x40c .times(2, 0x10).shows(|dma, at| dma.status(at.n)).then(|dma, write| dma.raised &= !write.value);
    TIMER                   = 0x420 .times(4, 4);
    MULTI_CHAN_TRIGGER      = 0x430 .tries(|dma, write| dma.trigger_all(write.value, write.now));
    SNIFF_CTRL              = 0x434 .refuse(1, ": sums of what passes").drops();
    SNIFF_DATA              = 0x438 .drops();
    FIFO_LEVELS             = 0x440;
    CHAN_ABORT              = 0x444 .then(|dma, write| dma.abort(write.value));
    N_CHANNELS              = 0x448 .reset(CHANNELS as u32);
}

const CHANNELS: usize = 12;
/// From one line's registers to the other's.
const LINE: u32 = 0x10;

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

/// The request sources by `CTRL.TREQ_SEL` (table 120), from the first that is modelled on: those of PIO are not.
const REQUESTS: [&str; 21] = [
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
];
/// The number of the first of them.
const FIRST_REQUEST: u32 = 16;

/// The registers of a channel, each of which is at several offsets.
const READ: u8 = 0;
const WRITE: u8 = 1;
const COUNT: u8 = 2;
const CONTROL: u8 = 3;

fn shown<const WHICH: u8>(dma: &Dma, at: At) -> u32 {
    let channel = &dma.channels[at.n];
    match WHICH {
        READ => channel.read,
        WRITE => channel.write,
        COUNT => channel.left,
        _ => channel.control | if channel.left > 0 { BUSY } else { 0 },
    }
}

/// A write that triggers nothing.
fn set<const WHICH: u8>(dma: &mut Dma, write: Write) {
    dma.set_channel(write.n, WHICH, write.value);
    dma.wake(write.now);
}

/// A write that triggers the channel, unless it is of 0: a null trigger starts nothing (2.5.2.3).
fn triggers<const WHICH: u8>(dma: &mut Dma, write: Write) -> Result<(), DeviceError> {
    dma.set_channel(write.n, WHICH, write.value);
    if write.value != 0 {
        return dma.trigger(write.n, write.now);
    }
    if dma.channels[write.n].control & QUIET != 0 {
        dma.raised |= 1 << write.n;
    } else {
        dma.wake(write.now);
    }
    Ok(())
}

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

    /// The address after this one, which the ring keeps within its bytes.
    fn after(&self, address: u32, increments: u32, ring_of_writes: bool) -> u32 {
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
    regs: Regs<Self>,
    /// The first line; the second one follows.
    irq: Option<Irq>,
    channels: [Channel; CHANNELS],
    /// The lines of [`REQUESTS`].
    lines: Vec<u16>,
    requests: Requests,
    raised: u32,
    /// The channel whose item is under way, and what it read.
    busy: Option<(usize, Option<u32>)>,
    /// The channel after the one that was served last.
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
            regs: Regs::default(),
            irq,
            channels,
            lines,
            requests: Requests::default(),
            raised: 0,
            busy: None,
            turn: 0,
            free: 0,
        }
    }

    fn line(&self, channel: &Channel) -> u16 {
        let place = channel.request().checked_sub(FIRST_REQUEST);
        let line = place.and_then(|place| self.lines.get(place as usize));
        line.copied().unwrap_or(0)
    }

    fn is_ready(&self, index: usize) -> bool {
        let channel = &self.channels[index];
        let requested = || channel.request() == PERMANENT || self.requests.wants(self.line(channel));
        channel.left > 0 && channel.control & EN != 0 && requested()
    }

    /// The next channel, round robin, high priority first (2.5.6).
    fn next(&self) -> Option<usize> {
        let order = (0..CHANNELS).map(|step| (self.turn + step) % CHANNELS);
        let wanting = order.filter(|&index| self.is_ready(index));
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

    fn trigger_all(&mut self, channels: u32, now: u64) -> Result<(), DeviceError> {
        let mut chosen = (0..CHANNELS).filter(|index| channels >> index & 1 != 0);
        chosen.try_for_each(|index| self.trigger(index, now))
    }

    fn set_channel(&mut self, index: usize, which: u8, value: u32) {
        let channel = &mut self.channels[index];
        match which {
            READ => channel.read = value,
            WRITE => channel.write = value,
            COUNT => channel.count = value,
            _ => {
                let errors = channel.control & (READ_ERROR | WRITE_ERROR) & !value;
                let any = if errors == 0 { 0 } else { ANY_ERROR };
                channel.control = value & WRITTEN | errors | any;
            }
        }
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
        let line = LINE * line as u32;
        self.raised & self.regs[INTE + line] | self.regs[INTF + line]
    }

    fn failed(&mut self, index: usize, error: u32) {
        let channel = &mut self.channels[index];
        channel.control |= error | ANY_ERROR;
        channel.left = 0;
        self.busy = None;
    }
}

impl Peripheral for Dma {
    fn due(&self) -> u64 {
        if self.busy.is_some() || self.next().is_some() {
            self.free
        } else {
            u64::MAX
        }
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(first) = self.irq {
            line(first, self.status(0) != 0);
            line(first.plus(1), self.status(1) != 0);
        }
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        let idle = self.next().is_none();
        if self.requests.hear(effect) && idle && self.next().is_some() {
            self.wake(now);
        }
        Ok(())
    }

    fn ports(&self) -> &'static [&'static str] {
        &[""]
    }

    fn wants(&mut self, now: u64) -> Option<Request> {
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

    fn got(&mut self, value: Option<u32>, now: u64) {
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
        channel.read = channel.after(channel.read, INCR_READ, false);
        channel.write = channel.after(channel.write, INCR_WRITE, true);
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
        Dma::new(Some(Irq::External(11)), (FIRST_REQUEST as u16..40).collect())
    }

    /// Writes a channel's four, the last of which triggers it.
    fn start(dma: &mut Dma, index: u32, [read, write, count, control]: [u32; 4]) {
        for (place, value) in [read, write, count, control].into_iter().enumerate() {
            dma.write(index * 0x40 + 4 * place as u32, 4, value, 0).unwrap();
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
        dma.write(INTE + LINE, 4, 1, 0).unwrap();
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
        assert_eq!(dma.read(2 * 0x40 + 0xc, 4, 61).unwrap() >> 29, 0b110);
        assert!(dma.write(0xc, 4, EN | 20 << 15, 70).is_ok(), "nothing to do");
        dma.write(8, 4, 1, 70).unwrap();
        assert!(dma.write(0xc, 4, EN | 0x3b << 15, 70).is_err(), "a timer");
    }
}
