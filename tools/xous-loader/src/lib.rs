//! What the loader of Xous does, done before the run: a kernel and its programs become one ELF file, with everything in RAM where
//! that loader leaves it, so that it runs, is measured and is profiled as any other program is.
//!
//! The file holds, from the end of RAM downwards: a few instructions that enter the kernel in supervisor mode; the *structures* that
//! the kernel finds at `0xffc0_0000` (arguments, the table of processes, who owns which page); and for each process its root page
//! table, the tables behind it, a page for its threads, its stack, and its own pages. All programs are copied to RAM, as those that
//! Xous's image calls `IniE` are.
//!
//! Source: the loader and the kernel of <https://github.com/betrusted-io/xous-core>, releases 0.9.11 to 0.9.16, whose layout this is
//! (`loader/src/main.rs`, `kernel/src/args.rs`, `kernel/src/arch/riscv`). Not done: suspend and resume, signatures, programs that
//! are executed in place from flash, swap.

mod enter;
mod file;
mod pages;
mod ram;
mod structures;

use isa_rv32::Extension;
use thiserror::Error;

use machine::board::{Board, Core, MemoryKind};
use machine::image::{Architecture, Image};

use file::Part;
use pages::Pages;
use ram::Ram;

/// Bytes of a page.
const PAGE: u32 = 4096;
/// Where every process has its threads' registers.
const CONTEXT: u32 = 0xff80_1000;
/// Where the kernel finds the structures.
const STRUCTURES: u32 = 0xffc0_0000;
/// Where the kernel is linked to.
const KERNEL: u32 = 0xffd0_0000;
/// The end of the stack of the kernel's own process; the end of what it takes its traps on.
const KERNEL_STACKS: [u32; 2] = [0xfff8_0000, 0xffff_0000];
/// The end of a program's stack; of its pages, the last is there from the start, the others when they are needed.
const STACK: u32 = 0x8000_0000;
const STACK_PAGES: u32 = 8;
/// Where a program's own addresses end.
const USER_END: u32 = 0xff00_0000;
/// Bytes that the loader leaves free above the first word of a stack.
const ABOVE: u32 = 16;

/// Why there is no image.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum XousError {
    /// A core that cannot run Xous.
    #[error("board `{board}`: its {core} cannot run Xous, which needs {lacks}")]
    Core {
        /// The board.
        board: String,
        /// Its core.
        core: &'static str,
        /// What it lacks.
        lacks: &'static str,
    },
    /// No memory that can be written to.
    #[error("board `{board}` has no RAM")]
    NoRam {
        /// The board.
        board: String,
    },
    /// A file for another instruction set.
    #[error("{file}: built for {built}, not for RISC-V")]
    OtherArchitecture {
        /// The file.
        file: String,
        /// What it is built for.
        built: &'static str,
    },
    /// A kernel that is linked elsewhere than Xous's.
    #[error("{file}: no kernel of Xous: it begins at {begins:#010x}, not at {KERNEL:#010x}")]
    NoKernel {
        /// The file.
        file: String,
        /// Its lowest address.
        begins: u32,
    },
    /// A program that uses addresses which are the kernel's, or its own stack's.
    #[error("{file}: {what} at {address:#010x}, where Xous has {other}")]
    Taken {
        /// The file.
        file: String,
        /// What of it.
        what: &'static str,
        /// Where.
        address: u32,
        /// What is there.
        other: &'static str,
    },
    /// More than the RAM holds.
    #[error("{file}: the RAM of board `{board}` ({size} KiB) is full")]
    Full {
        /// The file that has no room any more.
        file: String,
        /// The board.
        board: String,
        /// Kibibytes of it.
        size: u32,
    },
    /// More programs than Xous has processes.
    #[error("{programs} programs are more than the {most} that Xous can start")]
    TooMany {
        /// How many they are.
        programs: usize,
        /// How many processes there can be beside the kernel.
        most: usize,
    },
}

impl XousError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            XousError::Core { .. } => {
                Some("choose a board with Sv32: `cyclescope list cores` shows them".into())
            }
            XousError::NoKernel { .. } => Some(
                "the kernel comes first, then its programs; `xous-kernel` of crates.io is linked so".into(),
            ),
            XousError::Taken { .. } => {
                Some("link it from 0x10000 on: `-C link-arg=--image-base=0x10000`".into())
            }
            XousError::Full { .. } => {
                Some("a board file can be `like` this one, with a larger memory".into())
            }
            XousError::OtherArchitecture { .. } => {
                Some("the target of Rust is `riscv32imac-unknown-xous-elf`".into())
            }
            XousError::NoRam { .. } | XousError::TooMany { .. } => None,
        }
    }
}

/// Processes that the kernel has a table for, itself included.
const PROCESSES: usize = 64;

/// An image of Xous.
#[derive(Debug)]
pub struct XousImage {
    /// The ELF file.
    pub elf: Vec<u8>,
    /// The processes, the kernel first: its number is the place in the list, from 1.
    pub processes: Vec<Process>,
}

/// A process of the image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// The file's name, without folder and `.elf`.
    pub name: String,
    /// The lowest address that it uses itself.
    pub begins: u32,
    /// Bytes from there to its last one.
    pub size: u32,
    /// The process whose addresses it also uses: then it has no symbols in the image.
    pub hidden_by: Option<String>,
}

/// Makes the image of a kernel and its programs for a board, whose RAM is the largest memory that can be written to. The
/// programs are the processes 2 and so on. `set` has words of memory beside, by their addresses.
///
/// # Errors
/// [`XousError`] says what does not fit.
pub fn xous(
    board: &Board,
    kernel: &Image,
    programs: &[Image],
    set: &[(u32, u32)],
) -> Result<XousImage, XousError> {
    check_core(board)?;
    if programs.len() >= PROCESSES {
        return Err(XousError::TooMany {
            programs: programs.len(),
            most: PROCESSES - 1,
        });
    }
    let memories = board
        .memories()
        .iter()
        .filter(|memory| memory.kind == MemoryKind::Ram);
    let memory = memories
        .max_by_key(|memory| memory.size)
        .ok_or_else(|| XousError::NoRam {
            board: board.name().into(),
        })?;
    let regions = structures::regions(board, memory.base);
    let mut ram = Ram::new(memory.base, memory.size, &regions);
    let full = |image: &Image| XousError::Full {
        file: image.file().into(),
        board: board.name().into(),
        size: memory.size >> 10,
    };
    let stub = ram.take(1, 1).ok_or_else(|| full(kernel))?;
    let places = structures::take(&mut ram, programs.len(), &regions).ok_or_else(|| full(kernel))?;
    let (mut starts, mut parts, mut processes) = (Vec::new(), Vec::new(), Vec::new());
    for (image, pid) in std::iter::once(kernel).chain(programs).zip(1..) {
        let pages = Pages::of(image).ok_or_else(|| full(image))?;
        check_place(image, &pages, pid)?;
        let (start, mut own) = process(&mut ram, image, &pages, pid).ok_or_else(|| full(image))?;
        let name = file::stem(image.file()).to_owned();
        let hidden_by = parts
            .iter()
            .find(|part: &&Part| own.iter().any(|own| own.overlaps(part)));
        let hidden_by = hidden_by.map(|part| part.program.clone());
        for part in &mut own {
            (part.program, part.symbols) = (name.clone(), hidden_by.is_none());
        }
        let (begins, size) = pages.extent();
        processes.push(Process {
            name,
            begins,
            size,
            hidden_by,
        });
        parts.append(&mut own);
        starts.push(start);
    }
    structures::share_kernel(&mut ram, &places, &starts).ok_or_else(|| full(kernel))?;
    let registers = structures::write(&mut ram, &places, &starts, &regions);
    let code = enter::code(&registers, &starts[0], stub);
    ram.write(stub, &code);
    for &(at, word) in set {
        ram.set_word(at, word);
    }
    let images: Vec<&Image> = std::iter::once(kernel).chain(programs).collect();
    Ok(XousImage {
        elf: file::elf(stub, &ram, &parts, &images),
        processes,
    })
}

fn check_core(board: &Board) -> Result<(), XousError> {
    let lacks = |lacks| {
        Err(XousError::Core {
            board: board.name().into(),
            core: board.core().name(),
            lacks,
        })
    };
    match board.core() {
        Core::Rv32(config) if !config.supervisor => lacks("supervisor mode and Sv32"),
        Core::Rv32(config) if config.access(SUPERVISOR_MASK).is_none() => {
            lacks("VexRiscv's mask of interrupts for supervisor mode (0x9c0)")
        }
        Core::Rv32(config) if !config.isa.has(Extension::Zaamo) => lacks("atomic operations"),
        Core::Rv32(_) => Ok(()),
        Core::CortexM(_) => lacks("an RV32 core with supervisor mode and Sv32"),
    }
}

/// `VexRiscv`'s mask of external interrupts in supervisor mode.
const SUPERVISOR_MASK: u16 = 0x9c0;

/// A process as the kernel's table has it.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// Its translation, with its number as address space.
    satp: u32,
    entry: u32,
    stack: u32,
}

impl Start {
    /// The address of its root page table.
    fn root(self) -> u32 {
        self.satp << 12
    }
}

/// Puts a process into RAM. `None` if that is full.
fn process(ram: &mut Ram, image: &Image, pages: &Pages, pid: u8) -> Option<(Start, Vec<Part>)> {
    let is_kernel = pid == 1;
    let space = ram::Space::new(ram, pid)?;
    let threads = ram.take(1, pid)?;
    space.map(ram, threads, CONTEXT, ram::READ | ram::WRITE)?;
    let (stack, rights) = if is_kernel {
        for end in KERNEL_STACKS {
            let page = ram.take(1, pid)?;
            space.map(ram, page, end - PAGE, ram::READ | ram::WRITE)?;
        }
        (KERNEL_STACKS[0] - ABOVE, 0)
    } else {
        let rights = ram::READ | ram::WRITE | ram::USER;
        let page = ram.take(1, pid)?;
        space.map(ram, page, STACK - PAGE, rights)?;
        for below in 2..=STACK_PAGES {
            space.reserve(ram, STACK - below * PAGE, rights)?;
        }
        (STACK - ABOVE, ram::USER)
    };
    let mut parts = Vec::new();
    for run in pages.runs() {
        let physical = ram.take(run.pages(), pid)?;
        for page in 0..run.pages() {
            let (from, to) = (run.at + page * PAGE, physical + page * PAGE);
            space.map(ram, to, from, run.rights | rights)?;
        }
        parts.push(Part::new(run, physical));
    }
    let start = Start {
        satp: space.satp(),
        entry: image.entry(),
        stack,
    };
    Some((start, parts))
}

/// The kernel must be where its programs look for it, and they where it is not.
fn check_place(image: &Image, pages: &Pages, pid: u8) -> Result<(), XousError> {
    let file = || image.file().to_owned();
    if image.architecture() != Architecture::RiscV {
        return Err(XousError::OtherArchitecture {
            file: file(),
            built: image.architecture().name(),
        });
    }
    let (begins, size) = pages.extent();
    let end = u64::from(begins) + u64::from(size);
    let taken = |other| XousError::Taken {
        file: file(),
        what: "a part of it lies",
        address: begins,
        other,
    };
    if pid == 1 {
        if begins != KERNEL {
            return Err(XousError::NoKernel { file: file(), begins });
        }
        let stacks = u64::from(KERNEL_STACKS[0] - PAGE);
        return if end > stacks {
            Err(taken("the kernel's stacks"))
        } else {
            Ok(())
        };
    }
    let stack = u64::from(STACK - STACK_PAGES * PAGE);
    if begins < PAGE {
        Err(taken("nothing, so that a pointer to 0 is caught"))
    } else if end > u64::from(USER_END) {
        Err(taken("the kernel"))
    } else if u64::from(begins) < u64::from(STACK) && end > stack {
        Err(taken("the program's stack"))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
