//! Something to call once, of whatever type.

#![allow(unsafe_code)] // The type is forgotten, and only the function beside the closure still knows it.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::boxed::Box;
use super::storage::{Exhausted, Pool, SharedPool};
use crate::brand::Brand;

/// A closure of any type in a block of the pool `P`, to be called once. One pointer.
///
/// In the block, before the closure, is the one function that knows its type. Jobs with the same argument and result are
/// one type, so they can wait in one inbox.
///
/// ```
/// # mainspring::pool! { struct Heap; bytes = 256; classes = [16, 32]; }
/// use mainspring::pool::Job;
///
/// let factor = 3;
/// let job: Job<Heap, u32, u32> = Job::new(move |number| factor * number).ok().expect("room");
/// assert_eq!(job.call(14), 42);
/// ```
pub struct Job<P: Pool, Argument = (), Output = ()> {
    stub: NonNull<Act<Argument, Output>>,
    owner: Brand<P>,
}

/// Calls the closure of the stub, or drops it if there is no argument. In either case the block goes back.
type Act<Argument, Output> = unsafe fn(NonNull<u8>, Option<Argument>) -> Option<Output>;

/// The contents of the block.
#[repr(C)]
struct Stub<F, Argument, Output> {
    act: Act<Argument, Output>,
    closure: F,
}

// SAFETY: the closure is `Send`, a bound of `new`, and blocks may be given back from anywhere.
unsafe impl<P: Pool, Argument, Output> Send for Job<P, Argument, Output> {}
// SAFETY: a shared job gives no access to anything.
unsafe impl<P: Pool, Argument, Output> Sync for Job<P, Argument, Output> {}

impl<P: SharedPool, Argument, Output> Job<P, Argument, Output> {
    /// Keeps `closure` for later.
    ///
    /// # Errors
    ///
    /// [`Exhausted`], with the closure, if the pool has no block for it.
    #[inline(always)]
    pub fn new<F>(closure: F) -> Result<Self, Exhausted<F>>
    where
        F: FnOnce(Argument) -> Output + Send + 'static,
    {
        let act = act::<F, P, Argument, Output>;
        match Box::<_, P>::new(Stub { act, closure }) {
            Ok(stub) => Ok(Job {
                stub: Box::into_non_null(stub).cast(),
                owner: PhantomData,
            }),
            Err(Exhausted(stub)) => Err(Exhausted(stub.closure)),
        }
    }
}

impl<P: Pool, Argument, Output> Job<P, Argument, Output> {
    /// Calls it. Its block goes back before it runs, so that it can be used by what runs.
    #[inline(always)]
    pub fn call(self, argument: Argument) -> Output {
        let stub = ManuallyDrop::new(self).stub;
        // SAFETY: the stub is the job's, which is not used again.
        let output = unsafe { stub.read()(stub.cast(), Some(argument)) };
        // SAFETY: there is an argument, so there is a result.
        unsafe { output.unwrap_unchecked() }
    }
}

/// # Safety
///
/// A `Stub<F, …>` lies there, in a box of the pool `P`, and is the caller's to give away.
unsafe fn act<F, P, Argument, Output>(stub: NonNull<u8>, argument: Option<Argument>) -> Option<Output>
where
    F: FnOnce(Argument) -> Output,
    P: Pool,
{
    // SAFETY: the caller's promise.
    let stub: Box<Stub<F, Argument, Output>, P> = unsafe { Box::from_non_null(stub.cast()) };
    // Without an argument the box is dropped here, and the closure with it.
    argument.map(|argument| (Box::into_inner(stub).closure)(argument))
}

impl<P: Pool, Argument, Output> Drop for Job<P, Argument, Output> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the stub is the job's, which is not used again.
        unsafe { self.stub.read()(self.stub.cast(), None) };
    }
}
