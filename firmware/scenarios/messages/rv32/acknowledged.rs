// A chip that says which interrupt its kernel took, for the harness that drives the lines: they are levels.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::process::{Protection, Tick};

/// The interrupt that the kernel took last: its line falls then.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static ACKNOWLEDGED: AtomicU32 = AtomicU32::new(0);

/// The timer of timeouts, in programs that have any.
const TICKS: u16 = 10;

struct Chip;

// SAFETY: what `CODE` and `PROTECTION` say is as for the chip of the other programs.
unsafe impl mainspring::process::Chip for Chip {
    const CODE: (usize, usize) = CODE;
    const PROTECTION: Protection = PROTECTION;
    const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;
    const TICK: Tick = Tick::Line(TICKS);

    fn taken(line: u16) {
        ACKNOWLEDGED.store(line.into(), Relaxed);
    }

    fn ticked() {
        ACKNOWLEDGED.store(TICKS.into(), Relaxed);
    }

    fn stopped(process: usize, said: Option<usize>) {
        PagedChip::<MAIN>::stopped(process, said);
    }

    fn failed() -> ! {
        PagedChip::<MAIN>::failed()
    }
}

fn begins() {
    mark::<1>();
}
