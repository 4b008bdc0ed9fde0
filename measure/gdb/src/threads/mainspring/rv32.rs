//! The frames of Mainspring's threads on RV32 (`kernel/mainspring/src/arch/rv32/threads.rs`). A frame's first word is the kernel's resume
//! address, which tells how the thread left.

use std::ops::Range;

use machine::Image;
use machine::target::Memory;

use super::super::saved::{Saved, word};

/// The kernel functions at which a thread resumes or begins.
pub(super) struct Ways {
    leave: Range<u32>,
    interrupt: Range<u32>,
    entries: Vec<u32>,
}

/// Registers after the first word in every frame of a thread that left; the rest depends on how it left.
const KEPT: [&str; 2] = ["s0", "s1"];
const CALLED: [&str; 10] = ["s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11"];
/// Registers that an interrupt saves at once, from the second word on; `CALLED` follows if another thread is to run.
const INTERRUPTED: [&str; 19] = [
    "ra", "t0", "t1", "t2", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t3", "t4", "t5", "t6", "s0",
    "s1", "pc",
];

/// Frame sizes in bytes: of an interrupted thread, of one that left by `leave`, and of one that left by itself.
const OF_INTERRUPT: u32 = 128;
const OF_LEAVE: u32 = 64;
const OF_SWITCH: u32 = 16;

impl Ways {
    pub(super) fn of(image: &Image) -> Ways {
        let is = |name: &str, wanted: &str| {
            name.split("::<")
                .next()
                .is_some_and(|name| name.ends_with(wanted))
        };
        let function = |wanted: &str| {
            let found = image.symbols().find(|symbol| is(&symbol.name, wanted));
            found.map_or(0..0, |symbol| {
                symbol.address..symbol.address.saturating_add(symbol.size)
            })
        };
        let entries = image
            .symbols()
            .filter(|symbol| is(&symbol.name, "mainspring::threads::thread::enter"));
        Ways {
            leave: function("::rv32::threads::leave"),
            interrupt: function("::rv32::threads::interrupt::interrupt"),
            entries: entries.map(|symbol| symbol.address).collect(),
        }
    }

    pub(super) fn saved(&self, memory: &dyn Memory, stack: u32) -> Option<Saved> {
        let mut saved = Saved::default();
        let at = |place: u32| stack.wrapping_add(4 * place);
        let next = word(memory, stack)?;
        if self.interrupt.contains(&next) {
            saved.take(memory, at(1), &INTERRUPTED)?;
            saved.take(memory, at(20), &CALLED)?;
            saved.sp(stack.wrapping_add(OF_INTERRUPT));
            return Some(saved);
        }
        if self.entries.contains(&next) {
            // A thread that has not begun takes nothing off its stack first.
            saved.set("pc", next);
            saved.sp(stack);
            return Some(saved);
        }
        saved.take(memory, at(1), &KEPT)?;
        if self.leave.contains(&next) {
            // `leave` only has to return.
            saved.take(memory, at(3), &["pc"])?;
            saved.take(memory, at(4), &CALLED)?;
            saved.sp(stack.wrapping_add(OF_LEAVE));
            return Some(saved);
        }
        saved.set("pc", next);
        saved.sp(stack.wrapping_add(OF_SWITCH));
        Some(saved)
    }
}
