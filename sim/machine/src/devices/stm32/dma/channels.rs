//! Up to eight channels, each with its own request lines: those of F1 and L4, or those that a DMAMUX drives.

use bus::{Device, DeviceError, Effect, Irq, Request};
use serde::Deserialize;

use super::channel::{End, Plan, Step, Transfer};
use super::{Items, first};
use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings};
use crate::image::Architecture;

about! { Dma by DmaSettings, D,
    "RM0041 9; RM0394 11; RM0440 12; AN2548 4.1",
    "items by request or from memory to memory, sizes, increments, circular, half and complete interrupts, bus errors, also where the bus matrix does not connect them ([`reach`](boards.md#what-masters-reach)); an item from memory to memory takes five cycles, and the core waits where it accesses the same memory (rule `master-contention`)",
    "bridges, arbitration turns"
}

registers! { Dma;
    ISR   = 0x00 .shows(|dma, _| dma.flags).drops();
    IFCR  = 0x04 .then(|dma, write| dma.clear(write.value));
    CCR   = 0x08 .times(8, 0x14).from(1).write(0x7fff).then(Dma::control);
    CNDTR = 0x0c .times(8, 0x14).from(1).write(0xffff).shows(|dma, at| dma.left(at.n));
    CPAR  = 0x10 .times(8, 0x14).from(1).write(!0);
    CMAR  = 0x14 .times(8, 0x14).from(1).write(!0);
    CSELR = 0xa8 .write(!0);
}

/// From one channel's registers to the next one's.
const STEP: u32 = 0x14;

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
        let channels = (0..count).map(|index| Channel {
            irq: Irq::External(self.irqs[index]),
            lines: lines(index),
            transfer: Transfer::default(),
        });
        Ok(Box::new(Dma::new(channels.collect(), self.selects)))
    }

    fn architecture(&self) -> Option<Architecture> {
        Some(Architecture::Arm)
    }
}

#[derive(Clone)]
struct Channel {
    irq: Irq,
    lines: Vec<u16>,
    transfer: Transfer,
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Dma {
    regs: Regs<Self>,
    channels: Vec<Channel>,
    selects: bool,
    flags: u32,
    items: Items,
}

impl Dma {
    fn new(channels: Vec<Channel>, selects: bool) -> Dma {
        Dma {
            regs: Regs::default(),
            channels,
            selects,
            flags: 0,
            items: Items::default(),
        }
    }

    /// A channel's register of this row.
    fn at(&self, row: u32, index: usize) -> u32 {
        self.regs[row + STEP * index as u32]
    }

    fn set(&mut self, row: u32, index: usize, value: u32) {
        self.regs[row + STEP * index as u32] = value;
    }

    fn plan(&self, index: usize) -> Plan {
        let control = self.at(CCR, index);
        let end = |address: u32, size: u32, increments: u32| {
            let size = 1 << size.min(2);
            let step = if control & increments == 0 { 0 } else { size };
            End { address, size, step }
        };
        let peripheral = end(self.at(CPAR, index), control >> 8 & 3, PINC);
        let memory = end(self.at(CMAR, index), control >> 10 & 3, MINC);
        let (from, to) = if control & DIR == 0 {
            (peripheral, memory)
        } else {
            (memory, peripheral)
        };
        Plan {
            from,
            to,
            count: self.at(CNDTR, index),
            circular: control & CIRC != 0,
            ..Plan::default()
        }
    }

    /// Items that a channel still transfers; as programmed, while it is off.
    fn left(&self, index: usize) -> u32 {
        if self.at(CCR, index) & EN == 0 {
            self.at(CNDTR, index)
        } else {
            self.channels[index].transfer.left()
        }
    }

    /// The lines that request transfers of a channel now.
    fn lines_of(&self, index: usize) -> &[u16] {
        let all = &self.channels[index].lines;
        if self.selects {
            let chosen = (self.regs[CSELR] >> (4 * index) & 15) as usize;
            all.get(chosen..=chosen).unwrap_or(&[])
        } else {
            all
        }
    }

    fn next(&self) -> Option<usize> {
        let channels = self.channels.iter().enumerate();
        let wanting = channels.filter(|(_, channel)| channel.transfer.left() > 0);
        first(wanting.filter_map(|(index, _)| {
            let control = self.at(CCR, index);
            let requested = || {
                self.lines_of(index)
                    .iter()
                    .any(|&line| self.items.requests.wants(line))
            };
            let wants = control & EN != 0 && (control & MEM2MEM != 0 || requested());
            wants.then_some((index, control >> 12 & 3))
        }))
    }

    fn raise(&mut self, index: usize, what: u32) {
        self.flags |= (what | ANY) << (4 * index);
    }

    fn clear(&mut self, value: u32) {
        for at in (0..8).map(|index| 4 * index) {
            // Clearing "any" clears all of a channel, and clearing all else clears it.
            let cleared = if value >> at & ANY == 0 {
                value >> at & 15
            } else {
                15
            };
            self.flags &= !(cleared << at);
            if self.flags >> at & 15 == ANY {
                self.flags &= !(ANY << at);
            }
        }
    }

    /// A write of a channel's CCR.
    fn control(&mut self, Write { n, value, old, .. }: Write) {
        if old & !value & EN != 0 {
            self.set(CNDTR, n, self.channels[n].transfer.left());
        }
        if value & !old & EN != 0 {
            self.channels[n].transfer = Transfer::new(self.plan(n));
            for line in self.lines_of(n).to_vec() {
                self.items.requests.forget(line);
            }
        }
    }
}

impl Peripheral for Dma {
    fn bank(&self, offset: u32) -> u32 {
        let exists = match offset {
            CSELR.. => self.selects,
            CCR.. => offset < CCR + STEP * self.channels.len() as u32,
            _ => true,
        };
        if exists { offset } else { u32::MAX }
    }

    /// A channel's plan is locked while it is on.
    fn ignores(&self, row: u32, n: usize) -> bool {
        matches!(row, CNDTR | CPAR | CMAR) && self.at(CCR, n) & EN != 0
    }

    fn due(&self) -> u64 {
        self.items.due(|| self.next())
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        // Several channels may share a line.
        for channel in &self.channels {
            let mut shares =
                (0..self.channels.len()).filter(|&other| self.channels[other].irq == channel.irq);
            let pending = |index: usize| self.flags >> (4 * index) & self.at(CCR, index) & 0xe != 0;
            line(channel.irq, shares.any(pending));
        }
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.items.requests.hear(effect);
        Ok(())
    }

    fn wants(&mut self, _now: u64) -> Option<Request> {
        let index = self.items.busy.or_else(|| self.next())?;
        self.items.busy = Some(index);
        Some(self.channels[index].transfer.request())
    }

    fn ports(&self) -> &'static [&'static str] {
        &[""]
    }

    fn cycles_between(&self) -> Option<u32> {
        Some(self.items.pace())
    }

    fn got(&mut self, value: Option<u32>, _now: u64) {
        let Some(index) = self.items.busy else {
            return;
        };
        let total = self.at(CNDTR, index);
        match self.channels[index].transfer.answered(value) {
            Step::Goes => return,
            Step::Failed => {
                // Hardware turns it off (RM0041 9.3.5, RM0394 11.4.6).
                self.set(CCR, index, self.at(CCR, index) & !EN);
                self.set(CNDTR, index, self.channels[index].transfer.left());
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
        self.items.busy = None;
        for line in self.lines_of(index).to_vec() {
            self.items.requests.served(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dma() -> Dma {
        let channel = |irq, lines| Channel {
            irq: Irq::External(irq),
            lines,
            transfer: Transfer::default(),
        };
        Dma::new(vec![channel(11, vec![1, 2]), channel(12, vec![3])], true)
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
