//! Memory pools: blocks of one size.

use core::ffi::{c_char, c_void};
use core::ptr;

use crate::kernel::{may_wait, reschedule, wait};
use crate::object::{self, Kind, Object};
use crate::port::{in_interrupt, scheduler, section};
use crate::tcb;
use crate::types::{DataAttributes, Id, OK, PARAMETER, RESOURCE, Status};

/// `osMemoryPoolNew`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osMemoryPoolNew(count: u32, size: u32, attributes: *const DataAttributes) -> Id {
    let Some(bytes) = size
        .checked_next_multiple_of(4)
        .and_then(|size| size.checked_mul(count))
    else {
        return ptr::null_mut();
    };
    if in_interrupt() || bytes == 0 {
        return ptr::null_mut();
    }
    // SAFETY: attributes, or null, and with them a place of the size that they say.
    section(|| unsafe {
        let with = attributes.as_ref();
        let Some(object) = object::create(Kind::Pool, attributes.cast()) else {
            return ptr::null_mut();
        };
        let (data, data_size) = with.map_or((ptr::null_mut(), 0), |with| (with.data, with.data_size));
        if !object.take_memory(data, data_size, bytes) {
            return ptr::null_mut();
        }
        object.most.set(count);
        object.size.set(bytes / count);
        object.free.set(ptr::null_mut());
        for block in (0..count).rev() {
            push(
                object,
                object.data.get().add((block * object.size.get()) as usize),
            );
        }
        object.id()
    })
}

/// # Safety
///
/// A free block.
unsafe fn push(object: &Object, block: *mut u8) {
    // SAFETY: a block has room for a pointer.
    unsafe { block.cast::<*mut u8>().write(object.free.get()) };
    object.free.set(block);
}

/// `osMemoryPoolGetName`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolGetName(id: Id) -> *const c_char {
    object::name(id, Kind::Pool)
}

/// `osMemoryPoolAlloc`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolAlloc(id: Id, timeout: u32) -> *mut c_void {
    section(|| {
        let Some(object) = object::find(id, Kind::Pool) else {
            return ptr::null_mut();
        };
        let block = object.free.get();
        if !block.is_null() {
            // SAFETY: a free block has the next one in it.
            object.free.set(unsafe { block.cast::<*mut u8>().read() });
            object.count.set(object.count.get() + 1);
            return block.cast();
        }
        if may_wait(timeout).is_err() {
            return ptr::null_mut();
        }
        let own = tcb::running();
        own.message.set(ptr::null_mut());
        if wait(Some(&object.takers), timeout) == OK {
            own.message.get().cast()
        } else {
            ptr::null_mut()
        }
    })
}

/// `osMemoryPoolFree`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osMemoryPoolFree(id: Id, block: *mut c_void) -> Status {
    section(|| {
        let Some(object) = object::find(id, Kind::Pool) else {
            return PARAMETER;
        };
        let (offset, size) = (
            block.addr().wrapping_sub(object.data.get().addr()),
            object.size.get() as usize,
        );
        if offset >= size * object.most.get() as usize || !offset.is_multiple_of(size) {
            return PARAMETER;
        }
        if object.count.get() == 0 {
            return RESOURCE;
        }
        if let Some(woken) = scheduler().release(&object.takers) {
            tcb::at(woken.rank).message.set(block.cast());
            reschedule();
        } else {
            object.count.set(object.count.get() - 1);
            // SAFETY: a block of this pool, which its owner gives back.
            unsafe { push(object, block.cast()) };
        }
        OK
    })
}

/// `osMemoryPoolGetCapacity`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolGetCapacity(id: Id) -> u32 {
    object::find(id, Kind::Pool).map_or(0, |object| object.most.get())
}

/// `osMemoryPoolGetBlockSize`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolGetBlockSize(id: Id) -> u32 {
    object::find(id, Kind::Pool).map_or(0, |object| object.size.get())
}

/// `osMemoryPoolGetCount`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolGetCount(id: Id) -> u32 {
    section(|| object::find(id, Kind::Pool).map_or(0, |object| object.count.get()))
}

/// `osMemoryPoolGetSpace`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolGetSpace(id: Id) -> u32 {
    section(|| object::find(id, Kind::Pool).map_or(0, |object| object.most.get() - object.count.get()))
}

/// `osMemoryPoolDelete`
#[unsafe(no_mangle)]
pub extern "C" fn osMemoryPoolDelete(id: Id) -> Status {
    object::delete(id, Kind::Pool)
}
