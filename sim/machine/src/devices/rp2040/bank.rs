//! `IO_BANK0` (2.19.6.1): what each pin is for, held; and the interrupts of levels and edges, for the first core.

use bus::{Device, DeviceError, Effect, Irq};

use super::PINS;
use crate::devices::{Around, not_modelled};

const INTR: u32 = 0xf0;
const INTE: u32 = 0x100;
const INTF: u32 = 0x110;
const INTS: u32 = 0x120;
/// The same three of the other core, and of waking from dormancy: held.
const OTHERS: std::ops::Range<u32> = 0x130..0x190;
/// CTRL after reset: no function.
const NULL: u32 = 0x1f;

/// The bank.
#[derive(Clone)]
pub(crate) struct Bank {
    irq: Option<Irq>,
    control: [u32; PINS as usize],
    levels: u32,
    /// Edges that were seen: falling, rising.
    edges: [u32; 2],
    /// For each word four bits of eight pins: level low, level high, edge low, edge high.
    enabled: [u32; 4],
    forced: [u32; 4],
    others: [u32; 24],
}

impl Bank {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Bank::new(around.irq))
    }

    fn new(irq: Option<Irq>) -> Bank {
        Bank {
            irq,
            control: [NULL; PINS as usize],
            levels: 0,
            edges: [0; 2],
            enabled: [0; 4],
            forced: [0; 4],
            others: [0; 24],
        }
    }

    fn raw(&self, word: usize) -> u32 {
        (0..8).fold(0, |all, place| {
            let pin = 8 * word as u32 + place;
            if pin >= PINS {
                return all;
            }
            let bit = |bits: u32| bits >> pin & 1;
            let four =
                bit(!self.levels) | bit(self.levels) << 1 | bit(self.edges[0]) << 2 | bit(self.edges[1]) << 3;
            all | four << (4 * place)
        })
    }

    fn status(&self, word: usize) -> u32 {
        self.raw(word) & self.enabled[word] | self.forced[word]
    }

    fn clear_edges(&mut self, word: usize, value: u32) {
        for place in 0..8 {
            let pin = 8 * word as u32 + place;
            for edge in 0..2 {
                if value >> (4 * place + 2 + edge) & 1 != 0 && pin < PINS {
                    self.edges[edge as usize] &= !(1 << pin);
                }
            }
        }
    }
}

impl Device for Bank {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        let word = (register >> 2 & 3) as usize;
        match register {
            0..INTR if register & 4 != 0 => Ok(self.control[register as usize / 8]),
            // STATUS: the level, as it comes from outside and as it goes to the peripheral.
            0..INTR => {
                let level = self.levels >> (register / 8) & 1;
                Ok(level << 17 | level << 19)
            }
            INTR..INTE => Ok(self.raw(word)),
            INTE..INTF => Ok(self.enabled[word]),
            INTF..INTS => Ok(self.forced[word]),
            INTS..0x130 => Ok(self.status(word)),
            _ if OTHERS.contains(&register) => Ok(self.others[((register - OTHERS.start) / 4) as usize]),
            _ => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let register = offset & !3;
        let word = (register >> 2 & 3) as usize;
        match register {
            0..INTR if register & 4 != 0 => self.control[register as usize / 8] = value,
            0..INTR => {}
            INTR..INTE => self.clear_edges(word, value),
            INTE..INTF => self.enabled[word] = value,
            INTF..INTS => self.forced[word] = value,
            INTS..0x130 => {}
            _ if OTHERS.contains(&register) => self.others[((register - OTHERS.start) / 4) as usize] = value,
            _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(irq) = self.irq {
            line(irq, (0..4).any(|word| self.status(word) != 0));
        }
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Pin { port: 0, pin, level } = effect {
            self.levels = self.levels & !(1 << pin) | u32::from(level) << pin;
            self.edges[usize::from(level)] |= 1 << pin;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_interrupts_until_it_is_cleared() {
        let mut bank = Bank::new(Some(Irq::External(13)));
        // Pin 9: falling.
        bank.write(INTE + 4, 4, 4 << 4, 0).unwrap();
        let high = |bank: &mut Bank| {
            let mut high = false;
            bank.poll(0, &mut |_, level| high = level);
            high
        };
        let pin = |level| Effect::Pin {
            port: 0,
            pin: 9,
            level,
        };
        bank.hear(pin(true), 0).unwrap();
        assert!(!high(&mut bank));
        bank.hear(pin(false), 0).unwrap();
        assert!(high(&mut bank));
        assert_eq!(bank.read(INTS + 4, 4, 0), Ok(4 << 4));
        bank.write(INTR + 4, 4, 4 << 4, 0).unwrap();
        assert!(!high(&mut bank));
    }
}
