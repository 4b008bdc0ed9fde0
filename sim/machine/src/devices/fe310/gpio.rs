//! GPIO (manual, chapter 17), 32 pins.
//!
//! Nothing is connected: a pin that is an output reads what it drives, another one its pull-up. A pin that a peripheral has
//! (`IOF_EN`) reads 0. Each pin has an interrupt line of its own, on which four kinds of events meet.

use bus::{Device, DeviceError, Effect, Irq, Port};

use super::word;
use crate::devices::not_modelled;
use crate::devices::output::Output;
use crate::devices::pins::Pins;

const PINS: usize = 32;

const INPUT_VAL: usize = 0;
const INPUT_EN: usize = 1;
const OUTPUT_EN: usize = 2;
const OUTPUT_VAL: usize = 3;
const PUE: usize = 4;
/// The enable bits of rise, fall, high, low; behind each its pending bits.
const FIRST_IE: usize = 6;
const FIRST_IP: usize = 7;
const KINDS: usize = 4;
const IOF_EN: usize = 14;
const OUT_XOR: usize = 16;
const REGISTERS: usize = 17;

/// One port.
#[derive(Clone)]
pub(crate) struct Fe310Gpio {
    /// By word offset. `INPUT_VAL` is the pins' levels.
    registers: [u32; REGISTERS],
    outputs: Vec<Output>,
    pins: Pins,
}

impl Fe310Gpio {
    /// Pin 0 has the line `first`, and each further one the next.
    pub(crate) fn new(first: Option<Irq>) -> Self {
        let line = |pin: u16| first.map(|first| first.plus(pin));
        Fe310Gpio {
            registers: [0; REGISTERS],
            outputs: (0..PINS as u16).map(|pin| Output::new(line(pin))).collect(),
            pins: Pins::new(0, PINS as u8),
        }
    }

    /// The levels at the pins.
    fn levels(&self) -> u32 {
        let register = |index: usize| self.registers[index];
        let (driven, taken) = (register(OUTPUT_EN), register(IOF_EN));
        let output = register(OUTPUT_VAL) ^ register(OUT_XOR);
        (output & driven | register(PUE) & !driven) & !taken
    }

    /// Lets the levels follow, and what they cause.
    fn follow(&mut self, now: u64) {
        let before = self.registers[INPUT_VAL];
        self.pins.settle(self.levels(), u32::MAX);
        let levels = self.levels() & self.registers[INPUT_EN];
        self.registers[INPUT_VAL] = levels;
        let seen = [levels & !before, before & !levels, levels, !levels];
        for (kind, events) in seen.into_iter().enumerate() {
            self.registers[FIRST_IP + 2 * kind] |= events;
        }
        let asked = |kind: usize| self.registers[FIRST_IE + 2 * kind] & self.registers[FIRST_IP + 2 * kind];
        let asked = (0..KINDS).fold(0, |lines, kind| lines | asked(kind));
        for (pin, output) in self.outputs.iter_mut().enumerate() {
            output.set(asked >> pin & 1 != 0, now);
        }
    }
}

fn is_pending(index: usize) -> bool {
    (FIRST_IP..FIRST_IP + 2 * KINDS).contains(&index) && (index - FIRST_IP).is_multiple_of(2)
}

impl Device for Fe310Gpio {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        word(offset, size)?;
        let value = self.registers.get(offset as usize / 4);
        value.map_or_else(
            || not_modelled(format!("a read of offset {offset:#x}")),
            |&value| Ok(value),
        )
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        word(offset, size)?;
        match offset as usize / 4 {
            INPUT_VAL => {}
            index if is_pending(index) => self.registers[index] &= !value,
            index if index < REGISTERS => self.registers[index] = value,
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.follow(now);
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.pins.take_effect()
    }

    fn port(&self) -> Option<Port> {
        Some(self.pins.port())
    }

    fn next_event(&self) -> u64 {
        let due = self.outputs.iter().map(Output::due);
        due.min().unwrap_or(u64::MAX)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for output in &mut self.outputs {
            output.tell(now, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RISE_IE: usize = 6;
    const RISE_IP: usize = 7;
    const LOW_IE: usize = 12;
    const LOW_IP: usize = 13;
    const LED: u32 = 1 << 22;

    fn set(port: &mut Fe310Gpio, register: usize, value: u32) {
        port.write(4 * register as u32, 4, value, 0).unwrap();
    }

    fn get(port: &mut Fe310Gpio, register: usize) -> u32 {
        port.read(4 * register as u32, 4, 0).unwrap()
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
