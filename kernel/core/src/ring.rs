//! The queue of an inbox: one producer and one consumer at a time, of fixed capacity, wait-free.
//!
//! Two counters, one slot each apart: the producer alone writes `tail`, the consumer alone writes `head`, and both run
//! free, wrapping at 2^32. Their difference is the number of messages, so no slot is lost and no third word
//! is needed. A queue of one needs no counters: `tail` says whether it is full, which the producer alone makes it, and the
//! consumer alone ends. The kernel sees to "one at a time": several senders take turns under the ceiling that they share.
//!
//! Producer and consumer are on the same core, where an interrupt sees every store made before it, in order. The
//! only thing that can reorder them is the compiler, so the fences stop just that and cost no instruction. On the host, where the two may be
//! threads, and under the feature `loom`, they are real fences; loom tries every interleaving: `tests/ring.rs`.

#![allow(unsafe_code)] // Slots that one side writes while the other side is kept out by the counters, not by the types.

use core::hint::cold_path;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cell::Slot;
use sync::{AtomicU32, fence};

#[cfg(all(not(feature = "loom"), target_os = "none"))]
mod sync {
    pub(super) use core::sync::atomic::{AtomicU32, compiler_fence as fence};
}

// The two ends of a queue may be in two threads there.
#[cfg(all(not(feature = "loom"), not(target_os = "none")))]
mod sync {
    pub(super) use core::sync::atomic::{AtomicU32, fence};
}

#[cfg(feature = "loom")]
mod sync {
    pub(super) use loom::sync::atomic::{AtomicU32, fence};
}

/// A queue of up to `N` values; `N` is a power of two.
pub struct Ring<T, const N: usize> {
    head: AtomicU32,
    tail: AtomicU32,
    slots: [Slot<MaybeUninit<T>>; N],
}

// SAFETY: a value is written by the producer before `tail` passes its slot, and read by the consumer before `head`
// does, so a slot never has two users; the value moves from one to the other, which is what `Send` permits.
unsafe impl<T: Send, const N: usize> Sync for Ring<T, N> {}

impl<T, const N: usize> Ring<T, N> {
    const CAPACITY: u32 = {
        assert!(
            N.is_power_of_two() && N <= 1 << 16,
            "an inbox holds 1, 2, 4, 8 … messages: a power of two"
        );
        N as u32
    };

    /// An empty queue.
    #[must_use]
    #[cfg(not(feature = "loom"))]
    pub const fn new() -> Self {
        Ring {
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            slots: [const { Slot::new(MaybeUninit::uninit()) }; N],
        }
    }

    /// An empty queue.
    #[must_use]
    #[cfg(feature = "loom")]
    pub fn new() -> Self {
        Ring {
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            slots: core::array::from_fn(|_| Slot::new(MaybeUninit::uninit())),
        }
    }

    /// Adds `value` at the end, or gives it back if there is no room.
    ///
    /// # Errors
    ///
    /// The value, if `N` values are waiting.
    ///
    /// # Safety
    ///
    /// No other call of `push` on this ring may run between this one's start and its end.
    #[inline(always)]
    pub unsafe fn push(&self, value: T) -> Result<(), T> {
        let tail = self.tail.load(Relaxed);
        if const { N == 1 } {
            if tail != 0 {
                unlikely();
                return Err(value);
            }
            fence(Acquire);
            // SAFETY: it is empty, so the consumer does not look at the slot; the caller keeps other producers out.
            self.slot(0).with_mut(|slot| unsafe {
                (*slot).write(value);
            });
            fence(Release);
            self.tail.store(1, Relaxed);
            return Ok(());
        }
        // The consumer has read the slot that it passed: pairs with the fence in `pop`.
        if tail.wrapping_sub(self.head.load(Relaxed)) == Self::CAPACITY {
            cold_path();
            return Err(value);
        }
        fence(Acquire);
        self.slot(tail).with_mut(|slot| {
            // SAFETY: `head` has passed this slot or never reached it, and `tail` has not, so the consumer does not
            // look at it; the caller keeps other producers out.
            unsafe { (*slot).write(value) };
        });
        fence(Release);
        self.tail.store(tail.wrapping_add(1), Relaxed);
        Ok(())
    }

    /// Takes the value at the front.
    ///
    /// # Safety
    ///
    /// No other call of `pop` on this ring may run between this one's start and its end.
    #[inline(always)]
    pub unsafe fn pop(&self) -> Option<T> {
        if const { N == 1 } {
            let empty = nothing(self);
            if self.tail.load(Relaxed) == 0 {
                unlikely();
                return None;
            }
            fence(Acquire);
            // SAFETY: it is full, so a producer has written the slot, and none writes it again before it is empty; the caller keeps
            // other consumers out, so the value is read once.
            let value = self.slot(0).with(|slot| unsafe { (*slot).assume_init_read() });
            fence(Release);
            self.tail.store(empty, Relaxed);
            return Some(value);
        }
        let head = self.head.load(Relaxed);
        if head == self.tail.load(Relaxed) {
            return None;
        }
        fence(Acquire);
        let value = self.slot(head).with(|slot| {
            // SAFETY: `tail` has passed this slot, so a producer has written it, and `head` has not, so no producer
            // writes it again; the caller keeps other consumers out, so the value is read once.
            unsafe { (*slot).assume_init_read() }
        });
        fence(Release);
        self.head.store(head.wrapping_add(1), Relaxed);
        Some(value)
    }

    /// How many values wait. The producer finds no more when it looks later, and the consumer no fewer.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> usize {
        let head = if const { N == 1 } {
            0
        } else {
            self.head.load(Relaxed)
        };
        self.tail.load(Relaxed).wrapping_sub(head) as usize
    }

    /// Whether none does.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    fn slot(&self, counter: u32) -> &Slot<MaybeUninit<T>> {
        let index = (counter & (Self::CAPACITY - 1)) as usize;
        // SAFETY: the mask keeps the index below the capacity, which is the length of `slots`.
        unsafe { self.slots.get_unchecked(index) }
    }
}

impl<T, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// A cell whose accesses the tests can watch.
mod cell {
    #[cfg(feature = "loom")]
    pub(super) use loom::cell::UnsafeCell as Slot;

    #[cfg(not(feature = "loom"))]
    pub(super) struct Slot<T>(core::cell::UnsafeCell<T>);

    #[cfg(not(feature = "loom"))]
    impl<T> Slot<T> {
        pub(super) const fn new(value: T) -> Self {
            Slot(core::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub(super) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        #[inline(always)]
        pub(super) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

/// 0, in a register before anything of `ring` is loaded: a load right after the instruction that completes its address has to wait
/// for it.
#[inline(always)]
#[allow(unused_variables)] // Elsewhere there is no register to name.
fn nothing<T>(ring: *const T) -> u32 {
    #[cfg(not(all(target_os = "none", target_arch = "arm")))]
    let nothing = 0;
    #[cfg(all(target_os = "none", target_arch = "arm"))]
    let nothing;
    #[cfg(all(target_os = "none", target_arch = "arm"))]
    // SAFETY: a number. Declared to touch memory, so that the loads come after it.
    unsafe {
        core::arch::asm!("movs {}, #0 /* {} */", out(reg) nothing, in(reg) ring, options(nostack));
    }
    nothing
}

/// Moves the code that follows out of the way, to a branch. The assembly in it is no instruction, but it keeps the compiler from making
/// conditional instructions, which take a cycle each where they are skipped.
#[inline(always)]
fn unlikely() {
    cold_path();
    #[cfg(all(target_os = "none", target_arch = "arm"))]
    // SAFETY: no instruction.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}
