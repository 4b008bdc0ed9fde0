//! A program to which nothing can ever happen again.

use std::fmt::{self, Display, Formatter};

use core_cortex_m::Core;
use isa_thumb::{Cond, Op};

use super::{Frame, Scene, Site, fmt_backtrace};
use crate::exception::{Exception, ExceptionNames};
use crate::listing::halfword;
use crate::processor::Processor;
use crate::waiting::asleep;

/// A program that sleeps or spins on one instruction, while nothing that is scheduled can wake or interrupt it.
#[derive(Clone, Debug)]
pub struct StuckReport {
    /// Core cycle.
    pub cycle: u64,
    /// The instruction, or the one behind WFI or WFE.
    pub site: Site,
    /// It sleeps; otherwise it spins.
    pub asleep: bool,
    /// The exception whose handler it is in.
    pub handler: Option<Exception>,
    /// Since when it sleeps, and what is pending and does not wake it.
    pub waits: Vec<String>,
    /// The calls that led there, innermost first.
    pub backtrace: Vec<Frame>,
}

impl StuckReport {
    pub(crate) fn new(scene: Scene<'_>, names: &ExceptionNames) -> Self {
        let handler = match scene.processor {
            Processor::CortexM(core) => Exception::of_ipsr(core.regs.ipsr),
            // What it is in, an RV32 core does not know.
            Processor::Rv32(_) => None,
        };
        StuckReport {
            cycle: scene.processor.cycle(),
            asleep: is_asleep(scene.processor),
            site: scene.site(scene.processor.pc()),
            handler,
            waits: asleep(scene.processor, names).unwrap_or_default(),
            backtrace: scene.backtrace(),
        }
    }
}

/// Otherwise it stands still because it jumps to where it is, by whatever instruction (`b .`, `bx lr`).
fn is_asleep(processor: &Processor) -> bool {
    match processor {
        Processor::CortexM(core) => core.is_asleep(),
        Processor::Rv32(hart) => hart.sleeps(),
    }
}

/// Whether the next instruction is an unconditional branch to itself.
pub(crate) fn spins(processor: &Processor) -> bool {
    let pc = processor.pc();
    match processor {
        Processor::CortexM(core) => {
            let Some(first) = halfword(processor.bus(), pc) else {
                return false;
            };
            let second = halfword(processor.bus(), pc.wrapping_add(2));
            core.regs.it == 0 && branches_to_itself(core, first, second)
        }
        Processor::Rv32(hart) => jumps_to_itself(hart.core()),
    }
}

/// A WFI in front of the jump is part of the spin, where it does nothing.
fn jumps_to_itself(core: &core_rv32::Core) -> bool {
    let at = |pc: u32| {
        let first = halfword(&core.bus, pc)?;
        let second = halfword(&core.bus, pc.wrapping_add(2)).unwrap_or(0);
        isa_rv32::decode(u32::from(first) | u32::from(second) << 16, core.config.isa).ok()
    };
    let jumps = |pc: u32, offset: i32| {
        at(pc).is_some_and(|insn| insn.op == isa_rv32::Op::Jal && insn.rd.0 == 0 && insn.imm == offset)
    };
    let waits_in_vain =
        |pc: u32| !core.config.waits && at(pc).is_some_and(|insn| insn.op == isa_rv32::Op::Wfi);
    let pc = core.pc;
    jumps(pc, 0)
        || waits_in_vain(pc) && jumps(pc.wrapping_add(4), -4)
        || jumps(pc, -4) && waits_in_vain(pc.wrapping_sub(4))
}

/// A branch's offset counts from its own address plus four.
fn branches_to_itself(core: &Core, first: u16, second: Option<u16>) -> bool {
    let decoded = core.config.model.core().isa().decode_at(first, second);
    decoded.is_ok_and(|insn| insn.op == Op::B && insn.cond == Cond::Al && insn.imm == 4u32.wrapping_neg())
}

impl Display for StuckReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let does = if self.asleep {
            "sleeps"
        } else {
            "spins in an endless loop"
        };
        let handler = self.handler.map_or(String::new(), |exception| {
            format!(" in the handler of {}", exception.name())
        });
        writeln!(
            f,
            "the program {does}{handler}, and nothing can ever happen again (cycle {})",
            self.cycle
        )?;
        writeln!(f, "  at         {}", self.site)?;
        for (index, line) in self.waits.iter().enumerate() {
            let head = if index == 0 { "waits" } else { "" };
            writeln!(f, "  {head:<10} {line}")?;
        }
        fmt_backtrace(f, &self.backtrace)
    }
}
