//! The external interrupts of STM32F1 and F4 (RM0041 chapter 8, RM0090 12), L4 and G4 (RM0394 13, RM0440 14), and the four registers of AFIO or
//! SYSCFG, 0x400 below, that choose the port of each line.
//!
//! Lines 0 to 15 come from pins, others from peripherals (`internal`). Software can set lines pending that nothing drives. EMR is stored; an edge
//! that would be an event stops the run.

mod ports;

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use self::ports::Ports;
use crate::devices::block::{Access, Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings, not_modelled};

about! { Exti by ExtiSettings, B,
    "RM0041 8; RM0090 12; RM0394 13; RM0440 14",
    "edges of pins on lines 0 to 15 from the port that AFIO or SYSCFG chooses, lines that peripherals drive, pending bits, interrupts, software triggers",
    "events; lines 32 and up are only stored"
}

registers! { Exti;
    EXTICR = 0x008 .times(4, 4).from(1).write(0xffff).shows(|exti, at| exti.ports.shown(exti.regs[EXTICR + 4 * at.n as u32])).taken(|exti, at| exti.ports.reached(at.n, at.now)).then(Exti::choose);
    IMR    = 0x400 .whole().write(!0);
    EMR    = 0x404 .whole().write(!0);
    RTSR   = 0x408 .whole().write(!0);
    FTSR   = 0x40c .whole().write(!0);
    SWIER  = 0x410 .whole().write(!0).then(|exti, write| exti.regs[PR] |= write.value & !write.old & exti.lines);
    PR     = 0x414 .whole().clear(!0).then(|exti, write| exti.regs[SWIER] &= !write.value);
    // The second bank of L4 and G4, for lines 32 and up, is held alone: nothing drives those lines, so none of them is ever pending.
    IMR2   = 0x420 .whole().write(!0);
    EMR2   = 0x424 .whole().write(!0);
    RTSR2  = 0x428 .whole().write(!0);
    FTSR2  = 0x42c .whole().write(!0);
    SWIER2 = 0x430 .whole().drops();
    PR2    = 0x434 .whole().drops();
}

/// Lines that there can be with one bank.
const LINES: u32 = 0x007f_ffff;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtiSettings {
    /// The interrupts of lines 0 to 4, of 5 to 9, and of 10 to 15.
    irqs: [u16; 7],
    /// Lines that peripherals drive.
    #[serde(default)]
    internal: Vec<InternalEntry>,
    /// Reset values of IMR1 and IMR2, where there are two banks.
    reset: Option<[u32; 2]>,
    /// The lines of the fields that turn the clock of AFIO or SYSCFG on, whose registers choose the ports, and that reset it.
    #[serde(default)]
    ports_clock: String,
    #[serde(default)]
    ports_reset: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InternalEntry {
    line: u8,
    irq: u16,
    /// The driver of the line: `RTC_ALARM`.
    from: String,
}

impl Settings for ExtiSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let mut exti = Exti::new(self.irqs.map(Irq::External));
        for entry in &self.internal {
            if !(16..32).contains(&entry.line) {
                return Err(format!("line {}: internal lines are 16 to 31", entry.line));
            }
            let (wire, irq) = (around.wires.number(&entry.from), Irq::External(entry.irq));
            exti.internal.push((wire, entry.line, irq));
        }
        if let Some([first, second]) = self.reset {
            (exti.regs[IMR], exti.regs[IMR2], exti.lines) = (first, second, u32::MAX);
        }
        let wire = |name: &str| around.wires.number(name);
        let (clock, reset) = (self.ports_clock.as_str(), self.ports_reset.as_str());
        exti.ports = Ports::new((clock, wire(clock)), (reset, wire(reset)));
        Ok(Box::new(exti))
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Exti {
    regs: Regs<Self>,
    irqs: [Irq; 7],
    ports: Ports,
    /// Wire, line and interrupt of each that a peripheral drives, and the lines that are high.
    internal: Vec<(u16, u8, Irq)>,
    high: u32,
    /// The lines that there are: all where there are two banks.
    lines: u32,
}

impl Exti {
    pub(crate) fn new(irqs: [Irq; 7]) -> Self {
        Exti {
            regs: Regs::default(),
            irqs,
            ports: Ports::default(),
            internal: Vec::new(),
            high: 0,
            lines: LINES,
        }
    }

    /// An edge of a line.
    fn edge(&mut self, line: u8, rising: bool) -> Result<(), DeviceError> {
        let edges = self.regs[if rising { RTSR } else { FTSR }] & 1 << line;
        self.regs[PR] |= edges;
        if edges & self.regs[EMR] != 0 {
            return not_modelled(format!("EMR, line {line}: its event, for WFE"));
        }
        Ok(())
    }

    /// A write to EXTICR1 to EXTICR4, which are there while their block has its clock.
    fn choose(&mut self, Write { n, old, now, .. }: Write) {
        self.ports.reached(n, now);
        if !self.ports.work() {
            self.regs[EXTICR + 4 * n as u32] = old;
        }
    }

    /// Whether a line is that port's.
    fn chooses(&self, line: u8, port: u8) -> bool {
        let line = u32::from(line & 15);
        self.regs[EXTICR + line / 4 * 4] >> (4 * (line % 4)) & 15 == port.into()
    }

    /// The lines of each interrupt.
    fn lines_of(index: usize) -> u32 {
        match index {
            0..5 => 1 << index,
            5 => 0x3e0,
            _ => 0xfc00,
        }
    }
}

impl Peripheral for Exti {
    const ACCESS: Access = Access::Merged;

    fn bank(&self, offset: u32) -> u32 {
        if offset >= IMR2 && self.lines == LINES {
            u32::MAX
        } else {
            offset
        }
    }

    fn settle(&mut self, _now: u64) {
        for register in [IMR, EMR, RTSR, FTSR, SWIER] {
            self.regs[register] &= self.lines;
        }
    }

    fn remark(&mut self) -> Option<String> {
        self.ports.note()
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if self.ports.hear(effect) {
            for register in 0..4 {
                self.regs[EXTICR + 4 * register] = 0;
            }
        }
        match effect {
            Effect::Pin { port, pin, level } if self.chooses(pin, port) => self.edge(pin & 15, level),
            Effect::Wire { number, level } => {
                let known = self.internal.iter().find(|(wire, ..)| *wire == number);
                let Some(line) = known.map(|&(_, line, _)| line) else {
                    return Ok(());
                };
                let before = self.high;
                self.high = self.high & !(1 << line) | u32::from(level) << line;
                if self.high == before {
                    Ok(())
                } else {
                    self.edge(line, level)
                }
            }
            _ => Ok(()),
        }
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        let pending = self.regs[PR] & self.regs[IMR];
        for (index, &irq) in self.irqs.iter().enumerate() {
            line(irq, pending & Exti::lines_of(index) != 0);
        }
        for &(_, number, irq) in &self.internal {
            line(irq, pending & 1 << number != 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exti() -> Exti {
        Exti::new([6, 7, 8, 9, 10, 23, 40].map(Irq::External))
    }

    fn high(exti: &mut Exti) -> Vec<u16> {
        let mut lines = Vec::new();
        exti.poll(0, &mut |irq, level| {
            lines.extend(level.then(|| irq.as_external().unwrap()));
        });
        lines
    }

    #[test]
    fn an_edge_on_the_chosen_port_interrupts_until_it_is_cleared() {
        let mut exti = exti();
        // Line 13 from port C, rising.
        exti.write(0x14, 4, 2 << 4, 0).unwrap();
        assert_eq!(exti.read(0x14, 4, 0), Ok(0x20));
        for register in [IMR, RTSR] {
            exti.write(register, 4, 1 << 13, 0).unwrap();
        }
        let pin = |port, level| Effect::Pin { port, pin: 13, level };
        exti.hear(pin(0, true), 1).unwrap();
        exti.hear(pin(2, false), 1).unwrap();
        assert_eq!(high(&mut exti), []);
        exti.hear(pin(2, true), 2).unwrap();
        assert_eq!((high(&mut exti), exti.read(PR, 4, 0)), (vec![40], Ok(1 << 13)));
        exti.write(PR, 4, 1 << 13, 0).unwrap();
        assert_eq!(high(&mut exti), []);
    }

    #[test]
    fn a_peripheral_drives_its_line() {
        let mut exti = exti();
        exti.internal.push((5, 22, Irq::External(3)));
        for register in [IMR, RTSR] {
            exti.write(register, 4, 1 << 22, 0).unwrap();
        }
        let wire = |number, level| Effect::Wire { number, level };
        exti.hear(wire(4, true), 0).unwrap();
        assert_eq!(high(&mut exti), []);
        exti.hear(wire(5, true), 0).unwrap();
        assert_eq!(high(&mut exti), [3]);
        exti.write(PR, 4, 1 << 22, 0).unwrap();
        exti.hear(wire(5, true), 0).unwrap();
        assert_eq!(high(&mut exti), [], "no edge");
    }

    #[test]
    fn software_sets_lines_and_events_are_named() {
        let mut exti = exti();
        exti.write(IMR, 4, 0x21, 0).unwrap();
        exti.write(SWIER, 4, 0x21, 0).unwrap();
        assert_eq!(high(&mut exti), [6, 23]);
        exti.write(PR, 4, 1, 0).unwrap();
        assert_eq!((high(&mut exti), exti.read(SWIER, 4, 0)), (vec![23], Ok(0x20)));
        for register in [EMR, RTSR] {
            exti.write(register, 4, 1, 0).unwrap();
        }
        let pin = Effect::Pin {
            port: 0,
            pin: 0,
            level: true,
        };
        assert!(exti.hear(pin, 1).is_err(), "an event");
        assert!(
            exti.read(0x00, 4, 0).is_err(),
            "AFIO's other registers are not its own"
        );
    }
}
