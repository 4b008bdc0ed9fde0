//! From handles to data.

#![allow(unsafe_code)] // Turns a static place into a reference; `Lock::data` says when that is right.

use crate::model::App;
use crate::resource::Resource;
use crate::stored::{Place, Stored};
use crate::uses::{Handle, Read, Section, Write};

/// Handles that can be locked: `&mut handle` to change the data, `&handle` to read it, or a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be locked",
    label = "expected `&mut handle` to change the data, `&handle` to read it, or a tuple of these",
    note = "`&mut` needs `Write<…>` in the task's `uses`; with `Read<…>`, lock `&handle`",
    note = "`&handle` needs data that is `Sync`; where it is not, lock `&mut handle`"
)]
pub trait Lock: private::Sealed {
    /// The application.
    type App: App;
    /// The data that is locked.
    type Section: Section;
    /// The closure's argument: `&mut Data`, `&Data`, or a tuple of these.
    type Data<'section>;

    /// The data.
    ///
    /// # Safety
    ///
    /// For as long as the result lives, the level is at least the section's ceiling, and the handle stays borrowed.
    #[doc(hidden)]
    unsafe fn data<'section>(self) -> Self::Data<'section>;
}

impl<R: Resource> private::Sealed for &mut Handle<'_, Write<R>> {}
impl<R: Resource> Lock for &mut Handle<'_, Write<R>> {
    type App = R::App;
    type Section = Write<R>;
    type Data<'section> = &'section mut <R as Stored>::Data;

    #[inline(always)]
    unsafe fn data<'section>(self) -> &'section mut R::Data {
        // SAFETY: the level is at least the priority of every task that uses `R` (the caller's promise, and the
        // ceiling is worked out from the lists that the handles come from), so none of them runs meanwhile; this
        // context has one handle for `R`, borrowed mutably, so it has no other reference either. The place holds a
        // value: `Fixed` from the start, `Late` since `init`, before any handle was made.
        unsafe { &mut *R::PLACE.get() }
    }
}

impl<R: Resource<Data: Sync>> private::Sealed for &Handle<'_, Write<R>> {}
impl<R: Resource<Data: Sync>> Lock for &Handle<'_, Write<R>> {
    type App = R::App;
    type Section = Read<R>;
    type Data<'section> = &'section <R as Stored>::Data;

    #[inline(always)]
    unsafe fn data<'section>(self) -> &'section R::Data {
        // SAFETY: as for the exclusive reference, but only writers of `R` must be held back, and are; readers
        // may run, and see the data at the same time, which `Sync` permits.
        unsafe { &*R::PLACE.get() }
    }
}

impl<R: Resource<Data: Sync>> private::Sealed for &Handle<'_, Read<R>> {}
impl<R: Resource<Data: Sync>> Lock for &Handle<'_, Read<R>> {
    type App = R::App;
    type Section = Read<R>;
    type Data<'section> = &'section <R as Stored>::Data;

    #[inline(always)]
    unsafe fn data<'section>(self) -> &'section R::Data {
        // SAFETY: as for a `Write` handle that only reads.
        unsafe { &*R::PLACE.get() }
    }
}

macro_rules! lock {
    ($first:ident $zero:tt $(, $l:ident $i:tt)*) => {
        impl<$first: Lock $(, $l: Lock<App = $first::App>)*> private::Sealed for ($first, $($l,)*) {}
        impl<$first: Lock $(, $l: Lock<App = $first::App>)*> Lock for ($first, $($l,)*) {
            type App = $first::App;
            type Section = ($first::Section, $($l::Section,)*);
            type Data<'section> = ($first::Data<'section>, $($l::Data<'section>,)*);

            #[inline(always)]
            unsafe fn data<'section>(self) -> Self::Data<'section> {
                // SAFETY: the ceiling of the tuple is the highest of its members', so the caller's promise holds for
                // each; the members are different handles, because a handle cannot be borrowed mutably twice.
                unsafe { (self.$zero.data(), $(self.$i.data(),)*) }
            }
        }
    };
    () => {};
}

crate::tuples::all!(lock);

mod private {
    pub trait Sealed {}
}
