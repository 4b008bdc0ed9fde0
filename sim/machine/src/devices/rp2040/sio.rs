//! The single-cycle I/O block (RP2040 datasheet 2.3.1) of the first core: pins with their aliases, divider, interpolators, spin locks.
//!
//! Its pins follow OUT and OE, whatever function `IO_BANK0` chooses. The second core does not exist: a write to its FIFO stops the run.

use bus::{Device, DeviceError, Effect};

use super::PINS;
use super::divider::Divider;
use super::interpolator::Interpolator;
use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::pins::Pins;
use crate::devices::{Around, not_modelled};

about! { Sio, B,
    "RP2040 datasheet 2.3.1",
    "pins with their aliases, levels by stimuli (`SIO.5@1000=low`), divider, interpolators, spin locks",
    "the other core"
}

registers! { Sio pins;
    CPUID        = 0x000;
    GPIO_IN      = 0x004 .shows(|sio, _| sio.pins.levels());
    GPIO_HI_IN   = 0x008;
    GPIO_OUT     = 0x010 .write(ALL);
    GPIO_OUT_SET = 0x014 .sets(GPIO_OUT, ALL);
    GPIO_OUT_CLR = 0x018 .clears(GPIO_OUT, ALL);
    GPIO_OUT_XOR = 0x01c .flips(GPIO_OUT, ALL);
    GPIO_OE      = 0x020 .write(ALL);
    GPIO_OE_SET  = 0x024 .sets(GPIO_OE, ALL);
    GPIO_OE_CLR  = 0x028 .clears(GPIO_OE, ALL);
    GPIO_OE_XOR  = 0x02c .flips(GPIO_OE, ALL);
    // The unconnected flash pins.
    GPIO_HI_OUT     = 0x030 .write(0x3f);
    GPIO_HI_OUT_SET = 0x034 .sets(GPIO_HI_OUT, 0x3f);
    GPIO_HI_OUT_CLR = 0x038 .clears(GPIO_HI_OUT, 0x3f);
    GPIO_HI_OUT_XOR = 0x03c .flips(GPIO_HI_OUT, 0x3f);
    GPIO_HI_OE      = 0x040 .write(0x3f);
    GPIO_HI_OE_SET  = 0x044 .sets(GPIO_HI_OE, 0x3f);
    GPIO_HI_OE_CLR  = 0x048 .clears(GPIO_HI_OE, 0x3f);
    GPIO_HI_OE_XOR  = 0x04c .flips(GPIO_HI_OE, 0x3f);
    // There is room. Any value that is written clears the flag of an empty one that was read.
    FIFO_ST      = 0x050 .reset(READY).then(|sio, _| sio.regs[FIFO_ST] = READY);
    FIFO_WR      = 0x054 .hidden().tries(|_, _| not_modelled("FIFO_WR: a word for the other core"));
    // Nothing ever comes from the other core.
    FIFO_RD      = 0x058 .taken(|sio, _| sio.regs[FIFO_ST] |= READ_EMPTY);
    SPINLOCK_ST  = 0x05c;
    DIVIDER      = 0x060 .times(7, 4).shows(|sio, at| sio.divider.clone().read(at.n, at.now)).taken(|sio, at| { sio.divider.read(at.n, at.now); })
        .then(|sio, write| sio.divider.write(write.n, write.value, write.now));
    // Sixteen of each.
    INTERPOLATOR = 0x080 .times(32, 4).shows(|sio, at| sio.interpolators[at.n / 16].clone().read(at.n % 16))
        .taken(|sio, at| { sio.interpolators[at.n / 16].read(at.n % 16); })
        .then(|sio, write| sio.interpolators[write.n / 16].write(write.n % 16, write.value));
    // A read claims a lock that is free, a write frees it.
    SPINLOCK     = 0x100 .times(32, 4).shows(|sio, at| !sio.regs[SPINLOCK_ST] & 1 << at.n)
        .taken(|sio, at| sio.regs[SPINLOCK_ST] |= 1 << at.n).then(|sio, write| sio.regs[SPINLOCK_ST] &= !(1 << write.n));
}

const ALL: u32 = (1 << PINS) - 1;
const READY: u32 = 1 << 1;
const READ_EMPTY: u32 = 1 << 3;

/// The block.
#[derive(Clone)]
pub(crate) struct Sio {
    regs: Regs<Self>,
    pulled_up: u32,
    pulls: Vec<u16>,
    pins: Pins,
    divider: Divider,
    interpolators: [Interpolator; 2],
}

impl Sio {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let pull = |pin: u32| around.wires.number(&format!("PULL_{pin}"));
        Box::new(Sio::new((0..PINS).map(pull).collect()))
    }

    fn new(pulls: Vec<u16>) -> Sio {
        Sio {
            regs: Regs::default(),
            pulled_up: 0,
            pulls,
            pins: Pins::new(0, PINS as u8),
            divider: Divider::default(),
            interpolators: [Interpolator::new(true), Interpolator::new(false)],
        }
    }
}

impl Peripheral for Sio {
    const ACCESS: Access = Access::Repeated;

    fn settle(&mut self, _now: u64) {
        let outputs = self.regs[GPIO_OE];
        let levels = self.regs[GPIO_OUT] & outputs | self.pulled_up & !outputs;
        self.pins.settle(levels, outputs);
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Wire { number, level } = effect
            && let Some(pin) = self.pulls.iter().position(|&pull| pull == number)
        {
            self.pulled_up = self.pulled_up & !(1 << pin) | u32::from(level) << pin;
            self.settle(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Incoming;

    #[test]
    fn pins_have_aliases_and_pulls() {
        let mut sio = Sio::new((1..31).collect());
        sio.write(GPIO_OE + 4, 4, 1 << 25, 0).unwrap();
        sio.write(GPIO_OUT + 12, 4, 1 << 25, 0).unwrap();
        assert_eq!(
            sio.take_effect(),
            Some(Effect::Pin {
                port: 0,
                pin: 25,
                level: true
            })
        );
        sio.hear(
            Effect::Wire {
                number: 3,
                level: true,
            },
            0,
        )
        .unwrap();
        assert_eq!(sio.read(GPIO_IN, 4, 0), Ok(1 << 25 | 1 << 2));
        sio.stimulate(
            &Incoming::Pin {
                pin: 2,
                level: Some(false),
            },
            0,
        )
        .unwrap();
        assert_eq!(sio.read(GPIO_IN, 4, 0), Ok(1 << 25));
    }

    /// Every write is one of a word, in which the core repeats its byte (2.1.4).
    #[test]
    fn a_byte_is_written_four_times_and_read_alone() {
        let mut sio = Sio::new(vec![0; 30]);
        sio.write(GPIO_OUT + 2, 1, 0x1a5, 0).unwrap();
        assert_eq!(sio.read(GPIO_OUT, 4, 0), Ok(0x25a5_a5a5));
        assert_eq!(
            (sio.read(GPIO_OUT + 3, 1, 0), sio.read(GPIO_OUT + 2, 2, 0)),
            (Ok(0x25), Ok(0x25a5))
        );
    }

    #[test]
    fn a_lock_is_had_once() {
        let mut sio = Sio::new(vec![0; 30]);
        assert_eq!(
            (sio.read(0x17c, 4, 0), sio.read(0x17c, 4, 0)),
            (Ok(1 << 31), Ok(0))
        );
        sio.write(0x17c, 4, 1, 0).unwrap();
        assert_eq!(sio.read(0x17c, 4, 0), Ok(1 << 31));
        assert!(sio.write(0x54, 4, 0, 0).is_err(), "the other core");
        assert_eq!(
            (sio.read(FIFO_RD, 4, 0), sio.read(FIFO_ST, 4, 0)),
            (Ok(0), Ok(READY | READ_EMPTY))
        );
        sio.write(FIFO_ST, 4, 0, 0).unwrap();
        assert_eq!(sio.read(FIFO_ST, 4, 0), Ok(READY));
    }
}
