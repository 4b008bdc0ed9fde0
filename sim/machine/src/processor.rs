//! The core of a machine: one of two families, behind one face.

use bus::{AtReset, Bus, ResetCause};
use core_cortex_m::Debugger;
use core_rv32::{Hart, Line};
use events::{RuleSet, Sink};

use crate::exception::{Exception, Input};
use crate::image::Architecture;

/// A core with everything on its bus.
pub(crate) enum Processor {
    CortexM(Box<core_cortex_m::Core>),
    Rv32(Box<Hart>),
}

/// The state of a core at one moment.
#[derive(Clone)]
pub(crate) enum Snapshot {
    CortexM(Box<core_cortex_m::Snapshot>),
    Rv32(Box<core_rv32::Snapshot>),
}

/// Why a core stopped.
pub(crate) type Stop = exec::Stop<NotModelled>;

/// What is not modelled, as the core tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotModelled {
    CortexM(Box<core_cortex_m::NotModelled>),
    Rv32(core_rv32::NotModelled),
}

impl Processor {
    pub(crate) fn cortex_m(config: core_cortex_m::Config, bus: Bus) -> Processor {
        Processor::CortexM(Box::new(core_cortex_m::Core::new(config, bus)))
    }

    pub(crate) fn rv32(config: core_rv32::Config, bus: Bus, pc: u32, debugger: Debugger) -> Processor {
        let mut hart = Hart::new(config, bus, pc);
        hart.set_debugger(match debugger {
            Debugger::None => core_rv32::Debugger::None,
            Debugger::Attached => core_rv32::Debugger::Attached,
        });
        Processor::Rv32(Box::new(hart))
    }

    /// Runs until an instruction would start in cycle `until` or later, or until something else stops it.
    pub(crate) fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop {
        match self {
            Processor::CortexM(core) => core.run(until, sink).map(NotModelled::CortexM),
            Processor::Rv32(hart) => hart.run(until, sink).map(NotModelled::Rv32),
        }
    }

    /// Whether the sink of the last run asked for a pause.
    pub(crate) fn asked_to_pause(&self) -> bool {
        match self {
            Processor::CortexM(core) => core.asked_to_pause(),
            Processor::Rv32(hart) => hart.asked_to_pause(),
        }
    }

    /// Core cycles since reset.
    pub(crate) fn cycle(&self) -> u64 {
        match self {
            Processor::CortexM(core) => core.cycle(),
            Processor::Rv32(hart) => hart.cycle(),
        }
    }

    /// Instructions that were executed since reset.
    pub(crate) fn instructions(&self) -> u64 {
        match self {
            Processor::CortexM(core) => core.instructions(),
            Processor::Rv32(hart) => hart.retired(),
        }
    }

    /// The rules that decided a cycle since reset. Those of an RV32 core are all equally well known, and are not kept.
    pub(crate) fn relied(&self) -> RuleSet {
        match self {
            Processor::CortexM(core) => core.relied(),
            Processor::Rv32(_) => RuleSet::EMPTY,
        }
    }

    /// Address of the next instruction.
    pub(crate) fn pc(&self) -> u32 {
        match self {
            Processor::CortexM(core) => core.regs.r[15],
            Processor::Rv32(hart) => hart.core().pc,
        }
    }

    pub(crate) fn stack_pointer(&self) -> u32 {
        match self {
            Processor::CortexM(core) => core.regs.r[13],
            Processor::Rv32(hart) => hart.core().regs[2],
        }
    }

    pub(crate) fn bus(&self) -> &Bus {
        match self {
            Processor::CortexM(core) => &core.bus,
            Processor::Rv32(hart) => &hart.core().bus,
        }
    }

    pub(crate) fn bus_mut(&mut self) -> &mut Bus {
        match self {
            Processor::CortexM(core) => &mut core.bus,
            Processor::Rv32(hart) => &mut hart.core_mut().bus,
        }
    }

    /// Changes memory as a debugger does. False if there is none.
    pub(crate) fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        match self {
            Processor::CortexM(core) => core.write_memory(address, bytes),
            Processor::Rv32(hart) => hart.write_memory(address, bytes),
        }
    }

    /// What the program wrote to stimulus ports since the last call: cycle, port, and bytes.
    pub(crate) fn take_trace(&mut self) -> Vec<(u64, u8, Vec<u8>)> {
        let Processor::CortexM(core) = self else {
            return Vec::new();
        };
        let packets = core.sys.take_trace().into_iter();
        let bytes = |size: u8, value: u32| value.to_le_bytes()[..usize::from(size)].to_vec();
        packets
            .map(|packet| (packet.cycle, packet.port, bytes(packet.size, packet.value)))
            .collect()
    }

    /// A semihosting request: operation and parameter (R0 and R1; a0 and a1).
    pub(crate) fn request(&self) -> (u32, u32) {
        match self {
            Processor::CortexM(core) => (core.regs.r[0], core.regs.r[1]),
            Processor::Rv32(hart) => (hart.core().regs[10], hart.core().regs[11]),
        }
    }

    /// Its answer.
    pub(crate) fn answer(&mut self, value: u32) {
        match self {
            Processor::CortexM(core) => core.regs.r[0] = value,
            Processor::Rv32(hart) => hart.core_mut().regs[10] = value,
        }
    }

    /// The program ended itself: tells of what did that.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) {
        if let Processor::Rv32(hart) = self {
            hart.finish(sink);
        }
    }

    /// The chip is reset: devices and core begin again, with memory as it is.
    ///
    /// # Errors
    /// Why it cannot begin again, in words.
    pub(crate) fn restart(
        &mut self,
        first: &AtReset,
        cause: ResetCause,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let now = self.cycle();
        let reset = self.bus_mut().reset(first, cause, now);
        reset.map_err(|error| format!("a device cannot begin again behind a reset: {error:?}"))?;
        match self {
            Processor::CortexM(core) => {
                let begun = core.restart(sink);
                begun.map_err(|what| format!("the core cannot begin again behind a reset: {what:?}"))
            }
            Processor::Rv32(hart) => {
                hart.restart(sink);
                Ok(())
            }
        }
    }

    /// Whether an RV32 core is asleep. (A Cortex-M stops by itself when it would sleep forever.)
    pub(crate) fn sleeps(&self) -> bool {
        match self {
            Processor::CortexM(_) => false,
            Processor::Rv32(hart) => hart.sleeps(),
        }
    }

    /// Whether anything is scheduled, or enabled, that could interrupt what it does.
    pub(crate) fn can_be_interrupted(&self) -> bool {
        match self {
            Processor::CortexM(core) => core.can_be_interrupted(),
            Processor::Rv32(hart) => hart.can_be_interrupted(),
        }
    }

    /// Whether what was worked out is reused.
    pub(crate) fn set_remembering(&mut self, remembers: bool) {
        match self {
            Processor::CortexM(core) => core.set_remembering(remembers),
            Processor::Rv32(hart) => hart.set_remembering(remembers),
        }
    }

    /// Raises an input in cycle `at`.
    pub(crate) fn raise(&mut self, exception: Exception, at: u64) {
        match self {
            Processor::CortexM(core) => core.raise_at(at, exception.code(Architecture::Arm)),
            Processor::Rv32(hart) => match exception.input() {
                Some(Input::Timer) => hart.pulse(at, Line::Timer),
                Some(Input::Software) => hart.pulse(at, Line::Software),
                Some(Input::External(number)) => hart.pulse(at, Line::External(number)),
                Some(Input::Source(number)) => hart.pulse_source(at, number),
                None => {}
            },
        }
    }

    /// Holds an input at a level from cycle `at` on. False where it has none to hold.
    pub(crate) fn set_line(&mut self, exception: Exception, at: u64, level: bool) -> bool {
        let Processor::Rv32(hart) = self else {
            return false;
        };
        let line = match exception.input() {
            Some(Input::Timer) => Line::Timer,
            Some(Input::Software) => Line::Software,
            Some(Input::External(number)) => Line::External(number),
            Some(Input::Source(_)) | None => return false,
        };
        hart.set_line(at, line, level);
        true
    }

    pub(crate) fn snapshot(&mut self) -> Snapshot {
        match self {
            Processor::CortexM(core) => Snapshot::CortexM(Box::new(core.snapshot())),
            Processor::Rv32(hart) => Snapshot::Rv32(Box::new(hart.snapshot())),
        }
    }

    /// Goes back to a state of this core, or of one of the same kind.
    pub(crate) fn rewind(&mut self, snapshot: &Snapshot) {
        match (self, snapshot) {
            (Processor::CortexM(core), Snapshot::CortexM(snapshot)) => core.rewind(snapshot),
            (Processor::Rv32(hart), Snapshot::Rv32(snapshot)) => hart.rewind(snapshot),
            _ => panic!("the snapshot is of a machine with another core"),
        }
    }
}
