//! The platform-level interrupt controller ("RISC-V Platform-Level Interrupt Controller Specification" 1.0; `SiFive` FE310-G002
//! manual, chapter 10), with seven priorities.
//!
//! A source is pending from the moment its level is high until somebody claims it, and again if it still is high when
//! that one completes it. An output follows in the same cycle; real ones take a few (mark D).

use bus::{Device, DeviceError, Irq};
use serde::Deserialize;

use crate::devices::not_modelled;
use crate::devices::output::Output;
use crate::devices::{Around, Settings};
use crate::image::Architecture;

const PRIORITY: u32 = 0x00_0000;
const PENDING: u32 = 0x00_1000;
const ENABLE: u32 = 0x00_2000;
const THRESHOLD: u32 = 0x20_0000;
/// Bytes from the enable bits of one context to those of the next, and between their thresholds.
const ENABLE_STEP: u32 = 0x80;
const THRESHOLD_STEP: u32 = 0x1000;
/// Bits of a priority that can be written.
const PRIORITY_MASK: u32 = 7;

/// The interrupt targets, in the order of the registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Contexts {
    /// The core's machine mode.
    Machine,
    /// Machine mode, then supervisor mode.
    MachineAndSupervisor,
}

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlicSettings {
    /// The number of its sources, from 1.
    sources: Option<u16>,
    /// Whether it also interrupts supervisor mode.
    #[serde(default)]
    supervisor: bool,
}

impl Settings for PlicSettings {
    fn device(&self, _: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let sources = self.sources.filter(|sources| (1..Irq::SOURCES).contains(sources));
        let sources =
            sources.ok_or_else(|| format!("it needs its number of `sources`, 1 to {}", Irq::SOURCES - 1))?;
        let contexts = if self.supervisor {
            Contexts::MachineAndSupervisor
        } else {
            Contexts::Machine
        };
        Ok(Box::new(Plic::new(sources, contexts)))
    }

    fn sources(&self) -> Option<u16> {
        self.sources
    }

    fn architecture(&self) -> Option<Architecture> {
        Some(Architecture::RiscV)
    }
}

/// The controller.
#[derive(Clone)]
pub(crate) struct Plic {
    /// By number; number 0 is none, and its priority stays 0.
    sources: Vec<Source>,
    contexts: Vec<Context>,
}

#[derive(Clone, Copy, Default)]
struct Source {
    priority: u32,
    level: bool,
    pending: bool,
    /// Somebody has claimed it and not completed it.
    claimed: bool,
}

#[derive(Clone)]
struct Context {
    enabled: Vec<bool>,
    threshold: u32,
    output: Output,
}

/// A register.
enum Name {
    Priority(usize),
    /// The number of the first of 32 sources.
    Pending(usize),
    Enable(usize, usize),
    Threshold(usize),
    Claim(usize),
}

impl Plic {
    /// Sources 1 to `sources`.
    pub(crate) fn new(sources: u16, contexts: Contexts) -> Self {
        let count = usize::from(sources) + 1;
        let outputs: &[Irq] = match contexts {
            Contexts::Machine => &[Irq::MACHINE_EXTERNAL],
            Contexts::MachineAndSupervisor => &[Irq::MACHINE_EXTERNAL, Irq::SUPERVISOR_EXTERNAL],
        };
        let context = |&irq| Context {
            enabled: vec![false; count],
            threshold: 0,
            output: Output::new(Some(irq)),
        };
        Plic {
            sources: vec![Source::default(); count],
            contexts: outputs.iter().map(context).collect(),
        }
    }

    fn name(&self, offset: u32) -> Option<Name> {
        let word = |offset: u32| (offset / 4) as usize;
        let (sources, contexts) = (self.sources.len(), self.contexts.len());
        let (name, context, source) = match offset {
            _ if !offset.is_multiple_of(4) => return None,
            PRIORITY..PENDING => (Name::Priority(word(offset)), 0, word(offset)),
            PENDING..ENABLE => {
                let first = 32 * word(offset - PENDING);
                (Name::Pending(first), 0, first)
            }
            ENABLE..THRESHOLD => {
                let context = ((offset - ENABLE) / ENABLE_STEP) as usize;
                let first = 32 * word((offset - ENABLE) % ENABLE_STEP);
                (Name::Enable(context, first), context, first)
            }
            _ => {
                let context = ((offset - THRESHOLD) / THRESHOLD_STEP) as usize;
                let name = match (offset - THRESHOLD) % THRESHOLD_STEP {
                    0 => Name::Threshold(context),
                    4 => Name::Claim(context),
                    _ => return None,
                };
                (name, context, 0)
            }
        };
        (context < contexts && source < sources).then_some(name)
    }

    /// The source that a context is to serve: the highest priority, of those the lowest number; 0 for none.
    fn best(&self, context: usize) -> usize {
        let enabled = &self.contexts[context].enabled;
        let waits = |&number: &usize| {
            let source = self.sources[number];
            source.pending && enabled[number] && source.priority > 0
        };
        let waiting = (1..self.sources.len()).filter(waits).rev();
        waiting
            .max_by_key(|&number| self.sources[number].priority)
            .unwrap_or(0)
    }

    fn drive(&mut self, now: u64) {
        for context in 0..self.contexts.len() {
            let priority = self.sources[self.best(context)].priority;
            let context = &mut self.contexts[context];
            context.output.set(priority > context.threshold, now);
        }
    }

    /// Takes the source that a context is to serve; a threshold holds interrupts off, but no claim.
    fn claim(&mut self, context: usize, now: u64) -> u32 {
        let number = self.best(context);
        let source = &mut self.sources[number];
        (source.pending, source.claimed) = (false, number != 0);
        self.drive(now);
        number as u32
    }

    /// A source that is not enabled for the context is left alone.
    fn complete(&mut self, context: usize, number: u32) {
        let number = number as usize;
        if number < self.sources.len() && self.contexts[context].enabled[number] {
            let source = &mut self.sources[number];
            source.pending |= source.claimed && source.level;
            source.claimed = false;
        }
    }

    fn enable(&mut self, context: usize, first: usize, bits: u32) {
        let enabled = self.contexts[context].enabled.iter_mut();
        for (bit, enabled) in enabled.skip(first).take(32).enumerate() {
            // Source 0 does not exist.
            *enabled = bits >> bit & 1 != 0 && first + bit != 0;
        }
    }
}

/// Puts up to 32 flags into a word, the first one lowest.
fn word(flags: impl Iterator<Item = bool>) -> u32 {
    (0..32)
        .zip(flags)
        .fold(0, |word, (bit, flag)| word | u32::from(flag) << bit)
}

impl Device for Plic {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        if size != 4 {
            return not_modelled(format!("a read of {size} bytes at offset {offset:#x}"));
        }
        match self.name(offset) {
            Some(Name::Priority(number)) => Ok(self.sources[number].priority),
            Some(Name::Pending(first)) => Ok(word(self.sources[first..].iter().map(|source| source.pending))),
            Some(Name::Enable(context, first)) => {
                Ok(word(self.contexts[context].enabled[first..].iter().copied()))
            }
            Some(Name::Threshold(context)) => Ok(self.contexts[context].threshold),
            Some(Name::Claim(context)) => Ok(self.claim(context, now)),
            None => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        if size != 4 {
            return not_modelled(format!("a write of {size} bytes to offset {offset:#x}"));
        }
        match self.name(offset) {
            Some(Name::Priority(0) | Name::Pending(_)) => {}
            Some(Name::Priority(number)) => self.sources[number].priority = value & PRIORITY_MASK,
            Some(Name::Enable(context, first)) => self.enable(context, first, value),
            Some(Name::Threshold(context)) => self.contexts[context].threshold = value & PRIORITY_MASK,
            Some(Name::Claim(context)) => self.complete(context, value),
            None => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.drive(now);
        Ok(())
    }

    fn hear_source(&mut self, source: u16, level: bool, now: u64) {
        if let Some(source) = self.sources.get_mut(usize::from(source)) {
            source.level = level;
            source.pending |= level && !source.claimed;
            self.drive(now);
        }
    }

    fn pulse_source(&mut self, source: u16, now: u64) {
        if let Some(source) = self.sources.get_mut(usize::from(source)) {
            source.pending |= !source.claimed;
            self.drive(now);
        }
    }

    fn next_event(&self) -> u64 {
        let due = self.contexts.iter().map(|context| context.output.due());
        due.min().unwrap_or(u64::MAX)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for context in &mut self.contexts {
            context.output.tell(now, line);
        }
    }
}

#[cfg(test)]
mod tests;
