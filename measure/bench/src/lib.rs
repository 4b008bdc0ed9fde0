#![doc = include_str!("../README.md")]
#![no_std]

mod end;

pub use core::hint::black_box;
pub use cyclescope_bench_macros::bench;
pub use end::end;

/// Runs benchmarks in order.
///
/// For programs with their own entry point, which call [`end`] afterwards.
#[macro_export]
macro_rules! run {
    ($($bench:ty),+ $(,)?) => {
        $(<$bench>::run();)+
    };
}

/// Defines the program: runs benchmarks in order, then exits.
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
