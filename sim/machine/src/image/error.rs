//! What can be wrong with a file of a program.

use std::io;

use thiserror::Error;

/// A file that cannot be run, and why.
#[derive(Debug, Error)]
#[error("{file}: {problem}")]
pub struct ImageError {
    /// The file's name as the user gave it.
    pub file: String,
    /// What is wrong.
    pub problem: ImageProblem,
}

/// What is wrong with an ELF file.
#[derive(Debug, Error)]
pub enum ImageProblem {
    /// It cannot be read at all.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// It is something else.
    #[error("not an ELF file: {found}")]
    NotElf {
        /// What it looks like.
        found: &'static str,
    },
    /// It ends early.
    #[error("truncated: {what} ends at byte {needs}, the file has only {has}")]
    Truncated {
        /// Which part of it is cut off.
        what: String,
        /// Bytes that the file should have at the least.
        needs: u64,
        /// Bytes that it has.
        has: u64,
    },
    /// It is for a 64-bit machine.
    #[error("a 64-bit ELF file for {found}; the boards here run 32-bit programs")]
    WrongClass {
        /// The machine it was built for.
        found: String,
    },
    /// It is big-endian.
    #[error("a big-endian ELF file; the boards here are little-endian")]
    WrongByteOrder,
    /// It is for another machine.
    #[error("built for {found}, not for Arm or RISC-V")]
    WrongArchitecture {
        /// The machine it was built for.
        found: String,
    },
    /// It is an object file.
    #[error("{found}, not a linked program")]
    NotLinked {
        /// What it is.
        found: &'static str,
    },
    /// Nothing in it goes into memory.
    #[error("no loadable segment: nothing in it goes into the chip's memory")]
    NoSegment,
    /// It says where its bytes go, and so did the user.
    #[error("{what}, which has its own addresses")]
    HasAddresses {
        /// What it is.
        what: &'static str,
    },
    /// Two files have bytes for the same address.
    #[error("it has bytes for {address:#010x}, and so has {other}")]
    Overlaps {
        /// The other file.
        other: String,
        /// The first address that both have.
        address: u32,
    },
    /// Two files are for different instruction sets.
    #[error("built for {built}, but the program's first file for {other}")]
    OtherArchitecture {
        /// What it is built for.
        built: &'static str,
        /// What the first file is built for.
        other: &'static str,
    },
    /// A header contradicts itself.
    #[error("malformed: {0}")]
    Malformed(String),
}

impl ImageProblem {
    /// What the user can do about it.
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
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        self.problem.hint()
    }
}
