//! `IO_BANK0` (RP2040 datasheet 2.19.6.1): the function of each pin is stored only; interrupts of levels and edges reach the first core.

use bus::{Device, DeviceError, Effect, Irq};

use super::PINS;
use crate::devices::Around;
use crate::devices::block::{At, Peripheral, Regs, Write, about, registers, tell};

about! { Bank, B,
    "RP2040 datasheet 2.19.6.1",
    "the interrupts of levels and edges, for the first core",
    "which function a pin has: it is held"
}

registers! { Bank;
    STATUS = 0x000 .times(30, 8).shows(Bank::pin).drops();
    CTRL   = 0x004 .times(30, 8).reset(NULL).write(!0);
    // For each word four bits of eight pins: level low, level high, edge low, edge high.
    INTR   = 0x0f0 .times(4, 4).shows(|bank, at| bank.raw(at.n)).then(Bank::clear_edges);
    INTE   = 0x100 .times(4, 4).write(!0);
    INTF   = 0x110 .times(4, 4).write(!0);
    INTS   = 0x120 .times(4, 4).shows(|bank, at| bank.status(at.n)).drops();
    // The same registers for the other core and for dormant wake: stored only.
    OTHER  = 0x130 .times(24, 4).write(!0);
}

/// CTRL after reset: no function.
const NULL: u32 = 0x1f;

/// The bank.
#[derive(Clone, Default)]
pub(crate) struct Bank {
    regs: Regs<Self>,
    irq: Option<Irq>,
    levels: u32,
    /// Edges that were seen: falling, rising.
    edges: [u32; 2],
}

impl Bank {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Bank::new(around.irq))
    }

    fn new(irq: Option<Irq>) -> Bank {
        Bank {
            irq,
            ..Bank::default()
        }
    }

    /// The level, as it comes from outside and as it goes to the peripheral.
    fn pin(&self, at: At) -> u32 {
        let level = self.levels >> at.n & 1;
        level << 17 | level << 19
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
        let place = 4 * word as u32;
        self.raw(word) & self.regs[INTE + place] | self.regs[INTF + place]
    }

    fn clear_edges(&mut self, Write { n: word, value, .. }: Write) {
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

impl Peripheral for Bank {
    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, (0..4).any(|word| self.status(word) != 0), line);
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
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
