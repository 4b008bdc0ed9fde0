//! The GPIO of Arm's Cortex-M System Design Kit (DDI 0479, 4.1): sixteen pins with outputs, alternative functions that are held, interrupts of
//! edges and levels, and masked access.

use bus::Irq;

use super::block::{Peripheral, Regs, Write, about, registers, tell};
use super::pins::Pins;

about! { CmsdkGpio, B,
    "DDI 0479, 4.1",
    "outputs, masked access, inputs by stimuli, interrupts of edges and levels",
    "alternative functions: they are held"
}

// Each SET sets bits that the CLR behind it clears.
registers! { CmsdkGpio pins;
    DATA       = 0x00 .shows(|port, _| port.pins.levels()).then(|port, write| port.regs[DATAOUT] = write.value & 0xffff);
    DATAOUT    = 0x04 .write(0xffff);
    OUTENSET   = 0x10 .sets(OUTENSET, 0xffff);
    OUTENCLR   = 0x14 .clears(OUTENSET, 0xffff);
    ALTFUNCSET = 0x18 .sets(ALTFUNCSET, 0xffff);
    ALTFUNCCLR = 0x1c .clears(ALTFUNCSET, 0xffff);
    INTENSET   = 0x20 .sets(INTENSET, 0xffff);
    INTENCLR   = 0x24 .clears(INTENSET, 0xffff);
    INTTYPESET = 0x28 .sets(INTTYPESET, 0xffff);
    INTTYPECLR = 0x2c .clears(INTTYPESET, 0xffff);
    INTPOLSET  = 0x30 .sets(INTPOLSET, 0xffff);
    INTPOLCLR  = 0x34 .clears(INTPOLSET, 0xffff);
    // Interrupts that came while enabled, until cleared. A level that persists sets its bit again.
    INTSTATUS  = 0x38 .clear(!0);
    // The address chooses the bits: of the lower byte, of the upper one.
    MASKLOW    = 0x400 .times(256, 4).shows(|port, at| port.pins.levels() & at.n as u32).then(|port, write| port.masked(0, write));
    MASKHIGH   = 0x800 .times(256, 4).shows(|port, at| port.pins.levels() & (at.n as u32) << 8).then(|port, write| port.masked(8, write));
}

/// One port.
#[derive(Clone, Default)]
pub(crate) struct CmsdkGpio {
    regs: Regs<Self>,
    irq: Option<Irq>,
    seen: u32,
    pins: Pins,
}

impl CmsdkGpio {
    pub(crate) fn new(irq: Option<Irq>) -> CmsdkGpio {
        CmsdkGpio {
            irq,
            pins: Pins::new(0, 16),
            ..CmsdkGpio::default()
        }
    }

    fn masked(&mut self, shift: u32, write: Write) {
        let mask = (write.n as u32) << shift;
        self.regs[DATAOUT] = self.regs[DATAOUT] & !mask | write.value & mask;
    }
}

impl Peripheral for CmsdkGpio {
    fn settle(&mut self, _now: u64) {
        let outputs = self.regs[OUTENSET];
        self.pins.settle(self.regs[DATAOUT] & outputs, outputs);
        let levels = self.pins.levels();
        let wanted = !(levels ^ self.regs[INTPOLSET]);
        let raw = wanted & (levels ^ self.seen | !self.regs[INTTYPESET]);
        self.regs[INTSTATUS] |= raw & self.regs[INTENSET] & 0xffff;
        self.seen = levels;
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.regs[INTSTATUS] != 0, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{Device, Incoming};

    #[test]
    fn a_masked_write_changes_its_pins_alone() {
        let mut port = CmsdkGpio::new(None);
        port.write(0x10, 4, 0xffff, 0).unwrap();
        port.write(DATAOUT, 4, 0xf0f0, 0).unwrap();
        port.write(MASKLOW + 4 * 0x0f, 4, 0xff, 0).unwrap();
        assert_eq!(port.read(DATA, 4, 0), Ok(0xf0ff));
        assert_eq!(port.read(MASKHIGH + 4 * 0x80, 4, 0), Ok(0x8000));
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
