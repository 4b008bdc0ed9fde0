//! Shared by the RV32 programs of group `messages/`.

#![no_std]

use riscv_rt as _;

#[path = "../../../tasks-rv32/common.rs"]
mod common;
pub use common::*;

pub mod manual;

/// A VexRiscv with user mode and PMP, on the boards that have memory for code at 0.
pub struct Chip;

// SAFETY: the linker's script puts only code and constants below 128 KiB; the board's core is VexRiscv secure.
unsafe impl mainspring::process::Chip for Chip {
    const CODE: (usize, usize) = (0, 128 << 10);
    const PROTECTION: mainspring::process::Protection = mainspring::process::Protection::VexRiscv;
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;

    fn failed() -> ! {
        fail()
    }
}

/// The message of a process that ends the program well, or not: under page tables it does not reach the port.
const WELL: usize = 0x600d_0e4d;
const BADLY: usize = 0xbad_0e4d;

/// A VexRiscv with Sv32, on the same boards, with code and data in different pieces of 4 MiB. `FENCED`: Precursor's, which forgets
/// what it knows of tables at SFENCE.VMA alone.
pub struct PagedChip<const START: usize, const FENCED: bool = false>;

/// Where the programs of [`PagedChip`] are on most boards.
pub const MAIN: usize = 0x4000_0000;

// SAFETY: as above, and there is nothing else in these 4 MiB; the board's core is VexRiscv linux, or Precursor's.
unsafe impl<const START: usize, const FENCED: bool> mainspring::process::Chip for PagedChip<START, FENCED> {
    const CODE: (usize, usize) = (START, 4 << 20);
    const PROTECTION: mainspring::process::Protection = if FENCED {
        mainspring::process::Protection::FencedVexRiscvSv32
    } else {
        mainspring::process::Protection::VexRiscvSv32
    };
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;

    fn stopped(_process: usize, said: Option<usize>) {
        match said {
            Some(WELL) => exit(),
            Some(BADLY) => fail(),
            _ => {}
        }
    }

    fn failed() -> ! {
        fail()
    }
}

/// Replacements, for processes under page tables, of the functions of the same names.
pub mod paged {
    use mainspring::process::stop_with;

    /// Ends the program; the host sees exit code 0.
    pub fn exit() -> ! {
        stop_with(super::WELL)
    }

    /// Ends the program as one that failed; the host sees exit code 1.
    pub fn fail() -> ! {
        stop_with(super::BADLY)
    }
}
