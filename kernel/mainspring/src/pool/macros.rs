//! The macros that write a pool.

/// Writes a pool: a type that stands for it, its memory, and its classes.
///
/// ```
/// mainspring::pool! {
///     /// The memory of messages.
///     pub struct Heap;
///     bytes = 4096;
///     classes = [8, 16, 32, 64, 128 align 32];
///     when_dry = TakeLarger;      // optional: `Fail` without it
///     statistics = On;            // optional: off without it
///     sharing = Exclusive;        // optional: `Shared` without it
/// }
/// # fn main() {}
/// ```
///
/// The classes are sizes in bytes, increasing. A block is aligned as its size is, to 4 or 8 bytes, unless `align` says
/// otherwise.
///
/// If you do not want to choose, write `up_to` in place of `classes`: then there is one for every size up to that, in steps of 4, so
/// that no value wastes more than 3 bytes of its block. Each takes a word, and its blocks serve values of that size alone.
///
/// ```
/// mainspring::pool! {
///     struct Any;
///     bytes = 1024;
///     up_to = 128;
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! pool {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident;
        bytes = $bytes:expr;
        classes = [$($size:literal $(align $align:literal)?),+ $(,)?];
        $(when_dry = $dry:ident;)?
        $(statistics = $statistics:ident;)?
        $(sharing = $sharing:ident;)?
    ) => {
        $crate::pool! {
            @ [$(#[$attribute])*] $visibility $name [$bytes]
            [[$($crate::pool_part!(class $size $($align)?)),+]]
            [$($dry)?] [$($statistics)?] [$($sharing)?]
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident;
        bytes = $bytes:expr;
        up_to = $most:literal;
        $(when_dry = $dry:ident;)?
        $(statistics = $statistics:ident;)?
        $(sharing = $sharing:ident;)?
    ) => {
        $crate::pool! {
            @ [$(#[$attribute])*] $visibility $name [$bytes]
            [$crate::pool::Class::up_to::<{ usize::div_ceil($most, 4) }>()]
            [$($dry)?] [$($statistics)?] [$($sharing)?]
        }
    };
    (
        @ [$(#[$attribute:meta])*] $visibility:vis $name:ident [$bytes:expr] [$classes:expr]
        [$($dry:ident)?] [$($statistics:ident)?] [$($sharing:ident)?]
    ) => {
        $(#[$attribute])*
        $visibility struct $name;

        const _: () = {
            const __CLASSES: &[$crate::pool::Class] = &$classes;
            type __Store = $crate::pool::Store<
                $name,
                { $bytes },
                { __CLASSES.len() },
                $crate::pool_part!(sharing $($sharing)?),
                $crate::pool_part!(statistics { __CLASSES.len() } $($statistics)?),
            >;
            static __STORE: __Store = __Store::new();

            impl $crate::pool::Pool for $name {
                const NAME: &'static str = $crate::__core::stringify!($name);
                const CLASSES: &'static [$crate::pool::Class] = __CLASSES;
                const WHEN_DRY: $crate::pool::WhenDry = $crate::pool_part!(dry $($dry)?);
                type Store = __Store;
                const STORE: &'static __Store = &__STORE;
            }

            const _: () = $crate::pool::check_pool::<$name>();
        };
    };
}

/// A part of what [`pool!`] writes.
#[doc(hidden)]
#[macro_export]
macro_rules! pool_part {
    (class $size:literal) => { $crate::pool::Class::of($size) };
    (class $size:literal $align:literal) => { $crate::pool::Class::aligned($size, $align) };
    (dry) => { $crate::pool::WhenDry::Fail };
    (dry $dry:ident) => { $crate::pool::WhenDry::$dry };
    (sharing) => { $crate::pool::Shared };
    (sharing $sharing:ident) => { $crate::pool::$sharing };
    (statistics $classes:block) => { $crate::pool::Off };
    (statistics $classes:block Off) => { $crate::pool::Off };
    (statistics $classes:block On) => { $crate::pool::On<$classes> };
}

/// Makes a [`Dyn`](crate::pool::Dyn) from a [`Box`](crate::pool::Box): `unsize!(boxed => dyn Trait)`.
///
/// ```
/// # mainspring::pool! { struct Heap; bytes = 256; classes = [16, 32]; }
/// use core::fmt::Display;
/// use mainspring::pool::{Box, Dyn};
///
/// let number: Box<u32, Heap> = Box::new(42).expect("room");
/// let shown: Dyn<dyn Display + Send, Heap> = mainspring::unsize!(number => dyn Display + Send);
/// assert_eq!(shown.to_string(), "42");
/// ```
#[macro_export]
macro_rules! unsize {
    ($boxed:expr => $unsized:ty) => {{
        let (place, pool) = $crate::pool::Dyn::split($boxed);
        let place: *mut $unsized = place;
        // SAFETY: the compiler made this pointer from the box's own, just above: the same value, and its length or vtable.
        #[allow(unsafe_code)]
        unsafe {
            $crate::pool::Dyn::joined(place, pool)
        }
    }};
}
