//! An nRF52840, as its user writes it with `embassy-nrf`.
//!
//! The program calibrates its converter, samples two channels once, then by a timer through PPI, and one by the converter's own timer. It plays a
//! sequence of widths on a PWM at P0.13 and times its pulses at P0.14, to which its board connects it. It reports its findings by semihosting, which
//! also ends it.

#![no_std]
#![no_main]

use cortex_m_semihosting::{debug, hprintln};
use embassy_executor::Spawner;
use embassy_nrf::gpio::{Input, Pull};
use embassy_nrf::pwm::{self, Prescaler, SequenceConfig, SequencePwm, SingleSequenceMode, SingleSequencer};
use embassy_nrf::saadc::{self, CallbackResult, ChannelConfig, Saadc};
use embassy_nrf::timer::{Frequency, Timer};
use embassy_nrf::{bind_interrupts, peripherals};
use embassy_time::Instant;
use panic_semihosting as _;

bind_interrupts!(struct Interrupts {
    SAADC => saadc::InterruptHandler;
});

/// Stops after the third buffer.
fn three(count: &mut u32) -> CallbackResult {
    *count += 1;
    if *count == 3 {
        CallbackResult::Stop
    } else {
        CallbackResult::Continue
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    // It is alone.
    let _ = spawner;
    let mut chip = embassy_nrf::init(embassy_nrf::config::Config::default());

    let channels = [
        ChannelConfig::single_ended(chip.P0_02.reborrow()),
        ChannelConfig::differential(chip.P0_03.reborrow(), chip.P0_04.reborrow()),
    ];
    let mut converter = Saadc::new(
        chip.SAADC.reborrow(),
        Interrupts,
        saadc::Config::default(),
        channels,
    );
    converter.calibrate().await;
    let mut both = [0; 2];
    converter.sample(&mut both).await;
    hprintln!("both {:?}", both);

    let mut buffers = [[[0; 2]; 5]; 2];
    let (mut count, mut sum, start) = (0, 0, Instant::now());
    let add = |buffer: &[[i16; 2]]| {
        sum += buffer.iter().map(|pair| i32::from(pair[0])).sum::<i32>();
        three(&mut count)
    };
    converter
        .run_task_sampler(
            chip.TIMER0.reborrow(),
            chip.PPI_CH0.reborrow(),
            chip.PPI_CH1.reborrow(),
            Frequency::F1MHz,
            1000,
            &mut buffers,
            add,
        )
        .await;
    hprintln!("by a timer {} in {} ms", sum, start.elapsed().as_millis());
    drop(converter);

    let channel = [ChannelConfig::single_ended(chip.P0_02.reborrow())];
    let mut converter = Saadc::new(
        chip.SAADC.reborrow(),
        Interrupts,
        saadc::Config::default(),
        channel,
    );
    let mut buffers = [[[0; 1]; 10]; 2];
    let (mut last, start) = (0, Instant::now());
    let keep = |buffer: &[[i16; 1]]| {
        last = buffer[9][0];
        CallbackResult::Stop
    };
    converter
        .run_timer_sampler::<fn(), _, 10>(&mut buffers, 1600, keep)
        .await;
    hprintln!("by its own {} in {} ms", last, start.elapsed().as_millis());

    pulses(chip.PWM0, chip.P0_13, chip.P0_14, chip.TIMER1).await;
    debug::exit(debug::EXIT_SUCCESS);
}

/// Widths in microseconds, of a period of 1,000.
async fn pulses(
    pwm: embassy_nrf::Peri<'_, peripherals::PWM0>,
    out: embassy_nrf::Peri<'_, peripherals::P0_13>,
    seen: embassy_nrf::Peri<'_, peripherals::P0_14>,
    timer: embassy_nrf::Peri<'_, peripherals::TIMER1>,
) {
    let timer = Timer::new(timer);
    timer.set_frequency(Frequency::F1MHz);
    timer.start();
    let mut seen = Input::new(seen, Pull::None);
    let mut config = pwm::Config::default();
    config.max_duty = 1000;
    config.prescaler = Prescaler::Div16;
    let mut pwm = SequencePwm::new_1ch(pwm, out, config).expect("a short sequence");
    let words = [250, 500, 750].map(|width| 0x8000 + width);
    let sequence = SingleSequencer::new(&mut pwm, &words, SequenceConfig::default());
    sequence
        .start(SingleSequenceMode::Times(2))
        .expect("words in RAM");
    let mut widths = [0; 7];
    for width in &mut widths {
        seen.wait_for_high().await;
        let rises = timer.cc(0).capture();
        seen.wait_for_low().await;
        *width = timer.cc(0).capture() - rises;
    }
    sequence.stop();
    hprintln!("pulses {:?}", widths);
}
