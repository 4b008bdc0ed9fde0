//! Starts and ends: what every run pays, whatever it works on.

#![no_std]
#![no_main]

/// No work.
fn nothing() -> u32 {
    0
}

bench_work::program!(nothing, 0);
