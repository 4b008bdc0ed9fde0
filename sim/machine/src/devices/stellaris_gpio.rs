//! The GPIO of Stellaris chips: Arm's PL061 (DDI 0190) with drive strengths and pulls (LM3S6965 data sheet, chapter 8). Eight pins, interrupts of
//! edges and levels; bits 2 to 9 of the address choose the bits of the data. Every pin is a digital one from the start, the debugger's too: committing
//! those (GPIOLOCK, GPIOCR) is not modelled.

use bus::{Device, DeviceError, Effect, Incoming, Irq, Port};

use super::pins::Pins;
use super::{Around, not_modelled};

const DIR: u32 = 0x400;
const IS: u32 = 0x404;
const IBE: u32 = 0x408;
const IEV: u32 = 0x40c;
const IM: u32 = 0x410;
const RIS: u32 = 0x414;
const MIS: u32 = 0x418;
const ICR: u32 = 0x41c;
const AFSEL: u32 = 0x420;
const DR2R: u32 = 0x500;
const DR4R: u32 = 0x504;
const DR8R: u32 = 0x508;
const ODR: u32 = 0x50c;
const PUR: u32 = 0x510;
const PDR: u32 = 0x514;
const SLR: u32 = 0x518;
const DEN: u32 = 0x51c;
/// Of later chips only. Luminary's library reads and writes it on all of them, where it is reserved to no effect.
const AMSEL: u32 = 0x528;
/// `GPIOPeriphID4` to 7, 0 to 3, `GPIOPCellID0` to 3, from offset 0xfd0.
const ID: [u32; 12] = [0, 0, 0, 0, 0x61, 0x00, 0x18, 0x01, 0x0d, 0xf0, 0x05, 0xb1];

/// One port.
#[derive(Clone)]
pub(crate) struct StellarisGpio {
    irq: Option<Irq>,
    out: u32,
    direction: u32,
    level: u32,
    both: u32,
    high: u32,
    mask: u32,
    /// What only holds: AFSEL, the strengths, open drain, the slew rate, what is digital.
    held: [u32; 7],
    pulls: [u32; 2],
    edges: u32,
    seen: u32,
    pins: Pins,
}

/// The place of a register that only holds.
fn held(offset: u32) -> Option<usize> {
    let all = [AFSEL, DR2R, DR4R, DR8R, ODR, SLR, DEN];
    all.iter().position(|&register| register == offset)
}

impl StellarisGpio {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(StellarisGpio::new(around.irq, Pins::of(around.name)))
    }

    fn new(irq: Option<Irq>, pins: Pins) -> StellarisGpio {
        StellarisGpio {
            irq,
            out: 0,
            direction: 0,
            level: 0,
            both: 0,
            high: 0,
            mask: 0,
            held: [0, 0xff, 0, 0, 0, 0, 0],
            pulls: [0; 2],
            edges: 0,
            seen: 0,
            pins: pins.with(8),
        }
    }

    fn settle(&mut self) {
        let driven = self.out & self.direction | self.pulls[0] & !self.direction;
        self.pins.settle(driven, self.direction);
        let levels = self.pins.levels();
        let wanted = self.both | !(levels ^ self.high);
        self.edges |= (levels ^ self.seen) & wanted & !self.level & 0xff;
        self.seen = levels;
    }

    fn raw(&self) -> u32 {
        let levels = !(self.pins.levels() ^ self.high) & self.level & 0xff;
        self.edges & !self.level | levels
    }

    fn register(&mut self, offset: u32) -> Option<&mut u32> {
        Some(match offset {
            DIR => &mut self.direction,
            IS => &mut self.level,
            IBE => &mut self.both,
            IEV => &mut self.high,
            IM => &mut self.mask,
            PUR => &mut self.pulls[0],
            PDR => &mut self.pulls[1],
            _ => &mut self.held[held(offset)?],
        })
    }
}

impl Device for StellarisGpio {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            register @ ..DIR => Ok(self.pins.levels() & register >> 2),
            RIS => Ok(self.raw()),
            AMSEL => Ok(0),
            MIS => Ok(self.raw() & self.mask),
            register @ 0xfd0..=0xffc => Ok(ID[(register - 0xfd0) as usize / 4]),
            register => match self.register(register) {
                Some(held) => Ok(*held),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let value = value & 0xff;
        match offset & !3 {
            register @ ..DIR => {
                let chosen = register >> 2;
                self.out = self.out & !chosen | value & chosen;
            }
            ICR => self.edges &= !value,
            AMSEL => {}
            register => {
                let Some(held) = self.register(register) else {
                    return not_modelled(format!("a write of {value:#x} to offset {register:#x}"));
                };
                *held = value;
                match register {
                    // One of three, and one of two: who is chosen clears the others (8.5, GPIODR2R, GPIOPUR).
                    DR2R..=DR8R => {
                        for other in [DR2R, DR4R, DR8R].into_iter().filter(|&other| other != register) {
                            self.register(other)
                                .into_iter()
                                .for_each(|other| *other &= !value);
                        }
                    }
                    PUR => self.pulls[1] &= !value,
                    PDR => self.pulls[0] &= !value,
                    _ => {}
                }
            }
        }
        self.settle();
        Ok(())
    }

    fn poll(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(irq) = self.irq {
            line(irq, self.raw() & self.mask != 0);
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
