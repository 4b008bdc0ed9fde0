//! A program to which nothing can ever happen again.

use std::fmt::{self, Display, Formatter};

use core_cortex_m::Core;
use isa_thumb::{Cond, Op};

use super::{Frame, Scene, Site, fmt_backtrace};
use crate::exception::Exception;

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
    /// The calls that led there, innermost first.
    pub backtrace: Vec<Frame>,
}

impl StuckReport {
    pub(crate) fn new(scene: Scene<'_>) -> Self {
        let regs = &scene.core.regs;
        let site = scene.site(regs.r[15]);
        StuckReport {
            cycle: scene.core.cycle(),
            asleep: !spins(scene.core),
            site,
            handler: (regs.ipsr != 0).then_some(Exception(regs.ipsr)),
            backtrace: scene.backtrace(),
        }
    }
}

/// Whether the next instruction is an unconditional branch to itself.
pub(crate) fn spins(core: &Core) -> bool {
    let pc = core.regs.r[15];
    let half = |address: u32| {
        let mut bytes = [0; 2];
        core.bus
            .peek(address, &mut bytes)
            .then(|| u16::from_le_bytes(bytes))
    };
    // Its offset counts from the address of the instruction plus four.
    let decoded = half(pc).and_then(|first| {
        core.config
            .model
            .core()
            .isa()
            .decode_at(first, half(pc.wrapping_add(2)))
            .ok()
    });
    let stays = core.regs.it == 0;
    stays
        && decoded
            .is_some_and(|insn| insn.op == Op::B && insn.cond == Cond::Al && insn.imm == 4u32.wrapping_neg())
}

impl Display for StuckReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let does = if self.asleep { "sleeps" } else { "spins" };
        let handler = self.handler.map_or(String::new(), |exception| {
            format!(" in the handler of {}", exception.name())
        });
        writeln!(
            f,
            "the program {does}{handler}, and nothing can ever happen again (cycle {})",
            self.cycle
        )?;
        writeln!(f, "  at         {}", self.site)?;
        fmt_backtrace(f, &self.backtrace)
    }
}
