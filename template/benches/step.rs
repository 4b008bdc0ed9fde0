//! `cargo cyclescope bench`

#![no_std]
#![no_main]

use cortex_m_rt as _;
use cyclescope_bench::bench;
use panic_semihosting as _;
use {{crate_name}}::Average;

#[bench(setup = Average::default)]
fn of_eight(average: &mut Average<8>) -> i32 {
    average.step(1)
}

#[bench(setup = Average::default)]
fn of_sixty_four(average: &mut Average<64>) -> i32 {
    average.step(1)
}

cyclescope_bench::main!(of_eight, of_sixty_four);
