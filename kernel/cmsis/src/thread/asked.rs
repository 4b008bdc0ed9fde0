//! Queries about threads: their stacks, and which exist.

use crate::port::{in_interrupt, section};
use crate::tcb::{FILL, LAST, Tcb, all, find};
use crate::types::Id;

/// `osThreadGetStackSize`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetStackSize(id: Id) -> u32 {
    find(id).map_or(0, |thread| thread.stack_bytes.get())
}

/// `osThreadGetStackSpace`: bytes that were never used.
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetStackSpace(id: Id) -> u32 {
    let Some(thread) = find(id) else { return 0 };
    let words = thread.stack_bytes.get() / 4;
    // SAFETY: words of the stack, which are looked at and no more.
    let unused = (0..words)
        .take_while(|&word| unsafe { thread.stack.get().add(word as usize).read_volatile() } == FILL);
    unused.count() as u32 * 4
}

/// The threads that exist, without the idle thread.
fn active() -> impl Iterator<Item = &'static Tcb> {
    let mut left = all();
    core::iter::from_fn(move || {
        left.find(|thread| thread.is_there.get() && !thread.has_ended.get() && thread.rank.get() != LAST)
    })
}

/// `osThreadGetCount`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadGetCount() -> u32 {
    if in_interrupt() {
        0
    } else {
        section(|| active().count() as u32)
    }
}

/// `osThreadEnumerate`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osThreadEnumerate(ids: *mut Id, room: u32) -> u32 {
    if in_interrupt() || ids.is_null() {
        return 0;
    }
    section(|| {
        let mut count = 0;
        for thread in active().take(room as usize) {
            // SAFETY: the caller's array has `room` places.
            unsafe { ids.add(count).write(thread.id()) };
            count += 1;
        }
        count as u32
    })
}
