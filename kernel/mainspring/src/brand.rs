//! Brands: parameters that say which application or pool a value belongs to.
//!
//! Two types can be subtypes of one another and yet two rows of a table: `T<for<'a> fn(&'a ())>` is a subtype of
//! `T<fn(&'static ())>`, and each may be a task, or a pool, with its own priority and its own memory. So whatever is a
//! proof about a row (a context, a handle, a key, a box) names it *invariantly*: the row is that one and no other.

use core::marker::PhantomData;

/// Belongs to `T`, exactly. It is no `T`, so it is `Send` and `Sync` whatever `T` is.
pub(crate) type Brand<T> = PhantomData<fn(T) -> T>;
