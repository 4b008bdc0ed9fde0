//! A light that blinks, and a button that makes it blink twice as fast.
//!
//! Two tasks share the half-period: the button changes it, the clock reads it. The clock is the more urgent one, so the
//! button takes a lock, and the clock, which is at the ceiling, has its data for nothing.

#![no_std]
#![no_main]

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_semihosting::hprintln;
use mainspring::{Context, Handles, Idle, Init, Initials, Main, Read, Run, Write};
use rt as _;

/// The interrupts of the chip that have a task here, as a device crate names them.
enum Interrupt {
    /// The button's pin (EXTI0 of an STM32F1).
    IRQ6 = 6,
}

/// The chip.
struct Chip;

// SAFETY: the board has one core, and four priority bits at the least; the vector table of `rt` has these names in these
// places; nothing else here writes BASEPRI.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}

mainspring::app! {
    /// The application.
    struct Blinky;
    device = Chip;

    resources {
        /// Ticks between two changes of the light.
        HalfPeriod: u32 = 8;
    }
    tasks {
        Clock, on SysTick, priority 2, uses Read<HalfPeriod>;
        Button = Button, on IRQ6, priority 1, uses Write<HalfPeriod>;
    }
}

/// Core clock cycles in a tick: 1 ms at 8 MHz.
const TICK: u32 = 8_000;

/// Counts ticks, and changes the light.
struct Clock {
    light: Light,
    ticks: u32,
    since_change: u32,
}

impl Run for Clock {
    fn run(&mut self, cx: Context<Self>, half_period: Handles<Self>) {
        self.ticks += 1;
        self.since_change += 1;
        if self.since_change >= *cx.get(&half_period) {
            self.since_change = 0;
            self.light.change(self.ticks);
        }
        // No one presses the button in the simulator, and nothing ends the program.
        match self.ticks {
            20 | 40 => cx.pend::<Button>(),
            60 => rt::exit(),
            _ => (),
        }
    }
}

/// Halves the half-period.
struct Button;

impl Run for Button {
    fn run(&mut self, mut cx: Context<Self>, mut half_period: Handles<Self>) {
        let now = cx.lock(&mut half_period, |half_period, _| {
            *half_period = (*half_period / 2).max(1);
            *half_period
        });
        hprintln!("button: every {} ms", now);
    }
}

impl Main for Blinky {
    fn init(_: Init<Self>) -> Initials<Self> {
        let mut core = cortex_m::Peripherals::take().expect("taken once");
        core.SYST.set_clock_source(SystClkSource::Core);
        core.SYST.set_reload(TICK - 1);
        core.SYST.clear_current();
        core.SYST.enable_counter();
        core.SYST.enable_interrupt();
        Initials::<Self> {
            Clock: Clock {
                light: Light { on: false },
                ticks: 0,
                since_change: 0,
            },
        }
    }

    fn idle(_: Context<Idle<Self>>, (): Handles<Idle<Self>>) -> ! {
        loop {
            mainspring::wait();
        }
    }
}

/// The light. On a board it is a pin; here it says what it does.
struct Light {
    on: bool,
}

impl Light {
    fn change(&mut self, ticks: u32) {
        self.on = !self.on;
        hprintln!("{:>2} ms: light {}", ticks, if self.on { "on" } else { "off" });
    }
}
