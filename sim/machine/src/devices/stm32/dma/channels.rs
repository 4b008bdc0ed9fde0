//! Up to eight channels, each with its own request lines: those of F1 and L4, or behind a DMAMUX.

use bus::{Device, DeviceError, Effect, Irq, Request};
use serde::Deserialize;

use super::Requests;
use super::channel::{End, Plan, Step, Transfer, pace};
use crate::devices::words::part;
use crate::devices::{Around, Settings, not_modelled};
use crate::image::Architecture;

const ISR: u32 = 0x00;
const IFCR: u32 = 0x04;
const FIRST: u32 = 0x08;
const BETWEEN: u32 = 0x14;
const CSELR: u32 = 0xa8;

/// CCR: enable, direction, circular, increments, memory to memory. Interrupts are bits 1 to 3, as the flags.
const EN: u32 = 1 << 0;
const DIR: u32 = 1 << 4;
const CIRC: u32 = 1 << 5;
const PINC: u32 = 1 << 6;
const MINC: u32 = 1 << 7;
const MEM2MEM: u32 = 1 << 14;
/// ISR, of each channel: any, complete, half, error.
const ANY: u32 = 1 << 0;
const COMPLETE: u32 = 1 << 1;
const HALF: u32 = 1 << 2;
const FAILED: u32 = 1 << 3;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DmaSettings {
    /// The interrupt of each channel.
    irqs: Vec<u16>,
    /// For each channel the lines that request a transfer: by the value of CSELR, if it is there; else any of them does. Without it, a
    /// DMAMUX does, on `DMA1_CH1` and so on.
    requests: Option<Vec<Vec<String>>>,
    /// Whether CSELR is there.
    #[serde(default)]
    selects: bool,
}

impl Settings for DmaSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let count = self.irqs.len();
        if !(1..=8).contains(&count) || self.requests.as_ref().is_some_and(|lines| lines.len() != count) {
            return Err("it has `irqs` for 1 to 8 channels, and as many lists of `requests`".into());
        }
        let lines = |channel: usize| match &self.requests {
            Some(requests) => around.wires.numbers(&requests[channel]),
            None => vec![around.wire(&format!("CH{}", channel + 1))],
        };
        Ok(Box::new(Dma {
            channels: (0..count)
                .map(|index| Channel::new(Irq::External(self.irqs[index]), lines(index)))
                .collect(),
            selects: self.selects,
            select: 0,
            flags: 0,
            requests: Requests::default(),
            busy: None,
        }))
    }

    fn architecture(&self) -> Option<Architecture> {
        Some(Architecture::Arm)
    }
}

#[derive(Clone)]
struct Channel {
    irq: Irq,
    lines: Vec<u16>,
    control: u32,
    count: u32,
    peripheral: u32,
    memory: u32,
    transfer: Transfer,
}

impl Channel {
    fn new(irq: Irq, lines: Vec<u16>) -> Channel {
        Channel {
            irq,
            lines,
            control: 0,
            count: 0,
            peripheral: 0,
            memory: 0,
            transfer: Transfer::default(),
        }
    }

    fn is_on(&self) -> bool {
        self.control & EN != 0 && self.transfer.left() > 0
    }

    fn plan(&self) -> Plan {
        let end = |address: u32, size: u32, increments: bool| {
            let size = 1 << size.min(2);
            let step = if increments { size } else { 0 };
            End { address, size, step }
        };
        let peripheral = end(self.peripheral, self.control >> 8 & 3, self.control & PINC != 0);
        let memory = end(self.memory, self.control >> 10 & 3, self.control & MINC != 0);
        let (from, to) = if self.control & DIR == 0 {
            (peripheral, memory)
        } else {
            (memory, peripheral)
        };
        Plan {
            from,
            to,
            count: self.count,
            circular: self.control & CIRC != 0,
            ..Plan::default()
        }
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Dma {
    channels: Vec<Channel>,
    selects: bool,
    select: u32,
    flags: u32,
    requests: Requests,
    /// The channel of the item under way.
    busy: Option<usize>,
}

impl Dma {
    /// The lines that request transfers of a channel now.
    fn lines(&self, index: usize) -> &[u16] {
        let all = &self.channels[index].lines;
        if self.selects {
            let chosen = (self.select >> (4 * index) & 15) as usize;
            all.get(chosen..=chosen).unwrap_or(&[])
        } else {
            all
        }
    }

    fn wants(&self, index: usize) -> bool {
        let channel = &self.channels[index];
        let requested = || self.lines(index).iter().any(|&line| self.requests.wants(line));
        channel.is_on() && (channel.control & MEM2MEM != 0 || requested())
    }

    /// By priority, then number.
    fn next(&self) -> Option<usize> {
        let wanting = (0..self.channels.len()).filter(|&index| self.wants(index));
        wanting.max_by_key(|&index| (self.channels[index].control >> 12 & 3, usize::MAX - index))
    }

    fn raise(&mut self, index: usize, what: u32) {
        self.flags |= (what | ANY) << (4 * index);
    }

    fn write_control(&mut self, index: usize, value: u32) {
        let lines = self.lines(index).to_vec();
        let channel = &mut self.channels[index];
        let starts = value & !channel.control & EN != 0;
        if channel.control & EN != 0 && value & EN == 0 {
            channel.count = channel.transfer.left();
        }
        channel.control = value & 0x7fff;
        if starts {
            channel.transfer = Transfer::new(channel.plan());
            for line in lines {
                self.requests.forget(line);
            }
        }
    }

    /// The channel of a register, and which of its four.
    fn place(&self, offset: u32) -> Option<(usize, u32)> {
        let behind = offset.checked_sub(FIRST)?;
        let index = (behind / BETWEEN) as usize;
        (index < self.channels.len() && behind % BETWEEN < 16).then_some((index, behind % BETWEEN))
    }
}

impl Device for Dma {
    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        let word = match register {
            ISR => self.flags,
            IFCR => 0,
            CSELR if self.selects => self.select,
            _ => {
                let Some((index, which)) = self.place(register) else {
                    return not_modelled(format!("a read of offset {register:#x}"));
                };
                let channel = &self.channels[index];
                match which {
                    0 => channel.control,
                    4 if channel.control & EN != 0 => channel.transfer.left(),
                    4 => channel.count,
                    8 => channel.peripheral,
                    _ => channel.memory,
                }
            }
        };
        Ok(part(word, offset, size))
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset {
            ISR => {}
            IFCR => {
                // Clearing "any" clears all of a channel.
                let all = (0..8).filter(|index| value >> (4 * index) & ANY != 0);
                let all = all.fold(0, |mask, index| mask | 15 << (4 * index));
                self.flags &= !(value | all);
                for index in 0..8 {
                    if self.flags >> (4 * index) & 15 == ANY {
                        self.flags &= !(ANY << (4 * index));
                    }
                }
            }
            CSELR if self.selects => self.select = value,
            _ => {
                let Some((index, which)) = self.place(offset) else {
                    return not_modelled(format!("a write of {value:#x} to offset {offset:#x}"));
                };
                let channel = &mut self.channels[index];
                match which {
                    0 => self.write_control(index, value),
                    // These are locked while it is on.
                    _ if channel.control & EN != 0 => {}
                    4 => channel.count = value & 0xffff,
                    8 => channel.peripheral = value,
                    _ => channel.memory = value,
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
        // Several channels may share a line.
        for channel in &self.channels {
            let mut shares =
                (0..self.channels.len()).filter(|&other| self.channels[other].irq == channel.irq);
            let pending = |index: usize| self.flags >> (4 * index) & self.channels[index].control & 0xe != 0;
            line(channel.irq, shares.any(pending));
        }
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.requests.hear(effect);
        Ok(())
    }

    fn request(&mut self, _now: u64) -> Option<Request> {
        let index = self.busy.or_else(|| self.next())?;
        self.busy = Some(index);
        Some(self.channels[index].transfer.request())
    }

    fn master_ports(&self) -> &'static [&'static str] {
        &[""]
    }

    fn pace(&self) -> Option<u32> {
        Some(pace(self.busy.is_some()))
    }

    fn answered(&mut self, value: Option<u32>, _now: u64) {
        let Some(index) = self.busy else {
            return;
        };
        let channel = &mut self.channels[index];
        let total = channel.count;
        match channel.transfer.answered(value) {
            Step::Goes => return,
            Step::Failed => {
                // Hardware turns it off (RM0041 9.3.5, RM0394 11.4.6).
                channel.control &= !EN;
                channel.count = channel.transfer.left();
                self.raise(index, FAILED);
            }
            Step::Item(left) => {
                if left == 0 {
                    self.raise(index, COMPLETE);
                }
                if left == total / 2 {
                    self.raise(index, HALF);
                }
            }
        }
        self.busy = None;
        for line in self.lines(index).to_vec() {
            self.requests.served(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dma() -> Dma {
        Dma {
            channels: vec![
                Channel::new(Irq::External(11), vec![1, 2]),
                Channel::new(Irq::External(12), vec![3]),
            ],
            selects: true,
            select: 0,
            flags: 0,
            requests: Requests::default(),
            busy: None,
        }
    }

    fn start(dma: &mut Dma, control: u32, count: u32) {
        for (offset, value) in [
            (0x0c, count),
            (0x10, 0x4000),
            (0x14, 0x2000_0000),
            (0x08, control),
        ] {
            dma.write(offset, 4, value, 0).unwrap();
        }
    }

    /// Answers every request; how many items were written.
    fn serve(dma: &mut Dma) -> usize {
        let mut items = 0;
        while let Some(request) = dma.request(0) {
            items += usize::from(matches!(request, Request::Write { .. }));
            dma.answered(Some(7), 0);
        }
        items
    }

    #[test]
    fn a_request_moves_one_item_and_the_last_one_interrupts() {
        let mut dma = dma();
        start(&mut dma, EN | COMPLETE | MINC, 2);
        assert_eq!(dma.next_event(), u64::MAX);
        dma.hear(Effect::Pulse(2), 0).unwrap();
        assert_eq!(serve(&mut dma), 0, "another line is chosen");
        dma.write(CSELR, 4, 1, 0).unwrap();
        assert_eq!(serve(&mut dma), 1);
        assert_eq!(
            (dma.read(0x0c, 4, 0), dma.read(ISR, 4, 0)),
            (Ok(1), Ok(ANY | HALF))
        );
        dma.hear(Effect::Pulse(2), 0).unwrap();
        assert_eq!(serve(&mut dma), 1);
        let mut high = Vec::new();
        dma.poll(0, &mut |irq, level| {
            high.extend(level.then(|| irq.as_external().unwrap()));
        });
        assert_eq!(high, [11]);
        dma.write(IFCR, 4, ANY, 0).unwrap();
        assert_eq!(dma.read(ISR, 4, 0), Ok(0));
    }

    #[test]
    fn memory_to_memory_needs_no_request_and_a_bus_error_stops_it() {
        let mut dma = dma();
        start(&mut dma, EN | MEM2MEM | PINC | MINC, 8);
        assert_eq!(serve(&mut dma), 8);
        start(&mut dma, 0, 8);
        start(&mut dma, EN | MEM2MEM, 8);
        dma.request(0).unwrap();
        dma.answered(None, 0);
        assert_eq!(
            (dma.request(0), dma.read(ISR, 4, 0).unwrap() & FAILED),
            (None, FAILED)
        );
    }

    #[test]
    fn a_circular_one_starts_again() {
        let mut dma = dma();
        start(&mut dma, EN | CIRC | MINC, 2);
        for left in [1, 2, 1, 2] {
            dma.hear(Effect::Pulse(1), 0).unwrap();
            serve(&mut dma);
            assert_eq!(dma.read(0x0c, 4, 0), Ok(left));
        }
    }
}
