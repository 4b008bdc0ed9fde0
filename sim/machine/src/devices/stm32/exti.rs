//! The external interrupts of STM32F1 and F4 (RM0041 chapter 8, RM0090 chapter 12), L4 and G4 (RM0394 13, RM0440 14), with the four registers of
//! AFIO or SYSCFG that choose the port of each line: 0x400 below.
//!
//! Lines 0 to 15 come from pins, others from peripherals (`internal`). Those that nothing drives can be set pending by software. Events
//! (EMR) are held, and the edge of a line that would be one stops the run.

mod ports;

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use self::ports::Ports;
use crate::devices::{Around, Settings, not_modelled};

/// EXTICR1 to EXTICR4.
const SELECT: std::ops::RangeInclusive<u32> = 0x08..=0x14;
const IMR: u32 = 0x400;
const EMR: u32 = 0x404;
const RTSR: u32 = 0x408;
const FTSR: u32 = 0x40c;
const SWIER: u32 = 0x410;
const PR: u32 = 0x414;
/// The second bank of L4 and G4, for lines 32 and up: IMR2 to PR2, held alone.
const SECOND: std::ops::RangeInclusive<u32> = 0x420..=0x434;
/// Lines that there can be.
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
            (exti.mask, exti.second, exti.lines) = (first, Some([second, 0, 0, 0, 0, 0]), u32::MAX);
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
    irqs: [Irq; 7],
    ports: Ports,
    mask: u32,
    rising: u32,
    falling: u32,
    software: u32,
    pending: u32,
    events: u32,
    /// Wire, line and interrupt of each that a peripheral drives, and the lines that are high.
    internal: Vec<(u16, u8, Irq)>,
    high: u32,
    second: Option<[u32; 6]>,
    lines: u32,
}

impl Exti {
    pub(crate) fn new(irqs: [Irq; 7]) -> Self {
        Exti {
            irqs,
            ports: Ports::default(),
            mask: 0,
            rising: 0,
            falling: 0,
            software: 0,
            pending: 0,
            events: 0,
            internal: Vec::new(),
            high: 0,
            second: None,
            lines: LINES,
        }
    }

    /// An edge of a line.
    fn edge(&mut self, line: u8, rising: bool) -> Result<(), DeviceError> {
        let edges = if rising { self.rising } else { self.falling } & 1 << line;
        self.pending |= edges;
        if edges & self.events != 0 {
            return not_modelled(format!("EMR, line {line}: its event, for WFE"));
        }
        Ok(())
    }

    /// The lines of each interrupt.
    fn lines(index: usize) -> u32 {
        match index {
            0..5 => 1 << index,
            5 => 0x3e0,
            _ => 0xfc00,
        }
    }
}

impl Device for Exti {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        let word = match register {
            _ if SELECT.contains(&register) => {
                let first = (register - SELECT.start()) as usize;
                self.ports.read(offset, first, now)
            }
            IMR => self.mask,
            EMR => self.events,
            RTSR => self.rising,
            FTSR => self.falling,
            SWIER => self.software,
            PR => self.pending,
            _ if SECOND.contains(&register) && self.second.is_some() => {
                let place = (register - SECOND.start()) as usize / 4;
                self.second.map_or(0, |held| held[place])
            }
            _ => return not_modelled(format!("a read of offset {offset:#x}")),
        };
        Ok(word >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        if size != 4 && !SELECT.contains(&offset) {
            return not_modelled(format!("offset {offset:#x}, a write of {size} bytes"));
        }
        let lines = value & self.lines;
        match offset & !3 {
            register if SELECT.contains(&register) => {
                let first = (register - SELECT.start()) as usize;
                self.ports.write(offset, first, size, value, now);
            }
            IMR => self.mask = lines,
            EMR => self.events = lines,
            RTSR => self.rising = lines,
            FTSR => self.falling = lines,
            SWIER => {
                self.pending |= lines & !self.software;
                self.software = lines;
            }
            PR => {
                self.pending &= !lines;
                self.software &= !lines;
            }
            register => match &mut self.second {
                // IMR2, EMR2, RTSR2 and FTSR2 are held; nothing drives those lines, so that none of them is ever pending.
                Some(held) if SECOND.contains(&register) => {
                    let place = (register - SECOND.start()) as usize / 4;
                    held[place] = if place < 4 { value } else { 0 };
                }
                _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }

    fn note(&mut self) -> Option<String> {
        self.ports.note()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        self.ports.hear(effect);
        match effect {
            Effect::Pin { port, pin, level } if self.ports.chooses(pin, port) => self.edge(pin & 15, level),
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

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for (index, &irq) in self.irqs.iter().enumerate() {
            line(irq, self.pending & self.mask & Exti::lines(index) != 0);
        }
        for &(_, number, irq) in &self.internal {
            line(irq, self.pending & self.mask & 1 << number != 0);
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
