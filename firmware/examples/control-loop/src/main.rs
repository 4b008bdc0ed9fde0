//! A controller, a plant, and a log that never delays them.
//!
//! Every period the controller measures, computes and drives; then it posts a record, and goes. The logger writes when
//! no more urgent task wants the core. The operator changes the set point and the gain in one section, so that the
//! controller never sees one new and one old.

#![no_std]
#![no_main]

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_semihosting::hprintln;
use mainspring::{Context, Handles, Init, Initials, Main, Post, Read, Receive, Run, Write};
use rt as _;

/// The interrupts of the chip that have a task here, as a device crate names them.
enum Interrupt {
    /// A key of the operator.
    IRQ7 = 7,
    /// An interrupt that no peripheral of this board uses.
    IRQ9 = 9,
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
    struct ControlLoop;
    device = Chip;

    resources {
        /// Where the plant should be.
        Target: i32 = 100;
        /// Drive per error, in 256ths.
        Gain: i32 = 64;
    }
    tasks {
        Controller, on SysTick, priority 3, uses (Read<Target>, Read<Gain>, Post<Logger>);
        Operator = Operator, on IRQ7, priority 2, uses (Write<Target>, Write<Gain>);
        Logger = Logger, on IRQ9, priority 1, inbox [Record; 4];
    }
}

/// Core clock cycles in a control period: 1 ms at 8 MHz.
const PERIOD: u32 = 8_000;

/// The log's record of one period.
struct Record {
    period: u32,
    position: i32,
    drive: i32,
}

/// Drives the plant to its target.
struct Controller {
    plant: Plant,
    period: u32,
}

impl Run for Controller {
    fn run(&mut self, cx: Context<Self>, (target, gain, mut logger): Handles<Self>) {
        // The most urgent reader: no writer can interrupt it, so this costs nothing.
        let (target, gain) = (*cx.get(&target), *cx.get(&gain));
        let position = self.plant.position();
        let drive = (target - position) * gain / 256;
        self.plant.drive(drive);
        self.period += 1;
        if self.period.is_multiple_of(4) {
            // A full inbox costs a record, never a deadline.
            let _ = cx.post(
                &mut logger,
                Record {
                    period: self.period,
                    position,
                    drive,
                },
            );
        }
        if self.period == 16 {
            cx.pend::<Operator>(); // nobody presses a key in the simulator
        }
    }
}

/// Changes the set point.
struct Operator;

impl Run for Operator {
    fn run(&mut self, mut cx: Context<Self>, (mut target, mut gain): Handles<Self>) {
        cx.lock((&mut target, &mut gain), |(target, gain), _| {
            *target = -50;
            *gain = 128;
        });
    }
}

/// Writes records when there is time.
struct Logger;

impl Receive for Logger {
    fn receive(&mut self, record: Record, _: Context<Self>, (): Handles<Self>) {
        hprintln!(
            "{:>2} ms: at {:>4}, drive {:>4}",
            record.period,
            record.position,
            record.drive
        );
        if record.period == 32 {
            rt::exit()
        }
    }
}

impl Main for ControlLoop {
    fn init(_: Init<Self>) -> Initials<Self> {
        let mut core = cortex_m::Peripherals::take().expect("taken once");
        core.SYST.set_clock_source(SystClkSource::Core);
        core.SYST.set_reload(PERIOD - 1);
        core.SYST.clear_current();
        core.SYST.enable_counter();
        core.SYST.enable_interrupt();
        Initials::<Self> {
            Controller: Controller {
                plant: Plant { position: 0 },
                period: 0,
            },
        }
    }
}

/// The plant. On a board these are an ADC and a PWM; here it is an integrator.
struct Plant {
    position: i32,
}

impl Plant {
    fn position(&self) -> i32 {
        self.position
    }

    fn drive(&mut self, drive: i32) {
        self.position += drive;
    }
}
