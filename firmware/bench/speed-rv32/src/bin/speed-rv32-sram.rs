//! The workload of `./x speed`, in the SRAM behind an L2 of Precursor and of `litex-sram`.

#![no_std]
#![no_main]

// SAFETY: the start calls it by this name, and nothing else has it.
#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    speed_rv32::end(speed_rv32::work())
}
