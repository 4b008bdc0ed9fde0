//! The resources that a task may touch, and its handles for them.
//!
//! The table's words are types: [`Write<R>`], [`Read<R>`], [`Post<T>`]. The ceilings are worked out from these lists,
//! and the handles are made from the same lists, so all code that holds a handle was counted.
//!
//! A handle is proof, and takes no space. It lives as long as one run of its task and cannot be kept, copied or sent,
//! so its data is reached through it alone, and the borrow checker does the rest: a second lock of a
//! resource inside a lock of it would need the handle twice.

use core::marker::PhantomData;

use mainspring_core::{Access, Ceiling, Use as Row};

use crate::brand::Brand;
use crate::inbox::Mailbox;
use crate::model::{Actor, App, Key, PlanOf, Uses, sealed};
use crate::resource::{CeilingOf, Resource};
use crate::stored::{Place, Stored};

/// May change the resource `R`, and read it.
pub struct Write<R>(PhantomData<R>);

/// May read the resource `R`, whose data is `Sync`.
pub struct Read<R>(PhantomData<R>);

/// May put messages into the inbox of the task `T`.
pub struct Post<T>(PhantomData<T>);

/// The handle for one thing that a task uses, for one run of the task.
pub struct Handle<'run, U> {
    run: PhantomData<&'run mut ()>,
    what: Brand<U>,
    /// Not `Send`, not `Sync`: it is good in this context alone, and on this core.
    here: PhantomData<*mut ()>,
}

impl<U> Handle<'_, U> {
    /// Only with a [`Key`].
    #[inline(always)]
    const fn new() -> Self {
        Handle {
            run: PhantomData,
            what: PhantomData,
            here: PhantomData,
        }
    }
}

/// All handles of `T` for one run: one handle, or a tuple of them, as its `uses` says.
pub type Handles<'run, T> = <<T as Actor>::Uses as Uses<<T as Actor>::App>>::Handles<'run>;

/// The handles of `T` for one run.
///
/// # Safety
///
/// A run of `T` begins, and gets no others.
#[inline(always)]
#[allow(unsafe_code)] // The caller's promise is passed on.
pub(crate) unsafe fn handles<'run, T: Actor>() -> Handles<'run, T> {
    // SAFETY: the caller's promise.
    <T::Uses as Uses<T::App>>::handles(unsafe { Key::new() })
}

/// One thing that a task uses.
#[diagnostic::on_unimplemented(
    message = "a task of `{A}` cannot use `{Self}`",
    label = "neither `Write<resource>`, `Read<resource>` nor `Post<task with an inbox>` of this application",
    note = "the resource or task must belong to `{A}`",
    note = "`Read<R>` needs data that is `Sync`; where it is not, say `Write<R>`"
)]
pub trait Use<A: App>: private::Word<A> + 'static {
    /// For the plan.
    #[doc(hidden)]
    const ROW: Row;
}

impl<A: App, R: Resource<App = A>> Use<A> for Write<R> {
    const ROW: Row = row_of::<R>(Access::Write);
}

impl<A: App, R: Resource<App = A, Data: Sync>> Use<A> for Read<R> {
    const ROW: Row = row_of::<R>(Access::Read);
}

impl<A: App, T: Mailbox<App = A>> Use<A> for Post<T> {
    const ROW: Row = Row {
        name: T::NAME,
        access: Access::Post,
        late: false,
        declared: None,
    };
}

const fn row_of<R: Resource>(access: Access) -> Row {
    Row {
        name: R::NAME,
        access,
        late: <<R as Stored>::Place as Place>::LATE,
        declared: R::CEILING,
    }
}

macro_rules! one {
    ($($name:ident: $bound:ident)*) => {$(
        impl<A: App, X> Uses<A> for $name<X>
        where
            $name<X>: Use<A>,
        {
            type Handles<'run> = Handle<'run, $name<X>>;
            const ROWS: &'static [Row] = &[<$name<X> as Use<A>>::ROW];

            #[inline(always)]
            fn handles<'run>(_: Key) -> Self::Handles<'run> {
                Handle::new()
            }
        }
    )*};
}

one!(Write: Resource Read: Resource Post: Mailbox);

macro_rules! uses {
    ($($u:ident $i:tt),*) => {
        impl<Application: App, $($u: Use<Application>),*> sealed::Uses<Application> for ($($u,)*) {}
        impl<Application: App, $($u: Use<Application>),*> Uses<Application> for ($($u,)*) {
            type Handles<'run> = ($(Handle<'run, $u>,)*);
            const ROWS: &'static [Row] = &[$($u::ROW),*];

            #[inline(always)]
            #[allow(clippy::unused_unit)] // The empty tuple of handles.
            fn handles<'run>(_: Key) -> Self::Handles<'run> {
                ($(Handle::<'run, $u>::new(),)*)
            }
        }
    };
}

crate::tuples::all!(uses);

/// The uses of a task, with names: `uses { level: Write<Level>, … }` in the table, whose macro writes the struct `N::Named`. The
/// handles are those of the tuple `U`.
pub struct Fields<N, U>(PhantomData<(N, U)>);

/// The way from a tuple of handles to a struct. [`app!`](crate::app!) writes this.
pub trait Naming<A: App, U: Uses<A>>: 'static {
    /// A struct with a field for each handle.
    type Named<'run>;
    /// The same handles.
    fn named(handles: U::Handles<'_>) -> Self::Named<'_>;
}

impl<A: App, N: Naming<A, U>, U: Uses<A>> Uses<A> for Fields<N, U> {
    type Handles<'run> = N::Named<'run>;
    const ROWS: &'static [Row] = U::ROWS;

    #[inline(always)]
    fn handles<'run>(key: Key) -> Self::Handles<'run> {
        N::named(U::handles(key))
    }
}

/// The resources of a lock, without the handles: what the level inside depends on.
pub trait Section: private::Sealed {
    /// Nothing up to this priority may pre-empt it.
    #[doc(hidden)]
    const CEILING: u8;
    /// One name, for messages.
    #[doc(hidden)]
    const NAME: &'static str;
}

impl<R: Resource> private::Sealed for Write<R> {}
impl<R: Resource> Section for Write<R> {
    const CEILING: u8 = CeilingOf::<R>::USERS;
    const NAME: &'static str = R::NAME;
}

impl<R: Resource> private::Sealed for Read<R> {}
impl<R: Resource> Section for Read<R> {
    const CEILING: u8 = CeilingOf::<R>::WRITERS;
    const NAME: &'static str = R::NAME;
}

impl<T: Mailbox> private::Sealed for Post<T> {}
impl<T: Mailbox> Section for Post<T> {
    const CEILING: u8 = PlanOf::<T::App>::PLAN.ceiling(T::NAME, Ceiling::Senders);
    const NAME: &'static str = T::NAME;
}

impl<R: Resource> sealed::Uses<R::App> for Write<R> {}
impl<R: Resource<Data: Sync>> sealed::Uses<R::App> for Read<R> {}
impl<T: Mailbox> sealed::Uses<T::App> for Post<T> {}
impl<A: App, N: Naming<A, U>, U: Uses<A>> sealed::Uses<A> for Fields<N, U> {}

mod private {
    pub trait Sealed {}
    /// As `sealed::Uses`, for one word, [`Use`](super::Use): no list is one.
    pub trait Word<A>: crate::model::sealed::Uses<A> {}
    impl<R: super::Resource> Word<R::App> for super::Write<R> {}
    impl<R: super::Resource<Data: Sync>> Word<R::App> for super::Read<R> {}
    impl<T: super::Mailbox> Word<T::App> for super::Post<T> {}
}

macro_rules! section {
    ($first:ident $zero:tt $(, $s:ident $i:tt)*) => {
        impl<$first: Section $(, $s: Section)*> private::Sealed for ($first, $($s,)*) {}
        impl<$first: Section $(, $s: Section)*> Section for ($first, $($s,)*) {
            const CEILING: u8 = highest(&[$first::CEILING $(, $s::CEILING)*]);
            const NAME: &'static str = $first::NAME;
        }
    };
    () => {};
}

crate::tuples::all!(section);

const fn highest(ceilings: &[u8]) -> u8 {
    let mut highest = 0;
    let mut i = 0;
    while i < ceilings.len() {
        if ceilings[i] > highest {
            highest = ceilings[i];
        }
        i += 1;
    }
    highest
}

const _: () = {
    // Handles and contexts are proofs, and proofs take no space.
    const fn is_nothing<T>() {
        assert!(size_of::<T>() == 0);
    }
    is_nothing::<Handle<'static, Post<()>>>();
};
