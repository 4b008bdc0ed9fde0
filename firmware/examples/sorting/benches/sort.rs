//! The cost of sorting: `cargo cyclescope bench`, and on RV32 with `--target riscv32i-unknown-none-elf --board litex-sram`.

#![no_std]
#![no_main]

#[cfg(target_arch = "riscv32")]
use riscv_rt as _;
#[cfg(target_arch = "arm")]
use rt as _;
#[cfg(target_arch = "riscv32")]
use semihosting as _;

use cyclescope_bench::{bench, black_box};

const MOST: usize = 64;

/// The first items of a table.
struct List {
    items: [u32; MOST],
    length: usize,
}

impl List {
    fn items(&mut self) -> &mut [u32] {
        &mut self.items[..self.length]
    }
}

/// As many numbers in no order: a multiplicative generator.
fn shuffled(length: usize) -> List {
    let mut items = [0; MOST];
    let mut state = 1_u32;
    for item in &mut items {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *item = state >> 8;
    }
    List { items, length }
}

/// In the worst order.
fn falling() -> [u32; 16] {
    let mut less = 16;
    core::array::from_fn(|_| {
        less -= 1;
        less + 1
    })
}

/// The cost of entry and return alone.
#[bench]
fn nothing() {}

#[bench(name = "bits-of-a-word")]
fn population() -> u32 {
    black_box(0xdead_beef_u32).count_ones()
}

#[bench(inputs = [8, 64], setup = shuffled)]
fn insertion(list: &mut List) {
    sorting::insertion(list.items());
}

#[bench(inputs = [8, 64], setup = shuffled)]
fn shell(list: &mut List) {
    sorting::shell(list.items());
}

#[bench(name = "insertion-falling", setup = falling, samples = 1)]
fn worst(list: &mut [u32]) {
    sorting::insertion(list);
}

#[bench(group = "check", inputs = [short = &[1, 2, 3], long = &[1; 20]])]
fn is_sorted(list: &[u32]) -> bool {
    sorting::is_sorted(list)
}

cyclescope_bench::main!(nothing, population, insertion, shell, worst, is_sorted);
