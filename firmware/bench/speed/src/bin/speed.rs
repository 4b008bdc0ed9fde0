//! The workload of `./x speed`: about two hundred million instructions of integer, memory and branch work.
//!
//! No single loop dominates: shifts and conditionals (a checksum bit by bit), byte stores with a stride (a sieve),
//! data-dependent branches (sorting), multiplications with two-dimensional addressing (matrices), dependent loads
//! (a linked ring) and calls with register saves (a recursion). The program checks its own result, so that a
//! simulator that is fast because it is wrong fails.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use speed::Memory;

/// How often the whole set is done.
const ROUNDS: u32 = 300;

/// The result of all rounds together, from the same code compiled for a desktop computer.
const EXPECTED: u32 = 0xc71e_79e5;

#[entry]
fn main() -> ! {
    let mut memory = Memory::new();
    let mut sum = 0;
    for round in 0..black_box(ROUNDS) {
        sum = memory.round(sum ^ round);
    }
    if sum == EXPECTED { rt::exit() } else { rt::fail() }
}
