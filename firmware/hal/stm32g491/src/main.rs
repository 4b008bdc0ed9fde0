//! An STM32G491 at 170 MHz, as its user writes it with `embassy-stm32`.
//!
//! A task toggles a pin ten times, a millisecond apart by `embassy-time`; then the program says over its UART which
//! clocks the HAL has set, and ends by semihosting. Nothing in it knows that it is simulated.

#![no_std]
#![no_main]

use embedded_io::Write as _;

use cortex_m_semihosting::debug;
use embassy_executor::Spawner;
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::rcc;
use embassy_stm32::time::MaybeHertz;
use embassy_stm32::usart::{self, UartTx};
use embassy_time::{Instant, Timer};
use panic_semihosting as _;

fn config() -> embassy_stm32::Config {
    use embassy_stm32::rcc::{Pll, PllMul, PllPreDiv, PllRDiv, PllSource, Sysclk};

    let mut config = embassy_stm32::Config::default();
    config.rcc.hsi = true;
    config.rcc.pll = Some(Pll {
        source: PllSource::HSI,
        prediv: PllPreDiv::DIV4,
        mul: PllMul::MUL85,
        divp: None,
        divq: None,
        divr: Some(PllRDiv::DIV2),
    });
    config.rcc.sys = Sysclk::PLL1_R;
    config.rcc.boost = true;
    config
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    // It is alone.
    let _ = spawner;
    let chip = embassy_stm32::init(config());
    let mut led = Output::new(chip.PA5, Level::Low, Speed::Low);
    let mut uart =
        UartTx::new_blocking(chip.USART2, chip.PA2, usart::Config::default()).expect("a baud rate that fits");

    let start = Instant::now();
    for _ in 0..10 {
        Timer::after_millis(1).await;
        led.toggle();
    }
    let ticks = start.elapsed().as_ticks();
    let clocks = rcc::clocks(&chip.RCC);
    let hz = |clock: MaybeHertz| clock.to_hertz().map_or(0, |hz| hz.0);
    let (hclk, pclk1, pclk2) = (hz(clocks.hclk1), hz(clocks.pclk1), hz(clocks.pclk2));
    writeln!(uart, "hclk {hclk} pclk1 {pclk1} pclk2 {pclk2}").expect("a UART takes everything");
    writeln!(uart, "10 toggles in {ticks} ticks").expect("a UART takes everything");
    uart.flush().expect("a UART takes everything");
    debug::exit(debug::EXIT_SUCCESS);
}
