//! {{project-name}} on its chip.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use {{crate_name}}::Average;

/// What `cyclescope.toml` measures: it keeps its symbol, and is not inlined.
#[inline(never)]
#[unsafe(no_mangle)]
fn control_step(average: &mut Average<8>, sample: i32) -> i32 {
    average.step(sample)
}

#[entry]
fn main() -> ! {
    let mut average = Average::default();
    let mut last = 0;
    for sample in 0..32 {
        last = control_step(&mut average, sample);
    }
    hprintln!("{}", last);
    loop {
        debug::exit(debug::EXIT_SUCCESS);
    }
}
