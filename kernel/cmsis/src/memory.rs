//! Memory for stacks and data whose attributes bring none: the first of the free blocks that is large enough.

use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;
use core::ptr;

/// Bytes that there are.
const BYTES: usize = 8 * 1024;
/// Before each block: its bytes.
const HEAD: usize = 8;

#[repr(align(8))]
struct Arena {
    memory: UnsafeCell<[u8; BYTES]>,
    used: Cell<usize>,
    /// The first block that was given back; its first word is the next one.
    free: Cell<*mut u8>,
}

// SAFETY: used with interrupts held back.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena {
    memory: UnsafeCell::new([0; BYTES]),
    used: Cell::new(0),
    free: Cell::new(ptr::null_mut()),
};

/// So many bytes, aligned to 8; null, if there are none. In the kernel's section.
pub(crate) fn allocate(bytes: usize) -> *mut u8 {
    let Some(bytes) = bytes.max(size_of::<usize>()).checked_next_multiple_of(8) else {
        return ptr::null_mut();
    };
    let mut link: *const Cell<*mut u8> = &raw const ARENA.free;
    // SAFETY: links lead from block to block, each inside of the arena with its head before it; no other code uses them now.
    unsafe {
        while !(*link).get().is_null() {
            let block = (*link).get();
            if size(block) >= bytes {
                (*link).set(*block.cast::<*mut u8>());
                return block;
            }
            link = block.cast::<Cell<*mut u8>>();
        }
        let at = ARENA.used.get();
        if BYTES - at < bytes.saturating_add(HEAD) {
            return ptr::null_mut();
        }
        ARENA.used.set(at + HEAD + bytes);
        let head = ARENA.memory.get().cast::<u8>().add(at);
        head.cast::<usize>().write(bytes);
        head.add(HEAD)
    }
}

/// Gives a block back; one that is not from here is left alone. In the kernel's section.
pub(crate) fn free(block: *mut u8) {
    let lowest = ARENA.memory.get().addr();
    if block.addr().wrapping_sub(lowest) < BYTES {
        // SAFETY: a block that was allocated, and that is no longer used.
        unsafe { block.cast::<*mut u8>().write(ARENA.free.get()) };
        ARENA.free.set(block);
    }
}

/// The control block that attributes bring, if they bring one.
///
/// # Errors
/// If it is too small or not aligned, or has bytes and no place.
pub(crate) fn control_block<T>(block: *mut c_void, bytes: u32) -> Result<Option<*mut T>, ()> {
    let block = block.cast::<T>();
    match (block.is_null(), bytes) {
        (true, 0) => Ok(None),
        (false, bytes) if block.is_aligned() && bytes as usize >= size_of::<T>() => Ok(Some(block)),
        _ => Err(()),
    }
}

/// # Safety
///
/// A block of the arena.
unsafe fn size(block: *mut u8) -> usize {
    // SAFETY: the head.
    unsafe { block.sub(HEAD).cast::<usize>().read() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because the arena is one.
    #[test]
    fn blocks_do_not_overlap_and_come_back() {
        assert!(allocate(BYTES).is_null() && allocate(usize::MAX).is_null());
        let (a, b) = (allocate(100), allocate(1));
        assert!(b.addr() >= a.addr() + 100 && b.addr().is_multiple_of(8));
        free(a);
        free(ptr::null_mut());
        assert_eq!(allocate(104), a);
        let mut left = 0;
        while !allocate(64).is_null() {
            left += 1;
        }
        assert!(left > 100 && left < BYTES / 64);
        free(b);
        assert_eq!(allocate(3), b);
    }
}
