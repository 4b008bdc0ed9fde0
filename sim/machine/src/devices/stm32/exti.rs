//! The external interrupts of STM32F1 and F4 (RM0041 chapter 8, RM0090 chapter 12), with the four registers of AFIO or SYSCFG that choose the
//! port of each line: 0x400 below.
//!
//! Lines 0 to 15 come from pins. The others (RTC, PVD and so on) never have an edge, but can be set pending by software. Events (EMR) are not
//! modelled.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::{Around, Settings, not_modelled};

/// EXTICR1 to EXTICR4.
const SELECT: std::ops::RangeInclusive<u32> = 0x08..=0x14;
const IMR: u32 = 0x400;
const EMR: u32 = 0x404;
const RTSR: u32 = 0x408;
const FTSR: u32 = 0x40c;
const SWIER: u32 = 0x410;
const PR: u32 = 0x414;
/// Lines that there can be.
const LINES: u32 = 0x007f_ffff;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtiSettings {
    /// The interrupts of lines 0 to 4, of 5 to 9, and of 10 to 15.
    irqs: [u16; 7],
}

impl Settings for ExtiSettings {
    fn device(&self, _: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Exti::new(self.irqs.map(Irq))))
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Exti {
    irqs: [Irq; 7],
    /// The port of each line.
    ports: [u8; 16],
    mask: u32,
    rising: u32,
    falling: u32,
    software: u32,
    pending: u32,
}

impl Exti {
    pub(crate) fn new(irqs: [Irq; 7]) -> Self {
        Exti {
            irqs,
            ports: [0; 16],
            mask: 0,
            rising: 0,
            falling: 0,
            software: 0,
            pending: 0,
        }
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
    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        let word = match register {
            _ if SELECT.contains(&register) => {
                let first = (register - SELECT.start()) as usize;
                (0..4).fold(0, |word, line| {
                    word | u32::from(self.ports[first + line]) << (4 * line)
                })
            }
            IMR => self.mask,
            EMR => 0,
            RTSR => self.rising,
            FTSR => self.falling,
            SWIER => self.software,
            PR => self.pending,
            _ => return not_modelled(format!("a read of offset {offset:#x}")),
        };
        Ok(word >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        if size != 4 && !SELECT.contains(&offset) {
            return not_modelled(format!("offset {offset:#x}, a write of {size} bytes"));
        }
        let lines = value & LINES;
        match offset & !3 {
            register if SELECT.contains(&register) => {
                // Four lines in the lower half of each.
                let (first, from) = ((register - SELECT.start()) as usize, 2 * (offset & 3) as usize);
                for line in from..(from + 2 * size as usize).min(4) {
                    self.ports[first + line] = (value >> (4 * (line - from)) & 15) as u8;
                }
            }
            IMR => self.mask = lines,
            EMR if lines == 0 => {}
            EMR => return not_modelled(format!("EMR, a write of {value:#x}: events")),
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
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Pin { port, pin, level } = effect
            && self.ports[usize::from(pin)] == port
        {
            let edges = if level { self.rising } else { self.falling };
            self.pending |= edges & 1 << pin;
        }
        Ok(())
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for (index, &irq) in self.irqs.iter().enumerate() {
            line(irq, self.pending & self.mask & Exti::lines(index) != 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exti() -> Exti {
        Exti::new([6, 7, 8, 9, 10, 23, 40].map(Irq))
    }

    fn high(exti: &mut Exti) -> Vec<u16> {
        let mut lines = Vec::new();
        exti.poll(0, &mut |irq, level| lines.extend(level.then_some(irq.0)));
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
    fn software_sets_lines_and_events_are_named() {
        let mut exti = exti();
        exti.write(IMR, 4, 0x21, 0).unwrap();
        exti.write(SWIER, 4, 0x21, 0).unwrap();
        assert_eq!(high(&mut exti), [6, 23]);
        exti.write(PR, 4, 1, 0).unwrap();
        assert_eq!((high(&mut exti), exti.read(SWIER, 4, 0)), (vec![23], Ok(0x20)));
        assert!(exti.write(EMR, 4, 1, 0).is_err());
        assert!(
            exti.read(0x00, 4, 0).is_err(),
            "AFIO's other registers are not its own"
        );
    }
}
