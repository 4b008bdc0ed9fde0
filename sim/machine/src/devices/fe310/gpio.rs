//! GPIO (manual, chapter 17), 32 pins.
//!
//! Nothing is connected: a pin that is an output reads what it drives, another one its pull-up. A pin that a peripheral has
//! (`IOF_EN`) reads 0. Each pin has an interrupt line of its own, on which four kinds of events meet.

use bus::Irq;

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::output::Output;
use crate::devices::pins::Pins;

about! { Fe310Gpio, B,
    "FE310-G002 manual, 17",
    "outputs, pull-ups, the interrupts of each pin",
    "pins connected to anything"
}

registers! { Fe310Gpio pins;
    INPUT_VAL  = 0x00 .drops();
    INPUT_EN   = 0x04 .write(!0);
    OUTPUT_EN  = 0x08 .write(!0);
    OUTPUT_VAL = 0x0c .write(!0);
    PUE        = 0x10 .write(!0);
    DS         = 0x14 .write(!0);
    // For each kind of event its enable bits, and behind them the pending ones.
    RISE_IE    = 0x18 .write(!0);
    RISE_IP    = 0x1c .clear(!0);
    FALL_IE    = 0x20 .write(!0);
    FALL_IP    = 0x24 .clear(!0);
    HIGH_IE    = 0x28 .write(!0);
    HIGH_IP    = 0x2c .clear(!0);
    LOW_IE     = 0x30 .write(!0);
    LOW_IP     = 0x34 .clear(!0);
    IOF_EN     = 0x38 .write(!0);
    IOF_SEL    = 0x3c .write(!0);
    OUT_XOR    = 0x40 .write(!0);
}

const PINS: u8 = 32;

/// One port.
#[derive(Clone, Default)]
pub(crate) struct Fe310Gpio {
    regs: Regs<Self>,
    outputs: Vec<Output>,
    pins: Pins,
}

impl Fe310Gpio {
    /// Pin 0 has the line `first`, and each further one the next.
    pub(crate) fn new(first: Option<Irq>) -> Self {
        let line = |pin: u8| first.map(|first| first.plus(pin.into()));
        Fe310Gpio {
            outputs: (0..PINS).map(|pin| Output::new(line(pin))).collect(),
            pins: Pins::new(0, PINS),
            ..Fe310Gpio::default()
        }
    }

    /// The levels at the pins.
    fn levels(&self) -> u32 {
        let (driven, output) = (self.regs[OUTPUT_EN], self.regs[OUTPUT_VAL] ^ self.regs[OUT_XOR]);
        (output & driven | self.regs[PUE] & !driven) & !self.regs[IOF_EN]
    }
}

impl Peripheral for Fe310Gpio {
    const ACCESS: Access = Access::Words;

    /// Lets the levels follow, and what they cause.
    fn settle(&mut self, now: u64) {
        let before = self.regs[INPUT_VAL];
        self.pins.settle(self.levels(), u32::MAX);
        let levels = self.levels() & self.regs[INPUT_EN];
        self.regs[INPUT_VAL] = levels;
        let events = [
            (RISE_IE, levels & !before),
            (FALL_IE, before & !levels),
            (HIGH_IE, levels),
            (LOW_IE, !levels),
        ];
        let mut asked = 0;
        for (enable, events) in events {
            self.regs[enable + 4] |= events;
            asked |= self.regs[enable] & self.regs[enable + 4];
        }
        for (pin, output) in self.outputs.iter_mut().enumerate() {
            output.set(asked >> pin & 1 != 0, now);
        }
    }

    fn due(&self) -> u64 {
        let due = self.outputs.iter().map(Output::due);
        due.min().unwrap_or(u64::MAX)
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for output in &mut self.outputs {
            output.tell(now, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;

    const LED: u32 = 1 << 22;

    fn set(port: &mut Fe310Gpio, register: u32, value: u32) {
        port.write(register, 4, value, 0).unwrap();
    }

    fn get(port: &mut Fe310Gpio, register: u32) -> u32 {
        port.read(register, 4, 0).unwrap()
    }

    fn told(port: &mut Fe310Gpio) -> Vec<(Irq, bool)> {
        let mut told = Vec::new();
        port.poll(0, &mut |irq, level| told.push((irq, level)));
        told
    }

    #[test]
    fn an_output_reads_what_it_drives() {
        let mut port = Fe310Gpio::new(None);
        set(&mut port, OUTPUT_EN, LED);
        set(&mut port, OUTPUT_VAL, LED | 1);
        assert_eq!(get(&mut port, INPUT_VAL), 0, "input is not enabled");
        set(&mut port, INPUT_EN, u32::MAX);
        assert_eq!(get(&mut port, INPUT_VAL), LED);
        set(&mut port, OUT_XOR, LED);
        assert_eq!(get(&mut port, INPUT_VAL), 0);
    }

    #[test]
    fn an_input_reads_its_pull_up_and_a_peripherals_pin_nothing() {
        let mut port = Fe310Gpio::new(None);
        set(&mut port, INPUT_EN, 0xf);
        set(&mut port, PUE, 0x6);
        assert_eq!(get(&mut port, INPUT_VAL), 0x6);
        set(&mut port, IOF_EN, 0x2);
        assert_eq!(get(&mut port, INPUT_VAL), 0x4);
    }

    #[test]
    fn an_edge_interrupts_on_its_pins_line_until_it_is_cleared() {
        let mut port = Fe310Gpio::new(Some(Irq::Source(8)));
        set(&mut port, INPUT_EN, 4);
        set(&mut port, RISE_IE, 4);
        set(&mut port, OUTPUT_EN, 4);
        assert_eq!(told(&mut port), []);
        set(&mut port, OUTPUT_VAL, 4);
        assert_eq!(told(&mut port), [(Irq::Source(10), true)]);
        set(&mut port, OUTPUT_VAL, 0);
        set(&mut port, RISE_IP, 4);
        assert_eq!(told(&mut port), [(Irq::Source(10), false)]);
    }

    #[test]
    fn a_level_that_lasts_is_pending_again() {
        let mut port = Fe310Gpio::new(Some(Irq::Source(8)));
        set(&mut port, INPUT_EN, 1);
        set(&mut port, LOW_IE, 1);
        assert_eq!(told(&mut port), [(Irq::Source(8), true)]);
        set(&mut port, LOW_IP, 1);
        assert_eq!(get(&mut port, LOW_IP) & 1, 1);
        assert_eq!(told(&mut port), []);
    }
}
