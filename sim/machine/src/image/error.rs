//! Errors in program files.

use std::io;

use thiserror::Error;

/// A file that cannot be run, and the reason.
#[derive(Debug, Error)]
#[error("{file}: {problem}")]
pub struct ImageError {
    /// The file's name as the user gave it.
    pub file: String,
    /// The problem.
    pub problem: ImageProblem,
}

/// A problem of a program file.
#[derive(Debug, Error)]
pub enum ImageProblem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// The file is not ELF.
    #[error("not an ELF file: {found}")]
    NotElf {
        /// The kind of file that it looks like.
        found: &'static str,
    },
    /// The file is truncated.
    #[error("truncated: {what} ends at byte {needs}, the file has only {has}")]
    Truncated {
        /// The part that is cut off.
        what: String,
        /// The least size that the file should have, in bytes.
        needs: u64,
        /// The file's size in bytes.
        has: u64,
    },
    /// The file is for a 64-bit machine.
    #[error("a 64-bit ELF file for {found}; the boards here run 32-bit programs")]
    WrongClass {
        /// The machine for which it was built.
        found: String,
    },
    /// The file is big-endian.
    #[error("a big-endian ELF file; the boards here are little-endian")]
    WrongByteOrder,
    /// The file is for another machine.
    #[error("built for {found}, not for Arm or RISC-V")]
    WrongArchitecture {
        /// The machine for which it was built.
        found: String,
    },
    /// The file is not linked.
    #[error("{found}, not a linked program")]
    NotLinked {
        /// The ELF type.
        found: &'static str,
    },
    /// No segment goes into memory.
    #[error("no loadable segment: nothing in it goes into the chip's memory")]
    NoSegment,
    /// The user gave an address for a file that has its own.
    #[error("{what}, which has its own addresses")]
    HasAddresses {
        /// The file's format.
        what: &'static str,
    },
    /// Two files have bytes at the same address.
    #[error("it has bytes for {address:#010x}, and so has {other}")]
    Overlaps {
        /// The other file.
        other: String,
        /// The first common address.
        address: u32,
    },
    /// Two files are for different instruction sets.
    #[error("built for {built}, but the program's first file for {other}")]
    OtherArchitecture {
        /// The file's instruction set.
        built: &'static str,
        /// The first file's instruction set.
        other: &'static str,
    },
    /// A header contradicts itself.
    #[error("malformed: {0}")]
    Malformed(String),
}

impl ImageProblem {
    /// The suggested remedy.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ImageProblem::NotElf { .. } => Some(
                "give the linker's own output, before objcopy; `run` and `gdb` also take Intel HEX, UF2, and a binary file \
                 with `--base ADDRESS`",
            ),
            ImageProblem::HasAddresses { .. } => Some("an address is for a binary file"),
            ImageProblem::Overlaps { .. } => Some(
                "link the two for different parts of the flash; are they two versions of the same program?",
            ),
            ImageProblem::OtherArchitecture { .. } => Some("both must be for the board's core"),
            ImageProblem::Truncated { .. } => Some("the copy or the build was interrupted: build it again"),
            ImageProblem::WrongClass { .. } | ImageProblem::WrongArchitecture { .. } => Some(
                "build for the board's core, e.g. with `cargo build --target thumbv7m-none-eabi` for a Cortex-M3, \
                     `--target riscv32imac-unknown-none-elf` for RV32",
            ),
            ImageProblem::NotLinked { .. } => {
                Some("link it with a linker script that places it in flash and RAM")
            }
            ImageProblem::NoSegment => {
                Some("is a linker script missing (for cortex-m-rt: `-C link-arg=-Tlink.x`)?")
            }
            ImageProblem::Unreadable(_) | ImageProblem::WrongByteOrder | ImageProblem::Malformed(_) => None,
        }
    }
}

impl ImageError {
    /// The suggested remedy.
    pub fn hint(&self) -> Option<&'static str> {
        self.problem.hint()
    }
}
