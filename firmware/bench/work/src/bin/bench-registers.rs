//! The work of [`pieces::registers`].

#![no_std]
#![no_main]

bench_work::program!(pieces::registers::work, pieces::registers::EXPECTED);
