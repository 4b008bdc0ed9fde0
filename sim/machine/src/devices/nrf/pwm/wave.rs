//! The counter of a PWM, its compare values, and what follows from them at its outputs.

use std::collections::VecDeque;

use bus::Effect;

/// PSEL of an output that has no pin.
const DISCONNECTED: u32 = 1 << 31;
/// A compare value: whether its output is high below it.
pub(super) const HIGH_BELOW: u16 = 1 << 15;

#[derive(Clone, Copy)]
struct Output {
    select: u32,
    value: u16,
    level: bool,
}

/// Counter and outputs.
#[derive(Clone)]
pub(super) struct Wave {
    pub(super) both_ways: bool,
    /// COUNTERTOP.
    pub(super) top: u32,
    /// The top loaded from RAM, replacing the register's.
    loaded_top: Option<u32>,
    pub(super) prescaler: u32,
    outputs: [Output; 4],
    /// The current period: its top, whether it counts both ways, 16 MHz ticks of a step, and the step of the last edge.
    period: (u32, bool, u64),
    at: u64,
    runs: bool,
    /// The lines that drive each pin of both ports, and those that say who drives it.
    lines: Vec<u16>,
    owned: Vec<u16>,
}

impl Wave {
    pub(super) fn new(lines: Vec<u16>, owned: Vec<u16>) -> Wave {
        let output = Output {
            select: u32::MAX,
            value: 0,
            level: false,
        };
        Wave {
            both_ways: false,
            top: 0x3ff,
            loaded_top: None,
            prescaler: 0,
            outputs: [output; 4],
            period: (0x3ff, false, 1),
            at: 0,
            runs: false,
            lines,
            owned,
        }
    }

    pub(super) fn selected(&self, output: usize) -> u32 {
        self.outputs[output].select
    }

    /// An output gets another pin.
    pub(super) fn connect(&mut self, output: usize, select: u32, effects: &mut VecDeque<Effect>) {
        if self.runs {
            self.own(output, false, effects);
        }
        self.outputs[output].select = select;
        if self.runs {
            self.own(output, true, effects);
            self.drive(output, effects);
        }
    }

    fn pin(&self, output: usize) -> Option<usize> {
        let select = self.outputs[output].select;
        (select & DISCONNECTED == 0).then_some((select & 0x3f) as usize)
    }

    fn own(&self, output: usize, level: bool, effects: &mut VecDeque<Effect>) {
        if let Some(pin) = self.pin(output) {
            let number = self.owned[pin];
            effects.push_back(Effect::Wire { number, level });
        }
    }

    fn drive(&self, output: usize, effects: &mut VecDeque<Effect>) {
        if let Some(pin) = self.pin(output) {
            let (number, level) = (self.lines[pin], self.outputs[output].level);
            effects.push_back(Effect::Wire { number, level });
        }
    }

    /// Values that were loaded, in a mode of the decoder.
    pub(super) fn load(&mut self, mode: u32, values: &[u16]) {
        self.loaded_top = self.loaded_top.filter(|_| mode == super::WAVEFORM);
        for (place, output) in self.outputs.iter_mut().enumerate() {
            let from = match mode {
                0 => 0,
                1 => place / 2,
                _ => place,
            };
            match values.get(from) {
                // There are three outputs then.
                Some(&value) if mode == super::WAVEFORM && place == 3 => {
                    self.loaded_top = Some(u32::from(value & 0x7fff).max(3));
                }
                Some(&value) => output.value = value,
                None => {}
            }
        }
    }

    /// A period begins.
    pub(super) fn begin(&mut self, effects: &mut VecDeque<Effect>) {
        let top = self.loaded_top.unwrap_or(self.top);
        self.period = (top, self.both_ways, 1 << self.prescaler);
        self.at = 0;
        for output in 0..4 {
            if !self.runs {
                self.own(output, true, effects);
            }
            self.set(output, 0, !self.runs, effects);
        }
        self.runs = true;
    }

    /// Stops generating; the port drives its pins again.
    pub(super) fn release(&mut self, effects: &mut VecDeque<Effect>) {
        if std::mem::take(&mut self.runs) {
            for output in 0..4 {
                self.own(output, false, effects);
            }
        }
    }

    /// The steps of a period.
    fn steps(&self) -> u64 {
        let (top, both_ways, _) = self.period;
        u64::from(top) << u32::from(both_ways)
    }

    /// The length of a period, in ticks of 16 MHz.
    pub(super) fn length(&self) -> u64 {
        self.steps() * self.period.2
    }

    /// The steps in which an output changes, and its level from then on; the first one may be the period's start.
    fn edges(&self, output: usize) -> [(u64, bool); 3] {
        let value = self.outputs[output].value;
        let (top, both_ways, _) = self.period;
        let high_below = value & HIGH_BELOW != 0;
        let compare = u64::from(value & !HIGH_BELOW);
        let never = (u64::MAX, high_below);
        if compare >= u64::from(top) {
            return [(0, high_below), never, never];
        }
        let back = if both_ways && compare > 0 {
            (self.steps() - compare, high_below)
        } else {
            never
        };
        [(0, high_below && compare > 0), (compare, !high_below), back]
    }

    fn set(&mut self, output: usize, step: u64, always: bool, effects: &mut VecDeque<Effect>) {
        let edges = self.edges(output);
        let level = edges
            .iter()
            .rev()
            .find(|(at, _)| *at <= step)
            .is_some_and(|(_, level)| *level);
        if always || level != self.outputs[output].level {
            self.outputs[output].level = level;
            self.drive(output, effects);
        }
    }

    fn next_step(&self) -> Option<u64> {
        let connected = (0..4).filter(|&output| self.pin(output).is_some());
        let steps = connected
            .flat_map(|output| self.edges(output))
            .map(|(step, _)| step);
        steps.filter(|&step| step > self.at && step < self.steps()).min()
    }

    /// When an output changes next, in ticks of 16 MHz from the start of the period.
    pub(super) fn next_edge(&self) -> Option<u64> {
        self.next_step().map(|step| step * self.period.2)
    }

    /// It is that time.
    pub(super) fn edge(&mut self, effects: &mut VecDeque<Effect>) {
        if let Some(step) = self.next_step() {
            self.at = step;
            for output in 0..4 {
                self.set(output, step, false, effects);
            }
        }
    }
}

#[cfg(test)]
impl Wave {
    /// An output's compare value.
    pub(super) fn value(&self, output: usize) -> u16 {
        self.outputs[output].value
    }
}
