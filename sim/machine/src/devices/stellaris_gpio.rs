//! The GPIO of Stellaris chips: Arm's PL061 (DDI 0190) with drive strengths and pulls (LM3S6965 data sheet, chapter 8). Eight pins, interrupts of
//! edges and levels; bits 2 to 9 of the address choose the bits of the data. Every pin is a digital one from the start, the debugger's too: committing
//! those (GPIOLOCK, GPIOCR) is not modelled.

use bus::{Device, Irq};

use super::Around;
use super::block::{Peripheral, Regs, Write, about, registers, tell};
use super::pins::Pins;

about! { StellarisGpio, B,
    "DDI 0190; LM3S6965 data sheet, 8",
    "outputs, masked access, pulls, inputs by stimuli, interrupts of edges and levels",
    "alternative functions; committing the debugger's pins"
}

registers! { StellarisGpio pins;
    // The address chooses the bits.
    DATA  = 0x000 .times(256, 4).shows(|port, at| port.pins.levels() & at.n as u32).then(StellarisGpio::write_data);
    DIR   = 0x400 .write(0xff);
    IS    = 0x404 .write(0xff);
    IBE   = 0x408 .write(0xff);
    IEV   = 0x40c .write(0xff);
    IM    = 0x410 .write(0xff);
    RIS   = 0x414 .shows(|port, _| port.raw());
    MIS   = 0x418 .shows(|port, _| port.raw() & port.regs[IM]);
    ICR   = 0x41c .hidden().then(|port, write| port.edges &= !write.value);
    AFSEL = 0x420 .write(0xff);
    // One of three, and one of two: who is chosen clears the others (8.5, GPIODR2R, GPIOPUR).
    DR2R  = 0x500 .reset(0xff).write(0xff).then(|port, write| port.clear([DR4R, DR8R], write));
    DR4R  = 0x504 .write(0xff).then(|port, write| port.clear([DR2R, DR8R], write));
    DR8R  = 0x508 .write(0xff).then(|port, write| port.clear([DR2R, DR4R], write));
    ODR   = 0x50c .write(0xff);
    PUR   = 0x510 .write(0xff).then(|port, write| port.clear([PDR], write));
    PDR   = 0x514 .write(0xff).then(|port, write| port.clear([PUR], write));
    SLR   = 0x518 .write(0xff);
    DEN   = 0x51c .write(0xff);
    // Of later chips only. Luminary's library reads and writes it on all of them, where it is reserved to no effect.
    AMSEL = 0x528 .drops();
    // Of peripheral and cell.
    ID    = 0xfd0 .times(12, 4).shows(|_, at| [0, 0, 0, 0, 0x61, 0x00, 0x18, 0x01, 0x0d, 0xf0, 0x05, 0xb1][at.n]);
}

/// One port.
#[derive(Clone, Default)]
pub(crate) struct StellarisGpio {
    regs: Regs<Self>,
    irq: Option<Irq>,
    out: u32,
    edges: u32,
    seen: u32,
    pins: Pins,
}

impl StellarisGpio {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(StellarisGpio::new(around.irq, Pins::of(around.name)))
    }

    fn new(irq: Option<Irq>, pins: Pins) -> StellarisGpio {
        StellarisGpio {
            irq,
            pins: pins.with(8),
            ..StellarisGpio::default()
        }
    }

    fn write_data(&mut self, write: Write) {
        let chosen = write.n as u32;
        self.out = self.out & !chosen | write.value & chosen;
    }

    fn clear<const N: usize>(&mut self, others: [u32; N], write: Write) {
        for other in others {
            self.regs[other] &= !write.value;
        }
    }

    fn raw(&self) -> u32 {
        let level = self.regs[IS];
        let levels = !(self.pins.levels() ^ self.regs[IEV]) & level;
        self.edges & !level | levels
    }
}

impl Peripheral for StellarisGpio {
    fn settle(&mut self, _now: u64) {
        let outputs = self.regs[DIR];
        let driven = self.out & outputs | self.regs[PUR] & !outputs;
        self.pins.settle(driven, outputs);
        let levels = self.pins.levels();
        let wanted = self.regs[IBE] | !(levels ^ self.regs[IEV]);
        self.edges |= (levels ^ self.seen) & wanted & !self.regs[IS] & 0xff;
        self.seen = levels;
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.raw() & self.regs[IM] != 0, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Incoming;

    fn port() -> StellarisGpio {
        StellarisGpio::new(Some(Irq::External(0)), Pins::of("GPIOA"))
    }

    fn drive(port: &mut StellarisGpio, pin: u8, level: bool) {
        let level = Some(level);
        port.stimulate(&Incoming::Pin { pin, level }, 0).unwrap();
    }

    fn line(port: &mut StellarisGpio) -> bool {
        let mut last = false;
        port.poll(0, &mut |_, level| last = level);
        last
    }

    #[test]
    fn the_address_chooses_the_bits() {
        let mut port = port();
        port.write(DIR, 4, 0xf0, 0).unwrap();
        port.write(0xa5 << 2, 4, 0xff, 0).unwrap();
        // Inputs are driven by nobody.
        assert_eq!(port.read(0xff << 2, 4, 0), Ok(0xa0));
        assert_eq!(port.read(0x80 << 2, 4, 0), Ok(0x80));
        port.write(0x80 << 2, 4, 0, 0).unwrap();
        assert_eq!(port.read(0xff << 2, 4, 0), Ok(0x20));
    }

    #[test]
    fn edges_and_levels_interrupt() {
        let mut port = port();
        for (register, value) in [(IS, 0b100), (IBE, 0b010), (IEV, 0b101), (IM, 0b111)] {
            port.write(register, 4, value, 0).unwrap();
        }
        drive(&mut port, 0, true);
        assert_eq!((port.read(MIS, 4, 0), line(&mut port)), (Ok(0b001), true));
        port.write(ICR, 4, 0xff, 0).unwrap();
        drive(&mut port, 0, false);
        assert_eq!((port.read(RIS, 4, 0), line(&mut port)), (Ok(0), false));
        // Both edges; and a level, which a clear does not end.
        for level in [true, false] {
            drive(&mut port, 1, level);
            assert_eq!(port.read(RIS, 4, 0), Ok(0b010));
            port.write(ICR, 4, 0b010, 0).unwrap();
        }
        drive(&mut port, 2, true);
        port.write(ICR, 4, 0xff, 0).unwrap();
        assert_eq!(port.read(RIS, 4, 0), Ok(0b100));
        drive(&mut port, 2, false);
        assert_eq!(port.read(RIS, 4, 0), Ok(0));
    }

    #[test]
    fn a_strength_and_a_pull_clear_the_others() {
        let mut port = port();
        port.write(DR8R, 4, 0x0f, 0).unwrap();
        assert_eq!(
            (port.read(DR2R, 4, 0), port.read(DR8R, 4, 0)),
            (Ok(0xf0), Ok(0x0f))
        );
        port.write(PUR, 4, 3, 0).unwrap();
        assert_eq!(port.read(0xff << 2, 4, 0), Ok(3));
        port.write(PDR, 4, 1, 0).unwrap();
        assert_eq!((port.read(0xff << 2, 4, 0), port.read(PUR, 4, 0)), (Ok(2), Ok(2)));
        assert!(port.write(AMSEL, 4, 1, 0).is_ok());
        assert_eq!(port.read(AMSEL, 4, 0), Ok(0));
        assert!(port.write(0x520, 4, 1, 0).is_err());
    }
}
