//! Where the data of tasks and resources lives.
//!
//! Each has one `static` place, as large as the data and no larger. [`Fixed`] has its first value from the program
//! text; [`Late`] gets it from `init`, and because the place's *type* says which, a late value that nobody hands over
//! is found while compiling. A place carries the type of its owner, so it cannot serve two.

#![allow(unsafe_code)] // Shared statics that are written to: who may do so when is the kernel's whole business.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::brand::Brand;

/// Anything of the application that has a name of its own: the application, its tasks, its resources.
///
/// # Safety
///
/// No two types of one application have the same name: by its name it is known whether `init` gives a place its value.
pub unsafe trait Named: Sized + 'static {
    /// The name, as the table writes it; messages of the compiler use it.
    const NAME: &'static str;
}

/// Data with a static place. [`app!`](crate::app!) writes this.
///
/// # Safety
///
/// The place is this type's own: whatever leads to it, be it a task's activation or a handle, comes from the row of the
/// table that this type is, of which there is one.
pub unsafe trait Stored: Named {
    /// The data.
    type Data: 'static;
    /// [`Fixed`] or [`Late`].
    type Place: Place<Owner = Self, Data = Self::Data>;
    /// The place.
    const PLACE: &'static Self::Place;
}

/// A static place: [`Fixed`] or [`Late`].
pub trait Place: private::Sealed + 'static {
    /// Whose data this is.
    type Owner;
    /// The data.
    type Data;
    /// Whether `init` gives the first value.
    const LATE: bool;

    #[doc(hidden)]
    fn get(&self) -> *mut Self::Data;
}

/// A place whose first value is known while compiling.
pub struct Fixed<O, D>(UnsafeCell<D>, Brand<O>);

/// A place that `init` fills.
pub struct Late<O, D>(UnsafeCell<MaybeUninit<D>>, Brand<O>);

// SAFETY: a place gives out no reference by itself. The kernel makes them: to the state of a task for the one
// activation that can exist, to the data of a resource inside a section at its ceiling; data that thereby goes from
// one task to another is `Send` (a bound of `Resource`), data that two tasks see at once is `Sync` (a bound of `Read`).
unsafe impl<O, D> Sync for Fixed<O, D> {}
// SAFETY: as for `Fixed`; and what goes from `init` to its place is `Send` (a bound of `Initial`).
unsafe impl<O, D> Sync for Late<O, D> {}

impl<O, D> Fixed<O, D> {
    /// A place that holds `value` from the start.
    pub const fn new(value: D) -> Self {
        Fixed(UnsafeCell::new(value), PhantomData)
    }
}

impl<O, D> Late<O, D> {
    /// A place that holds nothing until `init` has returned.
    #[must_use]
    pub const fn new() -> Self {
        Late(UnsafeCell::new(MaybeUninit::uninit()), PhantomData)
    }
}

impl<O, D> Default for Late<O, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: 'static, D: 'static> Place for Fixed<O, D> {
    type Owner = O;
    type Data = D;
    const LATE: bool = false;

    #[inline(always)]
    fn get(&self) -> *mut D {
        self.0.get()
    }
}

impl<O: 'static, D: 'static> Place for Late<O, D> {
    type Owner = O;
    type Data = D;
    const LATE: bool = true;

    #[inline(always)]
    fn get(&self) -> *mut D {
        self.0.get().cast()
    }
}

/// What `init` hands over: a tuple of tasks and resources whose places are [`Late`], or several ([`Handed`]).
pub trait Initial: private::Sealed {
    /// The values, in the same order.
    type Values;
    /// The names, tuple by tuple.
    const NAMES: &'static [&'static [&'static str]];

    /// Puts the values into their places.
    ///
    /// # Safety
    ///
    /// No task runs yet.
    #[doc(hidden)]
    unsafe fn store(values: Self::Values);
}

/// One of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be handed over by `init`",
    label = "neither a task nor a resource whose value comes late",
    note = "its place must be `Late`, and its data `Send`, because it goes from `init` to a task"
)]
pub trait HandedOver: Stored<Place = Late<Self, <Self as Stored>::Data>, Data: Send> {}
impl<S: Stored<Place = Late<S, <S as Stored>::Data>, Data: Send>> HandedOver for S {}

macro_rules! initial {
    ($($s:ident $i:tt),*) => {
        impl<$($s: HandedOver),*> private::Sealed for ($($s,)*) {}
        impl<$($s: HandedOver),*> Initial for ($($s,)*) {
            type Values = ($($s::Data,)*);
            const NAMES: &'static [&'static [&'static str]] = &[&[$($s::NAME),*]];

            #[inline(always)]
            unsafe fn store(_values: Self::Values) {
                // SAFETY: no task runs yet (the caller's promise), so nothing else uses the places.
                $(unsafe { $s::PLACE.get().write(_values.$i) };)*
            }
        }
    };
}

crate::tuples::all!(initial);

/// What `init` hands over, with names: the struct `V`, of which [`app!`](crate::app!) writes one for each table, and the tuples of
/// those whose values its fields are: the resources `R`, the tasks `T` and the threads `H`, up to thirty-two of each.
pub struct Handed<V, R, T, H>(PhantomData<(V, R, T, H)>);

/// The way from a struct of values to tuples. [`app!`](crate::app!) writes this.
pub trait Values<T> {
    /// The same values.
    fn into_tuple(self) -> T;
}

/// A list with one tuple.
const fn only(names: &'static [&'static [&'static str]]) -> &'static [&'static str] {
    match names {
        [names] => names,
        _ => panic!("`init` hands over tuples"),
    }
}

impl<V, R: Initial, T: Initial, H: Initial> private::Sealed for Handed<V, R, T, H> {}
impl<V, R: Initial, T: Initial, H: Initial> Initial for Handed<V, R, T, H>
where
    V: Values<(R::Values, T::Values, H::Values)>,
{
    type Values = V;
    const NAMES: &'static [&'static [&'static str]] = &[only(R::NAMES), only(T::NAMES), only(H::NAMES)];

    #[inline(always)]
    unsafe fn store(values: V) {
        let (resources, tasks, threads) = values.into_tuple();
        // SAFETY: the caller's promise.
        unsafe {
            R::store(resources);
            T::store(tasks);
            H::store(threads);
        }
    }
}

mod private {
    pub trait Sealed {}
    impl<O, D> Sealed for super::Fixed<O, D> {}
    impl<O, D> Sealed for super::Late<O, D> {}
}
