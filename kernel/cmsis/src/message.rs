//! Message queues.
//!
//! The place of a message is its number in the order of coming, its priority, and its bytes; a number of 0 is a free place.

use core::ffi::{c_char, c_void};
use core::ptr;

use crate::kernel::{in_thread, may_wait, reschedule, wait};
use crate::object::{self, Kind, Object};
use crate::port::{in_interrupt, scheduler, section};
use crate::tcb;
use crate::types::{DataAttributes, Id, OK, PARAMETER, Status};

/// Bytes before a message: its number, and its priority.
const HEAD: u32 = 8;

/// `osMessageQueueNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osMessageQueueNew(count: u32, size: u32, attributes: *const DataAttributes) -> Id {
    let place = size
        .checked_next_multiple_of(4)
        .and_then(|size| size.checked_add(HEAD));
    let Some(bytes) = place.and_then(|place| place.checked_mul(count)) else {
        return ptr::null_mut();
    };
    if in_interrupt() || count == 0 || size == 0 {
        return ptr::null_mut();
    }
    // SAFETY: attributes, or null, and with them a place of the size that they say.
    section(|| unsafe {
        let with = attributes.as_ref();
        let Some(object) = object::create(Kind::Queue, attributes.cast()) else {
            return ptr::null_mut();
        };
        let (data, data_size) = with.map_or((ptr::null_mut(), 0), |with| (with.data, with.data_size));
        if !object.take_memory(data, data_size, bytes) {
            return ptr::null_mut();
        }
        object.most.set(count);
        object.size.set(size);
        empty(object);
        object.id()
    })
}

/// The place with this index.
fn place(object: &Object, index: u32) -> *mut u32 {
    let bytes = object.size.get().next_multiple_of(4) + HEAD;
    object.data.get().wrapping_add((index * bytes) as usize).cast()
}

/// Forgets every message.
///
/// # Safety
///
/// The object has its memory.
unsafe fn empty(object: &Object) {
    // SAFETY: places of the queue.
    (0..object.most.get()).for_each(|index| unsafe { place(object, index).write(0) });
    object.count.set(0);
}

/// Puts a message into a free place, of which there is one.
///
/// # Safety
///
/// `message` is of the queue's size.
unsafe fn insert(object: &Object, message: *const u8, priority: u8) {
    object.order.set(object.order.get().wrapping_add(1).max(1));
    // SAFETY: places of the queue; the caller's promise.
    unsafe {
        let free = (0..object.most.get())
            .map(|index| place(object, index))
            .find(|place| place.read() == 0);
        let Some(place) = free else { return };
        place.write(object.order.get());
        place.add(1).write(u32::from(priority));
        message.copy_to_nonoverlapping(place.add(2).cast(), object.size.get() as usize);
    }
    object.count.set(object.count.get() + 1);
}

/// Takes the most urgent message, the oldest of those, of which there is one.
///
/// # Safety
///
/// `message` is of the queue's size, `priority` is a byte or null.
unsafe fn extract(object: &Object, message: *mut u8, priority: *mut u8) {
    // SAFETY: places of the queue; the caller's promise.
    unsafe {
        let used = (0..object.most.get())
            .map(|index| place(object, index))
            .filter(|place| place.read() != 0);
        // Numbers wrap after 2^32 messages: what counts is how long ago.
        let urgency = |place: &*mut u32| (place.add(1).read(), object.order.get().wrapping_sub(place.read()));
        let Some(place) = used.max_by_key(urgency) else {
            return;
        };
        place
            .add(2)
            .cast::<u8>()
            .copy_to_nonoverlapping(message, object.size.get() as usize);
        if let Some(priority) = priority.as_mut() {
            *priority = place.add(1).read() as u8;
        }
        place.write(0);
    }
    object.count.set(object.count.get() - 1);
}

/// `osMessageQueueGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueGetName(id: Id) -> *const c_char {
    object::name(id, Kind::Queue)
}

/// `osMessageQueuePut`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osMessageQueuePut(
    id: Id,
    message: *const c_void,
    priority: u8,
    timeout: u32,
) -> Status {
    // SAFETY: the caller's message; those of a waiting thread stay until it is woken.
    section(|| unsafe {
        let Some(object) = object::find(id, Kind::Queue).filter(|_| !message.is_null()) else {
            return PARAMETER;
        };
        if let Some(woken) = scheduler().release(&object.takers) {
            // A thread that waits to take finds the queue empty: the message is the receiver's at once.
            let taker = tcb::at(woken.rank);
            taker
                .message
                .get()
                .copy_from_nonoverlapping(message.cast(), object.size.get() as usize);
            taker.message_priority.set(priority);
            reschedule();
            return OK;
        }
        if object.count.get() == object.most.get() {
            let own = tcb::running();
            return may_wait(timeout).map_or_else(
                |status| status,
                |()| {
                    own.message.set(message.cast_mut().cast());
                    own.message_priority.set(priority);
                    wait(Some(&object.putters), timeout)
                },
            );
        }
        insert(object, message.cast(), priority);
        OK
    })
}

/// `osMessageQueueGet`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osMessageQueueGet(
    id: Id,
    message: *mut c_void,
    priority: *mut u8,
    timeout: u32,
) -> Status {
    // SAFETY: the caller's places; those of a waiting thread stay until it is woken.
    section(|| unsafe {
        let Some(object) = object::find(id, Kind::Queue).filter(|_| !message.is_null()) else {
            return PARAMETER;
        };
        if object.count.get() == 0 {
            let own = tcb::running();
            if let Err(status) = may_wait(timeout) {
                return status;
            }
            own.message.set(message.cast());
            let status = wait(Some(&object.takers), timeout);
            if status == OK
                && let Some(priority) = priority.as_mut()
            {
                *priority = own.message_priority.get();
            }
            return status;
        }
        extract(object, message.cast(), priority);
        if let Some(woken) = scheduler().release(&object.putters) {
            let putter = tcb::at(woken.rank);
            insert(object, putter.message.get(), putter.message_priority.get());
            reschedule();
        }
        OK
    })
}

/// `osMessageQueueGetCapacity`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueGetCapacity(id: Id) -> u32 {
    object::find(id, Kind::Queue).map_or(0, |object| object.most.get())
}

/// `osMessageQueueGetMsgSize`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueGetMsgSize(id: Id) -> u32 {
    object::find(id, Kind::Queue).map_or(0, |object| object.size.get())
}

/// `osMessageQueueGetCount`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueGetCount(id: Id) -> u32 {
    section(|| object::find(id, Kind::Queue).map_or(0, |object| object.count.get()))
}

/// `osMessageQueueGetSpace`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueGetSpace(id: Id) -> u32 {
    section(|| object::find(id, Kind::Queue).map_or(0, |object| object.most.get() - object.count.get()))
}

/// `osMessageQueueReset`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueReset(id: Id) -> Status {
    in_thread(|| {
        let Some(object) = object::find(id, Kind::Queue) else {
            return PARAMETER;
        };
        // SAFETY: it has its memory; the messages are those of waiting threads.
        unsafe {
            empty(object);
            while object.count.get() < object.most.get() {
                let Some(woken) = scheduler().release(&object.putters) else {
                    break;
                };
                let putter = tcb::at(woken.rank);
                insert(object, putter.message.get(), putter.message_priority.get());
            }
        }
        reschedule();
        OK
    })
}

/// `osMessageQueueDelete`
#[unsafe(no_mangle)]
pub extern "C" fn osMessageQueueDelete(id: Id) -> Status {
    object::delete(id, Kind::Queue)
}
