//! The calls that led an RV32 core to where it stands, and a program whose traps never end.

use std::fmt::{self, Display, Formatter};

use core_rv32::Core;

use super::frames::{self, Described, RV32};
use super::unwind::DEEPEST;
use super::{Frame, Origin, Scene, Site, fmt_backtrace};
use crate::exception::Exception;
use crate::image::Architecture;

/// x0 to x31, then PC.
type Registers = [u32; 33];

/// A program that traps in its own trap handler, again and again.
#[derive(Clone, Debug)]
pub struct TrapReport {
    /// Core cycle.
    pub cycle: u64,
    /// The trap, by its name.
    pub cause: String,
    /// What `mtval` says of it: an address, or an instruction.
    pub value: u32,
    /// The instruction that traps: the handler's first, or where there is none.
    pub site: Site,
    /// x0 to x31.
    pub registers: [u32; 32],
    /// The calls that led there, innermost first.
    pub backtrace: Vec<Frame>,
}

impl TrapReport {
    pub(crate) fn new(scene: Scene<'_>, core: &Core) -> TrapReport {
        let cause = Exception((core.csrs.mcause & 0x1f) as u16);
        TrapReport {
            cycle: scene.processor.cycle(),
            cause: cause.name_in(Architecture::RiscV),
            value: core.csrs.mtval,
            site: scene.site(core.pc),
            registers: core.regs,
            backtrace: scene.backtrace(),
        }
    }
}

impl Display for TrapReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the program crashed: its trap handler traps itself (cycle {})",
            self.cycle
        )?;
        writeln!(f, "  cause      {}, mtval {:#010x}", self.cause, self.value)?;
        writeln!(f, "  at         {}", self.site)?;
        if let Some(instruction) = &self.site.instruction {
            writeln!(f, "             {instruction}")?;
        }
        fmt_registers(f, &self.registers)?;
        fmt_backtrace(f, &self.backtrace)
    }
}

/// By the names of the calling convention (RISC-V ELF psABI 1.1).
fn fmt_registers(f: &mut Formatter<'_>, x: &[u32; 32]) -> fmt::Result {
    const NAMES: [&str; 32] = [
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
        "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
    ];
    for (row, (names, values)) in NAMES.chunks(4).zip(x.chunks(4)).enumerate() {
        let head = if row == 0 { "registers" } else { "" };
        let cells: Vec<String> = names
            .iter()
            .zip(values)
            .map(|(name, value)| format!("{name:<4} {value:08x}"))
            .collect();
        writeln!(f, "  {head:<10} {}", cells.join("  "))?;
    }
    Ok(())
}

/// The activations from where the core stands outward.
pub(super) fn backtrace(scene: Scene<'_>, core: &Core) -> Vec<Frame> {
    let mut r: Registers = [0; 33];
    r[..32].copy_from_slice(&core.regs);
    r[32] = core.pc;
    let mut frames = vec![frame(scene, &r, Origin::Innermost)];
    while frames.len() < DEEPEST {
        let innermost = frames.len() == 1;
        // A return address may belong to the next line already.
        let place = if innermost { r[32] } else { r[32].wrapping_sub(2) };
        let (caller, origin) = match frames::caller(scene.image, scene.processor.bus(), RV32, place, &r) {
            Some(Described::Returns(caller)) => (caller, Origin::Call),
            None if innermost => (by_link(&r), Origin::Guess),
            Some(Described::Outermost) | None => break,
        };
        let same = (caller[32], caller[2]) == (r[32], r[2]);
        if same || !scene.image.has_code(caller[32]) {
            break;
        }
        r = caller;
        frames.push(frame(scene, &r, origin));
    }
    frames
}

/// A leaf function returns to `ra`.
fn by_link(r: &Registers) -> Registers {
    let mut caller = *r;
    caller[32] = r[1];
    caller
}

fn frame(scene: Scene<'_>, r: &Registers, origin: Origin) -> Frame {
    let place = match origin {
        Origin::Call | Origin::Guess => r[32].wrapping_sub(2),
        Origin::Innermost | Origin::Interrupted(_) => r[32],
    };
    Frame {
        site: Site::of(scene.image, scene.processor.bus(), r[32], place),
        sp: r[2],
        origin,
    }
}
