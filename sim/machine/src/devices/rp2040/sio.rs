//! The single-cycle I/O block (2.3.1), of the first core: pins with their aliases, divider, interpolators, spin locks.
//!
//! Its pins follow OUT and OE whatever function `IO_BANK0` chooses. The other core is not there: what is put into its FIFO stops the run.

use bus::{Device, DeviceError, Effect, Incoming, Port};

use super::PINS;
use super::divider::Divider;
use super::interpolator::Interpolator;
use crate::devices::atomic::replicated;
use crate::devices::pins::Pins;
use crate::devices::words::part;
use crate::devices::{Around, not_modelled};

const CPUID: u32 = 0x00;
const GPIO_IN: u32 = 0x04;
const GPIO_HI_IN: u32 = 0x08;
const GPIO_OUT: u32 = 0x10;
const GPIO_OE: u32 = 0x20;
const GPIO_HI: u32 = 0x30;
const FIFO_ST: u32 = 0x50;
const FIFO_RD: u32 = 0x58;
const SPINLOCK_ST: u32 = 0x5c;
const DIVIDER: u32 = 0x60;
const INTERPOLATORS: u32 = 0x80;
const SPINLOCKS: u32 = 0x100;
const END: u32 = 0x180;
/// `FIFO_ST`: there is room; an empty one was read, until any value is written there.
const READY: u32 = 1 << 1;
const READ_EMPTY: u32 = 1 << 3;

/// The block.
#[derive(Clone)]
pub(crate) struct Sio {
    out: u32,
    enabled: u32,
    /// Of the pins of the flash, which nothing is connected to: OUT and OE.
    flash: [u32; 2],
    pulled_up: u32,
    pulls: Vec<u16>,
    pins: Pins,
    divider: Divider,
    interpolators: [Interpolator; 2],
    locks: u32,
    read_empty: bool,
}

impl Sio {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let pull = |pin: u32| around.wires.number(&format!("PULL_{pin}"));
        Box::new(Sio::new((0..PINS).map(pull).collect()))
    }

    fn new(pulls: Vec<u16>) -> Sio {
        Sio {
            out: 0,
            enabled: 0,
            flash: [0; 2],
            pulled_up: 0,
            pulls,
            pins: Pins::new(0, PINS as u8),
            divider: Divider::default(),
            interpolators: [Interpolator::new(true), Interpolator::new(false)],
            locks: 0,
            read_empty: false,
        }
    }

    fn settle(&mut self) {
        let levels = self.out & self.enabled | self.pulled_up & !self.enabled;
        self.pins.settle(levels, self.enabled);
    }

    fn read_word(&mut self, register: u32, now: u64) -> Result<u32, DeviceError> {
        let index = |first: u32| ((register - first) / 4) as usize;
        match register {
            CPUID | GPIO_HI_IN => Ok(0),
            GPIO_IN => Ok(self.pins.levels()),
            GPIO_OUT..GPIO_OE => Ok(self.out),
            GPIO_OE..GPIO_HI => Ok(self.enabled),
            GPIO_HI..FIFO_ST => Ok(self.flash[index(GPIO_HI) / 4]),
            // Nothing ever comes from the other core.
            FIFO_ST => Ok(READY | if self.read_empty { READ_EMPTY } else { 0 }),
            FIFO_RD => {
                self.read_empty = true;
                Ok(0)
            }
            SPINLOCK_ST => Ok(self.locks),
            DIVIDER..0x7c => Ok(self.divider.read(index(DIVIDER), now)),
            INTERPOLATORS..SPINLOCKS => {
                let index = index(INTERPOLATORS);
                Ok(self.interpolators[index / 16].read(index % 16))
            }
            SPINLOCKS..END => {
                let lock = 1 << index(SPINLOCKS);
                let free = self.locks & lock == 0;
                self.locks |= lock;
                Ok(if free { lock } else { 0 })
            }
            _ => not_modelled(format!("a read of offset {register:#x}")),
        }
    }
}

/// What a write to a register or its aliases, which set, clear and flip, makes of it.
fn changed(old: u32, alias: u32, value: u32) -> u32 {
    match alias & 0xc {
        0x0 => value,
        0x4 => old | value,
        0x8 => old & !value,
        _ => old ^ value,
    }
}

impl Device for Sio {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        self.read_word(offset & !3, now)
            .map(|word| part(word, offset, size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let (register, value) = (offset & !3, replicated(value, size));
        let index = |first: u32| ((register - first) / 4) as usize;
        match register {
            GPIO_OUT..GPIO_OE => self.out = changed(self.out, register, value) & ((1 << PINS) - 1),
            GPIO_OE..GPIO_HI => self.enabled = changed(self.enabled, register, value) & ((1 << PINS) - 1),
            GPIO_HI..FIFO_ST => {
                let held = &mut self.flash[((register - GPIO_HI) / 16) as usize];
                *held = changed(*held, register, value) & 0x3f;
            }
            FIFO_ST => self.read_empty = false,
            0x54 => return not_modelled("FIFO_WR: a word for the other core"),
            DIVIDER..0x7c => self.divider.write(index(DIVIDER), value, now),
            INTERPOLATORS..SPINLOCKS => {
                let index = index(INTERPOLATORS);
                self.interpolators[index / 16].write(index % 16, value);
            }
            SPINLOCKS..END => self.locks &= !(1 << index(SPINLOCKS)),
            _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        self.settle();
        Ok(())
    }

    fn port(&self) -> Option<Port> {
        Some(self.pins.port())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.pins.take_effect()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Wire { number, level } = effect
            && let Some(pin) = self.pulls.iter().position(|&pull| pull == number)
        {
            self.pulled_up = self.pulled_up & !(1 << pin) | u32::from(level) << pin;
            self.settle();
        }
        Ok(())
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
