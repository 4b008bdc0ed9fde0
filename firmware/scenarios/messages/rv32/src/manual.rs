//! A core by the manual, with PMP and Sv32 as it has them, on QEMU's machine `virt`. Processes reach no device, the way out neither.

use core::ptr::{read_volatile, write_volatile};

use mainspring::process::{Protection, Tick, stop_with};

use super::{BADLY, WELL};

/// Protected by page tables, or by PMP.
pub struct Chip<const PAGED: bool>;

/// Where memory begins that is written to: `manual.x` says so.
pub const RAM: usize = 0x8040_0000;

const FINISHER: *mut u32 = 0x0010_0000 as *mut u32;
/// Of the machine timer, the low words: a program ends long before they are all ones.
const COMPARED: *mut u32 = 0x0200_4000 as *mut u32;
const TIME: *const u32 = 0x0200_bff8 as *const u32;
/// Units of the timer from tick to tick: 0.1 µs each.
const PERIOD: u32 = 700;

// SAFETY: `manual.x` puts only code and constants below `RAM`; the machine's core is by the manual.
unsafe impl<const PAGED: bool> mainspring::process::Chip for Chip<PAGED> {
    const CODE: (usize, usize) = (0x8000_0000, 4 << 20);
    const PROTECTION: Protection = if PAGED { Protection::Sv32 } else { Protection::Pmp };
    const LINES: mainspring::Lines = mainspring::Lines::Standard;
    const TICK: Tick = Tick::Core;

    fn ticked() {
        start_ticks();
    }

    fn stopped(_process: usize, said: Option<usize>) {
        match said {
            Some(WELL) => finish(0x5555),
            Some(BADLY) => Self::failed(),
            _ => {}
        }
    }

    fn failed() -> ! {
        finish(0x1_3333)
    }
}

/// Asks the machine timer for the next tick.
pub fn start_ticks() {
    // SAFETY: the timer's registers, which only the kernel writes.
    unsafe {
        let next = read_volatile(TIME) + PERIOD;
        write_volatile(COMPARED, next);
        write_volatile(COMPARED.add(1), 0);
    }
}

fn finish(how: u32) -> ! {
    loop {
        // SAFETY: the machine's way out.
        unsafe { write_volatile(FINISHER, how) };
    }
}

/// Ends the program; the host sees exit code 0.
pub fn exit() -> ! {
    stop_with(WELL)
}

/// Ends the program as one that failed; the host sees exit code 1.
pub fn fail() -> ! {
    stop_with(BADLY)
}
