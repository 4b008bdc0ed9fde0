//! Eight streams, each with eight request lines to choose from and a FIFO.

use bus::{Device, DeviceError, Effect, Irq, Request};
use serde::Deserialize;

use super::channel::{End, PORTS, Plan, Step, Transfer};
use super::{Items, first};
use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings};
use crate::image::Architecture;

about! { Streams by StreamsSettings, D,
    "RM0090 10; AN2548 4.1",
    "as `stm32-dma`, with two buffers and FIFO packing",
    "bridges, arbitration turns, bursts in time, flow control by the peripheral"
}

registers! { Streams;
    LISR  = 0x00 .shows(|dma, _| dma.flags(0)).drops();
    HISR  = 0x04 .shows(|dma, _| dma.flags(4)).drops();
    LIFCR = 0x08 .then(|dma, write| dma.clear(0, write.value));
    HIFCR = 0x0c .then(|dma, write| dma.clear(4, write.value));
    CR    = 0x10 .times(8, 0x18).write(0x0fff_ffff & !PFCTRL).refuse(PFCTRL, ": the peripheral as flow controller").then(Streams::control);
    NDTR  = 0x14 .times(8, 0x18).write(0xffff).shows(|dma, at| dma.left(at.n));
    PAR   = 0x18 .times(8, 0x18).write(!0);
    M0AR  = 0x1c .times(8, 0x18).write(!0);
    M1AR  = 0x20 .times(8, 0x18).write(!0);
    FCR   = 0x24 .times(8, 0x18).reset(0x21).write(0x87);
}

/// From one stream's registers to the next one's.
const STEP: u32 = 0x18;
/// Bit positions of each of four streams in a flag register.
const FLAGS: [u32; 4] = [0, 6, 16, 22];

/// CR: enable, circular, increments, two buffers and which one.
const EN: u32 = 1 << 0;
const CIRC: u32 = 1 << 8;
const PINC: u32 = 1 << 9;
const MINC: u32 = 1 << 10;
const PINCOS: u32 = 1 << 15;
const DBM: u32 = 1 << 18;
const CT: u32 = 1 << 19;
const PFCTRL: u32 = 1 << 5;
/// Flags: error, half, complete. CR has their interrupts one bit below.
const FAILED: u32 = 1 << 3;
const HALF: u32 = 1 << 4;
const COMPLETE: u32 = 1 << 5;
/// FCR: direct mode is off.
const FIFO: u32 = 1 << 2;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamsSettings {
    /// The interrupt of each stream.
    irqs: [u16; 8],
    /// For each stream the eight lines that CR.CHSEL chooses from.
    requests: [[String; 8]; 8],
}

impl Settings for StreamsSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let streams = self.irqs.iter().zip(&self.requests);
        Ok(Box::new(Streams::new(streams.map(|(&irq, lines)| {
            Stream::new(irq, around.wires.numbers(lines))
        }))))
    }

    fn architecture(&self) -> Option<Architecture> {
        Some(Architecture::Arm)
    }
}

#[derive(Clone)]
struct Stream {
    irq: Irq,
    lines: Vec<u16>,
    flags: u32,
    transfer: Transfer,
}

impl Stream {
    fn new(irq: u16, lines: Vec<u16>) -> Stream {
        Stream {
            irq: Irq::External(irq),
            lines,
            flags: 0,
            transfer: Transfer::default(),
        }
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Streams {
    regs: Regs<Self>,
    all: Vec<Stream>,
    items: Items,
}

impl Streams {
    fn new(streams: impl Iterator<Item = Stream>) -> Streams {
        Streams {
            regs: Regs::default(),
            all: streams.collect(),
            items: Items::default(),
        }
    }

    /// A stream's register of this row.
    fn at(&self, row: u32, index: usize) -> u32 {
        self.regs[row + STEP * index as u32]
    }

    fn set(&mut self, row: u32, index: usize, value: u32) {
        self.regs[row + STEP * index as u32] = value;
    }

    fn is_on(&self, index: usize) -> bool {
        self.at(CR, index) & EN != 0
    }

    /// The line that CR.CHSEL chooses.
    fn line(&self, index: usize) -> u16 {
        self.all[index].lines[(self.at(CR, index) >> 25 & 7) as usize]
    }

    fn to_peripheral(&self, index: usize) -> bool {
        self.at(CR, index) >> 6 & 3 == 1
    }

    /// Items that a stream still transfers; as programmed, while it is off.
    fn left(&self, index: usize) -> u32 {
        if self.is_on(index) {
            self.all[index].transfer.left()
        } else {
            self.at(NDTR, index)
        }
    }

    fn plan(&self, index: usize) -> Plan {
        let control = self.at(CR, index);
        let psize: u32 = 1 << (control >> 11 & 3).min(2);
        // In direct mode both ends have the peripheral's size.
        let packs = self.at(FCR, index) & FIFO != 0;
        let msize = if packs {
            1 << (control >> 13 & 3).min(2)
        } else {
            psize
        };
        let far = if control & PINCOS == 0 { psize } else { 4 };
        let peripheral = End {
            address: self.at(PAR, index),
            size: psize,
            step: if control & PINC == 0 { 0 } else { far },
        };
        let memory = End {
            address: self.at(if control & CT == 0 { M0AR } else { M1AR }, index),
            size: msize,
            step: if control & MINC == 0 { 0 } else { msize },
        };
        let to_peripheral = self.to_peripheral(index);
        let (from, to) = if to_peripheral {
            (memory, peripheral)
        } else {
            (peripheral, memory)
        };
        Plan {
            from,
            to,
            count: self.at(NDTR, index),
            packs,
            counts_to: to_peripheral,
            circular: control & CIRC != 0,
        }
    }

    /// A write of a stream's CR.
    fn control(&mut self, Write { n, value, old, .. }: Write) {
        if old & !value & EN != 0 {
            // A stream that is turned off tells that it is done (RM0090 10.3.14).
            self.set(NDTR, n, self.all[n].transfer.left());
            self.all[n].flags |= COMPLETE;
        }
        if value & !old & EN != 0 {
            self.all[n].transfer = Transfer::new(self.plan(n));
            if self.at(NDTR, n) == 0 {
                self.turn_off(n);
            }
        }
        if old & EN == 0 {
            let line = self.line(n);
            self.items.requests.forget(line);
        }
    }

    fn turn_off(&mut self, index: usize) {
        self.set(CR, index, self.at(CR, index) & !EN);
    }

    /// The last item is through.
    fn complete(&mut self, index: usize) {
        let control = self.at(CR, index);
        self.all[index].flags |= COMPLETE;
        if control & DBM != 0 {
            self.set(CR, index, control ^ CT);
            self.all[index].transfer = Transfer::new(self.plan(index));
        } else if control & CIRC == 0 {
            self.turn_off(index);
            self.set(NDTR, index, 0);
        }
    }

    fn next(&self) -> Option<usize> {
        let wanting = (0..self.all.len()).filter(|&index| self.is_on(index));
        first(wanting.filter_map(|index| {
            let control = self.at(CR, index);
            let copies_memory = control >> 6 & 3 == 2;
            let wants = copies_memory || self.items.requests.wants(self.line(index));
            wants.then_some((index, control >> 16 & 3))
        }))
    }

    /// The flags of four streams.
    fn flags(&self, first: usize) -> u32 {
        let four = self.all[first..first + 4].iter().zip(FLAGS);
        four.fold(0, |all, (stream, at)| all | stream.flags << at)
    }

    fn clear(&mut self, first: usize, value: u32) {
        for (stream, at) in self.all[first..first + 4].iter_mut().zip(FLAGS) {
            stream.flags &= !(value >> at & 0x3f);
        }
    }
}

impl Peripheral for Streams {
    /// A stream's plan is locked while it is on, but for the buffer that is not in use.
    fn ignores(&self, row: u32, n: usize) -> bool {
        let control = || self.at(CR, n);
        match row {
            M0AR => control() & (EN | CT) == EN,
            M1AR => control() & (EN | CT) == EN | CT,
            NDTR | PAR | FCR => self.is_on(n),
            _ => false,
        }
    }

    fn due(&self) -> u64 {
        self.items.due(|| self.next())
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for (index, stream) in self.all.iter().enumerate() {
            let enabled = self.at(CR, index) << 1 & (FAILED | HALF | COMPLETE);
            line(stream.irq, stream.flags & enabled != 0);
        }
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.items.requests.hear(effect);
        Ok(())
    }

    fn wants(&mut self, _now: u64) -> Option<Request> {
        let index = self.items.busy.or_else(|| self.next())?;
        self.items.busy = Some(index);
        Some(self.all[index].transfer.request())
    }

    fn ports(&self) -> &'static [&'static str] {
        PORTS
    }

    fn port_wanted(&self) -> usize {
        self.items.busy.map_or(0, |index| {
            (self.all[index].transfer.reads() != self.to_peripheral(index)).into()
        })
    }

    fn cycles_between(&self) -> Option<u32> {
        Some(self.items.pace())
    }

    fn got(&mut self, value: Option<u32>, _now: u64) {
        let Some(index) = self.items.busy else {
            return;
        };
        let total = self.at(NDTR, index);
        match self.all[index].transfer.answered(value) {
            Step::Goes => return,
            Step::Failed => {
                self.turn_off(index);
                self.all[index].flags |= FAILED;
            }
            Step::Item(left) => {
                if left == total / 2 {
                    self.all[index].flags |= HALF;
                }
                if left == 0 {
                    self.complete(index);
                }
            }
        }
        self.items.busy = None;
        let line = self.line(index);
        self.items.requests.served(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams() -> Streams {
        Streams::new((0..8).map(|index| Stream::new(index, (8 * index..8 * index + 8).collect())))
    }

    /// Stream 5, whose flags are in HISR.
    const CR5: u32 = CR + 5 * STEP;

    fn start(dma: &mut Streams, control: u32, count: u32) {
        for (offset, value) in [
            (4, count),
            (8, 0x4000),
            (12, 0x2000_0000),
            (16, 0x2000_1000),
            (0, control),
        ] {
            dma.write(CR5 + offset, 4, value, 0).unwrap();
        }
    }

    fn serve(dma: &mut Streams) -> Vec<Request> {
        let mut requests = Vec::new();
        while let Some(request) = dma.request(0) {
            requests.push(request);
            dma.answered(Some(7), 0);
        }
        requests
    }

    #[test]
    fn the_chosen_line_moves_an_item_and_the_last_one_ends_it() {
        let mut dma = streams();
        start(&mut dma, 3 << 25 | MINC | COMPLETE >> 1 | EN, 2);
        dma.hear(Effect::Pulse(5 * 8 + 2), 0).unwrap();
        assert_eq!(serve(&mut dma), []);
        for left in [1, 0] {
            dma.hear(Effect::Pulse(5 * 8 + 3), 0).unwrap();
            assert_eq!(serve(&mut dma).len(), 2);
            assert_eq!(dma.read(CR5 + 4, 4, 0), Ok(left));
        }
        assert_eq!(dma.read(CR5, 4, 0).unwrap() & EN, 0);
        assert_eq!(dma.read(0x04, 4, 0), Ok((HALF | COMPLETE) << 6));
        let mut high = Vec::new();
        dma.poll(0, &mut |irq, level| {
            high.extend(level.then(|| irq.as_external().unwrap()));
        });
        assert_eq!(high, [5]);
    }

    #[test]
    fn two_buffers_take_turns() {
        let mut dma = streams();
        start(&mut dma, MINC | DBM | CIRC | EN, 1);
        let written = |dma: &mut Streams| {
            dma.hear(Effect::Pulse(40), 0).unwrap();
            serve(dma)[1]
        };
        let write = |address| Request::Write {
            address,
            size: 1,
            value: 7,
        };
        assert_eq!(written(&mut dma), write(0x2000_0000));
        assert_eq!(written(&mut dma), write(0x2000_1000));
        assert_eq!(written(&mut dma), write(0x2000_0000));
    }

    #[test]
    fn a_peripheral_that_controls_the_flow_is_named() {
        assert!(streams().write(CR5, 4, PFCTRL, 0).is_err());
    }
}
