//! Tuples of up to thirty-two, for the lists that types are.

/// Calls `$each!(A 0, B 1, …)` for every length from none to thirty-two.
macro_rules! all {
    ($each:ident) => {
        $crate::tuples::all!(@ $each []
            A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15,
            Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23, Y 24, Z 25, AA 26, AB 27, AC 28, AD 29, AE 30, AF 31,);
    };
    (@ $each:ident [$($done:ident $i:tt),*] $next:ident $k:tt, $($rest:tt)*) => {
        $each!($($done $i),*);
        $crate::tuples::all!(@ $each [$($done $i,)* $next $k] $($rest)*);
    };
    (@ $each:ident [$($done:ident $i:tt),*]) => {
        $each!($($done $i),*);
    };
}
pub(crate) use all;

/// A list as [`app!`](crate::app!) writes it: the parameters of a function, because those may have conditions (`#[cfg(…)]`).
#[doc(hidden)]
pub trait List {
    /// The same as a tuple.
    type Tuple;
}

macro_rules! list {
    ($($t:ident $i:tt),*) => {
        impl<$($t),*> List for fn($($t),*) {
            type Tuple = ($($t,)*);
        }
    };
}

all!(list);
