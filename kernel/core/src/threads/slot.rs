//! The state of each thread, and where code that is not Rust finds it.

use core::cell::Cell;

use super::awaited::Awaited;
use super::mutex::Ownership;
use super::scheduler::Outcome;
#[cfg(target_pointer_width = "32")]
use super::scheduler::Scheduler;
use super::set::Set;

/// The state of one thread.
#[repr(C)]
pub struct Slot {
    /// Where its registers are while it does not run; the code that switches writes it.
    pub stack: Cell<usize>,
    /// A word for the wait: wanted flags, the address of a message, or whatever else the awaited object needs.
    pub word: Cell<usize>,
    /// The set that it waits in.
    pub(super) within: Cell<Option<&'static Set>>,
    /// The mutex that it waits for.
    pub(super) mutex: Cell<Option<&'static Ownership>>,
    /// Its wait ends at this tick, if it is in `timed`.
    pub(super) until: Cell<u32>,
    pub(super) outcome: Cell<Outcome>,
    /// The event it waits for, if only one particular thread can cause it.
    pub(super) awaited: Cell<Awaited>,
    /// Everyone of its priority.
    pub(super) group: Cell<u32>,
    /// The lowest address of its stack.
    pub guard: Cell<usize>,
}

impl Slot {
    /// Of a thread in this group.
    #[must_use]
    pub const fn new(group: u32) -> Self {
        Slot {
            stack: Cell::new(0),
            word: Cell::new(0),
            within: Cell::new(None),
            mutex: Cell::new(None),
            until: Cell::new(0),
            outcome: Cell::new(Outcome::Came),
            awaited: Cell::new(Awaited::Nothing),
            group: Cell::new(group),
            guard: Cell::new(0),
        }
    }
}

// Where assembly and debuggers find them: a change here needs one in `measure/gdb/src/threads/mainspring.rs`.
#[cfg(target_pointer_width = "32")]
const _: () = {
    assert!(core::mem::offset_of!(Scheduler<[Slot; 1]>, running) == 8);
    assert!(core::mem::offset_of!(Scheduler<[Slot; 1]>, suspended) == 20);
    assert!(core::mem::offset_of!(Scheduler<[Slot; 1]>, finished) == 28);
    assert!(core::mem::offset_of!(Scheduler<[Slot; 1]>, slots) == 60);
    assert!(size_of::<Slot>() == 32 && core::mem::offset_of!(Slot, guard) == 28);
};
