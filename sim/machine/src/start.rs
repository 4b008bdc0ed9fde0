//! Loads an image into a board's memory, from which a core can start.

use bus::Bus;
use thiserror::Error;

use crate::board::{Board, Core, Memory, MemoryKind, SYSTEM_SPACE};
use crate::hosted::Hosted;
use crate::image::{Architecture, Image, SymbolKind, VectorTable};
use crate::machine::Options;
use crate::semihosting::HeapInfo;

/// The most memory of a board, in bytes: more than any Cortex-M3 board, and little for the host, which allocates it.
const MOST_MEMORY: u64 = 256 << 20;

/// Why a program cannot start on a board.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StartError {
    /// The program is built for another instruction set.
    #[error("{file}: built for {built}, but board `{board}` has a {core}")]
    OtherArchitecture {
        /// The image.
        file: String,
        /// The program's instruction set.
        built: &'static str,
        /// The board.
        board: String,
        /// Its core.
        core: &'static str,
    },
    /// The core starts where the image has no code.
    #[error("{file}: no code at {reset:#010x}, where the core of board `{board}` starts")]
    NoCode {
        /// The image.
        file: String,
        /// The board.
        board: String,
        /// The core's reset address.
        reset: u32,
    },
    /// The entry point is misaligned for the core.
    #[error(
        "{file}: the entry point {reset:#010x} is not a multiple of {align}, as the address of an instruction must be on a {core}"
    )]
    MisalignedEntry {
        /// The image.
        file: String,
        /// The entry point.
        reset: u32,
        /// The required alignment.
        align: u32,
        /// The board's core.
        core: &'static str,
    },
    /// A debugger's halts on a core that does not support them.
    #[error("board `{board}`: an RV32 core cannot be halted at an instruction (`halt:`)")]
    NoHalts {
        /// The board.
        board: String,
    },
    /// The board's core has no model.
    #[error("board `{board}`: there is no model of its core, {core}")]
    NoModel {
        /// The board.
        board: String,
        /// Its core.
        core: &'static str,
    },
    /// No vector table where the core reads it.
    #[error("{file}: no vector table: {reason}")]
    NoVectorTable {
        /// The image.
        file: String,
        /// The address checked, and its content.
        reason: String,
        /// The suggested remedy.
        hint: String,
    },
    /// The initial stack pointer points to no RAM.
    #[error(
        "{file}: the initial stack pointer {stack_pointer:#010x} is outside the RAM of board `{board}` ({memories})"
    )]
    StackOutsideMemory {
        /// The image.
        file: String,
        /// The board.
        board: String,
        /// The first word of the vector table.
        stack_pointer: u32,
        /// The board's RAM, as text.
        memories: String,
    },
    /// A part of the image does not fit.
    #[error("{file}: {size} bytes at {address:#010x} are outside the memory of board `{board}` ({memories})")]
    SegmentOutsideMemory {
        /// The image.
        file: String,
        /// The board.
        board: String,
        /// The part's address.
        address: u32,
        /// Its size.
        size: usize,
        /// The board's memories, as text.
        memories: String,
        /// The boards with memory there, as text, if naming them helps.
        fitting: Option<String>,
    },
    /// Two parts of the image overlap.
    #[error("{file}: what is stored at {first:#010x} and at {second:#010x} overlaps")]
    Overlap {
        /// The image.
        file: String,
        /// The address of the first part.
        first: u32,
        /// The address of the second part.
        second: u32,
    },
    /// Memory that the program uses begins in a memory of the board but ends outside.
    #[error(
        "{file}: the program uses {size} bytes from {address:#010x} on, which end beyond the memory of board `{board}` \
         ({memories})"
    )]
    BeyondMemory {
        /// The image.
        file: String,
        /// The board.
        board: String,
        /// The address of the range.
        address: u32,
        /// Its size.
        size: u32,
        /// The board's memories, as text.
        memories: String,
    },
    /// The board takes its memory from the program, which needs some in a Cortex-M's system space.
    #[error("{file}: it needs memory at {address:#010x}, where the core has its own registers")]
    InSystemSpace {
        /// The image.
        file: String,
        /// The address.
        address: u32,
    },
    /// An input from outside without a receiver.
    #[error("{message}")]
    NoReceiver {
        /// The input and the reason.
        message: String,
        /// The suggested remedy.
        hint: Option<String>,
    },
    /// More memory than can be simulated.
    #[error(
        "{file}: the memory of board `{board}` is {} MiB, more than the {} MiB that can be simulated ({memories})",
        .size >> 20, MOST_MEMORY >> 20
    )]
    TooMuchMemory {
        /// The image.
        file: String,
        /// The board.
        board: String,
        /// The size of all memories in bytes.
        size: u64,
        /// The board's memories, as text.
        memories: String,
    },
}

const LINK_FOR_BOARD: &str =
    "link it for this board (memory.x, linker script), or choose the board that it was linked for";

impl StartError {
    /// The suggested remedy.
    pub fn hint(&self) -> Option<String> {
        match self {
            StartError::NoVectorTable { hint, .. } => Some(hint.clone()),
            StartError::NoReceiver { hint, .. } => hint.clone(),
            StartError::NoModel { .. } => Some("`--backend rtl` runs the program on its Verilog (docs/rv32.md)".into()),
            StartError::OtherArchitecture { built, .. } => Some(boards_for(built)),
            StartError::NoHalts { .. } => Some("measure between symbols, or between EBREAKs (`bkpt:N`)".into()),
            StartError::NoCode { .. } => Some(LINK_FOR_BOARD.into()),
            StartError::MisalignedEntry { .. } => {
                Some("is `ENTRY` of the linker script the start-up code's first instruction?".into())
            }
            StartError::SegmentOutsideMemory {
                fitting: Some(boards), ..
            } => Some(format!("{LINK_FOR_BOARD}{boards}")),
            StartError::StackOutsideMemory { .. } | StartError::SegmentOutsideMemory { .. } => Some(
                "link it for this board (memory.x, linker script), or choose the board that it was linked for; \
                 `--board cortex-m3` takes the memory from the ELF file, and a board file has more memory with \
                 `like` and `[[memory]]`"
                    .into(),
            ),
            StartError::Overlap { .. } => Some("`readelf -lW` shows the segments; the linker script makes them".into()),
            StartError::BeyondMemory { .. } => Some(
                "data or .bss is larger than the RAM: is `memory.x` (the linker script) that of this chip?".into(),
            ),
            StartError::InSystemSpace { .. } => Some("is the initial stack pointer right, or a segment's address?".into()),
            StartError::TooMuchMemory { .. } => Some(
                "does the board file, or a segment of the program (`readelf -lW`), have a wrong size?".into(),
            ),
        }
    }
}

/// The boards that run programs of an instruction set.
fn boards_for(built: &str) -> String {
    let boards = Board::names().filter_map(|name| Board::built_in(name).ok());
    let fits = |board: &Board| board.core().has_model() && board.core().architecture().name() == built;
    let fit = boards.filter(fits);
    let names: Vec<_> = fit.map(|board| board.name().to_owned()).collect();
    format!("boards that run it: {}", names.join(", "))
}

/// The boards with all of an image's addresses and instructions.
pub(crate) fn fitting(image: &Image) -> Vec<&'static str> {
    let fits = |board: &Board| {
        let core = board.core();
        let has_core = core.has_model() && core.architecture() == image.architecture();
        has_core && fits_memory(board, image) && image.beyond(core).is_none()
    };
    let boards = Board::names().filter(|name| Board::built_in(name).is_ok_and(|board| fits(&board)));
    boards.collect()
}

/// Whether a board has its own memory wherever an image needs it, and starts in that image.
pub(crate) fn fits_memory(board: &Board, image: &Image) -> bool {
    let inside = |address: u32| {
        let mut memories = board.memories().iter();
        memories.any(|memory| address.wrapping_sub(memory.base) < memory.size)
    };
    let mut stored = image
        .segments()
        .iter()
        .filter(|segment| !segment.bytes.is_empty());
    let starts = match board.vector_table() {
        Some(table) => {
            let table = image.vector_table_at(board.original_address(table));
            table.is_some_and(|table| ram_below(board, table.stack_pointer).is_some())
        }
        None => image.has_code(board.reset_address(image)),
    };
    starts && stored.all(|segment| inside(segment.address) && inside(segment.runs_at))
}

/// The end of a message that names boards with memory where the image has bytes: `; it fits virt`, or empty.
fn fitting_boards_hint(image: &Image) -> String {
    let boards = fitting(image);
    if boards.is_empty() {
        String::new()
    } else {
        format!("; it fits {}", boards.join(", "))
    }
}

/// A board with an image in memory.
pub(crate) struct Loaded {
    pub(crate) board: Board,
    pub(crate) bus: Bus,
    /// The initial stack pointer, if the image has one.
    pub(crate) stack: Option<u32>,
    pub(crate) hosted: Hosted,
}

pub(crate) fn load(board: &Board, image: &Image, options: &Options) -> Result<Loaded, StartError> {
    if image.architecture() != board.core().architecture() {
        return Err(StartError::OtherArchitecture {
            file: image.file().into(),
            built: image.architecture().name(),
            board: board.name().into(),
            core: board.core().name(),
        });
    }
    if !board.core().has_model() {
        return Err(StartError::NoModel {
            board: board.name().into(),
            core: board.core().name(),
        });
    }
    let board = board.for_image(image).ok_or_else(|| no_table_at_all(image))?;
    check_size(&board, image)?;
    check_system_space(&board, image)?;
    check_overlap(image)?;
    check_room(&board, image)?;
    let mut bus = board.bus(&options.allow);
    board
        .load(&mut bus, image)
        .map_err(|(address, size)| StartError::SegmentOutsideMemory {
            file: image.file_at(address).into(),
            board: board.name().into(),
            address,
            size,
            memories: list(board.memories().iter()),
            fitting: (image.architecture() == Architecture::RiscV).then(|| fitting_boards_hint(image)),
        })?;
    let stack = match board.core() {
        Core::CortexM(_) => {
            let table = table(&board, image)?;
            check_stack(&board, image, table)?;
            Some(table.stack_pointer)
        }
        Core::Rv32(_) => None,
    };
    let mut hosted = Hosted::of(image);
    for stimulus in &options.stimuli {
        let scheduled = stimulus.schedule(&mut bus, &mut hosted);
        scheduled.map_err(|(message, hint)| StartError::NoReceiver { message, hint })?;
    }
    Ok(Loaded {
        board,
        bus,
        stack,
        hosted,
    })
}

fn check_size(board: &Board, image: &Image) -> Result<(), StartError> {
    let size = board.memories().iter().map(|memory| u64::from(memory.size)).sum();
    if size <= MOST_MEMORY {
        return Ok(());
    }
    Err(StartError::TooMuchMemory {
        file: image.file().into(),
        board: board.name().into(),
        size,
        memories: list(board.memories().iter()),
    })
}

/// Memory derived from the ELF file may lie anywhere.
fn check_system_space(board: &Board, image: &Image) -> Result<(), StartError> {
    let end = |memory: &Memory| u64::from(memory.base) + u64::from(memory.size);
    let mut memories = board.memories().iter();
    let inside = memories.find(|memory| end(memory) > u64::from(SYSTEM_SPACE));
    match inside.filter(|_| image.architecture() == Architecture::Arm) {
        Some(memory) => Err(StartError::InSystemSpace {
            file: image.file().into(),
            address: memory.base.max(SYSTEM_SPACE),
        }),
        None => Ok(()),
    }
}

/// The loader must not choose between two overlapping parts.
fn check_overlap(image: &Image) -> Result<(), StartError> {
    let stored = image
        .segments()
        .iter()
        .filter(|segment| !segment.bytes.is_empty());
    let mut parts: Vec<(u64, u64)> = stored
        .map(|segment| {
            let first = u64::from(segment.address);
            (first, first + segment.bytes.len() as u64)
        })
        .collect();
    parts.sort_unstable();
    match parts.windows(2).find(|pair| pair[1].0 < pair[0].1) {
        Some(pair) => Err(StartError::Overlap {
            file: image.file().into(),
            first: pair[0].0 as u32,
            second: pair[1].0 as u32,
        }),
        None => Ok(()),
    }
}

/// A range that begins in a memory must end in it or in the adjacent one. A range that begins in none is reported on access, because some
/// programs place peripheral registers that way.
fn check_room(board: &Board, image: &Image) -> Result<(), StartError> {
    let memory_at = |address: u64| {
        let mut memories = board.memories().iter();
        memories.find(|memory| address.wrapping_sub(u64::from(memory.base)) < u64::from(memory.size))
    };
    for segment in image.segments() {
        let begin = u64::from(segment.runs_at);
        let (mut at, end) = (begin, begin + u64::from(segment.runs_size));
        while let Some(memory) = memory_at(at).filter(|_| at < end) {
            at = u64::from(memory.base) + u64::from(memory.size);
        }
        if at > begin && at < end {
            return Err(StartError::BeyondMemory {
                file: image.file().into(),
                board: board.name().into(),
                address: segment.runs_at,
                size: segment.runs_size,
                memories: list(board.memories().iter()),
            });
        }
    }
    Ok(())
}

fn no_table_at_all(image: &Image) -> StartError {
    StartError::NoVectorTable {
        file: image.file().into(),
        reason: "the program has none in any of the usual places".into(),
        hint: format!("looked for {}", Image::vector_table_rule()),
    }
}

/// The vector table from which the core of `board` starts.
fn table(board: &Board, image: &Image) -> Result<VectorTable, StartError> {
    let stored = board.original_address(vector_table(board));
    check_alignment(board, image)?;
    image.vector_table_at(stored).ok_or_else(|| StartError::NoVectorTable {
        file: image.file().into(),
        reason: why_no_table(board, image, stored),
        hint: match image.vector_table() {
            Some(other) => format!(
                "the program has a vector table at {0:#010x}: it was linked for another memory map; `--board cortex-m3` \
                 takes the map from the ELF file, and a board file may say `vector_table = {0:#010x}`",
                other.address
            ),
            None => "is the start-up code linked in, and kept by the linker script (KEEP)?".into(),
        },
    })
}

fn vector_table(board: &Board) -> u32 {
    board.vector_table().expect("a Cortex-M has one")
}

/// Checks the table's alignment: VTOR has no bits below 128 (ARMv7-M ARM B3.2.5).
fn check_alignment(board: &Board, image: &Image) -> Result<(), StartError> {
    let address = vector_table(board);
    if address.is_multiple_of(128) {
        return Ok(());
    }
    Err(StartError::NoVectorTable {
        file: image.file().into(),
        reason: format!(
            "the table at {address:#010x} does not begin at a multiple of 128, as the core needs it"
        ),
        hint: "align it in the linker script: `. = ALIGN(128);`, or more for many interrupts".into(),
    })
}

fn why_no_table(board: &Board, image: &Image, stored: u32) -> String {
    let place = format!("board `{}` starts from {stored:#010x}", board.name());
    let words = image
        .stored_word(stored)
        .zip(image.stored_word(stored.wrapping_add(4)));
    let Some((stack_pointer, reset)) = words else {
        return format!("{place}, where the program stores nothing");
    };
    if stack_pointer & !3 == 0 {
        return format!("{place}, but the word there, {stack_pointer:#010x}, is not a stack pointer");
    }
    if reset & 1 == 0 {
        return format!("{place}, but the reset vector there, {reset:#010x}, is even: not a Thumb function");
    }
    format!("{place}, but the reset vector there, {reset:#010x}, points to no code of the program")
}

fn check_stack(board: &Board, image: &Image, table: VectorTable) -> Result<(), StartError> {
    if ram_below(board, table.stack_pointer).is_some() {
        return Ok(());
    }
    Err(StartError::StackOutsideMemory {
        file: image.file().into(),
        board: board.name().into(),
        stack_pointer: table.stack_pointer,
        memories: list(
            board
                .memories()
                .iter()
                .filter(|memory| memory.kind == MemoryKind::Ram),
        ),
    })
}

/// The RAM that contains the word below `stack_pointer`.
fn ram_below(board: &Board, stack_pointer: u32) -> Option<&Memory> {
    let word = stack_pointer.checked_sub(4)?;
    let mut rams = board
        .memories()
        .iter()
        .filter(|memory| memory.kind == MemoryKind::Ram);
    rams.find(|memory| word.wrapping_sub(memory.base) < memory.size)
}

fn list<'a>(memories: impl Iterator<Item = &'a Memory>) -> String {
    let one = |memory: &Memory| {
        let end = u64::from(memory.base) + u64::from(memory.size);
        format!("{} {:#010x}..{end:#010x}", memory.name, memory.base)
    };
    let list: Vec<String> = memories.map(one).collect();
    if list.is_empty() {
        "none".into()
    } else {
        list.join(", ")
    }
}

/// The error for a vector table in the image that the core could not read.
pub(crate) fn no_reset(board: &Board, image: &Image, what: &core_cortex_m::NotModelled) -> StartError {
    let reason = format!("the core of board `{}` cannot read it: {what:?}", board.name());
    let hint = "check `vector_table` and the memories of the board file".into();
    StartError::NoVectorTable {
        file: image.file().into(),
        reason,
        hint,
    }
}

/// The address ranges of the program's variables in RAM, each with its exclusive end.
pub(crate) fn variables(board: &Board, image: &Image) -> Vec<(u32, u32)> {
    let is_ram = |address: u32| {
        let mut memories = board.memories().iter();
        let memory = memories.find(|memory| address.wrapping_sub(memory.base) < memory.size);
        memory.is_some_and(|memory| memory.kind == MemoryKind::Ram)
    };
    let symbols = image
        .symbols()
        .filter(|symbol| symbol.kind == SymbolKind::Object && symbol.size > 0);
    let symbols = symbols.filter(|symbol| is_ram(symbol.address));
    symbols
        .map(|symbol| (symbol.address, symbol.address.saturating_add(symbol.size)))
        .collect()
}

/// The answer of `SYS_HEAPINFO`: the heap grows from the end of the program's data towards the initial stack pointer. If the stack lies
/// below the data, the heap has the rest of that RAM. Unknown if the image has no stack pointer.
pub(crate) fn heap(board: &Board, image: &Image, stack: Option<u32>) -> HeapInfo {
    let Some((stack_base, ram)) = stack.and_then(|stack| Some((stack, ram_below(board, stack)?))) else {
        return HeapInfo::default();
    };
    let inside = |address: u32| address.wrapping_sub(ram.base) < ram.size;
    let segments = image
        .segments()
        .iter()
        .filter(|segment| segment.writable && inside(segment.runs_at));
    let ends = segments.map(|segment| segment.runs_at.saturating_add(segment.runs_size));
    let heap_base = ends.max().unwrap_or(ram.base).next_multiple_of(8);
    if heap_base < stack_base {
        HeapInfo {
            heap_base,
            heap_limit: stack_base,
            stack_base,
            stack_limit: heap_base,
        }
    } else {
        HeapInfo {
            heap_base,
            heap_limit: ram.base.saturating_add(ram.size),
            stack_base,
            stack_limit: ram.base,
        }
    }
}
