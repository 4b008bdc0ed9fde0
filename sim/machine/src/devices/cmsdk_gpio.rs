//! The GPIO of Arm's Cortex-M System Design Kit (DDI 0479, 4.1): sixteen pins with outputs, alternative functions that are held, interrupts of
//! edges and levels, and masked access.

use bus::{Device, DeviceError, Effect, Incoming, Irq, Port};

use super::not_modelled;
use super::pins::Pins;

const DATA: u32 = 0x00;
const DATAOUT: u32 = 0x04;
/// Each of these sets bits, and the one behind clears them: output enable, alternative function, interrupt enable, edge, rising or high.
const PAIRS: std::ops::Range<u32> = 0x10..0x38;
const INTSTATUS: u32 = 0x38;
/// Behind it, the address chooses the bits: of the lower byte, of the upper one.
const MASKLOW: std::ops::Range<u32> = 0x400..0x800;
const MASKHIGH: std::ops::Range<u32> = 0x800..0xc00;

const OUTPUT: usize = 0;
const ENABLED: usize = 2;
const EDGE: usize = 3;
const HIGH: usize = 4;

/// One port.
#[derive(Clone)]
pub(crate) struct CmsdkGpio {
    irq: Option<Irq>,
    out: u32,
    pairs: [u32; 5],
    /// INTSTATUS: what came while it was enabled, until it is cleared.
    status: u32,
    seen: u32,
    pins: Pins,
}

impl CmsdkGpio {
    pub(crate) fn new(irq: Option<Irq>) -> CmsdkGpio {
        CmsdkGpio {
            irq,
            out: 0,
            pairs: [0; 5],
            status: 0,
            seen: 0,
            pins: Pins::new(0, 16),
        }
    }

    fn settle(&mut self) {
        self.pins
            .settle(self.out & self.pairs[OUTPUT], self.pairs[OUTPUT]);
        let levels = self.pins.levels();
        let wanted = !(levels ^ self.pairs[HIGH]);
        let raw = wanted & (levels ^ self.seen | !self.pairs[EDGE]);
        self.status |= raw & self.pairs[ENABLED] & 0xffff;
        self.seen = levels;
    }
}

/// The pins that a masked access is for, if the offset is one's.
fn mask(offset: u32) -> Option<u32> {
    let chosen = offset >> 2 & 0xff;
    match offset {
        _ if MASKLOW.contains(&offset) => Some(chosen),
        _ if MASKHIGH.contains(&offset) => Some(chosen << 8),
        _ => None,
    }
}

impl Device for CmsdkGpio {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            DATA => Ok(self.pins.levels()),
            DATAOUT => Ok(self.out),
            INTSTATUS => Ok(self.status),
            register if PAIRS.contains(&register) => Ok(self.pairs[((register - PAIRS.start) / 8) as usize]),
            register => match mask(register) {
                Some(mask) => Ok(self.pins.levels() & mask),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            DATA | DATAOUT => self.out = value & 0xffff,
            // A level that is still there sets its bit again.
            INTSTATUS => self.status &= !value,
            register if PAIRS.contains(&register) => {
                let pair = &mut self.pairs[((register - PAIRS.start) / 8) as usize];
                *pair = if register % 8 == 0 {
                    *pair | value & 0xffff
                } else {
                    *pair & !value
                };
            }
            register => match mask(register) {
                Some(mask) => self.out = self.out & !mask | value & mask,
                None => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        self.settle();
        Ok(())
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(irq) = self.irq {
            line(irq, self.status != 0);
        }
    }

    fn port(&self) -> Option<Port> {
        Some(self.pins.port())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.pins.take_effect()
    }

    fn stimulate(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        self.pins.stimulate(input)?;
        self.settle();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_write_changes_its_pins_alone() {
        let mut port = CmsdkGpio::new(None);
        port.write(0x10, 4, 0xffff, 0).unwrap();
        port.write(DATAOUT, 4, 0xf0f0, 0).unwrap();
        port.write(MASKLOW.start + 4 * 0x0f, 4, 0xff, 0).unwrap();
        assert_eq!(port.read(DATA, 4, 0), Ok(0xf0ff));
        assert_eq!(port.read(MASKHIGH.start + 4 * 0x80, 4, 0), Ok(0x8000));
    }

    #[test]
    fn an_edge_interrupts_until_it_is_cleared() {
        let mut port = CmsdkGpio::new(Some(Irq::External(6)));
        for register in [0x20, 0x28, 0x30] {
            port.write(register, 4, 1 << 3, 0).unwrap();
        }
        let drive = |port: &mut CmsdkGpio, level| {
            port.stimulate(
                &Incoming::Pin {
                    pin: 3,
                    level: Some(level),
                },
                0,
            )
            .unwrap();
            port.read(INTSTATUS, 4, 0).unwrap()
        };
        assert_eq!((drive(&mut port, true), drive(&mut port, false)), (8, 8));
        port.write(INTSTATUS, 4, 8, 0).unwrap();
        assert_eq!(port.read(INTSTATUS, 4, 0), Ok(0));
    }

    /// As the kit's registers take what comes: masked before it is kept, kept until it is cleared.
    #[test]
    fn what_is_not_enabled_leaves_nothing_and_a_level_stays_until_it_is_cleared() {
        let mut port = CmsdkGpio::new(Some(Irq::External(6)));
        let drive = |port: &mut CmsdkGpio, pin, level| {
            let level = Some(level);
            port.stimulate(&Incoming::Pin { pin, level }, 0).unwrap();
        };
        // Pin 3 by rising edges, pin 4 by its level.
        for (register, pins) in [(0x28, 8), (0x30, 0x18)] {
            port.write(register, 4, pins, 0).unwrap();
        }
        drive(&mut port, 3, true);
        port.write(0x20, 4, 0x18, 0).unwrap();
        assert_eq!(port.read(INTSTATUS, 4, 0), Ok(0), "an edge before it was enabled");
        drive(&mut port, 4, true);
        port.write(INTSTATUS, 4, 0x10, 0).unwrap();
        assert_eq!(port.read(INTSTATUS, 4, 0), Ok(0x10), "it is still there");
        drive(&mut port, 4, false);
        port.write(0x24, 4, 0x10, 0).unwrap();
        assert_eq!(port.read(INTSTATUS, 4, 0), Ok(0x10), "kept");
        port.write(INTSTATUS, 4, 0x10, 0).unwrap();
        assert_eq!(port.read(INTSTATUS, 4, 0), Ok(0));
    }
}
