//! Event flags.

use core::ffi::c_char;
use core::ptr;

use mainspring_core::threads::{bit, top};

use crate::kernel::reschedule;
use crate::object::{self, Kind};
use crate::port::{in_interrupt, scheduler, section};
use crate::tcb;
use crate::thread_flags::{NO_FLAGS, error, take_flags, wait_for_flags};
use crate::types::{Attributes, Id, PARAMETER, Status};

/// `osEventFlagsNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osEventFlagsNew(attributes: *const Attributes) -> Id {
    if in_interrupt() {
        return ptr::null_mut();
    }
    // SAFETY: attributes, or null.
    section(|| unsafe { object::create(Kind::Flags, attributes) }.map_or(ptr::null_mut(), object::Object::id))
}

/// `osEventFlagsGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osEventFlagsGetName(id: Id) -> *const c_char {
    object::name(id, Kind::Flags)
}

/// `osEventFlagsSet`
#[unsafe(no_mangle)]
pub extern "C" fn osEventFlagsSet(id: Id, flags: u32) -> u32 {
    section(|| {
        let Some(object) = object::find(id, Kind::Flags).filter(|_| flags & NO_FLAGS == 0) else {
            return error(PARAMETER);
        };
        object.count.set(object.count.get() | flags);
        let mut left = object.takers.members();
        while left != 0 {
            let rank = top(left);
            left &= !bit(rank);
            let thread = tcb::at(rank);
            if let Some(before) = thread
                .wanted
                .get()
                .and_then(|wanted| take_flags(wanted, &object.count))
            {
                thread.result.set(before as i32);
                scheduler().release_member(&object.takers, rank);
            }
        }
        reschedule();
        object.count.get()
    })
}

/// `osEventFlagsClear`
#[unsafe(no_mangle)]
pub extern "C" fn osEventFlagsClear(id: Id, flags: u32) -> u32 {
    section(|| match object::find(id, Kind::Flags) {
        Some(object) if flags & NO_FLAGS == 0 => object.count.replace(object.count.get() & !flags),
        _ => error(PARAMETER),
    })
}

/// `osEventFlagsGet`
#[unsafe(no_mangle)]
pub extern "C" fn osEventFlagsGet(id: Id) -> u32 {
    section(|| object::find(id, Kind::Flags).map_or(0, |object| object.count.get()))
}

/// `osEventFlagsWait`
#[unsafe(no_mangle)]
pub extern "C" fn osEventFlagsWait(id: Id, flags: u32, options: u32, timeout: u32) -> u32 {
    section(|| match object::find(id, Kind::Flags) {
        Some(object) if flags & NO_FLAGS == 0 => wait_for_flags(
            tcb::running(),
            Some(&object.takers),
            &object.count,
            (flags, options),
            timeout,
        ),
        _ => error(PARAMETER),
    })
}

/// `osEventFlagsDelete`
#[unsafe(no_mangle)]
pub extern "C" fn osEventFlagsDelete(id: Id) -> Status {
    object::delete(id, Kind::Flags)
}
