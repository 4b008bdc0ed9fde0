//! An STM32F411 at 100 MHz, as its user writes it with `stm32f4xx-hal`.
//!
//! A timer's interrupt toggles a pin ten times; then the program says over its UART which clocks the HAL has set, and
//! ends by semihosting. Nothing in it knows that it is simulated.

#![no_std]
#![no_main]

use core::cell::RefCell;
use core::fmt::Write as _;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::interrupt::{Mutex, free};
use cortex_m_rt::entry;
use cortex_m_semihosting::debug;
use panic_semihosting as _;
use stm32f4xx_hal::gpio::{Output, PA5, PushPull};
use stm32f4xx_hal::pac::{self, TIM2, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::serial::config::Config as Line;
use stm32f4xx_hal::timer::{CounterUs, Event, Flag};

type Blinker = (PA5<Output<PushPull>>, CounterUs<TIM2>);

static BLINKER: Mutex<RefCell<Option<Blinker>>> = Mutex::new(RefCell::new(None));
static TOGGLES: AtomicU32 = AtomicU32::new(0);

#[interrupt]
fn TIM2() {
    free(|section| {
        if let Some((led, timer)) = BLINKER.borrow(section).borrow_mut().as_mut() {
            timer.clear_flags(Flag::Update);
            led.toggle();
            TOGGLES.fetch_add(1, Ordering::Relaxed);
        }
    });
}

#[entry]
fn main() -> ! {
    let chip = pac::Peripherals::take().expect("taken once");
    let mut rcc = chip.RCC.freeze(Config::hse(8.MHz()).sysclk(100.MHz()));
    let clocks = rcc.clocks;

    let gpioa = chip.GPIOA.split(&mut rcc);
    let led = gpioa.pa5.into_push_pull_output();
    let mut uart = chip
        .USART2
        .tx(gpioa.pa2, Line::default().baudrate(115_200.bps()), &mut rcc)
        .expect("a baud rate that the clock can make");

    let mut timer = chip.TIM2.counter_us(&mut rcc);
    timer.start(100.micros()).expect("a period that fits");
    timer.listen(Event::Update);
    free(|section| {
        BLINKER.borrow(section).replace(Some((led, timer)));
    });
    // SAFETY: the handler finds everything that it uses.
    unsafe { cortex_m::peripheral::NVIC::unmask(pac::Interrupt::TIM2) };

    while TOGGLES.load(Ordering::Relaxed) < 10 {
        cortex_m::asm::wfi();
    }
    let (hclk, pclk1, pclk2) = (clocks.hclk(), clocks.pclk1(), clocks.pclk2());
    writeln!(uart, "hclk {hclk} pclk1 {pclk1} pclk2 {pclk2}").expect("a UART takes everything");
    writeln!(uart, "{} toggles", TOGGLES.load(Ordering::Relaxed)).expect("a UART takes everything");
    nb::block!(uart.flush()).expect("a UART takes everything");
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
