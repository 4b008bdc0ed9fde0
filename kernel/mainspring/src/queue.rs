//! A queue from one task to another, without a lock: the producer's end is one task's, the consumer's another one's.
//!
//! ```
//! use mainspring::queue::Queue;
//!
//! static SAMPLES: Queue<u16, 8> = Queue::new();
//!
//! // In `init`; the ends are then the state of two tasks.
//! let (mut producer, mut consumer) = SAMPLES.split().expect("the first who asks");
//! assert_eq!(producer.enqueue(3), Ok(()));
//! assert_eq!(consumer.dequeue(), Some(3));
//! ```
//!
//! Neither end ever waits, or holds anybody back. A message that is to *start* its receiver is an
//! [inbox](crate::Context::post)'s; this is for what somebody fetches when it likes. **One core**: the ends order their accesses
//! against interrupts, not against another core.

#![allow(unsafe_code)] // The two ends of a ring, of which there is one each.

use core::marker::PhantomData;

use mainspring_core::Ring;
use mainspring_core::pool::update;

use crate::pool::Shared;
use crate::pool::sharing::Exclusion;
use crate::pool::word::Cell;

/// Room for `N` values; `N` is 1, 2, 4, 8 ….
pub struct Queue<T, const N: usize> {
    ring: Ring<T, N>,
    split: Cell,
}

impl<T, const N: usize> Queue<T, N> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Queue {
            ring: Ring::new(),
            split: Cell::new(),
        }
    }
}

impl<T: Send, const N: usize> Queue<T, N> {
    /// Its two ends, for the first caller.
    #[must_use]
    pub fn split(&'static self) -> Option<(Producer<T, N>, Consumer<T, N>)> {
        let _section = Shared::section();
        // SAFETY: inside of the section, in which alone this word is reached.
        let split = unsafe { Shared::word(&self.split) };
        update(&split, |split| (split == 0).then_some(1))?;
        let alone = PhantomData;
        Some((Producer { queue: self, alone }, Consumer { queue: self, alone }))
    }
}

impl<T, const N: usize> Default for Queue<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The end at which values go in.
pub struct Producer<T: 'static, const N: usize> {
    queue: &'static Queue<T, N>,
    /// Used by one at a time, wherever that is.
    alone: PhantomData<core::cell::Cell<()>>,
}

/// The end at which they come out, in the same order.
pub struct Consumer<T: 'static, const N: usize> {
    queue: &'static Queue<T, N>,
    /// As above.
    alone: PhantomData<core::cell::Cell<()>>,
}

impl<T: Send, const N: usize> Producer<T, N> {
    /// Adds a value.
    ///
    /// # Errors
    ///
    /// The value, if there is no room.
    #[inline(always)]
    pub fn enqueue(&mut self, value: T) -> Result<(), T> {
        // SAFETY: there is one producer, and it is borrowed mutably.
        unsafe { self.queue.ring.push(value) }
    }

    /// Whether there is room: then the next value is taken.
    #[inline(always)]
    #[must_use]
    pub fn ready(&self) -> bool {
        self.queue.ring.len() < N
    }
}

impl<T: Send, const N: usize> Consumer<T, N> {
    /// Takes the first value.
    #[inline(always)]
    pub fn dequeue(&mut self) -> Option<T> {
        // SAFETY: there is one consumer, and it is borrowed mutably.
        unsafe { self.queue.ring.pop() }
    }

    /// Whether there is a value.
    #[inline(always)]
    #[must_use]
    pub fn ready(&self) -> bool {
        !self.queue.ring.is_empty()
    }
}
