//! For programs written for `heapless::pool::boxed` (heapless 0.8 and 0.9): the same names, the same use.
//!
//! ```
//! use mainspring::pool::ported::{Box, BoxPool};
//!
//! mainspring::box_pool!(
//!     /// Messages, at the most 4 at a time.
//!     Messages: [u8; 16], 4
//! );
//!
//! # fn main() {
//! let message: Box<Messages> = Messages.alloc([0; 16]).expect("a block");
//! drop(message);
//! # }
//! ```
//!
//! What differs: the number of blocks stands beside the type, where heapless is given memory at run time
//! (`manage(&'static mut BoxBlock)`), so there is no `static mut`; and it works on every core that Mainspring works
//! on, the ones without LDREX included.

use super::{Exhausted, SharedPool};

/// A pool of boxes of one type. [`box_pool!`](crate::box_pool!) writes this.
pub trait BoxPool: SharedPool {
    /// The type of the values in the boxes.
    type Data: 'static;

    /// A box with `value`.
    ///
    /// # Errors
    ///
    /// The value, if there is no block for it.
    #[inline(always)]
    fn alloc(&self, value: Self::Data) -> Result<Box<Self>, Self::Data> {
        super::Box::new(value).map_err(|Exhausted(value)| value)
    }
}

/// A box of the pool `P`.
pub type Box<P> = super::Box<<P as BoxPool>::Data, P>;

/// The class for a type: its size, rounded up to what a block can have.
#[doc(hidden)]
#[must_use]
pub const fn class_of<T>() -> super::Class {
    let least = if align_of::<T>() > 4 { align_of::<T>() } else { 4 };
    super::Class::aligned(size_of::<T>().next_multiple_of(least), least)
}

/// Memory for `blocks` blocks of a class, rounded up to what a pool can have; for a class that is aligned to more than 8 it is
/// one block more if the memory happens to be aligned as the class is.
#[doc(hidden)]
#[must_use]
pub const fn bytes_of(class: super::Class, blocks: usize) -> usize {
    let spare = if class.align > 8 { class.align } else { 0 };
    (class.size * blocks + spare).next_multiple_of(8)
}

/// Writes a pool of boxes of one type; see [`ported`](crate::pool::ported).
#[macro_export]
macro_rules! box_pool {
    ($(#[$attribute:meta])* $name:ident: $data:ty, $blocks:expr) => {
        $(#[$attribute])*
        pub struct $name;

        const _: () = {
            const __CLASS: $crate::pool::Class = $crate::pool::ported::class_of::<$data>();
            const __BYTES: usize = $crate::pool::ported::bytes_of(__CLASS, $blocks);
            static __STORE: $crate::pool::Store<$name, __BYTES, 1> = $crate::pool::Store::new();

            impl $crate::pool::Pool for $name {
                const NAME: &'static str = $crate::__core::stringify!($name);
                const CLASSES: &'static [$crate::pool::Class] = &[__CLASS];
                type Store = $crate::pool::Store<$name, __BYTES, 1>;
                const STORE: &'static Self::Store = &__STORE;
            }

            impl $crate::pool::ported::BoxPool for $name {
                type Data = $data;
            }

            const _: () = $crate::pool::check_pool::<$name>();
        };
    };
}
