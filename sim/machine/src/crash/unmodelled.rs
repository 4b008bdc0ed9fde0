//! Reports an access or instruction that is not modelled.

use std::fmt::{self, Display, Formatter};

use super::{Frame, Scene, Site, fmt_backtrace};
use crate::board::{Board, MemoryKind};
use crate::devices::MISTAKE;
use crate::processor::NotModelled;

/// The unmodelled request, its place, and how to allow it.
#[derive(Clone, Debug)]
pub struct UnmodelledReport {
    /// Core cycle.
    pub cycle: u64,
    /// The request, as text.
    pub what: String,
    /// The instruction that made the request.
    pub site: Site,
    /// The range to allow, first address and size, if that helps.
    pub allow: Option<(u32, u32)>,
    /// The stub to add, by its name in the board's SVD file.
    pub stub: Option<String>,
    /// The calls that led there, innermost first.
    pub backtrace: Vec<Frame>,
}

impl UnmodelledReport {
    pub(crate) fn new(scene: Scene<'_>, board: &Board, what: &NotModelled) -> Self {
        let (described, allow) = match what {
            NotModelled::CortexM(what) => (describe(board, what), to_allow(board, what)),
            NotModelled::Rv32(what) if is_fetch(scene, what) => (
                format!("an instruction fetch at {}", nowhere(board, scene.processor.pc())),
                None,
            ),
            NotModelled::Rv32(what) => {
                let address = unmapped_rv32(what);
                (
                    describe_rv32(board, what),
                    address.map(|address| board.range_to_allow(address)),
                )
            }
        };
        if is_mistake(what) {
            return Self::told(scene, described);
        }
        let nowhere = match what {
            NotModelled::CortexM(what) => match **what {
                core_cortex_m::NotModelled::Unmapped { address, .. } => Some(address),
                _ => None,
            },
            NotModelled::Rv32(what) => unmapped_rv32(what),
        };
        if let Some(address) = nowhere
            && let Some(overflow) = overflow(scene, board, address)
        {
            return Self::told(scene, format!("{overflow}; {described}"));
        }
        let stub = to_stub(board, what);
        UnmodelledReport {
            allow,
            stub,
            ..Self::told(scene, described)
        }
    }

    /// A report for a request that is already text.
    pub(crate) fn told(scene: Scene<'_>, what: String) -> Self {
        let site = scene.site(scene.processor.pc());
        UnmodelledReport {
            cycle: scene.processor.cycle(),
            what,
            site,
            allow: None,
            stub: None,
            backtrace: scene.backtrace(),
        }
    }

    /// The suggested remedy, if there is one.
    pub fn hint(&self) -> Option<String> {
        if let Some(stub) = &self.stub {
            let (peripheral, register) = stub.split_once('.').unwrap_or((stub, ""));
            let register = if register.is_empty() {
                String::new()
            } else {
                format!("\n    register = \"{register}\"")
            };
            return Some(format!(
                "to read there what was written last, and reset values before, run with `--stub {stub}` (or `{stub}=reset`, \
                 `=toggles`, `=0x12`), or add to a board file:\n    [[stub]]\n    peripheral = \"{peripheral}\"{register}"
            ));
        }
        let (base, size) = self.allow?;
        let end = u64::from(base) + u64::from(size);
        Some(format!(
            "to read zeros there and ignore writes, run with `--allow {base:#010x}..{end:#010x}`, or add to a board \
             file:\n    [[allow]]\n    base = {base:#010x}\n    size = {size:#x}"
        ))
    }
}

/// How the message about a stack overflow begins.
const OVERFLOW: &str = "stack overflow";

/// The most stack that one function is assumed to use, in bytes.
const FRAME: u32 = 4096;

/// A message that the stack has outgrown its RAM, if the access is below a RAM and near the stack pointer.
fn overflow(scene: Scene<'_>, board: &Board, address: u32) -> Option<String> {
    let stack = scene.processor.stack_pointer();
    let near = address.abs_diff(stack) < FRAME;
    let rams = board.memories().iter();
    let above = rams.filter(|memory| memory.kind == MemoryKind::Ram && memory.base > address);
    let ram = above.min_by_key(|memory| memory.base)?;
    let below = ram.base - address.min(stack) < FRAME;
    (near && below).then(|| {
        format!(
            "{OVERFLOW}: the stack pointer is {stack:#010x}, and `{}` begins at {:#010x}",
            ram.name, ram.base
        )
    })
}

/// Whether a user's script is wrong, so that allowing or stubbing would not help.
fn is_mistake(what: &NotModelled) -> bool {
    let what = match what {
        NotModelled::CortexM(what) => match &**what {
            core_cortex_m::NotModelled::Device { what, .. } => what,
            _ => return false,
        },
        NotModelled::Rv32(core_rv32::NotModelled::Device { what, .. }) => what,
        NotModelled::Rv32(_) => return false,
    };
    what.starts_with(MISTAKE)
}

/// The range to allow for an access: for a described peripheral, only the register.
fn to_allow(board: &Board, what: &core_cortex_m::NotModelled) -> Option<(u32, u32)> {
    match *what {
        core_cortex_m::NotModelled::Unmapped { address, .. } => Some(board.range_to_allow(address)),
        // A bus master found nothing at the address.
        core_cortex_m::NotModelled::Device {
            address: None,
            instead: Some(instead),
            ..
        } if !board.is_described(instead) => Some(board.range_to_allow(instead)),
        core_cortex_m::NotModelled::Device { instead, .. } => instead.map(|at| (at & !3, 4)),
        _ => None,
    }
}

/// The stub for an access: for a modelled peripheral, only the register.
fn to_stub(board: &Board, what: &NotModelled) -> Option<String> {
    let (address, whole) = match what {
        NotModelled::CortexM(what) => match **what {
            core_cortex_m::NotModelled::Unmapped { address, .. } => (address, true),
            core_cortex_m::NotModelled::Device {
                instead: Some(instead),
                address,
                ..
            } => (instead, address.is_none()),
            _ => return None,
        },
        NotModelled::Rv32(what) => (unmapped_rv32(what)?, true),
    };
    board.svd()?.stub_at(address, whole)
}

/// The SVD name of a register that a device refused, with the fields of the value written: ` (CR2: MMS = 4)`.
fn named(board: &Board, address: u32, what: &str) -> String {
    let value = what.split("a write of 0x").nth(1).and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        u64::from_str_radix(&digits, 16).ok()
    });
    let described = board.svd().and_then(|svd| svd.describe(address, value));
    described.map_or(String::new(), |described| format!(" [{described}]"))
}

/// Whether the fetch itself, or that of the instruction's second half, found nothing.
fn is_fetch(scene: Scene<'_>, what: &core_rv32::NotModelled) -> bool {
    let pc = scene.processor.pc();
    let (bus, mut bytes) = (scene.processor.bus(), [0; 4]);
    unmapped_rv32(what).is_some_and(|address| address.wrapping_sub(pc) < 4) && !bus.peek(pc, &mut bytes)
}

fn unmapped_rv32(what: &core_rv32::NotModelled) -> Option<u32> {
    match *what {
        core_rv32::NotModelled::Unmapped { address } => Some(address),
        _ => None,
    }
}

fn describe(board: &Board, what: &core_cortex_m::NotModelled) -> String {
    use core_cortex_m::NotModelled;
    match what {
        NotModelled::Unmapped { address, size, write } => {
            let verb = if *write { "a write" } else { "a read" };
            let bytes = if *size == 1 { "byte" } else { "bytes" };
            format!("{verb} of {size} {bytes} at {}", nowhere(board, *address))
        }
        NotModelled::UnmappedFetch { address } => {
            format!(
                "an instruction fetch at {address:#010x}, where board `{}` describes no memory",
                board.name()
            )
        }
        NotModelled::Device {
            region,
            what,
            address: Some(address),
            ..
        } => format!(
            "{region}, at {address:#010x}: {what}{}",
            named(board, *address, what)
        ),
        NotModelled::Device { region, what, .. } => format!("{region}: {what}"),
        NotModelled::Unpredictable { raw, why } => {
            format!("the encoding {raw:#x}, which the architecture calls unpredictable: {why}")
        }
    }
}

fn describe_rv32(board: &Board, what: &core_rv32::NotModelled) -> String {
    use core_rv32::NotModelled;
    match what {
        NotModelled::Unmapped { address } => format!("an access at {}", nowhere(board, *address)),
        NotModelled::Device { region, what } => format!("{region}: {what}"),
        NotModelled::EndlessWalk { address } => format!(
            "the translation of {address:#010x}: its last page table holds a pointer, and this core follows such pointers for ever"
        ),
        NotModelled::Instruction { insn } => format!("the instruction {:#010x}", insn.raw),
    }
}

/// Describes an address where nothing is modelled.
fn nowhere(board: &Board, address: u32) -> String {
    if let Some(what) = board.svd().and_then(|svd| svd.describe(address, None)) {
        return format!(
            "{address:#010x}: {what}, which board `{}` does not model",
            board.name()
        );
    }
    match board.block_at(address) {
        Some((block, base)) => format!(
            "{address:#010x}: {block}, offset {:#x}, which board `{}` does not model",
            address - base,
            board.name()
        ),
        None => format!(
            "{address:#010x}, where board `{}` describes nothing",
            board.name()
        ),
    }
}

impl Display for UnmodelledReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let head = if self.what.starts_with(OVERFLOW) || self.what.contains(MISTAKE) {
            ""
        } else {
            "not modelled: "
        };
        writeln!(f, "{head}{} (cycle {})", self.what, self.cycle)?;
        writeln!(f, "  at         {}", self.site)?;
        if let Some(instruction) = &self.site.instruction {
            writeln!(f, "             {instruction}")?;
        }
        fmt_backtrace(f, &self.backtrace)
    }
}
