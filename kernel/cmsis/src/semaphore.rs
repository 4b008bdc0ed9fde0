//! Semaphores.

use core::ffi::c_char;
use core::ptr;

use crate::kernel::{may_wait, reschedule, wait};
use crate::object::{self, Kind};
use crate::port::{in_interrupt, scheduler, section};
use crate::types::{Attributes, Id, OK, PARAMETER, RESOURCE, Status};

/// `osSemaphoreNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osSemaphoreNew(most: u32, count: u32, attributes: *const Attributes) -> Id {
    if in_interrupt() || most == 0 || count > most {
        return ptr::null_mut();
    }
    section(|| {
        // SAFETY: attributes, or null.
        let Some(object) = (unsafe { object::create(Kind::Semaphore, attributes) }) else {
            return ptr::null_mut();
        };
        object.most.set(most);
        object.count.set(count);
        object.id()
    })
}

/// `osSemaphoreGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osSemaphoreGetName(id: Id) -> *const c_char {
    object::name(id, Kind::Semaphore)
}

/// `osSemaphoreAcquire`
#[unsafe(no_mangle)]
pub extern "C" fn osSemaphoreAcquire(id: Id, timeout: u32) -> Status {
    section(|| {
        let Some(object) = object::find(id, Kind::Semaphore) else {
            return PARAMETER;
        };
        if object.count.get() > 0 {
            object.count.set(object.count.get() - 1);
            return OK;
        }
        may_wait(timeout).map_or_else(|status| status, |()| wait(Some(&object.takers), timeout))
    })
}

/// `osSemaphoreRelease`
#[unsafe(no_mangle)]
pub extern "C" fn osSemaphoreRelease(id: Id) -> Status {
    section(|| {
        let Some(object) = object::find(id, Kind::Semaphore) else {
            return PARAMETER;
        };
        if scheduler().release(&object.takers).is_some() {
            reschedule();
        } else if object.count.get() < object.most.get() {
            object.count.set(object.count.get() + 1);
        } else {
            return RESOURCE;
        }
        OK
    })
}

/// `osSemaphoreGetCount`
#[unsafe(no_mangle)]
pub extern "C" fn osSemaphoreGetCount(id: Id) -> u32 {
    section(|| object::find(id, Kind::Semaphore).map_or(0, |object| object.count.get()))
}

/// `osSemaphoreDelete`
#[unsafe(no_mangle)]
pub extern "C" fn osSemaphoreDelete(id: Id) -> Status {
    object::delete(id, Kind::Semaphore)
}
