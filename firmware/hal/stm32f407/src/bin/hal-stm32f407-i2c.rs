//! An STM32F407 that asks a sensor on its I2C, as its user writes it with `stm32f4xx-hal`: what it measures, and for limits of which the sensor
//! refuses one. It says how long the sensor took, by semihosting, which also ends it.

#![no_std]
#![no_main]

use cortex_m::peripheral::DWT;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use stm32f4xx_hal::i2c::{I2c, Mode};
use stm32f4xx_hal::pac;
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;

const SENSOR: u8 = 0x48;

#[entry]
fn main() -> ! {
    let chip = pac::Peripherals::take().expect("taken once");
    let mut core = cortex_m::Peripherals::take().expect("taken once");
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
    let mut rcc = chip.RCC.freeze(Config::hse(8.MHz()).sysclk(168.MHz()));
    let gpiob = chip.GPIOB.split(&mut rcc);
    let mode = Mode::standard(100.kHz());
    let mut bus = I2c::new(chip.I2C1, (gpiob.pb6, gpiob.pb7), mode, &mut rcc);

    let mut got = [0];
    let before = DWT::cycle_count();
    let read = bus.write_read(SENSOR, &[0], &mut got);
    let taken = DWT::cycle_count().wrapping_sub(before) / 168;
    hprintln!("sensor {:?} {} in {} us", read, got[0], taken);
    let limits = [100, 126].map(|limit| bus.write(SENSOR, &[1, limit]));
    hprintln!("limits {:?}", limits);
    bus.write_read(SENSOR, &[1], &mut got).expect("it answers");
    hprintln!("limit {} nobody {:?}", got[0], bus.write(SENSOR + 1, &[1]));
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
