//! Mutexes.

use core::ffi::c_char;
use core::ptr;

use mainspring_core::threads::Locking;

use crate::kernel::{in_thread, is_running, may_wait, reschedule, sleep};
use crate::object::{self, Kind, Object};
use crate::port::{in_interrupt, scheduler, section};
use crate::tcb;
use crate::types::{Attributes, ERROR, FOREVER, Id, OK, PARAMETER, RESOURCE, Status};

/// `osMutexRecursive`.
const RECURSIVE: u32 = 1;

/// `osMutexNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osMutexNew(attributes: *const Attributes) -> Id {
    if in_interrupt() {
        return ptr::null_mut();
    }
    // SAFETY: attributes, or null.
    section(|| unsafe { object::create(Kind::Mutex, attributes) }.map_or(ptr::null_mut(), Object::id))
}

/// `osMutexGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osMutexGetName(id: Id) -> *const c_char {
    object::name(id, Kind::Mutex)
}

/// `osMutexAcquire`
#[unsafe(no_mangle)]
pub extern "C" fn osMutexAcquire(id: Id, timeout: u32) -> Status {
    in_thread(|| {
        let Some(object) = object::find(id, Kind::Mutex) else {
            return PARAMETER;
        };
        // It is a thread's, and the idle one would never give it back.
        if !is_running() {
            return ERROR;
        }
        let (kernel, own) = (scheduler(), tcb::running());
        if object.owner.get().is_some_and(|owner| ptr::eq(owner, own)) {
            if object.bits.get() & RECURSIVE == 0 {
                return RESOURCE;
            }
            let Some(count) = object.count.get().checked_add(1) else {
                return RESOURCE;
            };
            object.count.set(count);
            return OK;
        }
        if object.owner.get().is_some()
            && let Err(status) = may_wait(timeout)
        {
            return status;
        }
        let until = (timeout != FOREVER).then_some(timeout);
        kernel.keep_turn(own.rank.get());
        if kernel.lock(own.rank.get(), &object.ownership, until) == Locking::Waits {
            // The thread that gives it back makes this one its owner.
            return sleep(own, None, timeout);
        }
        object.owner.set(Some(own));
        object.count.set(1);
        OK
    })
}

/// Passes the mutex from its owner to the first thread that waits. In the kernel's section.
pub(crate) fn give_back(object: &'static Object) {
    let next = scheduler().unlock(&object.ownership).map(tcb::at);
    object.owner.set(next);
    object.count.set(u32::from(next.is_some()));
}

/// `osMutexRelease`
#[unsafe(no_mangle)]
pub extern "C" fn osMutexRelease(id: Id) -> Status {
    in_thread(|| {
        let Some(object) = object::find(id, Kind::Mutex) else {
            return PARAMETER;
        };
        if !object
            .owner
            .get()
            .is_some_and(|owner| ptr::eq(owner, tcb::running()))
        {
            return RESOURCE;
        }
        object.count.set(object.count.get() - 1);
        if object.count.get() == 0 {
            give_back(object);
            reschedule();
        }
        OK
    })
}

/// `osMutexGetOwner`
#[unsafe(no_mangle)]
pub extern "C" fn osMutexGetOwner(id: Id) -> Id {
    if in_interrupt() {
        return ptr::null_mut();
    }
    section(|| {
        let owner = object::find(id, Kind::Mutex).and_then(|object| object.owner.get());
        owner.map_or(ptr::null_mut(), |owner| ptr::from_ref(owner).cast_mut().cast())
    })
}

/// `osMutexDelete`
#[unsafe(no_mangle)]
pub extern "C" fn osMutexDelete(id: Id) -> Status {
    in_thread(|| {
        let Some(object) = object::find(id, Kind::Mutex) else {
            return PARAMETER;
        };
        // Each waiting thread gets it in turn, and then an error in its place.
        while object.owner.get().is_some() {
            give_back(object);
            if let Some(owner) = object.owner.get() {
                owner.result.set(RESOURCE);
            }
        }
        object.delete();
        OK
    })
}
