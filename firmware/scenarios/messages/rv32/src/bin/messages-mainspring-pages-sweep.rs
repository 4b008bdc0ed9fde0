//! Every cycle tried: an interrupt's process comes between two others that exchange messages, behind pages.
//! `mark_1` is where they begin.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::process::Protection;
use messages_rv32::paged::{exit, fail};
use messages_rv32::{MAIN, PagedChip, mark};

/// The interrupt whose process was told last, for who drives the line: it lowers it then.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static ACKNOWLEDGED: AtomicU32 = AtomicU32::new(0);

/// As in the other programs, but that the kernel says which interrupt it took.
struct Chip;

// SAFETY: as for the other programs' chip.
unsafe impl mainspring::process::Chip for Chip {
    const CODE: (usize, usize) = (MAIN, 4 << 20);
    const PROTECTION: Protection = Protection::VexRiscvSv32;
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;

    fn taken(line: u16) {
        ACKNOWLEDGED.store(line.into(), Relaxed);
    }

    fn stopped(process: usize, said: Option<usize>) {
        PagedChip::<MAIN>::stopped(process, said);
    }

    fn failed() -> ! {
        PagedChip::<MAIN>::failed()
    }
}

const BELOW: u16 = 8;
const ABOVE: u16 = 9;

type Shared = mainspring::process::Pages<4096>;

include!("../../../sweep.rs");

mainspring::processes! {
    /// Two who exchange messages, and two whom interrupts start.
    struct System;
    chip = Chip;
    processes {
        Client = Client { buffer: Shared::new() }, priority 1, memory 8192, calls (Server);
        Server = Server { last: 0 }, priority 2, memory 4096, calls ();
        Below = Below { heard: 0 }, priority 1, memory 4096, calls (Server), on BELOW;
        Above = Above, priority 4, memory 4096, calls (Server), on ABOVE;
    }
}

fn begins() {
    mark::<1>();
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
