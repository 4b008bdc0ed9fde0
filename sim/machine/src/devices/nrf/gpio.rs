//! A GPIO port (nRF52840 PS 6.9), from its OUT register on: up to 32 pins. GPIOTE and PWM drive those that they have; GPIOTE hears of those that are
//! sensed.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};

use crate::devices::Around;
use crate::devices::block::{At, Peripheral, Regs, Write, about, registers};
use crate::devices::pins::Pins;

about! { Gpio, B,
    "nRF52840 PS 6.9",
    "up to 32 pins: outputs, pulls, sensing and its latch, pins that GPIOTE and PWM drive; inputs by stimuli",
    "drive strengths: they are held"
}

registers! { Gpio pins;
    OUT        = 0x04 .write(!0);
    OUTSET     = 0x08 .sets(OUT, !0);
    OUTCLR     = 0x0c .clears(OUT, !0);
    IN         = 0x10 .shows(Gpio::input).drops();
    DIR        = 0x14 .write(!0);
    DIRSET     = 0x18 .sets(DIR, !0);
    DIRCLR     = 0x1c .clears(DIR, !0);
    LATCH      = 0x20 .clear(!0).then(Gpio::clear_latch);
    DETECTMODE = 0x24 .write(LDETECT);
    PIN_CNF    = 0x200 .times(32, 4).reset(2).write(!0).then(Gpio::configure);
}

/// DETECTMODE: what is latched is told, in place of what is sensed.
const LDETECT: u32 = 1;
/// `PIN_CNF`: pulled up, sensed.
const PULL_UP: u32 = 3;

/// One port.
#[derive(Clone, Default)]
pub(crate) struct Gpio {
    regs: Regs<Self>,
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
            pins: Pins::new(number, 32),
            ..Gpio::default()
        }
    }

    fn tell(&mut self, level: bool) {
        self.detected = level;
        let number = self.detect;
        self.effects.push_back(Effect::Wire { number, level });
    }

    /// Bits that are cleared while their pin is still sensed are set again; what is latched behind that is another edge of LDETECT (6.9.1).
    fn clear_latch(&mut self, write: Write) {
        self.settle(write.now);
        if self.regs[DETECTMODE] == LDETECT && self.regs[LATCH] != 0 {
            self.tell(false);
            self.tell(true);
        }
    }

    fn configuration(&self, pin: u32) -> u32 {
        self.regs[PIN_CNF + 4 * pin]
    }

    fn configure(&mut self, write: Write) {
        self.regs[DIR] = self.regs[DIR] & !(1 << write.n) | (write.value & 1) << write.n;
    }

    /// The input buffer of a pin can be off.
    fn input(&self, _: At) -> u32 {
        let on = (0..32).filter(|&pin| self.configuration(pin) & 2 == 0);
        self.pins.levels() & on.fold(0, |all, pin| all | 1 << pin)
    }
}

impl Peripheral for Gpio {
    fn settle(&mut self, _now: u64) {
        let pulled = (0..32).filter(|&pin| self.configuration(pin) >> 2 & 3 == PULL_UP);
        let pulled = pulled.fold(0, |all, pin: u32| all | 1 << pin);
        let own = self.regs[DIR] & !self.driven;
        let levels = self.driven_levels & self.driven | self.regs[OUT] & own | pulled & !own & !self.driven;
        self.pins.settle(levels, own | self.driven);
        let sensed = (0..32).filter(|&pin| {
            let wanted = self.configuration(pin) >> 16 & 3;
            let level = self.pins.levels() >> pin & 1 != 0;
            wanted == if level { 2 } else { 3 }
        });
        let sensed = sensed.fold(0, |all, pin: u32| all | 1 << pin);
        self.regs[LATCH] |= sensed;
        let level = if self.regs[DETECTMODE] == LDETECT {
            self.regs[LATCH]
        } else {
            sensed
        } != 0;
        if level != self.detected {
            self.tell(level);
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
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
        self.settle(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Incoming;

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
