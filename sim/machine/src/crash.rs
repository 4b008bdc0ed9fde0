//! Reports on programs that cannot continue, as data and as text.

mod float;
mod frames;
mod refused;
mod rv32;
mod site;
mod status;
mod stuck;
mod unmodelled;
mod unwind;

use std::fmt::{self, Display, Formatter};

use core_cortex_m::{Core, Fault, FaultRecord, FaultStatus};

use crate::cores::Core as Kind;
use crate::exception::Exception;
use crate::image::Image;
use crate::processor::Processor;
use crate::target::Registers;

pub use float::FloatRegisters;
pub(crate) use rv32::backtrace as backtrace_rv32;
pub use rv32::{TrapEnd, TrapReport};
pub use site::Site;
pub use stuck::StuckReport;
pub use unmodelled::UnmodelledReport;
pub use unwind::Origin;

use unwind::{Activation, Unwinder, is_extended};

/// A crash on a Cortex-M: the last fault, its place and its backtrace.
#[derive(Clone, Debug)]
pub struct CrashReport {
    /// Core cycle of the last fault.
    pub cycle: u64,
    /// Whether the core locked up; otherwise a fault handler never ends.
    pub locked_up: bool,
    /// The exception whose handler is running, and the current instruction.
    pub handler: Option<(Exception, Site)>,
    /// The faults taken, oldest first.
    pub faults: Vec<FaultRecord>,
    /// The fault status registers; zero on ARMv6-M, which has none.
    pub status: FaultStatus,
    /// Whether the core has MemManage, BusFault and UsageFault besides HardFault; ARMv6-M does not.
    pub configurable_faults: bool,
    /// R0 to R15 at the fault.
    pub registers: [u32; 16],
    /// xPSR at the fault.
    pub xpsr: u32,
    /// The floating-point registers at the fault, if the faulting code uses them.
    pub float: Option<FloatRegisters>,
    /// The program's build target and the core, if the program executed an instruction that the core lacks and was built for another core.
    pub mismatch: Option<String>,
    /// The address of the last faulting access, if the chip has nothing there.
    pub nowhere: Option<u32>,
    /// The calls that led to the fault, innermost first; the first is the place of the fault.
    pub backtrace: Vec<Frame>,
}

/// One line of a backtrace.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The place of the call or instruction.
    pub site: Site,
    /// Its stack pointer.
    pub sp: u32,
    /// How it was found.
    pub origin: Origin,
}

/// A core and the program on it.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) processor: &'a dyn Processor,
    pub(crate) image: &'a Image,
}

impl Scene<'_> {
    fn site(self, pc: u32) -> Site {
        Site::at(self.image, self.processor.bus(), pc)
    }

    /// The calls that led to the current instruction, innermost first.
    fn backtrace(self) -> Vec<Frame> {
        self.processor.backtrace(self.image, None)
    }

    /// The backtrace as text.
    pub(crate) fn calls(self) -> String {
        Calls(&self.backtrace()).to_string()
    }
}

/// A Cortex-M and the program on it.
#[derive(Clone, Copy)]
pub(crate) struct CortexM<'a> {
    pub(crate) core: &'a Core,
    pub(crate) image: &'a Image,
}

impl<'a> CortexM<'a> {
    fn unwinder(self) -> Unwinder<'a> {
        let (_, psp) = self.core.regs.stack_pointers();
        Unwinder {
            image: self.image,
            bus: &self.core.bus,
            psp,
        }
    }

    fn innermost(self) -> Activation {
        let regs = &self.core.regs;
        Activation {
            r: regs.r,
            origin: Origin::Innermost,
            ipsr: regs.ipsr,
            frame: None,
        }
    }

    fn site(self, pc: u32) -> Site {
        Site::at(self.image, &self.core.bus, pc)
    }

    fn frame(self, activation: &Activation) -> Frame {
        let site = Site::of(self.image, &self.core.bus, activation.pc(), activation.place());
        Frame {
            site,
            sp: activation.r[13],
            origin: activation.origin,
        }
    }

    /// The calls that led to these registers, or to the core's.
    pub(crate) fn backtrace(self, registers: Option<&dyn Registers>) -> Vec<Frame> {
        let mut innermost = self.innermost();
        if let Some(registers) = registers {
            let values = innermost.r.iter_mut().zip(REGISTERS);
            values.for_each(|(value, name)| *value = registers.get(name).unwrap_or(0));
        }
        self.unwinder()
            .unwind(innermost)
            .iter()
            .map(|activation| self.frame(activation))
            .collect()
    }
}

impl CrashReport {
    pub(crate) fn new(scene: CortexM<'_>, locked_up: bool) -> Self {
        let core = scene.core;
        let chain = faulting_chain(scene);
        let first = &chain[0];
        let handler = Exception::of_ipsr(core.regs.ipsr);
        CrashReport {
            cycle: core.faults().last().map_or(core.cycle(), |fault| fault.cycle),
            locked_up,
            handler: handler.map(|exception| (exception, scene.site(core.regs.r[15]))),
            faults: core.faults().to_vec(),
            status: core.fault_status(),
            configurable_faults: core.config.core.architecture.has_fault_status,
            registers: first.r,
            xpsr: first.frame.map_or(core.regs.xpsr(), |frame| frame.xpsr),
            float: FloatRegisters::of(scene, first),
            mismatch: mismatch(scene),
            nowhere: nowhere(core),
            backtrace: chain.iter().map(|activation| scene.frame(activation)).collect(),
        }
    }
}

fn nowhere(core: &Core) -> Option<u32> {
    let last = core.faults().last()?;
    let address = match last.fault {
        Fault::DataBus(address) => address,
        Fault::InstructionBus => last.pc,
        _ => return None,
    };
    core.bus.is_reserved(address).then_some(address)
}

fn mismatch(scene: CortexM<'_>) -> Option<String> {
    let model = scene.core.config.core;
    let said = scene.image.beyond(Kind::CortexM(model));
    // Without build attributes, as in a stripped file, the instruction itself decides.
    let is_silent = scene.image.built().is_none() && !model.isa.has_float() && meets_float(scene);
    let unit = || "a core with a floating-point unit".to_owned();
    let built = said.or_else(|| is_silent.then(unit))?;
    let is_unknown = |fault: &FaultRecord| matches!(fault.fault, Fault::UndefInstr | Fault::NoCp);
    let met = scene.core.faults().iter().any(is_unknown);
    met.then(|| format!("{built}, and this core is a {}", model.name))
}

/// Whether the faulting instruction belongs to the floating-point unit, coprocessors 10 and 11 (ARMv7-M ARM A6.4).
fn meets_float(scene: CortexM<'_>) -> bool {
    let faults = scene.core.faults().iter();
    let mut pcs = faults
        .filter(|fault| fault.fault == Fault::NoCp)
        .map(|fault| fault.pc);
    pcs.any(|pc| {
        let second = scene.image.stored_halfword(pc.wrapping_add(2));
        second.is_some_and(|half| matches!(half >> 8 & 0xf, 10 | 11))
    })
}

/// The activations from the faulting one outward: unwound from the handler's frames, or from the exception frame of the faulting
/// instruction, or from the current state.
fn faulting_chain(scene: CortexM<'_>) -> Vec<Activation> {
    let (unwinder, innermost) = (scene.unwinder(), scene.innermost());
    if innermost.ipsr == 0 {
        return unwinder.unwind(innermost);
    }
    let mut chain = unwinder.unwind(innermost.clone());
    let interrupted = chain
        .iter()
        .position(|activation| matches!(activation.origin, Origin::Interrupted(_)));
    let fault = scene.core.faults().last();
    if let Some(index) = interrupted {
        let rest = chain.split_off(index);
        // Without call frame information, unwinding a handler may go wrong.
        if fault.is_none_or(|fault| rest[0].pc() == fault.pc) {
            return rest;
        }
        chain = rest;
    }
    let pushed = fault.and_then(|fault| {
        let stacks = [innermost.r[13], unwinder.psp];
        let frame = stacks
            .into_iter()
            .find_map(|sp| unwinder.find_exception_frame(sp, fault.pc))?;
        unwinder.interrupted(innermost.r, frame, innermost.ipsr, is_extended(innermost.r[14]))
    });
    pushed.map_or(chain, |activation| unwinder.unwind(activation))
}

impl Display for CrashReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let end = if self.locked_up {
            "the core locked up"
        } else {
            "its fault handler never ends"
        };
        writeln!(f, "the program crashed: {end} (cycle {})", self.cycle)?;
        self.fmt_cause(f)?;
        if let Some(frame) = self.backtrace.first() {
            writeln!(f, "  at         {}", frame.site)?;
            if let Some(instruction) = &frame.site.instruction {
                writeln!(f, "             {instruction}")?;
            }
        }
        if let Some((exception, site)) = &self.handler {
            writeln!(f, "  handler    {}, at {site}", exception.name())?;
        }
        fmt_registers(f, &self.registers, self.xpsr)?;
        if let Some(float) = &self.float {
            float.fmt(f)?;
        }
        fmt_backtrace(f, &self.backtrace)
    }
}

impl CrashReport {
    fn fmt_cause(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().rev().take(2).rev().enumerate() {
            let head = if index == 0 { "cause" } else { "then" };
            let taken = fault.taken_as.name();
            let what = status::describe(fault.fault, self.configurable_faults);
            writeln!(
                f,
                "  {head:<10} {what}, taken as {taken} (pc {:#010x}, cycle {})",
                fault.pc, fault.cycle
            )?;
        }
        if let Some(mismatch) = &self.mismatch {
            writeln!(f, "  built for  {mismatch}")?;
        }
        if let Some(address) = self.nowhere {
            writeln!(
                f,
                "  address    {address:#010x}: the chip has nothing there; a wild pointer?"
            )?;
        }
        for line in status::lines(&self.status) {
            writeln!(f, "             {line}")?;
        }
        Ok(())
    }
}

/// R0 to R15.
const REGISTERS: [&str; 16] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc",
];

fn fmt_registers(f: &mut Formatter<'_>, r: &[u32; 16], xpsr: u32) -> fmt::Result {
    for (row, values) in r.chunks(4).enumerate() {
        let head = if row == 0 { "registers" } else { "" };
        let names = &REGISTERS[4 * row..];
        let cells: Vec<String> = names
            .iter()
            .zip(values)
            .map(|(name, value)| format!("{name:<3} {value:08x}"))
            .collect();
        writeln!(f, "  {head:<10} {}", cells.join("  "))?;
    }
    writeln!(f, "  {:<10} xpsr {xpsr:08x}  {}", "", status::xpsr(xpsr))
}

/// A backtrace as text.
struct Calls<'a>(&'a [Frame]);

impl Display for Calls<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fmt_backtrace(f, self.0)
    }
}

fn fmt_backtrace(f: &mut Formatter<'_>, frames: &[Frame]) -> fmt::Result {
    writeln!(f, "  backtrace")?;
    for (index, frame) in frames.iter().enumerate() {
        if let Origin::Interrupted(exception) = frame.origin
            && index > 0
        {
            // IPSR holds its number once its vector has been read.
            let name = exception.map_or("an exception's entry".into(), Exception::name);
            writeln!(f, "      -- {name} --")?;
        }
        fmt_frame(f, index, frame)?;
    }
    Ok(())
}

fn fmt_frame(f: &mut Formatter<'_>, index: usize, frame: &Frame) -> fmt::Result {
    let guess = if frame.origin == Origin::Guess {
        "  (a guess: no call frame information)"
    } else {
        ""
    };
    let site = &frame.site;
    let symbol = site.symbol.as_deref().unwrap_or("?");
    write!(f, "  {index:>4}  {:#010x}  {symbol}{guess}", site.pc)?;
    for function in &site.functions {
        let name = function.function.as_deref().unwrap_or("?");
        let place = function.place.as_ref().map(ToString::to_string);
        match (function.inlined, place) {
            (true, Some(place)) => write!(f, "\n                    {name}, inlined, at {place}")?,
            (true, None) => write!(f, "\n                    {name}, inlined")?,
            (false, Some(place)) => write!(f, "\n                    at {place}")?,
            (false, None) => {}
        }
    }
    writeln!(f)
}
