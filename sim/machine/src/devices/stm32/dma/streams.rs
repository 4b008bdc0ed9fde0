//! Eight streams, each with eight request lines to choose from and a FIFO.

use bus::{Device, DeviceError, Effect, Irq, Request};
use serde::Deserialize;

use super::Requests;
use super::channel::{End, PORTS, Plan, Step, Transfer, pace};
use crate::devices::{Around, Settings, not_modelled};
use crate::image::Architecture;

/// LISR, HISR, LIFCR, HIFCR; the streams follow.
const FIRST: u32 = 0x10;
const BETWEEN: u32 = 0x18;
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
            Stream::new(Irq::External(irq), around.wires.numbers(lines))
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
    control: u32,
    count: u32,
    peripheral: u32,
    memories: [u32; 2],
    fifo: u32,
    flags: u32,
    transfer: Transfer,
}

impl Stream {
    fn new(irq: Irq, lines: Vec<u16>) -> Stream {
        Stream {
            irq,
            lines,
            control: 0,
            count: 0,
            peripheral: 0,
            memories: [0; 2],
            fifo: 0x21,
            flags: 0,
            transfer: Transfer::default(),
        }
    }

    fn line(&self) -> u16 {
        self.lines[(self.control >> 25 & 7) as usize]
    }

    fn to_peripheral(&self) -> bool {
        self.control >> 6 & 3 == 1
    }

    fn copies_memory(&self) -> bool {
        self.control >> 6 & 3 == 2
    }

    fn plan(&self) -> Plan {
        let psize: u32 = 1 << (self.control >> 11 & 3).min(2);
        // In direct mode both ends have the peripheral's size.
        let packs = self.fifo & FIFO != 0;
        let msize = if packs {
            1 << (self.control >> 13 & 3).min(2)
        } else {
            psize
        };
        let far = if self.control & PINCOS == 0 { psize } else { 4 };
        let peripheral = End {
            address: self.peripheral,
            size: psize,
            step: if self.control & PINC == 0 { 0 } else { far },
        };
        let memory = End {
            address: self.memories[usize::from(self.control & CT != 0)],
            size: msize,
            step: if self.control & MINC == 0 { 0 } else { msize },
        };
        let to_peripheral = self.to_peripheral();
        let (from, to) = if to_peripheral {
            (memory, peripheral)
        } else {
            (peripheral, memory)
        };
        Plan {
            from,
            to,
            count: self.count,
            packs,
            counts_to: to_peripheral,
            circular: self.control & CIRC != 0,
        }
    }

    fn write_control(&mut self, value: u32) -> Result<(), DeviceError> {
        if value & PFCTRL != 0 {
            return not_modelled(format!(
                "CR, a write of {value:#x}: the peripheral as flow controller"
            ));
        }
        let (starts, stops) = (value & !self.control & EN != 0, self.control & !value & EN != 0);
        if stops {
            // A stream that is turned off tells that it is done (RM0090 10.3.14).
            self.count = self.transfer.left();
            self.flags |= COMPLETE;
        }
        self.control = value & 0x0fff_ffff;
        if starts {
            self.transfer = Transfer::new(self.plan());
        }
        if starts && self.count == 0 {
            self.control &= !EN;
        }
        Ok(())
    }

    fn complete(&mut self) {
        self.flags |= COMPLETE;
        if self.control & DBM != 0 {
            self.control ^= CT;
            self.transfer.swap(self.plan());
        } else if self.control & CIRC == 0 {
            self.control &= !EN;
            self.count = 0;
        }
    }

    fn read(&self, which: u32) -> u32 {
        match which {
            0x00 => self.control,
            0x04 if self.control & EN != 0 => self.transfer.left(),
            0x04 => self.count,
            0x08 => self.peripheral,
            0x0c => self.memories[0],
            0x10 => self.memories[1],
            _ => self.fifo,
        }
    }

    fn write(&mut self, which: u32, value: u32) -> Result<(), DeviceError> {
        let on = self.control & EN != 0;
        let current = usize::from(self.control & CT != 0);
        match which {
            0x00 => return self.write_control(value),
            0x0c | 0x10 if on && which != 0x0c + 4 * current as u32 => {
                self.memories[1 - current] = value;
            }
            // These are locked while it is on.
            _ if on => {}
            0x04 => self.count = value & 0xffff,
            0x08 => self.peripheral = value,
            0x0c => self.memories[0] = value,
            0x10 => self.memories[1] = value,
            _ => self.fifo = value & 0x87 | 0x20,
        }
        Ok(())
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Streams {
    all: Vec<Stream>,
    requests: Requests,
    /// The stream of the item under way.
    busy: Option<usize>,
}

impl Streams {
    fn new(streams: impl Iterator<Item = Stream>) -> Streams {
        Streams {
            all: streams.collect(),
            requests: Requests::default(),
            busy: None,
        }
    }

    fn next(&self) -> Option<usize> {
        let wants = |stream: &Stream| {
            stream.control & EN != 0 && (stream.copies_memory() || self.requests.wants(stream.line()))
        };
        let wanting = (0..self.all.len()).filter(|&index| wants(&self.all[index]));
        wanting.max_by_key(|&index| (self.all[index].control >> 16 & 3, usize::MAX - index))
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

    fn place(offset: u32) -> Option<(usize, u32)> {
        let behind = offset.checked_sub(FIRST)?;
        let index = (behind / BETWEEN) as usize;
        (index < 8).then_some((index, behind % BETWEEN))
    }
}

impl Device for Streams {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            0x00 => Ok(self.flags(0)),
            0x04 => Ok(self.flags(4)),
            0x08 | 0x0c => Ok(0),
            register => match Streams::place(register) {
                Some((index, which)) => Ok(self.all[index].read(which)),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            0x00 | 0x04 => {}
            0x08 => self.clear(0, value),
            0x0c => self.clear(4, value),
            register => {
                let Some((index, which)) = Streams::place(register) else {
                    return not_modelled(format!("a write of {value:#x} to offset {register:#x}"));
                };
                let was_on = self.all[index].control & EN != 0;
                self.all[index].write(which, value)?;
                if !was_on {
                    let line = self.all[index].line();
                    self.requests.forget(line);
                }
            }
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        // An item under way is made to its end, whatever becomes of its request.
        let goes_on = self.busy.is_some() || self.next().is_some();
        if goes_on { 0 } else { u64::MAX }
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for stream in &self.all {
            let enabled = stream.control << 1 & (FAILED | HALF | COMPLETE);
            line(stream.irq, stream.flags & enabled != 0);
        }
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.requests.hear(effect);
        Ok(())
    }

    fn request(&mut self, _now: u64) -> Option<Request> {
        let index = self.busy.or_else(|| self.next())?;
        self.busy = Some(index);
        Some(self.all[index].transfer.request())
    }

    fn master_ports(&self) -> &'static [&'static str] {
        PORTS
    }

    fn requested_port(&self) -> usize {
        let stream = self.busy.map(|index| &self.all[index]);
        stream.map_or(0, |stream| {
            (stream.transfer.reads() != stream.to_peripheral()).into()
        })
    }

    fn pace(&self) -> Option<u32> {
        Some(pace(self.busy.is_some()))
    }

    fn answered(&mut self, value: Option<u32>, _now: u64) {
        let Some(index) = self.busy else {
            return;
        };
        let stream = &mut self.all[index];
        let total = stream.count;
        match stream.transfer.answered(value) {
            Step::Goes => return,
            Step::Failed => {
                stream.control &= !EN;
                stream.flags |= FAILED;
            }
            Step::Item(left) => {
                if left == total / 2 {
                    stream.flags |= HALF;
                }
                if left == 0 {
                    stream.complete();
                }
            }
        }
        self.busy = None;
        let line = self.all[index].line();
        self.requests.served(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams() -> Streams {
        Streams::new(
            (0..8).map(|index| Stream::new(Irq::External(index), (8 * index..8 * index + 8).collect())),
        )
    }

    /// Stream 5, whose flags are in HISR.
    const CR: u32 = FIRST + 5 * BETWEEN;

    fn start(dma: &mut Streams, control: u32, count: u32) {
        for (offset, value) in [
            (4, count),
            (8, 0x4000),
            (12, 0x2000_0000),
            (16, 0x2000_1000),
            (0, control),
        ] {
            dma.write(CR + offset, 4, value, 0).unwrap();
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
            assert_eq!(dma.read(CR + 4, 4, 0), Ok(left));
        }
        assert_eq!(dma.read(CR, 4, 0).unwrap() & EN, 0);
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
        assert!(streams().write(CR, 4, PFCTRL, 0).is_err());
    }
}
