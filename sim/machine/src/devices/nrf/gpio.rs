//! A GPIO port (nRF52840 PS 6.9), from its OUT register on: up to 32 pins. GPIOTE and PWM drive those that they have; GPIOTE hears of those that are
//! sensed.

use bus::{Device, DeviceError, Effect, Incoming, Port};
use std::collections::VecDeque;

use super::element;
use crate::devices::pins::Pins;
use crate::devices::{Around, not_modelled};

const OUT: u32 = 0x04;
const OUTSET: u32 = 0x08;
const OUTCLR: u32 = 0x0c;
const IN: u32 = 0x10;
const DIR: u32 = 0x14;
const DIRSET: u32 = 0x18;
const DIRCLR: u32 = 0x1c;
const LATCH: u32 = 0x20;
const DETECTMODE: u32 = 0x24;
const PIN_CNF: u32 = 0x200;
/// `PIN_CNF`: pulled up, sensed.
const PULL_UP: u32 = 3;

/// One port.
#[derive(Clone)]
pub(crate) struct Gpio {
    out: u32,
    dir: u32,
    latch: u32,
    mode: u32,
    configuration: [u32; 32],
    pins: Pins,
    /// The lines on which a peripheral drives each pin, those by which one has it, and how it is driven.
    driven_by: Vec<u16>,
    owned_by: Vec<u16>,
    driven: u32,
    driven_levels: u32,
    /// The line that tells of a sensed level, and what it told.
    detect: u16,
    detected: bool,
    effects: VecDeque<Effect>,
}

impl Gpio {
    /// `P0` or `P1`.
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let line = |pin: u32| around.wire(&pin.to_string());
        let owned = |pin: u32| around.wire(&format!("{pin}{}", super::OWNED));
        let number = around.name.bytes().next_back().unwrap_or(b'0').wrapping_sub(b'0');
        Box::new(Gpio {
            out: 0,
            dir: 0,
            latch: 0,
            mode: 0,
            configuration: [2; 32],
            pins: Pins::new(number, 32),
            driven_by: (0..32).map(line).collect(),
            owned_by: (0..32).map(owned).collect(),
            driven: 0,
            driven_levels: 0,
            detect: around.wires.number("DETECT"),
            detected: false,
            effects: VecDeque::new(),
        })
    }

    fn settle(&mut self) {
        let pulled = (0..32).filter(|&pin| self.configuration[pin as usize] >> 2 & 3 == PULL_UP);
        let pulled = pulled.fold(0, |all, pin: u32| all | 1 << pin);
        let own = self.dir & !self.driven;
        let levels = self.driven_levels & self.driven | self.out & own | pulled & !own & !self.driven;
        self.pins.settle(levels, own | self.driven);
        let sensed = (0..32).filter(|&pin| {
            let wanted = self.configuration[pin as usize] >> 16 & 3;
            let level = self.pins.levels() >> pin & 1 != 0;
            wanted == if level { 2 } else { 3 }
        });
        let sensed = sensed.fold(0, |all, pin: u32| all | 1 << pin);
        self.latch |= sensed;
        if (sensed != 0) != self.detected {
            self.detected = sensed != 0;
            let (number, level) = (self.detect, self.detected);
            self.effects.push_back(Effect::Wire { number, level });
        }
    }
}

impl Device for Gpio {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            OUT | OUTSET | OUTCLR => Ok(self.out),
            IN => {
                // The input buffer of a pin can be off.
                let on = (0..32).filter(|&pin| self.configuration[pin as usize] & 2 == 0);
                Ok(self.pins.levels() & on.fold(0, |all, pin: u32| all | 1 << pin))
            }
            DIR | DIRSET | DIRCLR => Ok(self.dir),
            LATCH => Ok(self.latch),
            DETECTMODE => Ok(self.mode),
            register => match element(register, PIN_CNF, 32) {
                Some(pin) => Ok(self.configuration[pin]),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            OUT => self.out = value,
            OUTSET => self.out |= value,
            OUTCLR => self.out &= !value,
            IN => {}
            DIR => self.dir = value,
            DIRSET => self.dir |= value,
            DIRCLR => self.dir &= !value,
            LATCH => self.latch &= !value,
            DETECTMODE if value == 0 => self.mode = 0,
            register => match element(register, PIN_CNF, 32) {
                Some(pin) => {
                    self.configuration[pin] = value;
                    self.dir = self.dir & !(1 << pin) | (value & 1) << pin;
                }
                None => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        self.settle();
        Ok(())
    }

    fn port(&self) -> Option<Port> {
        Some(self.pins.port())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.pins.take_effect().or_else(|| self.effects.pop_front())
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        let Effect::Wire { number, level } = effect else {
            return Ok(());
        };
        let set = |bits: u32, pin: usize| bits & !(1 << pin) | u32::from(level) << pin;
        let of = |lines: &[u16]| lines.iter().position(|&line| line == number);
        if let Some(pin) = of(&self.owned_by) {
            self.driven = set(self.driven, pin);
        } else if let Some(pin) = of(&self.driven_by) {
            self.driven_levels = set(self.driven_levels, pin);
        } else {
            return Ok(());
        }
        self.settle();
        Ok(())
    }

    fn stimulate(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        self.pins.stimulate(input)?;
        self.settle();
        Ok(())
    }
}
