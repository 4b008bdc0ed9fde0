//! An nRF52840, as its user writes it with `nrf52840-hal`.
//!
//! The program measures the voltages at P0.02 and of the supply, puts out a PWM at P0.13 and times it at P0.14, to which its board connects it,
//! and asks a sensor on a TWIM: what it measures, and for limits of which the sensor refuses one. It says all that over its UARTE, and ends by
//! semihosting. Nothing in it knows that it is simulated.

#![no_std]
#![no_main]

use core::fmt::Write as _;
use core::hint::black_box;

use cortex_m::peripheral::DWT;
use cortex_m_rt::entry;
use cortex_m_semihosting::debug;
use embedded_hal::digital::InputPin;
use nrf52840_hal::gpio::{Level, p0};
use nrf52840_hal::pac;
use nrf52840_hal::pwm::{Channel, Prescaler, Pwm};
use nrf52840_hal::saadc::{Saadc, SaadcConfig};
use nrf52840_hal::twim::{self, Twim};
use nrf52840_hal::uarte::{self, Baudrate, Parity, Uarte};
use panic_semihosting as _;

const SENSOR: u8 = 0x48;

#[entry]
fn main() -> ! {
    let chip = pac::Peripherals::take().expect("taken once");
    let mut core = cortex_m::Peripherals::take().expect("taken once");
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
    let pins = p0::Parts::new(chip.P0);
    let line = uarte::Pins {
        rxd: pins.p0_08.into_floating_input().degrade(),
        txd: pins.p0_06.into_push_pull_output(Level::High).degrade(),
        cts: None,
        rts: None,
    };
    let mut uart = Uarte::new(chip.UARTE0, line, Parity::EXCLUDED, Baudrate::BAUD115200);

    let mut saadc = Saadc::new(chip.SAADC, SaadcConfig::default());
    let mut input = pins.p0_02.into_floating_input();
    let before = DWT::cycle_count();
    let value = saadc.read_channel(&mut input).expect("one channel");
    let taken = DWT::cycle_count().wrapping_sub(before) / 64;
    writeln!(uart, "AIN0 {value} in {taken} us").expect("a UART takes everything");

    let pwm = Pwm::new(chip.PWM0);
    pwm.set_output_pin(
        Channel::C0,
        pins.p0_13.into_push_pull_output(Level::Low).degrade(),
    );
    pwm.set_prescaler(Prescaler::Div1).set_max_duty(1000).enable();
    pwm.set_duty_off(Channel::C0, 250);
    let mut seen = pins.p0_14.into_floating_input();
    let mut edge = |high: bool| {
        while seen.is_high().expect("a pin can be read") != high {}
        DWT::cycle_count()
    };
    let (_, _, rises) = (edge(true), edge(false), edge(true));
    let (falls, again) = (edge(false), edge(true));
    // In quarters of a microsecond.
    let (high, period) = (falls.wrapping_sub(rises) / 16, again.wrapping_sub(rises) / 16);
    writeln!(uart, "PWM high for {high} of {period} quarters of a us").expect("a UART takes everything");

    let wires = twim::Pins {
        scl: pins.p0_27.into_floating_input().degrade(),
        sda: pins.p0_26.into_floating_input().degrade(),
    };
    let mut bus = Twim::new(chip.TWIM0, wires, twim::Frequency::K400);
    // Data for DMA is in RAM.
    let [temperature, limit] = black_box([[0], [1]]);
    let mut got = [0];
    let before = DWT::cycle_count();
    let read = bus.write_then_read(SENSOR, &temperature, &mut got);
    let taken = DWT::cycle_count().wrapping_sub(before) / 64;
    writeln!(uart, "sensor {read:?} {} in {taken} us", got[0]).expect("a UART takes everything");
    let limits = [100, 126].map(|limit| bus.write(SENSOR, &[1, limit]));
    writeln!(uart, "limits {limits:?}").expect("a UART takes everything");
    bus.write_then_read(SENSOR, &limit, &mut got).expect("it answers");
    let nobody = bus.write(SENSOR + 1, &limit);
    writeln!(uart, "limit {} nobody {nobody:?}", got[0]).expect("a UART takes everything");
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
