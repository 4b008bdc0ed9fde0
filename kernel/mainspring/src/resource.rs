//! Resources: data that several tasks share.

use core::marker::PhantomData;

use mainspring_core::Ceiling;

use crate::model::{App, PlanOf};
use crate::stored::Stored;

/// Data that several tasks share. [`app!`](crate::app!) writes this from a row of the table.
///
/// The type that implements this stands for the resource and has no values; the data is [`Stored::Data`]. It goes from
/// task to task, so it must be `Send`; it need not be `Sync` unless some task [`Read`](crate::Read)s it.
///
/// # Safety
///
/// The data is reached through handles alone: the type is no [`Task`](crate::Task), whose state the kernel lends to each
/// of its activations, without a lock.
#[allow(unsafe_code)] // An unsafe trait: its ceiling protects the data from the handles' holders, and from nobody else.
pub unsafe trait Resource: Stored<Data: Send> {
    /// The application that it belongs to.
    type App: App;
    /// The ceiling, if you want to state it: it is worked out all the same, and a difference, in either direction, is
    /// an error.
    const CEILING: Option<u8> = None;
}

/// The ceilings of `R`, worked out from the table.
pub(crate) struct CeilingOf<R>(PhantomData<R>);

impl<R: Resource> CeilingOf<R> {
    /// The priority of its most urgent user: a writer must keep that out.
    pub(crate) const USERS: u8 = PlanOf::<R::App>::PLAN.ceiling(R::NAME, Ceiling::Users);
    /// The priority of its most urgent writer: a reader must keep that out.
    pub(crate) const WRITERS: u8 = PlanOf::<R::App>::PLAN.ceiling(R::NAME, Ceiling::Writers);
}

/// The ceiling of a resource: the highest priority among the tasks that use it.
#[must_use]
pub const fn ceiling<R: Resource>() -> u8 {
    CeilingOf::<R>::USERS
}
