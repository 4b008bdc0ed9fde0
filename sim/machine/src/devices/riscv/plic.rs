//! The platform-level interrupt controller ("RISC-V Platform-Level Interrupt Controller Specification" 1.0; `SiFive` FE310-G002
//! manual, chapter 10), with seven priorities.
//!
//! A source is pending from the moment its level is high until somebody claims it, and again if it still is high when
//! that one completes it. An output follows in the same cycle; real ones take a few (mark D).

use bus::{Device, Irq};
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::output::Output;
use crate::devices::{Around, Settings};
use crate::image::Architecture;

about! { Plic by PlicSettings, D,
    "RISC-V PLIC Specification 1.0; FE310-G002 manual, 10",
    "priorities, pending, enable bits, threshold, claim and completion; machine and supervisor mode of one core",
    "edge-triggered sources; the cycles from a source to the core"
}

registers! { Plic;
    // Source 0 does not exist: its priority stays 0.
    PRIORITY  = 0x00_0000 .times(1024, 4).shows(|plic, at| plic.sources[at.n].priority).then(|plic, write| if write.n > 0 { plic.sources[write.n].priority = write.value & PRIORITY_MASK });
    PENDING   = 0x00_1000 .times(32, 4).shows(|plic, at| word(plic.sources[32 * at.n..].iter().map(|source| source.pending))).drops();
    // 32 words for each context.
    ENABLE    = 0x00_2000 .times(64, 4).shows(|plic, at| plic.enabled(at.n)).then(|plic, write| plic.enable(write.n, write.value));
    THRESHOLD = 0x20_0000 .times(2, 0x1000).write(PRIORITY_MASK);
    CLAIM     = 0x20_0004 .times(2, 0x1000).shows(|plic, at| plic.best(at.n) as u32).taken(|plic, at| plic.claim(at.n)).then(|plic, write| plic.complete(write.n, write.value));
}

/// From one context's threshold to the next one's.
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
    regs: Regs<Self>,
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
    output: Output,
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
            output: Output::new(Some(irq)),
        };
        Plic {
            regs: Regs::default(),
            sources: vec![Source::default(); count],
            contexts: outputs.iter().map(context).collect(),
        }
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

    /// Takes the source that a context is to serve; a threshold holds interrupts off, but no claim.
    fn claim(&mut self, context: usize) {
        let number = self.best(context);
        let source = &mut self.sources[number];
        (source.pending, source.claimed) = (false, number != 0);
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

    /// A word of the enable bits: those of all contexts, 32 words each.
    fn enabled(&self, place: usize) -> u32 {
        word(
            self.contexts[place / 32].enabled[32 * (place % 32)..]
                .iter()
                .copied(),
        )
    }

    fn enable(&mut self, place: usize, bits: u32) {
        let first = 32 * (place % 32);
        let enabled = self.contexts[place / 32].enabled.iter_mut();
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

impl Peripheral for Plic {
    const ACCESS: Access = Access::Words;

    fn bank(&self, offset: u32) -> u32 {
        let context = match offset {
            ENABLE..THRESHOLD => (offset - ENABLE) / 0x80,
            THRESHOLD.. => (offset - THRESHOLD) / THRESHOLD_STEP,
            _ => 0,
        };
        let source = match offset {
            PRIORITY..PENDING => offset / 4,
            PENDING..ENABLE => (offset - PENDING) * 8,
            ENABLE..THRESHOLD => (offset - ENABLE) % 0x80 * 8,
            _ => 0,
        };
        let exists = (context as usize) < self.contexts.len() && (source as usize) < self.sources.len();
        if exists { offset } else { u32::MAX }
    }

    fn settle(&mut self, now: u64) {
        for context in 0..self.contexts.len() {
            let priority = self.sources[self.best(context)].priority;
            let threshold = self.regs[THRESHOLD + THRESHOLD_STEP * context as u32];
            self.contexts[context].output.set(priority > threshold, now);
        }
    }

    fn heard_source(&mut self, source: u16, level: bool, now: u64) {
        if let Some(source) = self.sources.get_mut(usize::from(source)) {
            source.level = level;
            source.pending |= level && !source.claimed;
            self.settle(now);
        }
    }

    fn heard_pulse(&mut self, source: u16, now: u64) {
        if let Some(source) = self.sources.get_mut(usize::from(source)) {
            source.pending |= !source.claimed;
            self.settle(now);
        }
    }

    fn due(&self) -> u64 {
        let due = self.contexts.iter().map(|context| context.output.due());
        due.min().unwrap_or(u64::MAX)
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        for context in &mut self.contexts {
            context.output.tell(now, line);
        }
    }
}

#[cfg(test)]
mod tests;
