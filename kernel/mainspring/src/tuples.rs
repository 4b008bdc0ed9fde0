//! Tuples of up to sixteen, for the lists that types are.

/// Calls `$each!(A 0, B 1, …)` for every length from none to sixteen.
macro_rules! all {
    ($each:ident) => {
        $crate::tuples::all!(@ $each []
            A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15,);
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
