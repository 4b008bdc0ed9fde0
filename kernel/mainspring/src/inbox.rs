//! Messages from task to task.
//!
//! A task with an inbox runs once for each message. The inbox has room for a fixed number of them; posting is wait-free
//! and takes a bounded number of cycles: a section at the highest priority among the *senders* (none at all if there
//! is one sender, or if this is the most urgent one), a copy of the message, and a store that makes the receiver
//! pending. Sender and receiver never hold each other back.

use core::marker::PhantomData;

use mainspring_core::Ring;

use crate::brand::Brand;
use crate::model::Task;

/// A task with an inbox. [`app!`](crate::app!) writes this from `inbox [Message; N]` in the task's row.
///
/// # Safety
///
/// The inbox is this type's own, and its handler alone takes messages out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no inbox",
    label = "not a task that messages can be posted to",
    note = "give its row in the table one: `inbox [Message; 4]`"
)]
#[allow(unsafe_code)] // An unsafe trait: who may push and pop is worked out from it.
pub unsafe trait Mailbox: Task {
    /// The type of its messages, which go from task to task.
    type Message: Send + 'static;
    /// [`Inbox<Self, N>`].
    type Inbox: Letters<Owner = Self, Message = Self::Message>;
    /// The inbox.
    const INBOX: &'static Self::Inbox;
}

/// Room for `N` messages to the task `T`; `N` is 1, 2, 4, 8 ….
pub struct Inbox<T, M, const N: usize> {
    ring: Ring<M, N>,
    owner: Brand<T>,
}

impl<T, M, const N: usize> Inbox<T, M, N> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Inbox {
            ring: Ring::new(),
            owner: PhantomData,
        }
    }
}

impl<T, M, const N: usize> Default for Inbox<T, M, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The two ends of an inbox.
#[allow(unsafe_code)] // Passes the promises of `Ring` on, for every length.
pub trait Letters: private::Sealed + Sync + 'static {
    /// Whose it is.
    type Owner;
    /// Its messages.
    type Message;

    /// # Safety
    /// As for [`Ring::push`].
    #[doc(hidden)]
    unsafe fn push(&self, message: Self::Message) -> Result<(), Self::Message>;

    /// # Safety
    /// As for [`Ring::pop`].
    #[doc(hidden)]
    unsafe fn pop(&self) -> Option<Self::Message>;
}

#[allow(unsafe_code)] // As above.
impl<T: 'static, M: Send + 'static, const N: usize> Letters for Inbox<T, M, N> {
    type Owner = T;
    type Message = M;

    #[inline(always)]
    unsafe fn push(&self, message: M) -> Result<(), M> {
        // SAFETY: the caller's promise is the one that `Ring::push` asks for.
        unsafe { self.ring.push(message) }
    }

    #[inline(always)]
    unsafe fn pop(&self) -> Option<M> {
        // SAFETY: the caller's promise is the one that `Ring::pop` asks for.
        unsafe { self.ring.pop() }
    }
}

mod private {
    pub trait Sealed {}
    impl<T, M, const N: usize> Sealed for super::Inbox<T, M, N> {}
}
