//! The boundary between the hardware, which calls whatever its vectors say, and the types, which say what each task may do.

#![allow(unsafe_code)] // Leads from a vector to its tasks.

use crate::guard;
use crate::model::{App, Task, Tasks};

/// The work of the vector of the task `T`: runs it, and the tasks `behind` it. [`app!`](crate::app!) writes a call of it into the vector.
///
/// # Safety
///
/// Called by the vector of `T` alone, in an application (`T::App`) that was started with [`start`](crate::start) and
/// lists `T`. Then the task cannot be running already: no interrupt pre-empts its own handler.
#[inline(always)]
pub unsafe fn handle<T: Task>() {
    let before = guard::enter::<T>();
    // SAFETY: the caller's promise is the same.
    unsafe { <T::App as App>::Tasks::handle::<T>() }
    guard::leave::<T>(before);
}
