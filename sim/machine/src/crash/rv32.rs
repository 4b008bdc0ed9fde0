//! The backtrace of an RV32 core, and the report on a trap handler that never ends.

use std::fmt::{self, Display, Formatter};

use core_rv32::{Core, ExceptionRecord, Hart, Privilege};

use super::frames::{self, Described, RV32};
use super::refused::Refused;
use super::unwind::DEEPEST;
use super::{Frame, Origin, Scene, Site, fmt_backtrace};
use crate::target;

/// x0 to x31, then PC.
type Registers = [u32; 33];

/// A crash on an RV32 core: the trap handler traps itself or spins.
#[derive(Clone, Debug)]
pub struct TrapReport {
    /// The core cycle of the exception.
    pub cycle: u64,
    /// Why the program cannot continue.
    pub end: TrapEnd,
    /// The exception, as text.
    pub cause: String,
    /// The suggested remedy, if there is one.
    pub hint: Option<String>,
    /// The core's current place, in the handler.
    pub handler: Site,
    /// x0 to x31 at the exception.
    pub registers: [u32; 32],
    /// The calls that led to the exception, innermost first; the first is the place of the exception.
    pub backtrace: Vec<Frame>,
}

/// How a trap ends the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrapEnd {
    /// The core has no handlers and halts.
    Halts,
    /// The handler's first instruction traps endlessly; this is its exception, as text.
    Again(String),
    /// The handler spins.
    Spins,
}

impl TrapReport {
    pub(crate) fn new(scene: Scene<'_>, hart: &Hart, exception: &ExceptionRecord) -> TrapReport {
        let core = hart.core();
        let first = Refused::new(
            core,
            exception.trap.cause as u32,
            exception.trap.value,
            exception.pc,
        );
        let end = if core.config.halts {
            TrapEnd::Halts
        } else if hart.traps_forever() {
            TrapEnd::Again(last_trap(core).describe())
        } else {
            TrapEnd::Spins
        };
        TrapReport {
            cycle: exception.cycle,
            cause: first.describe(),
            hint: first.hint(),
            end,
            handler: scene.site(core.pc),
            registers: exception.regs,
            backtrace: backtrace_from(scene, &exception.regs, exception.pc),
        }
    }

    /// The suggested remedy, if there is one.
    pub fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

/// The trap that the core took last.
fn last_trap(core: &Core) -> Refused<'_> {
    let csrs = &core.csrs;
    let (cause, value, pc) = if core.privilege == Privilege::Supervisor {
        (csrs.scause, csrs.stval, csrs.sepc)
    } else {
        (csrs.mcause, csrs.mtval, csrs.mepc)
    };
    Refused::new(core, cause, value, pc)
}

impl Display for TrapReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let end = match self.end {
            TrapEnd::Halts => "the core halts at an exception",
            TrapEnd::Again(_) => "its trap handler traps itself",
            TrapEnd::Spins => "its trap handler never ends",
        };
        writeln!(f, "the program crashed: {end} (cycle {})", self.cycle)?;
        writeln!(f, "  cause      {}", self.cause)?;
        if let Some(frame) = self.backtrace.first() {
            writeln!(f, "  at         {}", frame.site)?;
            if let Some(instruction) = &frame.site.instruction {
                writeln!(f, "             {instruction}")?;
            }
        }
        if self.end != TrapEnd::Halts {
            let unset = if self.handler.pc == 0 {
                ": mtvec is 0, as after reset; does the start-up code set a handler?"
            } else {
                ""
            };
            writeln!(f, "  handler    {}{unset}", self.handler)?;
        }
        if let TrapEnd::Again(cause) = &self.end {
            writeln!(f, "             {cause}")?;
        }
        fmt_registers(f, &self.registers)?;
        fmt_backtrace(f, &self.backtrace)
    }
}

/// The ABI names of x0 to x31 (RISC-V ELF psABI 1.1).
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// Formats the registers by their ABI names.
fn fmt_registers(f: &mut Formatter<'_>, x: &[u32; 32]) -> fmt::Result {
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

/// The activations from the current one outward, or from one with these registers.
pub(crate) fn backtrace(scene: Scene<'_>, core: &Core, registers: Option<&dyn target::Registers>) -> Vec<Frame> {
    let Some(registers) = registers else {
        return backtrace_from(scene, &core.regs, core.pc);
    };
    let value = |name| registers.get(name).unwrap_or(0);
    backtrace_from(scene, &NAMES.map(value), value("pc"))
}

fn backtrace_from(scene: Scene<'_>, x: &[u32; 32], pc: u32) -> Vec<Frame> {
    let mut r: Registers = [0; 33];
    r[..32].copy_from_slice(x);
    r[32] = pc;
    let mut frames = vec![frame(scene, &r, Origin::Innermost)];
    while frames.len() < DEEPEST {
        let innermost = frames.len() == 1;
        // A return address may already belong to the next line.
        let place = if innermost { r[32] } else { r[32].wrapping_sub(2) };
        let (caller, origin) = match frames::caller(scene.image, scene.processor.bus(), RV32, place, &r) {
            Some(Described::Returns(caller)) => (caller, Origin::Call),
            None if innermost => (by_link(&r), Origin::Guess),
            Some(Described::Outermost) | None => break,
        };
        let same = (caller[32], caller[2]) == (r[32], r[2]);
        // A function that ends with a call has no code at its return address.
        let called = [0, 2].map(|behind| scene.image.has_code(caller[32].wrapping_sub(behind)));
        if same || called == [false; 2] {
            break;
        }
        r = caller;
        frames.push(frame(scene, &r, origin));
    }
    frames
}

/// Unwinds a leaf function, which returns to `ra`.
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
