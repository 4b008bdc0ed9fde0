//! A program to which nothing can ever happen again.

use std::fmt::{self, Display, Formatter};

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
            asleep: !spins(scene, regs.r[15]),
            site,
            handler: (regs.ipsr != 0).then_some(Exception(regs.ipsr)),
            backtrace: scene.backtrace(),
        }
    }
}

/// Whether the instruction at `pc` is an unconditional branch to itself.
fn spins(scene: Scene<'_>, pc: u32) -> bool {
    let mut bytes = [0; 4];
    let known = scene.core.bus.peek(pc, &mut bytes[..2]);
    // `b .`: 16 bits with offset -4, or 32 bits with the same.
    scene.core.bus.peek(pc.wrapping_add(2), &mut bytes[2..]);
    known && (bytes[..2] == [0xfe, 0xe7] || bytes == [0xff, 0xf7, 0xfe, 0xbf])
}

impl Display for StuckReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let does = if self.asleep { "sleeps" } else { "spins" };
        let handler = self.handler.map_or(String::new(), |exception| format!(" in the handler of {}", exception.name()));
        writeln!(f, "the program {does}{handler}, and nothing can ever happen again (cycle {})", self.cycle)?;
        writeln!(f, "  at         {}", self.site)?;
        fmt_backtrace(f, &self.backtrace)
    }
}
