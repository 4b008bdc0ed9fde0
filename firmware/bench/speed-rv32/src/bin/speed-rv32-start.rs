//! Starts and ends: what every run pays, whatever it works on.

#![no_std]
#![no_main]

// SAFETY: the start calls it by this name, and nothing else has it.
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    speed_rv32::end(true)
}
