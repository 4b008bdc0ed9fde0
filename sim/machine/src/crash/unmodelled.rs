//! A program that asked for something the model does not know.

use std::fmt::{self, Display, Formatter};

use super::{Frame, Scene, Site, fmt_backtrace};
use crate::board::{Board, MemoryKind};
use crate::devices::MISTAKE;
use crate::processor::NotModelled;

/// What was asked for, where, and how to let it pass.
#[derive(Clone, Debug)]
pub struct UnmodelledReport {
    /// Core cycle.
    pub cycle: u64,
    /// What was asked for, in words.
    pub what: String,
    /// The instruction that asked.
    pub site: Site,
    /// The range to allow, first address and size, where that can help.
    pub allow: Option<(u32, u32)>,
    /// What to stub in its place, as the board's SVD file calls it.
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

    /// For a request that is told in words already.
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

    /// How to let it pass, where that can help.
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

/// The beginning of what is told then.
const OVERFLOW: &str = "stack overflow";

/// The most bytes that one function is taken to use of a stack.
const FRAME: u32 = 4096;

/// In words, that the stack has grown out of its RAM: an access below a RAM, and near to where the stack pointer is.
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

/// Whether a script of the user's is wrong: nothing that is allowed or stubbed would help.
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

/// The range that would answer an access if it were opened: of a peripheral that is described, the one register.
fn to_allow(board: &Board, what: &core_cortex_m::NotModelled) -> Option<(u32, u32)> {
    match *what {
        core_cortex_m::NotModelled::Unmapped { address, .. } => Some(board.range_to_allow(address)),
        // Where a master of the bus found nothing.
        core_cortex_m::NotModelled::Device {
            address: None,
            instead: Some(instead),
            ..
        } if !board.is_described(instead) => Some(board.range_to_allow(instead)),
        core_cortex_m::NotModelled::Device { instead, .. } => instead.map(|at| (at & !3, 4)),
        _ => None,
    }
}

/// What would answer in its place if it were stubbed: of a peripheral that is modelled, the one register.
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

/// What the SVD file calls a register that a device refused, with the fields of a value that was written: ` (CR2: MMS = 4)`.
fn named(board: &Board, address: u32, what: &str) -> String {
    let value = what.split("a write of 0x").nth(1).and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        u64::from_str_radix(&digits, 16).ok()
    });
    let described = board.svd().and_then(|svd| svd.describe(address, value));
    described.map_or(String::new(), |described| format!(" [{described}]"))
}

/// Whether it is the instruction at PC, or its second half, that is nowhere.
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

/// An address where nothing is, and what is known of it all the same.
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
