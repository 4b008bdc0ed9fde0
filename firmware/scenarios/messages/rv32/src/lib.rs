//! What the RV32 programs of group `messages/` share.

#![no_std]

use riscv_rt as _;

#[path = "../../../tasks-rv32/common.rs"]
mod common;
pub use common::*;

/// A VexRiscv with user mode and PMP, on the boards that have memory for code at 0.
pub struct Chip;

// SAFETY: the linker's script puts code and constants, and nothing else, below 128 KiB; the board's core is VexRiscv secure.
unsafe impl mainspring::process::Chip for Chip {
    const CODE: (usize, usize) = (0, 128 << 10);
    const PROTECTION: mainspring::process::Protection = mainspring::process::Protection::VexRiscv;
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;

    fn failed() -> ! {
        fail()
    }
}

/// Where these boards have the way out: a page that a process reaches if it is its device. PMP leaves it open.
pub const PORTS: usize = 0xfff0_0000;

/// A VexRiscv with Sv32, on the same boards.
pub struct PagedChip;

// SAFETY: as above, and there is nothing else in the first 4 MiB; the board's core is VexRiscv linux.
unsafe impl mainspring::process::Chip for PagedChip {
    const CODE: (usize, usize) = (0, 4 << 20);
    const PROTECTION: mainspring::process::Protection = mainspring::process::Protection::VexRiscvSv32;
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;

    fn failed() -> ! {
        fail()
    }
}
