//! Shared by the programs that run once for every cycle at which an interrupt can come.
//!
//! Each has tasks that compete, and at its end compares what they left with what they did. A count that was lost, a
//! section that was entered twice or a message that went astray makes the program end with a failure.

use core::arch::asm;
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Something that must not be is.
static BROKEN: AtomicBool = AtomicBool::new(false);

/// Notes that something that must not be is.
pub fn broken() {
    BROKEN.store(true, Relaxed);
}

/// How often something happened that one task alone does.
pub struct Tally(AtomicU32);

impl Tally {
    /// Not yet.
    #[must_use]
    pub const fn new() -> Self {
        Tally(AtomicU32::new(0))
    }

    /// Once more. One task calls this, so a load and a store are enough.
    pub fn add(&self) {
        self.0.store(self.get() + 1, Relaxed);
    }

    /// So often.
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

/// Data that shows when two were at it at once.
pub struct Guarded {
    count: u32,
    inside: bool,
}

impl Guarded {
    /// No task was inside.
    #[must_use]
    pub const fn new() -> Self {
        Guarded {
            count: 0,
            inside: false,
        }
    }

    /// The work of a short section. It is plain, so the compiler does with it whatever the section's ends permit.
    pub fn count(&mut self) {
        self.count += 1;
    }

    /// The work of a longer section, which notices company.
    pub fn work(&mut self) {
        // SAFETY: both are fields of an exclusive reference; volatile, because a reference that is not exclusive
        // after all is just what is looked for.
        unsafe {
            if read_volatile(addr_of!(self.inside)) {
                broken();
            }
            write_volatile(addr_of_mut!(self.inside), true);
            let before = read_volatile(addr_of!(self.count));
            asm!("nop", "nop", "nop", options(nomem, nostack, preserves_flags));
            write_volatile(addr_of_mut!(self.count), before + 1);
            write_volatile(addr_of_mut!(self.inside), false);
        }
    }

    /// How often it was worked on.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.count
    }
}

impl Default for Guarded {
    fn default() -> Self {
        Self::new()
    }
}

/// Ends the program: well, if `sums` are right and nothing was noticed on the way.
pub fn verdict(sums: bool) -> ! {
    if sums && !BROKEN.load(Relaxed) {
        crate::exit()
    } else {
        crate::fail()
    }
}
