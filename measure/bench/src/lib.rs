#![doc = include_str!("../README.md")]
#![no_std]

mod end;

pub use core::hint::black_box;
pub use cyclescope_bench_macros::bench;
pub use end::end;

/// Runs benchmarks one after the other.
///
/// For programs with a start of their own: [`end`] is to follow.
#[macro_export]
macro_rules! run {
    ($($bench:ty),+ $(,)?) => {
        $(<$bench>::run();)+
    };
}

/// The program: runs benchmarks one after the other, and ends.
///
/// It defines the function `main` that `cortex-m-rt` and `riscv-rt` call.
#[macro_export]
macro_rules! main {
    ($($bench:ty),+ $(,)?) => {
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $crate::run!($($bench),+);
            $crate::end()
        }
    };
}
