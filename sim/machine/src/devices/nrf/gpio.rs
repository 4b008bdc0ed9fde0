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
/// DETECTMODE: what is latched is told, in place of what is sensed.
const LDETECT: u32 = 1;
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
            driven_by: (0..32).map(line).collect(),
            owned_by: (0..32).map(owned).collect(),
            detect: around.wires.number("DETECT"),
            ..Gpio::new(number)
        })
    }

    /// Port 0 or 1, without lines.
    fn new(number: u8) -> Gpio {
        Gpio {
            out: 0,
            dir: 0,
            latch: 0,
            mode: 0,
            configuration: [2; 32],
            pins: Pins::new(number, 32),
            driven_by: Vec::new(),
            owned_by: Vec::new(),
            driven: 0,
            driven_levels: 0,
            detect: 0,
            detected: false,
            effects: VecDeque::new(),
        }
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
        let level = if self.mode == LDETECT { self.latch } else { sensed } != 0;
        if level != self.detected {
            self.tell(level);
        }
    }

    fn tell(&mut self, level: bool) {
        self.detected = level;
        let number = self.detect;
        self.effects.push_back(Effect::Wire { number, level });
    }

    /// Bits that are cleared while their pin is still sensed are set again; what is latched behind that is another edge of LDETECT (6.9.1).
    fn clear_latch(&mut self, bits: u32) {
        self.latch &= !bits;
        self.settle();
        if self.mode == LDETECT && self.latch != 0 {
            self.tell(false);
            self.tell(true);
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
            LATCH => self.clear_latch(value),
            DETECTMODE => self.mode = value & LDETECT,
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

#[cfg(test)]
mod tests {
    use super::*;

    const DETECT_LINE: u16 = 9;

    /// Pin 5 drives pin 5: line 1 its level, line 2 who has it.
    fn gpio() -> Gpio {
        let line = |number: u16| (0..32).map(|pin| if pin == 5 { number } else { 0 }).collect();
        Gpio {
            driven_by: line(1),
            owned_by: line(2),
            detect: DETECT_LINE,
            ..Gpio::new(0)
        }
    }

    fn pin(gpio: &mut Gpio, pin: u8, level: bool) {
        let level = Some(level);
        gpio.stimulate(&Incoming::Pin { pin, level }, 0).unwrap();
    }

    /// The levels of DETECT that were told since.
    fn detected(gpio: &mut Gpio) -> Vec<bool> {
        let told = std::iter::from_fn(|| gpio.take_effect());
        told.filter_map(|effect| match effect {
            Effect::Wire { number, level } if number == DETECT_LINE => Some(level),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn a_peripheral_has_its_pin_until_it_lets_it_go() {
        let mut gpio = gpio();
        for (register, value) in [(DIRSET, 1 << 5), (OUTSET, 1 << 5)] {
            gpio.write(register, 4, value, 0).unwrap();
        }
        let level = |gpio: &Gpio| gpio.pins.levels() >> 5 & 1 != 0;
        let wire = |number, level| Effect::Wire { number, level };
        gpio.hear(wire(1, false), 0).unwrap();
        assert!(level(&gpio), "nobody has it");
        gpio.hear(wire(2, true), 0).unwrap();
        assert!(!level(&gpio));
        gpio.write(OUTSET, 4, 1 << 5, 0).unwrap();
        assert!(!level(&gpio), "what the port would put out");
        gpio.hear(wire(2, false), 0).unwrap();
        assert!(level(&gpio));
    }

    #[test]
    fn detect_follows_the_pins_that_are_sensed() {
        let mut gpio = gpio();
        // Pins 3 and 4, high.
        for register in [PIN_CNF + 12, PIN_CNF + 16] {
            gpio.write(register, 4, 2 << 16, 0).unwrap();
        }
        pin(&mut gpio, 3, true);
        pin(&mut gpio, 4, true);
        assert_eq!(
            (detected(&mut gpio), gpio.read(LATCH, 4, 0)),
            (vec![true], Ok(0x18))
        );
        pin(&mut gpio, 3, false);
        assert_eq!(detected(&mut gpio), []);
        pin(&mut gpio, 4, false);
        assert_eq!(
            (detected(&mut gpio), gpio.read(LATCH, 4, 0)),
            (vec![false], Ok(0x18))
        );
        gpio.write(LATCH, 4, 0x18, 0).unwrap();
        assert_eq!((detected(&mut gpio), gpio.read(LATCH, 4, 0)), (vec![], Ok(0)));
    }

    #[test]
    fn ldetect_follows_what_is_latched_and_rises_again_behind_a_clear() {
        let mut gpio = gpio();
        gpio.write(DETECTMODE, 4, LDETECT, 0).unwrap();
        for register in [PIN_CNF + 12, PIN_CNF + 16] {
            gpio.write(register, 4, 2 << 16, 0).unwrap();
        }
        pin(&mut gpio, 3, true);
        pin(&mut gpio, 3, false);
        assert_eq!(detected(&mut gpio), [true], "it stays");
        pin(&mut gpio, 4, true);
        assert_eq!(detected(&mut gpio), []);
        gpio.write(LATCH, 4, 8, 0).unwrap();
        assert_eq!(detected(&mut gpio), [false, true], "pin 4 is still to be served");
        gpio.write(LATCH, 4, 0x10, 0).unwrap();
        assert_eq!(gpio.read(LATCH, 4, 0), Ok(0x10), "it is still sensed");
        detected(&mut gpio);
        pin(&mut gpio, 4, false);
        gpio.write(LATCH, 4, 0x10, 0).unwrap();
        assert_eq!(
            (detected(&mut gpio), gpio.read(DETECTMODE, 4, 0)),
            (vec![false], Ok(1))
        );
    }
}
