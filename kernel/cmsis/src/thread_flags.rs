//! Flags: those of a thread, and what they have in common with those of objects.

use core::cell::Cell;

use mainspring_core::threads::Set;

use crate::kernel::{may_wait, reschedule, wait};
use crate::port::{in_interrupt, scheduler, section};
use crate::tcb::{self, Tcb};
use crate::types::{ISR, Id, PARAMETER, RESOURCE, Status};

/// The highest bit of a word of flags is an error's.
pub(crate) const NO_FLAGS: u32 = 1 << 31;

/// Those of `set` that `wanted` with `options` gets; none, if it is not enough.
pub(crate) fn enough((wanted, options): (u32, u32), set: u32) -> u32 {
    const ALL_OF_THEM: u32 = 1;
    let there = wanted & set;
    if options & ALL_OF_THEM != 0 && there != wanted {
        0
    } else {
        there
    }
}

/// Takes what `wanted` gets out of `set`, unless its options say not to. The flags before, if it is enough.
pub(crate) fn take_flags(wanted: (u32, u32), set: &Cell<u32>) -> Option<u32> {
    const KEEP: u32 = 2;
    let (before, there) = (set.get(), enough(wanted, set.get()));
    if there == 0 {
        return None;
    }
    if wanted.1 & KEEP == 0 {
        set.set(before & !there);
    }
    Some(before)
}

/// A status as flags.
pub(crate) const fn error(status: Status) -> u32 {
    status as u32
}

/// `osThreadFlagsSet`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadFlagsSet(id: Id, flags: u32) -> u32 {
    section(|| {
        let Some(thread) = tcb::find(id) else {
            return error(PARAMETER);
        };
        if flags & NO_FLAGS != 0 {
            return error(PARAMETER);
        }
        if thread.has_ended.get() {
            return error(RESOURCE);
        }
        let now = thread.flags.get() | flags;
        thread.flags.set(now);
        // It waits with its wish, and in no set.
        if let Some(wanted) = thread.wanted.get()
            && thread.within.get().is_none()
            && let Some(before) = take_flags(wanted, &thread.flags)
        {
            thread.wanted.set(None);
            thread.result.set(before as i32);
            scheduler().wake(thread.rank.get());
            reschedule();
        }
        thread.flags.get()
    })
}

/// `osThreadFlagsClear`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadFlagsClear(flags: u32) -> u32 {
    if in_interrupt() {
        return error(ISR);
    }
    section(|| {
        let own = tcb::running();
        own.flags.replace(own.flags.get() & !flags)
    })
}

/// `osThreadFlagsGet`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadFlagsGet() -> u32 {
    if in_interrupt() {
        0
    } else {
        section(|| tcb::running().flags.get())
    }
}

/// `osThreadFlagsWait`
#[unsafe(no_mangle)]
pub extern "C" fn osThreadFlagsWait(flags: u32, options: u32, timeout: u32) -> u32 {
    if in_interrupt() {
        return error(ISR);
    }
    section(|| {
        if flags & NO_FLAGS != 0 {
            return error(PARAMETER);
        }
        let own = tcb::running();
        wait_for_flags(own, None, &own.flags, (flags, options), timeout)
    })
}

/// Waits for `wanted` of `set`, among the threads that wait there.
pub(crate) fn wait_for_flags(
    own: &'static Tcb,
    among: Option<&'static Set>,
    set: &Cell<u32>,
    wanted: (u32, u32),
    timeout: u32,
) -> u32 {
    if let Some(before) = take_flags(wanted, set) {
        return before;
    }
    if let Err(status) = may_wait(timeout) {
        return error(status);
    }
    own.wanted.set(Some(wanted));
    let status = wait(among, timeout);
    own.wanted.set(None);
    error(status)
}
